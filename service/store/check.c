#include "store/check.h"

#include "store/db.h"
#include "store/load.h"

bool store_check(const char *conninfo, prepare_fn prepare, struct catalog **out, struct err *err)
{
    PGconn *conn;

    *out = NULL;
    if (!db_open(conninfo, &conn, err))
        return false;
    bool loaded = db_drop_rights(conn, err) && store_load(conn, NULL, out, err);
    PQfinish(conn);
    if (loaded && prepare(*out, NULL, err))
        return true;
    catalog_free(*out);
    *out = NULL;
    return false;
}
