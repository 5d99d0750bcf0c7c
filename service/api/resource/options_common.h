/* options_common.h - what every list of options does alike: which kinds of GPU it compares, the
 * address of a row, and what it says of prices in sum. */
#ifndef API_RESOURCE_OPTIONS_COMMON_H
#define API_RESOURCE_OPTIONS_COMMON_H

#include "api/resource/call.h"

/* A kind of GPU that will not do: a row of the table `ruled_out`. Whoever makes a field table of it
 * says in RULED_OUT_REASONS which words the reason may be. */
struct options_refusal {
#include "base/field/members.h"
#include "api/resource/options_ruled_out.def"
#include "base/field/end.h"
};

/* The kinds of GPU to compare; NULL or NAN leaves a filter open. */
struct options_filter {
    const char *gpus;   /* comma-separated slugs */
    const char *vendor; /* in any case */
    bool datacenter_only;
    double min_memory_gb;
};

bool options_wanted(const struct options_filter *filter, const struct gpu *gpu);

/* What it costs to search the kinds of GPU in the comma-separated `gpus`: of one some 20 ms, of all
 * up to seconds. */
enum cost options_cost(const char *gpus);

/* Refuse names among the comma-separated `gpus` that nobody knows; NULL is fine. */
bool options_check_gpus(struct call *call, const char *gpus, struct err *err);
/* A list of figures by GPU, as rtx-4090:4,a100-sxm4-80gb:8: refuse what is none, or not whole where
 * that is asked for, and names that are unknown or come twice; NULL is fine. */
bool options_check_figures(struct call *call, const char *parameter, const char *list, bool whole,
                           struct err *err);
/* The figure of a GPU in such a list; NAN where it is not named. */
double options_figure_of(const char *list, const char *gpu);
/* What no filter leaves anything of. */
bool options_refuse_none(struct err *err);

/* Refuse parameter `name`, where it is given, as not going with `other`. */
bool options_refuse_pair(struct call *call, struct err *err, const char *name, const char *other);

/* The words with which one question about a GPU was refused. */
const char *options_refusal_text(struct call *call, const struct err *err, bool with_field);

/* Add name=value to the query of an address. */
void options_link_text(struct buf *out, const char *name, const char *value);
void options_link_number(struct buf *out, const char *name, double value);
/* The day of the prices, and the currency where it is not USD. */
void options_link_day(struct buf *out, const struct call *call);
/* The inputs among `fields` that were given, but those in the comma-separated `except`. */
void options_link_given(struct buf *out, const struct call *call, const struct fields *fields,
                        const char *except);

/* Say of the GPU recommended, where it is so, that its licence forbids data centres. */
void options_warn_licence(struct call *call, const struct gpu *gpu);
bool options_has_warning(const struct call *call, const char *code);
/* Repeat what the question about one GPU says of the model. */
void options_warn_model(struct call *call, const struct call *of_gpu);
/* Of how many of the `n` kinds of GPU there is no price, or one of old offers. */
void options_warn_prices(struct call *call, size_t n_unpriced, size_t n_stale, size_t n);

#endif
