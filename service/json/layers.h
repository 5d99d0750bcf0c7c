/* layers.h - the types of a model's layers, and how many there are of each. */
#ifndef JSON_LAYERS_H
#define JSON_LAYERS_H

#include "json/config.h"

/* Key and value heads of a layer type. */
struct heads {
    double kv, dim, value_dim;
    bool value_is_key; /* values share the keys' matrix */
};

struct layers {
    double full, sliding, linear;
    double borrowing;          /* number of full layers that reuse keys and values of an earlier
                                * layer */
    double window;             /* tokens; 0 without sliding windows */
    double experts;            /* layers with experts */
    double dense;              /* layers with a dense FFN */
    double dense_first;        /* layers before the first with experts */
    struct heads wide, narrow; /* of full and of sliding layers */
};

/* False with a culprit if a list contradicts the number of layers or has an unknown type. */
bool layers_count(const struct config *config, double kv_heads, double head_dim,
                  struct layers *layers) MUST_CHECK;

#endif
