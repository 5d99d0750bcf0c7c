/* context.h - the context of one request: its inputs, the catalogue, and the answer being built.
 *
 * A resource is a pair of field tables and a function. The router decodes the parameters into the
 * resource's input struct, calls the function, and writes the answer.
 */
#ifndef API_RESOURCE_CONTEXT_H
#define API_RESOURCE_CONTEXT_H

#include "answer/answer.h"
#include "base/authorization.h"
#include "base/parallel.h"
#include "base/params.h"
#include "catalog/price_book.h"
#include "catalog/quote.h"
#include "estimate/figures/line_items.h"
#include "estimate/figures/explain.h"
#include "estimate/figures/rule_of_thumb.h"
#include "http/request.h"

struct request_context;

/* A table that an answer may contain; also used for its description. */
struct resource_table {
    const char *name, *row_name; /* line_items, line_item */
    const struct fields *fields;
    const char *value_field; /* if not NULL, keyed by `key`, see struct table */
    const char *sentence;
};

enum { RESOURCE_TABLES_MAX = 10 };

/* How long an answer may take, measured on two cores with the largest models and the widest
 * ranges. */
enum cost {
    COST_NONE,  /* about a millisecond: answered by the worker */
    COST_SHORT, /* up to about 50 ms: run by the compute pool before others */
    COST_LONG   /* up to seconds */
};

struct resource {
    const char *name;           /* training_plan */
    const char *headline;       /* the field that .txt returns by default */
    const char *sentence_table; /* the table that .txt returns as a sentence; NULL if none */
    const char *summary;        /* one sentence */
    const struct fields *in;
    size_t in_size;           /* of the input struct */
    const struct fields *out; /* headline fields; NULL for a list, whose rows are in tables[0] */
    struct resource_table tables[RESOURCE_TABLES_MAX];
    bool needs_model;        /* every question names a model, or its number of parameters */
    bool takes_model_config; /* POST may contain a config.json as model_config */
    bool body_is_model;      /* the POST body is a config.json itself */
    const char *body_hint;   /* advice for a body in another format; NULL if there is none */
    enum cost cost;          /* of every question */
    enum cost (*cost_of)(const void *in); /* of a given question; NULL: use `cost` */
    /* What takes long, and how to ask for less; NULL for COST_NONE. */
    const char *work, *smaller;
    bool writes; /* changes data: needs a token and accepts only its own inputs */
    enum authorization_scope scope; /* required scope of the token */
    /* The resources for PUT and DELETE on the same path; NULL if not accepted. */
    const struct resource *put, *remove;
    bool listed; /* both headline values and a list: tables[0] is sorted, paged, and provides a
                  * sheet's rows */
    /* Fill context->answer from `in`, the decoded input. Returns false with *err on failure. */
    bool (*answer)(struct request_context *context, void *in, struct err *err);
};

struct common {
#include "base/field/members.h"
#include "api/resource/common.def"
#include "base/field/end.h"
};

struct list_inputs {
#include "base/field/members.h"
#include "api/resource/list.def"
#include "base/field/end.h"
};

