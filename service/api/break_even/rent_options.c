/* rent_options.c - compares on-demand rent with one-year and three-year reservations, and finds the
 * cheapest, with which buying is compared. */
#include "api/break_even/break_even.h"

#include "api/options/rent_charges.h"
#include "api/resource/currency.h"

#include <math.h>
#include <string.h>

#define TABLE break_even_rent_option
#define TABLE_FILE "api/break_even/rent_option.def"
#include "base/field/table.h"

const struct fields break_even_rent_options_fields = FIELDS_INIT(break_even_rent_option_rows);

enum { COMPARED = 3 }; /* the first of purchase_options */

static const struct {
    const char *option, *words;
} ways[] = {
    {"on_demand", "on demand"},
    {"reserved_1yr", "reserved by the year"},
    {"reserved_3yr", "reserved for three years"},
    {"spot", "on the spot market"},
    {"capacity_block", "in capacity blocks"},
};

struct price_query break_even_price_query(const struct request_context *context,
                                          const struct break_even_in *in, const struct gpu *gpu,
                                          const char *purchase_option)
{
    return (struct price_query){.gpu = gpu,
                                .purchase_option = purchase_option,
                                .provider = in->provider,
                                .region = in->region,
                                .provider_discounts = in->provider_discounts,
                                .as_of = context->as_of,
                                .gpu_count = in->own.gpu_count,
                                .connected_gpu_count = in->connected_gpu_count};
}

const char *break_even_rent_words(const char *purchase_option)
{
    enum { WAYS = sizeof(ways) / sizeof(ways[0]) };
    size_t i = 0;

    while (i < WAYS - 1 && strcmp(ways[i].option, purchase_option) != 0)
        i++;
    return ways[i].words;
}

/* What ending a commitment early costs; NAN without such a line. */
static double commitment_exit_cost(const struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->n; i++)
        if (strcmp(ledger->lines[i].key, "commitment_exit") == 0)
            return ledger->lines[i].amount;
    return (double)NAN;
}

/* Data sent out and storage at the providers of that price. */
static void charge(const struct request_context *context, const struct price *price,
                   struct ownership *own)
{
    const struct rent_charges rent = {price, NULL, own->egress_tb_per_month * GB_PER_TB,
                                      own->storage_tb * GB_PER_TB, false};
    struct provider_charges at = rent_charges_of(context, &rent);

    if (!context_given(context, "egress_price_per_gb") && !isnan(at.egress_per_gb))
        own->egress_price_per_gb = at.egress_per_gb;
    if (!context_given(context, "storage_price_per_gb_month") && !isnan(at.storage_per_gb_month))
        own->storage_price_per_gb_month = at.storage_per_gb_month;
}

/* The ledger's inputs with that purchase option. If all hours are paid, a training's rent has no
 * unused part. */
static struct ownership rented_so(const struct request_context *context,
                                  const struct break_even_in *in, const char *purchase_option,
                                  const struct price *price)
{
    struct ownership own = in->own;

    own.purchase_option = purchase_option;
    own.rent_price_per_gpu_hour = price->per_gpu_hour;
    if (own.egress_tb_per_month > 0 || own.storage_tb > 0)
        charge(context, price, &own);
    own.commitment_discount_ratio = own.spot_discount_ratio = 0;
    if (!isnan(in->plan.unused_ratio) && !context_given(context, "rental_overhead_ratio"))
        own.rental_overhead_ratio = price_term_months(purchase_option) ? 0 : in->plan.unused_ratio;
    return own;
}

static double total_at(const struct ownership *own, double rent)
{
    struct ownership other = *own;

    other.rent_price_per_gpu_hour = rent;
    return ownership_side_rent(&other, (int)own->horizon_months).total;
}

/* False if nobody offers the option and no price can be derived. */
static bool fill_row(struct request_context *context, const struct break_even_in *in,
                     const struct price_query *query, struct break_even_rent_option *row,
                     struct utilization_band *buys)
{
    struct price *price = arena_alloc(context->arena, sizeof(*price));
    struct break_even *found = arena_alloc(context->arena, sizeof(*found));
    const struct ledger *ledger = &found->ledger;
    int term = price_term_months(query->purchase_option);

    *price = catalog_price(context->catalog, query);
    if (isnan(price->per_gpu_hour))
        return false;
    struct ownership own = rented_so(context, in, query->purchase_option, price);
    break_even_at_horizon(&own, found);
    *buys = found->buys;
    /* Rents paid in full by credits differ only by rounding. */
    double total = ledger->rent_total, least = total_at(&own, price->band_low),
           most = total_at(&own, price->band_high);
    *row = (struct break_even_rent_option){
        .purchase_option = query->purchase_option,
        .term_months = term ? term : (double)NAN,
        .rent_price_per_gpu_hour = price->per_gpu_hour,
        .price_provider_count = (double)price->n_offers,
        .price_derived_provider_count = (double)price->n_derived,
        .commitment_exit_cost = commitment_exit_cost(ledger),
        .rent_total_cost = total,
        .buy_saving = total - ledger->buy_total,
        .rent_total_cost_low = fmin(total, fmin(least, most)),
        .rent_total_cost_high = fmax(total, fmax(least, most)),
    };
    return true;
}

