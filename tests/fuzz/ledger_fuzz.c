/* ledger_fuzz.c - buy or rent and its risk, with inputs that are usual, unknown, at an edge, or
 * anything between: three bytes each say which input is what. */
#include "fuzz.h"

#include "estimate/break_even/break_even.h"
#include "estimate/risk/risk.h"

#include "ownership_fixture.h"

#include <string.h>

enum { INPUT_BYTES = 3, DRAWS = 200 };

/* The ledger's own inputs, after ownership_complete(): these may be unknown, and no others. */
static bool may_be_unknown(const char *name)
{
    static const char *const names[] = {"rent_price_per_gpu_hour", "server_price", "gpu_card_price",
                                        "residual_value", "lease_payment_month"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static double between(const struct field *field, unsigned part)
{
    const double most = 1e9, parts = 255;
    double low = isnan(field->min) ? 0 : field->min;
    double high = isnan(field->max) ? most : field->max;

    return low + (high - low) * pow(part / parts, 4); /* small ones more often */
}

static void set_input(struct ownership *in, const uint8_t bytes[INPUT_BYTES])
{
    const struct field *field = &ownership_fields.at[bytes[0] % ownership_fields.n];
    bool whole = field->type == FIELD_COUNT;

    if (field->type == FIELD_CHOICE) {
        static const char *const words[] = {"on_demand", "spot", "reserved_1yr", "reserved_3yr"};
        static const char *const ways[] = {"cash", "loan", "operating_lease", "finance_lease"};
        if (strcmp(field->name, "purchase_option") == 0)
            in->purchase_option = words[bytes[1] % 4];
        if (strcmp(field->name, "financing") == 0)
            in->financing = ways[bytes[1] % 4];
    } else if (field_is_text(field) || field_number(field, in) != field_number(field, in)) {
        return;
    } else if (bytes[1] == 0 && may_be_unknown(field->name)) {
        field_set_number(field, in, (double)NAN);
    } else {
        double value = between(field, bytes[2]);
        field_set_number(field, in, whole ? floor(value) : value);
    }
}

static bool makes_sense(const struct ownership *in)
{
    return in->gpu_count >= 1 && in->gpus_per_node >= 1 && in->horizon_months >= 1 &&
           in->nodes_per_rack >= 1 && in->useful_life_months >= 1 && in->lease_months >= 1 &&
           in->idle_power_ratio <= in->power_load_ratio && in->second_gpu_count == 0 &&
           in->host_share < 1 &&
           (!(in->gpu_release_month > 0) ||
            in->gpu_release_month <= in->gpu_release_interval_months);
}

static double sum_of(const struct ledger *ledger, const char *side)
{
    double cents = 0;

    for (size_t i = 0; i < ledger->n; i++)
        if (strcmp(ledger->lines[i].side, side) == 0)
            cents += nearbyint(ledger->lines[i].amount * 100);
    return cents / 100;
}

static bool same_money(double a, double b)
{
    const double cent = 0.01, rounding = 1e-12;

    return (isnan(a) && isnan(b)) || fabs(a - b) < cent + rounding * fabs(a);
}

static void check_break_even(const struct ownership *in, const struct break_even *found)
{
    const struct ledger *ledger = &found->ledger;

    fuzz_need(same_money(ledger->buy_total, sum_of(ledger, "buy")), "buying is its lines");
    fuzz_need(same_money(ledger->rent_total, sum_of(ledger, "rent")), "renting is its lines");
    fuzz_need(!isinf(ledger->buy_total) && !isinf(ledger->rent_total), "nothing costs infinity");
    fuzz_need((found->verdict == NULL) == (isnan(found->saving) != 0),
              "a verdict needs both totals");
    fuzz_need(!isnan(in->rent_price_per_gpu_hour) || isnan(ledger->rent_total),
              "an unknown rent is not 0");
    fuzz_need((strcmp(found->status, "unknown_price") == 0) == isnan(found->saving) ||
                  !isnan(found->saving),
              "a status says that a price is unknown");
    fuzz_need(isnan(found->months) || (found->months >= 0 && found->months <= SEARCH_MONTHS_MAX),
              "a month within the search");
}

/* Whatever is unknown, it ends; where all is known, shares are shares. */
static void check_risk(const struct ownership *in, bool known)
{
    static const char *const names[] = {"rent_price_per_gpu_hour",   "rent_price_decline_ratio",
                                        "annual_value_retention",    "server_price",
                                        "electricity_price_per_kwh", "utilization"};
    enum { INPUTS = sizeof(names) / sizeof(names[0]) };
    struct risk_input inputs[INPUTS];
    struct risk_model model;
    struct arena arena = {0};
    struct risk *risk = arena_alloc(&arena, sizeof(*risk));

    for (int i = 0; i < INPUTS; i++) {
        const struct field *field = fields_find(ownership_fields, names[i]);
        double middle = field_number(field, in);
        double high =
            isnan(field->max) ? middle * 1.5 : fmin(middle * 1.5, fmax(middle, field->max));
        inputs[i] = (struct risk_input){.field = field, .triangle = {middle * 0.5, middle, high}};
    }
    risk_model_init(&model, in, inputs, INPUTS);
    risk_simulate(&model, 1, DRAWS, NULL, &arena, risk);
    if (known) {
        fuzz_need(risk->probability_buy >= 0 && risk->probability_buy <= 1, "a probability");
        fuzz_need(risk->saving[RISK_P05] <= risk->saving[RISK_P50] &&
                      risk->saving[RISK_P50] <= risk->saving[RISK_P95],
                  "percentiles in order");
    }
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct break_even found;
    struct ownership in = ownership_usual();

    for (size_t i = 0; i + INPUT_BYTES <= size; i += INPUT_BYTES)
        set_input(&in, data + i);
    if (!makes_sense(&in))
        return 0;
    break_even_find(&in, &found);
    check_break_even(&in, &found);
    check_risk(&in, !isnan(in.rent_price_per_gpu_hour) && !isnan(found.saving) &&
                        !isnan(in.server_price));
    return 0;
}
