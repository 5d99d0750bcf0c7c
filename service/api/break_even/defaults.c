/* defaults.c - checks the inputs of /v1/break-even against one another, and fills in missing ones
 * from the catalogue. */
#include "api/break_even/break_even.h"
#include "api/options/country.h"
#include "api/options/rent_charges.h"
#include "estimate/ownership/used.h"

#include <math.h>
#include <string.h>

/* What is sold and bought again must be all servers, bought at once, and untaxed. */
static bool check_replacement(struct request_context *context, const struct ownership *own,
                              struct err *err)
{
    bool leased = strcmp(own->financing, "cash") != 0 && strcmp(own->financing, "loan") != 0;
    const char *with = leased                      ? "a lease"
                       : own->second_gpu_count > 0 ? "second_gpu_count"
                       : own->owned_gpu_count > 0  ? "owned_gpu_count"
                       : !isnan(own->residual_value)
                           ? "residual_value, which is of one sale: enter annual_value_retention"
                       : own->tax_rate > 0 ? "tax_rate"
                                           : NULL;

    return !with || context_refuse(context, err, "replace_servers", "contradiction",
                                   "is not supported with %s", with);
}

static bool check_pairs(struct request_context *context, const struct ownership *own,
                        struct err *err)
{
    bool good = context_at_most_one(context, "utilization gpu_hours_per_month", err);

    good = context_at_most_one(context, "annual_value_retention residual_value", err) && good;
    if (!isnan(own->residual_value) && strcmp(own->financing, "operating_lease") == 0 &&
        strcmp(own->lease_end, "return") == 0)
        good = context_refuse(context, err, "residual_value", "contradiction",
                              "has no effect with a lease: leased servers cannot be sold");
    if (own->second_gpu_count > 0 && strcmp(own->financing, "cash") != 0)
        good = context_refuse(context, err, "second_gpu_count", "contradiction",
                              "a second purchase is supported only with financing=cash");
    if (own->replace_servers == 1)
        good = check_replacement(context, own, err) && good;
    if (own->gpu_release_month > own->gpu_release_interval_months)
        good = context_refuse(context, err, "gpu_release_month", "contradiction",
                              "must not be after gpu_release_interval_months, %.0f: the next "
                              "release is at most an interval away",
                              own->gpu_release_interval_months);
    if (own->idle_power_ratio > own->power_load_ratio)
        good =
            context_refuse(context, err, "idle_power_ratio", "contradiction",
                           "an idle server draws no more than one in use: power_load_ratio is %g",
                           own->power_load_ratio);
    return good;
}

static double price_of(const struct request_context *context, const struct break_even_in *in,
                       const struct gpu *gpu, const char *purchase_option)
{
    struct price_query query = break_even_price_query(context, in, gpu, purchase_option);

    return catalog_price(context->catalog, &query).per_gpu_hour;
}

bool break_even_is_for_desks(const struct gpu *gpu)
{
    return gpu_is_consumer(gpu) || gpu_is_computer(gpu);
}

/* Without a count a server's eight are compared, but one of what stands on desks, or as many as the
 * hours of work take. */
static void fill_count(struct request_context *context, const struct break_even_in *in,
                       const struct gpu *gpu)
{
    static const char *const counted[] = {"gpu_count", "gpus_per_node", "owned_gpu_count",
                                          "second_gpu_count", "connected_gpu_count"};
    double taken = ceil(in->own.gpu_hours_per_month / HOURS_PER_MONTH);
    bool given = in->plan.kind != WORKLOAD_NONE;

    for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
        given = given || context_given(context, counted[i]);
    if (!given && break_even_is_for_desks(gpu))
        context_set_number(context, "gpu_count", taken > 1 ? taken : 1, SOURCE_CHOSEN, NULL);
}

/* From the workload; otherwise the GPUs are one cluster. */
static void fill_connected(struct request_context *context, struct break_even_in *in)
{
    double all = in->own.gpu_count, planned = in->plan.connected;

    if (isnan(in->connected_gpu_count))
        context_set_number(context, "connected_gpu_count",
                           isnan(planned) ? all : fmin(planned, all), SOURCE_CHOSEN,
                           in->plan.address);
}

static const char *offers_path(struct request_context *context, const struct gpu *gpu,
                               const char *option)
{
    return arena_join(context->arena, "/v1/offers?gpu=", gpu->slug, "&purchase_option=", option);
}

/* A discount that does not apply is 0, and the client is told. */
static void drop_discount(struct request_context *context, const char *name)
{
    if (context_given(context, name))
        context_warn(context, "without_effect",
                     "%s is not applied: it is only for a price derived from the on-demand price",
                     name);
    context_set_number(context, name, 0, SOURCE_CHOSEN, NULL);
}

