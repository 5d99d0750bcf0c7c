/* measurement.h - a measured run: configuration, result, and its publication or writer. */
#ifndef CATALOG_MEASUREMENT_H
#define CATALOG_MEASUREMENT_H

#include "base/err.h"

struct measurement {
#define MEASUREMENT_TEXT(name) const char *name;
#define MEASUREMENT_NUMBER(name) double name;
#include "catalog/measurement.def"
#undef MEASUREMENT_TEXT
#undef MEASUREMENT_NUMBER
    const char *url, *published, *licence; /* of the source; "" if unknown */
    /* Set, creation time and author of a run stored by the team; NULL for a published run. */
    const char *measurement_set, *created_at, *created_by;
};

/* A request to store or delete a run. */
struct measurement_order {
    const struct measurement *run; /* the run with its set; NULL to delete */
    const char *id;                /* id of the run to delete */
    const char *who;               /* owner of the token */
};

struct measurement_written {
    char id[64], created_at[32];
    bool repeated; /* nothing was written: the set already contains this run */
};

/* Commits changes to the database; main.c passes the implementation in. One caller at a time. */
struct measurement_writer {
    /* Returns false with *err if nothing was changed: ERR_NOT_FOUND, ERR_CONFLICT, ERR_FORBIDDEN if
     * the set belongs to another writer, or ERR_DATABASE. May take seconds. */
    bool (*write)(void *context, const struct measurement_order *order,
                  struct measurement_written *written, struct err *err);
    void *context;
};

#endif
