/* ledger.c - /v1/break-even/ledger: the lines of buying and renting by month or fiscal year, also
 * as FOCUS 1.2 charges. */
#include "api/break_even/break_even.h"

#include "answer/label.h"
#include "api/resource/currency.h"
#include "base/text.h"
#include "base/units.h"
#include "estimate/ownership/periods.h"

#include <math.h>
#include <string.h>

#define TABLE break_even_period
#define TABLE_FILE "api/break_even/period.def"
#include "base/field/table.h"

#define TABLE break_even_focus
#define TABLE_FILE "api/break_even/focus.def"
#include "base/field/table.h"

const struct fields break_even_ledger_fields = FIELDS_INIT(break_even_period_rows);

enum { YEAR_MONTHS = (int)MONTHS_PER_YEAR, DAYS_FACTOR = 100, YEARS_FACTOR = 10000 };

/* The calendar of a ledger; its first month is counted from January of year 0. */
struct calendar {
    int first, fiscal_start;
};

static struct calendar calendar_of(const struct request_context *context,
                                   const struct break_even_in *in)
{
    int32_t first = context->as_of;
    int after = 1; /* default: the month after the day asked about */

    if (in->ledger_start && text_day(in->ledger_start, &first))
        after = 0;
    return (struct calendar){first / YEARS_FACTOR * YEAR_MONTHS +
                                 first / DAYS_FACTOR % DAYS_FACTOR - 1 + after,
                             (int)in->fiscal_year_start};
}

/* Calendar month of a ledger month. Purchases, in ledger month 0, fall into the first calendar
 * month. */
static int calendar_month(const struct calendar *calendar, int month)
{
    return calendar->first + (month > 1 ? month - 1 : 0);
}

static int fiscal_year(const struct calendar *calendar, int month)
{
    int since_first = calendar_month(calendar, month) - (calendar->fiscal_start - 1);

    return since_first / YEAR_MONTHS + (calendar->fiscal_start > 1);
}

/* The first day of a calendar month. */
static const char *day_text(struct arena *arena, int month)
{
    return arena_print(arena, "%04d-%02d-01", month / YEAR_MONTHS, month % YEAR_MONTHS + 1);
}

/* ---- FOCUS */

/* Units that the specification's attribute UnitFormat spells differently. */
static const char *const units[][2] = {{"node", "Nodes"},
                                       {"rack", "Racks"},
                                       {"GPU-hours", "GPU-Hours"},
                                       {"kW-months", "kW-Months"},
                                       {"months", "Months"},
                                       {"GPU-months", "GPU-Months"},
                                       {"FTE-months", "FTE-Months"},
                                       {"GB-months", "GB-Months"},
                                       {"t", "Tonnes"}};

static const char *const categories[][2] = {{"network_fabric", "Networking"},
                                            {"management_network", "Networking"},
                                            {"cross_connect", "Networking"},
                                            {"internet_transit", "Networking"},
                                            {"rental_egress", "Networking"},
                                            {"storage", "Storage"},
                                            {"rental_storage", "Storage"},
                                            {"monitoring_backup", "Management and Governance"},
                                            {"security_compliance", "Security"},
                                            {"gpu_servers", "Compute"},
                                            {"lease_payments", "Compute"},
                                            {"lease_buyout", "Compute"},
                                            {"lease_exit", "Compute"},
                                            {"lead_time_rental", "Compute"},
                                            {"server_replacement", "Compute"},
                                            {"gpu_rental", "Compute"},
                                            {"rental_overheads", "Compute"},
                                            {"spot_overhead", "Compute"},
                                            {"rental_support", "Compute"},
                                            {"rental_goodput", "Compute"},
                                            {"rental_idle_reservation", "Compute"},
                                            {"commitment_exit", "Compute"},
                                            {"cloud_credits", "Compute"}};

static const char *word_of(const char *const table[][2], size_t n, const char *key,
                           const char *otherwise)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(table[i][0], key) == 0)
            return table[i][1];
    return otherwise;
}

static bool is_tax(const struct ledger_period *at)
{
    return strstr(at->key, "tax") || strcmp(at->key, "vat") == 0 ||
           strcmp(at->key, "import_duty") == 0;
}

static const char *charge_of(const struct ledger_period *at)
{
    if (is_tax(at))
        return "Tax";
    if (strcmp(at->key, "cloud_credits") == 0)
        return "Credit";
    if (strcmp(at->group, "initial") == 0)
        return "Purchase";
    return strcmp(at->group, "recurring") == 0 ? "Usage" : "Adjustment";
}

static const char *frequency_of(const struct ledger_period *at)
{
    if (strcmp(at->group, "recurring") != 0)
        return strcmp(at->group, "opportunity") == 0 ? "Recurring" : "One-Time";
    return isnan(at->quantity) || strcmp(at->unit, "months") == 0 ? "Recurring" : "Usage-Based";
}

/* Display names of a comma-separated list of slugs. */
static const char *provider_names(const struct request_context *context, const char *slugs)
{
    struct arena *arena = context->arena;
    const char *names = "", *slug;

    while ((slug = arena_next_item(arena, &slugs)))
        names = arena_join(arena, names, *names ? ", " : "",
                           catalog_provider_name(context->catalog, slug));
    return names;
}

static const char *provider_of(const struct request_context *context,
                               const struct break_even_in *in, const struct ledger_period *at)
{
    if (strcmp(at->side, "buy") == 0)
        return "Owner";
    return in->provider ? provider_names(context, in->provider) : "Median over providers";
}

