/* config.h - a Hugging Face config.json with its synonymous members under one name. */
#ifndef JSON_CONFIG_H
#define JSON_CONFIG_H

#include "json/family.h"
#include "json/field.h"

/* Numbers and flags are NAN and lists are NULL if the config does not have them. */
struct config {
#define COUNT(member, min, max, names) double member;
#define FLAG(member, names) double member;
#define LIST(member, names) const json_t *member;
#include "json/config.def"
#undef COUNT
#undef FLAG
#undef LIST
    double moe_every;            /* moe_layer_freq as a number */
    const json_t *moe_pattern;   /* moe_layer_freq as a list, 1 where a layer has experts */
    double pattern;              /* every n-th layer has no window; NAN if unknown */
    const char *window_letters;  /* or one letter per layer, repeated: L with a window, G without */
    const char *blocks;          /* one letter per layer: M state space, * attention, - FFN, E
                                  * experts */
    double state_rank;           /* mamba_dt_rank; NAN if "auto" */
    const char *type, *name;     /* model_type; name under which the config was stored; NULL if
                                  * unknown */
    const struct family *family; /* NULL for an unknown model_type */
    unsigned traits;             /* the family's, adjusted by the config */
    bool defaults;               /* missing sizes take the defaults of its class */
    struct place place;          /* the text model, for culprits */
    struct place outer;          /* the whole config */
};

/* Read and check each member separately; finds text models nested in multimodal ones. False with a
 * culprit for each missing or invalid member. */
bool config_read(const struct place *place, struct config *config) MUST_CHECK;

bool config_has(const struct config *config, enum trait trait);

#endif
