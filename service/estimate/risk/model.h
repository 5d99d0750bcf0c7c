/* model.h - what the files of risk share: numbered draws, and the ledger worked out for each
 * from tables. */
#ifndef ESTIMATE_RISK_MODEL_H
#define ESTIMATE_RISK_MODEL_H

#include "estimate/risk/risk.h"

/* Values of a yearly ratio with a curve over the months for each. */
struct risk_paths {
    double value[RISK_VALUES];
    double (*at)[RISK_ROW]; /* of each month */
};

struct risk_model {
    struct risk_curves curves;
    struct risk_triangle triangles[RISK_INPUTS];
    bool drawn[RISK_INPUTS]; /* it varies, and the saving with it */
    bool pays_idle;          /* whether rent_idle is ever other than 0 */
    struct risk_paths rent_idle, rent_used, sold;
    double chord_bound[RISK_MONTHS_MAX + 1]; /* see risk/chord_bound.h */
};

/* Draws are worked out in blocks of this size, also where fewer are asked for: loops of a fixed
 * length are what a compiler makes vectors of. */
enum { RISK_BLOCK = 1024 };

/* The draws of a block, an input after the other. */
struct risk_columns {
    double value[RISK_INPUTS][RISK_BLOCK];   /* not of decline and retention, */
    uint16_t place[RISK_INPUTS][RISK_BLOCK]; /* of which it is the place among their values */
};

void risk_draw(const struct risk_model *model, uint64_t seed, size_t first,
               struct risk_columns *columns);
/* What comes of the draws of a block: see struct risk_trial. */
void risk_sample_path(const struct risk_model *model, const struct risk_columns *columns,
                      double savings[RISK_BLOCK], double months[RISK_BLOCK]);

#endif
