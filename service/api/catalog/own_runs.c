#include "api/catalog/own_runs.h"

#include "base/number.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

/* Four significant digits, without an exponent. */
static const char *digits(struct request_context *context, double value)
{
    char text[NUMBER_SIZE];

    number_trim(text, number_significant(text, value, 4));
    return arena_text(context->arena, text);
}

/* The figure for a time in seconds, in the unit it was given in. */
static const char *given_as(struct request_context *context, const struct own_figure *figure,
                            double seconds)
{
    return digits(context, figure->rate ? 1 / seconds : seconds);
}

/* True if it exceeds the peak of one GPU but is close to the rate of all GPUs. */
static bool is_of_all(const struct own_figure *figure)
{
    static const double NEAR = 2;
    double gpus = figure->estimated / figure->measured;

    return figure->gpus > 1 && figure->measured < figure->least &&
           fabs(log(gpus / figure->gpus)) < log(NEAR);
}

/* True if the figure is implausibly slow for the replica, but close to the rate of a single
 * request. */
static bool is_of_one(const struct own_figure *figure)
{
    static const double NEAR = 2, SLOW = 8;
    double ratio = figure->measured / figure->estimated;

    return figure->requests > 1 && ratio > SLOW && fabs(log(ratio / figure->requests)) < log(NEAR);
}

bool own_runs_check(struct request_context *context, const struct own_figure *figure,
                    struct err *err)
{
    static const double THOUSAND = 1000, NEAR = 3, NEAR_SLOW = 10; /* first tokens wait in queues */
    static const double NEVER = 1e4;
    double ratio = figure->measured / figure->estimated;

    if (is_of_all(figure))
        return context_refuse(context, err, figure->name, "unit",
                              "is %s %s, and the estimate is %s %s: that of all %.0f GPUs? Enter "
                              "that of one, %s",
                              digits(context, figure->given), figure->unit,
                              given_as(context, figure, figure->estimated), figure->unit,
                              figure->gpus, digits(context, figure->given / figure->gpus));
    if (is_of_one(figure))
        return context_refuse(context, err, figure->name, "unit",
                              "is %s %s, and the estimate is %s %s: that of one of %.0f requests? "
                              "Enter that of the replica, %s",
                              digits(context, figure->given), figure->unit,
                              given_as(context, figure, figure->estimated), figure->unit,
                              figure->requests, digits(context, figure->given * figure->requests));
    if (ratio >= NEVER)
        return context_refuse(context, err, figure->name, "unit",
                              "is %s %s, and the estimate is %s %s: no run is that much slower; "
                              "is it in another unit, or a share?",
                              digits(context, figure->given), figure->unit,
                              given_as(context, figure, figure->estimated), figure->unit);
    if (fabs(log(ratio * THOUSAND)) < log(NEAR) || fabs(log(ratio / THOUSAND)) < log(NEAR_SLOW))
        return context_refuse(context, err, figure->name, "unit",
                              "is %s %s, and the estimate is %s %s: a factor of about 1,000; "
                              "is it in another unit?",
                              digits(context, figure->given), figure->unit,
                              given_as(context, figure, figure->estimated), figure->unit);
    if (figure->measured < figure->least)
        return context_refuse(context, err, figure->name, "below_physics",
                              "is physically impossible: %s it is %s %s %s", figure->because,
                              figure->rate ? "at most" : "at least",
                              given_as(context, figure, figure->least), figure->unit);
    return true;
}

const char own_runs_training_holds[] = "weights, gradients and optimizer states";

/* The unit in which the figure would be possible; NULL: none. */
static const char *unit_of(const struct own_memory *memory, double *gib)
{
    static const double KIB = 1024;
    const struct {
        double bytes;
        const char *name;
    } units[] = {{1, "bytes"}, {KIB, "KiB"},       {KIB * KIB, "MiB"},
                 {GIGA, "GB"}, {GIB * KIB, "TiB"}, {GIB / 1000, "thousandths of a GiB"}};

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        double bytes = memory->given * units[i].bytes;
        *gib = bytes / GIB;
        if (bytes >= memory->least && bytes <= memory->capacity)
            return units[i].name;
    }
    return NULL;
}

bool own_runs_check_memory(struct request_context *context, const struct own_memory *memory,
                           struct err *err)
{
    const char *name = memory->name;
    double bytes = memory->given * GIB, gib;
    const char *unit = unit_of(memory, &gib);
    bool more = bytes > memory->capacity;

    if (bytes >= memory->least && !more)
        return true;
    const char *bound =
        more ? arena_print(context->arena, "%s has %s GiB", memory->gpu,
                           digits(context, memory->capacity / GIB))
             : arena_print(context->arena, "%s take at least %s GiB on each of %.0f GPUs",
                           memory->holds, digits(context, memory->least / GIB), memory->gpus);
    if (unit)
        return context_refuse(context, err, name, "unit",
                              "is %s GiB, but %s; if it is in %s, enter %s",
                              digits(context, memory->given), bound, unit, digits(context, gib));
    if (more && memory->gpus > 1 && bytes / memory->gpus <= memory->capacity)
        return context_refuse(context, err, name, "unit",
                              "is %s GiB, but %s; if it is that of all %.0f GPUs, enter that of "
                              "the fullest one",
                              digits(context, memory->given), bound, memory->gpus);
    return context_refuse(context, err, name, more ? "above_capacity" : "below_physics",
                          "is physically impossible: it is %s GiB, but %s",
                          digits(context, memory->given), bound);
}

