#include "estimate/measurement/carry.h"

#include "base/random.h"
#include "tap.h"

#include <math.h>

enum { SEED = 23, DRAWS = 2000 };

static const struct carry_constants constants = {
    .part = {0.1, 0.2, 0.25, 0.1, 0.35},
    .load = 0.08,
    .strength = 0.95,
    .per_batch = 0.18,
    .per_length = 0.08,
    .per_gpus = 0.3,
    .caution = 0.5,
};

static struct carry_run run_at(float batch, double weights, double residual)
{
    return (struct carry_run){{.batch = batch}, {{weights, 1 - weights}}, residual};
}

static struct carry ask(float batch, double weights)
{
    return (struct carry){.constants = &constants, .asked = run_at(batch, weights, 0)};
}

static struct carried carry_two(float batch, double weights, struct carry_run a, struct carry_run b)
{
    struct carry carry = ask(batch, weights);

    carry_add(&carry, &a);
    carry_add(&carry, &b);
    return carry_over(&carry);
}

static void test_a_run_alone(void)
{
    struct carry none = ask(0, 0.5), one = ask(3, 0.5), other = ask(3, 0.5);
    struct carried nothing = carry_over(&none);

    ok(nothing.residual == 0 && nothing.share == 0, "without a run nothing is carried over");
    carry_add(&one, &(struct carry_run){one.asked.features, one.asked.parts, 0.2});
    struct carried same = carry_over(&one);
    ok(same.residual > 0.16 && same.residual < 0.2, "the same run: nearly all of its error, %g",
       same.residual);
    ok(same.share > 0.9 && same.share < 1, "and nearly all is known, %g", same.share);
    carry_add(&other, &(struct carry_run){{.batch = 9}, other.asked.parts, 0.2});
    struct carried far = carry_over(&other);
    ok(far.residual > 0 && far.residual < 0.8 * same.residual && far.share < same.share,
       "64 times the load: less of it, %g", far.residual);
}

/* One run reads weights all the time and is slow, the other never does and is as estimated; the
 * question lies in the middle of their loads. */
static void test_the_slow_part_is_found(void)
{
    struct carry_run slow = run_at(0, 1, log(1.3)), right = run_at(8, 0, 0);
    double mostly = carry_two(4, 0.95, slow, right).residual,
           hardly = carry_two(4, 0.05, slow, right).residual;

    ok(mostly > 1.8 * hardly, "slow weights count where weights are most of the time: %g and %g",
       mostly, hardly);
    ok(hardly > 0 && mostly < log(1.3), "never more than was measured");
}

static void test_the_order_does_not_matter(void)
{
    struct carry forth = ask(4, 0.4), back = ask(4, 0.4);
    struct carry_run runs[5];

    for (int i = 0; i < 5; i++)
        runs[i] = run_at((float)(2 * i), 0.9 - 0.2 * i, 0.05 * i - 0.1);
    for (int i = 0; i < 5; i++) {
        carry_add(&forth, &runs[i]);
        carry_add(&back, &runs[4 - i]);
    }
    struct carried a = carry_over(&forth), b = carry_over(&back);
    is_near(a.residual, b.residual, 1e-9, "the same error in either order");
    is_near(a.share, b.share, 1e-9, "and as much known");
}

static void test_the_nearest_count(void)
{
    struct carry few = ask(0, 0.5), many = ask(0, 0.5);

    for (int i = 0; i < CARRY_RUNS; i++)
        carry_add(&few, &(struct carry_run){{.batch = 1}, few.asked.parts, 0.1});
    for (int i = 0; i < 10; i++)
        carry_add(&many, &(struct carry_run){{.batch = 12}, many.asked.parts, 3});
    for (int i = 0; i < CARRY_RUNS; i++)
        carry_add(&many, &(struct carry_run){{.batch = 1}, many.asked.parts, 0.1});
    ok(few.n == CARRY_RUNS && many.n == CARRY_RUNS && many.seen == CARRY_RUNS + 10,
       "the nearest are kept, all are counted");
    is_near(carry_over(&many).residual, carry_over(&few).residual, 1e-12,
            "those beyond the nearest change nothing");
}

static double draw(int i)
{
    return (double)(random_bits(SEED, (uint64_t)i) >> 11) * 0x1p-53;
}

/* Any runs: finite, and each more makes no less known where errors are as they are seen. */
static void test_any_runs(void)
{
    bool finite = true, grows = true, within = true;

    for (int i = 0; i < DRAWS; i++) {
        struct carry carry = ask((float)(10 * draw(10 * i)), draw(10 * i + 1));
        double share = 0, most = 0;
        carry.constants = &(struct carry_constants){
            .part = {0.1, 0.2}, .load = 0.08, .strength = 0.98, .per_batch = 0.2};
        for (int n = 0; n < 4; n++) {
            double residual = (i % 2 ? 4 : 0.2) * (draw(10 * i + 2 + n) - 0.5);
            struct carry_run run =
                run_at((float)(10 * draw(10 * i + 6 + n)), draw(10 * i + 3 + n), residual);
            carry_add(&carry, &run);
            struct carried carried = carry_over(&carry);
            most = fmax(most, fabs(residual));
            finite = finite && isfinite(carried.residual) && isfinite(carried.share);
            grows = grows && (i % 2 || carried.share > share - 0.05) && carried.share <= 1;
            within = within && fabs(carried.residual) < 4 * most + 0.1;
            share = carried.share;
        }
    }
    ok(finite, "always finite");
    ok(grows, "another run leaves at least about as much known");
    ok(within, "and no correction runs away");
}

static void test_shares_of_parts(void)
{
    struct training_step step = {
        .arithmetic = 6, .memory = 2, .tensor_communication = 1, .data_communication = 1};
    struct carry_parts parts = carry_parts_of_step(&step);

    is_near(parts.share[0], 0.6, 1e-12, "arithmetic");
    is_near(parts.share[1], 0.2, 1e-12, "memory");
    is_near(parts.share[2], 0.2, 1e-12, "communication together");
    struct served served = {.step = {.weights = 3, .kv_cache = 1, .launch = 1, .total = 5},
                            .interference = 5,
                            .tpot = 10};
    parts = carry_parts_of_serving(&served);
    is_near(parts.share[0], 0.3, 1e-12, "weights");
    is_near(parts.share[3], 0.1, 1e-12, "the host");
    is_near(parts.share[4], 0.5, 1e-12, "prompts of others");
    served = (struct served){.tpot = (double)NAN};
    parts = carry_parts_of_serving(&served);
    ok(parts.share[0] == 1, "without times all is one part");
}

int main(void)
{
    test_a_run_alone();
    test_the_slow_part_is_found();
    test_the_order_does_not_matter();
    test_the_nearest_count();
    test_any_runs();
    test_shares_of_parts();
    return tap_done();
}
