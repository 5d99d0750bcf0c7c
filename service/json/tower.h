/* tower.h - the parts of a multimodal model other than its text model: vision tower and projector.
 */
#ifndef JSON_TOWER_H
#define JSON_TOWER_H

#include "json/config.h"

struct tower {
    bool there;     /* the config describes one */
    bool guessed;   /* unknown type, counted as a plain vision transformer */
    double weights; /* of tower and projector; 0 if the sizes are not given */
};

/* Count the exact number of weights outside the text model, whose width is `hidden`, norms and
 * biases included, as the classes of Hugging Face transformers allocate them. Never refuses: what
 * cannot be parsed is not counted. */
void tower_count(const struct config *config, double hidden, struct tower *tower);

#endif
