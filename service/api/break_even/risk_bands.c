/* risk_bands.c - the uncertain inputs, and the range of each. */
#include "api/break_even/risk.h"

#include "base/sort.h"
#include "base/spelling.h"
#include "base/text.h"
#include "estimate/ownership/used.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct range {
    double low, high;
    const char *basis;
    enum source source;
    const char *reference;
};

/* ---- usual ranges */

/* NAN ends if the assumption has none. Prices and quantities refer to the assumption's own example;
 * for values derived from other GPUs only their ratio is used. */
static struct range assumed(struct request_context *context, const struct ownership *own,
                            const struct field *field, double value)
{
    const struct assumption *band =
        ownership_housing_assumption(own, context->catalog, field->name);
    const char *path = arena_print(context->arena, "/v1/assumptions?key=%s", field->name);
    const double none = (double)NAN;
    struct range range = {none, none, path, SOURCE_DEFAULT, path};

    if (!band)
        return range;
    range.low = band->low;
    range.high = band->high;
    if (!context_given(context, field->name) && field->type != FIELD_RATIO && band->value > 0 &&
        value > 0 && value != band->value) {
        range.low *= value / band->value;
        range.high *= value / band->value;
        range.basis = arena_print(context->arena, "%s, in proportion to the value used", path);
    }
    return range;
}

/* The interval that the rent has in /v1/break-even: certain if given, quoted or listed by the one
 * provider that the question names; otherwise the discount from on demand, or the usual spread
 * between providers, as one rent does not tell the market's more closely. */
static struct range about_price(struct request_context *context, const struct request_context *base,
                                double price)
{
    static const char spread[] = "/v1/assumptions?key=provider_price_ratio";
    static const char discount[] = "/v1/assumptions?key=commitment_discount_ratio";
    const struct break_even_in *in = base->inputs.values;
    const struct assumption *usual =
        catalog_assumption(context->catalog, "provider_price_ratio", "");
    const double cent = 1e-9; /* rounding */
    bool usually = fabs(in->rent_high - price * usual->high) < cent * price;
    const char *path = usually ? spread : discount;
    const char *how = usually ? "times the price" : "off the on-demand price";

    if (!(in->rent_low < in->rent_high))
        return (struct range){price, price, "certain", SOURCE_CHOSEN, NULL};
    return (struct range){in->rent_low, in->rent_high,
                          arena_print(context->arena, "%s, %s", path, how), SOURCE_DEFAULT, path};
}

/* There are no published data on deviations from planned utilization: a fifth, by convention. */
static struct range utilizations(double value)
{
    const double off = 0.2;

    return (struct range){value * (1 - off), fmin(1, value * (1 + off)),
                          "20% below and above the value used, 1 at most", SOURCE_CHOSEN, NULL};
}

/* Used servers differ more in price than new ones. */
static struct range used_prices(struct request_context *context, const struct break_even_in *in,
                                double value)
{
    static const char path[] = "/v1/assumptions?key=used_age_ratio";
    const struct gpu *gpu = catalog_gpu(context->catalog, in->gpu);
    struct ownership_band band =
        ownership_server_price_band(&in->own, context->catalog, gpu, context->as_of);

    return (struct range){value * band.low, value * band.high,
                          "the bands of new prices, of yearly value, of condition and of an "
                          "assumed age, as independent",
                          SOURCE_DEFAULT, path};
}

static struct range usual_range(struct request_context *context, const struct request_context *base,
                                const struct break_even_in *in, const struct field *field,
                                double value)
{
    const struct ownership *own = &in->own;

    if (strcmp(field->name, "server_price") == 0 && ownership_is_used(own))
        return used_prices(context, in, value);
    if (strcmp(field->name, "rent_price_per_gpu_hour") == 0)
        return about_price(context, base, value);
    if (strcmp(field->name, "utilization") == 0)
        return utilizations(value);
    return assumed(context, own, field, value);
}

/* ---- prices of the available providers */

/* Ascending, relative to the rent used, which is their median; none if all are equal. */
static void find_providers(struct request_context *context, const struct request_context *base,
                           struct risk_band *band)
{
    const struct table *offers = pricing_offers_of(base);
    const struct offer_used *used = offers ? offers->rows : NULL;
    size_t n = offers ? offers->n : 0;
    double *prices = arena_alloc(context->arena, (n + 1) * sizeof(*prices));

