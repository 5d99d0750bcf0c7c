/* import_known.h - loads what the catalogue knows, for reading feeds. */
#ifndef STORE_IMPORT_KNOWN_H
#define STORE_IMPORT_KNOWN_H

#include "base/arena.h"
#include "feed/known.h"
#include "store/db.h"

bool import_load_known(PGconn *conn, struct arena *arena, struct feed_known *known,
                       struct err *err) MUST_CHECK;

#endif
