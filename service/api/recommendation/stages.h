/* stages.h - shared by the files of the upgrade path: its search and its rows. */
#ifndef API_RECOMMENDATION_STAGES_H
#define API_RECOMMENDATION_STAGES_H

#include "api/recommendation/recommendation.h"
#include "estimate/recommendation/part_cache.h"
#include "estimate/recommendation/option.h"

/* Maximum number of sizings, each covering one or a few months. */
enum { STAGES_MAX = 12 };

/* Cost of the GPUs of a stage, or of several, by their ledger. */
struct stage_cost {
    struct recommendation_part part;
    double total;    /* with cost of capital until the horizon, less resale */
    double payments; /* without either */
};

/* GPUs of one type that stay from one stage to another: rented for one stage, or bought at the
 * start of the first and sold at the end of the last. */
struct stay {
    bool any;
    size_t from, to;
    struct stage_cost cost;
    double total;              /* of the cheapest path that ends so */
    const struct stay *before; /* NULL for the first */
};

/* What a type of GPU takes to carry the load of a stage. */
struct stage_gpu {
    const struct serving_option *option; /* the cheapest within the limits; NULL: none */
    bool may_rent;
    bool confirmed; /* two providers or more rent out that many */
    struct stage_cost rented;
    struct stay stays[2]; /* that end with this stage: rented, bought */
};

struct stage {
    double from, to; /* months of the service */
    struct inference_options *service;
    struct stage_gpu *steps; /* of each type in ask.kinds */
};

struct path {
    struct recommendation *recommendation;
    struct recommendation_ask ask; /* of the service alone */
    struct stage stages[STAGES_MAX];
    size_t n, n_gpu_types;
    const struct stay *last; /* of the cheapest path; NULL: no type carries some stage */
};

/* A move from one type of GPU to another. */
struct move {
    double migration, overlap; /* as paid */
    double total;              /* at the horizon */
};

struct price stages_price(const struct inference_options *service,
                          const struct serving_option *option);

struct move stages_move(const struct path *path, const struct stay *to);

/* The cheapest option that carries the last month's load from the start, rented by the hour or
 * bought: as in the list of options. False if there is none. */
bool stages_find_throughout(const struct path *path, struct recommendation_option *best);

/* The path that costs least; NULL where a search failed. */
struct path *stages_find(struct recommendation *recommendation, struct err *err) MUST_CHECK;

#endif
