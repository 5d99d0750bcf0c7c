/* rules.h - the usual back-of-the-envelope formulas for a training run. */
#ifndef ESTIMATE_TRAINING_PLAN_RULES_H
#define ESTIMATE_TRAINING_PLAN_RULES_H

#include "estimate/figures/rule_of_thumb.h"
#include "estimate/training/plan/search.h"

/* `duration_hours` is the rental period; NAN if not given. */
void training_rules(const struct training_job *job, const struct training_plan *plan,
                    const struct training_goal *goal, double duration_hours, struct rules *rules);

/* Communication between GPUs in terms of the usual formulas: data-sheet link rates, whole gradients
 * in FP32, no overlap. */
struct training_traffic {
    /* A layer computes 24 h^2 FLOP per token, split among t GPUs, and moves 16 h (t - 1)/t bytes in
     * and out of each: communication hides behind compute up to about 1.5 h B / F GPUs. */
    double link_both;          /* [B] bytes/s of a GPU's link, in and out together */
    double peak, peak_fastest; /* [F] dense 16-bit FLOP/s: FP32 accumulate; any */
    double tensor_limit, tensor_limit_fastest; /* GPUs, by either peak; not rounded */
    double tensor_parallel_limit;              /* whole GPUs by the fastest peak, at least 1 */

    double gradient_bytes;          /* FP32, of the whole model */
    double ring_rate;               /* bytes/s of a ring over all GPUs */
    double all_reduce;              /* s: 2 (n - 1)/n x gradients / ring rate */
    double stage_bytes, stage_rate; /* per micro-batch from stage to stage, per GPU */
    double stage_transfer;          /* s; NAN without a pipeline */
    double bubble_ratio;            /* relative to the time of the micro-batches */
    double reduced_bytes;           /* FP32 gradients of one GPU, sent and received */
    double network_balance; /* bytes/s per GPU at which they take as long as computing a step; NAN
                             * on one node, or without replicas */
};
/* The bubble ratio is that of Narayanan et al., arXiv 2104.04473, section 2.2. */
struct training_traffic training_traffic(const struct training_job *job,
                                         const struct training_plan *plan);

#endif
