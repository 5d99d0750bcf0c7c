/* warnings.c - warnings about omissions and weak foundations of a break-even. */
#include "api/break_even/break_even.h"

#include "api/options/housing_step.h"
#include "api/options/sold_new.h"
#include "api/options/unusual_input.h"
#include "api/resource/currency.h"
#include "base/text.h"
#include "estimate/ownership/lease.h"
#include "estimate/ownership/used.h"

#include <math.h>
#include <string.h>

/* Lines that the caller switched off although they usually cost something. */
static void warn_switched_off(struct request_context *context, const struct ownership *own)
{
    const struct inputs *inputs = &context->inputs;

    for (size_t i = 0; i < inputs->fields.n; i++) {
        const struct field *field = &inputs->fields.at[i];
        if (inputs->sources[i] != SOURCE_REQUEST || field_is_text(field) ||
            !fields_find(ownership_fields, field->name) || field_number(field, own) != 0)
            continue;
        const double least = 1000;
        double usual = catalog_default(context->catalog, field->name, "");
        if (usual > 0)
            context_warn(context, "line_disabled", "%s is set to 0; the usual figure is %s %s",
                         field->name,
                         usual < least ? arena_print(context->arena, "%.10g", usual)
                                       : context_count(context, usual),
                         currency_text(context, field->unit));
    }
}

/* A purchase is advised at a price that no vendor has offered. */
static void warn_list_price(struct request_context *context, const struct ownership *own,
                            const struct gpu *gpu)
{
    const struct catalog *catalog = context->catalog;
    char newest[11];
    day last = 0;

    for (size_t i = 0; i < catalog->n_hardware; i++) {
        const struct hardware *row = &catalog->hardware[i];
        if (!gpu_same(row->gpu, gpu) || !row->usable ||
            !catalog_hardware_current(row, context->as_of))
            continue;
        if (row->quote)
            return;
        last = row->observed > last ? row->observed : last;
    }
    text_print_day(last, newest);
    context_warn(context, "purchase_list_price",
                 "a server of %.0f is taken to cost %s, from public lists, the newest of %s "
                 "(/v1/hardware?gpu=%s): no vendor was asked. A quote for this order (/v1/quotes, "
                 "or server_price) replaces it",
                 own->gpus_per_node, currency_amount(context, own->server_price), newest,
                 gpu->slug);
}

static void warn_prices(struct request_context *context, const struct ownership *own,
                        const struct gpu *gpu, const struct break_even *found)
{
    const struct hardware *server =
        catalog_server(context->catalog, gpu, own->gpus_per_node, context->as_of);
    bool given = context_given(context, "server_price") || context_given(context, "gpu_card_price");
    bool undated = false;

    if (given)
        return;
    if (isnan(own->server_price)) {
        context_warn(context, "no_price",
                     "no purchase price for %s is known: enter server_price or gpu_card_price",
                     gpu->slug);
        return;
    }
    if (server)
        undated = !server->observed;
    else
        catalog_card_price(context->catalog, gpu, context->as_of, &undated);
    if (undated)
        context_warn(context, "undated_price",
                     "the purchase price used for %s is undated: a vendor's quote replaces it as "
                     "server_price",
                     gpu->slug);
    else if (found->verdict && found->verdict[0] == 'b' && !ownership_is_used(own) &&
             ownership_new_nodes(own) > 0)
        warn_list_price(context, own, gpu);
}

/* What a buyer of used servers takes over from their first owner. */
static void warn_used(struct request_context *context, const struct ownership *own,
                      const struct gpu *gpu)
{
    struct arena *arena = context->arena;
    double warranty = ownership_warranty_left(own, gpu);
    bool priced = !context_given(context, "server_price") &&
                  !context_given(context, "gpu_card_price") && !isnan(own->server_price);

    if (priced)
        context_warn(
            context, "used_price",
            "this price is not an offer of used servers: those of %s, %.0f months old, are "
            "assumed to cost %.3g%% of new ones, which is their resale value at that "
            "age%s; a quote entered as server_price replaces it",
            gpu->slug, own->used_age_months, 100 * ownership_used_ratio(own),
            context_given(context, "used_age_months") ? "" : ", half the time since their launch");
    context_warn(
        context, "used_condition",
        "used servers: %s; %.0f months of useful life are "
        "counted; no published failure rate of used GPUs is known, so "
        "gpu_annual_failure_ratio is %.3g as for new ones, and maintenance is charged at "
        "the price of new ones",
        isnan(warranty) ? "what is left of the manufacturer's warranty is unknown"
        : warranty > 0
            ? arena_print(arena, "%.0f months of the manufacturer's warranty are left", warranty)
            : "the manufacturer's warranty is over",
        own->useful_life_months, own->gpu_annual_failure_ratio);
}

