#include "estimate/risk/risk.h"

#include "base/random.h"
#include "base/sort.h"
#include "ownership_fixture.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { RENT_PRICE, RENT_DECLINE, RETENTION, ELECTRICITY, UTILIZATION, FAILURES, INPUTS };

static const char *const names[INPUTS] = {"rent_price_per_gpu_hour",
                                          "rent_price_decline_ratio",
                                          "annual_value_retention",
                                          "electricity_price_per_kwh",
                                          "utilization",
                                          "gpu_annual_failure_ratio"};

/* The bands of the catalogue's assumptions around the usual case. */
static const struct risk_triangle usual_triangles[INPUTS] = {
    [RENT_PRICE] = {1.99, 3.93, 5.00}, [RENT_DECLINE] = {0, 0.15, 0.35},
    [RETENTION] = {0.60, 0.72, 0.80},  [ELECTRICITY] = {0.06, 0.12, 0.25},
    [UTILIZATION] = {0.56, 0.7, 0.84}, [FAILURES] = {0.03, 0.09, 0.12},
};

static struct risk_input inputs_of[INPUTS];

static const struct risk_input *inputs(const struct risk_triangle triangles[INPUTS])
{
    for (int i = 0; i < INPUTS; i++)
        inputs_of[i] = (struct risk_input){.field = fields_find(ownership_fields, names[i]),
                                           .triangle = triangles[i]};
    return inputs_of;
}

static double share_below(struct risk_triangle t, double x)
{
    double below = (x - t.low) / (t.middle - t.low), above = (t.high - x) / (t.high - t.middle);

    return x < t.middle ? below * below / 2 : 1 - above * above / 2;
}

static void test_triangle(void)
{
    static const struct risk_triangle shapes[] = {
        {1.99, 3.93, 5}, {0, 0.1, 2}, {-1, 2, 3}, {0.6, 0.7, 0.8}};
    const struct risk_triangle one_sided = {0, 0, 2};

    for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
        double worst = 0;
        for (double unit = 0.001; unit < 1; unit += 0.001)
            worst = fmax(worst,
                         fabs(share_below(shapes[s], risk_triangle_at(&shapes[s], unit)) - unit));
        ok(worst < 1e-12, "triangle %zu: the share below is the one asked for", s);
        is_near(risk_triangle_at(&shapes[s], 0), shapes[s].low, 1e-12, "begins at low");
        is_near(risk_triangle_at(&shapes[s], 1), shapes[s].high, 1e-12, "ends at high");
    }
    ok(risk_triangle_at(&one_sided, 0.4) == 0 && risk_triangle_at(&one_sided, 0.6) > 0,
       "half of the draws stay at an end that is the middle");
    ok(risk_triangle_at(&(struct risk_triangle){0.3, 0.3, 0.3}, 0.77) == 0.3,
       "of no width: that value");
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Numbers with that many distinct values, one in eight of them infinite. */
static void fill(double *numbers, size_t n, uint64_t seed, double kinds)
{
    random_units(numbers, n, seed, 0, 1);
    for (size_t i = 0; i < n; i++)
        numbers[i] = random_bits(seed + 1000, i) % 8 ? floor(numbers[i] * kinds) : (double)INFINITY;
}

static void test_select(void)
{
    enum { N = 200 };
    double numbers[N], sorted[N];
    int wrong = 0;

    for (uint64_t seed = 0; seed < 500; seed++) {
        size_t n = 1 + random_bits(seed, 500) % N, k = random_bits(seed, 501) % n;
        fill(numbers, n, seed, seed % 2 ? 1e9 : 5);
        memcpy(sorted, numbers, sizeof(sorted));
        qsort(sorted, n, sizeof(double), by_size);
        wrong += sort_select(numbers, n, k) != sorted[k] || numbers[k] != sorted[k];
        for (size_t i = 0; i < n; i++)
            wrong += i < k ? numbers[i] > sorted[k] : numbers[i] < sorted[k];
    }
    ok(wrong == 0, "the k-th is where sorting would put it, the lesser before it");
}

