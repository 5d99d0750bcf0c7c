/* affordable.c - a budget without a workload: how many GPUs of each type it rents or buys until the
 * horizon, and what these could train and serve. */
#include "api/options/options.h"
#include "api/recommendation/recommendation.h"
#include "api/resource/currency.h"
#include "base/cents.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/units.h"
#include "estimate/ownership/owned.h"
#include "estimate/recommendation/option.h"
#include "estimate/training/training.h"

#include <math.h>
#include <string.h>

#define TABLE recommendation_affordable
#define TABLE_FILE "api/recommendation/affordable.def"
#define TABLE_ONLY
#include "base/field/table.h"

const struct fields recommendation_affordable_table = FIELDS_INIT(recommendation_affordable_rows);

bool recommendation_is_budget_alone(const struct recommendation *recommendation)
{
    const struct recommendation_in *in = recommendation->in;

    return !in->workload && (!isnan(in->budget) || !isnan(in->budget_per_month));
}

static const enum recommendation_acquisition configurations[] = {
    RECOMMENDATION_ON_DEMAND, RECOMMENDATION_RESERVED_1YR, RECOMMENDATION_RESERVED_3YR,
    RECOMMENDATION_BOUGHT};
enum { WAYS = sizeof(configurations) / sizeof(configurations[0]) };

double recommendation_budget_of(const struct recommendation_in *in, double months)
{
    return fmin(isnan(in->budget) ? (double)INFINITY : in->budget,
                isnan(in->budget_per_month) ? (double)INFINITY : in->budget_per_month * months);
}

/* gpu_count of a kind, busy around the clock for those months. */
static struct recommendation_part part_for(const struct recommendation *recommendation,
                                           size_t gpu_type,
                                           enum recommendation_acquisition acquisition,
                                           double gpu_count, double months)
{
    const double usual_node = 8;
    struct recommendation_part part = {
        .gpu_type = gpu_type,
        .acquisition = acquisition,
        .gpu_count = gpu_count,
        .connected = fmin(gpu_count, usual_node),
        .months = (int)months,
        .utilization = 1,
        .rented_ratio = 1,
        .held_ratio = 1,
        .credits = recommendation->ask.ledger.cloud_credits,
    };

    recommendation_part_cost(&recommendation->ask, &part);
    return part;
}

/* The same until the horizon. */
static struct recommendation_part part_of(const struct recommendation *recommendation,
                                          size_t gpu_type,
                                          enum recommendation_acquisition acquisition,
                                          double gpu_count)
{
    return part_for(recommendation, gpu_type, acquisition, gpu_count,
                    recommendation->in->horizon_months);
}

static bool is_within(const struct recommendation *recommendation,
                      const struct recommendation_part *part)
{
    return cents_round(part->payments) <=
               recommendation_budget_of(recommendation->in, part->months) &&
           owned_power_is_within(part->power_kw, recommendation->in->power_budget_kw);
}

static bool is_paid(const struct recommendation *recommendation, size_t gpu_type,
                    enum recommendation_acquisition acquisition, double gpu_count)
{
    struct recommendation_part part = part_of(recommendation, gpu_type, acquisition, gpu_count);

    return is_within(recommendation, &part);
}

/* Bought GPUs come in whole boards. */
static double board_of(const struct recommendation *recommendation, size_t gpu_type,
                       enum recommendation_acquisition acquisition)
{
    return acquisition == RECOMMENDATION_BOUGHT
               ? fmax(1, recommendation->gpu_types[gpu_type].gpu->board_gpu_count)
               : 1;
}

/* The most boards within the budget: doubled until too expensive, then bisected. */
static double most_boards(const struct recommendation *recommendation, size_t gpu_type,
                          enum recommendation_acquisition acquisition, double board)
{
    const double boards_max = 131072;
    double low = 0, high = 1;

    while (high < boards_max && is_paid(recommendation, gpu_type, acquisition, high * board)) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        double middle = floor((low + high) / 2);
        if (is_paid(recommendation, gpu_type, acquisition, middle * board))
            low = middle;
        else
            high = middle;
    }
    return low;
}

static const char *plan_link(const struct recommendation *recommendation, const struct gpu *gpu)
{
    struct request_context *context = recommendation->context;
    struct buf out;

    buf_init(&out, 1024);
    options_link_text(&out, "maximize", "parameters");
    options_link_text(&out, "gpu", gpu->slug);
    options_link_number(
        &out, "budget",
        recommendation_budget_of(recommendation->in, recommendation->in->horizon_months));
    options_link_day(&out, context);
    const char *link = arena_print(context->arena, "/v1/training-plan/options%s", buf_data(&out));
    buf_free(&out);
    return link;
}

