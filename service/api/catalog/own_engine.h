/* own_engine.h - checks the sizes of weights and KV cache that the caller's engine logged. */
#ifndef API_CATALOG_OWN_ENGINE_H
#define API_CATALOG_OWN_ENGINE_H

#include "api/resource/context.h"
#include "estimate/inference/inference.h"

/* Refuse a size that the replica cannot have held, and name the unit in which it could. For tokens,
 * the inference has the measured weights, if any. */
bool own_engine_check_weights(struct request_context *context, double given,
                              const struct inference *inference, struct err *err) MUST_CHECK;
bool own_engine_check_tokens(struct request_context *context, double given,
                             const struct inference *inference, struct err *err) MUST_CHECK;

#endif