/* The cheapest total of the other options all of whose prices are published; infinite if the
 * question names its option, or there are none. */
static double published_elsewhere(struct request_context *context, const struct break_even_in *in,
                                  struct price_query query)
{
    struct price *price = arena_alloc(context->arena, sizeof(*price));
    double least = (double)INFINITY;

    for (int i = 0; i < COMPARED && in->chose_rent; i++) {
        query.purchase_option = ways[i].option;
        if (strcmp(ways[i].option, in->own.purchase_option) == 0)
            continue;
        *price = catalog_price(context->catalog, &query);
        if (isnan(price->per_gpu_hour) || price->n_derived > 0)
            continue;
        struct ownership own = rented_so(context, in, ways[i].option, price);
        least = fmin(least, total_at(&own, own.rent_price_per_gpu_hour));
    }
    return least;
}

static bool buys_at(const struct break_even *found, double rent_total)
{
    return rent_total >= found->ledger.buy_total;
}

void break_even_check_published(struct request_context *context, struct break_even_in *in,
                                const struct gpu *gpu, const struct break_even *found)
{
    struct price *price = arena_alloc(context->arena, sizeof(*price));
    struct price_query query = break_even_price_query(context, in, gpu, in->own.purchase_option);

    in->published_turn = false;
    if (!in->book || !found->verdict || !(in->basis.n_derived > 0))
        return;
    *price = catalog_price(context->catalog, &query);
    in->published = pricing_published(context, query.purchase_option, price);
    bool known = in->published.n > 0, buys = found->verdict[0] == 'b';
    double total = known ? total_at(&in->own, in->published.median) : (double)INFINITY;
    if (known && buys_at(found, total) == buys)
        return;
    total = fmin(total, published_elsewhere(context, in, query));
    in->published_turn = !isinf(total) && buys_at(found, total) != buys;
    double extreme = buys ? in->published.high : in->published.low;
    bool keeps = known && buys_at(found, total_at(&in->own, extreme)) == buys;
    in->published_keeps = keeps ? extreme : (double)NAN;
}

/* The purchase option of the answer itself. */
static struct break_even_rent_option row_asked(const struct break_even_in *in,
                                               const struct ledger *ledger,
                                               const struct break_even_out *out)
{
    const struct ownership *own = &in->own;
    int term = price_term_months(own->purchase_option);

    return (struct break_even_rent_option){
        .purchase_option = own->purchase_option,
        .term_months = term ? term : (double)NAN,
        .rent_price_per_gpu_hour = own->rent_price_per_gpu_hour *
                                   (1 - own->commitment_discount_ratio) *
                                   (1 - own->spot_discount_ratio),
        .price_provider_count = out->price_provider_count,
        .price_derived_provider_count = out->price_derived_provider_count,
        .commitment_exit_cost = commitment_exit_cost(ledger),
        .rent_total_cost = out->rent_total_cost,
        .buy_saving = out->buy_saving,
        .rent_total_cost_low = out->rent_total_cost_low,
        .rent_total_cost_high = out->rent_total_cost_high,
    };
}

/* The same words for the start of a sentence. */
static const char *words_first(struct arena *arena, const char *option)
{
    const char *words = break_even_rent_words(option);

    return arena_print(arena, "%c%s", words[0] - 'a' + 'A', words + 1);
}

/* Such as " (priced from on demand at 9 of 13 providers)"; "" for published prices. */
static const char *derived_words(struct arena *arena, const struct break_even_rent_option *option)
{
    if (!(option->price_derived_provider_count > 0))
        return "";
    return option->price_provider_count == 1
               ? " (priced from on demand)"
               : arena_print(arena, " (priced from on demand at %.0f of %.0f providers)",
                             option->price_derived_provider_count, option->price_provider_count);
}

/* If the question names a purchase option, say so if another one is cheaper. */
static void say(struct request_context *context, const struct break_even_rent_option *least,
                struct break_even_out *out)
{
    const char *currency = context->answer.meta.currency;
    bool buys = least->buy_saving >= 0, turns = buys != (out->verdict[0] == 'b');

