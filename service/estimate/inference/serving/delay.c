#include "estimate/inference/serving/delay.h"

#include "base/root.h"

#include <math.h>
#include <stdbool.h>

/* Each part of a sum is a function of a normal score. The axes of the scores are rotated so that
 * the first is the direction in which the sum grows fastest; on lines along it, the score at which
 * a time is reached is interpolated on a grid. Over the other axes, on which the sum hardly
 * depends, the tail probabilities are averaged by Gauss-Hermite formulas of degree 5 (Abramowitz
 * and Stegun, 25.4.46 and Stroud's hexagon); for the median, where a wait or an arrival that most
 * requests do not meet makes a step, by four points of Gauss and Hermite on either axis. Grid
 * points are computed only near a percentile. */
enum { GRID = 11, POINTS = 4, LINES = POINTS * POINTS, TAIL_LINES = 7, FIRST_LINES = 3, AXES = 3 };
static const double REACH = 3.75, STEP = 0.75; /* scores of the grid */
static const double LEAST = 1e-9;              /* seconds */

struct line {
    double weight, from[AXES]; /* weight, and scores at the middle of the line */
    double logs[GRID];         /* log seconds at the grid's scores; NAN if not computed yet */
    int here;                  /* the interval used last */
};

struct lines {
    double along[AXES]; /* common direction of all lines */
    struct line at[LINES];
    int n;
    double (*seconds)(void *of, const double scores[AXES]);
    void *of;
};

static double score_of_grid(int k)
{
    return STEP * k - REACH;
}

static double log_at(struct lines *lines, struct line *line, int k)
{
    double scores[AXES], score = score_of_grid(k);

    if (isnan(line->logs[k])) {
        for (int j = 0; j < AXES; j++)
            scores[j] = score * lines->along[j] + line->from[j];
        line->logs[k] = log(lines->seconds(lines->of, scores));
    }
    return line->logs[k];
}

/* Tail probability on one line. The last interval is extrapolated beyond the grid. */
static double above_on(struct lines *lines, struct line *line, double log_seconds)
{
    const double narrow = 1e-9;
    int i = line->here;

    while (i + 2 < GRID && log_at(lines, line, i + 1) <= log_seconds)
        i++;
    while (i > 0 && log_at(lines, line, i) > log_seconds)
        i--;
    line->here = i;
    double low = log_at(lines, line, i);
    double rise = fmax(log_at(lines, line, i + 1) - low, narrow);
    return moments_normal_below(-score_of_grid(i) - STEP * (log_seconds - low) / rise);
}

static double above(struct lines *lines, double log_seconds)
{
    double sum = 0;

    for (int i = 0; i < lines->n; i++)
        sum += lines->at[i].weight * above_on(lines, &lines->at[i], log_seconds);
    return sum;
}

/* A distribution by normal scores, at the times of the first line, which is the middle one. */
struct table {
    struct lines *lines;
    double scores[GRID]; /* NAN if not computed yet */
    int here;
};

static struct table table_of(struct lines *lines)
{
    struct table table = {.lines = lines, .here = GRID / 2};

    for (int k = 0; k < GRID; k++)
        table.scores[k] = (double)NAN;
    return table;
}

static double table_score(struct table *table, int k)
{
    struct lines *lines = table->lines;

    if (isnan(table->scores[k]))
        table->scores[k] = -moments_normal_score(above(lines, log_at(lines, &lines->at[0], k)));
    return table->scores[k];
}

static double table_at(struct table *table, double score)
{
    const double narrow = 1e-9;
    struct line *middle = &table->lines->at[0];
    int i = table->here;

    while (i + 2 < GRID && table_score(table, i + 1) <= score)
        i++;
    while (i > 0 && table_score(table, i) > score)
        i--;
    table->here = i;
    double low = log_at(table->lines, middle, i), high = log_at(table->lines, middle, i + 1);
    double rise = fmax(table_score(table, i + 1) - table_score(table, i), narrow);
    return exp(low + (high - low) * (score - table_score(table, i)) / rise);
}

/* Log ratio of the tail probability and that of the percentile. */
static double excess_at(struct lines *lines, double log_seconds, double share)
{
    const double none = 1e-12;

    return log(fmax(none, above(lines, log_seconds)) / share);
}

/* Starts at the time with that score on the middle line; as tails are exponential, the excess there
 * indicates the distance to the percentile. */
static struct root bracket_of(struct lines *lines, double z, double share)
{
    const double beyond = 1.2, least = 1e-6;
    struct line *middle = &lines->at[0];
    int k = (int)((z + REACH) / STEP);
    for (int i = 0; i < lines->n; i++)
        lines->at[i].here = k; /* others' grids are entered near it, too */
    double low = log_at(lines, middle, k), rise = fmax(log_at(lines, middle, k + 1) - low, LEAST);
    double at = low + rise * (z - score_of_grid(k)) / STEP;
    double excess = excess_at(lines, at, share);
    double step = beyond * excess * share / moments_normal_density(z) * rise / STEP;
    struct root bracket = {at, at, excess, excess, 0};

