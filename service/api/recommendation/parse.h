/* parse.h - checks the inputs of a recommendation and prepares the questions of its searches. */
#ifndef API_RECOMMENDATION_PARSE_H
#define API_RECOMMENDATION_PARSE_H

#include "api/recommendation/recommendation.h"

/* train, finetune or serve */
const char *recommendation_workload(enum recommendation_workload workload);

/* Check the inputs and prepare the searches. */
bool recommendation_read(struct recommendation *recommendation, struct err *err) MUST_CHECK;

/* A request to another resource with those of our inputs that it has, except those in the
 * comma-separated `except`, plus those in `more`; NULL with *err if it refuses one. */
struct request_context *recommendation_ask(struct recommendation *recommendation,
                                           const struct resource *resource, const char *except,
                                           const struct params *more, struct err *err);

/* The prepared question of the sizing, without GPU types if all are refused; NULL with *err if the
 * caller's inputs are. */
struct inference_options *recommendation_service(struct recommendation *recommendation,
                                                 const struct params *more, struct err *err);

#endif
