#include "estimate/ownership/ownership.h"

#include "base/text.h"
#include "catalog/required.h"
#include "estimate/ownership/lease.h"
#include "estimate/ownership/used.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct field rows[] = {
#define FIELDS_OF struct ownership
#include "base/field/rows.h"
#include "estimate/ownership/inputs.def"
#include "base/field/end.h"
};

const struct fields ownership_fields = FIELDS_INIT(rows);

static const double USUAL_SERVER = 8; /* GPUs */

double ownership_server(const struct gpu *gpu, double gpu_count)
{
    return gpu_per_server(gpu, gpu_count, USUAL_SERVER);
}

static void set_default(const struct field *field, struct ownership *in,
                        const struct catalog *catalog)
{
    const char *fallback = field->fallback;
    bool left_open = strcmp(fallback, "auto") == 0;
    double value;

    if (strcmp(fallback, "@assumption") == 0)
        field_set_number(field, in, catalog_default(catalog, field->name, ""));
    else if (field_is_text(field))
        field_set_text(field, in, fallback[0] && !left_open ? fallback : NULL);
    else if (text_number(fallback, &value))
        field_set_number(field, in, value);
}

void ownership_init(struct ownership *in, const struct catalog *catalog)
{
    fields_clear(ownership_fields, in);
    for (size_t i = 0; i < ownership_fields.n; i++)
        set_default(&ownership_fields.at[i], in, catalog);
    in->purchase_option = "on_demand";
    in->new_server_price = (double)NAN;
}

void ownership_require(struct catalog *catalog)
{
    static const struct required looked_up[] = {
        {"spot_overhead_ratio", "", BOUND_VALUE, 0, 10},
        {"rental_overhead_ratio", "", BOUND_VALUE, 0, 10},
        {"storage_price_per_gb_month", "", BOUND_VALUE, RANGE_AMOUNT},
        {"egress_price_per_gb", "", BOUND_VALUE, RANGE_AMOUNT},
        {"node_power_kw", "", BOUND_VALUE, RANGE_POSITIVE},
        {"gpu_tdp_w", "h100", BOUND_VALUE, RANGE_POSITIVE},
        {"server_price", "", BOUND_LOW, RANGE_POSITIVE},
        {"server_price", "", BOUND_VALUE, RANGE_POSITIVE},
        {"server_price", "", BOUND_HIGH, RANGE_POSITIVE},
    };

    for (size_t i = 0; i < sizeof(looked_up) / sizeof(looked_up[0]); i++)
        catalog_require(catalog, &looked_up[i]);
    ownership_require_used(catalog);
    ownership_require_housing(catalog);
}

static void fill(double *value, double with)
{
    if (isnan(*value))
        *value = with;
}

static double from_cards(const struct ownership *in, double card_price)
{
    return in->gpus_per_node * card_price / (1 - in->host_share);
}

/* A server's price is given, or derived from a given card price, or the catalogue's, of which used
 * ones cost a share. */
static void fill_prices(struct ownership *in, const struct catalog *catalog, const struct gpu *gpu,
                        day as_of)
{
    const struct hardware *server = catalog_server(catalog, gpu, in->gpus_per_node, as_of);
    bool undated, used = ownership_is_used(in);
    double card = catalog_card_price(catalog, gpu, as_of, &undated);
    double whole = server ? catalog_hardware_price(catalog, server, as_of) : (double)NAN;
    double share = used ? ownership_used_ratio(in) : 1;

    in->new_server_price = !used ? (double)NAN : isnan(whole) ? from_cards(in, card) : whole;
    if (isnan(in->gpu_card_price))
        fill(&in->server_price, whole * share);
    fill(&in->gpu_card_price, card * share);
    fill(&in->server_price, from_cards(in, in->gpu_card_price));
}

struct ownership_band ownership_server_price_band(const struct ownership *in,
                                                  const struct catalog *catalog,
                                                  const struct gpu *gpu, day as_of)
{
    const struct assumption *usual = catalog_assumption(catalog, "server_price", "");
    const struct hardware *server = catalog_server(catalog, gpu, in->gpus_per_node, as_of);
    struct ownership_band band = {usual->low / usual->value, usual->high / usual->value};

    if (server && server->quote)
        band = (struct ownership_band){1, 1};
    return ownership_is_used(in) ? ownership_used_band(in, catalog, gpu, as_of, band) : band;
}

/* A server's power is that of the reference server, scaled by its GPUs' power limits. */
static double node_power_kw(const struct ownership *in, const struct catalog *catalog)
{
    const double reference_gpus = 8;
    double reference_kw = catalog_default(catalog, "node_power_kw", "");
    double reference_tdp_w = catalog_default(catalog, "gpu_tdp_w", "h100");

    return reference_kw * in->gpus_per_node * in->gpu_tdp_w / (reference_gpus * reference_tdp_w);
}

static bool fill_power(struct ownership *in, const struct catalog *catalog, const struct gpu *gpu,
                       struct err *err)
{
    fill(&in->gpu_tdp_w, gpu->tdp);
    fill(&in->node_power_kw, node_power_kw(in, catalog));
    /* Without a price nothing of the purchase is known, and the rent needs no power. */
    bool buys = !isnan(in->server_price) || in->owned_gpu_count > 0;
    if (!isnan(in->node_power_kw) || !buys)
        return true;
    return err_add(err, "node_power_kw", "", "missing_parameter",
                   "is required for %s, whose power limit is unknown: enter node_power_kw or "
                   "gpu_tdp_w",
                   gpu->slug);
}