    step = excess > 0 ? fmax(step, least) : fmin(step, -least);
    while (isfinite(at) && (excess > 0 ? bracket.at_high > 0 : bracket.at_low < 0)) {
        at += step;
        step *= 2;
        double found = excess_at(lines, at, share);
        if (excess > 0) {
            if (found > 0)
                bracket.low = at, bracket.at_low = found;
            bracket.high = at;
            bracket.at_high = found;
        } else {
            if (found < 0)
                bracket.high = at, bracket.at_high = found;
            bracket.low = at;
            bracket.at_low = found;
        }
    }
    return bracket;
}

/* The seconds at that normal score: a root of the log tail probability. */
static double percentile(struct lines *lines, double z)
{
    enum { STEPS = 60 };
    const double near = 1e-7;
    double share = moments_normal_below(-z);
    struct root root = bracket_of(lines, z, share);

    for (int i = 0; i < STEPS && root.high - root.low > near; i++) {
        double middle = root_guess(&root), excess = excess_at(lines, middle, share);
        if (fabs(excess) <= near)
            return exp(middle);
        root_narrow(&root, middle, excess);
    }
    return exp(root.high);
}

/* Create lines through those points in the plane orthogonal to the first axis. */
static void set_lines(struct lines *lines, double axes[AXES][AXES], int n, const double weights[],
                      const double across[][2])
{
    lines->n = n;
    for (int j = 0; j < AXES; j++)
        lines->along[j] = axes[0][j];
    for (int i = 0; i < n; i++) {
        struct line *line = &lines->at[i];
        line->weight = weights[i];
        line->here = GRID / 2;
        for (int j = 0; j < AXES; j++)
            line->from[j] = across[i][0] * axes[1][j] + across[i][1] * axes[2][j];
        for (int k = 0; k < GRID; k++)
            line->logs[k] = (double)NAN;
    }
}

/* A time that is 0 or, with probability `chance`, has a Weibull distribution of this mean, or to
 * the degree `spread` a shifted lognormal one. */
struct sometimes {
    double chance, mean, spread;
    double inverse, shift; /* 1 / k and log gamma(1 + 1 / k) of the Weibull distribution */
    struct moments_shape shape;
};

static struct sometimes sometimes_of(double chance, const struct moments *of, double spread)
{
    const double root = 0.78, linear = 0.52; /* within 3 % of 1 / k up to a deviation of 5 means */
    struct raw_moments raw = moments_raw(*of);
    int sign;

    if (!(chance > 0 && of->mean > 0))
        return (struct sometimes){.chance = 0};
    struct sometimes some = {.chance = chance, .mean = raw.first / chance, .spread = spread};
    if (spread < 1) {
        double varies = fmax(0, log(raw.second * chance / (raw.first * raw.first)));
        some.inverse = root * sqrt(varies) + linear * varies;
        some.shift = lgamma_r(1 + some.inverse, &sign);
    }
    if (spread > 0) {
        struct moments shaped = moments_central(
            (struct raw_moments){raw.first / chance, raw.second / chance, raw.third / chance});
        some.shape = moments_shape_of(&shaped);
    }
    return some;
}

/* `above` is the probability that it is longer. */
static double sometimes_at(const struct sometimes *of, double above)
{
    const double most = 1 - 1e-9;
    double at = 0, shaped = 0;

    if (!(of->chance > above))
        return 0;
    double beyond = fmin(above / of->chance, most);
    if (of->spread < 1)
        at = of->mean * exp(of->inverse * log(-log(beyond)) - of->shift);
    if (of->spread > 0)
        shaped = moments_percentile(of->mean, &of->shape, -moments_normal_score(beyond));
    return at + of->spread * (fmax(0, shaped) - at);
}

/* Time to the first token, without a wait for a slot. */
struct first {
    const struct delay *delay;
    struct moments_shape own;
    struct sometimes wait;
};

static double first_at(void *of, const double scores[AXES])
{
    const struct first *first = of;
    double seconds = moments_percentile(first->delay->first.mean, &first->own, scores[0]);

    return fmax(LEAST, seconds) + sometimes_at(&first->wait, moments_normal_below(-scores[1]));
}

