#include "estimate/inference/serving/queue.h"

#include "base/root.h"
#include "estimate/inference/moments.h"
#include "estimate/inference/serving/latency.h"
#include "estimate/inference/serving/work.h"

#include <math.h>

static double log_factorial(double k)
{
    int sign; /* lgamma() would set a global variable */

    return lgamma_r(k + 1, &sign);
}

static double poisson_mass(double k, double mean)
{
    return exp(k * log(mean) - mean - log_factorial(k));
}

/* True if a term still changes a sum below 1; usually decided by its size alone. */
static bool counts(double term, double sum)
{
    return term > 1e-17 || (term > 1e-18 && term > sum * 1e-17);
}

/* P(X <= k), where `mass` is P(X = k). */
static double below_from(double k, double mean, double mass)
{
    if (k > mean) { /* the upper tail falls off fast: subtract it from 1 */
        double term = mass * mean / (k + 1), above = 0;
        for (double j = k + 1; counts(term, above); term *= mean / ++j)
            above += term;
        return fmax(0, 1 - above);
    }
    double term = mass, below = 0;
    for (double j = k; j >= 0 && term > below * 1e-17; term *= j-- / mean)
        below += term;
    return below;
}

double queue_poisson_below(double k, double mean)
{
    if (k < 0)
        return 0;
    return mean <= 0 ? 1 : below_from(k, mean, poisson_mass(k, mean));
}

/* The quantile for 0.95 by the Cornish-Fisher expansion (1938). For means of at least 100 its error
 * is below 0.01, so that rounding it up is right unless it is near a whole number; it is NAN then.
 */
static double quantile_expanded(double mean)
{
    const double near = 0.02, z = MOMENTS_Z95;
    double root = sqrt(mean);
    double at = mean + z * root + (z * z - 1) / 6 - (z * z * z - z) / (72 * root) - 0.5;

    return fabs(at - rint(at)) > near ? ceil(at) : (double)NAN;
}

/* The same by adding up. */
static double quantile_summed(double share, double mean)
{
    double k = fmax(0, floor(mean)); /* then step to the answer, about 1.6 standard deviations
                                      * away */
    double term = poisson_mass(k, mean), below = below_from(k, mean, term);

    while (below < share)
        below += term *= mean / ++k;
    while (k > 0 && below - term >= share) {
        below -= term;
        term *= k-- / mean;
    }
    return k;
}

double queue_poisson_quantile(double share, double mean)
{
    const double many = 100, tail = 0.95;
    double k =
        mean >= many && !(share < tail) && !(share > tail) ? quantile_expanded(mean) : (double)NAN;

    if (mean <= 0)
        return 0;
    return isnan(k) ? quantile_summed(share, mean) : k;
}

/* The mean for 0.95, accurate to a few thousandths: the quantile of a gamma distribution (Wilson
 * and Hilferty, 1931). */
static double mean_nearly(double k)
{
    double a = k + 1, root = 1 - 1 / (9 * a) - 1.645 / (3 * sqrt(a));

    return fmax(1e-3, a * root * root * root);
}

void queue_poisson_mean_within(double k, double *low, double *high)
{
    const double error = 2e-4; /* relative, for k of at least 16; never above the exact value */

    *low = mean_nearly(k);
    *high = *low * (1 + error);
}

double queue_poisson_mean(double share, double k)
{
    enum { STEPS_MAX = 60 };
    double low = 0, high = k + 3, mean = mean_nearly(k), of_k = log_factorial(k);

    /* Halley's method (the slope of P(X <= k) is minus the mass at k, whose own relative slope is k
     * / mean - 1), kept within the known bounds. After a short step the error is of the order of
     * its cube. */
    for (int i = 0; i < STEPS_MAX && high - low > 1e-12 * high; i++) {
        double mass = exp(k * log(mean) - mean - of_k);
        double excess = below_from(k, mean, mass) - share, step = excess / mass;
        if (excess >= 0)
            low = mean;
        else
            high = mean;
        double next = mean + step / (1 + step * (k / mean - 1) / 2);
        bool near = fabs(next - mean) <= 1e-6 * mean;
        mean = near || (next > low && next < high) ? next : (low + high) / 2;
        if (near)
            break;
    }
    return mean * (1 - 1e-11); /* on the near side of the step */
}

double queue_routed_quantile(double share, double mean, double replicas)
{
    double n = fmax(1, replicas);

    return fmax(1, ceil(queue_poisson_quantile(share, n * mean) / n));
}