/* If nobody offers the option, its price is the on-demand price less the discount. */
static void apply_discount(struct request_context *context, const char *option)
{
    bool spot = strcmp(option, "spot") == 0;
    const char *name = spot ? "spot_discount_ratio" : "commitment_discount_ratio";

    context_warn(context, "derived_price",
                 "no %s offer is known here: its price is derived from the on-demand price by %s",
                 option, name);
    if (!context_given(context, name))
        context_set_number(context, name,
                           spot ? catalog_default(context->catalog, name, "")
                                : price_commitment_discount(context->catalog, option),
                           SOURCE_DEFAULT,
                           arena_print(context->arena, "/v1/assumptions?key=%s", name));
    drop_discount(context, spot ? "commitment_discount_ratio" : "spot_discount_ratio");
}

/* The option whose offers determine the price; NULL if there are none. */
static const char *priced_option(const struct request_context *context,
                                 const struct break_even_in *in, const struct gpu *gpu)
{
    const char *option = in->own.purchase_option;
    bool derivable = strcmp(option, "spot") == 0 || strncmp(option, "reserved", 8) == 0;
    struct price_query query = break_even_price_query(context, in, gpu, option);
    struct price price = catalog_price(context->catalog, &query);

    bool own_discount = context_given(context, "commitment_discount_ratio");
    if (price.n_offers && !(own_discount && price.n_offers == price.n_derived))
        return option;
    return derivable && !isnan(price_of(context, in, gpu, "on_demand")) ? "on_demand" : NULL;
}

static void fill_rent(struct request_context *context, struct break_even_in *in,
                      const struct gpu *gpu)
{
    const char *option = in->own.purchase_option;
    bool given = context_given(context, "rent_price_per_gpu_hour");
    const char *priced = given ? NULL : priced_option(context, in, gpu);

    struct rent_charges charges = {NULL, in->provider, in->own.egress_tb_per_month * GB_PER_TB,
                                   in->own.storage_tb * GB_PER_TB, true};

    in->book = NULL;
    in->rent_low = in->rent_high = in->own.rent_price_per_gpu_hour;
    in->basis = pricing_own(PRICE_GIVEN, in->own.rent_price_per_gpu_hour, in->own.gpu_count);
    if (priced && strcmp(priced, option) != 0) {
        apply_discount(context, option);
    } else {
        drop_discount(context, "commitment_discount_ratio");
        drop_discount(context, "spot_discount_ratio");
    }
    if (priced) {
        struct price_query query = break_even_price_query(context, in, gpu, priced);
        struct price price = pricing_price(context, query);
        charges.price = &price;
        rent_charges_fill(context, &charges, "");
        in->basis = pricing_basis(context, &price);
        in->book = price_book(context->catalog, &query, context->arena);
        in->rent_low = price.band_low;
        in->rent_high = price.band_high;
        pricing_offers_used(context, &price);
        context_set_number(context, "rent_price_per_gpu_hour", price.per_gpu_hour, SOURCE_CATALOG,
                           offers_path(context, gpu, priced));
        return;
    }
    rent_charges_fill(context, &charges, "");
    if (!given) {
        struct price_query query = break_even_price_query(context, in, gpu, option);
        pricing_warn_none(context, &query, "rent_price_per_gpu_hour");
    } else if (in->region || (in->provider && charges.egress_gb + charges.storage_gb == 0)) {
        context_warn(context, "without_effect",
                     "provider and region have no effect: they choose catalogue offers, and the "
                     "rent price was entered");
    }
}

/* Buying is compared with the cheapest rent, unless the question names an option. */
static void choose_rent(struct request_context *context, struct break_even_in *in,
                        const struct gpu *gpu)
{
    static const char *const names_one[] = {"purchase_option", "rent_price_per_gpu_hour",
                                            "commitment_discount_ratio", "spot_discount_ratio",
                                            "spot_overhead_ratio"};
    const char *option = NULL;

    for (size_t i = 0; i < sizeof(names_one) / sizeof(names_one[0]) && !option; i++)
        option = context_given(context, names_one[i]) ? in->own.purchase_option : NULL;
    in->chose_rent = !option;
    if (!context_given(context, "purchase_option"))
        context_set_text(context, "purchase_option",
                         option ? option : break_even_cheapest_rent(context, in, gpu),
                         SOURCE_CHOSEN, NULL);
    if (!isnan(in->plan.unused_ratio) && price_term_months(in->own.purchase_option) &&
        !context_given(context, "rental_overhead_ratio"))
        context_set_number(context, "rental_overhead_ratio", 0, SOURCE_CHOSEN, in->plan.address);
}

