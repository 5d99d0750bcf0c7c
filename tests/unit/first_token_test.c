/* What a closed loop waits for before its first tokens, by what its clients and its engine do; and
 * what random arrivals delay. */
#include "estimate/inference/communication.h"
#include "estimate/inference/inference.h"
#include "estimate/inference/serving/sway.h"

#include "fixture.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>

static struct catalog *catalog;
static struct inference_constants constants;

static void near(double got, double want, const char *what)
{
    is_near(got / want, 1, 1e-6, "%s", what);
}

static struct inference_job job_of(const char *model, const char *gpu, enum engine engine)
{
    const struct model *record = catalog_model(catalog, model);

    if (!record || !catalog_gpu(catalog, gpu)) {
        printf("Bail out! no %s or no %s\n", model, gpu);
        exit(1);
    }
    return (struct inference_job){
        .shape = model_shape_of(record),
        .gpu = catalog_gpu(catalog, gpu),
        .weight_format = NUMBER_FP8,
        .kv_format = NUMBER_FP8,
        .bytes_per_weight = (double)NAN,
        .engine = engine,
        .tensor = 8,
        .pipeline = 1,
        .gpus_per_node = 8,
        .input_tokens = 1024,
        .output_tokens = 1024,
        .memory_utilization = catalog_default(catalog, "pool", ""),
    };
}

/* Under SGLang prompts of clients in step delay tokens and first tokens, others' tokens. */
static void pauses(void)
{
    double *share = inference_constant(&constants, "interference_share", "sglang"), was = *share;
    struct inference_job job = job_of("llama-3.1-70b", "h200-sxm5-141gb", ENGINE_SGLANG);
    struct inference i = inference_of(&constants, &job);
    struct served whole = inference_serve(&i, 64);

    *share = 0.25;
    struct served served = inference_serve(&i, 64);
    near(served.ttft, whole.ttft, "prompts that come apart delay tokens alone");
    job.in_step = true;
    i = inference_of(&constants, &job);
    served = inference_serve(&i, 64);
    near(whole.interference, 63 * i.prefill.marginal / 1024, "all of it between tokens");
    near(inference_prompts_together(&i, 64), 8, "a pass reads eight of them");
    near(served.interference, 0.25 * 56 * i.prefill.marginal / 1024, "a quarter of other passes");
    near(served.pause, (63 - 0.25 * 56) * i.prefill.marginal, "and the rest before the first");
    near(served.pause + 1024 * served.interference, 1024 * whole.interference, "none is lost");
    ok(served.ttft > whole.ttft && served.tpot < whole.tpot, "in the sums too");
    ok(served.waiting.turns == 0, "and none is counted twice");
    served = inference_serve(&i, 4);
    ok(served.interference == 0, "one pass reads few prompts before anybody writes");
    job.engine = ENGINE_VLLM;
    i = inference_of(&constants, &job);
    ok(inference_serve(&i, 64).pause == 0, "other engines chunk prompts into steps");
    job.engine = ENGINE_SGLANG;
    job.separate_prefill = true;
    i = inference_of(&constants, &job);
    ok(inference_serve(&i, 64).pause == 0, "nothing where other GPUs read them");
    *share = was;
}

/* The prompts of clients in step come in a train: each waits for the one before it. */
static void trains(void)
{
    struct inference_job job = job_of("llama-3.1-70b", "h200-sxm5-141gb", ENGINE_VLLM);
    struct inference i = inference_of(&constants, &job);
    struct served apart = inference_serve(&i, 8), lone;

    job.in_step = true;
    i = inference_of(&constants, &job);
    struct served in_step = inference_serve(&i, 8);
    ok(apart.waiting.turns < 0.5, "few wait where they come at random");
    near(in_step.waiting.turns, 1, "a turn where they come one after another");
    near(in_step.ttft - apart.ttft, (1 - apart.waiting.turns) * apart.waiting.turn, "in the sum");
    near(in_step.tpot, apart.tpot, "tokens as late as before");
    job.engine = ENGINE_TENSORRT_LLM;
    i = inference_of(&constants, &job);
    near(inference_serve(&i, 8).waiting.turns, 2, "two where the end of an answer is seen late");
    lone = inference_serve(&i, 1);
    ok(lone.waiting.turns == 0, "nobody waits for himself");
}

