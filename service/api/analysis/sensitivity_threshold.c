/* sensitivity_threshold.c - finds the value of an input at which the verdict changes: first among
 * the requested values, then beyond them, refined by bisection. */
#include "api/analysis/sensitivity_axis.h"
#include "api/analysis/sensitivity_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A value and its verdict, "" if there is none. */
struct trial {
    double value;
    bool refused; /* the value has no answer */
    char verdict[24];
};

struct trials {
    struct sensitivity_run *run;
    struct trial *at; /* sorted by value */
    size_t n;
};

static void set_verdict(struct trial *trial, const char *verdict)
{
    snprintf(trial->verdict, sizeof(trial->verdict), "%s", verdict ? verdict : "");
}

static void ask(struct sensitivity_run *run, struct trial *trial)
{
    struct setting setting = {run->axes[0].input->name, trial->value};
    struct arena arena = {0};
    struct err err = {0};
    struct request_context *answered = sensitivity_run_again(run, &setting, 1, &arena, &err);

    trial->refused = !answered;
    set_verdict(trial, answered ? sensitivity_run_word(answered, run->sensitivity->turns) : NULL);
    arena_free(&arena);
}

static void ask_piece(void *context, size_t i)
{
    struct trials *trials = context;

    ask(trials->run, &trials->at[i]);
}

static bool turns(const struct trial *a, const struct trial *b)
{
    return a->verdict[0] && b->verdict[0] && strcmp(a->verdict, b->verdict) != 0;
}

/* Distance of a value from the interval [low, high]. */
static double distance(double value, double low, double high)
{
    return fmax(0, fmax(low - value, value - high)); /* 0 if the value is unknown */
}

/* The pair of neighbours nearest to the used value between which the verdict changes: the index of
 * the upper one, or 0. */
static size_t nearest_turn(const struct trials *trials, double value, double *count)
{
    size_t best = 0;
    double least = (double)INFINITY;

    *count = 0;
    for (size_t i = 1; i < trials->n; i++) {
        const struct trial *a = &trials->at[i - 1], *b = &trials->at[i];
        if (!turns(a, b))
            continue;
        (*count)++;
        if (distance(value, a->value, b->value) < least) {
            least = distance(value, a->value, b->value);
            best = i;
        }
    }
    return best;
}

/* Doublings across the accepted range of an input: 2^60 spans 18 decimal digits, more than any
 * input that starts at cents. */
enum { DOUBLINGS = 60 };

/* Values below `high`, down to the minimum accepted, ascending; returns their number. */
static size_t values_below(const struct sensitivity_axis *axis, double high, struct trial to[])
{
    double least = isnan(axis->input->min) ? 0 : axis->input->min;
    size_t n = 0;

    if (!(high > least))
        return 0;
    to[n++].value = least;
    for (int halvings = DOUBLINGS; halvings > 0; halvings--) {
        double value = ldexp(high, -halvings);
        value = sensitivity_axis_is_whole(axis) ? floor(value) : value;
        if (value > to[n - 1].value && value < high)
            to[n++].value = value;
    }
    return n;
}

/* Values above `low`, up to the maximum accepted. */
static size_t values_above(const struct sensitivity_axis *axis, double low, struct trial to[])
{
    double most = axis->input->max;
    double first = low > 0 ? 2 * low : isnan(most) ? 1 : ldexp(most, -DOUBLINGS);
    size_t n = 0;

    for (int i = 0; i < DOUBLINGS; i++) {
        double value = ldexp(first, i), before = n ? to[n - 1].value : low;
        value = sensitivity_axis_is_whole(axis) ? ceil(value) : value;
        if (value > before && !(value >= most))
            to[n++].value = value;
    }
    if (most > low)
        to[n++].value = most;
    return n;
}

/* The trials extended downwards and upwards, all with verdicts. */
static struct trials widened(const struct trials *inner)
{
    struct sensitivity_run *run = inner->run;
    struct arena *arena = run->context->arena;
    const struct sensitivity_axis *axis = &run->axes[0];
    struct trial *outer = arena_alloc(arena, (size_t)(2 * (DOUBLINGS + 1)) * sizeof(*outer));
    size_t below = values_below(axis, inner->at[0].value, outer);
    size_t above = values_above(axis, inner->at[inner->n - 1].value, outer + below);
    struct trials asked = {run, outer, below + above};
    struct trials all = {run, NULL, below + inner->n + above};

