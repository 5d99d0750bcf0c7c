/* model_config.h - a Hugging Face config.json as the shape of a model. */
#ifndef JSON_MODEL_CONFIG_H
#define JSON_MODEL_CONFIG_H

#include "catalog/model.h"
#include "json/field.h"

/* Read the object at `place` as a config.json into a model made in place->arena. Unknown members
 * are passed over, as families differ; false with a culprit for each that is missing or no use. */
bool model_config_read(const struct place *place, const struct model **model) MUST_CHECK;

#endif
