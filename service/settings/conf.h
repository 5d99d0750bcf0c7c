/* conf.h - settings from the environment; the database's own are libpq's (PG*), or DATABASE_URL. */
#ifndef SETTINGS_CONF_H
#define SETTINGS_CONF_H

#include "base/err.h"
#include "base/log.h"

struct conf {
#define OPTION(member, variable, fallback, sentence) const char *member;
#include "settings/conf.def"
#undef OPTION
    unsigned n_workers, n_compute; /* threads; 0 has been resolved */
    unsigned n_connections;
    unsigned n_client_connections;
    double reload_s, spread_s, drain_s, client_s, calculation_s;
    double rate; /* requests/s per client */
    size_t answers_bytes, archive_bytes;
    enum log_level level;
    const char *database; /* a connection string; "" uses the PG* variables */
};

/* Read and check the environment; false with a culprit for each invalid variable, and for each
 * GPUPLAN_ variable that looks like a misspelt one. */
bool conf_read(struct conf *conf, struct err *err) MUST_CHECK;

/* Store the directory of the page's files in `to`: the configured one, else the first existing
 * default (below the working directory, next to the program); false if there is none. */
bool conf_find_static(const struct conf *conf, char *to, size_t size) MUST_CHECK;

/* Print the settings with defaults and meaning, or their current values, to standard output; never
 * the database password. */
void conf_print_help(void);
void conf_print(const struct conf *conf);

#endif
