#include "command/import_run.h"

#include "command/import_model.h"
#include "feed/formats.h"
#include "feed/zip.h"
#include "store/import_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum unpacked size of an archive. */
static const size_t UNPACKED_MAX = (size_t)1 << 30;

/* The state of one file. */
struct work {
    struct import_job *job;
    const struct import_path *path;
    struct import_bytes bytes;
    struct import_origin origin;
    const struct feed_format *format; /* NULL for a config.json */
    const char *name;                 /* file name, without its location on this machine */
    const char *source; /* source for rows without one: a public address if there is one */
    struct import_outcome outcome;
    bool useless; /* all relevant rows are refused */
};

static bool take_row(void *context, size_t line, const char *const *values)
{
    struct work *work = context;

    import_report_row(&work->job->report);
    return import_row(work->job->store, line, values);
}

static void refuse_row(void *context, const struct feed_refusal *refusal)
{
    struct work *work = context;

    import_report_refusal(&work->job->report, work->origin.provider, refusal);
}

/* The text of a line, searched from the position of the last one. */
static void find_line(const struct import_bytes *bytes, size_t wanted, size_t *line,
                      const char **from, size_t *length)
{
    const char *end = bytes->at + bytes->n, *lf;

    for (; *line < wanted && (lf = memchr(*from, '\n', (size_t)(end - *from))) != NULL; ++*line)
        *from = lf + 1;
    lf = memchr(*from, '\n', (size_t)(end - *from));
    *length = (size_t)((lf ? lf : end) - *from);
}

/* Refuse rows with the same key and different values, each naming the other. */
static bool refuse_contradictions(struct work *work, struct feed_counts *feed, struct err *err)
{
    struct import_contradiction *found;
    const char *from = work->bytes.at;
    size_t n, line = 1;
    char why[128];

    import_report_phase(&work->job->report, "read, bringing them in");
    if (!import_check(work->job->store, &found, &n, err))
        return false;
    for (size_t i = 0; i < n; i++) {
        struct feed_refusal refusal = {.line = found[i].line, .why = why};
        snprintf(why, sizeof(why), "line %zu contradicts this", found[i].other);
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
    feed->good =
        import_model_read(&work->bytes, work->name, work->origin.observed, &arena, &values, &err) &&
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
        .source = work->source,
        .known = import_known(work->job->store),
        .new_providers = work->job->options.new_providers,
    };
    struct feed_sink sink = {work, take_row, refuse_row};

    return work->format ? feed_read(work->format, &input, &sink, feed, err)
                        : read_model(work, feed);
}

/* The work between begin and commit. */
static bool fill(struct work *work, struct err *err)
{
    struct import_outcome *outcome = &work->outcome;
    struct feed_counts feed = {0};
    size_t changed = 0;

    if (!read_rows(work, &feed, err))
        return err->text[0] ? false
                            : err_set(err, ERR_DATABASE,
                                      "the database accepts no more "
                                      "rows");
    if (!refuse_contradictions(work, &feed, err) ||
        !import_take(work->job->store, work->job->options.new_providers, &changed, err))
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
    const struct import_options *options = &work->job->options;
    struct import_file file = {outcome->format,
                               work->name,
                               work->bytes.sha256,
                               outcome->provider,
                               outcome->observed,
                               work->path->feed_source,
                               options->new_providers ? 0 : work->bytes.n};
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
        outcome->note = "all usable rows are in the catalogue already";
        keeps = false;
    }
    if (earlier.whole || !keeps)
        outcome->run = earlier.run;
    if (options->strict)
        return true;
    return keeps ? import_commit(store, err) : import_rollback(store, err);
}

/* Tells a model's config.json by its contents from a price list of that name. */
static bool is_model(const struct import_bytes *bytes)
{
    static const char *const words[] = {"\"model_type\"", "\"hidden_size\"", "\"architectures\""};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (memmem(bytes->at, bytes->n, words[i], strlen(words[i])))
            return true;
    return false;
}

static bool find_format(struct work *work, struct err *err)
{
    const char *wanted = work->path->format ? work->path->format : work->job->options.format;
    bool json = work->bytes.n && strchr("{[", work->bytes.at[0]);

    if (wanted) {
        work->format = feed_format_find(wanted);
        return work->format || strcmp(wanted, "models") == 0 ||
               err_set(err, ERR_INVALID, "has an unknown format \"%s\"", wanted);
    }
    work->format = feed_format_guess(work->bytes.at, work->bytes.n, err);
    if (!work->format && json && is_model(&work->bytes))
        *err = (struct err){0};
    return !err->text[0];
}

