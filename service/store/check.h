/* check.h - load the catalogue once, as a self-test (`gpuplan --check`). */
#ifndef STORE_CHECK_H
#define STORE_CHECK_H

#include "catalog/catalog.h"

/* Connect, read, prepare, disconnect. catalog_free(*out); NULL after a failure. */
bool store_check(const char *conninfo, prepare_fn prepare, struct catalog **out,
                 struct err *err) MUST_CHECK;

#endif
