/* context.h - the context of one request: its inputs, the catalogue, and the answer being built.
 *
 * A resource is a pair of field tables and one function between them. The router decodes the
 * parameters into the resource's input struct, calls the function, and writes the answer.
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

/* A table an answer may carry, for the answer itself and for its description. */
struct resource_table {
    const char *name, *row_name; /* line_items, line_item */
    const struct fields *fields;
    const char *value_field; /* not NULL: keyed by `key`, see struct table */
    const char *sentence;
};

enum { RESOURCE_TABLES_MAX = 10 };

/* How long an answer may take, as measured on two cores with the largest models and the widest
 * ranges. */
enum cost {
    COST_NONE,  /* about a millisecond: the worker answers */
    COST_SHORT, /* up to about 50 ms: the compute pool runs it before others */
    COST_LONG   /* up to seconds */
};

struct resource {
    const char *name;       /* training_plan */
    const char *headline;   /* the field .txt gives by itself */
    const char *told_table; /* the table that .txt gives as a sentence; NULL: none */
    const char *summary;    /* one sentence */
    const struct fields *in;
    size_t in_size;           /* of the input struct */
    const struct fields *out; /* headline fields; NULL: a list, tables[0] holds its rows */
    struct resource_table tables[RESOURCE_TABLES_MAX];
    bool takes_model_config; /* POST may carry a config.json as model_config */
    bool body_is_model;      /* POST is a config.json itself */
    const char *body_hint;   /* what to do with a body that is none of ours; NULL: nothing to say */
    enum cost cost;          /* of every question to it */
    enum cost (*cost_of)(const void *in); /* or of this question; NULL: cost */
    /* What takes so long, and how to ask for less; NULL for COST_NONE. */
    const char *work, *smaller;
    bool writes; /* changes something: needs a token, takes its own inputs only */
    enum authorization_scope scope; /* that the token must have */
    /* What PUT and DELETE of the same path do; NULL: it does not take them. */
    const struct resource *put, *remove;
    bool listed; /* headline values and a list: tables[0] is sorted, paged and a sheet's rows */
    /* Fill context->answer from `in`, the decoded input; false with *err where it cannot. */
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
    struct arena *arena; /* lives until the reply is written; for this thread alone */
    struct training_search_cache *search_cache; /* of this thread; NULL if shared with others */
    const struct parallel *parallel; /* for parallel_each(), with one arena per work item */
    /* Long calculations poll it. Once it is set there is no answer: results so far are
     * incomplete and must not be used. The router reports it, whether `answer` returns false or
     * true. */
    const struct cancel *cancel;
    const char *doing;                 /* what takes long at present; NULL: the resource's `work` */
    const char *project;               /* the table asked for by itself, NULL the whole answer */
    bool drawn;                        /* the format is .svg: charts are made for that only */
    bool light;                        /* figures that need a search of their own stay unknown */
    const char *path_name;             /* what stood for {gpu} or {model} in the path, else NULL */
    const struct quote_writer *quotes; /* for resources that write, */
    const struct measurement_writer *measurements;
    const char *writer; /* and whose token it was */
    struct common common;
    struct list_inputs list;
    day today, as_of;
    const char *currency;             /* as asked for, in capitals; NULL where nothing was said */
    struct inputs inputs;             /* with their values: given or not */
    const struct model *model_config; /* a posted config.json, NULL where none */
    struct answer answer;
    bool paged;           /* a list is given by pages: the format has them, or a limit was given */
    bool page_chosen;     /* and the client knows it: it said limit or cursor */
    size_t list_total;    /* of a list whose rows are a page already, see list_page(); else 0 */
    int status;           /* of the reply; 0: 200; with 204 there is no answer */
    const char *location; /* where the new resource can be read, NULL: none */
};

/* Whether the resource answers with a list, alone or alongside headline values. */
bool resource_is_list(const struct resource *resource);

/* What this question costs. */
enum cost context_cost(const struct request_context *context);

/* Set the error of a cancelled request; `seconds` is the limit on calculations. */
bool context_refuse_cancelled(const struct request_context *context, double seconds,
                              struct err *err);

/* The call of another resource whose inputs, struct and table, are the first of this one's: the
 * same inputs as they are now, given or not, and an answer of its own. Changes it makes to its
 * inputs are not propagated back. In the arena. */
struct request_context *context_again(const struct request_context *context,
                                      const struct resource *resource, struct arena *arena);

/* Take over from such a call, answered, its inputs and its warnings. */
void context_take(struct request_context *context, const struct request_context *answered);

/* Whether the caller gave the input. */
bool context_given(const struct request_context *context, const char *name);

/* The input as it is now, given or not; NAN or NULL where the resource has none of that name. */
double context_number(const struct request_context *context, const char *name);
const char *context_text(const struct request_context *context, const char *name);

/* Set an input that the caller left open, and say where its value is from. */
void context_set_number(struct request_context *context, const char *name, double value,
                        enum source source, const char *reference);
void context_set_text(struct request_context *context, const char *name, const char *value,
                      enum source source, const char *reference);

/* A count or a large amount for a sentence: rounded to a whole number, "2,048". */
const char *context_count(struct request_context *context, double value);

/* Add the rows of one of the resource's tables to the answer. */
void context_table(struct request_context *context, const char *name, const void *rows, size_t n,
                   size_t stride);
