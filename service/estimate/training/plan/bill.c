#include "estimate/training/plan/bill.h"

#include "base/cents.h"
#include "base/units.h"
#include "estimate/figures/range.h"
#include "estimate/ownership/ownership.h"

#include <math.h>

double training_price(const struct training_goal *goal, double gpu_count)
{
    return goal->book ? price_match_per_gpu_hour(goal->book, gpu_count, gpu_count)
                      : goal->price_per_gpu_hour;
}

void training_price_ends(const struct training_goal *goal, double gpu_count, double *low,
                         double *high)
{
    double price = goal->price_per_gpu_hour;

    if (goal->book) {
        struct price found = price_match(goal->book, gpu_count, gpu_count);
        *low = found.band_low;
        *high = found.band_high;
        return;
    }
    *low = goal->price_low_ratio > 0 ? price * goal->price_low_ratio : price;
    *high = goal->price_high_ratio > 0 ? price * goal->price_high_ratio : price;
}

struct goodput_run training_spot_run(const struct training_extras *extras, double gpu_count)
{
    struct goodput_run run = extras->spot;

    run.gpu_count = gpu_count;
    if (run.failures > 0) /* given per instance */
        run.failures *= ceil(gpu_count / extras->gpus_per_instance) / gpu_count;
    return run;
}

double training_interruption_ratio(const struct training_extras *extras, double gpu_count)
{
    struct goodput_run run = training_spot_run(extras, gpu_count);

    return run.failures > 0 ? 1 / goodput_of(extras->rates, &run).share - 1 : 0;
}

double training_hours_ratio(const struct training_extras *extras)
{
    return 1 + extras->experiment_ratio + extras->repeated_run_ratio;
}

/* Each machine fetches the published 16-bit weights of a model that is fine-tuned. */
static double setup_seconds(const struct training_extras *extras, const struct training_job *job)
{
    const double published_bytes = 2;
    double weights =
        job->method == TRAINING_PRETRAIN ? 0 : published_bytes * job->shape.params_total;

    if (!isnan(extras->setup_given_seconds))
        return extras->setup_given_seconds;
    return extras->start_seconds +
           (extras->download_rate > 0 ? weights / extras->download_rate : 0);
}

void training_extras_size(struct training_extras *extras, const struct training_job *job)
{
    double checkpoint = goodput_checkpoint_bytes(job);
    double trained = training_adapters(job->method) ? job->trainable_ratio : 1;
    double weights = trained * job->shape.params_total * training_job_bytes(job).weight;

    extras->setup_seconds = setup_seconds(extras, job);
    extras->spot.checkpoint_bytes = checkpoint;
    extras->checkpoint_gb = extras->checkpoints_kept * checkpoint / GIGA;
    extras->egress_gb = isnan(extras->egress_given_gb) ? weights / GIGA : extras->egress_given_gb;
}

struct training_other training_other(const struct training_goal *goal, double days)
{
    const struct training_extras *extras = &goal->extras;
    double months = days * HOURS_PER_DAY / HOURS_PER_MONTH;
    double stored_gb =
        extras->checkpoint_gb + goal->tokens * extras->dataset_bytes_per_token / GIGA;
    struct training_other other = {
        .storage_gb_months = stored_gb * months,
        .egress_gb = extras->egress_gb,
        .staff_fte_months = extras->staff_fte * months,
    };

    other.storage = cents_round(other.storage_gb_months * extras->storage_price_per_gb_month);
    other.egress = cents_round(other.egress_gb * extras->egress_price_per_gb);
    other.staff =
        cents_round(other.staff_fte_months * (extras->staff_cost_per_fte_year / MONTHS_PER_YEAR));
    return other;
}

double training_other_cost(const struct training_goal *goal, double days)
{
    struct training_other other = training_other(goal, days);

    return other.storage + other.egress + other.staff;
}

double training_unused_rent(const struct training_goal *goal, double gpu_count, double gpu_hours)
{
    double hours = price_match_unused_hours(goal->billing, gpu_count, gpu_hours, !goal->book);

    return hours > 0 ? hours * training_price(goal, gpu_count) : 0;
}

double training_unused(const struct training_goal *goal, double gpu_count, double gpu_hours)
{
    return training_unused_rent(goal, gpu_count, gpu_hours * training_hours_ratio(&goal->extras));
}

double training_billed_ratio(const struct training_goal *goal, double gpu_count, double gpu_hours)
{
    double hours = gpu_hours * training_hours_ratio(&goal->extras);

    return 1 + price_match_unused_hours(goal->billing, gpu_count, hours, !goal->book) / hours;
}

double training_credits(const struct training_extras *extras, double rent, double days)
{
    double months = days * HOURS_PER_DAY / HOURS_PER_MONTH;
    bool expire = extras->credits_months > 0 && months > extras->credits_months;
    double billed_in_time = expire ? rent * extras->credits_months / months : rent;

    if (extras->credits == 0)
        return 0;
    return isnan(rent) ? rent : fmin(extras->credits, billed_in_time);
}

double training_bill_cost(const struct training_goal *goal, double gpu_count,
                          const struct training_totals *totals)
{
    double rent =
        totals->gpu_hours * training_hours_ratio(&goal->extras) * training_price(goal, gpu_count) +
        training_unused(goal, gpu_count, totals->gpu_hours);

    return rent - training_credits(&goal->extras, rent, totals->days) +
           training_other_cost(goal, totals->days);
}

struct training_bill_ends training_bill_ends(const struct training_goal *goal, double gpu_count,
                                             const struct training_totals *totals)
{
    double price = training_price(goal, gpu_count), cheapest, dearest;
    double rent = totals->gpu_hours * training_hours_ratio(&goal->extras) * price;

    training_price_ends(goal, gpu_count, &cheapest, &dearest);
    double less = price > 0 ? cheapest / price : 1, more = price > 0 ? dearest / price : 1;
    double low = rent * range_joined(totals->gpu_hours_low / totals->gpu_hours, less, -1) +
                 training_unused(goal, gpu_count, totals->gpu_hours_low) * less;
    double high = rent * range_joined(totals->gpu_hours_high / totals->gpu_hours, more, 1) +
                  training_unused(goal, gpu_count, totals->gpu_hours_high) * more;
    cheapest = dearest = (double)NAN;
    if (price_match_bills(goal->book, gpu_count,
                          totals->gpu_hours * training_hours_ratio(&goal->extras), &cheapest,
                          &dearest)) {
        low = fmin(low, cheapest);
        high = fmax(high, dearest);
    }
    struct training_bill_ends ends = {
        .low_bill = low,
        .high_bill = high,
        .low_credits = training_credits(&goal->extras, low, totals->days_low),
        .high_credits = training_credits(&goal->extras, high, totals->days_high),
    };
    ends.low = low - ends.low_credits + training_other_cost(goal, totals->days_low);
    ends.high = high - ends.high_credits + training_other_cost(goal, totals->days_high);
    return ends;
}

double training_energy_kwh(const struct training_extras *extras, double gpu_hours)
{
    return gpu_hours * training_hours_ratio(extras) * extras->kwh_per_gpu_hour;
}