static double unseen(const char *model, const char *gpu, enum engine engine, double requests,
                     bool open)
{
    struct inference_job job = job_of(model, gpu, engine);

    job.open_arrivals = open;
    struct inference i = inference_of(&constants, &job);
    struct served served = inference_serve(&i, requests);
    return served.waiting.unseen / (served.step.total * (1 - 1 / served.batch));
}

/* With the settings of its launch recipes, SGLang looks for new requests every few steps. */
static void looks(void)
{
    const char *moe = "deepseek-r1", *gpu = "b200-sxm";

    near(unseen(moe, gpu, ENGINE_SGLANG, 8, false), 4.5, "half of the steps between");
    near(unseen(moe, gpu, ENGINE_SGLANG, 64, false), 14.5, "which are more with many requests");
    ok(unseen(moe, "h200-sxm5-141gb", ENGINE_SGLANG, 64, false) == 0, "at every step on Hopper,");
    ok(unseen("llama-3.1-70b", gpu, ENGINE_SGLANG, 64, false) == 0, "for a dense model,");
    ok(unseen(moe, gpu, ENGINE_VLLM, 64, false) == 0, "under other engines");
    ok(unseen(moe, gpu, ENGINE_SGLANG, 64, true) == 0, "and where requests come at random");
}

/* A run that states its interval is taken at its word, with random arrivals too: AMD's submissions
 * to MLPerf 5.1 plan nine steps at a time (num_scheduler_steps of vLLM), and their first tokens
 * take six steps longer than those of others. */
static void states(void)
{
    struct inference_job job = job_of("llama-3.1-70b", "h200-sxm5-141gb", ENGINE_SGLANG);

    job.receive_interval = 21;
    struct inference i = inference_of(&constants, &job);
    near(inference_receive_interval(&i, 64), 21, "the steps that are stated");
    job.open_arrivals = true;
    i = inference_of(&constants, &job);
    near(inference_receive_interval(&i, 64), 21, "where requests come at random too");
    struct served served = inference_serve(&i, 64);
    near(served.waiting.unseen, 10 * served.tpot * 63 / 64, "half of them, on average");
    ok(served.tpot > 1.1 * served.step.total, "which last longer as prompts are read between");
}

static double compiling(struct inference_job *job, double requests)
{
    struct inference i = inference_of(&constants, job);

    return inference_serve(&i, requests).waiting.compiling;
}

/* Kernels that continue a prompt are compiled as a pass first cuts one in two. */
static void compiles(void)
{
    struct inference_job job = job_of("deepseek-r1", "b200-sxm", ENGINE_SGLANG);
    double each = *inference_constant(&constants, "ttft_requests_per_client", "");

    job.pass_tokens = 16384;
    ok(compiling(&job, 64) == 0, "none of it where the engine was warmed up");
    job.cold = true;
    ok(compiling(&job, 16) == 0, "nor where all prompts fit in a pass");
    near(compiling(&job, 17), *inference_constant(&constants, "ttft_compile", "sglang") / each,
         "one request of each client waits");
    job.weight_format = NUMBER_FP4;
    near(compiling(&job, 64), *inference_constant(&constants, "ttft_compile", "sglang_fp4") / each,
         "longer for kernels of FP4");
}

/* Long prompts and short answers that arrive at random: a token is delayed only by the prompts that
 * arrive while its request decodes, so the time per token grows steadily with requests in flight.
 */
static void arrivals(void)
{
    const double growth = 1.02, most = 128;
    struct inference_job job = job_of("llama-3.1-70b", "a800-sxm4-80gb", ENGINE_VLLM);
    size_t steady = 0, bounded = 0, little = 0, n = 0;

    job.input_tokens = 10000;
    job.output_tokens = 100;
    job.open_arrivals = true;
    struct inference i = inference_of(&constants, &job);
    double pass =
        inference_prompt_moments(&i, 1).first / job.input_tokens * constants.ttft_pass_tokens;
    double before = inference_serve_arrivals(&i, 1, 0).tpot;
    for (double k = 1e-3; k < most; k *= growth, n++) {
        struct served at = inference_serve(&i, k);
        steady += at.tpot >= before * (1 - 1e-9) && at.tpot < before * pow(growth, 2);
        bounded += at.interference <= pass * (1 + 1e-9);
        little += fabs(at.arrivals * at.request_seconds / k - 1) < 1e-9;
        before = at.tpot;
    }
    ok(steady == n, "the time per token grows steadily, %zu of %zu", steady, n);
    ok(bounded == n, "by a full pass per step at most, %zu of %zu", bounded, n);
    ok(little == n, "arrivals times seconds are in flight, %zu of %zu", little, n);
}

