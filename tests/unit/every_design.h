/* every_design.h - the fewest GPUs of all legal designs, each of them tried: by the rules as they
 * are written down, and without the bounds of the search. */
#ifndef TESTS_EVERY_DESIGN_H
#define TESTS_EVERY_DESIGN_H

#include "estimate/inference/serving/serving.h"

/* Of designs of up to `most` GPUs; infinite if none does. Adds how many shardings were tried. */
double every_design_fewest(const struct serving_request *request, double most, size_t *tried);

#endif
