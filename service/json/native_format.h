/* native_format.h - the number format of a published checkpoint: weight quantization by tensor
 * type, and its block scales. */
#ifndef JSON_NATIVE_FORMAT_H
#define JSON_NATIVE_FORMAT_H

#include "catalog/model.h"
#include "json/config.h"

/* Fill in the format of a model whose layers are counted. What the config does not say, and
 * unsupported formats, stay unknown. */
void native_format_read(const struct config *config, struct model *m);

#endif
