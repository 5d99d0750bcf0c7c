/* risk.h - how sure buy or rent is: both sides of the ledger over many draws of uncertain prices.
 *
 * Each input is drawn from a triangle, alone. For rent decline and retention there are RISK_VALUES
 * values, as likely as one another, so that their powers are taken once each. A figure is the same
 * for any number of threads: draws are numbered, and summed up in blocks, in order.
 */
#ifndef ESTIMATE_RISK_RISK_H
#define ESTIMATE_RISK_RISK_H

#include "base/arena.h"
#include "base/parallel.h"
#include "estimate/risk/curves.h"

#include <stdint.h>

/* Density rises from low to mode and falls to high; all three the same: that value. */
struct risk_triangle {
    double low, mode, high;
};

/* The value below which a share `unit` of the draws lies, from 0 to 1. */
double risk_triangle_at(const struct risk_triangle *triangle, double unit);

enum { RISK_BINS = 32, RISK_CLASSES = 50 };

struct risk_model;

/* In the arena. The inputs are complete, and no price that the ledger needs is unknown. */
const struct risk_model *risk_model_make(const struct ownership *in,
                                         const struct risk_triangle triangles[RISK_INPUTS],
                                         struct arena *arena);

/* One draw and what comes of it. */
struct risk_trial {
    double value[RISK_INPUTS];
    double saving; /* rent less buy at the horizon, USD, not rounded */
    double months; /* from which on buying costs no more, linear between months; INFINITY: never */
};

void risk_try(const struct risk_model *model, uint64_t seed, size_t number, struct risk_trial *out);

enum risk_percentile { RISK_P05, RISK_P50, RISK_P95, RISK_PERCENTILES };

/* Savings from `from` to `to`. */
struct risk_class {
    double from, to;
    double share, share_up_to; /* of the draws; up to `to` */
};

struct risk {
    double probability_buy; /* that buying costs no more at the horizon */
    double probability_reached;
    double mean_saving;
    double saving[RISK_PERCENTILES], months[RISK_PERCENTILES]; /* the nearest rank */
    double regret_of_buying, regret_of_renting; /* mean of what the other had saved */
    /* The first-order Sobol index of the saving, as the correlation ratio over RISK_BINS equally
     * likely bins of the input, less what as many bins of pure chance would show. NAN where the
     * saving does not vary. */
    double variance_share[RISK_INPUTS];
    size_t n_classes;
    struct risk_class classes[RISK_CLASSES];
};

/* Memory of about 20 bytes a draw is taken from the arena. */
void risk_simulate(const struct risk_model *model, uint64_t seed, size_t draws,
                   const struct parallel *parallel, struct arena *arena, struct risk *out);

#endif
