/* config.h - a Hugging Face config.json as it is written: the same meaning under one name. */
#ifndef JSON_CONFIG_H
#define JSON_CONFIG_H

#include "json/family.h"
#include "json/field.h"

/* Numbers and flags are NAN, lists NULL where the config says nothing. */
struct config {
#define COUNT(member, min, max, names) double member;
#define FLAG(member, names) double member;
#define LIST(member, names) const json_t *member;
#include "json/config.def"
#undef COUNT
#undef FLAG
#undef LIST
    double moe_every;           /* moe_layer_freq as a number */
    const json_t *moe_pattern;  /* moe_layer_freq as a list, 1 where a layer has experts */
    double pattern;             /* every n-th layer has no window, NAN unknown */
    const char *window_letters; /* or a letter a layer, over and over: L has one, G none */
    const char *blocks;         /* a letter a layer: M state space, * attention, - FFN, E experts */
    double state_rank;          /* mamba_dt_rank, NAN where it is "auto" */
    const char *type, *name;    /* model_type; where the config was stored, NULL unknown */
    const struct family *family; /* NULL: an unknown model_type */
    unsigned traits;             /* of the family, corrected by what the config says */
    bool defaults;               /* sizes it leaves out are those of its class */
    struct place place;          /* of the text model, for culprits */
    struct place outer;          /* of the whole config */
};

/* Read and check each member by itself; text models nested in multimodal ones are found. False with
 * a culprit for each that is missing or no use. */
bool config_read(const struct place *place, struct config *config) MUST_CHECK;

bool config_has(const struct config *config, enum trait trait);

#endif
