/* risk.h - the probability that buying or renting is cheaper: Monte Carlo simulation of the ledger
 * over uncertain inputs.
 *
 * Each input is drawn from two triangles that meet at its median, the value used, or from equally
 * likely values (prices of the available providers); each draw runs the full ledger. Two inputs may
 * be correlated: in a fraction of the draws one takes the mirrored quantile of the other, otherwise
 * they are independent (a Frechet copula: that fraction, negated, is their rank correlation).
 * Results do not depend on the number of threads: draws are numbered, and every input has its own
 * random numbers, regardless of which others are drawn.
 */
#ifndef ESTIMATE_RISK_RISK_H
#define ESTIMATE_RISK_RISK_H

#include "base/arena.h"
#include "base/parallel.h"
#include "estimate/risk/model.h"

enum { RISK_CLASSES = 50 };

enum risk_percentile { RISK_P05, RISK_P50, RISK_P95, RISK_PERCENTILES };

/* A histogram class: savings from `from` to `to`. */
struct risk_class {
    double from, to;
    double share, share_up_to; /* fraction of the draws; cumulative, up to `to` */
};

struct risk {
    double probability_buy; /* that buying costs no more at the horizon */
    double probability_reached;
    double mean_saving, mean_present;
    double saving[RISK_PERCENTILES], present[RISK_PERCENTILES]; /* by nearest rank */
    double months[RISK_PERCENTILES];
    double regret_of_buying, regret_of_renting; /* mean loss compared with the other choice */
    /* The first-order Sobol index of the saving, estimated as the correlation ratio over equally
     * likely bins of the input, minus its expectation under pure chance. NAN if the saving does not
     * vary. */
    double variance_share[RISK_INPUTS_MAX];
    /* Expected value of partial perfect information: the mean gain from choosing the better side
     * for each value of the input, over choosing once. */
    double information[RISK_INPUTS_MAX];
    size_t n_classes;
    struct risk_class classes[RISK_CLASSES];
};

/* Takes about 50 bytes per draw from the arena. */
void risk_simulate(const struct risk_model *model, uint64_t seed, size_t draws,
                   const struct parallel *parallel, struct arena *arena, struct risk *out);

#endif