/* Servers are sold in whole boards only. */
static void warn_boards(struct request_context *context, const struct ownership *own,
                        const struct gpu *gpu)
{
    double board = gpu->board_gpu_count, server = own->gpus_per_node;
    double bought = gpu_in_servers(own->gpu_count, server);

    options_warn_by_rack(context, gpu, own->gpu_count);
    if (board > server)
        context_warn(context, "whole_boards",
                     "%s is sold on boards of %.0f: gpus_per_node=%.0f prices a share of a board, "
                     "which no vendor may offer",
                     gpu->slug, board, server);
    else if (board > 1 && bought > own->gpu_count)
        context_warn(context, "whole_boards",
                     "%s is sold on boards of %.0f: buying counts %.0f GPUs for the %.0f asked for",
                     gpu->slug, board, bought, own->gpu_count);
}

static void warn_overheads(struct request_context *context, const struct ownership *own)
{
    if (!context_given(context, "rental_overhead_ratio") && own->rental_overhead_ratio > 0)
        context_warn(context, "low_overheads",
                     "rental extras (storage, egress, support) are assumed to add %.10g%% to the "
                     "rent; that is deliberately low: published bills run 30%% to 50%% above the "
                     "list price",
                     100 * own->rental_overhead_ratio);
}

/* Storage is charged to renting; owning has storage in proportion to its servers. */
static void warn_storage(struct request_context *context, const struct ownership *own,
                         const struct break_even *found)
{
    double bought = ownership_line_amount(&found->ledger, "buy", "storage");

    if (own->storage_tb > 0 && !context_given(context, "storage_cost"))
        context_warn(context, "own_storage",
                     "storage_tb is charged to renting alone: owning has storage for %s, %.3g%% of "
                     "the servers' price; enter storage_cost if %.10g TB cost more",
                     currency_amount(context, bought), 100 * own->storage_cost, own->storage_tb);
}

static void warn_financing(struct request_context *context, const struct ownership *own)
{
    static const char *const only[][2] = {
        {"loan", "loan_months"},
        {"loan", "loan_down_payment_ratio"},
        {"operating_lease", "lease_end"},
        {"operating_lease", "lease_exit_ratio"},
    };
    static const char *const leases[] = {"lease_months", "lease_payment_month",
                                         "lease_residual_ratio"};
    bool leased = lease_is_operating(own) || lease_is_finance(own);

    for (size_t i = 0; i < sizeof(leases) / sizeof(leases[0]) && !leased; i++)
        if (context_given(context, leases[i]))
            context_warn(context, "without_effect",
                         "%s has an effect only with financing=operating_lease or finance_lease",
                         leases[i]);

    for (size_t i = 0; i < sizeof(only) / sizeof(only[0]); i++)
        if (strcmp(own->financing, only[i][0]) != 0 && context_given(context, only[i][1]))
            context_warn(context, "without_effect", "%s has an effect only with financing=%s",
                         only[i][1], only[i][0]);
}

/* Housing that nobody chose: under a desk it omits most costs of a server room, and the first card
 * too many for desks brings them all. */
static void warn_housing(struct request_context *context, const struct ownership *own,
                         const struct gpu *gpu)
{
    if (context_given(context, "housing"))
        return;
    if (housing_step_is_taken(own, gpu))
        housing_step_warn(context, own, "", "housing=desk leaves them out");
    if (strcmp(own->housing, "desk") != 0)
        return;
    context_warn(context, "on_a_desk",
                 "purchased GPUs are assumed to be under a desk, without rack, network, "
                 "transit or staff; housing=own_room and housing=colocation include them");
    housing_step_warn_fans(context, gpu);
}

