#include "store/db_writer.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "store/db.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* For this long after a failed connection attempt, writes fail immediately: otherwise each one in a
 * queue would wait for the timeout. */
static const double PAUSE_SECONDS = 1;

struct db_writer {
    const char *conninfo;
    PGconn *conn;
    double failed_at; /* time of the last failed connection attempt, clock_monotonic() */
    char why[400];    /* why it failed */
};

struct db_writer *db_writer_new(const char *conninfo)
{
    struct db_writer *writer = mem_alloc(sizeof(*writer));

    writer->conninfo = conninfo;
    writer->failed_at = -PAUSE_SECONDS;
    return writer;
}

static void disconnect(struct db_writer *writer)
{
    PQfinish(writer->conn);
    writer->conn = NULL;
}

void db_writer_free(struct db_writer *writer)
{
    if (writer)
        disconnect(writer);
    free(writer);
}

PGconn *db_writer_conn(const struct db_writer *writer)
{
    return writer->conn;
}

bool db_writer_connect(struct db_writer *writer, struct err *err)
{
    struct err why = {0};

    if (clock_monotonic() - writer->failed_at >= PAUSE_SECONDS) {
        if (db_open_primary(writer->conninfo, &writer->conn, &why) &&
            db_become_writer(writer->conn, &why))
            return true;
        disconnect(writer);
        writer->failed_at = clock_monotonic();
        snprintf(writer->why, sizeof(writer->why), "%s", why.text);
    }
    return err_set(err, ERR_DATABASE, "%s", writer->why);
}

bool db_writer_drop(struct db_writer *writer)
{
    bool spent = db_lost(writer->conn) || db_read_only(writer->conn);

    if (spent)
        disconnect(writer);
    return spent;
}

void db_values_text(struct db_values *values, const char *text)
{
    assert(values->n < DB_VALUES_MAX);
    values->at[values->n++] = text_given(text);
}

void db_values_number(struct db_values *values, double number)
{
    assert(values->n < DB_VALUES_MAX);
    char *text = values->text[values->n];

    snprintf(text, DB_NUMBER_SIZE, "%.15g", number);
    db_values_text(values, isnan(number) ? NULL : text);
}

void db_values_day(struct db_values *values, day date)
{
    assert(values->n < DB_VALUES_MAX);
    char *text = values->text[values->n];

    if (date)
        text_print_day(date, text);
    db_values_text(values, date ? text : NULL);
}
