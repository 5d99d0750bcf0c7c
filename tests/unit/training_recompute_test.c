/* Partial recomputation: the least that fits, continuous in need, and its modules by name. */
#include "estimate/training/plan/least_recompute.h"

#include "estimate/training/recompute.h"
#include "fixture.h"
#include "tap.h"

#include <math.h>
#include <string.h>

static struct training_constants constants;

static struct training_job job_of(struct catalog *catalog, enum training_stack stack)
{
    struct training_job job = {.constants = &constants,
                               .gpu = catalog_gpu(catalog, "h100-sxm5-80gb"),
                               .shape = model_shape_of(catalog_model(catalog, "llama-3.1-70b")),
                               .precision = TRAINING_BF16,
                               .sequence_tokens = 8192,
                               .batch_sequences = 128,
                               .gpus_per_node = 8,
                               .network_rate = 50e9,
                               .power = 700,
                               .flash_attention = true,
                               .communication_overlap = true,
                               .tensor_overlap = true,
                               .stack = stack};

    training_complete(&job, 64);
    return job;
}

static struct training_strategy open_strategy(void)
{
    return (struct training_strategy){.gpu_count = 64,
                                      .tensor = 4,
                                      .pipeline = 4,
                                      .context = 1,
                                      .expert = 1,
                                      .data = 4,
                                      .virtual_stages = 1,
                                      .micro_batch = 1,
                                      .zero_stage = 1,
                                      .sequence_parallel = 1,
                                      .recompute = TRAINING_RECOMPUTE_AUTO,
                                      .batch_sequences = 128};
}

/* From a room for everything down to one for nothing the step takes longer little by little. */
static void less_and_less_room(const struct training_job *job, const char *stack)
{
    struct training_rates rates = training_rates(job);
    struct training_strategy ends = open_strategy();
    struct training_strategy none = training_recompute_between(job, &ends, 0, 0),
                             full = training_recompute_between(job, &ends, 2, 0);
    double most = training_memory(job, &none).required,
           least = training_memory(job, &full).required;
    double last = 0, jump = 0, first = 0;
    bool fits = true;

    for (int i = 0; i <= 100; i++) {
        struct training_strategy on = open_strategy();
        struct training_step step;
        double room = most - (most - least) * i / 100;
        fits &= training_recompute_settle(job, &on, room) &&
                training_memory(job, &on).required <= room * (1 + 1e-12);
        training_step(job, &rates, &on, &step);
        jump = i ? fmax(jump, step.seconds - last) : 0;
        last = step.seconds;
        first = i ? first : last;
    }
    ok(fits, "%s: all rooms between the ends are kept", stack);
    ok(last > 1.15 * first, "%s: at the end the forward pass is done twice", stack);
    ok(jump < 0.05 * (last - first), "%s: no cliff on the way", stack);
    struct training_strategy on = open_strategy();
    ok(!training_recompute_settle(job, &on, 0.9 * least), "%s: less does not do", stack);
    is_near(training_memory(job, &on).required, fmin(least, most), 1,
            "%s: what needs least is shown", stack);
}

static void module_names(void)
{
    unsigned modules;
    char text[TRAINING_MODULES_TEXT_MAX];

    ok(training_modules_read("mlp,core_attn", &modules), "two names are read");
    ok(training_module_in(modules, TRAINING_MLP) &&
           training_module_in(modules, TRAINING_CORE_ATTENTION) &&
           !training_module_in(modules, TRAINING_MOE),
       "and no other is in");
    training_modules_print(modules, text, sizeof(text));
    ok(strcmp(text, "core_attn,mlp") == 0, "printed in their own order");
    ok(!training_modules_read("mlp,soup", &modules) && !training_modules_read("", &modules),
       "what is none of them is refused");
    training_modules_print((1U << TRAINING_MODULES) - 1, text, sizeof(text));
    ok(training_modules_read(text, &modules) && modules == (1U << TRAINING_MODULES) - 1,
       "all of them fit and are read back");
}

int main(void)
{
    struct catalog *catalog = fixture_catalog();
    struct err err = {0};

    fixture_need(training_constants_fill(catalog, &constants, &err), &err);
    struct training_job megatron = job_of(catalog, TRAINING_STACK_MEGATRON),
                        fsdp = job_of(catalog, TRAINING_STACK_FSDP);
    less_and_less_room(&megatron, "megatron");
    less_and_less_room(&fsdp, "fsdp");
    module_names();
    catalog_free(catalog);
    return tap_done();
}
