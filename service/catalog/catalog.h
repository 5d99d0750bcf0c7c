/* catalog.h - the immutable, indexed snapshot from which every answer is computed.
 *
 * Built once by the store (or a test), checked by catalog_seal(), then read-only. All pointers
 * returned are borrowed and live as long as the catalog.
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
    struct arena arena;  /* owns all strings and arrays below */
    char version[32];    /* such as 20261120.1: the day of the last change, and the number of
                          * changes that day */
    const char *changes; /* total number of changes */
    /* Identifies the history that the version belongs to: after restoring a backup, or a failover
     * that lost changes, the same version may mean different data. */
    char birth[TEXT_HEX_SIZE];
    const char *server; /* the server's part of the birth, which may change although the catalogue
                         * does not */
    double loaded_at;   /* seconds since 1970, when this snapshot was read */
    /* Each differs after every change of what it is named after; figures are GPUs, models and
     * assumptions. NULL if unknown. */
    const char *runs_stamp, *figures_stamp, *hosted_stamp, *carriers_stamp;
    struct gpu *gpus; /* sorted by slug */
    struct model *models;
    struct offer_index **offer_indexes; /* the offers of each GPU, sorted by slug; GPUs without
                                         * offers have none */
    struct rental **quoted;             /* the team's quotes as offers, in offer_index_order() */
    struct provider *providers;         /* sorted by slug */
    struct instance *instances;         /* sorted by provider, GPU and name */
    struct billing *billings;           /* see price_billing() */
    struct region *regions;             /* sorted by provider and region, bytewise */
    struct feed_carrier *carriers;      /* sorted by GPU, provider and feed */
    struct feed_run *runs;              /* by id */
    struct hardware *hardware;
    struct assumption *assumptions; /* sorted by key, scope */
    unsigned short *hints; /* hash table over key and scope: 1 + index into assumptions, or 0; NULL
                            * before catalog_seal() */
    struct exchange_rate *rates;        /* sorted by currency, date */
    struct quote *quotes;               /* all versions, sorted by quote and version */
    const struct quote **discounts;     /* those of the quotes that are discounts, not hidden */
    struct quote_change *quote_changes; /* in the same order */
    struct row_change *row_changes;     /* newest first */
    struct measurement *measurements;   /* published runs, sorted by name */
    struct measurement *own_runs;       /* stored by the team; sorted by set, then creation time */
    struct hosted_price *hosted_prices; /* sorted by model, provider, name in the list, day */
    size_t n_gpus, n_models, n_offer_indexes, n_hardware, n_assumptions, n_rates;
    size_t n_quotes, n_discounts, n_quote_changes, n_quoted, n_providers, n_instances, n_billings,
        n_regions;
    size_t n_runs, n_carriers;
    size_t n_row_changes, n_measurements, n_own_runs, n_hosted_prices;
    size_t n_offers, n_offers_read; /* observations in all, and those newly read rather than shared
                                     * with the previous snapshot */
    /* Values computed once per snapshot and shared by all requests, see catalog_memo_put(). */
    struct catalog_memo {
        const void *key, *what;
    } memos[MEMOS_MAX];
    size_t n_memos;
    const char *lacking; /* missing required assumptions, as key or key:scope, comma-separated; see
                          * required.h */
    struct history old_gpus, old_models, old_assumptions;
    const struct catalog *now; /* in a past day's catalogue, today's; NULL if this is today's */
    /* Set in a view in another currency, see currency.h; NULL in the catalogue itself, which is in
     * USD. */
    const struct exchange_rate *rate;
    const struct catalog *origin;
};

struct catalog *catalog_new(void);
void catalog_free(struct catalog *catalog); /* NULL is allowed */

/* Sort the GPUs. Call it before adding anything else: catalog_gpu() and the offers' GPU pointers
 * rely on it. */
void catalog_sort_gpus(struct catalog *catalog);

/* Sort, index and validate the contents. Returns false, naming the row, if a figure is invalid.
 * Afterwards the catalog must not change. */
bool catalog_seal(struct catalog *catalog, struct err *err) MUST_CHECK;

