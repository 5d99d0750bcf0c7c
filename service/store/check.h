/* check.h - load the catalogue once, as a self-test (`gpuplan --check`). */
#ifndef STORE_CHECK_H
#define STORE_CHECK_H

#include "catalog/catalog.h"

/* Connect, load, prepare, disconnect. The caller frees *out with catalog_free(); it is NULL after a
 * failure. */
bool store_check(const char *conninfo, prepare_fn prepare, struct catalog **out,
                 struct err *err) MUST_CHECK;

#endif
