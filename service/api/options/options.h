/* options.h - shared by all lists of options: the GPU types compared and why others are excluded,
 * the ranked options shown, the chart, the address of a row, and summary warnings on prices. */
#ifndef API_OPTIONS_OPTIONS_H
#define API_OPTIONS_OPTIONS_H

#include "api/resource/context.h"

/* An excluded GPU: a row of the table `ruled_out`. The including file defines the enum of reasons
 * as RULED_OUT_REASONS. */
struct options_refusal {
#include "base/field/members.h"
#include "api/options/options_ruled_out.def"
#include "base/field/end.h"
};

/* Selects the GPU types to compare; NULL or NAN leaves a filter open. */
struct options_filter {
    const char *gpus;   /* comma-separated slugs */
    const char *vendor; /* case-insensitive */
    bool datacenter_only;
    double min_memory_gb;
};

bool options_wanted(const struct options_filter *filter, const struct gpu *gpu);

/* An option as used by the list and the chart. */
struct option {
    size_t kind; /* index of its GPU type among those compared */
    const struct gpu *gpu;
    double time, cost; /* days or seconds, and money; NAN if unknown */
    bool on_frontier;  /* no other is both cheaper and faster */
    bool confirmed;    /* it is not rented, or price_doubt() finds nothing */
    bool will_do;      /* it meets every limit */
    double gpu_count;
    double amount; /* GPUs or GPU-hours, by which options without a price are compared */
    bool left_out; /* by options_left_out() */
};

struct option_list {
    struct request_context *context;
    size_t n_considered, n_kinds;     /* GPU types that pass the filter; those with an estimate */
    struct options_refusal *refusals; /* among those considered */
    size_t n_refusals;
    struct option *at; /* ranked */
    size_t n;
    bool limited;      /* there are limits of time */
    bool users_wait;   /* `time` is that of each answer, not of one training */
    size_t n_left_out; /* GPU types that options_left_out() leaves out */
};

/* Call `ask` for every GPU type that passes the filter: it adds the type, or fails if it is
 * excluded. An error common to all types is returned as the request's error. */
typedef bool (*options_ask_fn)(void *context, const struct gpu *gpu, struct err *err);
/* Maps an error of `ask` to a reason code; *with_field is set to false if its text already names
 * the input. */
typedef const char *(*options_reason_fn)(const struct err *err, bool *with_field);
bool options_ask_kinds(struct option_list *list, const struct options_filter *filter,
                       options_ask_fn ask, options_reason_fn reason, void *context,
                       struct err *err);
void options_refuse(struct option_list *list, const struct gpu *gpu, const char *reason,
                    const char *sentence);

/* Why a power limit excludes a GPU type: the least sufficient power, NAN if unknown, and the
 * limit. */
const char *options_power_words(struct option_list *list, double least_kw, double limit_kw);

/* The cost class of searching the comma-separated `gpus`: one takes about 20 ms, all take up to
 * seconds. */
enum cost options_cost(const char *gpus);

/* Refuse unknown names among the comma-separated `gpus`; NULL is allowed. */
bool options_check_gpus(struct request_context *context, const char *gpus, struct err *err);
/* Check a list of figures by GPU, such as rtx-4090:4,a100-sxm4-80gb:8: refuse invalid figures,
 * fractions if `whole`, and unknown or repeated names; NULL is allowed. */
bool options_check_figures(struct request_context *context, const char *parameter, const char *list,
                           bool whole, struct err *err);
/* Refuse parameter `name`, if given, as incompatible with `other`. */
bool options_refuse_pair(struct request_context *context, struct err *err, const char *name,
                         const char *other);

/* The text of the error with which a question about one GPU was refused. */
const char *options_refusal_text(struct request_context *context, const struct err *err,
                                 bool with_field);

/* What an option that takes less time costs, as "For 12% more" or "For 2.3 times the cost"; NULL if
 * it costs over 6 times as much as the other. */
const char *options_more_words(struct arena *arena, double cost, double other_cost);

