#include "api/options/hosted_price.h"

#include "api/resource/currency.h"
#include "base/spelling.h"
#include "base/text.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

#define TABLE hosted_figures
#define TABLE_FILE "api/options/hosted_out.def"
#define TABLE_ONLY
#include "base/field/table.h"

static const char INPUT[] = "hosted_input_price_per_million_tokens";
static const char OUTPUT[] = "hosted_output_price_per_million_tokens";
static const char CACHED[] = "hosted_cached_input_price_per_million_tokens";
static const char DECLINE[] = "hosted_price_decline_ratio";
static const char RATIO[] = "cached_input_ratio";

/* ---- inputs */

bool hosted_price_check_providers(struct request_context *context, const char *parameter,
                                  const char *providers, struct err *err)
{
    const struct catalog *catalog = context->catalog;
    const char *name;
    bool good = true;

    while ((name = arena_next_item(context->arena, &providers))) {
        struct spelling near = spelling_of(name);
        for (size_t i = 0; i < catalog->n_hosted_prices; i++)
            spelling_try(&near, catalog->hosted_prices[i].provider);
        if (near.distance != 0)
            good = err_add(err, parameter, name, "unknown_name",
                           "no hosted price is from %s; did you mean %s? /v1/hosted-prices lists "
                           "them",
                           name, near.nearest);
    }
    return good;
}

/* The input and the output price go together, and exclude hosted_provider. */
static bool check_prices(struct request_context *context, struct err *err)
{
    bool any = context_given(context, INPUT) || context_given(context, OUTPUT) ||
               context_given(context, CACHED);
    bool good = true;

    if (any && context_given(context, "hosted_provider"))
        good = context_refuse(context, err, "hosted_provider", "contradiction",
                              "selects catalogue prices, but you entered a price");
    if (any && !context_given(context, INPUT))
        good = context_refuse(context, err, INPUT, "missing_parameter",
                              "is required with the other prices of the hosted API");
    if (any && !context_given(context, OUTPUT))
        good = context_refuse(context, err, OUTPUT, "missing_parameter",
                              "is required with the other prices of the hosted API");
    return good;
}

bool hosted_price_check(struct request_context *context, struct err *err)
{
    static const char *const dependent[] = {"hosted_provider", INPUT, OUTPUT, CACHED,
                                            DECLINE,           RATIO};
    bool good = check_prices(context, err);

    for (size_t i = 0; i < sizeof(dependent) / sizeof(dependent[0]); i++)
        if (context_number(context, "hosted") == 0 && context_given(context, dependent[i]))
            good = context_refuse(context, err, dependent[i], "contradiction",
                                  "applies to the hosted API, which hosted=0 leaves out");
    return hosted_price_check_providers(context, "hosted_provider",
                                        context_text(context, "hosted_provider"), err) &&
           good;
}

static struct hosted_mix mix_of(struct request_context *context, const struct hosted_load *load)
{
    double cached = context_number(context, "prefix_cache_ratio");

    if (!context_given(context, RATIO))
        context_set_number(context, RATIO, isnan(cached) ? 0 : cached,
                           cached > 0 ? SOURCE_CHOSEN : SOURCE_DEFAULT, NULL);
    return (struct hosted_mix){load->input_tokens, load->output_tokens,
                               context_number(context, RATIO)};
}

/* Take the catalogue's prices, and their range; false if it has none. */
static bool take_market(struct request_context *context, const struct hosted_load *load,
                        const struct hosted_mix *mix, struct hosted_choice *choice)
{
    const struct model *model =
        load->model ? catalog_model_meant(context->catalog, load->model, NULL) : NULL;

    if (!model)
        return false;
    choice->market =
        hosted_price_market(context->catalog, model->slug, context_text(context, "hosted_provider"),
                            mix, context->as_of);
    if (!choice->market.n_providers)
        return false;
    const char *path = arena_join(context->arena, "/v1/hosted-prices?model=", model->slug);
    context_set_number(context, INPUT, choice->market.median.input, SOURCE_CATALOG, path);
    context_set_number(context, OUTPUT, choice->market.median.output, SOURCE_CATALOG, path);
    context_set_number(context, CACHED, choice->market.median.cached_input, SOURCE_CATALOG, path);
    choice->low = choice->market.low;
    choice->high = choice->market.high;
    choice->status = "priced";
    return true;
}

static void take_given(struct request_context *context, struct hosted_choice *choice)
{
    if (!context_given(context, CACHED))
        context_set_number(context, CACHED, context_number(context, INPUT), SOURCE_DEFAULT, NULL);
    choice->low =
        (struct hosted_rates){context_number(context, INPUT), context_number(context, CACHED),
                              context_number(context, OUTPUT)};
    choice->high = choice->low;
    choice->status = "given";
}

static void warn_stale(struct request_context *context, const struct hosted_choice *choice)
{
    if (choice->market.n_providers && choice->market.stale)
        context_warn(context, "stale_hosted_price",
                     "the hosted API's prices were read on %s; run gpuplan fetch for newer ones, "
                     "or enter %s and %s",
                     context_day(context, choice->market.newest), INPUT, OUTPUT);
}

