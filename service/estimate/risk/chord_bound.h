/* chord_bound.h - an upper bound on how far a draw's saving can dip below linear interpolation
 * between two months; where even that dip stays above 0, the months between are skipped.
 *
 * The months are halved, and the halves again: a stretch is known by its middle. It ends at the
 * horizon, where every draw is worked out for its saving, or where the search does.
 */
#ifndef ESTIMATE_RISK_CHORD_BOUND_H
#define ESTIMATE_RISK_CHORD_BOUND_H

#include "estimate/risk/model.h"

static inline int risk_middle(int from, int to)
{
    return (from + to) / 2;
}

/* Set model->sag, USD by the middle of each stretch: no draw's difference hangs lower. The paths
 * are there. */
void risk_chord_bound(struct risk_model *model);

#endif