static void fill_number(struct request_context *context, const char *name, double value,
                        const char *reference)
{
    if (!context_given(context, name) && !isnan(value))
        context_set_number(context, name, value, SOURCE_CATALOG, reference);
}

/* The figures that the rules of thumb compare rent and card price with. */
static bool fill_comparisons(struct request_context *context, struct break_even_in *in,
                             const struct gpu *gpu, struct err *err)
{
    const struct gpu *other;
    bool undated;

    fill_number(context, "spot_price_per_gpu_hour", price_of(context, in, gpu, "spot"),
                offers_path(context, gpu, "spot"));
    if (!in->own.reference_gpu)
        return true;
    if (!lookup_gpu(context, "reference_gpu", in->own.reference_gpu, &other, err))
        return false;
    fill_number(context, "reference_card_price",
                catalog_card_price(context->catalog, other, context->as_of, &undated),
                arena_print(context->arena, "/v1/hardware?gpu=%s", other->slug));
    fill_number(context, "reference_rent_price_per_gpu_hour",
                price_of(context, in, other, "on_demand"),
                offers_path(context, other, "on_demand"));
    return true;
}

/* Itemised extras replace the ratio that stands for all of them. */
static void fill_overheads(struct request_context *context)
{
    static const char *const itemised[] = {"storage_tb",
                                           "egress_tb_per_month",
                                           "support_uplift_ratio",
                                           "goodput_uplift_ratio",
                                           "setup_cost",
                                           "debugging_cost_year",
                                           "training_other_cost_month",
                                           "capacity_reservation_idle_ratio"};

    for (size_t i = 0; i < sizeof(itemised) / sizeof(itemised[0]); i++)
        if (context_given(context, itemised[i]) &&
            !context_given(context, "rental_overhead_ratio")) {
            context_warn(context, "overheads_itemised",
                         "rental_overhead_ratio is 0 because %s is given; give both to have both",
                         itemised[i]);
            context_set_number(context, "rental_overhead_ratio", 0, SOURCE_CHOSEN, NULL);
            return;
        }
}

/* By default the servers are used if the GPU is no longer sold new. */
static void choose_condition(struct request_context *context, const struct break_even_in *in,
                             const struct gpu *gpu)
{
    bool new = in->own.owned_gpu_count == in->own.gpu_count ||
               ownership_is_sold_new(context->catalog, gpu, context->as_of);

    if (!context_given(context, "condition"))
        context_set_text(context, "condition", new ? "new" : "used", SOURCE_CHOSEN,
                         "/v1/assumptions?key=sold_new_years");
}

/* The age of used servers, and the life that it leaves them. */
static void fill_used(struct request_context *context, struct break_even_in *in,
                      const struct gpu *gpu)
{
    struct ownership *own = &in->own;

    if (!ownership_is_used(own))
        return;
    if (isnan(own->used_age_months))
        context_set_number(context, "used_age_months",
                           ownership_used_age(context->catalog, gpu, context->as_of).value,
                           SOURCE_DEFAULT, "/v1/assumptions?key=used_age_ratio");
    if (!context_given(context, "useful_life_months"))
        context_set_number(context, "useful_life_months",
                           ownership_life_left(own, own->useful_life_months), SOURCE_CHOSEN,
                           "/v1/assumptions?key=useful_life_months");
}

/* Sources of the figures found by ownership_complete(). */
static const struct {
    const char *name;
    enum source source;
    const char *path; /* %s is the GPU */
} origins[] = {
    {"server_price", SOURCE_CATALOG, "/v1/hardware?gpu=%s"},
    {"gpu_card_price", SOURCE_CATALOG, "/v1/hardware?gpu=%s"},
    {"gpu_tdp_w", SOURCE_CATALOG, "/v1/gpus/%s"},
    {"node_power_kw", SOURCE_CHOSEN, "/v1/assumptions?key=node_power_kw"},
    {"spot_overhead_ratio", SOURCE_DEFAULT, "/v1/assumptions?key=spot_overhead_ratio"},
    {"rental_overhead_ratio", SOURCE_DEFAULT, "/v1/assumptions?key=rental_overhead_ratio"},
};