/* What is no number comes last, and nothing that is asked goes on for ever. */
static void test_select_any(void)
{
    const double none = (double)NAN, most = (double)INFINITY;
    double mixed[] = {none, 3, -most, none, 1, most, none};
    double nothing[] = {none, none};

    ok(sort_select(mixed, 7, 0) == -most && sort_select(mixed, 7, 1) == 1, "among others");
    ok(sort_select(mixed, 7, 2) == 3 && sort_select(mixed, 7, 3) == most, "infinities too");
    for (size_t k = 4; k < 9; k++)
        ok(isnan(sort_select(mixed, 7, k)), "no number at place %zu", k);
    ok(isnan(sort_select(nothing, 2, 0)) && isnan(sort_select(nothing, 0, 0)), "none at all");
}

/* --- any scenario at all */

static uint64_t dice; /* which scenario, and how many numbers it has used */

static double roll(double from, double to)
{
    double unit;

    random_units(&unit, 1, dice >> 16, dice & 0xffff, 1);
    dice++;
    return from + (to - from) * unit;
}

static bool often(double share)
{
    return roll(0, 1) < share;
}

static const char *one_of(const char *const words[], int n)
{
    return words[(int)roll(0, n)];
}

static void roll_buying(struct ownership *in)
{
    static const char *const financings[] = {"cash", "cash", "loan", "operating_lease",
                                             "finance_lease"};
    static const char *const ends[] = {"return", "buyout"};

    in->gpu_count = floor(roll(1, 5000));
    in->server_price = roll(5e3, 5e5);
    in->node_power_kw = roll(0.5, 15);
    in->pue = roll(1, 2);
    in->electricity_escalation_ratio = often(0.5) ? roll(0, 0.1) : 0;
    in->colocation_price_per_kw_month = often(0.5) ? roll(0, 300) : 0;
    in->inflation = often(0.5) ? roll(0, 0.1) : 0;
    in->gpu_replacement_ratio = often(0.5) ? roll(0, 1) : 0;
    in->staff_fte = roll(0, 3);
    in->carbon_price_per_tonne = often(0.3) ? roll(0, 200) : 0;
    in->grid_carbon_kg_per_kwh = roll(0, 1);
    in->lead_time_months = often(0.5) ? roll(0, 12) : 0;
    in->financing = one_of(financings, 5);
    in->financing_interest_ratio = often(0.5) ? roll(0, 0.2) : (double)NAN;
    in->loan_months = often(0.5) ? floor(roll(0, 120)) : 0;
    in->loan_down_payment_ratio = roll(0, 1);
    in->lease_months = floor(roll(1, 121));
    in->lease_end = one_of(ends, 2);
    in->lease_residual_ratio = roll(0, 0.5);
    in->residual_value =
        often(0.1) && strcmp(in->financing, "cash") == 0 ? roll(0, in->server_price) : (double)NAN;
}

/* Some of the servers later, which cash alone pays for. */
static void roll_second(struct ownership *in)
{
    double nodes = ceil(in->gpu_count / in->gpus_per_node);

    if (nodes < 2 || strcmp(in->financing, "cash") != 0 || often(0.3))
        return;
    in->second_gpu_count = in->gpus_per_node * floor(roll(1, nodes));
    in->second_purchase_month = floor(roll(1, 121));
}

static void roll_renting(struct ownership *in)
{
    static const char *const options[] = {"on_demand", "spot", "reserved_1yr", "reserved_3yr",
                                          "capacity_block"};

    in->purchase_option = one_of(options, 5);
    in->commitment_discount_ratio = often(0.3) ? roll(0, 0.5) : 0;
    in->capacity_reservation_idle_ratio = often(0.3) ? roll(0, 1) : 0;
    in->support_uplift_ratio = often(0.3) ? roll(0, 0.2) : 0;
    in->setup_cost = often(0.3) ? roll(0, 1e5) : 0;
    in->storage_tb = often(0.3) ? roll(0, 1000) : 0;
    in->storage_price_per_gb_month = 0.02;
}

/* In the first months used otherwise. */
static void roll_first_phase(struct ownership *in)
{
    in->first_phase_months = often(0.5) ? roll(0, 120) : 0;
    in->first_phase_utilization = roll(0, 1);
}

static struct ownership roll_scenario(void)
{
    struct ownership in = ownership_usual();

