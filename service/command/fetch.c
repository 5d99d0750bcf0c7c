#include "command/fetch.h"

#include "base/clock.h"
#include "base/text.h"
#include "command/command_line.h"
#include "command/fetch_source.h"
#include "command/import_run.h"
#include "json/body.h"
#include "settings/exit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: gpuplan fetch [OPTION...] [SOURCE...]\n"
    "\n"
    "Updates public price lists, exchange rates and prices of hosted models: the sources named,\n"
    "or those that are enabled and due. Each is downloaded whole and imported as a run of its\n"
    "own, which gpuplan import --undo can undo; one that fails changes neither the catalogue\n"
    "nor the others. Needs curl(1), which honours HTTPS_PROXY.\n"
    "\n"
    "  --list           list the sources: enabled or not, last run, error, licence, address\n"
    "  --dry-run        do everything, then roll back\n"
    "  --new-providers  accept offers of providers that are not in the catalogue\n"
    "  --anew           also import what has not changed since the last import\n"
    "  --mirror PLACE   a folder, or an http or https address, with each file under its host\n"
    "                   and path, as wget --mirror stores it\n"
    "  --seconds N      time limit for one file (600)\n"
    "  --megabytes N    size limit for one source (400)\n"
    "  --report FILE    write every refused row as CSV: file, line, reason, text\n"
    "  --json           print what was done as JSON\n"
    "\n"
    "Enable a source: update feed_source set enabled = true where name = 'ecb'\n"
    "The database is DATABASE_URL or libpq's PG* variables.\n";

/* Azure returns a thousand rows per page, and has tens of thousands of machines with GPUs. */
enum { PAGES_MAX = 200 };

struct command {
    const char *mirror, *seconds, *megabytes, *report;
    bool list, anew, json, help;
    struct import_job job;
    struct fetch_limits limits;
    struct arena arena;
    size_t failed;
};

static int complain(const struct err *err)
{
    return command_line_complain("fetch", err);
}

/* Report a source that yielded no file. */
static void report_nothing(struct command *command, const struct import_source *source,
                           const char *why)
{
    struct import_report *report = &command->job.report;
    struct import_outcome outcome = {
        .file = arena_text(&report->arena, source->url),
        .format = source->format,
        .provider = source->provider,
        .observed = "",
        .note = arena_text(&report->arena, why),
    };

    import_report_begin(report, outcome.file);
    import_report_end(report, &outcome);
}

/* Why the download was unusable; NULL if it was usable. */
static const char *find_fault(struct command *command)
{
    const struct import_report *report = &command->job.report;
    const struct import_outcome *outcome = &report->outcomes[report->n_outcomes - 1];

    if (!command->job.failed)
        return NULL;
    if (outcome->note)
        return outcome->note;
    return arena_print(&command->arena, "none of its %zu rows that matter can be taken",
                       outcome->counts.refused);
}

static bool import_fetched(struct command *command, const struct import_source *source,
                           const struct fetched *fetched, const char **fault, struct err *err)
{
    char today[11];

    text_print_day(clock_today(), today);
    struct import_path path = {
        .path = arena_print(&command->arena, "/proc/self/fd/%d", fetched->fd),
        .named = true,
        .address = fetched->address,
        .feed_source = source->name,
        .format = source->format,
        .provider = source->provider[0] ? source->provider : NULL,
        .observed = arena_text(&command->arena, today),
    };
    command->job.failed = false;
    bool done = import_one(&command->job, &path, err);
    *fault = done ? find_fault(command) : NULL;
    return done;
}

/* Returns false if the command cannot continue. */
static bool fetch_one(struct command *command, const struct import_source *source, struct err *err)
{
    struct fetched fetched = {0};
    struct err own = {0};
    const char *fault = NULL;

    bool got = fetch_source(source, &command->limits, &command->arena, &fetched, &own);
    if (!got) {
        fault = own.text;
        report_nothing(command, source, own.text);
    } else if (fetched.unchanged) {
        report_nothing(command, source, "has not changed since it was imported");
    } else {
        bool done = import_fetched(command, source, &fetched, &fault, err);
        close(fetched.fd);
        if (!done)
            return false;
    }
    command->failed += fault != NULL;
    if (fault)
        fprintf(stderr, "%s: %s\n", source->name, fault);
    if (command->job.options.dry_run)
        return true;
    const char *etag = fetched.unchanged ? source->etag : fetched.etag;
    return import_source_done(command->job.store, source->name, etag, fault, err);
}

static const struct import_source *find_source(const struct import_source *sources, size_t n,
                                               const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(sources[i].name, name) == 0)
            return &sources[i];
    return NULL;
}

