/* native_format.h - the number format a checkpoint is published in: weight quantization by kind of
 * tensor, and its block scales. */
#ifndef JSON_NATIVE_FORMAT_H
#define JSON_NATIVE_FORMAT_H

#include "catalog/model.h"
#include "json/config.h"

/* Fill in the format of a model whose layers are counted; what the config does not say, and formats
 * that are not known here, stay unknown. */
void native_format_read(const struct config *config, struct model *m);

#endif
