/* Messages between the GPUs of a replica: all-reduces of a step and of a prompt, tokens to experts.
 */
#include "estimate/inference/communication.h"
#include "estimate/inference/inference.h"
#include "estimate/inference/scheduling.h"
#include "estimate/inference/serving/step_curve.h"

#include "fixture.h"
#include "serving_fixture.h"
#include "tap.h"

#include <math.h>

static struct catalog *catalog;
static struct inference_constants constants;

/* Relative, also below one. */
static void near(double got, double want, const char *what)
{
    is_near(got / want, 1, 1e-6, "%s is %.9g", what, want);
}

static struct inference_job job_of(const char *model, const char *gpu, double tensor,
                                   enum number weights, enum engine engine)
{
    struct inference_job job = fixture_serving(catalog, &constants, model, gpu, weights).job;

    job.tensor = tensor;
    job.pipeline = 1;
    job.engine = engine;
    return job;
}

/* One kernel reduces, adds and norms under TensorRT-LLM; what goes to experts is not reduced. */
static void fused(void)
{
    double *fused = inference_constant(&constants, "f_fused", ""), was = *fused;
    struct inference_job job =
        job_of("qwen3-235b-a22b", "h100-sxm5-80gb", 8, NUMBER_FP8, ENGINE_TENSORRT_LLM);
    *fused = 0.5;
    near(inference_of(&constants, &job).all_reduce_seconds, 0.5 * constants.a_nv_us * 1e-6,
         "fused");
    job.attention_data = 2;
    near(inference_of(&constants, &job).exchange_seconds, constants.a_nv_us * 1e-6,
         "no sum to fuse");
    job.attention_data = 1;
    job.engine = ENGINE_VLLM;
    near(inference_of(&constants, &job).all_reduce_seconds, constants.a_nv_us * 1e-6,
         "a kernel of its own");
    *fused = was;
}

/* Few bytes are summed in one round, in which each GPU reads what all others have, more in two. On
 * eight H100 vLLM's kernel changes at 256 KiB, which is 32 tokens of 4,096, on four at 512. */
static void rounds(void)
{
    struct inference_job job =
        job_of("llama-3.1-8b", "h100-sxm5-80gb", 8, NUMBER_BF16, ENGINE_VLLM);
    struct inference i = inference_of(&constants, &job);
    struct step few = inference_step(&i, 8, 1000), many = inference_step(&i, 256, 1000);

    near(few.all_reduce_latency, 64 * constants.a_nv_us * 1e-6, "8 GPUs, one round");
    near(few.all_reduce_volume, 64 * 7 * 8 * 4096 * 2.0 / (constants.e_link * job.gpu->link_rate),
         "of all others");
    near(many.all_reduce_latency, 64 * 2 * constants.a_nv_us * 1e-6, "two");
    near(many.all_reduce_volume,
         64 * 1.75 * 256 * 4096 * 2.0 / (constants.e_link * job.gpu->link_rate), "of parts");
    double at = 1;
    while (inference_step(&i, at, 1000).all_reduce_latency < many.all_reduce_latency)
        at++;
    ok(at > 16 && at < 64, "the change is near vLLM's 32 requests: %g", at);
    job.tensor = 2;
    i = inference_of(&constants, &job);
    near(inference_step(&i, 2000, 1000).all_reduce_latency, 64 * constants.a_nv_us * 1e-6,
         "of two GPUs each reads the other's either way");
    job.tensor = 8;
    job.engine = ENGINE_TENSORRT_LLM;
    i = inference_of(&constants, &job);
    struct step last = inference_step(&i, 128, 1000), next = inference_step(&i, 129, 1000),
                much = inference_step(&i, 1024, 1000);
    near(last.all_reduce_latency, 64 * i.all_reduce_seconds,
         "TensorRT-LLM: one round up to 128 tokens");
    near(next.all_reduce_latency + next.all_reduce_volume,
         last.all_reduce_latency + last.all_reduce_volume, "a larger step is not quicker");
    near(much.all_reduce_latency, 128 * i.all_reduce_seconds, "two at last");
    job.gpu = catalog_gpu(catalog, "h100-pcie-80gb");
    job.engine = ENGINE_VLLM;
    i = inference_of(&constants, &job);
    near(inference_step(&i, 8, 1000).all_reduce_volume,
         64 * 1.75 * 8 * 4096 * 2.0 / (constants.e_link * i.link_rate), "a ring over PCIe");
}

