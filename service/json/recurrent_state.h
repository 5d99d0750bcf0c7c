/* recurrent_state.h - size of the per-sequence state of a layer without softmax attention, which
 * does not grow with the sequence. */
#ifndef JSON_RECURRENT_STATE_H
#define JSON_RECURRENT_STATE_H

#include "catalog/model.h"
#include "json/config.h"

/* Elements per layer: the recurrent state, and the inputs its short convolution keeps. */
double recurrent_state_elements(const struct config *config, const struct model *model);

#endif
