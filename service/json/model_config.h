/* model_config.h - converts a Hugging Face config.json to the shape of a model. */
#ifndef JSON_MODEL_CONFIG_H
#define JSON_MODEL_CONFIG_H

#include "catalog/model.h"
#include "json/field.h"

/* Convert the object at `place` to a model in place->arena. Unknown members are ignored, as
 * families differ. False with a culprit for each missing or invalid member. */
bool model_config_read(const struct place *place, const struct model **model) MUST_CHECK;

#endif