/* Within a node all tokens go to all GPUs; beyond it a token goes to those of its experts. */
static void exchanges(void)
{
    struct inference_job job =
        job_of("qwen3-235b-a22b", "gb200-nvl72", 16, NUMBER_FP8, ENGINE_VLLM);

    job.attention_data = 16;
    job.gpus_per_node = 16;
    double all = inference_of(&constants, &job).prefill.all_reduce;
    job.gpus_per_node = 4;
    near(inference_of(&constants, &job).prefill.all_reduce * 2 * constants.e_exchange_link,
         all * constants.e_link, "8 of 16 GPUs, by kernels of its own");
}

/* NVIDIA's one-sided kernels on GB200 NVL72: microseconds that dispatch and combine in 16 bit take
 * longer for each token from 1,024 to 2,048 on (github.com/NVIDIA/TensorRT-LLM, tech_blog/
 * blog18_Optimizing_MoE_Communication_with_One_Sided_AlltoAll_Over_NVLink.md). */
static void exchanges_over_a_link(void)
{
    static const struct {
        double gpus, us;
    } measured[] = {{8, 0.2857}, {16, 0.3147}, {32, 0.3401}, {64, 0.3542}};
    struct inference_job job = job_of("deepseek-v3", "gb200-nvl72", 8, NUMBER_FP8, ENGINE_VLLM);
    job.gpus_per_node = 4;

    for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++) {
        job.tensor = job.attention_data = measured[i].gpus;
        struct inference inference = inference_of(&constants, &job);
        double in_16bit = 2 * ACTIVATION_BYTES / communication_exchange_bytes(&job);
        double us = 1e6 * inference_step(&inference, job.tensor, 1000).all_reduce_volume /
                    inference.busiest / job.shape.moe_layers * in_16bit;
        ok(fabs(us / measured[i].us - 1) < 0.1, "%.0f GPUs: %.3f us a token, measured %.3f",
           measured[i].gpus, us, measured[i].us);
    }
    near(communication_exchange_bytes(&job), 3, "8 bit there, 16 back");
    job.engine = ENGINE_TENSORRT_LLM;
    struct inference own = inference_of(&constants, &job);
    near(own.exchange_seconds, 1e-6 * constants.a_exchange_us, "kernels of TensorRT-LLM");
    job.engine = ENGINE_VLLM;
    job.weight_format = NUMBER_FP4;
    near(communication_exchange_bytes(&job), 2 + 4032.0 / 7168, "FP4 with its scales there");
    job.gpus_per_node = 64;
    near(communication_exchange_bytes(&job), 3, "within a server as it was fitted");
}

/* From 32 GPUs on experts are placed by use, and an eighth of them held twice. */
static void places(void)
{
    struct inference_job job =
        job_of("deepseek-v3", "h800-sxm5-80gb", 16, NUMBER_FP8, ENGINE_SGLANG);
    job.attention_data = 16;
    struct inference few = inference_of(&constants, &job);
    job.tensor = job.attention_data = 32;
    struct inference many = inference_of(&constants, &job);
    double experts = job.shape.experts * few.bytes.expert;

    near(few.expert_copies, 1, "not on two servers");
    near(many.expert_copies, 1 + constants.redundant, "on four");
    near(many.busiest, constants.placed, "as measured on 32 GPUs");
    ok(few.busiest > many.busiest, "more even than on two, where nothing is placed");
    near(few.pool.weights - many.pool.weights,
         experts / 16 - (1 + constants.redundant) * experts / 32, "in memory");
    job.engine = ENGINE_TENSORRT_LLM;
    near(inference_of(&constants, &job).expert_copies, 1, "not in TensorRT-LLM's recipes");
    job.engine = ENGINE_SGLANG;
    job.gpu = catalog_gpu(catalog, "mi300x");
    near(inference_of(&constants, &job).expert_copies, 1, "NVIDIA's alone");
    job.gpu = catalog_gpu(catalog, "a100-sxm4-80gb");
    near(inference_of(&constants, &job).expert_copies, 1, "from Hopper on");
}

