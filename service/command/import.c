#include "command/import.h"

#include "base/clock.h"
#include "base/text.h"
#include "settings/exit.h"
#include "feed/formats.h"
#include "command/import_files.h"
#include "command/import_model.h"
#include "command/import_report.h"
#include "json/body.h"
#include "store/import.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: gpuplan import [OPTION...] FILE-OR-FOLDER...\n"
    "       gpuplan import --list [--json] | --undo RUN | --columns FORMAT\n"
    "\n"
    "Brings price feeds, quotes, exchange rates, GPUs and models into the catalogue. Each file is "
    "a\n"
    "run: a transaction of its own that --undo takes back. A file that is in already is left "
    "alone.\n"
    "\n"
    "  --format NAME    what the files are; else the header says (see below)\n"
    "  --provider SLUG  whose prices they hold; else dates.csv, the folder or the name says\n"
    "  --observed DAY   yyyy-mm-dd, for rows without a day; else dates.csv, name or folder says\n"
    "  --dry-run        do everything but keep it\n"
    "  --strict         all or nothing: one refused row, and nothing of any file is taken\n"
    "  --report FILE    write every refused row as CSV: file, line, reason, text\n"
    "  --json           the counts at the end as JSON\n"
    "  --list           the runs so far\n"
    "  --undo RUN       take back what a run changed\n"
    "  --columns NAME   the columns of a format, as CSV\n"
    "\n"
    "A dates.csv (columns file, as_of, cloud) in a file's folder or one above says its day and\n"
    "provider. The database is DATABASE_URL or libpq's PG* variables.\n"
    "\n"
    "formats:\n";

struct options {
    const char *format, *provider, *observed, *report, *undo, *columns;
    bool dry_run, strict, json, list, help;
};

/* All that an import needs. */
struct job {
    struct options options;
    struct import *store;
    struct import_report report;
    bool failed;    /* a file named on the command line is of no use */
    bool refused;   /* some row is */
    bool useful;    /* some row says what is or becomes known */
    bool gpus_came; /* with the last file */
};

/* One file of it. */
struct work {
    struct job *job;
    struct import_bytes bytes;
    struct import_origin origin;
    const struct feed_format *format; /* NULL: a config.json */
    struct import_outcome outcome;
    bool useless; /* every row that matters is refused */
};

static int complain(const struct err *err)
{
    fprintf(stderr, "gpuplan import: %s\n", err->text);
    switch (err->code) {
    case ERR_INVALID:
        return EXIT_USAGE;
    case ERR_INTERNAL:
        return EXIT_BUG;
    default:
        return EXIT_UNAVAILABLE;
    }
}

static bool take_row(void *context, size_t line, const char *const *values)
{
    struct work *work = context;

    report_row(&work->job->report);
    return import_row(work->job->store, line, values);
}

static void refuse_row(void *context, const struct feed_refusal *refusal)
{
    struct work *work = context;

    report_refusal(&work->job->report, work->origin.provider, refusal);
}

/* The text of a line, looked for from where the last one was. */
static void find_line(const struct import_bytes *bytes, size_t wanted, size_t *line,
                      const char **from, size_t *length)
{
    const char *end = bytes->at + bytes->n, *lf;

    for (; *line < wanted && (lf = memchr(*from, '\n', (size_t)(end - *from))) != NULL; ++*line)
        *from = lf + 1;
    lf = memchr(*from, '\n', (size_t)(end - *from));
    *length = (size_t)((lf ? lf : end) - *from);
}

/* Rows of one thing that say two things are refused, each naming the other. */
static bool refuse_contradictions(struct work *work, struct feed_counts *feed, struct err *err)
{
    struct import_contradiction *found;
    const char *from = work->bytes.at;
    size_t n, line = 1;
    char why[128];

    report_phase(&work->job->report, "read, bringing them in");
    if (!import_check(work->job->store, &found, &n, err))
        return false;
    for (size_t i = 0; i < n; i++) {
        struct feed_refusal refusal = {.line = found[i].line, .why = why};
        snprintf(why, sizeof(why), "line %zu says something else of the same thing",
                 found[i].other);
        find_line(&work->bytes, found[i].line, &line, &from, &refusal.length);
        refusal.text = from;
        refuse_row(work, &refusal);
    }
    free(found);
    feed->good -= n;
    feed->refused += n;
    return true;
}

