/* cluster.h - a throw-away PostgreSQL for a test program. */
#ifndef TESTS_CLUSTER_H
#define TESTS_CLUSTER_H

#include "store/db.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Start over inside a cluster of our own, unless that has happened. */
static inline void enter_cluster(char *self)
{
    if (getenv("UNIT_TEST_CLUSTER"))
        return;
    char script[] = "sql/private.sh", tmp[] = "tmp", dashes[] = "--";
    char *argv[] = {script, tmp, dashes, self, NULL};
    setenv("UNIT_TEST_CLUSTER", "1", 1);
    unsetenv("DATABASE_URL");
    execv(script, argv);
    puts("1..0 # SKIP no PostgreSQL server here");
    exit(0);
}

static inline PGconn *connected(void)
{
    struct err err = {0};
    PGconn *conn;

    if (!db_open("", &conn, &err)) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    return conn;
}

/* Run SQL that must succeed. */
static inline void must(PGconn *conn, const char *sql)
{
    PGresult *result = PQexec(conn, sql);

    if (PQresultStatus(result) != PGRES_COMMAND_OK && PQresultStatus(result) != PGRES_TUPLES_OK) {
        printf("Bail out! %s: %s\n", sql, PQerrorMessage(conn));
        exit(1);
    }
    PQclear(result);
}

#endif