struct request_context {
    const struct request *request;
    const struct resource *resource;
    const struct catalog *catalog;
    struct arena *arena;         /* lives until the reply is written; single-threaded */
    struct recent *search_cache; /* this thread's; NULL in requests made by context_again() or
                                  * query_ask() */
    struct recent *risk_cache;
    const struct parallel *parallel; /* for parallel_each(), with one arena per item */
    /* Long calculations poll it. Once it is set there is no answer: results so far are incomplete
     * and must not be used. The router reports it, whatever `answer` returns. */
    const struct cancel *cancel;
    const char *doing;                 /* what currently takes long; NULL: the resource's `work` */
    const char *project;               /* the table requested by itself; NULL for the whole
                                        * answer */
    bool drawn;                        /* the format is .svg; charts are made only then */
    bool light;                        /* leave figures that need a search of their own unknown */
    const char *path_name;             /* the path segment in place of {gpu} or {model}, else
                                        * NULL */
    const struct quote_writer *quotes; /* for resources that write */
    const struct measurement_writer *measurements;
    const char *writer; /* and the name of the token's owner */
    struct common common;
    struct list_inputs list;
    day today, as_of;
    const char *currency;             /* as requested, in capitals; NULL if not given */
    struct inputs inputs;             /* with their values, given or default */
    const struct model *model_config; /* a posted config.json, or NULL */
    struct answer answer;
    bool paged;           /* the list is paged: the format has pages, or a limit was given */
    bool page_chosen;     /* the client knows: it gave limit or cursor */
    size_t list_total;    /* total of a list whose rows are already one page, see list_page(); else
                           * 0 */
    int status;           /* of the reply; 0 means 200; with 204 there is no answer */
    const char *location; /* where the new resource can be read, or NULL */
};

/* True if the answer has a list, with or without headline values. */
bool resource_is_list(const struct resource *resource);

/* The cost class of this question. */
enum cost context_cost(const struct request_context *context);

/* Set the error of a cancelled request; `seconds` is the limit on calculations. */
bool context_refuse_cancelled(const struct request_context *context, double seconds,
                              struct err *err);

/* A request to another resource whose input struct and table are a prefix of this one's: with the
 * same current inputs and an answer of its own, in the arena. Changes it makes to its inputs are
 * not propagated back. */
struct request_context *context_again(const struct request_context *context,
                                      const struct resource *resource, struct arena *arena);

/* Copy inputs and warnings back from such a request once it is answered. */
void context_take(struct request_context *context, const struct request_context *answered);

/* True if the caller gave the input. */
bool context_given(const struct request_context *context, const char *name);

/* The current value of an input, given or not; NAN or NULL if the resource has no such input. */
double context_number(const struct request_context *context, const char *name);
const char *context_text(const struct request_context *context, const char *name);

/* Set an input that the caller did not give, and record the source of its value. */
void context_set_number(struct request_context *context, const char *name, double value,
                        enum source source, const char *reference);
void context_set_text(struct request_context *context, const char *name, const char *value,
                      enum source source, const char *reference);

/* A whole number for a sentence, rounded, with thousands separators: "2,048". */
const char *context_count(struct request_context *context, double value);

/* Add rows of one of the resource's tables to the answer. */
void context_table(struct request_context *context, const char *name, const void *rows, size_t n,
                   size_t stride);
