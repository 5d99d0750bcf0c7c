/* A batch of answers that differ in length: as long as its longest answer, and no shorter than the
 * engine's steps add up to. */
#include "estimate/inference/rollout.h"

#include "fixture.h"
#include "tap.h"

static struct catalog *catalog;
static struct inference_constants constants;

static struct inference replica_of(double prompt, double answer)
{
    const struct model *model = catalog_model(catalog, "llama-3.1-8b");
    struct inference_job job = {.shape = model_shape_of(model),
                                .gpu = catalog_gpu(catalog, "h100-sxm5-80gb"),
                                .weight_format = NUMBER_BF16,
                                .kv_format = NUMBER_BF16,
                                .bytes_per_weight = (double)NAN,
                                .engine = ENGINE_VLLM,
                                .tensor = 1,
                                .pipeline = 1,
                                .attention_data = 1,
                                .gpus_per_node = 8,
                                .network_rate = 50e9,
                                .input_tokens = prompt,
                                .output_tokens = answer,
                                .memory_utilization = 0.95};

    return inference_of(&constants, &job);
}

static void equal_answers_are_a_static_batch(void)
{
    struct inference replica = replica_of(200, 1000);
    struct rollout_answers equal = rollout_answers_of(1000, 0, (double)INFINITY);
    double steps = 0;

    for (double at = 0.5; at < 1000; at++)
        steps += inference_step(&replica, 64, 200 + at).total;
    double read = 64 * replica.prefill.marginal + replica.prefill.fixed;
    is_near(rollout_seconds(&replica, 64, 64, &equal), read + steps, 0.02,
            "answers of one length take their steps");
}

static void the_longest_is_waited_for(void)
{
    struct inference replica = replica_of(200, 1000);
    struct rollout_answers equal = rollout_answers_of(1000, 0, (double)INFINITY);
    struct rollout_answers spread = rollout_answers_of(1000, 0.77, (double)INFINITY);
    struct rollout_answers cut = rollout_answers_of(1000, 0.77, 2000);
    double one = rollout_seconds(&replica, 64, 1024, &equal);
    double all = rollout_seconds(&replica, 64, 1024, &spread);

    ok(all > 2 * one, "a thousand answers have one of several times the mean");
    ok(rollout_seconds(&replica, 64, 1024, &cut) < all, "cutting them off ends the step sooner");
    ok(rollout_seconds(&replica, 64, 1024, &cut) > one, "but not before equal ones would");
    ok(rollout_seconds(&replica, 8, 8, &spread) < all, "few answers have a shorter longest one");
}

static void what_finds_no_room_waits(void)
{
    struct inference replica = replica_of(2000, 6000);
    struct rollout_answers answers = rollout_answers_of(6000, 0.77, (double)INFINITY);
    double held = floor(replica.pool.held);
    double once = rollout_seconds(&replica, held, 1e4, &answers);
    double thrice = rollout_seconds(&replica, 3 * held, 1e4, &answers);

    ok(held >= 1 && held < 200, "long answers fill the cache");
    ok(thrice > once && thrice < 3 * once, "three batches overlap but take longer than one");
    replica.pool.held = 0;
    ok(isnan(rollout_seconds(&replica, 1, 1e4, &answers)), "no room for one answer: unknown");
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(inference_constants_load(catalog, &constants, &err), &err);
    equal_answers_are_a_static_batch();
    the_longest_is_waited_for();
    what_finds_no_room_waits();
    catalog_free(catalog);
    return tap_done();
}