/* DeepEP's low-latency kernels, 128 tokens on each H800, 7168 wide, 8 experts, a network of 50
 * GB/s: dispatch and combine, microseconds, of tokens
 * that are spread evenly over the experts (github.com/deepseek-ai/DeepEP, docs/legacy.md). */
static void exchanges_over_the_network(void)
{
    static const struct {
        double gpus, us;
    } measured[] = {{16, 313}, {32, 428}, {64, 487}, {128, 561}};
    struct inference_job job = job_of("deepseek-v3", "h800-sxm5-80gb", 16, NUMBER_FP8, ENGINE_VLLM);
    job.network_rate = 50e9;

    for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++) {
        job.tensor = job.attention_data = measured[i].gpus;
        struct inference inference = inference_of(&constants, &job);
        struct step step = inference_step(&inference, 128 * job.tensor, 1000);
        double us = 1e6 * (step.all_reduce_latency + step.all_reduce_volume / inference.busiest) /
                    job.shape.moe_layers;
        ok(fabs(us / measured[i].us - 1) < 0.1, "%.0f GPUs: %.0f us, measured %.0f",
           measured[i].gpus, us, measured[i].us);
    }
}

/* Across servers one half of a step's tokens is computed while the other is sent: DeepSeek-V3 on 72
 * H100 with 256 requests each, 2,000 tokens before the answer, wrote 22,282 tokens/s a server of
 * eight, a quarter more than without (lm-sys/lm-sys.github.io, blog/2025-05-05-large-scale-ep.md).
 */
static void halves(void)
{
    struct inference_job job =
        job_of("deepseek-v3", "h100-sxm5-80gb", 72, NUMBER_FP8, ENGINE_SGLANG);
    job.attention_data = 72;
    job.network_rate = 50e9;
    struct inference i = inference_of(&constants, &job);
    double tokens = 72 * 256, measured = 256 * 8 / 22282.0;
    struct step step = inference_step(&i, tokens, 2050);
    double whole = step.total + step.hidden;

    ok(fabs(step.total / measured - 1) < 0.2, "a step takes %.0f ms, measured %.0f",
       1e3 * step.total, 1e3 * measured);
    ok(whole / step.total > 1.25 && whole / step.total < 1.7, "without halves %.2f times as long",
       whole / step.total);
    double computed = whole - step.all_reduce_latency - step.all_reduce_volume +
                      inference_halves_longer(&i, &step, tokens);
    double sent =
        step.all_reduce_latency + step.all_reduce_volume + i.exchanges * i.exchange_seconds;
    near(step.total, fmax(computed, sent), "the longer of what is computed and what is sent");
    ok(inference_step(&i, 72 * 16, 2050).hidden == 0, "few tokens are not halved");
    struct step_curve curve = step_curve_of(&i, 2050);
    for (double n = 72; n <= tokens; n *= 4)
        near(step_curve_at(&curve, n), inference_step(&i, n, 2050).total, "as a curve");
    job.engine = ENGINE_TENSORRT_LLM;
    i = inference_of(&constants, &job);
    ok(inference_step(&i, tokens, 2050).hidden == 0, "TensorRT-LLM does not");
    job = job_of("deepseek-v3", "gb200-nvl72", 32, NUMBER_FP8, ENGINE_SGLANG);
    job.attention_data = 32;
    job.gpus_per_node = 4;
    i = inference_of(&constants, &job);
    ok(inference_step(&i, 32 * 256, 2050).hidden == 0, "nor is it worth it over a link");
}