/* A lessor assumes the market value of used servers. */
static void fill_lease(struct ownership *in)
{
    const double months_per_year = 12;

    fill(&in->lease_months, fmin(in->horizon_months, in->useful_life_months));
    if (lease_is_finance(in))
        fill(&in->lease_residual_ratio, 0);
    fill(&in->lease_residual_ratio,
         pow(in->annual_value_retention, in->lease_months / months_per_year) *
             in->resale_condition_factor * (1 - in->resale_fee_ratio));
}

static bool check_owned(const struct ownership *in, struct err *err)
{
    char asked[32];
    bool fits =
        in->owned_gpu_count <= in->gpu_count &&
        (in->owned_gpu_count == in->gpu_count || fmod(in->owned_gpu_count, in->gpus_per_node) == 0);

    if (in->owned_gpu_count == 0 || (fits && in->second_gpu_count == 0))
        return true;
    snprintf(asked, sizeof(asked), "%.10g", in->owned_gpu_count);
    return err_add(err, "owned_gpu_count", asked, "contradiction",
                   fits ? "requires a single purchase: leave out second_gpu_count"
                        : "must be whole servers of %.10g GPUs, and at most gpu_count, %.10g",
                   in->gpus_per_node, in->gpu_count);
}

/* No GPU is older than its type. */
static bool check_age(const struct ownership *in, const struct catalog *catalog,
                      const struct gpu *gpu, day as_of, struct err *err)
{
    char asked[32];

    if (in->used_age_months == 0)
        return true;
    double most = ownership_used_age(catalog, gpu, as_of).most;
    if (in->used_age_months <= most)
        return true;
    snprintf(asked, sizeof(asked), "%.10g", in->used_age_months);
    return err_add_range(err, "used_age_months", asked, 0, most,
                         "is at most %.0f: %s was launched in %d", most, gpu->slug, gpu->year);
}

/* GPUs in use must be rented. */
static bool check_rented(const struct ownership *in, struct err *err)
{
    const double rounding = 1e-9;
    char asked[32];

    if (isnan(in->rented_ratio) || in->rented_ratio >= in->utilization - rounding)
        return true;
    snprintf(asked, sizeof(asked), "%.10g", in->rented_ratio);
    return err_add(err, "rented_ratio", asked, "contradiction",
                   "must not be below utilization, %.10g", in->utilization);
}

static bool fill_utilization(struct ownership *in, struct err *err)
{
    double owned = in->gpu_count * HOURS_PER_MONTH;

    fill(&in->utilization, in->gpu_hours_per_month / owned);
    if (isnan(in->utilization))
        return err_add(err, "utilization", "", "missing_parameter",
                       "is required; or give gpu_hours_per_month instead");
    if (in->utilization <= 1)
        return true;
    char asked[32];
    snprintf(asked, sizeof(asked), "%.10g", in->gpu_hours_per_month);
    return err_add_range(err, "gpu_hours_per_month", asked, 0, owned,
                         "is more than %.10g GPUs have in a month: %.10g GPU-hours", in->gpu_count,
                         owned);
}

/* A phase of zero length has no utilization of its own. */
static bool check_first_phase(struct ownership *in, struct err *err)
{
    if (in->first_phase_months == 0) {
        fill(&in->first_phase_utilization, in->utilization);
        return true;
    }
    return !isnan(in->first_phase_utilization) ||
           err_add(err, "first_phase_utilization", "", "missing_parameter",
                   "is required with first_phase_months");
}

static bool check_second(const struct ownership *in, struct err *err)
{
    char asked[32];

    if (in->second_gpu_count == 0 || (in->second_gpu_count < in->gpu_count &&
                                      fmod(in->second_gpu_count, in->gpus_per_node) == 0))
        return true;
    snprintf(asked, sizeof(asked), "%.10g", in->second_gpu_count);
    return err_add(err, "second_gpu_count", asked, "contradiction",
                   "must be whole servers of %.10g GPUs, and fewer than gpu_count, %.10g",
                   in->gpus_per_node, in->gpu_count);
}

/* Every default taken from the catalogue must be present: a ledger without it would be too low. */
static bool defaults_known(const struct ownership *in, struct err *err)
{
    for (size_t i = 0; i < ownership_fields.n; i++)
        if (rows[i].fallback[0] == '@' && isnan(field_number(&rows[i], in)))
            return err_set(err, ERR_INTERNAL, "the catalogue has no default for %s", rows[i].name);
    return true;
}

bool ownership_complete(struct ownership *in, const struct catalog *catalog, const struct gpu *gpu,
                        day as_of, struct err *err)
{
    if (!defaults_known(in, err))
        return false;
    fill(&in->gpus_per_node, in->owned_gpu_count == in->gpu_count /* nothing is bought */
                                 ? fmin(USUAL_SERVER, in->gpu_count)
                                 : ownership_server(gpu, in->gpu_count));
    if (!ownership_fill_housing(in, catalog, gpu, err))
        return false;
    ownership_fill_age(in, catalog, gpu, as_of);
    fill_lease(in);
    fill(&in->commitment_discount_ratio, 0);
    fill(&in->spot_discount_ratio, 0);
    fill(&in->storage_price_per_gb_month,
         catalog_default(catalog, "storage_price_per_gb_month", ""));
    fill(&in->egress_price_per_gb, catalog_default(catalog, "egress_price_per_gb", ""));
    fill(&in->spot_overhead_ratio, catalog_default(catalog, "spot_overhead_ratio", ""));
    fill(&in->rental_overhead_ratio, catalog_default(catalog, "rental_overhead_ratio", ""));
    fill_prices(in, catalog, gpu, as_of);
    bool good = fill_power(in, catalog, gpu, err);
    good = check_second(in, err) && good;
    good = check_owned(in, err) && good;
    good = check_age(in, catalog, gpu, as_of, err) && good;
    good = fill_utilization(in, err) && good;
    good = check_rented(in, err) && good;
    return check_first_phase(in, err) && good;
}
