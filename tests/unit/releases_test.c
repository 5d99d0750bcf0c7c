/* Releases of GPU generations: closed forms of the mean, the ledger with one, and draws of them. */
#include "estimate/ownership/releases.h"
#include "estimate/risk/risk.h"

#include "ownership_fixture.h"
#include "tap.h"

#include <stdlib.h>

enum { INTERVAL = 20 };

static struct ownership released(int month, double drop)
{
    struct ownership in = ownership_usual();

    in.gpu_release_month = month;
    in.gpu_release_drop_ratio = drop;
    in.gpu_release_interval_months = INTERVAL;
    return in;
}

/* In whichever month the first comes, prices are on average what they are without. */
static void test_mean(void)
{
    double worst = 0;

    for (int months = 0; months <= 120; months++) {
        double sum = 0;
        for (int first = 1; first <= INTERVAL; first++) {
            struct ownership in = released(first, 0.25);
            sum += (double)releases_factor(&in, months);
        }
        worst = fmax(worst, fabs(sum / INTERVAL - 1));
    }
    ok(worst < 1e-12,
       "the mean of a price over all months of the first release is the one without");
}

static void test_step(void)
{
    struct ownership in = released(12, 0.25), none = released(0, 0.25), free = released(12, 0);

    is_near((double)releases_factor(&in, 0), 1, 0, "nothing has changed at the start");
    is_near((double)releases_factor(&in, 11), 1 / (1 - 0.25 * 11 / INTERVAL), 1e-15,
            "before the release prices fall by less");
    is_near((double)releases_factor(&in, 12), 0.75 / (1 - 0.25 * 12 / INTERVAL), 1e-15,
            "at it by the step");
    is_near((double)releases_factor(&in, 32), 0.75 * 0.75 / (0.75 * (1 - 0.25 * 12 / INTERVAL)),
            1e-15, "and again an interval later");
    ok(releases_factor(&none, 30) == 1 && releases_factor(&free, 30) == 1,
       "no release or no step changes nothing");
}

/* Rent of month j is that of j - 1 months; a reserved one stays for its term. */
static void test_ledger(void)
{
    struct ownership in = released(12, 0.25), fixed;
    struct ledger ledger;
    double rent = 0, month = 8 * 730 * in.utilization * in.rent_price_per_gpu_hour;

    in.rent_price_decline_ratio = 0;
    for (int j = 1; j <= 36; j++)
        rent += month * (double)releases_factor(&in, j - 1);
    ownership_ledger(&in, 36, &ledger);
    is_near(ownership_line_amount(&ledger, "rent", "gpu_rental"), rent, 0.0051, "rents follow it");
    is_near(ownership_line_amount(&ledger, "buy", "residual_value"),
            -300000 * pow(in.annual_value_retention, 3) * in.resale_condition_factor *
                (1 - in.resale_fee_ratio) * (double)releases_factor(&in, 36),
            0.0051, "and so does what used servers bring");
    fixed = in;
    fixed.purchase_option = "reserved_3yr";
    ownership_ledger(&fixed, 36, &ledger);
    is_near(ownership_line_amount(&ledger, "rent", "gpu_rental"),
            8 * 730 * 36 * in.rent_price_per_gpu_hour, 0.0051, "a price for three years does not");
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The months of a first release are equally likely: the draws' distribution is known exactly. */
static void test_draws(void)
{
    enum { DRAWS = 20000 };
    double months[INTERVAL], saving[INTERVAL], mean = 0, share_buy = 0;
    struct ownership base = released(0, 0.25);
    struct risk_input inputs[2] = {
        {.field = fields_find(ownership_fields, "gpu_release_month")},
        {.field = fields_find(ownership_fields, "gpu_release_drop_ratio"),
         .triangle = {0.1, 0.25, 0.4}}};
    struct risk_model model;
    struct arena arena = {0};
    struct risk *out = malloc(sizeof(*out));

    for (int i = 0; i < INTERVAL; i++) {
        struct ownership in = released(i + 1, 0.25);
        months[i] = i + 1;
        saving[i] = -ownership_difference(&in, 36);
        mean += saving[i] / INTERVAL;
        share_buy += (saving[i] >= 0) / (double)INTERVAL;
    }
    qsort(saving, INTERVAL, sizeof(saving[0]), by_size);
    inputs[0].values = months;
    inputs[0].n_values = INTERVAL;
    risk_model_init(&model, &base, inputs, 1);
    risk_simulate(&model, 7, DRAWS, NULL, &arena, out);
    double error = 4 * (saving[INTERVAL - 1] - saving[0]) / sqrt(DRAWS);
    is_near(mean, -ownership_difference(&base, 36), 0.01,
            "the mean saving is that without releases");
    is_near(out->mean_saving, mean, error, "the draws' mean is that of the closed form");
    is_near(out->probability_buy, share_buy, 0.02, "and so is the probability");
    is_near(out->saving[RISK_P05], (saving[0] + saving[1]) / 2, saving[1] - saving[0] + 1,
            "and the fifth percentile is between the two lowest of twenty");
    is_near(out->saving[RISK_P95], (saving[18] + saving[19]) / 2, saving[19] - saving[18] + 1,
            "and the 95th between the two highest");
    risk_model_init(&model, &base, inputs, 2);
    ok(model.drawn[0] && model.drawn[1],
       "the size of a step is drawn, which matters with one only");
    arena_free(&arena);
    free(out);
}

int main(void)
{
    test_mean();
    test_step();
    test_ledger();
    test_draws();
    return tap_done();
}
