/* model.c - selects the inputs to draw, and runs the ledger of one draw. */
#include "base/random.h"
#include "base/units.h"
#include "estimate/ownership/cash_flow.h"
#include "estimate/ownership/totals.h"
#include "estimate/risk/model.h"

#include <math.h>

/* Inverse CDF of the two triangles. */
double risk_triangle_at(const struct risk_triangle *triangle, double unit)
{
    const double half = 0.5;

    if (unit < half)
        return triangle->middle - (triangle->middle - triangle->low) * (1 - sqrt(2 * unit));
    return triangle->middle + (triangle->high - triangle->middle) * (1 - sqrt(2 * (1 - unit)));
}

static double value_at(const struct risk_input *input, double unit)
{
    double value = risk_triangle_at(&input->triangle, unit);

    if (input->values)
        return input->values[(size_t)(unit * (double)input->n_values)];
    return input->field->type == FIELD_COUNT ? round(value) : value;
}

/* ---- relevant inputs */

static struct ownership with(const struct ownership *in, const struct risk_input *input,
                             double value)
{
    struct ownership other = *in;

    field_set_number(input->field, &other, value);
    return other;
}

/* Compares buying minus renting at the horizon and at the end of the break-even search. */
static bool differs(const struct ownership *a, const struct ownership *b, int search_months)
{
    int horizon = (int)a->horizon_months;

    return ownership_difference(a, horizon) != ownership_difference(b, horizon) ||
           ownership_difference(a, search_months) != ownership_difference(b, search_months);
}

void risk_model_init(struct risk_model *model, const struct ownership *in,
                     const struct risk_input *inputs, size_t n)
{
    int search = (int)break_even_search_months(in);
    struct ownership other = *in; /* includes inputs that matter only after an event, which occurs
                                   * in draws */

    *model = (struct risk_model){.in = in, .inputs = inputs, .n = n, .leading = n, .following = n};
    for (size_t i = 0; i < n; i++)
        if (inputs[i].values)
            field_set_number(inputs[i].field, &other, inputs[i].values[0]);
    for (size_t i = 0; i < n; i++) {
        const struct risk_input *input = &inputs[i];
        double most = input->values ? input->values[input->n_values - 1] : input->triangle.high;
        double least = input->values ? input->values[0] : input->triangle.low;
        struct ownership low = with(in, input, least), high = with(in, input, most);
        struct ownership low_then = with(&other, input, least);
        struct ownership high_then = with(&other, input, most);
        model->drawn[i] = least < most &&
                          (differs(&low, &high, search) || differs(&low_then, &high_then, search));
    }
}

/* ---- draws */

/* Random numbers of the seed that belong to this stream only. */
static void find_stream(double *units, size_t n, uint64_t seed, size_t first, size_t stream)
{
    const uint64_t streams = RISK_INPUTS_MAX + 1; /* the last is the copula's */

    random_units(units, n, seed, (uint64_t)first * streams + stream, streams);
}

static size_t stream_of(const struct risk_model *model, size_t input)
{
    return (size_t)(model->inputs[input].field - ownership_fields.at);
}

void risk_units(const struct risk_model *model, size_t input, uint64_t seed, size_t first,
                double *units, size_t n)
{
    double leading[RISK_BLOCK], joint[RISK_BLOCK];

    find_stream(units, n, seed, first, stream_of(model, input));
    if (input != model->following)
        return;
    find_stream(leading, n, seed, first, stream_of(model, model->leading));
    find_stream(joint, n, seed, first, RISK_INPUTS_MAX);
    for (size_t i = 0; i < n; i++)
        if (joint[i] < model->correlation)
            units[i] = nextafter(1, 0) - leading[i];
}

/* The first month, interpolated linearly, from which buying costs no more. */
static void note_month(struct risk_trial *trial, int month, double before, double now)
{
    if (isinf(trial->months) && now <= 0)
        trial->months = month == 0 ? 0 : month - 1 + before / (before - now);
}

/* The break-even month is searched over the same period as with the original inputs. */
static void run_ledger(const struct risk_model *model, const struct ownership *in,
                       struct risk_trial *trial)
{
    int horizon = (int)in->horizon_months, search = (int)break_even_search_months(model->in);
    double before, now, off;
    struct cash_flow flow;

    trial->months = (double)INFINITY;
    cash_flow_start(&flow, in);
    now = totals_gap(&flow, &off);
    note_month(trial, 0, now, now);
    while (flow.month < horizon || (flow.month < search && isinf(trial->months))) {
        cash_flow_month(&flow);
        before = now;
        now = totals_gap(&flow, &off);
        if (flow.month <= search)
            note_month(trial, flow.month, before, now);
        if (flow.month == horizon)
            trial->saving = -now;
    }
    trial->present =
        trial->saving * pow(1 + in->cost_of_capital, -in->horizon_months / MONTHS_PER_YEAR);
}

void risk_run_block(const struct risk_model *model, uint64_t seed, size_t first, size_t n,
                    struct risk_trial trials[RISK_BLOCK])
{
    double units[RISK_BLOCK];

    for (size_t input = 0; input < model->n; input++) {
        if (model->drawn[input])
            risk_units(model, input, seed, first, units, n);
        for (size_t i = 0; i < n; i++)
            trials[i].value[input] = model->drawn[input]
                                         ? value_at(&model->inputs[input], units[i])
                                         : field_number(model->inputs[input].field, model->in);
    }
    for (size_t i = 0; i < n; i++) {
        struct ownership in = *model->in;
        for (size_t input = 0; input < model->n; input++)
            field_set_number(model->inputs[input].field, &in, trials[i].value[input]);
        run_ledger(model, &in, &trials[i]);
    }
}

void risk_try(const struct risk_model *model, uint64_t seed, size_t number, struct risk_trial *out)
{
    risk_run_block(model, seed, number, 1, out);
}
