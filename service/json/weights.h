/* weights.h - counts a model's weights exactly, norms and biases included. */
#ifndef JSON_WEIGHTS_H
#define JSON_WEIGHTS_H

#include "catalog/model.h"
#include "json/layers.h"

/* Fill in params_total, params_active and kv_bytes_per_token_bf16 from the rest of the shape. */
void weights_count(const struct config *config, const struct layers *layers, struct model *model);

#endif