/* Computes what a catalogue needs before it is published; false if it must not be published. What
 * has not changed since `former`, the one published before it, may be copied from that; NULL if
 * there is none. */
typedef bool (*prepare_fn)(struct catalog *catalog, const struct catalog *former, struct err *err);

/* Memoize a value computed from the catalogue and allocated in its arena, before publication; the
 * key is an address. Catalogues of a past day or in another currency have no memos:
 * catalog_memo_get() returns NULL and the caller computes the value. */
void catalog_memo_put(struct catalog *catalog, const void *key, const void *what);
const void *catalog_memo_get(const struct catalog *catalog, const void *key);

/* The catalogue as of the end of a day: GPUs, models and assumptions as they were then. Returns the
 * catalogue itself if nothing has changed since; otherwise a copy in the arena that shares
 * everything else. */
const struct catalog *catalog_as_of(const struct catalog *catalog, day as_of, struct arena *arena);
/* True if the catalogue, prices aside, differs between the two days. */
bool catalog_differs(const struct catalog *catalog, day a, day b);
/* The current GPU, or its last version if it was removed; NULL if it never existed. */
const struct gpu *catalog_gpu_ever(const struct catalog *catalog, const char *slug);

/* Returns NULL if there is none with that slug. */
const struct gpu *catalog_gpu(const struct catalog *catalog, const char *slug);
const struct model *catalog_model(const struct catalog *catalog, const char *slug);
/* The model's published training run, which is stored under the model's name. NULL if there is
 * none. */
const struct measurement *catalog_whole_run(const struct catalog *catalog, const char *model);
const struct assumption *catalog_assumption(const struct catalog *catalog, const char *key,
                                            const char *scope);
/* The default value of an assumption; NAN if there is none. */
double catalog_default(const struct catalog *catalog, const char *key, const char *scope);

struct offer_index *catalog_offer_index(const struct catalog *catalog, const char *gpu);
const struct provider *catalog_provider(const struct catalog *catalog, const char *slug);
/* The provider's display name, or the slug if the provider is known only from a quote. */
const char *catalog_provider_name(const struct catalog *catalog, const char *slug);
/* What is known about the machines behind a rental; NULL if nothing is. */
const struct instance *catalog_instance(const struct catalog *catalog, const struct rental *rental);
/* Returns NULL if there is none, or if id is NAN. */
const struct feed_run *catalog_run(const struct catalog *catalog, double id);

/* A sorted slice of a GPU's rentals. */
struct rentals {
    struct rental *const *at;
    size_t n;
};

/* A GPU's rentals with a purchase option (NULL: all), in two parts: listed offers and the team's
 * quotes. */
enum { RENTALS_PARTS = 2 };
void catalog_rentals(const struct catalog *catalog, const struct gpu *gpu, const char *option,
                     struct rentals parts[RENTALS_PARTS]);

/* Suggests slugs for a name that is not one: up to CATALOG_ALIKE_MAX slugs that share the most
 * words, else the nearest by edit distance. Returns the number of names. */
enum { CATALOG_ALIKE_MAX = 8 };
size_t catalog_gpus_alike(const struct catalog *catalog, const char *typed,
                          const char *names[CATALOG_ALIKE_MAX]);
size_t catalog_models_alike(const struct catalog *catalog, const char *typed,
                            const char *names[CATALOG_ALIKE_MAX]);
/* Finds the GPU by its whole slug or name, in any case and with any separators: RTX 4090, rtx4090.
 * NULL if there is none. A part of a name, such as b200, is refused even if it fits only one GPU:
 * once another GPU fits it, links with it would break. */
const struct gpu *catalog_gpu_meant(const struct catalog *catalog, const char *typed);
/* Finds the model by slug, alias or Hugging Face repository, regardless of the repository's owner.
 * Sets *tuned if only a differently tuned model of the same shape is known, such as Llama-3.1-8B
 * for Llama-3.1-8B-Instruct. NULL if there is none. */
const struct model *catalog_model_meant(const struct catalog *catalog, const char *typed,
                                        bool *tuned);
/* The provider whose name is nearest to what was typed; NULL if none is near. */
const char *catalog_nearest_provider(const struct catalog *catalog, const char *typed);

#endif