/* From the load as stated, without rounding up to whole GPUs. */
static double tokens_per_day(const struct request_context *context, const struct hosted_load *load)
{
    double each = load->input_tokens + load->output_tokens;
    double tokens = context_number(context, "tokens_per_day");
    double requests =
        context_number(context, "requests_per_minute") * (SECONDS_PER_DAY / SECONDS_PER_MINUTE);
    double users = context_number(context, "daily_users");

    if (isnan(requests))
        requests = users * context_number(context, "requests_per_user_per_day");
    if (isnan(tokens))
        tokens = requests * each;
    return isnan(tokens) ? load->served_per_day : tokens;
}

static void take_load(const struct request_context *context, const struct hosted_load *load,
                      struct hosted_choice *choice)
{
    choice->api = (struct hosted_api){
        .input_price = context_number(context, INPUT),
        .cached_price = context_number(context, CACHED),
        .output_price = context_number(context, OUTPUT),
        .cached_ratio = context_number(context, RATIO),
        .price_decline_ratio = context_number(context, DECLINE),
        .input_tokens = load->input_tokens,
        .output_tokens = load->output_tokens,
        .tokens_per_day = tokens_per_day(context, load),
        .growth_ratio_per_month = load->growth_ratio_per_month,
    };
}

void hosted_price_choose(struct request_context *context, const struct hosted_load *load,
                         struct hosted_choice *choice)
{
    bool left_out = context_number(context, "hosted") == 0;

    *choice = (struct hosted_choice){.status = left_out ? "left_out"
                                               : load   ? "no_price"
                                                        : "no_service"};
    if (left_out || !load)
        return;
    struct hosted_mix mix = mix_of(context, load);
    if (context_given(context, INPUT))
        take_given(context, choice);
    else if (!take_market(context, load, &mix, choice))
        return;
    if (!context_given(context, DECLINE))
        context_set_number(context, DECLINE, 0, SOURCE_DEFAULT, NULL);
    take_load(context, load, choice);
    if (isnan(choice->api.tokens_per_day)) {
        choice->status = "no_service";
        return;
    }
    if (mix.cached_ratio == 0 && context_given(context, CACHED))
        context_warn(context, "without_effect", "%s has an effect only with %s", CACHED, RATIO);
    warn_stale(context, choice);
}

bool hosted_price_is_known(const struct hosted_choice *choice)
{
    return strcmp(choice->status, "priced") == 0 || strcmp(choice->status, "given") == 0;
}

/* ---- figures */

static struct hosted_api api_at(const struct hosted_api *api, const struct hosted_rates *rates)
{
    struct hosted_api at = *api;

    at.input_price = rates->input;
    at.cached_price = rates->cached_input;
    at.output_price = rates->output;
    return at;
}

static double total_of(const struct hosted_api *api, const struct ownership *own)
{
    struct hosted_api_ledger ledger;

    hosted_api_ledger(api, own, (int)own->horizon_months, &ledger);
    return ledger.total;
}

void hosted_price_figures(struct request_context *context, const struct hosted_choice *choice,
                          const struct ownership *own, struct hosted_figures *figures)
{
    const struct hosted_market *market = &choice->market;

    fields_clear(hosted_figures_fields, figures);
    figures->hosted_status = choice->status;
    if (!hosted_price_is_known(choice))
        return;
    struct hosted_api low = api_at(&choice->api, &choice->low);
    struct hosted_api high = api_at(&choice->api, &choice->high);
    figures->hosted_tokens_per_month = hosted_api_tokens_per_month(&choice->api);
    figures->hosted_cost_per_month_low = hosted_api_cost_per_month(&low);
    figures->hosted_cost_per_month_high = hosted_api_cost_per_month(&high);
    /* Lines are rounded one by one, so an end can come out on the wrong side of the middle. */
    double middle = total_of(&choice->api, own);
    figures->hosted_total_cost_low = fmin(total_of(&low, own), middle);
    figures->hosted_total_cost_high = fmax(total_of(&high, own), middle);
    if (!market->n_providers)
        return;
    figures->hosted_provider_count = (double)market->n_providers;
    figures->hosted_cheapest_provider = market->cheapest_provider;
    figures->hosted_price_oldest_date = context_day(context, market->oldest);
    figures->hosted_price_newest_date = context_day(context, market->newest);
}

static bool is_own_cheaper(const struct threshold *side)
{
    return strcmp(side->status, "buy_cheaper_throughout") == 0 ||
           strcmp(side->status, "rent_cheaper_throughout") == 0;
}

static const char *until_status(const struct threshold *buy, const struct threshold *rent)
{
    if (is_own_cheaper(buy) || is_own_cheaper(rent))
        return "own_cheaper_throughout";
    if (!isnan(buy->value) || !isnan(rent->value))
        return "reached";
    return strcmp(buy->status, rent->status) == 0 ? buy->status : "hosted_cheaper_throughout";
}