double queue_routed_mean(double share, double k, double replicas)
{
    double n = fmax(1, replicas);

    return queue_poisson_mean(share, n * k) / n;
}

double queue_rate(const struct inference *inference, double batch)
{
    return batch / inference_serve(inference, batch).request_seconds;
}

/* The number between two with the highest throughput (golden section; Kiefer, 1953). */
static double peak_between(const struct inference *inference, double low, double high, double *most)
{
    enum { STEPS = 24 };
    const double share = 0.6180339887498949;
    double left = high - share * (high - low), right = low + share * (high - low);
    double of_left = queue_rate(inference, left), of_right = queue_rate(inference, right);

    for (int i = 0; i < STEPS; i++) {
        if (of_left > of_right) {
            high = right;
            right = left;
            of_right = of_left;
            left = high - share * (high - low);
            of_left = queue_rate(inference, left);
        } else {
            low = left;
            left = right;
            of_left = of_right;
            right = low + share * (high - low);
            of_right = queue_rate(inference, right);
        }
    }
    *most = fmax(of_left, of_right);
    return of_left > of_right ? left : right;
}

/* A walk along the powers of two up to `most`. If prompts take most of the time, their waits may
 * lower the throughput with more in flight: then the passed peak is searched for. */
struct walk {
    double low, high;       /* in flight: previous and current */
    double before, answers; /* requests per second at those */
};

static struct walk walk_from_one(const struct inference *inference, double most)
{
    double one = fmin(1, most);

    return (struct walk){.high = one, .answers = queue_rate(inference, one)};
}

/* Returns false at the end of the walk. *peak and *of_peak are the peak passed, or the current
 * point. */
static bool walk_on(const struct inference *inference, double most, struct walk *walk, double *peak,
                    double *of_peak)
{
    double here = walk->high, answers = walk->answers, from = walk->low;
    bool over = here >= most, rose = answers > walk->before;

    *peak = here;
    *of_peak = answers;
    if (over)
        return false;
    walk->low = here;
    walk->before = answers;
    walk->high = fmin(2 * here, most);
    walk->answers = queue_rate(inference, walk->high);
    if (rose && walk->answers < answers) {
        double at = peak_between(inference, from, walk->high, &answers);
        if (answers > *of_peak) {
            *peak = at;
            *of_peak = answers;
        }
    }
    return true;
}

double queue_best_batch(const struct inference *inference, double batch)
{
    double best = batch, most = -1, peak, of_peak;
    bool more;

    if (inference_mixes_arrivals(&inference->job)) /* more arrivals keep more in flight */
        return batch;
    struct walk walk = walk_from_one(inference, batch);
    do {
        more = walk_on(inference, batch, &walk, &peak, &of_peak);
        if (of_peak > most) {
            best = peak;
            most = of_peak;
        }
    } while (more);
    return best;
}

/* Requests answered per second with `batch` in flight; for random arrivals at `rate`, exact if both
 * are equal. */
static double answered(const struct inference *inference, double batch, double rate)
{
    if (!inference_mixes_arrivals(&inference->job))
        return queue_rate(inference, batch);
    return batch / inference_serve_arrivals(inference, batch, rate).request_seconds;
}

/* The batch in [low, high] at which `answered` equals the rate. */
static double root_between(const struct inference *inference, double rate, double low,
                           double answers_low, double high, double answers_high)
{
    enum { STEPS = 60 };
    struct root root = {low, high, answers_low - rate, answers_high - rate, 0};

    for (int i = 0; i < STEPS && root.high - root.low > 1e-9 * root.high; i++) {
        double middle = root_guess(&root), excess = answered(inference, middle, rate) - rate;
        if (fabs(excess) <= 1e-12 * rate)
            return middle;
        root_narrow(&root, middle, excess);
    }
    return root.high;
}

/* NAN if even the largest batch does not keep up, or times are unknown. */
static double batch_of_arrivals(const struct inference *inference, double rate, double most)
{
    double low = 0, before = 0, high = fmin(1, most), answers;

    if (!(rate * inference_prompt_moments(inference, inference->prefill.stages).first < 1))
        return (double)NAN;
    double alone = answered(inference, high, rate) / high; /* with more in flight, each is answered
                                                            * no faster */
    while (2 * high < most && 2 * high * alone <= rate)
        high *= 2;
    while (!((answers = answered(inference, high, rate)) > rate)) {
        if (high >= most || isnan(answers))
            return (double)NAN;
        low = high;
        before = answers;
        high = fmin(2 * high, most);
    }
    return root_between(inference, rate, low, before, high, answers);
}

