#include "estimate/ownership/ownership.h"
#include "ownership_fixture.h"
#include "tap.h"

#include <stdlib.h>

static struct gpu gpus[] = {{.slug = "card", .form_factor = "PCIe"},
                            {.slug = "dark", .form_factor = "PCIe"},
                            {.slug = "server-gpu", .form_factor = "PCIe"}};

static struct hardware hardware[] = {
    {.id = "a",
     .kind = "card",
     .gpu = &gpus[0],
     .gpu_count = 1,
     .price = 1600,
     .price_per_gpu = 1600,
     .currency = "USD",
     .observed = 20260801,
     .usable = true},
    {.id = "b",
     .kind = "server",
     .gpu = &gpus[2],
     .gpu_count = 8,
     .price = 320000,
     .price_per_gpu = 40000,
     .currency = "USD",
     .observed = 20260801,
     .usable = true},
    {.id = "c",
     .kind = "card",
     .gpu = &gpus[2],
     .gpu_count = 1,
     .price = 30000,
     .price_per_gpu = 30000,
     .currency = "USD",
     .observed = 20260801,
     .usable = true},
};

static struct assumption assumptions[200];
static struct catalog catalog;

static int compare(const void *a, const void *b)
{
    const struct assumption *x = a, *y = b;
    int order = strcmp(x->key, y->key);

    return order ? order : strcmp(x->scope, y->scope);
}

static void assume(const char *key, const char *scope, double value)
{
    assumptions[catalog.n_assumptions++] =
        (struct assumption){.key = key, .scope = scope, .value = value};
}

/* Every default the ledger takes from the catalogue is 0.5, but for those named; what follows from
 * housing costs that of the small installation. */
static void make_catalog(void)
{
    gpus[0].tdp = 450;
    gpus[1].tdp = (double)NAN;
    gpus[2].tdp = 700;
    catalog = (struct catalog){.gpus = gpus,
                               .n_gpus = 3,
                               .hardware = hardware,
                               .n_hardware = 3,
                               .assumptions = assumptions};
    assume("housing_desk_gpu_max", "", 4);
    assume("housing_own_room_gpu_max", "", 16);
    for (size_t i = 0; ownership_housing_input(i); i++)
        assume(ownership_housing_input(i), "", 0.5);
    for (size_t i = 0; i < ownership_fields.n; i++)
        if (strcmp(ownership_fields.at[i].fallback, "@assumption") == 0)
            assume(ownership_fields.at[i].name, "",
                   strcmp(ownership_fields.at[i].name, "host_share") == 0 ? 0.2 : 0.5);
    assume("node_power_kw", "", 10.2);
    assume("gpu_tdp_w", "h100", 700);
    assume("spot_overhead_ratio", "", 0.1);
    assume("rental_overhead_ratio", "", 0.15);
    qsort(assumptions, catalog.n_assumptions, sizeof(assumptions[0]), compare);
}

static struct ownership asked(double gpu_count)
{
    struct ownership in;

    ownership_init(&in, &catalog);
    in.gpu_count = gpu_count;
    in.utilization = 0.5;
    return in;
}

static void test_defaults(void)
{
    struct ownership in;

    ownership_init(&in, &catalog);
    is_near(in.gpu_count, 8, 0, "a node of eight");
    is_near(in.horizon_months, 36, 0, "three years");
    is_str(in.purchase_option, "on_demand", "rented on demand");
    is_str(in.financing, "cash", "bought with cash");
    is_near(in.storage_cost, 0.5, 0, "from the catalogue");
    is_near(in.support_uplift_ratio, 0, 0, "itemised overheads start at nothing");
    ok(isnan(in.utilization) && isnan(in.server_price) && isnan(in.residual_value),
       "what nobody said is unknown");
}

