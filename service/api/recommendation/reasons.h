/* reasons.h - why an option and not another: its figures against what they are measured by. */
#ifndef API_RECOMMENDATION_REASONS_H
#define API_RECOMMENDATION_REASONS_H

#include "api/recommendation/recommendation.h"
#include "estimate/break_even/break_even.h"

/* An option, its row, and the purchase of its GPUs weighed. */
struct recommendation_row_of {
    const struct recommendation *recommendation;
    const struct recommendation_option *option;
    struct recommendation_row *row;
    struct ownership own;       /* of the GPUs whose purchase is weighed */
    struct break_even *weighed; /* NULL where their ledger lacks a figure */
};

/* Table `reasons` of the n options of the list, in their order. */
void recommendation_add_reasons(const struct recommendation_row_of *of, size_t n,
                                struct request_context *context);

/* Whether anything is trained or fine-tuned. */
bool recommendation_has_jobs(const struct recommendation *recommendation);

#endif