/* The rate at which this number is in flight is the rate at which they read. */
static void readers_are_as_busy_as_arrivals_keep_them(struct inference *i)
{
    double reading = inference_reader_seconds(i), most = i->constants->prefill_utilization;

    near(inference_serve(i, 64).waiting.busy, most, "of readers of an unknown number, as allowed");
    i->job.readers_each = 2;
    for (double n = 1; n <= 1024; n *= 32) {
        struct served served = inference_serve(i, n);
        double rate = n / served.request_seconds, busy = rate * reading / 2;
        near(served.waiting.busy, fmin(most, busy), "busy by Little's law");
        near(inference_serve_arrivals(i, n, fmin(rate, 2 * most / reading)).ttft, served.ttft,
             "the same at that rate");
    }
    i->job.readers_each = (double)INFINITY;
    ok(inference_serve(i, 64).waiting.busy == 0, "of many each is idle");
}

/* Clients of a closed loop: readers are as busy as their number says, and those beyond the slots
 * wait for one another's answers while their prompts are read. */
static void known_readers(struct inference i)
{
    i.job.readers_each = 2;
    struct served served = inference_serve(&i, 16);
    double lasts = served.request_seconds - served.waiting.opening;
    near(served.waiting.busy, 15 / lasts * inference_reader_seconds(&i) / 2,
         "busy by the others, by Little's law");
    ok(served.waiting.busy < 0.5 && served.waiting.saturated == 0, "far from all of the time");
    ok(inference_serve(&i, 1).waiting.reading == 0, "nobody waits for himself");
    i.job.readers_each = 0.01;
    served = inference_serve(&i, 64);
    near(64 / served.request_seconds, 0.01 / inference_reader_seconds(&i),
         "clients wait for too few readers, which read all of the time");
    i.job.readers_each = 2;
    double all = inference_serve(&i, 48).ttft;
    i.job.slots = 16;
    served = inference_serve(&i, 48);
    near(served.batch, 16, "no more than the slots are decoded at once");
    ok(served.ttft > all, "and the others wait,");
    near(served.request_seconds, 3 * 1024 * served.tpot, "two of three at a time");
}

/* Where readers are always busy, their speed against the writers' decides how long is waited. */
static void readers_widen_the_interval(struct inference i)
{
    i.job.readers_each = 0.02;
    struct served full = inference_serve(&i, 64);
    struct sway sway = sway_of_readers(&i, &full, 0.75, 2.2);
    double u = inference_interval(&i, inference_prefill_interval(&i)),
           cycle = 64 * inference_reader_seconds(&i) / 0.02,
           most = cycle * u - full.request_seconds;

    most = (most + full.ttft) / u / full.ttft; /* answers take as long as before */
    ok(most > 1.02, "a reader slower by %.3f makes 64 clients wait %.3f times as long", u,
       most * u);
    near(sway.first_high, exp(hypot(log(2.2), log(most)) - log(2.2)), "which widens the upper end");
    ok(sway.first_low < 1 && sway.token_high == 1, "and the lower one, not that of a token");
    i.job.readers_each = 64;
    full = inference_serve(&i, 2);
    sway = sway_of_readers(&i, &full, 0.75, 2.2);
    ok(sway.first_high < 1.01 && sway.first_low > 0.99, "hardly where readers are idle: %g, %g",
       sway.first_low, sway.first_high);
}

/* Seconds that 64 clients of two readers wait where each pass takes `tokens`. */
static double reading(struct inference i, double tokens)
{
    i.job.pass_tokens = tokens;
    inference_set_reader(&i);
    i.job.readers_each = 0.5;
    return inference_serve(&i, 64).waiting.reading;
}