/* What was paid is a sunk cost; the resale value of the GPUs is the relevant one. */
static void warn_in_hand(struct request_context *context, const struct ownership *own)
{
    double nodes = ownership_nodes(own) - ownership_new_nodes(own);

    if (nodes > 0 && !isnan(own->server_price))
        context_warn(context, "sale_not_counted",
                     "the resale value today of the %s GPUs you own is not counted: if you "
                     "sell them instead, renting costs less by that much, at most %s %s, the "
                     "price of new ones",
                     context_count(context, own->owned_gpu_count),
                     context_count(context, nodes * own->server_price),
                     context->answer.meta.currency);
}

/* A room outlasts its first servers. */
static void warn_fitout(struct request_context *context, const struct ownership *own,
                        const struct break_even *found)
{
    double cost = 0;

    for (size_t i = 0; i < found->ledger.n; i++)
        if (strcmp(found->ledger.lines[i].key, "facility_fitout") == 0)
            cost = found->ledger.lines[i].amount;
    if (cost > 0 && !context_given(context, "facility_fitout_cost"))
        context_warn(context, "fitout_in_full",
                     "fitting out the room (%s %s) is charged in full to %.0f month%s, "
                     "though later servers will use it too: enter facility_fitout_cost to charge "
                     "a share",
                     context_count(context, cost), context->answer.meta.currency,
                     own->horizon_months, text_plural(own->horizon_months));
}

/* Credits that exceed the rent, or expire. */
static void warn_credits(struct request_context *context, const struct ownership *own,
                         const struct break_even *found)
{
    double left =
        own->cloud_credits + ownership_line_amount(&found->ledger, "rent", "cloud_credits");

    if (left > 0)
        context_warn(context, "credits_unused",
                     "renting leaves %s of the cloud credits unused: they pay rent with its "
                     "extras, within %.0f months",
                     currency_amount(context, left),
                     own->cloud_credits_months > 0
                         ? fmin(own->cloud_credits_months, own->horizon_months)
                         : own->horizon_months);
}

/* Inputs that have no effect because of another input. */
static void warn_without_effect(struct request_context *context, const struct break_even_in *in)
{
    const struct ownership *own = &in->own;
    bool spot = strcmp(own->purchase_option, "spot") == 0;
    bool cash = strcmp(own->financing, "cash") == 0;

    if (!ownership_is_used(own) && context_given(context, "used_age_months"))
        context_warn(context, "without_effect",
                     "used_age_months has an effect only with condition=used");
    if (!spot && context_given(context, "spot_overhead_ratio"))
        context_warn(context, "without_effect",
                     "spot_overhead_ratio has an effect only with purchase_option=spot");
    if (cash && context_given(context, "financing_interest_ratio"))
        context_warn(context, "without_effect",
                     "financing_interest_ratio has an effect only if financing is not cash");
    warn_financing(context, own);
    if (own->first_phase_months == 0 && context_given(context, "first_phase_utilization"))
        context_warn(context, "without_effect",
                     "first_phase_utilization has an effect only with first_phase_months");
    if (own->cloud_credits == 0 && !(in->credits_elsewhere > 0) &&
        context_given(context, "cloud_credits_months") && !context_given(context, "cloud_credits"))
        context_warn(context, "without_effect",
                     "cloud_credits_months has an effect only with cloud_credits");
    if (own->gpu_release_month == 0 && strcmp(context->resource->name, "break_even_risk") != 0 &&
        (context_given(context, "gpu_release_drop_ratio") ||
         context_given(context, "gpu_release_interval_months")))
        context_warn(context, "without_effect",
                     "gpu_release_drop_ratio and gpu_release_interval_months have an effect only "
                     "with gpu_release_month, and in /v1/break-even/risk");
    if (own->storage_tb == 0 && context_given(context, "storage_price_per_gb_month"))
        context_warn(context, "without_effect",
                     "storage_price_per_gb_month has an effect only with storage_tb");
    if (own->egress_tb_per_month == 0 && context_given(context, "egress_price_per_gb"))
        context_warn(context, "without_effect",
                     "egress_price_per_gb has an effect only with egress_tb_per_month");
}

