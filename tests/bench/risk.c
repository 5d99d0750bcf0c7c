/* risk/risk.c - how fast buy or rent is drawn a thousand to a million times, on one core: where
 * renting nearly always wins, and where every other draw breaks even. */
#include "estimate/risk/risk.h"

#include "ownership_fixture.h"
#include "timing.h"

enum { INPUTS = 6 };

static void time_draws(const char *what, const struct ownership *in, struct risk_triangle rent,
                       struct risk_triangle decline, size_t draws)
{
    const struct {
        const char *name;
        struct risk_triangle triangle;
    } drawn[INPUTS] = {
        {"rent_price_per_gpu_hour", rent},
        {"rent_price_decline_ratio", decline},
        {"annual_value_retention", {0.60, 0.72, 0.80}},
        {"electricity_price_per_kwh", {0.06, 0.12, 0.25}},
        {"utilization", {0.56, 0.7, 0.84}},
        {"gpu_annual_failure_ratio", {0.03, 0.09, 0.12}},
    };
    struct risk_input inputs[INPUTS];
    double runs[RUNS];

    for (int i = 0; i < INPUTS; i++)
        inputs[i] = (struct risk_input){.field = fields_find(ownership_fields, drawn[i].name),
                                        .triangle = drawn[i].triangle};
    for (int i = 0; i < RUNS; i++) {
        struct arena arena = {0};
        struct risk_model model;
        struct risk risk;
        double start = seconds_now();
        risk_model_init(&model, in, inputs, INPUTS);
        risk_simulate(&model, 1, draws, NULL, &arena, &risk);
        runs[i] = seconds_now() - start;
        arena_free(&arena);
    }
    print_runs(what, runs, (double)draws, "draws");
}

int main(void)
{
    struct ownership in = ownership_usual();

    for (size_t draws = 1000; draws <= 1000000; draws *= 10)
        time_draws("8 H100, life 60 months, rent 1.99 to 5", &in,
                   (struct risk_triangle){1.99, 3.93, 5}, (struct risk_triangle){0, 0.15, 0.35},
                   draws);
    in.useful_life_months = 120;
    for (size_t draws = 1000; draws <= 1000000; draws *= 10)
        time_draws("the same, life 120 months, rent 3.50 to 7", &in,
                   (struct risk_triangle){3.5, 5, 7}, (struct risk_triangle){0, 0.05, 0.15}, draws);
    return 0;
}