/* Use `values` (the resource's out struct) as headline values. */
void context_values(struct request_context *context, const void *values);
/* Add a warning whose text is formatted in the request's arena. */
void context_warn(struct request_context *context, const char *code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* Add a culprit for parameter `name`, with its value as given; returns false. */
bool context_refuse(struct request_context *context, struct err *err, const char *name,
                    const char *rule, const char *fmt, ...) PRINTF_LIKE(5, 6);

/* Refuse inputs that state the same thing: more than one of the space-separated `names`. True if at
 * most one is given. */
bool context_at_most_one(struct request_context *context, const char *names, struct err *err);

/* The slug of the GPU with that name, see catalog_gpu_meant(); an unknown name is returned
 * unchanged, for lookup_gpu() to refuse. */
const char *lookup_gpu_slug(struct request_context *context, const char *typed);
/* The same for every input that names GPUs. */
void lookup_gpu_slugs(struct request_context *context);
/* Find the GPU by slug; if there is none, false with a culprit that suggests the nearest. */
bool lookup_gpu(struct request_context *context, const char *parameter, const char *slug,
                const struct gpu **gpu, struct err *err);
/* Find the model by name or Hugging Face repository; warns if only a differently tuned model of the
 * same shape is known. */
bool lookup_model_named(struct request_context *context, const char *parameter, const char *typed,
                        const struct model **model, struct err *err);
/* The model from `model`, `parameters` or model_config, one of which must be given; warns if a
 * typical shape was derived from a parameter count. */
bool lookup_model(struct request_context *context, const char *slug, double parameters,
                  const struct model **model, struct err *err);
/* Refuse all unknown names of GPUs, model and provider at once, and a missing model if the resource
 * needs one. */
bool lookup_names(struct request_context *context, struct err *err);
/* False, with a warning, if no offer is in a region of that name; NULL and "" are any region. */
bool lookup_region(struct request_context *context, const char *region);

/* The two capital letters of the country of that English name, as /v1/carbon writes it; NULL if
 * there is none. */
const char *lookup_country(const struct request_context *context, const char *name);
/* The one of the space-separated choices that vendors, engines or clouds call by that name, such as
 * fp4 for nvfp4; NULL if there is none. */
const char *lookup_choice_meant(const char *choices, const char *typed);
/* Check that `country` is a two-letter country code or not given. */
void lookup_check_country(struct request_context *context, const char *country, struct err *err);
/* Refuse a provider in that parameter that has no offers, suggesting the nearest name. */
bool lookup_check_provider(struct request_context *context, const char *parameter,
                           const char *provider, struct err *err);
/* Refuse a malformed list of providers and discounts, such as aws:0.3; NULL is allowed. */
bool lookup_check_discounts(struct request_context *context, const char *list, struct err *err);

/* Refuse a provider without offers, suggesting the nearest name; NULL is allowed. */
bool pricing_check_provider(struct request_context *context, const char *provider, struct err *err);
/* Credits of one provider do not pay another's rent: sets cloud_credits to 0, with a warning,
 * unless only that provider's offers count or the input `rent` (NULL if none) gives the rent.
 * *elsewhere (may be NULL) becomes the previous amount. Refuses an unknown provider. Call it when
 * `provider` is checked. */
bool pricing_settle_credits(struct request_context *context, const char *rent, double *elsewhere,
                            struct err *err);
/* Warns which of the team's own discounts lower the price; without a price, which are valid. Leaves
 * out those that the question replaces. */
void pricing_warn_discounts(struct request_context *context, const struct price_query *query,
                            const struct price *price);
/* Warns where the GPUs are already paid for, if the price is 0. */
void pricing_warn_paid(struct request_context *context, const struct price *price);
/* The end of a warning about stale prices: the command that fetches new ones, or that no public
 * list has them; "" if the question is about another day. */
const char *pricing_refresh(const struct request_context *context, const struct price_feeds *feeds);

/* Warns why a list of rental offers is empty: none is known (for the GPU, if given), or the filters
 * exclude all. Filters that the list does not have are NULL and NAN. */
void pricing_warn_empty(struct request_context *context, const char *gpu, const char *region,
                        const char *country, double min_gpu_count);
/* Warns what excludes all offers for the query's job: the filters, or the number of GPUs that
 * must be connected. `enter` says which input replaces the price. */
void pricing_warn_none(struct request_context *context, const struct price_query *query,
                       const char *enter);
/* The catalogue's price for the query's job on context->as_of. Warns if there is none, of stale
 * offers, of a single provider, and of a cluster larger than any known to be for rent. */
struct price pricing_price(struct request_context *context, struct price_query query);
/* Warns that the price of a job on a cluster is from public lists, which do not state how many GPUs
 * are free. */
/* True if the job's machines are networked with one another. */
bool pricing_is_networked(const struct price *price);
void pricing_warn_list(struct request_context *context, const char *purchase_option,
                       double gpu_count, const struct price *price);
/* Warns what a price matched to a job is based on: whether that many GPUs are known to be for rent,
 * how many of the prices are derived, and whether only one provider offers it. */
void pricing_warn_matched(struct request_context *context, const struct price_query *query,
                          const struct price *price);
/* What the job costs per GPU and hour by the n prices that are published for that option, not
 * derived; NAN without any. */
struct published_rents {
    size_t n;
    double low, median, high;
};
struct published_rents pricing_published(struct request_context *context,
                                         const char *purchase_option, const struct price *price);

/* What every priced answer says about its price; see price_basis.def and price_left_out.def. */
struct price_basis_fields {
    const char *basis, *oldest, *newest, *availability; /* dates as yyyy-mm-dd; NULL if undated */
    double n_offers, n_providers, n_oversized, n_outdated, n_derived, rented, term_days;
};
/* The basis of a catalogue price; of a price given by the caller or of owning, for n GPUs. */
struct price_basis_fields pricing_basis(struct request_context *context, const struct price *price);
struct price_basis_fields pricing_own(enum price_basis basis, double price_per_gpu_hour,
                                      double gpu_count);
#define PRICE_BASIS_SET(to, fields)                                  \
    do {                                                             \
        (to)->price_basis = (fields).basis;                          \
        (to)->price_offer_count = (fields).n_offers;                 \
        (to)->price_provider_count = (fields).n_providers;           \
        (to)->price_oldest_date = (fields).oldest;                   \
        (to)->price_newest_date = (fields).newest;                   \
        (to)->rented_gpu_count = (fields).rented;                    \
        (to)->availability = (fields).availability;                  \
        (to)->minimum_term_days = (fields).term_days;                \
        (to)->price_oversized_provider_count = (fields).n_oversized; \
        (to)->price_outdated_provider_count = (fields).n_outdated;   \
        (to)->price_derived_provider_count = (fields).n_derived;     \
    } while (0)

/* The figures NAME, NAME_low and NAME_high of an answer, from a struct range. */
#define RANGE_SET(to, name, range)        \
    do {                                  \
        (to)->name = (range).middle;      \
        (to)->name##_low = (range).low;   \
        (to)->name##_high = (range).high; \
    } while (0)

/* The source of the default for the network between nodes: the rented machines, the GPU's reference
 * server, or Ethernet common to all. */
const char *pricing_network_source(struct request_context *context, const struct gpu *gpu,
                                   const struct price_book *book);
/* A day as yyyy-mm-dd in the arena; NULL for 0. */
const char *context_day(struct request_context *context, day date);

struct offer_used {
#include "base/field/members.h"
#include "api/resource/offers_used.def"
#include "base/field/end.h"
};
/* Add table `offers_used`, the offers behind a price; put OFFERS_USED_TABLE among the tables. */
void pricing_offers_used(struct request_context *context, const struct price *price);
/* That table of an answered request, whose rows are struct offer_used; NULL if it has none. */
const struct table *pricing_offers_of(const struct request_context *answered);
extern const struct fields offers_used_fields;
#define OFFERS_USED_TABLE                                                          \
    {                                                                              \
        "offers_used", "offer_used", &offers_used_fields, NULL,                    \
            "The offers the catalogue price is the median of, cheapest bill first" \
    }

/* Add the rules of thumb as table `rule_of_thumb`; put RULES_TABLE among the tables. */
void pricing_rules_of_thumb(struct request_context *context, const struct rules *rules);
extern const struct fields rules_fields;
#define RULES_TABLE                                                                     \
    {                                                                                   \
        "rule_of_thumb", "rule_of_thumb", &rules_fields, "value",                       \
            "What the usual back-of-the-envelope formulas say, and what they leave out" \
    }

/* True if explanations are requested: with explain=1, or by the path of the table. */
bool explain_is_wanted(const struct request_context *context);
/* Add table `explanations`, the derivation of the figures, if the caller asked for it with
 * explain=1; put EXPLANATIONS_TABLE among the tables. */
void explain_answer(struct request_context *context, const struct explanations *explanations);
extern const struct fields explanation_fields;
#define EXPLANATIONS_TABLE                                               \
    {                                                                    \
        "explanations", "explanation", &explanation_fields, NULL,        \
            "Formula, numbers and source of each figure, with explain=1" \
    }

#endif