void hosted_price_until(const struct hosted_choice *choice, const struct threshold *buy,
                        const struct threshold *rent, double requests_per_user_per_day,
                        struct hosted_figures *figures)
{
    struct hosted_api api = choice->api;

    figures->hosted_until_status = until_status(buy, rent);
    if (strcmp(figures->hosted_until_status, "reached") != 0)
        return;
    api.tokens_per_day = fmin(buy->value, rent->value);
    figures->hosted_until_tokens_per_month = hosted_api_tokens_per_month(&api);
    figures->hosted_until_daily_users = floor(
        api.tokens_per_day / (requests_per_user_per_day * (api.input_tokens + api.output_tokens)));
}

/* ---- words */

static const char *source_words(struct request_context *context, const struct hosted_choice *choice)
{
    const struct hosted_market *market = &choice->market;
    const struct hosted_mix mix = {choice->api.input_tokens, choice->api.output_tokens,
                                   choice->api.cached_ratio};

    if (!market->n_providers)
        return "at the price given";
    if (market->n_providers == 1)
        return arena_print(context->arena, "by the only known price, from %s, read %s",
                           catalog_provider_name(context->catalog, market->cheapest_provider),
                           context_day(context, market->newest));
    return arena_print(
        context->arena,
        "by the median of %zu providers (%.3g to %.3g %s per million tokens, read %s)",
        market->n_providers, hosted_price_blended(&choice->low, &mix),
        hosted_price_blended(&choice->high, &mix), context->answer.meta.currency,
        context_day(context, market->newest));
}

static const char *tokens_words(struct request_context *context, double tokens)
{
    const double million = 1e6, billion = 1e9;
    bool many = tokens >= billion;

    return arena_print(context->arena, "%.4g %s tokens", tokens / (many ? billion : million),
                       many ? "billion" : "million");
}

const char *hosted_price_words(struct request_context *context, const struct hosted_choice *choice,
                               const struct hosted_figures *figures, double total, double months)
{
    if (strcmp(choice->status, "left_out") == 0)
        return "The hosted API is left out because of hosted=0.";
    if (strcmp(choice->status, "no_service") == 0)
        return "A hosted API is compared only with serving a published model under a known load: "
               "it does not run weights that are trained or fine-tuned here.";
    if (strcmp(choice->status, "no_price") == 0)
        return "No hosted price is known here for this model, day, providers and mix of tokens: "
               "enter hosted_input_price_per_million_tokens and "
               "hosted_output_price_per_million_tokens.";
    return arena_print(context->arena,
                       "The hosted API, %s, costs %s %s for %s, and %s in %.0f month%s with "
                       "cost of capital",
                       source_words(context, choice),
                       currency_amount(context, hosted_api_cost_per_month(&choice->api)),
                       choice->api.growth_ratio_per_month > 0 ? "in the first month" : "a month",
                       tokens_words(context, figures->hosted_tokens_per_month),
                       currency_amount(context, total), months, text_plural(months));
}

const char *hosted_price_cheapest_words(struct request_context *context,
                                        const struct hosted_figures *figures, double total,
                                        double other)
{
    if (!(figures->hosted_total_cost_low < other && total >= other))
        return "";
    return arena_join(
        context->arena, " Its cheapest provider, ",
        catalog_provider_name(context->catalog, figures->hosted_cheapest_provider),
        ", would cost less: ", currency_amount(context, figures->hosted_total_cost_low), ".");
}

const char *hosted_price_until_words(struct request_context *context,
                                     const struct hosted_figures *figures, const char *gpu)
{
    const char *status = figures->hosted_until_status ? figures->hosted_until_status : "";
    const char *leaves = "Its provider sees the data; its response times are unknown.";
    const char *users = isnan(figures->hosted_until_daily_users)
                            ? ""
                            : arena_join(context->arena, " (",
                                         context_count(context, figures->hosted_until_daily_users),
                                         " users a day)");

    if (strcmp(status, "hosted_cheaper_throughout") == 0)
        return arena_print(context->arena, "It costs less than %s at any volume. %s", gpu, leaves);
    if (strcmp(status, "own_cheaper_throughout") == 0)
        return arena_print(context->arena, "It costs more than %s at any volume. %s", gpu, leaves);
    if (strcmp(status, "reached") != 0)
        return leaves;
    return arena_print(
        context->arena,
        "%s sized for the load, bought or rented, costs no more from %s per month%s. %s", gpu,
        tokens_words(context, figures->hosted_until_tokens_per_month), users, leaves);
}

void hosted_price_say(const struct hosted_figures *figures, const struct fields *fields, void *out)
{
    for (size_t i = 0; i < hosted_figures_fields.n; i++) {
        const struct field *from = &hosted_figures_fields.at[i];
        const struct field *to = fields_find(*fields, from->name);
        if (field_is_text(from))
            field_set_text(to, out, field_text(from, figures));
        else
            field_set_number(to, out, field_number(from, figures));
    }
}
