/* currency_test.c - the catalogue's money in another currency: rates by day, amounts, the view in
 * it, what a price is made of, and a ledger that runs in it. */
#include "catalog/currency.h"

#include "catalog/price_book.h"
#include "estimate/break_even/break_even.h"
#include "estimate/ownership/totals.h"
#include "ownership_fixture.h"
#include "tap.h"

static struct exchange_rate rates[] = {{"CHF", 0.8, 20260105, "a bank"},
                                       {"EUR", 0.5, 20260301, "a bank"},
                                       {"EUR", 0.4, 20260501, "a bank"},
                                       {"JPY", 150, 20260105, "a bank"}};

static struct gpu gpus[] = {{.slug = "h100"}};

/* An offer with one observation. */
struct stand {
    struct rental rental;
    struct observation seen;
    struct origin origin;
};

static struct rental *stand_at(struct stand *at, const char *provider, double price,
                               const char *currency)
{
    at->origin = (struct origin){.source = "a test", .currency = currency};
    at->seen = (struct observation){.price_per_hour = price,
                                    .price_per_gpu_hour = price,
                                    .origin = &at->origin,
                                    .from = 20260101};
    at->rental = (struct rental){.gpu = "h100",
                                 .purchase_option = "on_demand",
                                 .provider = provider,
                                 .id = provider,
                                 .region = "",
                                 .zone = "",
                                 .gpu_count = 1,
                                 .usable = true,
                                 .seen = &at->seen,
                                 .n_seen = 1};
    return &at->rental;
}

static struct hardware hardware_at(const char *kind, double price, const char *currency, day from)
{
    return (struct hardware){.id = kind,
                             .kind = kind,
                             .seller = currency,
                             .gpu = gpus,
                             .gpu_count = strcmp(kind, "card") == 0 ? 1 : 8,
                             .price = price,
                             .price_per_gpu = price,
                             .currency = currency,
                             .observed = from,
                             .usable = true};
}

static struct assumption assumptions[] = {
    {"electricity_price_per_kwh", "", "", "USD/kWh", "", "", "", "", 0.06, 0.12, 0.25},
    {"maintenance_ratio", "", "", "ratio/year", "", "", "", "", 0.03, 0.05, 0.15},
};

static struct catalog catalog = {.gpus = gpus,
                                 .n_gpus = 1,
                                 .rates = rates,
                                 .n_rates = 4,
                                 .assumptions = assumptions,
                                 .n_assumptions = 2};
static struct arena arena;

static void by_day(void)
{
    ok(catalog_rate(&catalog, "EUR", 20260501) == &rates[2], "the rate of the day itself");
    ok(catalog_rate(&catalog, "EUR", 20260430) == &rates[1], "else the newest before it");
    ok(!catalog_rate(&catalog, "EUR", 20260228), "none before the first");
    ok(catalog_rate(&catalog, "CHF", 20990101) == &rates[0], "the first of the table");
    ok(catalog_rate(&catalog, "JPY", 20990101) == &rates[3], "and its last");
    ok(!catalog_rate(&catalog, "AAA", 20990101) && !catalog_rate(&catalog, "DKK", 20990101) &&
           !catalog_rate(&catalog, "ZZZ", 20990101) && !catalog_rate(&catalog, "USD", 20990101),
       "none of a currency that is not there");
    is_str(catalog_currencies(&catalog, 20260401, &arena), "USD, CHF, EUR, JPY", "each once");
    is_str(catalog_currencies(&catalog, 20260201, &arena), "USD, CHF, JPY", "with a rate by then");
}