/* Use `values` (the resource's out struct) as the answer's headline values. */
void context_values(struct request_context *context, const void *values);
/* Add a warning whose text is printed into the call's arena. */
void context_warn(struct request_context *context, const char *code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/* Refuse parameter `name`: the value as it was given is put alongside the text. */
bool context_refuse(struct request_context *context, struct err *err, const char *name,
                    const char *rule, const char *fmt, ...) PRINTF_LIKE(5, 6);

/* Refuse inputs that state the same thing: more than one of the space-separated names. True if
 * at most one is given. */
bool context_at_most_one(struct request_context *context, const char *names, struct err *err);

/* The GPU called `slug`; false, with the nearest known, if there is none. */
bool lookup_gpu(struct request_context *context, const char *parameter, const char *slug,
                const struct gpu **gpu, struct err *err);
/* The model of that name, or of its repository on the Hugging Face hub; warns if only another
 * tuning of the same shape is known. */
bool lookup_model_named(struct request_context *context, const char *parameter, const char *typed,
                        const struct model **model, struct err *err);
/* The model from `model`, `parameters` or model_config, one of which must be given; warns if a
 * typical shape was inferred from a count. */
bool lookup_model(struct request_context *context, const char *slug, double parameters,
                  const struct model **model, struct err *err);

/* Refuse a provider no offer is from, naming the nearest; NULL is fine. */
bool pricing_check_provider(struct request_context *context, const char *provider, struct err *err);
/* Credits that are a provider's pay no other's rent: cloud_credits becomes 0, with a warning,
 * unless only offers of theirs count or the input `rent` (NULL: none) gives the rent; `elsewhere`
 * (or NULL) is what was there before. Refuses an unknown provider. Call it when `provider` is
 * checked. */
bool pricing_settle_credits(struct request_context *context, const char *rent, double *elsewhere,
                            struct err *err);
/* Whether it is the code of a country, of two letters, or none is asked for. */
void pricing_check_country(struct request_context *context, const char *country, struct err *err);
/* Refuse what is no list of providers and discounts, as aws:0.3; NULL is fine. */
bool pricing_check_discounts(struct request_context *context, const char *list, struct err *err);
/* Ends a warning on stale prices with the command that brings new ones, or that no public list has
 * them; "" if the question is about another day. */
const char *pricing_refresh(const struct request_context *context, const struct price_feeds *feeds);

/* Warns why a list of rental offers is empty: none is known (for the GPU, if given), or the filters
 * exclude all. */
void pricing_warn_empty(struct request_context *context, const char *gpu);
/* The catalogue's price for the query's job on context->as_of. Warns if there is none, of stale
 * offers, of a single provider, and of a cluster larger than any known to be for rent. */
struct price pricing_price(struct request_context *context, struct price_query query);

/* What every priced answer says of its price; see price_basis.def and price_left_out.def. */
struct price_basis_fields {
    const char *basis, *oldest, *newest, *availability; /* the days as yyyy-mm-dd, NULL: undated */
    double n_offers, n_providers, n_oversized, n_outdated, n_derived, rented;
};
/* What a price stands on: the catalogue's; the caller's or that of owning, for n GPUs. */
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
        (to)->price_oversized_provider_count = (fields).n_oversized; \
        (to)->price_outdated_provider_count = (fields).n_outdated;   \
        (to)->price_derived_provider_count = (fields).n_derived;     \
    } while (0)

/* Where the default of the network between nodes is from: the machines that are rented, the GPU's
 * reference server, or the Ethernet of any. */
const char *pricing_network_source(struct request_context *context, const struct gpu *gpu,
                                   const struct price_book *book);
/* A day as yyyy-mm-dd in the arena, NULL for 0. */
const char *context_day(struct request_context *context, day date);

/* The offers a price was made of, as table `offers_used`: OFFERS_USED_TABLE among the tables. */
void pricing_offers_used(struct request_context *context, const struct price *price);
extern const struct fields offers_used_fields;
#define OFFERS_USED_TABLE                                                          \
    {                                                                              \
        "offers_used", "offer_used", &offers_used_fields, NULL,                    \
            "The offers the catalogue price is the median of, cheapest bill first" \
    }

/* The lines of a plan as table `line_items`: LINE_ITEMS_TABLE among the tables. */
void pricing_line_items(struct request_context *context, const struct line_items *line_items);
extern const struct fields line_item_fields;
#define LINE_ITEMS_TABLE                                       \
    {                                                          \
        "line_items", "line_item", &line_item_fields, "value", \
            "Memory of a GPU, time of a step, and the bill"    \
    }

/* The rules of thumb as table `rule_of_thumb`: RULES_TABLE among the tables. */
void pricing_rules_of_thumb(struct request_context *context, const struct rules *rules);
extern const struct fields rules_fields;
#define RULES_TABLE                                                                     \
    {                                                                                   \
        "rule_of_thumb", "rule_of_thumb", &rules_fields, "value",                       \
            "What the usual back-of-the-envelope formulas say, and what they leave out" \
    }

/* Whether they are asked for: with explain=1, or by the path of the table. */
bool explain_is_wanted(const struct request_context *context);
/* How the figures came about as table `explanations`: EXPLANATIONS_TABLE among the tables. It is
 * there where the caller asked with explain=1 only. */
void explain_answer(struct request_context *context, const struct explanations *explanations);
extern const struct fields explanation_fields;
#define EXPLANATIONS_TABLE                                                      \
    {                                                                           \
        "explanations", "explanation", &explanation_fields, NULL,               \
            "With explain=1: formula, numbers put in and source of each figure" \
    }

#endif