static const char *moment_text(struct arena *arena, int month)
{
    return arena_join(arena, day_text(arena, month), "T00:00:00Z");
}

#define WORD_OF(table, key, otherwise) \
    word_of(table, sizeof(table) / sizeof((table)[0]), key, otherwise)

/* Taxes have no quantity; sums and ratios have quantity 1. */
static void fill_focus(struct request_context *context, const struct break_even_in *in,
                       const struct calendar *calendar, const struct ledger_period *at,
                       struct break_even_focus *row)
{
    struct arena *arena = context->arena;
    const char *provider = provider_of(context, in, at);
    const char *start = moment_text(arena, calendar_month(calendar, at->month));
    const char *end = moment_text(arena, calendar_month(calendar, at->last_month) + 1);
    bool counted = !isnan(at->quantity);

    *row = (struct break_even_focus){
        .BilledCost = at->amount,
        .BillingAccountId = at->side,
        .BillingAccountName = strcmp(at->side, "buy") == 0 ? "Buy" : "Rent",
        .BillingCurrency = context->answer.meta.currency,
        .BillingPeriodEnd = end,
        .BillingPeriodStart = start,
        .ChargeCategory = charge_of(at),
        .ChargeDescription = at->formula,
        .ChargeFrequency = frequency_of(at),
        .ChargePeriodEnd = end,
        .ChargePeriodStart = start,
        .ContractedCost = at->amount,
        .EffectiveCost = at->amount,
        .InvoiceIssuerName = provider,
        .ListCost = at->amount,
        .PricingQuantity = is_tax(at) ? (double)NAN
                           : counted  ? at->quantity
                                      : 1,
        .PricingUnit = is_tax(at) ? NULL
                       : counted  ? WORD_OF(units, at->unit, at->unit)
                                  : "Units",
        .ProviderName = provider,
        .PublisherName = provider,
        .ServiceCategory = WORD_OF(categories, at->key, "Other"),
        .ServiceName = label_words(arena, at->key, ""),
        .x_LedgerGroup = at->group,
        .x_LedgerKey = at->key,
        .x_FiscalYear = fiscal_year(calendar, at->last_month),
    };
}

/* ---- the table */

static void fill_period(struct request_context *context, const struct calendar *calendar,
                        const struct ledger_period *at, struct break_even_period *row)
{
    struct arena *arena = context->arena;

    *row = (struct break_even_period){
        .period_start = day_text(arena, calendar_month(calendar, at->month)),
        .period_end = day_text(arena, calendar_month(calendar, at->last_month) + 1),
        .fiscal_year = fiscal_year(calendar, at->last_month),
        .month = at->last_month,
        .side = at->side,
        .group = at->group,
        .key = at->key,
        .quantity = at->quantity,
        .unit = at->unit,
        .amount = at->amount,
        .currency = context->answer.meta.currency,
    };
}

/* The amount due on a side by the end of the first period, including purchases. */
static double first_period(const struct calendar *calendar, const struct ledger_period *at,
                           size_t n, const char *side)
{
    int end = calendar_month(calendar, at[0].last_month);
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        if (calendar_month(calendar, at[i].last_month) == end && strcmp(at[i].side, side) == 0)
            sum += at[i].amount;
    return sum;
}

/* The verdict, and the amounts due in the first period. */
static const char *sentence_of(struct request_context *context, const char *verdict,
                               const struct calendar *calendar, bool yearly,
                               const struct ledger_period *at, size_t n)
{
    struct arena *arena = context->arena;
    const char *period =
        yearly ? arena_print(arena, "fiscal year %d", fiscal_year(calendar, at[0].last_month))
               : "the first month";

    return arena_join(arena, verdict, " In ", period, " owning takes ",
                      currency_amount(context, first_period(calendar, at, n, "buy")), ", renting ",
                      currency_amount(context, first_period(calendar, at, n, "rent")),
                      "; all lines add up to the totals to the cent.");
}

void break_even_add_ledger(struct request_context *context, const struct break_even_in *in,
                           const struct break_even *found, const char *verdict)
{
    const struct calendar calendar = calendar_of(context, in);
    bool yearly = strcmp(in->ledger_period, "fiscal_year") == 0;
    bool ends[OWNERSHIP_MONTHS_MAX + 1] = {false};
    struct ledger_period *at = NULL;
    size_t n = 0;

    for (int month = 0; month < (int)in->own.horizon_months; month++)
        ends[month] = !yearly || fiscal_year(&calendar, month) != fiscal_year(&calendar, month + 1);
    if (!isnan(found->saving))
        n = ownership_periods(&in->own, ends, context->arena, &at);
    struct break_even_period *rows = arena_alloc(context->arena, (n + 1) * sizeof(*rows));
    struct break_even_focus *charges = arena_alloc(context->arena, (n + 1) * sizeof(*charges));
    for (size_t i = 0; i < n; i++) {
        fill_period(context, &calendar, &at[i], &rows[i]);
        fill_focus(context, in, &calendar, &at[i], &charges[i]);
    }
    context_table(context, "ledger", rows, n, sizeof(*rows));
    if (n && verdict)
        context->answer.sentence = sentence_of(context, verdict, &calendar, yearly, at, n);
    struct table *focus = arena_alloc(context->arena, sizeof(*focus));
    *focus = (struct table){
        "focus", "charge", break_even_focus_fields, charges, n, sizeof(*charges), NULL, NULL};
    context->answer.tables[context->answer.n_tables - 1].focus = focus;
}