    in.horizon_months = floor(roll(1, 121));
    in.useful_life_months = floor(roll(1, 241));
    in.cost_of_capital = often(0.9) ? roll(0, 0.3) : 0;
    in.tax_rate = often(0.5) ? roll(0, 0.6) : 0;
    in.tax_depreciation = often(0.3) ? roll(0, 1) : 0;
    roll_buying(&in);
    roll_second(&in);
    roll_first_phase(&in);
    roll_renting(&in);
    return in;
}

static struct risk_triangle roll_triangle(double from, double to)
{
    double a = roll(from, to), b = roll(from, to), c = roll(from, to);
    double low = fmin(a, fmin(b, c)), high = fmax(a, fmax(b, c));

    return often(0.1) ? (struct risk_triangle){a, a, a}
                      : (struct risk_triangle){low, a + b + c - low - high, high};
}

static void roll_triangles(struct risk_triangle triangles[INPUTS])
{
    triangles[RENT_PRICE] = roll_triangle(0, 20);
    triangles[RENT_DECLINE] = roll_triangle(0, often(0.1) ? 1 : 0.4);
    triangles[RETENTION] = roll_triangle(0, 1);
    triangles[ELECTRICITY] = roll_triangle(0, 0.5);
    triangles[UTILIZATION] = roll_triangle(0, 1);
    triangles[FAILURES] = roll_triangle(0, 1);
}

/* The first month from which on buying costs no more, by the ledger, month after month. */
static double months_of(const struct ownership *in)
{
    double before = ownership_difference(in, 0);

    if (before <= 0)
        return 0;
    for (int i = 1; i <= (int)break_even_search_months(in); i++) {
        double now = ownership_difference(in, i);
        if (now <= 0)
            return i - 1 + before / (before - now);
        before = now;
    }
    return (double)INFINITY;
}

struct apart {
    double saving, months; /* the most, relative */
    int reached, late;     /* scenarios that reach the break-even month, and after a year */
    int second;            /* with a second purchase by then */
};

static void compare(struct ownership in, const struct risk_trial *trial, struct apart *apart)
{
    struct ledger ledger;

    for (int i = 0; i < INPUTS; i++)
        field_set_number(fields_find(ownership_fields, names[i]), &in, trial->value[i]);
    int horizon = (int)in.horizon_months;
    ownership_ledger(&in, horizon, &ledger);
    double scale = fabs(ledger.buy_total) + fabs(ledger.rent_total);
    double saving = -ownership_difference(&in, horizon), months = months_of(&in);
    apart->saving = fmax(apart->saving, fabs(trial->saving - saving) / scale);
    if (isfinite(months) || isfinite(trial->months))
        apart->months = fmax(apart->months, fabs(trial->months - months) / fmax(1, months));
    apart->reached += isfinite(months) && months > 0;
    apart->late += isfinite(months) && months > 12;
    apart->second += in.second_gpu_count > 0 && in.second_purchase_month <= horizon;
}

static void test_against_the_ledger(void)
{
    struct apart apart = {0, 0, 0, 0, 0};

    for (uint64_t scenario = 0; scenario < 2000; scenario++) {
        struct risk_triangle triangles[INPUTS];
        struct risk_model model;
        struct risk_trial trial;
        dice = scenario << 16;
        struct ownership in = roll_scenario();
        roll_triangles(triangles);
        for (int i = 0; i < INPUTS; i++)
            field_set_number(fields_find(ownership_fields, names[i]), &in, triangles[i].middle);
        risk_model_init(&model, &in, inputs(triangles), INPUTS);
        risk_try(&model, scenario, (size_t)roll(0, 1e6), &trial);
        compare(in, &trial, &apart);
    }
    ok(apart.saving < 1e-9, "2000 scenarios: the saving is the ledger's (%.1e)", apart.saving);
    ok(apart.months < 1e-6, "and so is the break-even month (%.1e)", apart.months);
    ok(apart.reached > 500 && apart.late > 100, "of which %d have one, %d after a year",
       apart.reached, apart.late);
    ok(apart.second > 200, "and %d a second purchase before their horizon", apart.second);
}

/* --- correlation */