static void warn_workload(struct request_context *context, const struct break_even_in *in)
{
    const struct ownership *own = &in->own;
    bool as_used =
        strcmp(own->purchase_option, "on_demand") == 0 || strcmp(own->purchase_option, "spot") == 0;

    if ((in->plan.kind & WORKLOAD_SERVE) && as_used &&
        in->schedule.kind != RENT_SCHEDULE_ALWAYS_ON && own->rented_ratio < 1)
        context_warn(context, "rent_follows_load",
                     "the GPUs are rented for %.4g of all hours and returned in between; they "
                     "may not be available when you need them again",
                     own->rented_ratio);
    if (in->plan.kind == WORKLOAD_TRAIN && !context_given(context, "runs_per_year"))
        context_warn(context, "runs_assumed",
                     "one training run a year is assumed, %.4g in %.0f months: enter runs_per_year",
                     in->runs_per_year * own->horizon_months / 12, own->horizon_months);
}

/* Figures that were probably typed in another unit. */
static void warn_unusual(struct request_context *context, const struct break_even_in *in,
                         const struct gpu *gpu)
{
    const double least = 0.1, most = 5;
    const struct ownership *own = &in->own;
    const struct hardware *server =
        catalog_server(context->catalog, gpu, own->gpus_per_node, context->as_of);
    bool undated;
    double card = catalog_card_price(context->catalog, gpu, context->as_of, &undated),
           whole = server ? catalog_hardware_price(context->catalog, server, context->as_of)
                          : card * own->gpus_per_node / (1 - own->host_share);

    unusual_input_warn_rates(context);
    unusual_input_warn_rent(context, "rent_price_per_gpu_hour", own->rent_price_per_gpu_hour, gpu,
                            own->gpu_count);
    unusual_input_warn(context, "server_price", own->server_price,
                       (struct usual_figure){whole, least, most},
                       "it is the full price of one server with its GPUs, not in thousands, not of "
                       "one GPU and not of all servers");
    unusual_input_warn(context, "gpu_card_price", own->gpu_card_price,
                       (struct usual_figure){card, least, most},
                       "it is the full price of one GPU, not in thousands and not of a server");
    unusual_input_warn(
        context, "residual_value", own->residual_value,
        (struct usual_figure){own->server_price * ownership_nodes(own), 0.01, 1},
        "it is the amount of money that all servers bring, of which the usual figure "
        "here is the price; the share they keep is annual_value_retention");
}

void break_even_warn(struct request_context *context, const struct break_even_in *in,
                     const struct gpu *gpu, const struct break_even *found)
{
    const struct ownership *own = &in->own;

    warn_unusual(context, in, gpu);
    if (!gpu->datacenter_licensed)
        context_warn(context, "datacenter_licence",
                     "NVIDIA's driver licence does not allow the %s in data centres", gpu->slug);
    warn_prices(context, own, gpu, found);
    if (ownership_is_used(own))
        warn_used(context, own, gpu);
    else if (!context_given(context, "server_price") && !context_given(context, "gpu_card_price") &&
             ownership_new_nodes(own) > 0)
        options_warn_not_sold_new(context, gpu, in->country);
    if (ownership_new_nodes(own) > 0)
        options_warn_export(context, gpu, in->country);
    warn_boards(context, own, gpu);
    if (found->n_crossings > 1)
        context_warn(context, "curves_cross_again",
                     "the curves cross %zu times within %.0f months: see crossings",
                     found->n_crossings, found->search_months);
    break_even_warn_life(context, found, own);
    if (in->plan.kind != WORKLOAD_TRAIN) /* otherwise they are what is billed beyond its hours */
        warn_overheads(context, own);
    warn_storage(context, own, found);
    warn_housing(context, own, gpu);
    warn_in_hand(context, own);
    warn_fitout(context, own, found);
    warn_credits(context, own, found);
    warn_workload(context, in);
    warn_without_effect(context, in);
    warn_switched_off(context, own);
    break_even_warn_large_rent(context, found, own);
    break_even_warn_derived(context, in, found);
}
