/* serving_fixture.h - a request for a service with everything left open. */
#ifndef TESTS_SERVING_FIXTURE_H
#define TESTS_SERVING_FIXTURE_H

#include "estimate/inference/serving/serving.h"

/* 1,000 requests a minute of 512 tokens in and 200 out, no limits, 16-bit cache, nodes of 8 with
 * 400 Gbit/s per GPU. Ends the test where the catalogue has no such model or GPU. */
struct serving_request fixture_serving(const struct catalog *catalog,
                                       const struct inference_constants *constants,
                                       const char *model, const char *gpu, enum number weights);

/* A number below n, by a generator that starts alike in every program. */
size_t fixture_draw(size_t n);
/* One of seven numbers, `span` apart from first to last. */
double fixture_spread(double first, double span);
/* Whether the estimate has all figures of the GPU that it needs. */
bool fixture_is_usable(const struct gpu *gpu);
/* From now on encoders and rerankers are drawn too. */
void fixture_draw_all(void);
/* Some model on some GPU under some load, with some limits; of requests that are all alike, and
 * whose spread the ith has. */
struct serving_request fixture_random_request(const struct catalog *catalog,
                                              const struct inference_constants *constants);
struct serving_request fixture_spread_request(const struct catalog *catalog,
                                              const struct inference_constants *constants,
                                              size_t i);
/* GPUs of the smallest design; INFINITY if there is none. */
double fixture_fewest(const struct serving_request *request);

#endif
