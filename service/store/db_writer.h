/* db_writer.h - the connection for everything the daemon writes: opened on first use, replaced when
 * lost. Used from one thread at a time. */
#ifndef STORE_DB_WRITER_H
#define STORE_DB_WRITER_H

#include "base/err.h"
#include "catalog/offer.h"

struct db_writer;
struct pg_conn; /* libpq's PGconn */

/* conninfo as for db_open(); it must outlive the writer. */
struct db_writer *db_writer_new(const char *conninfo);
void db_writer_free(struct db_writer *writer); /* NULL is allowed */

/* The current connection, or NULL. */
struct pg_conn *db_writer_conn(const struct db_writer *writer);
/* Connect as gpuplan_writer; on failure *err says why. */
bool db_writer_connect(struct db_writer *writer, struct err *err) MUST_CHECK;
/* Disconnect if a new connection is needed, to this server or to the one that replaced it. Returns
 * whether it did. */
bool db_writer_drop(struct db_writer *writer);

enum { DB_VALUES_MAX = 48, DB_NUMBER_SIZE = 32 };

/* The values of a statement as text; NULL means null. */
struct db_values {
    int n;
    const char *at[DB_VALUES_MAX];
    char text[DB_VALUES_MAX][DB_NUMBER_SIZE];
};

/* Add a value; empty texts, NAN and day 0 become null. Texts are borrowed. */
void db_values_text(struct db_values *values, const char *text);
void db_values_number(struct db_values *values, double number);
void db_values_day(struct db_values *values, day date);

#endif
