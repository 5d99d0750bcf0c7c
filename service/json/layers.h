/* layers.h - of what kinds a model's layers are, and how many of each. */
#ifndef JSON_LAYERS_H
#define JSON_LAYERS_H

#include "json/config.h"

/* Key and value heads of a kind of layer. */
struct heads {
    double kv, dim, value_dim;
    bool value_is_key; /* values have no matrix of their own */
};

struct layers {
    double full, sliding, linear;
    double borrowing;          /* of the full ones: use keys and values of a layer before them */
    double window;             /* tokens; 0: nothing slides */
    double experts;            /* layers with experts */
    double dense;              /* layers with a dense FFN */
    double dense_first;        /* layers before the first with experts */
    struct heads wide, narrow; /* of full and of sliding layers */
};

/* False with a culprit where a list contradicts the number of layers or names an unknown kind. */
bool layers_count(const struct config *config, double kv_heads, double head_dim,
                  struct layers *layers) MUST_CHECK;

#endif
