/* risk_bands.c - from where to where each uncertain input may be. */
#include "api/break_even/risk.h"

#include <math.h>

struct range {
    double low, high;
    const char *basis;
    enum source source;
    const char *reference;
};

/* Without an end where the assumption has none. */
static struct range assumed(struct call *call, const char *key)
{
    const struct assumption *band = catalog_assumption(call->catalog, key, "");
    const char *path = arena_print(call->arena, "/v1/assumptions?key=%s", key);
    const double none = (double)NAN;

    return (struct range){band ? band->low : none, band ? band->high : none, path, SOURCE_DEFAULT,
                          path};
}

/* The assumption's prices are of one kind of GPU: for another price their ratio to the middle of
 * both, the geometric one, is what carries over. */
static struct range in_proportion(struct call *call, double price)
{
    struct range range = assumed(call, risk_input_names[RISK_RENT_PRICE]);
    double middle = sqrt(range.low * range.high);

    range.low *= price / middle;
    range.high *= price / middle;
    range.basis = arena_print(call->arena, "%s, in proportion to the price", range.reference);
    return range;
}

/* Nobody publishes how far utilization is off what was planned: a fifth, as a convention. */
static struct range utilizations(double value)
{
    const double off = 0.2;

    return (struct range){value * (1 - off), fmin(1, value * (1 + off)),
                          "a fifth below and above the value in force, 1 at most", SOURCE_CHOSEN,
                          NULL};
}

static struct range usual_range(struct call *call, enum risk_input input, double value)
{
    if (input == RISK_RENT_PRICE)
        return in_proportion(call, value);
    if (input == RISK_UTILIZATION)
        return utilizations(value);
    return assumed(call, risk_input_names[input]);
}

/* One end as the caller gave it, else as is usual but never beyond the value in force. `below`: the
 * low end. */
static bool settle_end(struct call *call, enum risk_input input, bool below,
                       const struct range *usual, double value, double *end, struct err *err)
{
    const char *name =
        arena_print(call->arena, "%s_%s", risk_input_names[input], below ? "low" : "high");
    const struct field *field = fields_find(call->inputs.fields, name);

    if (!call_given(call, name)) {
        *end = below ? fmin(usual->low, value) : fmax(usual->high, value);
        call_set_number(call, name, *end, usual->source, usual->reference);
        return true;
    }
    *end = field_number(field, call->inputs.values);
    if (below ? *end > value : *end < value)
        return call_refuse(call, err, name, "contradiction", "must not be %s %s, which is %.10g",
                           below ? "above" : "below", risk_input_names[input], value);
    return true;
}

static const char *basis_of(struct call *call, enum risk_input input, const char *usual)
{
    bool low = call_given(call, arena_print(call->arena, "%s_low", risk_input_names[input]));
    bool high = call_given(call, arena_print(call->arena, "%s_high", risk_input_names[input]));

    if (low && high)
        return "as given";
    return low || high ? arena_print(call->arena, "as given; else %s", usual) : usual;
}

static bool find_band(struct call *call, enum risk_input input, struct risk_band *band,
                      struct err *err)
{
    const struct field *field = fields_find(ownership_fields, risk_input_names[input]);
    double value = field_number(field, call->inputs.values);
    struct range usual = usual_range(call, input, value);
    struct triangle *triangle = &band->triangle;

    triangle->mode = value;
    bool good = settle_end(call, input, true, &usual, value, &triangle->low, err);
    good = settle_end(call, input, false, &usual, value, &triangle->high, err) && good;
    band->basis = basis_of(call, input, usual.basis);
    return good;
}

bool break_even_risk_bands(struct call *call, struct risk_band bands[RISK_INPUTS], struct err *err)
{
    bool good = true;

    for (int i = 0; i < RISK_INPUTS; i++)
        good = find_band(call, (enum risk_input)i, &bands[i], err) && good;
    return good;
}
