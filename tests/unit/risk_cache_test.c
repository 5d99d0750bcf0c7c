#include "api/analysis/risk_cache.h"

#include "ownership_fixture.h"
#include "tap.h"

#include <string.h>

static size_t simulations;

static void each_counted(void *pool, const struct cancel *cancel, size_t n, piece_fn work,
                         void *context)
{
    (void)pool;
    (void)cancel;
    simulations++;
    for (size_t i = 0; i < n; i++)
        work(context, i);
}

static double prices[] = {1.99, 3.93, 5};

/* Whether the usual case, with one input and one band changed, had to be simulated. */
static bool is_simulated(struct recent *cache, const char *changed, double to, uint64_t seed,
                         double more_failures)
{
    const struct parallel counted = {.each = each_counted};
    struct ownership in = ownership_usual();
    struct risk_input inputs[] = {
        {.field = fields_find(ownership_fields, "rent_price_decline_ratio"),
         .triangle = {0, 0.15, 0.35}},
        {.field = fields_find(ownership_fields, "gpu_annual_failure_ratio"),
         .triangle = {0.03, 0.09, 0.12 + more_failures}},
        {.field = fields_find(ownership_fields, "rent_price_per_gpu_hour"),
         .values = prices,
         .n_values = 3},
    };
    struct risk_model model;
    struct arena arena = {0};
    struct risk kept, anew;

    if (changed)
        field_set_number(fields_find(ownership_fields, changed), &in, to);
    risk_model_init(&model, &in, inputs, sizeof(inputs) / sizeof(inputs[0]));
    simulations = 0;
    risk_cache_simulate(cache, &model, seed, 500, &counted, &arena, &kept);
    risk_simulate(&model, seed, 500, NULL, &arena, &anew);
    arena_free(&arena);
    ok(memcmp(&kept, &anew, sizeof(kept)) == 0, "%s: as simulated anew",
       changed ? changed : "the usual case");
    return simulations > 0;
}

static void test_cache(void)
{
    struct recents *all = recent_new(2, RISK_CACHE_ENTRIES);
    struct recent *cache = recent_of(all, 1);

    ok(is_simulated(cache, NULL, 0, 1, 0), "the first time");
    ok(!is_simulated(cache, NULL, 0, 1, 0), "not the second time");
    ok(is_simulated(cache, NULL, 0, 2, 0), "with another seed");
    ok(is_simulated(cache, NULL, 0, 1, 0.01), "with another band");
    prices[1] = 4;
    ok(is_simulated(cache, NULL, 0, 1, 0), "with another price in the same place");
    ok(is_simulated(recent_of(all, 0), NULL, 0, 1, 0), "by another thread");
    for (size_t i = 0; i < ownership_fields.n; i++) {
        const struct field *field = &ownership_fields.at[i];
        if (!field_is_text(field) && strcmp(field->name, "horizon_months") != 0)
            ok(is_simulated(cache, field->name, 1.5, 1, 0), "with another %s", field->name);
    }
    ok(is_simulated(cache, NULL, 0, 1, 0), "after more than it keeps");
    ok(!is_simulated(cache, NULL, 0, 1, 0), "not again after that");
    ok(is_simulated(NULL, NULL, 0, 1, 0), "without a cache");
    recent_free(all);
    recent_free(NULL);
}

int main(void)
{
    test_cache();
    return tap_done();
}
