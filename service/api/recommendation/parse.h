/* parse.h - checks the inputs of a recommendation and prepares the questions of its searches. */
#ifndef API_RECOMMENDATION_PARSE_H
#define API_RECOMMENDATION_PARSE_H

#include "api/recommendation/recommendation.h"

/* train, finetune or serve */
const char *recommendation_workload(enum recommendation_workload workload);

/* Check the inputs and prepare the searches. */
bool recommendation_read(struct recommendation *recommendation, struct err *err) MUST_CHECK;

/* The prepared question of the sizing, without GPU types if all are refused; NULL with *err if the
 * caller's inputs are. */
struct inference_options *recommendation_service(struct recommendation *recommendation,
                                                 const struct params *more, struct err *err);

#endif
