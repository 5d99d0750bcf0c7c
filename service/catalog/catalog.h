/* catalog.h - the immutable, indexed snapshot that all answers are made from.
 *
 * Built once by the store (or a test), checked by catalog_seal(), then only read. Every pointer
 * handed out is borrowed and lives as long as the catalog.
 */
#ifndef CATALOG_CATALOG_H
#define CATALOG_CATALOG_H

#include "base/err.h"
#include "base/arena.h"
#include "base/text.h"
#include "catalog/assumption.h"
#include "catalog/gpu.h"
#include "catalog/hosted_price.h"
#include "catalog/measurement.h"
#include "catalog/model.h"
#include "catalog/offer.h"
#include "catalog/history.h"
#include "catalog/offer_index.h"

enum { MEMOS_MAX = 64 };

struct catalog {
    struct arena arena;  /* owns every string and array below */
    char version[32];    /* as 20261120.1: the day of the last change and its count that day */
    const char *changes; /* how many there have been, on all days */
    /* Identifies the history whose changes the version counts: after a restored backup, or a
     * failover that lost some, the same version may mean something else. */
    char birth[TEXT_HEX_SIZE];
    const char *server; /* the part of it that may change without a change of the catalogue */
    double loaded_at;   /* seconds since 1970, when this snapshot was read */
    struct gpu *gpus;   /* sorted by slug */
    struct model *models;
    struct offer_index *
        *offer_indexes;            /* what GPUs are offered for, sorted by slug; none, no offers */
    struct rental **quoted;        /* the team's own offers, sorted as those of a shelf */
    struct provider *providers;    /* sorted by slug */
    struct instance *instances;    /* sorted by provider, GPU and name */
    struct billing *billings;      /* see price_billing() */
    struct region *regions;        /* sorted by provider and region, in bytes */
    struct feed_carrier *carriers; /* sorted by GPU, provider and feed */
    struct feed_run *runs;         /* by id */
    struct hardware *hardware;
    struct assumption *assumptions; /* sorted by key, scope */
    unsigned short *hints; /* by the hash of both: 1 + where one may be, or 0; NULL: not sealed */
    struct exchange_rate *rates;        /* sorted by currency, date */
    struct quote *quotes;               /* every version, by quote and version */
    struct quote_change *quote_changes; /* in the same order */
    struct row_change *row_changes;     /* the newest first */
    struct measurement *measurements;   /* published runs, sorted by name */
    struct measurement *own_runs; /* stored by the team; ordered by set, then time of writing */
    struct hosted_price *hosted_prices; /* sorted by model, provider, name in the list, day */
    size_t n_gpus, n_models, n_offer_indexes, n_hardware, n_assumptions, n_rates;
    size_t n_quotes, n_quote_changes, n_quoted, n_providers, n_instances, n_billings, n_regions;
    size_t n_runs, n_carriers;
    size_t n_row_changes, n_measurements, n_own_runs, n_hosted_prices;
    size_t n_offers, n_offers_read; /* observations; those not taken over from the one before */
    /* Computed once per snapshot and shared by all requests, see catalog_memo_put(). */
    struct catalog_memo {
        const void *key, *what;
    } memos[MEMOS_MAX];
    size_t n_memos;
    const char
        *lacking; /* required assumptions, as key or key:scope, with commas; see required.h */
    struct history old_gpus, old_models, old_assumptions;
    const struct catalog *now; /* of a past day's: that of today; NULL: this is */
    /* For a view in another currency, see currency.h; NULL in the catalogue itself, in USD. */
    const struct exchange_rate *rate;
    const struct catalog *origin;
};

struct catalog *catalog_new(void);
void catalog_free(struct catalog *catalog); /* NULL is fine */

/* Sort the GPUs, after which catalog_gpu() finds them and offers may point at them; before
 * anything else is added. */
void catalog_sort_gpus(struct catalog *catalog);

/* Sort, index and validate what the builder filled in; false, naming the row, where a figure makes
 * no sense. Afterwards the catalog must not change. */
bool catalog_seal(struct catalog *catalog, struct err *err) MUST_CHECK;

/* Computes what a published catalogue needs; false if it must not be published. */
typedef bool (*prepare_fn)(struct catalog *catalog, struct err *err);

/* Memoize, before publication, a value computed from the catalogue and allocated in its arena,
 * under a key that is an address. Catalogues of a past day or in another currency have no memos:
 * NULL, and the value is computed anew. */
void catalog_memo_put(struct catalog *catalog, const void *key, const void *what);
const void *catalog_memo_get(const struct catalog *catalog, const void *key);

/* The catalogue as it was on a day: GPUs, models and assumptions as they were when the day was
 * over. Itself where nothing has changed since, else the arena's, with all the rest shared. */
const struct catalog *catalog_as_of(const struct catalog *catalog, day as_of, struct arena *arena);
/* Whether the catalogue (prices aside) differs between the two days. */
bool catalog_differs(const struct catalog *catalog, day a, day b);
/* The GPU as it is, or was last; NULL where there never was one. */
const struct gpu *catalog_gpu_ever(const struct catalog *catalog, const char *slug);

/* By slug; NULL where there is none. */
const struct gpu *catalog_gpu(const struct catalog *catalog, const char *slug);
const struct model *catalog_model(const struct catalog *catalog, const char *slug);
/* The model's published training run, which has the model's name. NULL if there is none. */
const struct measurement *catalog_whole_run(const struct catalog *catalog, const char *model);
const struct assumption *catalog_assumption(const struct catalog *catalog, const char *key,
                                            const char *scope);
/* The default of an assumption, NAN where there is none. */
double catalog_default(const struct catalog *catalog, const char *key, const char *scope);

struct offer_index *catalog_offer_index(const struct catalog *catalog, const char *gpu);
const struct provider *catalog_provider(const struct catalog *catalog, const char *slug);
/* What people call it; the slug itself where only a quote names it. */
const char *catalog_provider_name(const struct catalog *catalog, const char *slug);
/* What is known of the machines a GPU is offered in, NULL if nothing is. */
const struct instance *catalog_instance(const struct catalog *catalog, const struct rental *rental);
/* NULL for NAN too. */
const struct feed_run *catalog_run(const struct catalog *catalog, double id);

/* A sorted part of a GPU's rentals. */
struct rentals {
    struct rental *const *at;
    size_t n;
};

/* The rentals of a GPU under a purchase option (NULL: all): listed offers and the team's quotes. */
enum { RENTALS_PARTS = 2 };
void catalog_rentals(const struct catalog *catalog, const struct gpu *gpu, const char *option,
                     struct rentals parts[RENTALS_PARTS]);

/* Slugs that a name which is not one of them may stand for: up to CATALOG_ALIKE_MAX of those
 * that share most words, else the nearest by its letters; returns how many. */
enum { CATALOG_ALIKE_MAX = 8 };
size_t catalog_gpus_alike(const struct catalog *catalog, const char *typed,
                          const char *names[CATALOG_ALIKE_MAX]);
size_t catalog_models_alike(const struct catalog *catalog, const char *typed,
                            const char *names[CATALOG_ALIKE_MAX]);
/* The model by its slug, an alias or its repository on the Hugging Face hub, regardless of the
 * owner of the copy; `tuned` is set if only another tuning of the same shape is in the catalogue,
 * such as Llama-3.1-8B for Llama-3.1-8B-Instruct. NULL if there is none. */
const struct model *catalog_model_meant(const struct catalog *catalog, const char *typed,
                                        bool *tuned);
/* The known provider nearest to what was typed; NULL if none is near. */
const char *catalog_nearest_provider(const struct catalog *catalog, const char *typed);

#endif