static void set_first(struct first *first, struct lines *lines)
{
    static const double across[FIRST_LINES][2] = {
        {0, 0}, {1.7320508075688772, 0}, {-1.7320508075688772, 0}};
    static const double weights[FIRST_LINES] = {2.0 / 3, 1.0 / 6, 1.0 / 6};
    const struct delay *d = first->delay;
    double x = sqrt(d->first.variance), y = sqrt(d->wait.variance);
    double length = hypot(x, y);

    x = length > 0 ? x / length : 1;
    y = length > 0 ? y / length : 0;
    set_lines(lines, (double[AXES][AXES]){{x, y, 0}, {-y, x, 0}, {0, 0, 1}}, FIRST_LINES, weights,
              across);
    lines->seconds = first_at;
    lines->of = first;
}

/* Prefill seconds brought by the arrivals of that many seconds. */
static double prefill_at(const struct delay *d, double seconds, double score)
{
    if (!(d->mean > 0))
        return 0;
    double chance = -expm1(-d->rate * seconds), above = moments_normal_below(-score);
    if (above >= chance)
        return 0;
    struct moments brought = {d->mean * seconds, d->variance * seconds, d->third * seconds};
    struct sometimes of = sometimes_of(chance, &brought, d->others);
    return sometimes_at(&of, above);
}

struct whole {
    const struct delay *delay;
    struct table first;
    double sigma; /* standard deviation of the log of an answer's step seconds */
};

static double whole_at(void *of, const double scores[AXES])
{
    struct whole *whole = of;
    const struct delay *d = whole->delay;
    double length = d->scale * exp(whole->sigma * (scores[0] - whole->sigma / 2));

    if (d->sigma > 0)
        length = fmin(d->high, fmax(d->low, length));
    double steps = fmax(0, d->steps_each * length + d->steps_more);
    double busy = steps * d->step * exp(d->slows * (scores[1] - d->slows / 2));
    double first = table_at(&whole->first, scores[1]);
    double prefill = prefill_at(d, d->follows * first + busy, scores[2]);
    return first + busy + fmin(prefill, steps * d->budget);
}

/* The direction of the parts' deviations, and two orthogonal to it and to each other (Duff et al.,
 * Building an Orthonormal Basis, Revisited, 2017). */
static void set_axes(const struct whole *whole, double axes[AXES][AXES])
{
    const struct delay *d = whole->delay;
    double *x = axes[0], sigma = whole->sigma, busy = d->step * d->steps_each;
    double first = d->first.mean + d->wait.mean, length = 0;

    x[0] = (1 + d->mean) * busy * sqrt(expm1(sigma * sigma));
    x[1] = (1 + d->mean * d->follows) * sqrt(d->first.variance + d->wait.variance) +
           (1 + d->mean) * busy * d->slows;
    x[2] = sqrt(d->variance * (busy + d->follows * first));
    for (int i = 0; i < AXES; i++)
        length += x[i] * x[i];
    for (int i = 0; i < AXES; i++)
        x[i] = length > 0 ? x[i] / sqrt(length) : i == 0;
    double a = -1 / (1 + x[2]), b = x[0] * x[1] * a;
    axes[1][0] = 1 + x[0] * x[0] * a;
    axes[1][1] = axes[2][0] = b;
    axes[2][1] = 1 + x[1] * x[1] * a;
    axes[1][2] = -x[0];
    axes[2][2] = -x[1];
}

static void set_tail_lines(struct lines *lines, double axes[AXES][AXES])
{
    static const double half = 0.8660254037844386; /* half of the square root of 3 */
    static const double across[TAIL_LINES][2] = {
        {0, 0}, {2, 0}, {-2, 0}, {1, 2 * half}, {-1, 2 * half}, {1, -2 * half}, {-1, -2 * half}};
    static const double weights[TAIL_LINES] = {1.0 / 2,  1.0 / 12, 1.0 / 12, 1.0 / 12,
                                               1.0 / 12, 1.0 / 12, 1.0 / 12};

    set_lines(lines, axes, TAIL_LINES, weights, across);
}

static void set_median_lines(struct lines *lines, double axes[AXES][AXES])
{
    static const double inner = 0.7419637843027259, outer = 2.334414218338977;
    static const double points[POINTS] = {inner, -inner, outer, -outer};
    static const double of_inner = 0.4541241452319315;
    double weights[LINES], across[LINES][2];

    for (int i = 0; i < LINES; i++) {
        int x = i / POINTS, y = i % POINTS;
        across[i][0] = points[x];
        across[i][1] = points[y];
        weights[i] = (x < 2 ? of_inner : 0.5 - of_inner) * (y < 2 ? of_inner : 0.5 - of_inner);
    }
    set_lines(lines, axes, LINES, weights, (const double(*)[2])across);
}

static void set_whole(struct whole *whole, double z, struct lines *lines)
{
    double axes[AXES][AXES];

    set_axes(whole, axes);
    if (z > 0)
        set_tail_lines(lines, axes);
    else
        set_median_lines(lines, axes);
    lines->seconds = whole_at;
    lines->of = whole;
}