static bool read_model(struct work *work, struct feed_counts *feed)
{
    struct arena arena = {0};
    const char *const *values;
    struct err err = {0};

    feed->read = 1;
    feed->good = import_model_read(&work->bytes, work->outcome.file, work->origin.observed, &arena,
                                   &values, &err) &&
                 take_row(work, 1, values);
    feed->refused = 1 - feed->good;
    if (!feed->good)
        refuse_row(work, &(struct feed_refusal){.line = 1, .text = "", .why = err.text});
    arena_free(&arena);
    return true;
}

static bool read_rows(struct work *work, struct feed_counts *feed, struct err *err)
{
    struct feed_input input = {
        .bytes = work->bytes.at,
        .n = work->bytes.n,
        .provider = work->origin.provider,
        .observed = work->origin.observed,
        .source = work->outcome.file,
        .known = import_known(work->job->store),
    };
    struct feed_sink sink = {work, take_row, refuse_row};

    return work->format ? feed_read(work->format, &input, &sink, feed, err)
                        : read_model(work, feed);
}

/* Everything between begin and commit. */
static bool fill(struct work *work, struct err *err)
{
    struct import_outcome *outcome = &work->outcome;
    struct feed_counts feed = {0};
    size_t changed = 0;

    if (!read_rows(work, &feed, err))
        return err->text[0] ? false : err_set(err, ERR_DATABASE, "the database takes no more rows");
    if (!refuse_contradictions(work, &feed, err) || !import_take(work->job->store, &changed, err))
        return false;
    outcome->no_gpu = feed.no_gpu;
    outcome->no_price = feed.no_price;
    outcome->counts = (struct import_counts){
        .taken = changed,
        .unchanged = feed.good - changed,
        .passed = feed.no_gpu + feed.no_price,
        .refused = feed.refused,
    };
    work->job->refused |= feed.refused > 0;
    work->job->useful |= feed.good > 0;
    work->useless = feed.refused && !feed.good;
    work->job->gpus_came = work->format == &feed_gpus && changed;
    return import_finish(work->job->store, &outcome->counts, &outcome->run, err);
}

static bool run_file(struct work *work, struct err *err)
{
    struct import_outcome *outcome = &work->outcome;
    struct import *store = work->job->store;
    const struct options *options = &work->job->options;
    struct import_file file = {outcome->format, outcome->file, work->bytes.sha256,
                               outcome->provider, outcome->observed};
    struct import_earlier earlier;
    bool keeps = !options->dry_run;

    if (!options->strict && !import_begin(store, err))
        return false;
    if (!import_start(store, &file, work->format ? work->format->table : import_model_table(),
                      &earlier, err))
        return false;
    if (earlier.whole) {
        outcome->note = "is in the catalogue already, nothing to do";
    } else if (!fill(work, err)) {
        return false;
    } else if (earlier.run && !outcome->counts.taken && !options->strict) {
        outcome->note = "what can be taken is in the catalogue already";
        keeps = false;
    }
    if (earlier.whole || !keeps)
        outcome->run = earlier.run;
    if (options->strict)
        return true;
    return keeps ? import_commit(store, err) : import_rollback(store, err);
}