/* Spearman's of the values that both take, by their ranks. */
static double rank_correlation(const struct risk_model *model, int a, int b)
{
    enum { N = 4000 };
    static double x[N], y[N], sorted[N];
    double sum = 0;

    for (size_t i = 0; i < N; i++) {
        struct risk_trial trial;
        risk_try(model, 1, i, &trial);
        x[i] = trial.value[a];
        y[i] = trial.value[b];
    }
    for (int which = 0; which < 2; which++) {
        double *of = which ? y : x;
        memcpy(sorted, of, sizeof(sorted));
        qsort(sorted, N, sizeof(sorted[0]), by_size);
        for (size_t i = 0; i < N; i++) {
            const double *place = bsearch(&of[i], sorted, N, sizeof(sorted[0]), by_size);
            of[i] = (double)(place - sorted);
        }
    }
    for (size_t i = 0; i < N; i++)
        sum += (x[i] - (N - 1) / 2.0) * (y[i] - (N - 1) / 2.0);
    return sum / N * 12 / (N * (double)N - 1);
}

static void test_correlation(void)
{
    struct ownership in = ownership_usual();
    struct risk_model model;

    risk_model_init(&model, &in, inputs(usual_triangles), INPUTS);
    is_near(rank_correlation(&model, RENT_DECLINE, RETENTION), 0, 0.07, "apart");
    model.leading = RENT_DECLINE;
    model.following = RETENTION;
    for (double share = 0.25; share <= 1; share += 0.25) {
        model.correlation = share;
        is_near(rank_correlation(&model, RENT_DECLINE, RETENTION), -share, 0.07,
                "the rank correlation is the share, negative");
    }
    is_near(rank_correlation(&model, RENT_PRICE, RETENTION), 0, 0.07, "of no other input");
}

/* --- many draws */

static void simulate(const struct ownership *in, const struct risk_triangle triangles[INPUTS],
                     size_t draws, const struct parallel *parallel, struct risk *out)
{
    struct arena arena = {0};
    struct risk_model model;

    risk_model_init(&model, in, inputs(triangles), INPUTS);
    risk_simulate(&model, 1, draws, parallel, &arena, out);
    arena_free(&arena);
}

static void each_backwards(void *pool, const struct cancel *cancel, size_t n, piece_fn work,
                           void *context)
{
    (void)pool;
    (void)cancel;
    while (n-- > 0)
        work(context, n);
}

static void test_pinned(void)
{
    const struct parallel backwards = {each_backwards, NULL, NULL};
    struct ownership in = ownership_usual();
    struct risk risk, again;

    simulate(&in, usual_triangles, 20000, NULL, &risk);
    is_near(risk.probability_buy, 0.02415, 1e-12, "probability");
    is_near(risk.mean_saving, -235237.50474305655, 1e-9, "mean saving");
    is_near(risk.saving[RISK_P05], -431332.55627387587, 1e-9, "5th percentile");
    is_near(risk.saving[RISK_P50], -235743.73239074729, 1e-9, "median");
    is_near(risk.saving[RISK_P95], -37356.514816158277, 1e-9, "95th percentile");
    is_near(risk.regret_of_renting, 923.69271483055616, 1e-9, "regret of renting");
    is_near(risk.variance_share[RENT_PRICE], 0.57849649445370666, 1e-9, "share of the rent price");
    ok(isinf(risk.months[RISK_P50]), "half of the draws never break even");
    simulate(&in, usual_triangles, 20000, &backwards, &again);
    ok(memcmp(&risk, &again, sizeof(risk)) == 0, "the same whoever does which block when");
}

static void test_collapsed(void)
{
    struct ownership in = ownership_usual();
    struct risk_triangle triangles[INPUTS];
    struct risk risk;

    in.rent_price_decline_ratio = 0;
    for (int i = 0; i < INPUTS; i++) {
        double value = field_number(fields_find(ownership_fields, names[i]), &in);
        triangles[i] = (struct risk_triangle){value, value, value};
    }
    simulate(&in, triangles, 1000, NULL, &risk);
    ok(risk.probability_buy == 0, "renting is cheaper, always");
    is_near(risk.saving[RISK_P05], -ownership_difference(&in, 36), 1e-9, "by what the ledger says");
    ok(risk.saving[RISK_P05] == risk.saving[RISK_P95], "always by the same");
    is_near(risk.months[RISK_P95], 49.0592434, 1e-7, "and the month is that of the ledger");
    ok(risk.probability_reached == 1 && risk.regret_of_renting == 0, "reached, nothing to regret");
    is_near(risk.regret_of_buying, -risk.mean_saving, 1e-12, "but by who buys");
    ok(isnan(risk.variance_share[RENT_PRICE]), "nothing varies");
    ok(risk.n_classes == 1 && risk.classes[0].share_up_to == 1, "one class");
    in.rent_price_per_gpu_hour = triangles[0].low = triangles[0].middle = triangles[0].high = 8;
    simulate(&in, triangles, 1000, NULL, &risk);
    ok(risk.probability_buy == 1, "at a high rent buying is");
}