double queue_batch(const struct inference *inference, double rate, double most)
{
    if (inference_mixes_arrivals(&inference->job))
        return batch_of_arrivals(inference, rate, most);
    struct walk walk = walk_from_one(inference, most);
    double low = 0, answers = 0, peak, of_peak;
    bool more = true;

    while (more) {
        low = walk.low;
        answers = walk.before;
        if (walk.answers > rate)
            return root_between(inference, rate, low, answers, walk.high, walk.answers);
        more = walk_on(inference, most, &walk, &peak, &of_peak);
        if (of_peak > rate)
            return root_between(inference, rate, low, answers, peak, of_peak);
    }
    return (double)NAN;
}

struct served queue_served(const struct inference *inference, double rate, double most,
                           double slower)
{
    double arrives = rate * slower, batch = queue_batch(inference, arrives, most);
    struct served served;

    if (isnan(batch))
        served = inference_serve(inference, most);
    else if (inference_mixes_arrivals(&inference->job))
        served = inference_serve_arrivals(inference, batch, arrives);
    else
        served = inference_serve(inference, batch);
    served.tpot *= slower;
    served.ttft *= slower;
    served.request_seconds *= slower;
    return served;
}

double queue_token_most(const struct inference *inference, double batch, double rate, double most)
{
    double tail = inference_serve_arrivals(inference, batch, rate).tpot;

    if (!inference_mixes_arrivals(&inference->job))
        return tail;
    struct latency l = latency_first(inference, rate, most);
    return fmax(tail, latency_token(&l, tail));
}

/* A replica evaluated at successive rates. */
struct rates {
    const struct inference *inference;
    struct work idle; /* without arrivals */
    struct step_curve curve;
    double most;
};

/* True if the queue is stable at that rate; *spare is the margin, which falls about linearly with
 * the rate. */
static bool ends_at(const struct rates *rates, double rate, double *spare)
{
    struct work w = rates->idle;
    bool ends = work_load(rates->inference, &rates->curve, rate, rates->most, &w);

    *spare = work_spare(&w);
    if (!ends)
        return false;
    double idle = work_full(&w, rates->most).idle;
    if (!(idle > 0)) /* relevant if slots run out */
        ends = latency_ends(rates->inference, rate, rates->most);
    if (idle > 0 || !ends)
        *spare = fmin(*spare, idle);
    return ends;
}

/* Narrow the interval [*ends, *endless] to `width` by false position (Illinois). */
static void narrow(const struct rates *rates, double spare, double width, double *ends,
                   double *endless)
{
    enum { TRIES = 16 };
    double above = 1, below = spare, at;

    for (int i = 0, stayed = 0; width < *endless - *ends && i < TRIES; i++) {
        double middle = (*ends * below - *endless * above) / (below - above);
        if (!(middle > *ends && middle < *endless))
            middle = (*ends + *endless) / 2;
        if (ends_at(rates, middle, &at)) {
            *ends = middle;
            above = at;
            below /= stayed == 1 ? 2 : 1;
            stayed = 1;
        } else {
            *endless = middle;
            below = at;
            above /= stayed == -1 ? 2 : 1;
            stayed = -1;
        }
    }
}

enum { STEPS = 20 };

/* Bisection between 0 and an unstable rate; evaluates only rates between the known bounds. */
static double bisect(const struct rates *rates, double high, double ends, double endless)
{
    double low = 0, spare;

    for (int i = 0; i < STEPS; i++) {
        double middle = (low + high) / 2;
        if (middle <= ends || (middle < endless && ends_at(rates, middle, &spare)))
            low = middle;
        else
            high = middle;
    }
    return low;
}

double queue_rate_with_end(const struct inference *inference, double high, double most)
{
    struct rates rates = {.inference = inference, .idle = work_of(inference), .most = most};
    double ends = 0, endless = high, spare;

    rates.curve = step_curve_of(inference, rates.idle.context);
    if (ends_at(&rates, high, &spare))
        return high;
    narrow(&rates, spare, ldexp(high, -STEPS), &ends, &endless);
    double rate = bisect(&rates, high, ends, endless);
    bool stays = rate == 0 || ends_at(&rates, rate, &spare); /* near the limit stability may not be
                                                              * monotone */
    return stays ? rate : bisect(&rates, high, 0, high);
}