/* What the file is, of which day and provider: as the options say, else as it looks. */
static bool understand(struct work *work, struct err *err)
{
    const struct options *options = &work->job->options;
    struct import_origin *origin = &work->origin;
    bool json = work->bytes.n && work->bytes.at[0] == '{';

    import_origin(work->outcome.file, import_known(work->job->store), origin);
    if (options->provider)
        snprintf(origin->provider, sizeof(origin->provider), "%s", options->provider);
    if (options->observed)
        snprintf(origin->observed, sizeof(origin->observed), "%s", options->observed);
    if (options->format)
        work->format = feed_format_find(options->format);
    else if (!json)
        work->format = feed_format_guess(work->bytes.at, work->bytes.n, err);
    if (!work->format && !json && !options->format)
        return false;
    work->outcome.format = work->format ? work->format->name : "models";
    work->outcome.provider = origin->provider;
    work->outcome.observed = origin->observed;
    /* Rows of other people's formats give neither. */
    bool foreign = !work->format || work->format->open;
    if (foreign && !origin->observed[0])
        return err_set(
            err, ERR_INVALID,
            "does not say of which day it is: give --observed yyyy-mm-dd, or a dates.csv "
            "beside it");
    if (work->format && foreign && !origin->provider[0])
        return err_set(err, ERR_INVALID, "does not say whose prices it holds: give --provider");
    if (origin->provider[0] &&
        !feed_known_provider(import_known(work->job->store), origin->provider))
        return err_set(err, ERR_INVALID,
                       "is of provider \"%s\", which the catalogue does not have; if it is a new "
                       "one, add it: insert into provider (slug, name, kind) values ('%s', 'Its "
                       "Name', 'cloud')",
                       origin->provider, origin->provider);
    return true;
}

static void keep(struct work *work)
{
    struct arena *arena = &work->job->report.arena;

    work->outcome.provider = arena_text(arena, work->origin.provider);
    work->outcome.observed = arena_text(arena, work->origin.observed);
    work->outcome.format = work->outcome.format ? work->outcome.format : "not read";
    report_end(&work->job->report, &work->outcome);
}

/* An unusable file is skipped; with --strict it aborts the import. */
static bool pass_over(struct work *work, const struct import_path *path, bool begun,
                      struct err *err)
{
    struct job *job = work->job;

    fprintf(stderr, "%s: %s\n", path->path, err->text);
    work->outcome.note = arena_text(&job->report.arena, err->text);
    job->failed |= path->named || (begun && job->options.strict);
    return !begun || job->options.strict || import_rollback(job->store, err);
}

static bool import_one(struct job *job, const struct import_path *path, struct err *err)
{
    struct work work = {.job = job, .outcome = {.file = path->path}};

    report_begin(&job->report, path->path);
    if (job->gpus_came && !import_learn(job->store, err))
        return false;
    job->gpus_came = false;
    if (!import_map(path->path, &work.bytes, err))
        return false;
    bool understood = understand(&work, err);
    bool done = understood && run_file(&work, err);
    if (!done && err->code == ERR_INVALID)
        done = pass_over(&work, path, understood, err);
    job->failed |= path->named && work.useless;
    keep(&work);
    import_unmap(&work.bytes);
    return done;
}

static bool import_all(struct job *job, const struct import_paths *paths, struct err *err)
{
    bool strict = job->options.strict;

    if (strict && !import_begin(job->store, err))
        return false;
    for (size_t i = 0; i < paths->n && !(strict && job->failed); i++) {
        *err = (struct err){0};
        if (!import_one(job, &paths->at[i], err))
            return false;
    }
    if (!strict)
        return true;
    return job->options.dry_run || job->refused || job->failed ? import_rollback(job->store, err)
                                                               : import_commit(job->store, err);
}

static bool open_report(struct job *job, struct err *err)
{
    const char *path = job->options.report;

    if (!path)
        return true;
    job->report.refused = fopen(path, "w");
    if (!job->report.refused)
        return err_set(err, ERR_INVALID, "cannot write %s", path);
    fputs("file,line,reason,text\n", job->report.refused);
    return true;
}

static bool close_report(struct job *job, struct err *err)
{
    return !job->report.refused || fclose(job->report.refused) == 0 ||
           err_set(err, ERR_INVALID, "cannot write all of %s", job->options.report);
}

static int import_files(struct job *job, int n, char **names)
{
    struct import_paths paths = {0};
    struct arena arena = {0};
    struct err err = {0};
    bool strict = job->options.strict, done = open_report(job, &err);

    for (int i = 0; done && i < n; i++)
        done = import_find(&paths, &arena, names[i], &err);
    done = done && import_all(job, &paths, &err);
    done = close_report(job, &err) && done;
    bool kept = done && !job->options.dry_run && !(strict && (job->refused || job->failed));
    const char *closing = kept    ? "kept"
                          : !done ? "ended by an error: what is not listed is not kept"
                          : job->options.dry_run ? "nothing kept (--dry-run)"
                                                 : "nothing kept (--strict)";
    report_print(&job->report, job->options.json, closing);
    arena_free(&arena);
    free(paths.at);
    if (!done)
        return complain(&err);
    bool in_vain = job->refused && (strict || !job->useful);
    return job->failed || in_vain ? EXIT_USAGE : EXIT_OK;
}

