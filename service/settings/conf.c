#include "settings/conf.h"

#include "base/spelling.h"
#include "base/text.h"

#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Each option's variable, default and sentence. */
static const char *const options[][3] = {
#define OPTION(member, variable, fallback, sentence) {variable, fallback, sentence},
#include "settings/conf.def"
#undef OPTION
};
enum { THREADS_MAX = 256 }; /* per pool */
enum { N_OPTIONS = sizeof(options) / sizeof(options[0]) };

static const char *setting(const char *variable, const char *fallback)
{
    const char *value = getenv(variable);

    return value && value[0] ? value : fallback;
}

static double read_number(const char *variable, const char *text, double least, double most,
                          struct err *err)
{
    double number;

    if (text_number(text, &number) && number >= least && number <= most)
        return number;
    err_add_range(err, variable, text, least, most, "must be a number from %g to %g, is %s", least,
                  most, text);
    return least;
}

static unsigned read_count(const char *variable, const char *text, double least, double most,
                           struct err *err)
{
    double number = read_number(variable, text, least, most, err);

    if (number != floor(number))
        err_add(err, variable, text, "not_whole", "must be a whole number, is %s", text);
    return (unsigned)number;
}

static enum log_level read_level(const char *text, struct err *err)
{
    static const char *const names[] = {"error", "warn", "info", "debug"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], text) == 0)
            return (enum log_level)(LOG_ERROR + (int)i);
    err_add(err, "GPUPLAN_LOG_LEVEL", text, "unknown_word",
            "must be error, warn, info or debug, is %s", text);
    return LOG_INFO;
}

/* Refuse an unknown variable whose name is close to one of ours: a misspelt setting would be
 * ignored silently. */
static void check_name(const char *entry, struct err *err)
{
    static const char prefix[] = "GPUPLAN_";
    size_t skip = sizeof(prefix) - 1, length = strcspn(entry, "=");
    char name[64];

    if (strncmp(entry, prefix, skip) != 0 || length >= sizeof(name))
        return;
    snprintf(name, sizeof(name), "%.*s", (int)length, entry);
    struct spelling near = spelling_of(name + skip);
    for (size_t i = 0; i < N_OPTIONS; i++)
        spelling_try(&near, options[i][0] + skip);
    const char *meant = spelling_meant(&near);
    if (near.distance > 0 && meant)
        err_add(err, name, "", "unknown_setting", "no such setting; did you mean %s%s?", prefix,
                meant);
}

/* Number of cores this process may use. */
static unsigned count_cores(void)
{
    cpu_set_t cores;

    if (sched_getaffinity(0, sizeof(cores), &cores) != 0 || CPU_COUNT(&cores) < 1)
        return 1;
    return (unsigned)CPU_COUNT(&cores);
}

bool conf_read(struct conf *conf, struct err *err)
{
    *conf = (struct conf){
#define OPTION(member, variable, fallback, sentence) .member = setting(variable, fallback),
#include "settings/conf.def"
#undef OPTION
        .database = setting("DATABASE_URL", ""),
    };
    for (char **entry = environ; *entry; entry++)
        check_name(*entry, err);
    conf->n_workers = read_count("GPUPLAN_WORKERS", conf->workers, 0, THREADS_MAX, err);
    conf->n_compute =
        read_count("GPUPLAN_COMPUTE_THREADS", conf->compute_threads, 0, THREADS_MAX, err);
    conf->n_connections = read_count("GPUPLAN_CONNECTIONS", conf->connections, 1, 1e6, err);
    conf->reload_s = read_number("GPUPLAN_RELOAD_SECONDS", conf->reload_seconds, 0, 86400, err);
    conf->spread_s = read_number("GPUPLAN_SPREAD_SECONDS", conf->spread_seconds, 0, 3600, err);
    conf->drain_s = read_number("GPUPLAN_DRAIN_SECONDS", conf->drain_seconds, 0, 3600, err);
    conf->n_client_connections =
        read_count("GPUPLAN_CLIENT_CONNECTIONS", conf->client_connections, 0, 1e6, err);
    conf->client_s = read_number("GPUPLAN_CLIENT_SECONDS", conf->client_seconds, 1, 3600, err);
    conf->calculation_s = read_number("GPUPLAN_CALCULATION_SECONDS_MAX",
                                      conf->calculation_seconds_max, 0.01, 86400, err);
    conf->rate = read_number("GPUPLAN_RATE_LIMIT", conf->rate_limit, 0, 1e6, err);
    conf->answers_bytes =
        (size_t)read_count("GPUPLAN_ANSWERS_MIB", conf->answers_mib, 1, 65536, err) << 20;
    conf->archive_bytes =
        (size_t)read_count("GPUPLAN_ARCHIVE_MIB", conf->archive_mib, 0, 1 << 20, err) << 20;
    conf->level = read_level(conf->log_level, err);
    if (conf->n_workers == 0)
        conf->n_workers = count_cores();
    if (conf->n_compute == 0)
        conf->n_compute = count_cores();
    return err->n_culprits == 0;
}

static bool is_directory(const char *path)
{
    struct stat found;

    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

bool conf_find_static(const struct conf *conf, char *to, size_t size)
{
    static const char *const near[] = {"static", "../share/gpuplan/static"};
    char program[4096];

    snprintf(to, size, "%s", conf->static_dir[0] ? conf->static_dir : "static");
    if (conf->static_dir[0] || is_directory(to))
        return true;
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (!slash)
        return false;
    *slash = '\0';
    for (size_t i = 0; i < sizeof(near) / sizeof(near[0]); i++) {
        snprintf(to, size, "%s/%s", program, near[i]);
        if (is_directory(to))
            return true;
    }
    return false;
}

void conf_print_help(void)
{
    for (size_t i = 0; i < N_OPTIONS; i++)
        printf("  %-24s %s%s%s%s\n", options[i][0], options[i][2], options[i][1][0] ? " (" : "",
               options[i][1], options[i][1][0] ? ")" : "");
    puts("  DATABASE_URL             The database, as libpq reads it; else libpq's PG* variables");
}

void conf_print(const struct conf *conf)
{
#define OPTION(member, variable, fallback, sentence) printf("%s=%s\n", variable, conf->member);
#include "settings/conf.def"
#undef OPTION
    printf("DATABASE_URL=%s\n", conf->database[0] ? "(set, not shown)" : "");
}