static void amounts(void)
{
    const struct catalog *euros = catalog_in_currency(&catalog, "EUR", 20260401, &arena);

    is_near(catalog_amount(&catalog, 3, "USD", 20260401), 3, 0, "dollars in dollars");
    is_near(catalog_amount(&catalog, 3, "EUR", 20260401), 6, 1e-15, "euros in dollars");
    is_near(catalog_amount(euros, 3, "USD", 20260401), 1.5, 1e-15, "dollars in euros");
    is_near(catalog_amount(euros, 0.1, "EUR", 20260401), 0.1, 0, "euros in euros, untouched");
    is_near(catalog_amount(euros, 3, "CHF", 20260401), 3 / 0.8 * 0.5, 1e-15, "francs in euros");
    ok(isnan(catalog_amount(euros, 3, "GBP", 20260401)), "unknown without a rate");
    ok(isnan(catalog_amount(&catalog, 3, "EUR", 20260101)), "or before the first");
}

static void views(void)
{
    const struct catalog *euros = catalog_in_currency(&catalog, "EUR", 20260401, &arena);
    const struct catalog *yen = catalog_in_currency(euros, "JPY", 20260401, &arena);

    is_str(catalog_currency(&catalog), "USD", "as it was loaded");
    is_str(catalog_currency(euros), "EUR", "as it is seen");
    const struct assumption *price = catalog_assumption(euros, "electricity_price_per_kwh", "");
    is_str(price->unit, "EUR/kWh", "an assumption's unit");
    is_near(price->low, 0.03, 1e-15, "its low end");
    is_near(price->value, 0.06, 1e-15, "its default");
    is_near(price->high, 0.125, 1e-15, "its high end");
    is_near(catalog_default(euros, "maintenance_ratio", ""), 0.05, 0, "what is no money stays");
    is_near(catalog_default(&catalog, "electricity_price_per_kwh", ""), 0.12, 0,
            "the catalogue itself is as before");
    is_near(catalog_default(yen, "electricity_price_per_kwh", ""), 18, 1e-12,
            "a view of a view is one of the catalogue");
    ok(catalog_in_currency(euros, "EUR", 20260402, &arena) == euros, "the same again at its rate");
    is_near(catalog_default(catalog_in_currency(euros, "EUR", 20260501, &arena),
                            "electricity_price_per_kwh", ""),
            0.048, 1e-15, "another at the rate of another day");
    ok(catalog_in_currency(euros, "USD", 20260401, &arena) == &catalog, "back in dollars");
    ok(!catalog_in_currency(&catalog, "EUR", 20260228, &arena), "none without a rate");
}

/* Three providers, of whom the one in francs is the cheapest and one has no rate. */
static void prices(void)
{
    struct stand stands[5];
    struct rental *rentals[] = {
        stand_at(&stands[0], "a", 4, "USD"), stand_at(&stands[1], "b", 3, "CHF"),
        stand_at(&stands[2], "c", 1, "GBP"), stand_at(&stands[3], "d", 2.5, "EUR"),
        stand_at(&stands[4], "d", 2.6, "CHF")};
    struct price_query query = {.gpu = gpus, .as_of = 20260401};

    catalog.quoted = rentals;
    catalog.n_quoted = sizeof(rentals) / sizeof(rentals[0]);
    struct price price = catalog_price(&catalog, &query);
    ok(price.n_offers == 3, "one offer of each provider whose currency has a rate");
    ok(price.n_without_rate == 1, "and one that has none");
    is_near(price.low, 3.25, 1e-15, "cheapest: the other offer of d, in francs");
    is_near(price.per_gpu_hour, 3.75, 1e-15, "in the middle: b");
    is_near(price.high, 4, 0, "most expensive: a");
    ok(price.offers[0].rental == rentals[4] && price.offers[2].rental == rentals[0], "in order");
    const struct catalog *euros = catalog_in_currency(&catalog, "EUR", 20260401, &arena);
    is_near(catalog_price(euros, &query).per_gpu_hour, 3.75 * 0.5, 1e-15, "the same in euros");
    query.provider = "d";
    is_near(catalog_price(euros, &query).offers[0].price_per_gpu_hour, 2.6 / 0.8 * 0.5, 1e-15,
            "each offer too");
}