static void note_origin(struct request_context *context, const char *name, double value,
                        const struct gpu *gpu)
{
    for (size_t i = 0; i < sizeof(origins) / sizeof(origins[0]); i++)
        if (strcmp(origins[i].name, name) == 0) {
            const char *path = origins[i].path, *slot = strstr(path, "%s");
            if (slot)
                path =
                    arena_join(context->arena,
                               arena_part(context->arena, path, (size_t)(slot - path)), gpu->slug);
            context_set_number(context, name, value, origins[i].source, path);
            return;
        }
    for (size_t i = 0; ownership_housing_input(i); i++)
        if (strcmp(ownership_housing_input(i), name) == 0) {
            context_set_number(context, name, value, SOURCE_DEFAULT,
                               arena_print(context->arena, "/v1/assumptions?key=%s", name));
            return;
        }
    context_set_number(context, name, value, SOURCE_CHOSEN, NULL);
}

/* The price of used servers follows from that of new ones. */
static void note_used(struct request_context *context, const struct ownership *before,
                      const struct ownership *own)
{
    static const char *const priced[] = {"server_price", "gpu_card_price"};

    if (!ownership_is_used(own) || !isnan(before->server_price) || !isnan(before->gpu_card_price))
        return;
    for (size_t i = 0; i < sizeof(priced) / sizeof(priced[0]); i++) {
        const struct field *field = fields_find(ownership_fields, priced[i]);
        if (!isnan(field_number(field, own)))
            context_set_number(context, priced[i], field_number(field, own), SOURCE_CHOSEN,
                               "/v1/assumptions?key=annual_value_retention");
    }
}

/* A quoted server price cites the number of its quote. */
static void note_quote(struct request_context *context, const struct ownership *before,
                       const struct ownership *own, const struct gpu *gpu)
{
    const struct hardware *server =
        catalog_server(context->catalog, gpu, own->gpus_per_node, context->as_of);

    if (server && server->quote && isnan(before->server_price) && isnan(before->gpu_card_price) &&
        !ownership_is_used(own))
        context_set_number(context, "server_price", own->server_price, SOURCE_CATALOG,
                           arena_print(context->arena, "/v1/quotes/%.0f", server->quote->id));
}

/* Complete the ledger's inputs and record the source of each that was open. */
static bool complete_ledger(struct request_context *context, struct break_even_in *in,
                            const struct gpu *gpu, struct err *err)
{
    struct ownership before = in->own;

    if (!ownership_complete(&in->own, context->catalog, gpu, context->as_of, err))
        return false;
    for (size_t i = 0; i < ownership_fields.n; i++) {
        const struct field *field = &ownership_fields.at[i];
        if (!field_is_text(field) && isnan(field_number(field, &before)) &&
            !isnan(field_number(field, &in->own)))
            note_origin(context, field->name, field_number(field, &in->own), gpu);
    }
    if (!before.housing)
        context_set_text(context, "housing", in->own.housing, SOURCE_DEFAULT,
                         strcmp(in->own.housing, "desk") == 0
                             ? "/v1/assumptions?key=housing_desk_gpu_max"
                             : "/v1/assumptions?key=housing_own_room_gpu_max");
    note_quote(context, &before, &in->own, gpu);
    note_used(context, &before, &in->own);
    return true;
}

static void choose_hosted(struct request_context *context, struct break_even_in *in)
{
    const struct workload_plan *plan = &in->plan;
    const struct hosted_load load = {in->model, plan->input_tokens, plan->output_tokens,
                                     plan->tokens_per_day, 0};

    hosted_price_choose(context, plan->kind == WORKLOAD_SERVE ? &load : NULL, &in->hosted_api);
}

bool break_even_defaults(struct request_context *context, struct break_even_in *in,
                         const struct gpu *gpu, struct err *err)
{
    bool good = check_pairs(context, &in->own, err);

    if (!in->own.purchase_option) /* if not chosen yet */
        in->own.purchase_option = "on_demand";
    good = pricing_check_provider(context, in->provider, err) && good;
    good = lookup_check_discounts(context, in->provider_discounts, err) && good;
    good =
        pricing_settle_credits(context, "rent_price_per_gpu_hour", &in->credits_elsewhere, err) &&
        good;
    if (!country_fill(context, in->country, err) || !break_even_workload(context, in, err) || !good)
        return false;
    fill_count(context, in, gpu);
    choose_condition(context, in, gpu);
    fill_used(context, in, gpu);
    choose_hosted(context, in);
    fill_connected(context, in);
    fill_overheads(context);
    choose_rent(context, in, gpu);
    fill_rent(context, in, gpu);
    in->open = in->own;
    if (!context_given(context, "gpus_per_node")) /* the servers that the workload runs on */
        in->open.gpus_per_node = (double)NAN;
    return fill_comparisons(context, in, gpu, err) && complete_ledger(context, in, gpu, err);
}