/* What the lines refer to. */
struct sum {
    struct lines firsts, wholes;
    struct first first;
    struct whole whole;
};

/* For the percentile with the score `z`. */
static void set_sum(const struct delay *delay, double z, struct sum *sum)
{
    sum->first = (struct first){delay, moments_shape_of(&delay->first),
                                sometimes_of(delay->waits, &delay->wait, 0)};
    sum->whole = (struct whole){.delay = delay};
    set_first(&sum->first, &sum->firsts);
    sum->whole.first = table_of(&sum->firsts);
    sum->whole.sigma = sqrt(delay->sigma * delay->sigma + log1p(delay->varies));
    set_whole(&sum->whole, z, &sum->wholes);
}

double delay_percentile(const struct delay *delay, double z)
{
    struct sum sum;

    set_sum(delay, z, &sum);
    return percentile(&sum.wholes, z);
}

/* Like struct first, but the third score tells whether the replica is in a step. */
struct arrival {
    struct moments_shape alone, met;
    double alone_mean, met_mean;
    struct sometimes wait;
};

static double arrival_at(void *of, const double scores[AXES])
{
    const struct arrival *arrival = of;
    double seconds = scores[2] > 0
                         ? moments_percentile(arrival->met_mean, &arrival->met, scores[0])
                         : moments_percentile(arrival->alone_mean, &arrival->alone, scores[0]);

    return fmax(LEAST, seconds) + sometimes_at(&arrival->wait, moments_normal_below(-scores[1]));
}

static void set_arrival(const struct delay_first *first, struct arrival *arrival,
                        struct lines *lines)
{
    static const double root = 1.7320508075688772;
    static const double across[2 * FIRST_LINES][2] = {{0, 0}, {root, 0}, {-root, 0},
                                                      {0, 1}, {root, 1}, {-root, 1}};
    const double never = 1e-3;
    double weights[2 * FIRST_LINES] = {2.0 / 3, 1.0 / 6, 1.0 / 6}, meets = first->meets;
    double x = sqrt(first->met.variance), y = sqrt(first->wait.variance);
    double length = hypot(x, y);
    int from = meets > 1 - never ? FIRST_LINES : 0,
        n = meets < never || from > 0 ? FIRST_LINES : 2 * FIRST_LINES;

    *arrival = (struct arrival){moments_shape_of(&first->alone), moments_shape_of(&first->met),
                                first->alone.mean, first->met.mean,
                                sometimes_of(first->waits, &first->wait, 1)};
    for (int i = 0; i < FIRST_LINES; i++) {
        weights[FIRST_LINES + i] = weights[i] * meets;
        weights[i] *= 1 - meets;
    }
    x = length > 0 ? x / length : 1;
    y = length > 0 ? y / length : 0;
    set_lines(lines, (double[AXES][AXES]){{x, y, 0}, {-y, x, 0}, {0, 0, 1}}, n, weights + from,
              across + from);
    lines->seconds = arrival_at;
    lines->of = arrival;
}

/* Never less than for a request alone: the grid is less exact where requests rarely meet. */
static double alone_at_p95(const struct delay_first *first, const struct arrival *arrival)
{
    return moments_percentile(first->alone.mean, &arrival->alone, MOMENTS_Z95);
}

double delay_first(const struct delay_first *first)
{
    struct arrival arrival;
    struct lines lines;

    set_arrival(first, &arrival, &lines);
    return fmax(alone_at_p95(first, &arrival), percentile(&lines, MOMENTS_Z95));
}

/* Cantelli's inequality: at most 1 / (1 + k^2) lies over k deviations above the mean. */
bool delay_first_is_over(const struct delay_first *first, double seconds)
{
    const double surely = 1e-6, deviations = 5;
    double met = first->meets, apart = first->met.mean - first->alone.mean;
    double over = seconds - first->alone.mean - met * apart - first->wait.mean;
    double variance = (1 - met) * first->alone.variance + met * first->met.variance +
                      met * (1 - met) * apart * apart + first->wait.variance;
    struct arrival arrival;
    struct lines lines;

    if (over > 0 && over * over > deviations * deviations * variance)
        return false;
    set_arrival(first, &arrival, &lines);
    return seconds < alone_at_p95(first, &arrival) ||
           excess_at(&lines, log(seconds), moments_normal_below(-MOMENTS_Z95)) > surely;
}

bool delay_is_over(const struct delay *delay, double seconds)
{
    const double surely = 1e-6;
    struct sum sum;

    set_sum(delay, MOMENTS_Z95, &sum);
    return excess_at(&sum.wholes, log(seconds), moments_normal_below(-MOMENTS_Z95)) > surely;
}
