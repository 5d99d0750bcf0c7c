/* reasons.h - the reasons for an option: its figures compared with their thresholds. */
#ifndef API_RECOMMENDATION_REASONS_H
#define API_RECOMMENDATION_REASONS_H

#include "api/recommendation/recommendation.h"
#include "estimate/break_even/break_even.h"

/* An option, its row, and the evaluated purchase of its GPUs. */
struct recommendation_row_of {
    const struct recommendation *recommendation;
    const struct recommendation_option *option;
    struct recommendation_row *row;
    struct ownership own;       /* for the GPUs whose purchase is evaluated */
    struct break_even *weighed; /* NULL if their ledger lacks a figure */
};

/* Add table `reasons` for the n options of the list, in list order. */
void recommendation_add_reasons(const struct recommendation_row_of *of, size_t n,
                                struct request_context *context);

/* True if there is a training or fine-tuning job. */
bool recommendation_has_jobs(const struct recommendation *recommendation);

#endif
