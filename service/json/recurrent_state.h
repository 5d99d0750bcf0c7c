/* recurrent_state.h - what a layer that is not softmax attention keeps of a sequence, whatever its
 * length. */
#ifndef JSON_RECURRENT_STATE_H
#define JSON_RECURRENT_STATE_H

#include "catalog/model.h"
#include "json/config.h"

/* Elements in one such layer: the recurrent state, and the inputs its short convolution looks back
 * on. */
double recurrent_state_elements(const struct config *config, const struct model *model);

#endif