/* A prompt waits for the pass under way, and its own takes longer with the others that wait. */
static void passes_that_read(struct inference_job job)
{
    double launch =
        inference_host_seconds(&(struct inference){.constants = &constants, .job = job}) -
        1e-6 * constants.ttft_request_us;
    struct inference i = inference_of(&constants, &job);
    const struct prefill *p = &i.prefill;

    i.job.pass_tokens = 4 * job.input_tokens;
    inference_set_reader(&i);
    near(inference_reader_seconds(&i), (launch + p->fixed) / 4 + p->one - p->fixed,
         "the host launches once for the prompts of a pass");
    ok(reading(i, 8 * job.input_tokens) < reading(i, job.input_tokens),
       "and prompts wait less where more are read at once");
    i.job.readers_each = 0.5;
    double alike = inference_serve(&i, 64).waiting.reading;
    i.job.output_cv = 0.5;
    ok(inference_serve(&i, 64).waiting.reading < alike,
       "and where answers of other lengths spread the clients");
}

/* On a reader with data-parallel attention, attention to a prompt runs on the GPUs of its group;
 * its experts run on all GPUs, and the one with the most tokens finishes last. */
static void groups_that_read(struct inference_job job)
{
    double uneven = *inference_constant(&constants, "expert_unevenness", "");

    job.tensor = job.attention_data = 8;
    struct inference i = inference_of(&constants, &job);
    const struct prefill *p = &i.prefill;
    double launch = inference_host_seconds(&i) - 1e-6 * constants.ttft_request_us;
    near(p->one, uneven * p->marginal + 7 * p->shared + p->fixed, "alone it has an eighth of them");
    double each = uneven * p->marginal +
                  (launch + p->fixed) * job.input_tokens / (8 * constants.ttft_pass_tokens);
    near(inference_reader_seconds(&i), each,
         "and each group reads as many at once as a pass takes");
    job.pass_tokens = job.input_tokens / 4;
    i = inference_of(&constants, &job);
    near(inference_reader_seconds(&i), uneven * p->marginal + (launch + p->fixed) / 2,
         "four passes with an eighth of a prompt's kernels each");
    job.pass_tokens = 0;
    job.tensor = job.reading_tensor = 4;
    job.attention_data = 4;
    job.reading_groups = 1;
    struct inference writer = inference_of(&constants, &job);
    job.attention_data = 1;
    job.reading_tensor = 0;
    struct inference reader = inference_of(&constants, &job);
    near(writer.prefill.one, reader.prefill.one, "readers divided otherwise than writers");
    near(writer.reader.full, reader.reader.full, "whose host launches their own kernels");
}

/* A replica that only writes keeps buffers for its slots, not for prompts. */
static void writers_that_are_known(struct inference_job job)
{
    job.pass_tokens = 16384;
    job.tensor = job.attention_data = 8;
    double held = inference_of(&constants, &job).pool.held;
    job.slots = 512;
    ok(inference_of(&constants, &job).pool.held > 1.5 * held, "room in its cache");
    job.engine = ENGINE_SGLANG;
    job.gpu = catalog_gpu(catalog, "b200-sxm");
    struct inference i = inference_of(&constants, &job);
    ok(inference_serve(&i, 8).waiting.unseen == 0, "it looks for requests at every step,");
    job.receive_interval = 10;
    i = inference_of(&constants, &job);
    struct served served = inference_serve(&i, 8);
    near(served.waiting.unseen, 4.5 * served.step.total * 7 / 8, "unless its run says otherwise");
}

/* Steps until the replica that writes has noticed a request and its cache. */
static void handed_over(struct inference i)
{
    near(inference_handover_seconds(&i, 0.02, 0), 0.02, "who is alone waits for one step");
    near(inference_handover_seconds(&i, 0.02, 0.5), 0.025, "others for half of one more");
    i.job.engine = ENGINE_SGLANG;
    near(inference_handover_seconds(&i, 0.02, 0.5), 0.03, "under SGLang for a whole one");
    i.job.engine = ENGINE_VLLM;
    near(inference_handover_seconds(&i, 0.02, 0.5), 0.02, "other engines as before");
}