    parallel_each(run->context->parallel, asked.n, ask_piece, &asked);
    all.at = arena_alloc(arena, all.n * sizeof(*all.at));
    memcpy(all.at, outer, below * sizeof(*outer));
    memcpy(all.at + below, inner->at, inner->n * sizeof(*outer));
    memcpy(all.at + below + inner->n, outer + below, above * sizeof(*outer));
    return all;
}

/* True if the interval is narrower than twelve digits, more than are displayed, or contains no
 * further whole number. */
static bool is_narrow(const struct sensitivity_axis *axis, double a, double b)
{
    double width = fabs(a - b);

    return sensitivity_axis_is_whole(axis) ? width <= 1
                                           : width <= 1e-12 * fmax(1e-6, fmax(fabs(a), fabs(b)));
}

/* Bisect between `near`, which has one verdict, and *far, which has another. False if a value in
 * between has none. */
static bool bisect(struct sensitivity_run *run, struct trial near, struct trial *far)
{
    const struct sensitivity_axis *axis = &run->axes[0];

    while (!is_narrow(axis, near.value, far->value)) {
        struct trial middle = {.value = (near.value + far->value) / 2};
        if (sensitivity_axis_is_whole(axis))
            middle.value = floor(middle.value);
        ask(run, &middle);
        if (!middle.verdict[0])
            return false;
        if (turns(&near, &middle))
            *far = middle;
        else
            near = middle;
    }
    return true;
}

/* The verdict common to all answered trials; NULL if one has none. */
static const char *only_verdict(const struct trials *trials)
{
    const char *verdict = NULL;

    for (size_t i = 0; i < trials->n; i++) {
        if (trials->at[i].refused)
            continue;
        if (!trials->at[i].verdict[0])
            return NULL;
        verdict = trials->at[i].verdict;
    }
    return verdict;
}

/* True if the upper of two neighbours is on the side of the used value, or, if that value lies
 * between the two, has its verdict. */
static bool upper_is_near(struct sensitivity_run *run, const struct trial *upper, double value)
{
    struct trial now = {.value = value};

    if (isnan(value) || value >= upper->value)
        return value >= upper->value;
    set_verdict(&now, sensitivity_run_word(run->base, run->sensitivity->turns));
    return value > upper[-1].value && !turns(&now, upper);
}

/* Record that the verdict changes between a trial and the one before it. */
static void take_turn(struct sensitivity_run *run, const struct trial *upper, double value)
{
    bool swap = upper_is_near(run, upper, value);
    struct trial near = upper[swap ? 0 : -1], far = upper[swap ? -1 : 0];

    if (!bisect(run, near, &far))
        return;
    run->turn.status = "reached";
    run->turn.point = far.value;
    run->turn.verdict = arena_text(run->context->arena, far.verdict);
}

void sensitivity_threshold(struct sensitivity_run *run, const char *rows, size_t n)
{
    const struct sensitivity *of = run->sensitivity;
    struct arena *arena = run->context->arena;
    double value = run->base ? context_number(run->base, run->axes[0].input->name) : (double)NAN;
    struct trials trials = {run, arena_alloc(arena, n * sizeof(*trials.at)), n};

    for (size_t i = 0; i < n; i++) {
        const char *row = rows + i * of->point_size;
        trials.at[i].value = sensitivity_axis_value(&run->axes[0], i);
        trials.at[i].refused = field_text(fields_find(of->points, "note"), row) != NULL;
        set_verdict(&trials.at[i], field_text(fields_find(of->points, of->turns), row));
    }
    size_t upper = nearest_turn(&trials, value, &run->turn.count);
    if (!upper) {
        trials = widened(&trials);
        upper = nearest_turn(&trials, value, &run->turn.count);
    }
    const char *only = only_verdict(&trials);
    run->turn.status = "unknown";
    if (upper)
        take_turn(run, &trials.at[upper], value);
    else if (only)
        run->turn.status = arena_print(arena, "%s%s", only, of->throughout);
}