/* What a model may need at most: to be trained on them in those months at the share of their peak
 * that whole published runs have, and to be held in their memory. */
static void fill_can_do(const struct recommendation *recommendation,
                        const struct recommendation_part *part,
                        struct recommendation_affordable *row)
{
    const struct catalog *catalog = recommendation->context->catalog;
    const struct gpu *gpu = recommendation->gpu_types[part->gpu_type].gpu;
    const struct assumption *usual = catalog_assumption(catalog, "whole_run_flops_utilization", "");
    const double flop_per_weight_and_token = 6, weight_bytes = 2;
    double share = catalog_default(catalog, "memory_utilization", "");
    double seconds = part->gpu_count * HOURS_PER_MONTH * part->months * SECONDS_PER_HOUR;
    double squared = training_peak(gpu, training_usual_precision(gpu)) * seconds /
                     (flop_per_weight_and_token * recommendation->in->tokens_per_parameter);

    row->memory_gib = part->gpu_count * gpu->memory_bytes / GIB;
    row->servable_parameters = floor(share * part->gpu_count * gpu->memory_bytes / weight_bytes);
    row->trainable_parameters = floor(sqrt(usual->value * squared));
    row->trainable_parameters_low = floor(sqrt(usual->low * squared));
    row->trainable_parameters_high = floor(sqrt(usual->high * squared));
}

static void fill_row(const struct recommendation *recommendation,
                     const struct recommendation_part *part, struct recommendation_affordable *row)
{
    const struct gpu *gpu = recommendation->gpu_types[part->gpu_type].gpu;
    bool bought = part->acquisition == RECOMMENDATION_BOUGHT;
    struct price price = recommendation_part_price(&recommendation->ask, part);
    struct ownership own;

    fields_clear(recommendation_affordable_fields, row);
    row->gpu = gpu->slug;
    row->acquisition = bought ? "buy" : "rent";
    row->purchase_option = recommendation_acquisition_name(part->acquisition);
    row->months = part->months;
    row->gpu_count = part->gpu_count;
    row->gpu_months = part->gpu_count * part->months;
    row->payments = part->payments;
    row->total_cost = part->total;
    row->rent_price_per_gpu_hour = price.per_gpu_hour;
    row->availability = bought || price.offered ? "offered" : "unknown";
    row->confirmed = recommendation_part_is_confirmed(part);
    if (bought && recommendation_ledger(&recommendation->ask, part, &own))
        row->housing = own.housing;
    fill_can_do(recommendation, part, row);
    struct recommendation_money low = recommendation_part_end(&recommendation->ask, part, false);
    struct recommendation_money high = recommendation_part_end(&recommendation->ask, part, true);

    row->total_cost_low = low.total;
    row->total_cost_high = high.total;
    row->payments_low = low.payments;
    row->payments_high = high.payments;
    row->plan = plan_link(recommendation, gpu);
}

/* Training compute is proportional to the square of the trainable parameters, at constant tokens
 * per parameter. */
double recommendation_compute_ratio(const struct recommendation_affordable *row,
                                    const struct recommendation_affordable *other)
{
    double ratio = row->trainable_parameters / other->trainable_parameters;

    return ratio * ratio;
}

/* Highest arithmetic rate first, unknown last; among equals the cheapest. */
static int by_arithmetic(const void *left, const void *right)
{
    const struct recommendation_affordable *a = left, *b = right;
    double most_a = isnan(a->trainable_parameters) ? -1 : a->trainable_parameters;
    double most_b = isnan(b->trainable_parameters) ? -1 : b->trainable_parameters;

    if (most_a != most_b)
        return most_a > most_b ? -1 : 1;
    if (a->payments != b->payments)
        return sort_order(a->payments, b->payments);
    int gpus = strcmp(a->gpu, b->gpu);
    return gpus ? gpus : strcmp(a->purchase_option, b->purchase_option);
}

static bool is_wanted(const struct recommendation *recommendation, size_t gpu_type,
                      enum recommendation_acquisition acquisition)
{
    const struct recommendation_gpu_type *type = &recommendation->gpu_types[gpu_type];

    return acquisition == RECOMMENDATION_BOUGHT ? type->may_buy : type->book[acquisition] != NULL;
}

/* ---- other numbers of GPUs for the same budget */

/* The most months, up to the horizon, for which the budget pays that many; 0: for none. */
static double most_months(const struct recommendation *recommendation, size_t gpu_type,
                          enum recommendation_acquisition acquisition, double gpu_count)
{
    double low = 0, high = recommendation->in->horizon_months + 1;