    out->sentence = arena_print(context->arena, "%s %s%s the same GPUs come to %s %s, %s.",
                                out->sentence, turns ? "But " : "",
                                turns ? break_even_rent_words(least->purchase_option)
                                      : words_first(context->arena, least->purchase_option),
                                context_count(context, least->rent_total_cost), currency,
                                buys ? "more than owning" : "less than owning");
    if (turns)
        answer_warn_first(
            &context->answer, "other_rent_turns_verdict",
            arena_print(context->arena,
                        "%s, at %.4g %s/GPU-hour%s, the same GPUs come to %s %s, %s owning: "
                        "purchase_option=%s",
                        break_even_rent_words(least->purchase_option),
                        least->rent_price_per_gpu_hour, currency,
                        derived_words(context->arena, least),
                        context_count(context, least->rent_total_cost), currency,
                        buys ? "more than" : "less than", least->purchase_option));
}

/* The options at those providers, with those credits. */
static struct cheapest {
    const char *option;
    double total;
} find_cheapest(struct request_context *context, const struct break_even_in *in,
                const struct gpu *gpu, const char *provider, double credits)
{
    struct ledger *ledger = arena_alloc(context->arena, sizeof(*ledger));
    struct price *price = arena_alloc(context->arena, sizeof(*price));
    struct price_query query = break_even_price_query(context, in, gpu, NULL);
    struct cheapest found = {ways[0].option, (double)INFINITY};
    struct err err = {0};

    query.provider = provider;
    for (int i = 0; i < COMPARED; i++) {
        query.purchase_option = ways[i].option;
        *price = catalog_price(context->catalog, &query);
        struct ownership own = rented_so(context, in, ways[i].option, price);
        own.cloud_credits = credits;
        if (isnan(own.rent_price_per_gpu_hour) ||
            !ownership_complete(&own, context->catalog, gpu, context->as_of, &err))
            continue;
        ownership_ledger(&own, (int)own.horizon_months, ledger);
        if (ledger->rent_total < found.total)
            found = (struct cheapest){ways[i].option, ledger->rent_total};
    }
    return found;
}

const char *break_even_cheapest_rent(struct request_context *context,
                                     const struct break_even_in *in, const struct gpu *gpu)
{
    return find_cheapest(context, in, gpu, in->provider, in->own.cloud_credits).option;
}

/* The total when renting from the provider of the credits. */
static void say_credits(struct request_context *context, const struct break_even_in *in,
                        const struct gpu *gpu, struct break_even_out *out)
{
    const char *owner = in->cloud_credits_provider;
    const char *name = catalog_provider_name(context->catalog, owner);
    struct cheapest there = find_cheapest(context, in, gpu, owner, in->credits_elsewhere);

    out->sentence =
        isinf(there.total)
            ? arena_print(context->arena, "%s %s, whose the credits are, is not known to rent it.",
                          out->sentence, name)
            : arena_print(context->arena,
                          "%s From %s, %s and after its credits, it comes to %s (provider=%s).",
                          out->sentence, name, break_even_rent_words(there.option),
                          currency_amount(context, there.total), owner);
}

/* If the question names no purchase option, a different one may be cheapest at another utilization.
 */
static void turn_among(const struct utilization_band *buys, size_t n, struct break_even_out *out)
{
    struct threshold turn = break_even_utilization_among(buys, n);

    out->break_even_utilization = turn.value;
    out->break_even_utilization_status = turn.status;
}

void break_even_compare_rents(struct request_context *context, const struct break_even_in *in,
                              const struct gpu *gpu, const struct break_even *found,
                              struct break_even_out *out)
{
    struct break_even_rent_option *rows = arena_alloc(context->arena, COMPARED * sizeof(*rows));
    struct utilization_band buys[COMPARED];
    const struct break_even_rent_option *least = NULL, *on_demand = NULL;
    struct price_query query = break_even_price_query(context, in, gpu, NULL);
    const char *asked = in->own.purchase_option;
    size_t n = 0;

    for (int i = 0; i < COMPARED && in->book && !isnan(found->ledger.rent_total); i++) {
        query.purchase_option = ways[i].option;
        if (strcmp(ways[i].option, asked) == 0) {
            buys[n] = found->buys;
            rows[n++] = row_asked(in, &found->ledger, out);
            continue;
        }
        if (!fill_row(context, in, &query, &rows[n], &buys[n]))
            continue;
        if (!least || rows[n].rent_total_cost < least->rent_total_cost)
            least = &rows[n];
        if (i == 0)
            on_demand = &rows[n];
        n++;
    }
    context_table(context, "rent_options", rows, n, sizeof(*rows));
    if (!out->verdict) /* what buying costs is unknown */
        return;
    if (in->chose_rent && n)
        turn_among(buys, n, out);
    if (least && least->rent_total_cost < out->rent_total_cost && !out->buy_ruled_out)
        say(context, least, out);
    else if (on_demand && in->chose_rent) /* what the flexibility costs */
        out->sentence =
            arena_print(context->arena, "%s On demand the same GPUs come to %s.", out->sentence,
                        currency_amount(context, on_demand->rent_total_cost));
    if (in->credits_elsewhere > 0 && out->verdict)
        say_credits(context, in, gpu, out);
}
