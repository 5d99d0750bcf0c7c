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
static struct range assumed(struct request_context *context, const char *key)
{
    const struct assumption *band = catalog_assumption(context->catalog, key, "");
    const char *path = arena_print(context->arena, "/v1/assumptions?key=%s", key);
    const double none = (double)NAN;

    return (struct range){band ? band->low : none, band ? band->high : none, path, SOURCE_DEFAULT,
                          path};
}

/* The assumption's prices are of one kind of GPU: for another price their ratio to the middle of
 * both, the geometric one, is what carries over. */
static struct range in_proportion(struct request_context *context, double price)
{
    struct range range = assumed(context, risk_input_names[RISK_RENT_PRICE]);
    double middle = sqrt(range.low * range.high);

    range.low *= price / middle;
    range.high *= price / middle;
    range.basis = arena_print(context->arena, "%s, in proportion to the price", range.reference);
    return range;
}

/* Nobody publishes how far utilization is off what was planned: a fifth, as a convention. */
static struct range utilizations(double value)
{
    const double off = 0.2;

    return (struct range){value * (1 - off), fmin(1, value * (1 + off)),
                          "a fifth below and above the value used, 1 at most", SOURCE_CHOSEN, NULL};
}

static struct range usual_range(struct request_context *context, enum risk_input input,
                                double value)
{
    if (input == RISK_RENT_PRICE)
        return in_proportion(context, value);
    if (input == RISK_UTILIZATION)
        return utilizations(value);
    return assumed(context, risk_input_names[input]);
}

/* One end as the caller gave it, else as is usual but never beyond the value used. `below`: the
 * low end. */
static bool settle_end(struct request_context *context, enum risk_input input, bool below,
                       const struct range *usual, double value, double *end, struct err *err)
{
    const char *name =
        arena_print(context->arena, "%s_%s", risk_input_names[input], below ? "low" : "high");
    const struct field *field = fields_find(context->inputs.fields, name);

    if (!context_given(context, name)) {
        *end = below ? fmin(usual->low, value) : fmax(usual->high, value);
        context_set_number(context, name, *end, usual->source, usual->reference);
        return true;
    }
    *end = field_number(field, context->inputs.values);
    if (below ? *end > value : *end < value)
        return context_refuse(context, err, name, "contradiction",
                              "must not be %s %s, which is %.10g", below ? "above" : "below",
                              risk_input_names[input], value);
    return true;
}

static const char *basis_of(struct request_context *context, enum risk_input input,
                            const char *usual)
{
    bool low =
        context_given(context, arena_print(context->arena, "%s_low", risk_input_names[input]));
    bool high =
        context_given(context, arena_print(context->arena, "%s_high", risk_input_names[input]));

    if (low && high)
        return "as given";
    return low || high ? arena_print(context->arena, "as given; else %s", usual) : usual;
}

static bool find_band(struct request_context *context, enum risk_input input,
                      struct risk_band *band, struct err *err)
{
    const struct field *field = fields_find(ownership_fields, risk_input_names[input]);
    double value = field_number(field, context->inputs.values);
    struct range usual = usual_range(context, input, value);
    struct risk_triangle *triangle = &band->triangle;

    triangle->mode = value;
    bool good = settle_end(context, input, true, &usual, value, &triangle->low, err);
    good = settle_end(context, input, false, &usual, value, &triangle->high, err) && good;
    band->basis = basis_of(context, input, usual.basis);
    return good;
}

bool break_even_risk_bands(struct request_context *context, struct risk_band bands[RISK_INPUTS],
                           struct err *err)
{
    bool good = true;

    for (int i = 0; i < RISK_INPUTS; i++)
        good = find_band(context, (enum risk_input)i, &bands[i], err) && good;
    return good;
}
