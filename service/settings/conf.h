/* conf.h - the settings, from the environment; the database's own are libpq's (PG*), or
 * DATABASE_URL. */
#ifndef SETTINGS_CONF_H
#define SETTINGS_CONF_H

#include "base/err.h"
#include "base/log.h"

struct conf {
#define OPTION(member, variable, fallback, sentence) const char *member;
#include "settings/conf.def"
#undef OPTION
    unsigned n_workers, n_compute; /* threads, with 0 resolved */
    unsigned n_connections;
    unsigned n_client_connections;
    double reload_s, spread_s, drain_s, client_s, calculation_s;
    double rate; /* requests/s of a client */
    size_t answers_bytes, archive_bytes;
    enum log_level level;
    const char *database; /* a connection string, "" leaves it to PG* */
};

/* Read and check the environment; false with a culprit for each variable that makes no sense, and
 * for each GPUPLAN_ one we do not know but nearly. */
bool conf_read(struct conf *conf, struct err *err) MUST_CHECK;

/* The directory of the page's files into `to`: the configured one, else the first that exists of
 * the defaults (below the working directory, next to the program); false if there is none. */
bool conf_find_static(const struct conf *conf, char *to, size_t size) MUST_CHECK;

/* Print the settings with their defaults and meaning, or as they are set, to standard output;
 * never the database's password. */
void conf_print_help(void);
void conf_print(const struct conf *conf);

#endif
