/* plan_extras.c - costs of /v1/training-plan besides GPU-hours, and the electricity of those
 * hours. */
#include "api/training/plan_extras.h"

#include "base/units.h"
#include "api/options/country.h"
#include "api/options/rent_charges.h"
#include "api/training/plan.h"

#include <math.h>
#include <string.h>

static const double DAYS_PER_MONTH = DAYS_PER_YEAR / MONTHS_PER_YEAR, DAYS = 1000;

/* Spot failures per 1000 days of an instance. */
static double spot_failures(const struct training_question *question)
{
    return question->in->spot_interruptions_per_instance_month / DAYS_PER_MONTH * DAYS;
}

/* A server's power is that of the reference server, scaled by its GPUs' power limits. */
static double kwh_per_gpu_hour(const struct training_question *question)
{
    const double reference_gpus = 8;
    const struct catalog *catalog = question->context->catalog;
    const struct training_plan_in *in = question->in;
    double reference_kw = catalog_default(catalog, "node_power_kw", "");
    double reference_tdp_w = catalog_default(catalog, "gpu_tdp_w", "h100");

    return reference_kw / reference_gpus * question->job.power / reference_tdp_w *
           in->power_load_ratio * in->pue;
}

static void fill(struct training_question *question, const char *name, double value,
                 const char *reference)
{
    if (!context_given(question->context, name))
        context_set_number(question->context, name, value, SOURCE_DEFAULT, reference);
}

/* By the providers that rent out this GPU on demand: one price for all plans, however many GPUs
 * they have, how these are rented and how much is stored. */
static void fill_charges(struct training_question *question)
{
    struct request_context *context = question->context;
    const struct training_plan_in *in = question->in;
    struct training_extras *extras = &question->goal.extras;
    struct price *price = arena_alloc(context->arena, sizeof(*price));
    const struct price_query query = {.gpu = question->gpu,
                                      .purchase_option = "on_demand",
                                      .provider = in->provider,
                                      .region = in->region,
                                      .as_of = context->as_of};

    *price = price_match(price_book(context->catalog, &query, context->arena), 1, 1);
    const struct rent_charges rent = {.price = price->n_offers ? price : NULL,
                                      .provider = in->provider,
                                      .egress_gb = extras->egress_gb};
    rent_charges_fill(context, &rent, "training");
    extras->egress_price_per_gb = in->egress_price_per_gb;
    extras->storage_price_per_gb_month = in->storage_price_per_gb_month;
}

bool training_question_set_extras(struct training_question *question, struct err *err)
{
    const struct training_plan_in *in = question->in;
    const struct catalog *catalog = question->context->catalog;
    bool spot = strcmp(in->purchase_option, "spot") == 0;
    bool owned = strcmp(in->purchase_option, "owned") == 0;
    bool pretrain = question->job.method == TRAINING_PRETRAIN;
    struct training_extras *extras = &question->goal.extras;

    fill(question, "experiment_ratio",
         catalog_default(catalog, "experiment_ratio", pretrain ? "" : "finetune"),
         "/v1/assumptions?key=experiment_ratio");
    *extras = (struct training_extras){
        .rates = &question->failure_rates,
        .spot = {.failures = spot ? spot_failures(question) : 0,
                 .checkpoint_seconds = in->checkpoint_seconds,
                 .restart_seconds = in->restart_seconds},
        .gpus_per_instance = question->job.gpus_per_node,
        .experiment_ratio = in->experiment_ratio,
        .repeated_run_ratio = in->repeated_run_ratio,
        .setup_given_seconds = in->setup_seconds,
        .start_seconds = catalog_default(catalog, "setup_seconds", owned ? "owned" : ""),
        .download_rate = owned ? 0 : catalog_default(catalog, "weights_download_rate", ""),
        .checkpoints_kept = in->checkpoints_kept,
        .dataset_bytes_per_token = in->dataset_bytes_per_token,
        .egress_given_gb = in->egress_gb,
        .staff_fte = in->training_staff_fte,
        .staff_cost_per_fte_year = in->staff_cost_per_fte_year,
        .credits = owned ? 0 : in->cloud_credits,
        .credits_months = in->cloud_credits_months,
        .kwh_per_gpu_hour = kwh_per_gpu_hour(question),
    };
    training_extras_size(extras, &question->job);
    fill(question, "egress_gb", extras->egress_gb, NULL);
    fill(question, "setup_seconds", extras->setup_seconds, "/v1/assumptions?key=setup_seconds");
    fill_charges(question);
    return country_fill_carbon(question->context, in->country, err);
}

double training_question_interruptions(const struct training_question *question)
{
    struct goodput_run run = training_spot_run(&question->goal.extras, question->plan.on.gpu_count);

    return run.failures > 0 ? run.failures / DAYS * run.gpu_count * question->totals.days
                            : (double)NAN;
}

struct training_goal training_question_on_spot(const struct training_question *question,
                                               const struct price_book *book)
{
    struct training_goal goal = question->goal;

    goal.book = goal.billing = book;
    goal.extras.spot.failures = spot_failures(question);
    return goal;
}
