/* options_warnings.c - warnings about omissions and weak foundations of the options.
 */
#include "api/inference/options.h"
#include "api/inference/options_search.h"

#include "api/catalog/own_runs.h"
#include "api/resource/gpu_warnings.h"

#include <math.h>
#include <string.h>

/* Options are compared by times and costs, not by answer quality. */
static void warn_narrow(struct inference_options *options, const struct serving_option *best)
{
    size_t n = 0;

    for (size_t i = 0; i < options->n_found; i++)
        n += inference_options_quantized(options, &options->found[i]);
    if (!n)
        return;
    const char *which =
        n == options->n_found && n > 1
            ? arena_print(options->context->arena, "all %zu options", n)
            : arena_print(options->context->arena, "%zu of the %zu options%s", n, options->n_found,
                          best && inference_options_quantized(options, best)
                              ? ", the recommended one among them,"
                              : "");
    context_warn(options->context, "low_bit_weights",
                 "%s store weights in fewer bits than the model is published in: see quality of "
                 "each, and measure it on your own task",
                 which);
}

static void warn_prices(struct inference_options *options)
{
    struct arena *arena = options->context->arena;
    bool *found = arena_alloc(arena, options->list.n_kinds + 1);
    bool *priced = arena_alloc(arena, options->list.n_kinds + 1);
    struct options_staleness stale = {0};
    size_t n_unpriced = 0;

    for (size_t i = 0; i < options->n_found; i++) {
        size_t kind = options->kind_of[options->found[i].candidate];
        found[kind] = true;
        priced[kind] |= !isnan(options->found[i].price_per_gpu_hour);
    }
    for (size_t i = 0; i < options->list.n_kinds; i++) {
        n_unpriced += found[i] && !priced[i];
        struct price price = price_match(options->kinds[i].request.book, 1, 1);
        options_count_stale(options->context, &stale, &price);
    }
    if (context_given(options->context, "price_per_gpu_hour"))
        context_warn(options->context, "one_price",
                     "price_per_gpu_hour is used for every GPU type");
    options_warn_prices(options->context, n_unpriced, &stale, options->list.n_kinds);
}

void inference_options_warn_unconfirmed(struct inference_options *options,
                                        const struct serving_option *best)
{
    bool cost = strcmp(options->in->rank, "cost") == 0;
    size_t index;
    double less;

    if (!best ||
        !options_unconfirmed(&options->list, (size_t)(best - options->found), cost, &index, &less))
        return;
    const struct serving_option *found = &options->found[index];
    struct options_rent rent = {options->candidates[found->candidate].request->book,
                                found->design.gpu_count, serving_connected(&found->design),
                                found->unlinked ? &options_unlinked : NULL};
    options_warn_unconfirmed(&options->list, index, less, cost, &rent);
}

void inference_options_warn(struct inference_options *options, const struct serving_option *best)
{
    const double unknown = (double)NAN;

    if (options->n_candidates && !options->candidates[0].request->load_stated)
        inference_demand_warn_none(options->context);
    inference_demand_warn_recommended(
        options->context, best ? best->latency : (struct range){unknown, unknown, unknown},
        best ? best->utilization : unknown);
    options_warn_model(options->context, options->kinds[0].context);
    warn_prices(options);
    warn_narrow(options, best);
    if (options->runs && !options->corrects)
        own_runs_warn_unlike(options->context, options->in->sizing.measurement_set, NULL);
    options_warn_choice(&options->list, best ? inference_options_kind_of(options, best)->gpu : NULL,
                        "no option meets the limits; those that carry the load are listed "
                        "anyway, see ruled_out");
    if (best) {
        const struct serving_request *request = options->candidates[best->candidate].request;
        gpu_warnings_heat(options->context, request->job.gpu,
                          fmin(request->job.gpus_per_node, best->design.gpu_count));
        inference_sizing_warn_housing(options->context, &options->in->sizing, request,
                                      best->design.gpu_count);
        inference_options_warn_lengths(options->context, options, best);
    }
}