/* For each half, its mean square from the middle is (end - middle)^2 / 6, its mean a third of it.
 */
static double variance_of(struct risk_triangle t)
{
    double below = t.middle - t.low, above = t.high - t.middle, off = (above - below) / 6;

    return (below * below + above * above) / 12 - off * off;
}

/* Rent and electricity prices add up: each one's share is its own variance over that of both. */
static void test_shares(void)
{
    struct ownership in = ownership_usual();
    struct risk_triangle triangles[INPUTS];
    struct risk risk;

    memcpy(triangles, usual_triangles, sizeof(triangles));
    for (int i = 0; i < INPUTS; i++)
        if (i != RENT_PRICE && i != ELECTRICITY)
            triangles[i].low = triangles[i].high = triangles[i].middle;
    triangles[ELECTRICITY] = (struct risk_triangle){0, 0.4, 1.5};
    double start = ownership_difference(&in, 36);
    in.rent_price_per_gpu_hour += 1;
    double per_rent = ownership_difference(&in, 36) - start;
    in.rent_price_per_gpu_hour -= 1;
    in.electricity_price_per_kwh += 1;
    double per_kwh = ownership_difference(&in, 36) - start;
    double rent = per_rent * per_rent * variance_of(triangles[RENT_PRICE]);
    double kwh = per_kwh * per_kwh * variance_of(triangles[ELECTRICITY]);
    simulate(&in, triangles, 50000, NULL, &risk);
    is_near(risk.variance_share[RENT_PRICE], rent / (rent + kwh), 0.01, "of the rent price");
    is_near(risk.variance_share[ELECTRICITY], kwh / (rent + kwh), 0.01, "of electricity");
    ok(rent / (rent + kwh) > 0.2 && kwh / (rent + kwh) > 0.2, "neither is next to nothing");
    ok(risk.variance_share[RETENTION] == 0, "what is not drawn has none");
}

/* A hundred draws or so are few, but chance is taken off the shares. */
static void test_few_draws(void)
{
    struct ownership in = ownership_usual();
    struct risk risk;
    double sum = 0;

    simulate(&in, usual_triangles, 100, NULL, &risk);
    for (int i = 0; i < INPUTS; i++)
        sum += risk.variance_share[i];
    ok(sum > 0.5 && sum < 2, "the shares of 100 draws come to %.2f", sum);
    ok(risk.saving[RISK_P05] < risk.saving[RISK_P50] &&
           risk.saving[RISK_P50] < risk.saving[RISK_P95],
       "percentiles in order");
}

static void test_classes(void)
{
    struct ownership in = ownership_usual();
    struct risk risk;
    double share = 0, mean = 0;

    simulate(&in, usual_triangles, 20000, NULL, &risk);
    for (size_t c = 0; c < risk.n_classes; c++) {
        share += risk.classes[c].share;
        mean += risk.classes[c].share * (risk.classes[c].from + risk.classes[c].to) / 2;
        ok(fabs(risk.classes[c].share_up_to - share) < 1e-9, "class %zu counts up", c);
    }
    is_near(share, 1, 1e-12, "every draw is in a class");
    double width = risk.classes[0].to - risk.classes[0].from;
    ok(fabs(mean - risk.mean_saving) < width, "and their middle is the mean");
}

int main(void)
{
    test_triangle();
    test_select();
    test_select_any();
    test_against_the_ledger();
    test_correlation();
    test_pinned();
    test_collapsed();
    test_shares();
    test_few_draws();
    test_classes();
    return tap_done();
}