static void purchases(void)
{
    struct hardware rows[] = {
        hardware_at("card", 20000, "EUR", 20260301), hardware_at("card", 30000, "USD", 20260301),
        hardware_at("card", 1, "GBP", 20260301), hardware_at("server", 240000, "CHF", 20260301),
        hardware_at("server", 7, "GBP", 20260401)};
    bool undated;

    catalog.hardware = rows;
    catalog.n_hardware = sizeof(rows) / sizeof(rows[0]);
    const struct catalog *euros = catalog_in_currency(&catalog, "EUR", 20260401, &arena);
    is_near(catalog_card_price(&catalog, gpus, 20260401, &undated), 35000, 1e-9, "median card");
    is_near(catalog_card_price(euros, gpus, 20260401, &undated), 17500, 1e-9, "in euros");
    const struct hardware *server = catalog_server(euros, gpus, 8, 20260401);
    ok(server == &rows[3], "a server whose currency has no rate is none");
    is_near(catalog_hardware_price(euros, server, 20260401), 150000, 1e-9, "its price in euros");
}

static struct ownership in_currency(struct ownership in, double per_usd)
{
    for (size_t i = 0; i < ownership_fields.n; i++) {
        const struct field *field = &ownership_fields.at[i];
        if (!field_is_text(field) && strncmp(field->unit, "USD", 3) == 0)
            field_set_number(field, &in, field_number(field, &in) * per_usd);
    }
    return in;
}

/* Buying less renting at the end of a month, before any rounding. */
static double exact_gap(const struct ownership *in, int month)
{
    struct cash_flow run;

    totals_as_of_month(&run, in, month);
    return (double)totals_difference(&run);
}

/* Where the curves cross after that month, were no line rounded to cents. */
static double exact_month(const struct ownership *in, int month)
{
    double before = exact_gap(in, month), after = exact_gap(in, month + 1);

    return month + before / (before - after);
}

/* What half a cent a line, in both currencies, can move the month by. */
static double cents_in_months(const struct ownership *in, const struct break_even *found,
                              double per_usd)
{
    int month = (int)found->months;
    double a_month = fabs(exact_gap(in, month + 1) - exact_gap(in, month));

    return 2 * 0.005 * (double)found->ledger.n * (1 + 1 / per_usd) / a_month;
}

static void same_turns(struct ownership in, double per_usd)
{
    struct break_even dollars, other;
    struct ownership converted = in_currency(in, per_usd);

    break_even_find(&in, &dollars);
    break_even_find(&converted, &other);
    int month = (int)dollars.months;
    ok(month > 0, "there is a month");
    is_near(exact_month(&converted, month), exact_month(&in, month), 1e-9, "month at %g", per_usd);
    is_near(other.months, dollars.months, cents_in_months(&in, &dollars, per_usd), "of cents");
    is_near(other.utilization.value, dollars.utilization.value, 1e-9, "utilization");
    is_near(other.rent_price_per_gpu_hour.value / per_usd, dollars.rent_price_per_gpu_hour.value,
            1e-9, "rent price in dollars");
    is_near(other.ledger.buy_total, dollars.ledger.buy_total * per_usd,
            0.005 * (double)dollars.ledger.n * (1 + per_usd), "cost of buying");
    is_str(other.verdict, dollars.verdict, "the verdict");
}

/* Whatever the currency, the verdict turns at the same month, utilization and rent. */
static void ledger(void)
{
    static const double per_usd[] = {0.86543, 155.5, 26000, 0.30712};
    struct ownership in = ownership_usual();

    for (size_t i = 0; i < sizeof(per_usd) / sizeof(per_usd[0]); i++) {
        in.rent_price_per_gpu_hour = 8;
        in.rent_price_decline_ratio = 0.15;
        same_turns(in, per_usd[i]);
        in.rent_price_per_gpu_hour = 3.93;
        in.rent_price_decline_ratio = 0;
        same_turns(in, per_usd[i]);
    }
}

int main(void)
{
    by_day();
    amounts();
    views();
    prices();
    purchases();
    ledger();
    arena_free(&arena);
    return tap_done();
}
