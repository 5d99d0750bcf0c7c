/* model.h - the uncertain inputs of a ledger, numbered random draws of them, and the result of a
 * draw. */
#ifndef ESTIMATE_RISK_MODEL_H
#define ESTIMATE_RISK_MODEL_H

#include "estimate/break_even/break_even.h"

#include <stdint.h>

/* A distribution of two triangles, each with half of the probability, that meet in the middle; the
 * density falls to 0 at the ends. The middle is always the median. */
struct risk_triangle {
    double low, middle, high;
};

/* The inverse CDF: the value at quantile `unit`, 0 to 1. */
double risk_triangle_at(const struct risk_triangle *triangle, double unit);

enum {
    RISK_INPUTS_MAX = 128,
    RISK_BLOCK = 64 /* draws per block; about half a millisecond of ledgers */
};

struct risk_input {
    const struct field *field; /* of ownership_fields */
    struct risk_triangle triangle;
    const double *values; /* equally likely values, ascending, instead of the triangle; NULL: use
                           * the triangle */
    size_t n_values;
};

struct risk_model {
    const struct ownership *in; /* complete, with all prices the ledger needs */
    const struct risk_input *inputs;
    size_t n;
    bool drawn[RISK_INPUTS_MAX]; /* the input varies and affects the ledger */
    /* Indexes of two correlated inputs: the second follows the first in the fraction `correlation`
     * of the draws. */
    size_t leading, following;
    double correlation;
};

/* Initialise the model, finding which inputs affect the ledger. */
void risk_model_init(struct risk_model *model, const struct ownership *in,
                     const struct risk_input *inputs, size_t n);

/* One draw and its result. */
struct risk_trial {
    double value[RISK_INPUTS_MAX];
    double saving;  /* rent minus buy at the horizon, USD, unrounded */
    double present; /* the same discounted to month 0 at the drawn rate */
    double months;  /* the break-even month, interpolated linearly; INFINITY if never */
};

/* Evaluate draw `number`. */
void risk_try(const struct risk_model *model, uint64_t seed, size_t number, struct risk_trial *out);

/* The quantiles of the input in draws first, first + 1, ...: n of them, at most one block. */
void risk_units(const struct risk_model *model, size_t input, uint64_t seed, size_t first,
                double *units, size_t n);

/* Evaluate those draws. */
void risk_run_block(const struct risk_model *model, uint64_t seed, size_t first, size_t n,
                    struct risk_trial trials[RISK_BLOCK]);

#endif