/* GPUs that write together have each all of a latent, and those that read it send as many. */
static void copies_of_a_latent(struct inference_job job)
{
    struct inference i = inference_of(&constants, &job);
    double once = communication_cache(&i, 1000);

    job.reading_tensor = job.reading_groups = job.tensor;
    i = inference_of(&constants, &job);
    near(communication_cache(&i, 1000), job.tensor * once, "a GPU that read it sends all copies");
    job.reading_groups = 1;
    i = inference_of(&constants, &job);
    near(communication_cache(&i, 1000), once, "each of as many GPUs sends one");
    job.reading_groups = job.attention_data = job.tensor;
    i = inference_of(&constants, &job);
    near(communication_cache(&i, 1000), once, "a GPU that writes alone needs one");
    job.attention_data = 1;
    job.shape = model_shape_of(catalog_model(catalog, "llama-3.1-70b"));
    i = inference_of(&constants, &job);
    double divided = communication_cache(&i, 1000);
    job.reading_tensor = 0;
    i = inference_of(&constants, &job);
    near(divided, communication_cache(&i, 1000), "keys and values are divided by heads");
}

/* Where other GPUs read the prompts, their host launches the passes, and clients that start
 * together wait until one of each is read. */
static void pools(void)
{
    struct inference_job job = job_of("deepseek-r1", "h200-sxm5-141gb", ENGINE_TENSORRT_LLM);
    double busy = constants.prefill_utilization;

    job.separate_prefill = true;
    job.network_rate = 50e9;
    struct inference i = inference_of(&constants, &job);
    struct served served = inference_serve(&i, 64), one = inference_serve(&i, 1);
    double cycle = i.prefill.one + 1023 * served.tpot;
    near(served.waiting.host, inference_host_seconds(&i), "the host's");
    near(served.waiting.opening, busy * cycle * 63 / 64 / (2 * constants.ttft_requests),
         "the start's");
    near(served.ttft - served.waiting.opening - 1.5 * served.step.total + served.step.total / 128,
         one.ttft - one.step.total, "in the sum; nobody waits for himself");
    handed_over(i);
    copies_of_a_latent(job);
    ok(one.ttft > served.waiting.host + i.prefill.one, "the host and the prompt");
    known_readers(i);
    readers_widen_the_interval(i);
    passes_that_read(job);
    groups_that_read(job);
    writers_that_are_known(job);
    job.open_arrivals = true;
    i = inference_of(&constants, &job);
    ok(inference_serve(&i, 64).waiting.opening == 0, "requests at random have no start");
    readers_are_as_busy_as_arrivals_keep_them(&i);
}

static double host(const char *model, const char *gpu, enum engine engine, enum number format)
{
    struct inference_job job = job_of(model, gpu, engine);

    job.weight_format = format;
    struct inference i = inference_of(&constants, &job);

    return inference_host_seconds(&i) * 1e6;
}

/* What the host launches of a pass that reads a prompt, by what TensorRT-LLM has kernels for. */
static void hosts(void)
{
    double request = *inference_constant(&constants, "ttft_request", ""),
           experts = *inference_constant(&constants, "ttft_moe_layer", "tensorrt_llm"),
           latent = *inference_constant(&constants, "ttft_mla_layer", "tensorrt_llm");
    const char *hopper = "h200-sxm5-141gb", *blackwell = "b200-sxm";

    near(host("gpt-oss-120b", hopper, ENGINE_TENSORRT_LLM, NUMBER_FP4), request + 36 * experts,
         "each layer's experts on Hopper");
    near(host("gpt-oss-120b", blackwell, ENGINE_TENSORRT_LLM, NUMBER_FP4), request,
         "one kernel on Blackwell");
    near(host("gpt-oss-120b", blackwell, ENGINE_TENSORRT_LLM, NUMBER_FP8), request + 36 * experts,
         "not of weights converted to FP8");
    near(host("deepseek-r1", hopper, ENGINE_TENSORRT_LLM, NUMBER_FP8),
         request + 58 * experts + 61 * latent, "attention through a latent on top");
    near(host("deepseek-r1", blackwell, ENGINE_TENSORRT_LLM, NUMBER_FP8), request + 61 * latent,
         "one kernel for weights published in blocks of FP8");
    near(host("deepseek-r1", blackwell, ENGINE_SGLANG, NUMBER_FP8),
         request + 58 * *inference_constant(&constants, "ttft_moe_layer", "sglang"),
         "other engines as before");
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(inference_constants_load(catalog, &constants, &err), &err);
    pauses();
    trains();
    looks();
    states();
    compiles();
    arrivals();
    hosts();
    pools();
    catalog_free(catalog);
    return tap_done();
}