    while (high - low > 1) {
        double middle = floor((low + high) / 2);
        struct recommendation_part part =
            part_for(recommendation, gpu_type, acquisition, gpu_count, middle);
        if (is_within(recommendation, &part))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* One board, in the way that costs least until the horizon and in that which the budget pays for
 * the longest. */
struct too_little {
    struct recommendation_part least, longest;
    double months; /* of the longest; 0 if there is none */
};

static struct too_little find_least(const struct recommendation *recommendation)
{
    struct too_little found = {.least = {.payments = (double)INFINITY}};

    for (size_t k = 0; k < recommendation->ask.n_gpu_types; k++)
        for (size_t w = 0; w < WAYS; w++) {
            if (!is_wanted(recommendation, k, configurations[w]))
                continue;
            struct recommendation_part part =
                part_of(recommendation, k, configurations[w],
                        board_of(recommendation, k, configurations[w]));
            if (!owned_power_is_within(part.power_kw, recommendation->in->power_budget_kw))
                continue;
            if (part.payments < found.least.payments)
                found.least = part;
            double months = most_months(recommendation, k, configurations[w], part.gpu_count);
            if (months > found.months) {
                found.months = months;
                found.longest = part;
            }
        }
    return found;
}

static const char *part_in_words(const struct recommendation *recommendation,
                                 const struct recommendation_part *part)
{
    return arena_print(recommendation->context->arena, "%.0f x %s, %s", part->gpu_count,
                       recommendation->gpu_types[part->gpu_type].gpu->slug,
                       part->acquisition == RECOMMENDATION_BOUGHT ? "bought" : "rented");
}

/* If the budget pays for nothing, warn with the least cost of one board until the horizon, and with
 * the months for which it does pay. */
static void warn_too_little(struct recommendation *recommendation)
{
    struct request_context *context = recommendation->context;
    struct too_little found = find_least(recommendation);

    if (isinf(found.least.payments)) {
        context_warn(context, "no_option",
                     "the budget does not pay for any of the GPUs over the time frame");
        return;
    }
    context_warn(
        context, "no_option",
        "the budget does not pay for any of the GPUs over %.0f month%s: the least it takes "
        "is %s for %s; %s%s",
        recommendation->in->horizon_months, text_plural(recommendation->in->horizon_months),
        currency_amount(context, ceil(found.least.payments)),
        part_in_words(recommendation, &found.least),
        found.months > 0 ? arena_print(context->arena, "with horizon_months=%.0f it pays for %s",
                                       found.months, part_in_words(recommendation, &found.longest))
                         : "it does not pay for a month of any either",
        recommendation->in->condition ? "" : "; condition=used considers used ones too");
}

static enum recommendation_acquisition acquisition_of(const struct recommendation_affordable *row)
{
    enum recommendation_acquisition acquisition = RECOMMENDATION_ON_DEMAND;

    while (strcmp(recommendation_acquisition_name(acquisition), row->purchase_option) != 0)
        acquisition++;
    return acquisition;
}

enum { COUNTS_MAX = 24 };

/* One board, two, four and so on, up to what the budget pays for until the horizon; by the hour
 * beyond that for fewer months, as far as that many are known to be rented out. */
static size_t add_counts(const struct recommendation *recommendation, size_t gpu_type,
                         const struct recommendation_affordable *row,
                         struct recommendation_affordable *counts)
{
    enum recommendation_acquisition acquisition = acquisition_of(row);
    size_t n = 0;
    double board = board_of(recommendation, gpu_type, acquisition), count = board;
    bool most = false;
    for (; n < COUNTS_MAX; count *= 2) {
        bool reached = !most && count > row->gpu_count;
        double now = reached ? row->gpu_count : count;
        bool longer = acquisition == RECOMMENDATION_ON_DEMAND && now > row->gpu_count;
        double months = longer ? most_months(recommendation, gpu_type, acquisition, now)
                               : recommendation->in->horizon_months;
        struct recommendation_part part =
            part_for(recommendation, gpu_type, acquisition, now, months);
        most = most || now >= row->gpu_count;
        if ((now > row->gpu_count && !longer) || months < 1 ||
            (longer && !recommendation_part_is_confirmed(&part)))
            break;
        while (n > 0 && counts[n - 1].months == months && counts[n - 1].payments >= part.payments)
            n--; /* where machines are rented whole, more GPUs may cost no more */
        fill_row(recommendation, &part, &counts[n++]);
        if (reached)
            count /= 2;
    }
    return n;
}

static size_t kind_of(const struct recommendation *recommendation,
                      const struct recommendation_affordable *row)
{
    size_t k = 0;

    while (strcmp(recommendation->gpu_types[k].gpu->slug, row->gpu) != 0)
        k++;
    return k;
}

static const struct recommendation_affordable *
first_of(const struct recommendation_affordable *rows, size_t n, const char *purchase_option)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i].confirmed == 1 && strcmp(rows[i].purchase_option, purchase_option) == 0)
            return &rows[i];
    return NULL;
}