static int undo(struct job *job)
{
    struct err err = {0};
    double run;
    size_t rows;

    if (!text_number(job->options.undo, &run) || run < 1 || run > 9e15)
        err_set(&err, ERR_INVALID, "\"%s\" is no number of a run; see --list", job->options.undo);
    else if (import_undo(job->store, (int64_t)run, &rows, &err)) {
        printf("run %s is undone: %zu rows\n", job->options.undo, rows);
        return EXIT_OK;
    }
    return complain(&err);
}

static int list(struct job *job)
{
    struct arena arena = {0};
    struct import_run *runs;
    struct err err = {0};
    size_t n;

    if (!import_list(job->store, &arena, &runs, &n, &err))
        return complain(&err);
    report_runs(runs, n, job->options.json);
    arena_free(&arena);
    return EXIT_OK;
}

static int with_database(const struct conf *conf, struct job *job, int n, char **names)
{
    struct err err = {0};
    int code;

    job->store = import_open(conf->database, &err);
    if (!job->store)
        return complain(&err);
    if (job->options.undo)
        code = undo(job);
    else
        code = job->options.list ? list(job) : import_files(job, n, names);
    import_close(job->store);
    return code;
}

static int print_usage(void)
{
    fputs(usage, stdout);
    for (size_t i = 0; feed_formats[i]; i++)
        printf("  %-16s %s\n", feed_formats[i]->name, feed_formats[i]->sentence);
    printf("  %-16s %s\n", "models", "a Hugging Face config.json, named after its model");
    return EXIT_OK;
}

static bool read_options(struct options *options, int argc, char **argv)
{
    static const struct option names[] = {
        {"format", required_argument, NULL, 'f'},   {"provider", required_argument, NULL, 'p'},
        {"observed", required_argument, NULL, 'o'}, {"report", required_argument, NULL, 'r'},
        {"undo", required_argument, NULL, 'u'},     {"columns", required_argument, NULL, 'c'},
        {"dry-run", no_argument, NULL, 'd'},        {"strict", no_argument, NULL, 's'},
        {"json", no_argument, NULL, 'j'},           {"list", no_argument, NULL, 'l'},
        {"help", no_argument, NULL, 'h'},           {NULL, 0, NULL, 0},
    };
    const char **const values[] = {&options->format, &options->provider, &options->observed,
                                   &options->report, &options->undo,     &options->columns};
    bool *const flags[] = {&options->dry_run, &options->strict, &options->json, &options->list,
                           &options->help};

    for (int got, i; (got = getopt_long(argc, argv, "", names, &i)) != -1;) {
        if (got == '?')
            return false;
        if (names[i].has_arg)
            *values[i] = optarg;
        else
            *flags[(size_t)i - sizeof(values) / sizeof(values[0])] = true;
    }
    return true;
}

static bool check_options(const struct options *options, int n_files, struct err *err)
{
    int32_t day;

    if (options->format && strcmp(options->format, "models") != 0 &&
        !feed_format_find(options->format))
        return err_set(err, ERR_INVALID, "there is no format \"%s\"; see --help", options->format);
    if (options->observed && !text_day(options->observed, &day))
        return err_set(err, ERR_INVALID, "--observed is a day as 2026-08-01, not \"%s\"",
                       options->observed);
    if ((options->list || options->undo) != (n_files == 0))
        return err_set(err, ERR_INVALID, "name files or folders, or --list, or --undo; see --help");
    return true;
}

int import_command(int argc, char **argv, const struct conf *conf)
{
    struct job job = {0};
    struct err err = {0};

    json_init();
    if (!read_options(&job.options, argc, argv))
        return EXIT_USAGE;
    if (job.options.help)
        return print_usage();
    if (job.options.columns)
        return report_columns(job.options.columns);
    if (!check_options(&job.options, argc - optind, &err))
        return complain(&err);
    return with_database(conf, &job, argc - optind, argv + optind);
}