/* The same deployment's readers: 32 H100, 16,384 tokens a GPU and pass, experts placed by use. */
static void halves_of_prompts(void)
{
    static const struct {
        double tokens, server;
    } measured[] = {{1024, 57674}, {2048, 54543}, {4096, 50302}};
    struct inference_job job =
        job_of("deepseek-v3", "h100-sxm5-80gb", 32, NUMBER_FP8, ENGINE_SGLANG);
    job.attention_data = 32;
    job.network_rate = 50e9;
    job.separate_prefill = true;
    job.pass_tokens = 16384;

    for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++) {
        job.input_tokens = measured[i].tokens;
        struct inference inference = inference_of(&constants, &job);
        double rate = job.input_tokens / inference_reader_seconds(&inference) / 4;
        ok(fabs(rate / measured[i].server - 1) < 0.1,
           "prompts of %.0f: %.0f tokens/s a server, measured %.0f", job.input_tokens, rate,
           measured[i].server);
    }
    job.separate_prefill = false;
    struct inference both = inference_of(&constants, &job);
    ok(inference_reader_hides(&both) == 0, "only where nothing is written");
}

/* Switches add up what a prompt sends from NVLink 4 on; tokens and older links use a ring. */
static void switched(void)
{
    struct inference_job job =
        job_of("llama-3.1-70b", "h100-sxm5-80gb", 8, NUMBER_BF16, ENGINE_VLLM);
    struct inference i = inference_of(&constants, &job);
    double tokens = job.input_tokens;
    double sent = 160 * tokens * 8192 * 2 / (constants.e_link * i.link_rate);

    near(i.prefill.all_reduce, sent * 9 / 8, "once, and an eighth of it again");
    near(inference_step(&i, tokens, 1).all_reduce_volume, sent * 14 / 8, "tokens go round");
    job.tensor = 2;
    i = inference_of(&constants, &job);
    near(i.prefill.all_reduce, sent, "two GPUs gain nothing");
    job = job_of("llama-3.1-70b", "a100-sxm4-80gb", 8, NUMBER_BF16, ENGINE_VLLM);
    i = inference_of(&constants, &job);
    near(i.prefill.all_reduce, 160 * tokens * 8192 * 2 / (constants.e_link * i.link_rate) * 14 / 8,
         "a ring on A100");
}

/* SGLang's all-reduces carry the prompts of all groups, on one server and without an all-to-all. */
static void gathered(void)
{
    struct inference_job job = job_of("deepseek-v3", "b200-sxm", 8, NUMBER_FP8, ENGINE_SGLANG);

    job.attention_data = 8;
    double bytes = 2 * job.shape.moe_layers * job.input_tokens * job.shape.hidden * 2,
           rate = constants.e_link * job.gpu->link_rate;
    near(inference_of(&constants, &job).prefill.all_reduce, bytes * 9 / 8 / rate,
         "in the switches each byte goes out once, and an eighth again");
    job.bridged = true;
    job.gpu = catalog_gpu(catalog, "a100-sxm4-80gb");
    near(inference_of(&constants, &job).prefill.all_reduce,
         bytes * 14 / 8 / (constants.e_link * job.gpu->link_rate), "in a ring nearly twice");
    job.all_to_all = true;
    double sent = inference_of(&constants, &job).prefill.all_reduce;
    job.engine = ENGINE_VLLM;
    near(inference_of(&constants, &job).prefill.all_reduce, sent, "with one as other engines do");
    job.tensor = job.attention_data = 16;
    sent = inference_of(&constants, &job).prefill.all_reduce;
    job.engine = ENGINE_SGLANG;
    job.all_to_all = false;
    near(inference_of(&constants, &job).prefill.all_reduce, sent, "on two servers too");
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(inference_constants_load(catalog, &constants, &err), &err);
    fused();
    rounds();
    exchanges();
    exchanges_over_the_network();
    exchanges_over_a_link();
    places();
    halves();
    halves_of_prompts();
    switched();
    gathered();
    catalog_free(catalog);
    return tap_done();
}
