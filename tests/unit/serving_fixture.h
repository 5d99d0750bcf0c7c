/* serving_fixture.h - a request for a service with everything left open. */
#ifndef TESTS_SERVING_FIXTURE_H
#define TESTS_SERVING_FIXTURE_H

#include "estimate/inference/serving/serving.h"

/* 1,000 requests a minute of 512 tokens in and 200 out, no limits, 16-bit cache, nodes of 8 with
 * 400 Gbit/s per GPU. Ends the test where the catalogue has no such model or GPU. */
struct serving_request fixture_serving(const struct catalog *catalog,
                                       const struct inference_constants *constants,
                                       const char *model, const char *gpu, enum number weights);

#endif