    for (size_t i = 0; i < n; i++)
        prices[i] = used[i].job_price_per_gpu_hour;
    sort_items(prices, n, sizeof(*prices), sort_compare_doubles);
    if (n < 2 || !(prices[0] < prices[n - 1]))
        return;
    double median = (prices[(n - 1) / 2] + prices[n / 2]) / 2;
    for (size_t i = 0; i < n; i++)
        prices[i] *= band->input.triangle.middle / median;
    band->input.values = prices;
    band->input.n_values = n;
    band->input.triangle.low = prices[0];
    band->input.triangle.high = prices[n - 1];
    band->basis = arena_print(
        context->arena, "offers_used: the price of each of %zu providers is equally likely", n);
}

/* ---- releases of GPU generations */

/* The first release is equally likely in any month of the interval. */
static void find_releases(struct request_context *context, const struct ownership *own,
                          struct risk_band *band)
{
    size_t n = (size_t)own->gpu_release_interval_months;
    double *months = arena_alloc(context->arena, n * sizeof(*months));

    for (size_t i = 0; i < n; i++)
        months[i] = (double)(i + 1);
    band->input.values = months;
    band->input.n_values = n;
    band->input.triangle = (struct risk_triangle){1, (1 + (double)n) / 2, (double)n};
    band->basis = arena_print(context->arena,
                              "each month of gpu_release_interval_months (%zu) is equally likely "
                              "to be that of the next release; buy_saving counts none",
                              n);
}

/* ---- ends that are inputs */

/* An end as given by the caller, else the usual one, but never past the used value. `below` selects
 * the low end. */
static bool settle_end(struct request_context *context, const char *key, bool below,
                       const struct range *usual, double value, double *end, struct err *err)
{
    const char *name = arena_print(context->arena, "%s_%s", key, below ? "low" : "high");
    const struct field *field = fields_find(context->inputs.fields, name);

    if (!context_given(context, name)) {
        *end = below ? fmin(usual->low, value) : fmax(usual->high, value);
        context_set_number(context, name, *end, usual->source, usual->reference);
        return true;
    }
    *end = field_number(field, context->inputs.values);
    if (below ? *end > value : *end < value)
        return context_refuse(context, err, name, "contradiction",
                              "must not be %s %s, which is %.10g", below ? "above" : "below", key,
                              value);
    return true;
}

static bool end_given(const struct request_context *context, const char *key, const char *end)
{
    return context_given(context, arena_print(context->arena, "%s_%s", key, end));
}

static bool settle_ends(struct request_context *context, const struct request_context *base,
                        const struct range *usual, struct risk_band *band, struct err *err)
{
    const char *key = band->input.field->name;
    struct risk_triangle *triangle = &band->input.triangle;
    bool low = end_given(context, key, "low"), high = end_given(context, key, "high");
    struct range range = *usual;

    if (!low && !high && strcmp(key, "rent_price_per_gpu_hour") == 0 &&
        !context_given(context, key))
        find_providers(context, base, band);
    if (band->input.values)
        range = (struct range){triangle->low, triangle->high, band->basis, SOURCE_CATALOG, NULL};
    bool good = settle_end(context, key, true, &range, triangle->middle, &triangle->low, err);
    good = settle_end(context, key, false, &range, triangle->middle, &triangle->high, err) && good;
    band->basis = low && high   ? "as given"
                  : low || high ? arena_print(context->arena, "as given; else %s", range.basis)
                                : range.basis;
    return good;
}

/* ---- ends listed by the caller */

/* Parse both values of NAME:low:high; false if the name is not in the list. */
static bool find_listed(const char *list, const char *key, struct risk_triangle *triangle)
{
    size_t length = strlen(key);

    for (const char *p = list ? list : ""; *p; p += strcspn(p, ","), p += *p == ',') {
        if (strncmp(p, key, length) != 0 || p[length] != ':')
            continue;
        char *end;
        triangle->low = strtod(p + length + 1, &end);
        triangle->high = *end == ':' ? strtod(end + 1, NULL) : (double)NAN;
        return true;
    }
    return false;
}

static bool check_listed(struct request_context *context, const struct field *field,
                         const struct risk_triangle *triangle, struct err *err)
{
    if (triangle->low <= triangle->middle && triangle->middle <= triangle->high &&
        triangle->low >= field->min && triangle->high <= field->max)
        return true;
    return context_refuse(context, err, "bands", "contradiction",
                          "%s must have its value, %.10g, between its ends, and these between "
                          "%.10g and %.10g",
                          field->name, triangle->middle, field->min, field->max);
}