void own_runs_refuse_alone(struct request_context *context, const char *names, const char *how,
                           struct err *err)
{
    for (const char *at = names; *at;) {
        size_t n = strcspn(at, " ");
        const char *name = arena_part(context->arena, at, n);
        if (context_given(context, name))
            context_refuse(context, err, name, "contradiction",
                           "says how a run of yours differed, but no run is given: add %s", how);
        at += n + (at[n] == ' ');
    }
}

static bool refuse_empty(struct request_context *context, struct err *err)
{
    return context_refuse(context, err, "measurement_set", "unknown_name",
                          "has no runs: store one with POST /v1/measurements");
}

/* How the set's nearest run differs from the question; "" if none can be compared. */
static const char *difference_of(struct request_context *context, const char *set,
                                 const struct nearest_features *asked)
{
    enum { DIFFERENCE_MAX = 256 };
    const struct evidence *all = evidence_of(context->catalog, context->arena);
    struct nearest_features *features =
        arena_alloc(context->arena, (all->n_own + 1) * sizeof(*features));
    struct evidence of_set = {.features = features};
    struct nearest_run found = {0};
    char *text = arena_alloc(context->arena, DIFFERENCE_MAX);

    for (size_t i = 0; i < all->n_own; i++)
        if (strcmp(all->own[i].run->measurement_set, set) == 0)
            features[of_set.n++] = all->own[i].features;
    nearest_sort(features, of_set.n);
    if (nearest_find(&of_set, asked, &found, 1) == 0)
        return "";
    nearest_describe(asked, found.features, text, DIFFERENCE_MAX);
    return arena_print(context->arena, "; the nearest: %s", text);
}

void own_runs_warn_unlike(struct request_context *context, const char *set,
                          const struct nearest_features *asked)
{
    context_warn(context, "no_like_measurement",
                 "no run of measurement_set %s has this model, GPU, software, number format and "
                 "method; errors were not found to carry over between different ones, so the "
                 "estimate is not corrected%s",
                 set, asked ? difference_of(context, set, asked) : "");
}

void own_runs_warn_far(struct request_context *context, double factor, double low, double high)
{
    /* 80 % of a normal distribution lies within 1.28 standard deviations, 99 % within 2.58. */
    static const double WIDER = 2.576 / 1.2816;

    if (factor >= pow(low, WIDER) && factor <= pow(high, WIDER))
        return;
    context_warn(context, "far_measurement",
                 "your own runs correct the estimate by a factor of %.3g; fewer than one run in "
                 "a hundred is that far off: check that they used this model, number format and "
                 "load, are given as asked for (tokens per second of one GPU in training, of the "
                 "whole replica in inference), were warmed up, and were not held back by clients, "
                 "data or network",
                 factor);
}

bool own_runs_of_training(struct request_context *context, const char *set,
                          struct correction_run *to, size_t *n, struct err *err)
{
    const struct evidence *evidence = evidence_of(context->catalog, context->arena);
    size_t n_set = 0;

    for (size_t i = 0; i < evidence->n_own; i++) {
        const struct evidence_own *own = &evidence->own[i];
        if (strcmp(own->run->measurement_set, set) != 0)
            continue;
        n_set++;
        if (own_run_is_training(own->run) && own->estimated > 0)
            to[(*n)++] = (struct correction_run){own->features,
                                                 own->parts,
                                                 own->run->measured,
                                                 own->estimated,
                                                 own->run->memory_gib * GIB,
                                                 own->memory_estimated};
    }
    return n_set > 0 || refuse_empty(context, err);
}

bool own_runs_of_inference(struct request_context *context, const char *set,
                           struct correction_served *to, size_t *n, struct err *err)
{
    const struct evidence *evidence = evidence_of(context->catalog, context->arena);
    size_t n_set = 0;

    for (size_t i = 0; i < evidence->n_own; i++) {
        const struct evidence_own *own = &evidence->own[i];
        const struct measurement *run = own->run;
        if (strcmp(run->measurement_set, set) != 0)
            continue;
        n_set++;
        if (!own_run_is_training(run))
            to[(*n)++] = (struct correction_served){own->features,
                                                    own->parts,
                                                    run->measured,
                                                    own->estimated,
                                                    run->time_to_first_token_seconds,
                                                    own->first_estimated,
                                                    own->seen};
    }
    return n_set > 0 || refuse_empty(context, err);
}

const char *own_runs_sentence(struct request_context *context, const char *set, double factor,
                              double runs, const char *what, double without, const char *unit)
{
    return arena_print(context->arena,
                       "corrected by x %.3g from %.0f run%s of %s%s; without %s %s %.4g %s", factor,
                       runs, runs == 1 ? "" : "s", set ? "measurement_set " : "your own",
                       set ? set : "", runs == 1 ? "it" : "them", what, without, unit);
}

const char *own_runs_next(struct request_context *context, const char *sentence,
                          struct correction_next next, const char *run)
{
    static const double LITTLE = 0.1;
    double narrower = 1 - next.then / next.now;

    if (!(narrower >= LITTLE))
        return sentence;
    return arena_print(context->arena, "%s; a run %s would narrow the interval by another %.0f%%",
                       sentence, run, 100 * narrower);
}