static void test_prices(void)
{
    struct err err = {0};
    struct ownership in = asked(8);

    ok(ownership_complete(&in, &catalog, &gpus[2], 20261120, &err), "a server the catalogue knows");
    is_near(in.server_price, 320000, 1e-12, "costs what it says");
    is_near(in.gpu_card_price, 30000, 1e-12, "and so does its card");
    in = asked(8);
    in.gpu_card_price = 20000;
    ok(ownership_complete(&in, &catalog, &gpus[2], 20261120, &err), "a card price of the caller");
    is_near(in.server_price, 200000, 1e-12, "makes the server's: 8 x 20000 / 0.8");
    in = asked(4);
    ok(ownership_complete(&in, &catalog, &gpus[2], 20261120, &err), "half a server");
    is_near(in.gpus_per_node, 4, 0, "is a node of four");
    is_near(in.server_price, 150000, 1e-12, "made of cards and host");
    in = asked(8);
    in.server_price = 7;
    ok(ownership_complete(&in, &catalog, &gpus[0], 20261120, &err), "a server price of the caller");
    is_near(in.server_price, 7, 0, "stays");
    in = asked(8);
    in.node_power_kw = 3;
    ok(ownership_complete(&in, &catalog, &gpus[1], 20261120, &err), "a GPU without any price");
    ok(isnan(in.server_price) && isnan(in.gpu_card_price), "leaves the price unknown");
}

static void test_power(void)
{
    struct err err = {0};
    struct ownership in = asked(8);

    ok(ownership_complete(&in, &catalog, &gpus[2], 20261120, &err), "700 W GPUs");
    is_near(in.node_power_kw, 10.2, 1e-12, "make the reference server");
    in = asked(2);
    ok(ownership_complete(&in, &catalog, &gpus[0], 20261120, &err), "two of 450 W");
    is_near(in.node_power_kw, 10.2 * 2 * 450 / 5600, 1e-12, "in proportion");
    in = asked(8);
    ok(ownership_complete(&in, &catalog, &gpus[1], 20261120, &err) && isnan(in.node_power_kw),
       "rent alone needs no power");
    in = asked(8);
    in.server_price = 100000;
    ok(!ownership_complete(&in, &catalog, &gpus[1], 20261120, &err), "no power limit known");
    is_str(err.culprits[0].field, "node_power_kw", "is asked for");
    in = asked(8);
    in.gpu_tdp_w = 350;
    ok(ownership_complete(&in, &catalog, &gpus[1], 20261120, &err), "a power limit given");
    is_near(in.node_power_kw, 5.1, 1e-12, "is enough");
}

static void test_utilization(void)
{
    struct err err = {0};
    struct ownership in = asked(8);

    in.utilization = (double)NAN;
    in.gpu_hours_per_month = 2920;
    ok(ownership_complete(&in, &catalog, &gpus[2], 20261120, &err), "work instead of utilization");
    is_near(in.utilization, 0.5, 1e-12, "2920 of 5840 GPU-hours");
    in = asked(8);
    in.utilization = (double)NAN;
    in.gpu_hours_per_month = 6000;
    ok(!ownership_complete(&in, &catalog, &gpus[2], 20261120, &err), "more work than hours");
    is_str(err.culprits[0].field, "gpu_hours_per_month", "is refused");
    err = (struct err){0};
    in = asked(8);
    in.utilization = (double)NAN;
    ok(!ownership_complete(&in, &catalog, &gpus[2], 20261120, &err), "neither");
    is_str(err.culprits[0].rule, "missing_parameter", "is refused");
}

static void test_missing_default(void)
{
    struct err err = {0};
    struct ownership in = asked(8);

    in.storage_cost = (double)NAN;
    ok(!ownership_complete(&in, &catalog, &gpus[2], 20261120, &err), "a hole in the catalogue");
    ok(err.code == ERR_INTERNAL && strstr(err.text, "storage_cost"), "is named");
}

/* By the index of the table, as by a walk. */
static void test_names(void)
{
    struct fields walked = {ownership_fields.at, ownership_fields.n, NULL};
    size_t wrong = 0;

    for (size_t i = 0; i < walked.n; i++) {
        char other[128];
        const char *name = walked.at[i].name;
        wrong += fields_find(ownership_fields, name) != &walked.at[i];
        for (size_t n = 0; n < strlen(name); n++) {
            snprintf(other, sizeof(other), "%.100s", name);
            other[n] ^= 1;
            wrong += fields_find(ownership_fields, other) != fields_find(walked, other);
        }
        snprintf(other, sizeof(other), "%.100sx", name);
        wrong += fields_find(ownership_fields, other) != NULL;
    }
    ok(wrong == 0 && !fields_find(ownership_fields, ""), "each field by its name, and no other");
}

int main(void)
{
    make_catalog();
    test_defaults();
    test_prices();
    test_power();
    test_utilization();
    test_missing_default();
    test_names();
    return tap_done();
}