/* Check that each name, up to the first comma or colon of an item, is a numeric ledger input. */
static bool check_names(struct request_context *context, const char *parameter, const char *list,
                        struct err *err)
{
    bool good = true;

    for (const char *p = list ? list : ""; *p; p += strcspn(p, ","), p += *p == ',') {
        const char *name = arena_print(context->arena, "%.*s", (int)strcspn(p, ":,"), p);
        struct spelling near = spelling_of(name);
        for (size_t i = 0; i < ownership_fields.n; i++)
            if (!field_is_text(&ownership_fields.at[i]))
                spelling_try(&near, ownership_fields.at[i].name);
        good =
            (near.distance == 0 ||
             context_refuse(context, err, parameter, "unknown_name",
                            "the ledger has no number %s; did you mean %s?", name, near.nearest)) &&
            good;
    }
    return good;
}

/* ---- all inputs */

/* A default at an end of its band is a fact about the buyer (such as whether VAT is due) and not
 * random: draws could only deviate in one direction. */
static void hold(struct request_context *context, const struct field *field,
                 struct risk_bands *bands)
{
    bands->held = bands->n_held++ ? arena_join(context->arena, bands->held, ", ", field->name, "")
                                  : field->name;
}

static bool is_certain_rent(const struct request_context *context, const struct risk_band *band)
{
    const char *key = band->input.field->name;
    const struct risk_triangle *triangle = &band->input.triangle;

    return strcmp(key, "rent_price_per_gpu_hour") == 0 && !end_given(context, key, "low") &&
           !end_given(context, key, "high") && !(triangle->low < triangle->high);
}

/* True if the input is drawn; *good becomes false if it is refused. */
static bool find_band(struct request_context *context, const struct request_context *base,
                      const struct field *field, struct risk_bands *bands, bool *good,
                      struct err *err)
{
    const struct break_even_risk_in *in = context->inputs.values;
    struct risk_band *band = &bands->at[bands->n];
    double value = field_number(field, in);
    const char *low = arena_print(context->arena, "%s_low", field->name);

    *band = (struct risk_band){.input = {.field = field, .triangle = {value, value, value}}};
    if (in->drawn && !text_in_list(in->drawn, field->name))
        return false;
    if (find_listed(in->bands, field->name, &band->input.triangle)) {
        band->basis = "as given";
        *good = check_listed(context, field, &band->input.triangle, err) && *good;
        return true;
    }
    if (strcmp(field->name, "gpu_release_month") == 0 && !context_given(context, field->name)) {
        find_releases(context, &in->of.own, band);
        return true;
    }
    struct range usual = usual_range(context, base, &in->of, field, value);
    if (fields_find(context->inputs.fields, low)) {
        *good = settle_ends(context, base, &usual, band, err) && *good;
        return !is_certain_rent(context, band);
    }
    band->input.triangle.low = fmax(usual.low, field->min);
    band->input.triangle.high = fmin(usual.high, field->max);
    band->basis = usual.basis;
    bool has_band = !context_given(context, field->name) && usual.low < usual.high &&
                    usual.low <= value && value <= usual.high;
    if (!has_band || in->drawn || (usual.low < value && value < usual.high))
        return has_band;
    hold(context, field, bands);
    return false;
}

/* Refuse inputs requested by name that have no band. */
static bool check_drawn(struct request_context *context, const struct break_even_risk_in *in,
                        const struct risk_bands *bands, struct err *err)
{
    const char *list = in->drawn, *name;
    bool good = true;

    while ((name = arena_next_item(context->arena, &list))) {
        size_t i = 0;
        while (i < bands->n && strcmp(bands->at[i].input.field->name, name) != 0)
            i++;
        if (i == bands->n)
            good = context_refuse(context, err, "drawn", "missing_parameter",
                                  "%s has no band: give bands=%s:low:high", name, name);
    }
    return good;
}

bool break_even_risk_bands(struct request_context *context, const struct request_context *base,
                           struct risk_bands *bands, struct err *err)
{
    const struct break_even_risk_in *in = context->inputs.values;
    bool good = check_names(context, "bands", in->bands, err);

    good = check_names(context, "drawn", in->drawn, err) && good;
    if (!good)
        return false;
    bands->n = bands->n_held = 0;
    bands->held = NULL;
    for (size_t i = 0; i < ownership_fields.n; i++) {
        const struct field *field = &ownership_fields.at[i];
        if (!field_is_text(field) && find_band(context, base, field, bands, &good, err))
            bands->n++;
    }
    return good && check_drawn(context, in, bands, err);
}
