/* tower.h - what a multimodal model has alongside its text model: a vision tower and a projector.
 */
#ifndef JSON_TOWER_H
#define JSON_TOWER_H

#include "json/config.h"

struct tower {
    bool there;     /* the config describes one */
    bool guessed;   /* of an unknown type: counted as a plain vision transformer */
    double weights; /* of tower and projector; 0 where its sizes are not said */
};

/* The exact number of weights alongside the text model, which is `hidden` wide, norms and biases
 * included, as the classes of Hugging Face transformers allocate them. Nothing in it is refused:
 * what cannot be read is not counted. */
void tower_count(const struct config *config, double hidden, struct tower *tower);

#endif
