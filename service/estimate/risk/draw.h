/* draw.h - what the files of risk share: numbered draws in blocks. */
#ifndef ESTIMATE_RISK_DRAW_H
#define ESTIMATE_RISK_DRAW_H

#include "estimate/risk/risk.h"

enum { RISK_BLOCK = 64 }; /* about half a millisecond of ledgers */

/* The quantiles at which draws first, first + 1, ... take the input: n, a block at most. */
void risk_units(const struct risk_model *model, size_t input, uint64_t seed, size_t first,
                double *units, size_t n);

/* What comes of those draws. */
void risk_run_block(const struct risk_model *model, uint64_t seed, size_t first, size_t n,
                    struct risk_trial trials[RISK_BLOCK]);

#endif
