/* risk_model.h - what the files of risk share: numbered draws, and the ledger worked out for each
 * from tables. */
#ifndef ESTIMATE_RISK_MODEL_H
#define ESTIMATE_RISK_MODEL_H

#include "estimate/risk.h"

enum { RISK_LINE = 8 }; /* apart, so that the months are not in each other's way in the cache */

/* Values of a yearly ratio with a curve over the months for each. */
struct risk_paths {
    size_t n; /* RISK_VALUES, or 1 where there is only one value */
    double value[RISK_VALUES];
    double fall[RISK_VALUES]; /* the most by which the difference falls in a month for its sake */
    double (*at)[RISK_VALUES + RISK_LINE]; /* of each month */
};

struct risk_model {
    struct risk_curves curves;
    struct triangle triangles[RISK_INPUTS];
    bool drawn[RISK_INPUTS]; /* it varies, and the saving with it */
    bool pays_idle;          /* whether rent_idle is ever other than 0 */
    struct risk_paths rent_idle, rent_used, sold;
    struct risk_month fall; /* the most by which each falls in a month */
};

enum { RISK_BLOCK = 512 };

/* The draws of a block, an input after the other. */
struct risk_columns {
    double value[RISK_INPUTS][RISK_BLOCK];
    uint16_t place[RISK_INPUTS][RISK_BLOCK]; /* which RISK_VALUES-th of its values it is from */
};

void risk_draw(const struct risk_model *model, uint64_t seed, size_t first, size_t n,
               struct risk_columns *columns);
/* What comes of the first n draws of the columns: see struct risk_trial. */
void risk_follow(const struct risk_model *model, const struct risk_columns *columns, size_t n,
                 double savings[], double months[]);

#endif