static bool fetch_named(struct command *command, const struct import_source *sources, size_t n,
                        char **names, struct err *err)
{
    for (char **name = names; *name; name++)
        if (!find_source(sources, n, *name))
            return err_set(err, ERR_INVALID, "there is no source \"%s\"; see --list", *name);
    for (char **name = names; *name; name++) {
        const struct import_source *source = find_source(sources, n, *name);
        if (source && !fetch_one(command, source, err))
            return false;
    }
    return true;
}

static bool fetch_due(struct command *command, const struct import_source *sources, size_t n,
                      struct err *err)
{
    size_t enabled = 0;

    for (size_t i = 0; i < n; i++) {
        enabled += sources[i].enabled[0] == 't';
        if (sources[i].enabled[0] == 't' && (sources[i].due[0] == 't' || command->limits.anew) &&
            !fetch_one(command, &sources[i], err))
            return false;
    }
    if (!enabled)
        fputs("no source is switched on; gpuplan fetch --help says how\n", stderr);
    return true;
}

static void list_sources(const struct import_source *sources, size_t n)
{
    printf("%-20s %-3s %5s %-20s %-16s  %s\n", "source", "on", "hours", "last", "format",
           "licence; address; what went wrong last");
    for (size_t i = 0; i < n; i++) {
        const struct import_source *source = &sources[i];
        printf("%-20s %-3s %5s %-20s %-16s  %s; %s%s%s\n", source->name,
               source->enabled[0] == 't' ? "yes" : "no", source->interval_hours,
               source->last_success[0] ? source->last_success : "never", source->format,
               source->licence, source->url, source->last_error[0] ? "; " : "", source->last_error);
    }
}

static int run(struct command *command, char **names)
{
    struct import_report *report = &command->job.report;
    struct import_source *sources;
    struct err err = {0};
    size_t n;

    if (!import_sources(command->job.store, &command->arena, &sources, &n, &err))
        return complain(&err);
    if (command->list) {
        list_sources(sources, n);
        return EXIT_OK;
    }
    bool done = import_report_open(report, command->report, &err) &&
                (*names ? fetch_named(command, sources, n, names, &err)
                        : fetch_due(command, sources, n, &err));
    done = import_report_close(report, &err) && done;
    import_report_print(report, command->json,
                        !done                          ? "stopped by an error"
                        : command->job.options.dry_run ? "nothing kept (--dry-run)"
                                                       : "kept");
    if (!done)
        return complain(&err);
    return command->failed ? EXIT_UNAVAILABLE : EXIT_OK;
}

static bool read_options(struct command *command, int argc, char **argv)
{
    static const struct option names[] = {
        {"mirror", required_argument, NULL, 'm'},
        {"seconds", required_argument, NULL, 's'},
        {"megabytes", required_argument, NULL, 'b'},
        {"report", required_argument, NULL, 'r'},
        {"list", no_argument, NULL, 'l'},
        {"dry-run", no_argument, NULL, 'd'},
        {"new-providers", no_argument, NULL, 'n'},
        {"anew", no_argument, NULL, 'a'},
        {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    const char **const values[] = {&command->mirror, &command->seconds, &command->megabytes,
                                   &command->report};
    bool *const flags[] = {&command->list,
                           &command->job.options.dry_run,
                           &command->job.options.new_providers,
                           &command->anew,
                           &command->json,
                           &command->help};

    return command_line_read(argc, argv, names, values, flags);
}

static bool set_limits(struct command *command, struct err *err)
{
    double seconds, megabytes;

    if (!text_number(command->seconds, &seconds) || !(seconds >= 1 && seconds <= 86400))
        return err_set(err, ERR_INVALID, "--seconds is a number from 1 to 86400");
    if (!text_number(command->megabytes, &megabytes) || !(megabytes >= 0.001 && megabytes <= 1e4))
        return err_set(err, ERR_INVALID, "--megabytes is a number from 0.001 to 10000");
    command->limits = (struct fetch_limits){
        .mirror = command->mirror,
        .seconds = command->seconds,
        .bytes_max = (size_t)(megabytes * 1e6),
        .pages_max = PAGES_MAX,
        .anew = command->anew,
    };
    return true;
}

int fetch_command(int argc, char **argv, const struct conf *conf)
{
    struct command command = {.seconds = "600", .megabytes = "400"};
    struct err err = {0};

    json_init();
    if (!read_options(&command, argc, argv))
        return EXIT_USAGE;
    if (command.help) {
        fputs(usage, stdout);
        return EXIT_OK;
    }
    if (!set_limits(&command, &err))
        return complain(&err);
    command.job.store = import_open(conf->database, &err);
    if (!command.job.store)
        return complain(&err);
    int code = run(&command, argv + optind);
    import_close(command.job.store);
    arena_free(&command.arena);
    return code;
}