/* Whether the i-th option misses a limit even at the better end of its interval. */
typedef bool (*options_misses_fn)(void *context, size_t i);
/* Leaves options out of the list, unless `gpu`, `per_gpu` or `frontier_only` was given:
 * - those that miss a limit which the first option meets, if they miss it even at the better end of
 *   their interval, or save no money;
 * - those off the frontier that cost over 6 times as much as a confirmed option of another GPU type
 *   (without a price: take over 6 times the amount, in `unit`) and, where there are no limits, take
 *   over 80 % of its time;
 * - where users wait and there are no limits, those that cost more than the first option and are
 *   slower, if the ratio of costs times the ratio of times exceeds 10.
 *
 * Larger options of the same GPU type are left out with them. A single GPU stays, and options
 * without a price that need no more GPUs than a room of the building holds, unless users wait over
 * 10 times as long. GPU types without any option left are added to the refusals. */
void options_left_out(struct option_list *list, const char *unit, options_misses_fn misses,
                      void *context);
/* Indexes of the options to list, in rank order: at most `per_gpu` of each type (0 for all), or
 * only the frontier; without those left out. */
size_t *options_listed(const struct option_list *list, bool frontier_only, double per_gpu,
                       size_t *n);
/* The cheapest or the fastest option; false if that is unknown for all. */
bool options_least(const struct option_list *list, bool by_cost, size_t *index);
size_t options_frontier_count(const struct option_list *list);

/* Cost over time: the best option of each GPU type, and the Pareto frontier as a line. */
struct options_chart {
    const char *title;
    const char *time_word; /* the word for time in "in both cost and time" */
    const char *x_label, *y_label;
    const char *(*name)(const void *context, size_t index); /* name of a point */
    const void *context;
};
void options_chart(const struct option_list *list, const struct options_chart *words);

enum { OPTIONS_LINK_MAX = 8192 }; /* bytes of a link */
/* Add name=value to the query of an address. */
void options_link_text(struct buf *out, const char *name, const char *value);
void options_link_number(struct buf *out, const char *name, double value);
/* Add the day of the prices, and the currency if it is not USD. */
void options_link_day(struct buf *out, const struct request_context *context);
/* Add the given inputs among `fields`, except those in the comma-separated `except`. */
void options_link_given(struct buf *out, const struct request_context *context,
                        const struct fields *fields, const char *except);

/* Warn if the licence of the recommended GPU forbids use in data centres. */
void options_warn_licence(struct request_context *context, const struct gpu *gpu);
/* The same; without a best option, warn that there is none, or with the given words that none meets
 * the limits. */
void options_warn_choice(const struct option_list *list, const struct gpu *best,
                         const char *none_will_do);
/* Repeat the model warnings of a question about one GPU. */
void options_warn_model(struct request_context *context, const struct request_context *of_gpu);
/* GPU types whose price is based only on stale offers. */
struct options_staleness {
    size_t n;
    day newest; /* newest observation behind those prices; 0 if none is dated */
    struct price_feeds feeds;
};
void options_count_stale(const struct request_context *context, struct options_staleness *stale,
                         const struct price *price);
/* Why the rent of `what`, such as 8 x rtx-3090, is in doubt. */
const char *options_doubt(struct request_context *context, enum price_doubt doubt,
                          const struct price *price, const char *what);
/* Why a design is in doubt whose rent is not, and what would settle it. */
struct options_caveat {
    const char *doubt, *remedy;
};
extern const struct options_caveat options_unlinked, /* serving_is_unlinked() */
    options_tight;                                   /* training_phases_are_tight() */
/* The option passed over for not being confirmed: of those that will do, the one that costs (or
 * takes) least, if over 1 % less than option `best`; *less is the fraction saved. If `best` is not
 * confirmed, it is `best`, and *less is 0. False if there is none. */
bool options_unconfirmed(const struct option_list *list, size_t best, bool by_cost, size_t *index,
                         double *less);
/* GPUs to rent: the book that their price comes from, how many, and how many must be connected. */
struct options_rent {
    const struct price_book *book;
    double gpu_count, connected;
    const struct options_caveat *caveat; /* of the design; NULL if none */
};
/* Warns of what options_unconfirmed() found. */
void options_warn_unconfirmed(const struct option_list *list, size_t index, double less,
                              bool by_cost, const struct options_rent *rent);
/* Warns how many of the `n` GPU types have no price, how many a stale one, and which discounts of
 * the team's are taken off. */
void options_warn_prices(struct request_context *context, size_t n_unpriced,
                         const struct options_staleness *stale, size_t n);

#endif