/* Folder and name only: the folder's location on this machine stays private. */
static void name_source(struct work *work)
{
    struct arena *arena = &work->job->report.arena;
    const char *path = work->path->path, *tail = path + strlen(path);
    const char *home = work->format ? work->format->home : NULL;

    for (int slashes = 0; tail > path && (slashes += tail[-1] == '/') < 2;)
        tail--;
    if (work->path->address)
        tail = work->path->address;
    work->name = arena_text(arena, tail);
    if (work->path->address || !home)
        work->source = work->name;
    else
        work->source = arena_print(arena, "%s#%s", home, work->name);
}

/* Convert the given name to our slug. */
static void take_provider(const struct work *work, const char *given, struct import_origin *origin)
{
    const char *slug = given ? feed_find_provider(import_known(work->job->store), given) : NULL;

    if (given)
        snprintf(origin->provider, sizeof(origin->provider), "%s", slug ? slug : given);
}

static bool refuse_origin(const struct work *work, struct err *err)
{
    const struct import_origin *origin = &work->origin;
    /* third-party formats contain neither */
    bool foreign = !work->format || work->format->open;
    bool dated = work->format && work->format->dated, many = work->format && work->format->many;

    if (foreign && !dated && !origin->observed[0])
        return err_set(
            err, ERR_INVALID,
            "does not state its day: give --observed yyyy-mm-dd, or a dates.csv next to it");
    if (work->format && foreign && !many && !origin->provider[0])
        return err_set(err, ERR_INVALID, "does not state its provider: give --provider");
    if (origin->provider[0] &&
        !feed_known_provider(import_known(work->job->store), origin->provider))
        return err_set(err, ERR_INVALID,
                       "has provider \"%s\", which is not in the catalogue; if it is a new one, "
                       "add it: insert into provider (slug, name, kind) values ('%s', 'Its "
                       "Name', 'cloud')",
                       origin->provider, origin->provider);
    return true;
}

/* Determine format, day and provider: from the options, else by inspection. */
static bool understand(struct work *work, struct err *err)
{
    const struct import_options *options = &work->job->options;
    const struct import_path *path = work->path;
    struct import_origin *origin = &work->origin;
    const char *place = path->address ? path->address : path->path;
    char member[ZIP_NAME_MAX];

    import_origin(place, import_known(work->job->store), origin);
    if (zip_is(work->bytes.at, work->bytes.n)) {
        if (!import_unpack(&work->bytes, UNPACKED_MAX, member, err))
            return false;
        if (!origin->provider[0])
            import_find_provider(member, import_known(work->job->store), origin->provider);
    }
    take_provider(work, options->provider, origin);
    take_provider(work, path->provider, origin);
    if (options->observed)
        snprintf(origin->observed, sizeof(origin->observed), "%s", options->observed);
    if (path->observed && !origin->observed[0])
        snprintf(origin->observed, sizeof(origin->observed), "%s", path->observed);
    if (!find_format(work, err))
        return false;
    name_source(work);
    if (work->format && work->format->many)
        origin->provider[0] = '\0';
    work->outcome.format = work->format ? work->format->name : "models";
    work->outcome.provider = origin->provider;
    work->outcome.observed = origin->observed;
    return refuse_origin(work, err);
}

static void keep(struct work *work)
{
    struct arena *arena = &work->job->report.arena;

    work->outcome.provider = arena_text(arena, work->origin.provider);
    work->outcome.observed = arena_text(arena, work->origin.observed);
    work->outcome.format = work->outcome.format ? work->outcome.format : "not read";
    import_report_end(&work->job->report, &work->outcome);
}

/* An unusable file is skipped; with --strict it aborts the import. */
static bool pass_over(struct work *work, const struct import_path *path, bool begun,
                      struct err *err)
{
    struct import_job *job = work->job;

    fprintf(stderr, "%s: %s\n", work->outcome.file, err->text);
    work->outcome.note = arena_text(&job->report.arena, err->text);
    job->failed |= path->named || (begun && job->options.strict);
    return !begun || job->options.strict || import_rollback(job->store, err);
}

bool import_one(struct import_job *job, const struct import_path *path, struct err *err)
{
    const char *file = path->address ? path->address : path->path;
    struct work work = {.job = job, .path = path, .outcome = {.file = file}};

    import_report_begin(&job->report, file);
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

bool import_all(struct import_job *job, const struct import_paths *paths, struct err *err)
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
