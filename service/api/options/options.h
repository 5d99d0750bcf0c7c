/* options.h - what all lists of options share: the GPU types compared and why others are left
 * out, the ranked options shown, the chart, the address of a row, and summary warnings on
 * prices. */
#ifndef API_OPTIONS_OPTIONS_H
#define API_OPTIONS_OPTIONS_H

#include "api/resource/context.h"

/* A GPU that was ruled out: a row of the table `ruled_out`. The including file defines the enum of
 * reasons as RULED_OUT_REASONS. */
struct options_refusal {
#include "base/field/members.h"
#include "api/options/options_ruled_out.def"
#include "base/field/end.h"
};

/* The GPU types to compare; NULL or NAN leaves a filter open. */
struct options_filter {
    const char *gpus;   /* comma-separated slugs */
    const char *vendor; /* in any case */
    bool datacenter_only;
    double min_memory_gb;
};

bool options_wanted(const struct options_filter *filter, const struct gpu *gpu);

/* One option, as the list and the chart need it. */
struct option {
    size_t kind; /* of GPU: index of those that are compared */
    const struct gpu *gpu;
    double time, cost; /* days or seconds; NAN where unknown */
    bool on_frontier;  /* no other is both cheaper and faster */
};

struct option_list {
    struct request_context *context;
    size_t n_considered, n_kinds;     /* GPU types after the filter; with an estimate */
    struct options_refusal *refusals; /* of those considered */
    size_t n_refusals;
    struct option *at; /* ranked */
    size_t n;
};

/* Ask about every GPU type that the filter leaves: `ask` adds it as the next one, or says why it
 * is ruled out. An error that all share is the caller's, and reported as such. */
typedef bool (*options_ask_fn)(void *context, const struct gpu *gpu, struct err *err);
/* The reason code for an error of `ask`; false for `with_field`: its words name the input. */
typedef const char *(*options_reason_fn)(const struct err *err, bool *with_field);
bool options_ask_kinds(struct option_list *list, const struct options_filter *filter,
                       options_ask_fn ask, options_reason_fn reason, void *context,
                       struct err *err);
void options_refuse(struct option_list *list, const struct gpu *gpu, const char *reason,
                    const char *sentence);

/* Why a power limit rules a GPU type out: the least power that would do, NAN if unknown, and the
 * limit. */
const char *options_power_words(struct option_list *list, double least_kw, double limit_kw);

/* The cost of searching the comma-separated `gpus`: one takes about 20 ms, all up to seconds. */
enum cost options_cost(const char *gpus);

/* Refuse unknown names among the comma-separated `gpus`; NULL is fine. */
bool options_check_gpus(struct request_context *context, const char *gpus, struct err *err);
/* A list of figures by GPU, such as rtx-4090:4,a100-sxm4-80gb:8: refuse invalid figures,
 * fractions where whole numbers are needed, and names that are unknown or repeated; NULL is
 * fine. */
bool options_check_figures(struct request_context *context, const char *parameter, const char *list,
                           bool whole, struct err *err);
/* Refuse parameter `name`, where it is given, as not going with `other`. */
bool options_refuse_pair(struct request_context *context, struct err *err, const char *name,
                         const char *other);

/* The words with which one question about a GPU was refused. */
const char *options_refusal_text(struct request_context *context, const struct err *err,
                                 bool with_field);

/* Options to list, as indexes in rank order: at most `per_gpu` of a type unless that is 0, or
 * the frontier. */
size_t *options_listed(const struct option_list *list, bool frontier_only, double per_gpu,
                       size_t *n);
/* The cheapest, or the fastest; false if that is unknown for all. */
bool options_least(const struct option_list *list, bool by_cost, size_t *index);
size_t options_frontier_count(const struct option_list *list);

/* Cost over time: the best option of each kind, and the frontier as a line. */
struct options_chart {
    const char *title;
    const char *time_word; /* of "in both cost and time" */
    const char *x_label, *y_label;
    const char *(*name)(const void *context, size_t index); /* of a point */
    const void *context;
};
void options_chart(const struct option_list *list, const struct options_chart *words);

/* Add name=value to the query of an address. */
void options_link_text(struct buf *out, const char *name, const char *value);
void options_link_number(struct buf *out, const char *name, double value);
/* The day of the prices, and the currency where it is not USD. */
void options_link_day(struct buf *out, const struct request_context *context);
/* The inputs among `fields` that were given, but those in the comma-separated `except`. */
void options_link_given(struct buf *out, const struct request_context *context,
                        const struct fields *fields, const char *except);

/* Warn if the licence of the recommended GPU forbids data centres. */
void options_warn_licence(struct request_context *context, const struct gpu *gpu);
/* The same, or say in the given words that there is no option or that none meets the limits. */
void options_warn_choice(const struct option_list *list, const struct gpu *best,
                         const char *none_will_do);
bool options_has_warning(const struct request_context *context, const char *code);
/* Repeat the warnings about the model that a question about one GPU gives. */
void options_warn_model(struct request_context *context, const struct request_context *of_gpu);
/* GPU types whose price rests on stale offers alone. */
struct options_staleness {
    size_t n;
    day newest; /* observation behind those prices; 0: none has a date */
    struct price_feeds feeds;
};
void options_count_stale(const struct request_context *context, struct options_staleness *stale,
                         const struct price *price);
/* Counts the GPU types, of `n`, without a price and with a stale one. */
void options_warn_prices(struct request_context *context, size_t n_unpriced,
                         const struct options_staleness *stale, size_t n);

#endif
