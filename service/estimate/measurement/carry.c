#include "estimate/measurement/carry.h"

#include "estimate/inference/communication.h"

#include <math.h>

/* The fractions of the parts change with their factors: iterate. */
enum { ROUNDS = 4 };
static const double MOST = 3;    /* maximum log of a part's factor */
static const double SAME = 1e-3; /* changes below this are ignored */

static struct carry_parts shares_of(const double seconds[CARRY_PARTS])
{
    struct carry_parts parts = {{0}};
    double total = 0;

    for (int i = 0; i < CARRY_PARTS; i++)
        total += seconds[i];
    for (int i = 0; i < CARRY_PARTS && total > 0; i++)
        parts.share[i] = seconds[i] / total;
    if (!(total > 0) || !isfinite(total))
        parts = (struct carry_parts){{1}};
    return parts;
}

struct carry_parts carry_parts_of_serving(const struct served *served)
{
    const struct step *s = &served->step;
    double passes = s->total > 0 ? (served->tpot - served->interference) / s->total : 1;

    return shares_of((double[CARRY_PARTS]){
        passes * s->weights,
        passes * (s->kv_cache + s->state + s->gemm + s->attention + s->routing),
        passes * (inference_communication(s) + s->transfer),
        passes * (s->launch + s->requests),
        served->interference,
    });
}

struct carry_parts carry_parts_of_step(const struct training_step *step)
{
    double communication = step->tensor_communication + step->pipeline_communication +
                           step->data_communication + step->expert_communication +
                           step->context_communication;

    return shares_of((double[CARRY_PARTS]){step->arithmetic, step->memory, communication,
                                           step->pipeline_bubble, 0});
}

static double apart(const struct carry_constants *c, const struct nearest_features *a,
                    const struct nearest_features *b)
{
    return c->per_batch * fabs((double)(a->batch - b->batch)) +
           c->per_length * fabs((double)(a->length - b->length)) +
           c->per_gpus * fabs((double)(a->gpus - b->gpus));
}

void carry_add(struct carry *carry, const struct carry_run *run)
{
    double distance = apart(carry->constants, &carry->asked.features, &run->features);
    size_t at = carry->n < CARRY_RUNS ? carry->n++ : CARRY_RUNS;

    carry->seen++;
    for (; at > 0 && carry->apart[at - 1] > distance; at--)
        if (at < CARRY_RUNS) {
            carry->apart[at] = carry->apart[at - 1];
            carry->runs[at] = carry->runs[at - 1];
        }
    if (at < CARRY_RUNS) {
        carry->apart[at] = distance;
        carry->runs[at] = *run;
    }
}

struct system {
    size_t n;
    double fading[CARRY_RUNS][CARRY_RUNS]; /* covariance of the decaying errors */
    double slope[CARRY_RUNS][CARRY_PARTS]; /* derivative of log time by the log of a factor */
    double lower[CARRY_RUNS][CARRY_RUNS];  /* Cholesky factor of the total covariance */
    double right[CARRY_RUNS];
    double part[CARRY_PARTS];   /* logs of the factors */
    double factor[CARRY_PARTS]; /* the factors themselves */
};

static void set_fading(const struct carry *carry, struct system *s)
{
    const struct carry_constants *c = carry->constants;
    double variance = c->load * c->load, own = variance * (1 / fmin(0.999, c->strength) - 1);

    for (size_t i = 0; i < s->n; i++)
        for (size_t j = 0; j <= i; j++)
            s->fading[i][j] =
                variance * exp(-apart(c, &carry->runs[i].features, &carry->runs[j].features)) +
                (i == j ? own : 0);
}

/* The log of the estimate with these factors over the plain estimate. */
static double slopes(const struct carry_parts *parts, const double factor[CARRY_PARTS],
                     double slope[CARRY_PARTS])
{
    double total = 0;

    for (int k = 0; k < CARRY_PARTS; k++)
        total += slope[k] = parts->share[k] * factor[k];
    for (int k = 0; k < CARRY_PARTS; k++)
        slope[k] /= total;
    return log(total);
}

static double covariance(const struct carry_constants *c, const double a[CARRY_PARTS],
                         const double b[CARRY_PARTS])
{
    double sum = 0;

    for (int k = 0; k < CARRY_PARTS; k++)
        sum += c->part[k] * c->part[k] * a[k] * b[k];
    return sum;
}

/* Positive definite even if two runs are the same, because strength is below 1. */
static void factorize(const struct carry_constants *c, struct system *s)
{
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = s->fading[i][j] + covariance(c, s->slope[i], s->slope[j]);
            for (size_t k = 0; k < j; k++)
                sum -= s->lower[i][k] * s->lower[j][k];
            s->lower[i][j] = i == j ? sqrt(sum) : sum / s->lower[j][j];
        }
}

static void solve_lower(const struct system *s, double x[CARRY_RUNS])
{
    for (size_t i = 0; i < s->n; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= s->lower[i][k] * x[k];
        x[i] /= s->lower[i][i];
    }
}

static void solve(const struct system *s, double x[CARRY_RUNS])
{
    solve_lower(s, x);
    for (size_t i = s->n; i-- > 0;) {
        for (size_t k = i + 1; k < s->n; k++)
            x[i] -= s->lower[k][i] * x[k];
        x[i] /= s->lower[i][i];
    }
}

/* A Gauss-Newton step; true once converged. */
static bool improve(const struct carry *carry, struct system *s)
{
    const struct carry_constants *c = carry->constants;
    double change = 0;

    for (size_t i = 0; i < s->n; i++) {
        s->right[i] =
            carry->runs[i].residual - slopes(&carry->runs[i].parts, s->factor, s->slope[i]);
        for (int k = 0; k < CARRY_PARTS; k++)
            s->right[i] += s->slope[i][k] * s->part[k];
    }
    factorize(c, s);
    solve(s, s->right);
    for (int k = 0; k < CARRY_PARTS; k++) {
        double sum = 0;
        if (c->part[k] == 0)
            continue;
        for (size_t i = 0; i < s->n; i++)
            sum += s->slope[i][k] * s->right[i];
        sum = fmax(-MOST, fmin(MOST, c->part[k] * c->part[k] * sum));
        change = fmax(change, fabs(sum - s->part[k]));
        s->part[k] = sum;
        s->factor[k] = exp(sum);
    }
    return change < SAME;
}

struct carried carry_over(const struct carry *carry)
{
    const struct carry_constants *c = carry->constants;
    double slope[CARRY_PARTS], near[CARRY_RUNS], explained = 0;
    struct system s;

    if (carry->n == 0)
        return (struct carried){0, 0};
    s.n = carry->n;
    for (int k = 0; k < CARRY_PARTS; k++) {
        s.part[k] = 0;
        s.factor[k] = 1;
    }
    set_fading(carry, &s);
    for (int i = 0; i < ROUNDS && !improve(carry, &s); i++)
        ;
    double residual = slopes(&carry->asked.parts, s.factor, slope);
    for (size_t i = 0; i < s.n; i++) {
        double fading = c->load * c->load * exp(-carry->apart[i]);
        residual += fading * s.right[i];
        near[i] = fading + covariance(c, slope, s.slope[i]);
    }
    double before = c->load * c->load + covariance(c, slope, slope);
    solve_lower(&s, near);
    for (size_t i = 0; i < s.n; i++)
        explained += near[i] * near[i];
    double taken = exp(-c->caution * carry->apart[0]);
    return (struct carried){taken * residual, taken * sqrt(fmin(1, explained / before))};
}