/* Numbers of GPUs for the best row, the row with the most compute for the money, and the first row
 * of each way to acquire GPUs. */
static void add_numbers(struct recommendation *recommendation,
                        const struct recommendation_affordable *rows, size_t n,
                        const struct recommendation_affordable *best,
                        const struct recommendation_affordable *value)
{
    struct request_context *context = recommendation->context;
    const struct recommendation_affordable *chosen[WAYS + 2] = {best, value};
    struct recommendation_affordable *counts =
        arena_alloc(context->arena, sizeof(*counts) * (WAYS + 2) * COUNTS_MAX);
    size_t n_counts = 0;

    for (size_t w = 0; w < WAYS; w++)
        chosen[2 + w] = first_of(rows, n, recommendation_acquisition_name(configurations[w]));
    for (size_t i = 0; i < WAYS + 2; i++) {
        bool again = !chosen[i];
        for (size_t j = 0; j < i; j++)
            again = again || chosen[j] == chosen[i];
        if (!again)
            n_counts += add_counts(recommendation, kind_of(recommendation, chosen[i]), chosen[i],
                                   &counts[n_counts]);
    }
    for (size_t i = 0; i < n_counts; i++)
        counts[i].rank = (double)(i + 1);
    context_table(context, "affordable_counts", counts, n_counts, sizeof(*counts));
}

/* Among the confirmed rows with at least half of the compute of `best`, the one with the most
 * compute for the money. */
static const struct recommendation_affordable *
best_value(const struct recommendation_affordable *rows, size_t n,
           const struct recommendation_affordable *best)
{
    const struct recommendation_affordable *value = best;
    const double half = 0.5;

    for (size_t i = 0; i < n; i++)
        if (rows[i].confirmed == 1 && recommendation_compute_ratio(&rows[i], best) >= half &&
            recommendation_compute_ratio(&rows[i], value) * value->payments > rows[i].payments)
            value = &rows[i];
    return value;
}

const struct recommendation_option *
recommendation_affordable_option(const struct recommendation *recommendation,
                                 const struct recommendation_affordable *row)
{
    struct recommendation_option *option =
        arena_alloc(recommendation->context->arena, sizeof(*option));

    option->n_parts = 1;
    option->parts[0] =
        part_of(recommendation, kind_of(recommendation, row), acquisition_of(row), row->gpu_count);
    return option;
}

const struct recommendation_affordable *
recommendation_afford(struct recommendation *recommendation,
                      const struct recommendation_affordable **value)
{
    struct request_context *context = recommendation->context;
    size_t n = 0, gpu_types = recommendation->ask.n_gpu_types;
    struct recommendation_affordable *rows =
        arena_alloc(context->arena, (WAYS * gpu_types + 1) * sizeof(*rows));

    for (size_t k = 0; k < gpu_types; k++)
        for (size_t w = 0; w < WAYS; w++) {
            double board = board_of(recommendation, k, configurations[w]);
            double boards =
                is_wanted(recommendation, k, configurations[w]) && !cancelled(context->cancel)
                    ? most_boards(recommendation, k, configurations[w], board)
                    : 0;
            if (!(boards > 0))
                continue;
            struct recommendation_part part =
                part_of(recommendation, k, configurations[w], boards * board);
            fill_row(recommendation, &part, &rows[n++]);
        }
    sort_items(rows, n, sizeof(*rows), by_arithmetic);
    for (size_t i = 0; i < n; i++)
        rows[i].rank = (double)(i + 1);
    context_table(context, "affordable", rows, n, sizeof(*rows));
    if (!n && !cancelled(context->cancel))
        warn_too_little(recommendation);
    size_t first = 0;
    while (first < n && rows[first].confirmed != 1)
        first++;
    const struct recommendation_affordable *best = first < n ? &rows[first] : n ? rows : NULL;
    *value = best ? best_value(rows, n, best) : NULL;
    if (best)
        add_numbers(recommendation, rows, n, best, *value);
    return best;
}
