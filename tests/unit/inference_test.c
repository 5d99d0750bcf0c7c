/* Worked examples A to D of the inference time formulas, each printed intermediate to 1e-6. */
#include "estimate/inference/inference.h"
#include "estimate/inference/scheduling.h"

#include "fixture.h"
#include "tap.h"

#include <stdlib.h>

static struct catalog *catalog;
static struct inference_constants constants;

/* Relative, also below one. */
static void near(double got, double want, const char *what)
{
    is_near(got / want, 1, 1e-6, "%s is %.9g", what, want);
}

static struct inference_job job_of(const char *model, const char *gpu, double tensor,
                                   enum number weights, enum number cache, enum engine engine,
                                   double input, double output)
{
    const struct model *record = catalog_model(catalog, model);

    if (!record || !catalog_gpu(catalog, gpu)) {
        printf("Bail out! no %s or no %s\n", model, gpu);
        exit(1);
    }
    return (struct inference_job){
        .shape = model_shape_of(record),
        .gpu = catalog_gpu(catalog, gpu),
        .weight_format = weights,
        .kv_format = cache,
        .bytes_per_weight = (double)NAN,
        .engine = engine,
        .tensor = tensor,
        .pipeline = 1,
        .gpus_per_node = 8,
        .network_rate = 50e9,
        .input_tokens = input,
        .output_tokens = output,
        .memory_utilization = catalog_default(catalog, "pool", ""),
    };
}

/* A static batch from its first prompt to its last token. */
static double static_seconds(const struct inference_job *job, double batch)
{
    struct inference_job together = *job;

    together.static_batching = true;
    struct inference inference = inference_of(&constants, &together);
    return inference_serve(&inference, batch).request_seconds;
}

/* The same replica where requests come at random. */
static double open_ttft(const struct inference_job *job, double concurrency)
{
    struct inference_job open = *job;

    open.open_arrivals = true;
    struct inference inference = inference_of(&constants, &open);
    return inference_serve(&inference, concurrency).ttft;
}

static void example_a(void)
{
    struct inference_job job = job_of("llama-3.1-70b", "h200-sxm5-141gb", 4, NUMBER_FP8, NUMBER_FP8,
                                      ENGINE_VLLM, 1024, 1024);
    struct inference a = inference_of(&constants, &job);
    struct served served = inference_serve(&a, 64);
    double batch, rate = inference_offline(&a, &batch), u;

    near(job.shape.attention_weights, 150994944, "A: A");
    near(job.shape.dense_ffn_weights, 56371445760, "A: F");
    near(job.shape.kv_elements, 2048, "A: kappa");
    near(job.shape.decode_head_work, 256, "A: delta");
    near(job.gpu->memory_bytes, 150754820096, "A: M");
    near(a.memory_share, 0.83, "A: e_m");
    near(a.weight_share, 0.83, "A: e_w");
    near(a.gemm_share, 0.6075, "A: e_g");
    near(a.bytes.fixed, 7.05523876e10, "A: W_f");
    near(a.body_weights, 6.84510413e10, "A: N_b");
    near(a.active_weights, 6.95017144e10, "A: N_a");
    near(inference_context(&job), 1536, "A: s");
    near(64 * memory_kv_bytes_per_request(&job.shape, 1, 1536) / 4, 4.02653184e9, "A: KV read");
    near(a.all_reduces, 160, "A: n");
    near(a.all_reduce_seconds, 4.2e-6, "A: a_ar");
    near(a.pool.weights, 1.81634335e10, "A: W_gpu");
    near(a.pool.bytes_per_token, 40960, "A: kv_tok");
    near(a.pool.tokens, 2880425.98, "A: pool");
    near(a.pool.requests, 1406.458, "A: B_kv");
    near(served.batch, 64, "A: B");
    near(served.step.weights, 0.00442723316, "A: T_weight");
    near(served.step.kv_cache, 0.00101067566, "A: T_kv");
    near(served.step.gemm, 0.00185001549, "A: T_gemm");
    near(served.step.attention, 0.000120582825, "A: T_attn");
    near(served.step.all_reduce_latency, 0.001344, "A: T_ar latency");
    near(served.step.all_reduce_volume, 0.00109655007, "A: T_ar volume");
    near(served.step.launch, 0.00392, "A: launch");
    near(served.step.requests, 0.0003008, "A: requests");
    near(served.step.total, 0.0140698572, "A: step(64)");
    near(a.prefill.gemm, 0.0291527742, "A: m gemm");
    near(a.prefill.attention, 0.0006431084, "A: m attention");
    near(a.prefill.all_reduce, 0.0146206675, "A: m all-reduce");
    near(a.prefill.norms, 4 * 2 * 80 * 8192 * 1024.0 / (0.83 * 4.8e12),
         "A: m norms, whole on each of four GPUs");
    near(a.prefill.marginal, 0.0457641177, "A: m");
    near(a.prefill.weights, 0.00429537157, "A: f weights");
    near(a.prefill.launch, 0.00784, "A: f launch");
    near(a.prefill.fixed, 0.0121353716, "A: f");
    near(a.prefill.one, 0.0578994893, "A: t_pre(1)");
    near(served.tpot, 0.016885423, "A: TPOT");
    near(served.ttft, 0.296356278, "A: TTFT");
    near(open_ttft(&job, 64), 0.097168673, "A: TTFT, nobody started together");
    near(static_seconds(&job, 64), 17.3345028, "A: static");
    near(batch, 1406.458, "A: offline B");
    near(inference_step(&a, batch, 1536).total, 0.105915464, "A: offline step");
    near(rate, 8338.57936, "A: X");
    u = inference_interval(&a, inference_interval_kind(&a, 64));
    is_near(served.tpot / u, 0.0140711859, 1e-7, "A: interval low");
    is_near(served.tpot * u, 0.0202625076, 1e-7, "A: interval high");
}

/* The example has a share of the peak for mixtures of its own, 0.57. */
static void example_b(void)
{
    double *share = inference_constant(&constants, "e_gemm", ""), was = *share;
    *share = 0.57;
    struct inference_job job =
        job_of("deepseek-r1", "b200-sxm", 8, NUMBER_FP4, NUMBER_FP8, ENGINE_SGLANG, 1024, 1024);
    struct inference b = inference_of(&constants, &job);
    struct served served = inference_serve(&b, 64);
    double batch, rate = inference_offline(&b, &batch);

    near(job.shape.attention_weights, 187105280, "B: A");
    near(job.shape.dense_ffn_weights, 3743416320, "B: F");
    near(job.shape.expert_weights, 44040192, "B: x");
    near(job.shape.kv_elements, 576, "B: kappa");
    near(job.shape.prefill_key_dim, 192, "B: q_k");
    near(job.shape.prefill_value_dim, 128, "B: q_v");
    near(job.shape.decode_head_work, 1088, "B: delta");
    near(job.gpu->memory_bytes, 192265846784, "B: M");
    near(b.gemm_share, 0.285, "B: e_g");
    near(b.bytes.fixed, 2.67858739e10, "B: W_f");
    near(b.bytes.expert, 1.43681126e9, "B: W_e");
    near(b.body_weights, 3.55914875e10, "B: N_b");
    near(b.active_weights, 3.65181665e10, "B: N_a");
    near(b.all_reduces, 122, "B: n");
    near(b.all_reduce_seconds, 4.2e-6, "B: a_ar");
    near(b.pool.weights, 4.95578644e10, "B: W_gpu");
    near(b.pool.bytes_per_token, 35136, "B: kv_tok");
    near(b.pool.tokens, 3617007.74, "B: pool");
    near(64 * 1536 * b.pool.bytes_per_token, 3.45400934e9, "B: KV read");
    near((served.step.weights * 8 * 0.83 * 7.7e12 - b.bytes.fixed) / b.bytes.expert, 172.463158,
         "B: E_d");
    near(served.step.weights, 0.00537049917, "B: T_weight");
    near(served.step.kv_cache, 0.000540448966, "B: T_kv");
    near(served.step.gemm, 0.000227793631, "B: T_gemm");
    near(served.step.attention, 8.5915916e-05, "B: T_attn, in FP8");
    near(served.step.all_reduce_latency, 0.0010248, "B: T_ar latency");
    near(served.step.all_reduce_volume, 0.00042676929, "B: T_ar volume");
    near(served.step.launch, 0.005366, "B: launch");
    near(served.step.requests, 0.0017728, "B: requests");
    near(served.step.total, 0.014815027, "B: step(64)");
    near(b.prefill.gemm, 0.00355221084, "B: m gemm");
    /* 7,168 to 2,112 in each layer, whole on each GPU. */
    near(b.prefill.latent, 2 * 61 * 1024 * 7168 * 2112.0 * 7 / 8 / (0.285 * 9e15), "B: m latent");
    near(b.prefill.attention, 0.000914707479, "B: m attention");
    near(b.prefill.all_reduce, 0.00438962698, "B: m all-reduce");
    near(b.prefill.marginal, 0.00941701089, "B: m");
    near(b.prefill.weights, 0.00768182208, "B: f weights");
    near(b.prefill.launch, 0.009514, "B: f launch");
    near(b.prefill.fixed, 0.0171958221, "B: f");
    near(b.prefill.one, 0.026612833, "B: t_pre(1)");
    near(served.tpot, 0.0153943939, "B: TPOT");
    near(served.ttft, 0.344567136, "B: TTFT");
    near(open_ttft(&job, 64), 0.26476399, "B: TTFT, nobody started together");
    near(static_seconds(&job, 64), 15.7756571, "B: static");
    near(batch, 1766.11706, "B: offline B");
    near(inference_step(&b, batch, 1536).total, 0.0982541602, "B: offline step");
    near(rate, 15438.0929, "B: X");
    *share = was;
}

/* The example multiplies at the rate of FP32 accumulation. */
static void example_c(void)
{
    struct inference_job job =
        job_of("llama-3.1-8b", "rtx-4090", 1, NUMBER_INT4, NUMBER_FP16, ENGINE_COMPILED, 128, 512);
    struct gpu card = *job.gpu;
    card.peak[PEAK_FP16_ACC16] = (double)NAN;
    double halved = inference_of(&constants, &job).prefill.gemm;
    job.gpu = &card;
    struct inference c = inference_of(&constants, &job);
    struct served served = inference_serve(&c, 1);

    near(job.shape.attention_weights, 41943040, "C: A");
    near(job.shape.dense_ffn_weights, 5637144576, "C: F");
    near(job.gpu->memory_bytes, 25757220864, "C: M");
    near(c.memory_share, 0.913, "C: e_m");
    near(c.weight_share, 0.913, "C: e_w");
    near(c.bytes.fixed, 4.74971374e9, "C: W_f");
    near(c.body_weights, 6.97932186e9, "C: N_b");
    near(c.active_weights, 7.50465843e9, "C: N_a");
    near(inference_context(&job), 384, "C: s");
    near(served.step.weights, 0.00516102694, "C: T_weight");
    near(served.step.kv_cache, 5.46902415e-5, "C: T_kv");
    near(served.step.gemm, 0.000121140572, "C: T_gemm");
    near(served.step.attention, 2.25682217e-6, "C: T_attn");
    near(served.step.launch, 0.001472, "C: launch");
    near(served.step.requests, 4.7e-6, "C: requests");
    near(served.tpot, 0.00681581457, "C: TPOT = step(1)");
    near(served.ttft, 0.018 + c.prefill.one, "C: who is alone waits for nobody");
    near(c.prefill.marginal, 0.0146145382, "C: m");
    near(c.prefill.gemm, 0.014420552, "C: m gemm");
    near(halved, 0.014420552 * 165.2 / 330.3, "C: and at the rate of FP16 accumulation");
    near(c.prefill.attention, 4.81455396e-5, "C: m attention");
    near(c.prefill.fixed, 0.00696336815, "C: f");
    near(c.prefill.weights, 0.00401936815, "C: f weights");
    near(c.prefill.launch, 0.002944, "C: f launch");
    near(c.prefill.one, 0.0215779063, "C: t_pre(1)");
    near(static_seconds(&job, 1), 3.50445915, "C: static");
    near(c.pool.tokens, 126733.021, "C: pool");
    near(c.pool.requests, 198.020346, "C: B_kv");
}

/* The example reads widened fp4 as fast as the GPU's own formats. */
/* The example has a share of the peak for widened mixtures of its own, 0.57 x 0.50. */
static void example_d(void)
{
    double *share = inference_constant(&constants, "e_gemm", ""), was = *share;
    *share = 0.285;
    struct inference_job job = job_of("gpt-oss-120b", "h100-sxm5-80gb", 2, NUMBER_FP4, NUMBER_FP8,
                                      ENGINE_VLLM, 1024, 1024);
    struct inference_constants unwidened = constants;
    double widened = inference_of(&constants, &job).prefill.weights, step;
    unwidened.f_wo = 1;
    struct inference d = inference_of(&unwidened, &job);
    struct served served = inference_serve(&d, 16);

    near(job.shape.attention_weights, 26542080, "D: A");
    near(job.shape.expert_weights, 24883200, "D: x");
    near(job.shape.kv_elements, 1024, "D: kappa");
    ok(job.shape.full_layers == 18 && job.shape.sliding_layers == 18 && job.shape.window == 128,
       "D: half of the layers slide over 128 tokens");
    near(d.gemm_share, 0.285, "D: e_g");
    near(d.peak, 9.894e14, "D: fp4 weights are multiplied in 16 bit");
    near(d.bytes.fixed, 3.06929664e9, "D: W_f");
    near(d.bytes.expert, 503884800, "D: W_e");
    near((served.step.weights * 2 * 0.83 * 3.35e12 - d.bytes.fixed) / d.bytes.expert, 43.5744681,
         "D: E_d");
    near(16 * memory_kv_bytes_per_request(&job.shape, 1, 1536) / 2, 245366784, "D: KV read");
    near(served.step.weights, 0.00450023535, "D: T_weight");
    near(served.step.kv_cache, 8.82455616e-5, "D: T_kv");
    near(served.step.gemm, 0.000290394909, "D: T_gemm");
    near(served.step.attention, 7.34801607e-6, "D: T_attn");
    near(served.step.all_reduce_latency, 0.0003024, "D: T_ar latency");
    near(served.step.all_reduce_volume, 2.89129412e-5, "D: T_ar volume");
    near(served.step.launch, 0.00252, "D: launch");
    near(served.step.requests, 7.52e-5, "D: requests");
    near(served.step.total, 0.00781273678, "D: step(16)");
    near(d.prefill.gemm, 0.0164821649, "D: m gemm");
    near(d.prefill.attention, 0.000180874238, "D: m attention");
    near(d.prefill.all_reduce, 0.00185042824, "D: m all-reduce");
    near(d.prefill.marginal, 0.0188189328, "D: m");
    near(d.prefill.weights, 0.0119417882, "D: f weights");
    near(widened, 0.0119417882 / 0.8, "D: and widened, as weight-only int8");
    near(d.prefill.launch, 0.004284, "D: f launch");
    near(d.prefill.fixed, 0.0162257882, "D: f");
    near(d.prefill.one, 0.035044721, "D: t_pre(1)");
    near(served.tpot, 0.00808840474, "D: TPOT");
    near(served.ttft, 0.0900017911, "D: TTFT");
    near(d.pool.tokens, 4849453.22, "D: pool");
    near(d.pool.requests_unbounded, 2367.89708, "D: B_kv without the windows");
    near(d.pool.requests_unbounded / d.pool.requests, 1 + 128.0 / 2048,
         "D: the windows take their share of a request");
    step = inference_step(&d, 2048, 1536).total;
    near(step, 0.0775325148, "D: step(2048)");
    near(1024 / (1024 / 2048.0 * step + d.prefill.marginal), 17782.3499, "D: X at 2048");
    *share = was;
}

static void queue_check(void)
{
    static const double at[][2] = {{1, 0.017200},  {5, 0.021222},   {25, 0.041328},
                                   {50, 0.066460}, {100, 0.111969}, {250, 0.111969}};
    /* NVIDIA NIM 1.8, 2 x H100: docs.nvidia.com/nim/benchmarking/llm/1.0.0/performance; a run long
     * enough to forget how it started. Left out is 100, just above what the
     * pool holds: 8.0 s measured, 3.6 s estimated. */
    static const double measured[][2] = {{1, 0.40677},  {5, 0.5467},    {25, 0.68869},
                                         {50, 0.83451}, {150, 34.7942}, {200, 61.6802},
                                         {250, 88.6053}};
    struct inference_job job = job_of("llama-3.3-70b-instruct", "h100-sxm5-80gb", 2, NUMBER_FP8,
                                      NUMBER_FP8, ENGINE_TENSORRT_LLM, 5000, 500);
    struct inference q = inference_of(&constants, &job);

    near(q.pool.requests, 95.2693, "queue: B_kv");
    for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++)
        is_near(inference_serve(&q, at[i][0]).tpot, at[i][1], 5e-7, "queue: TPOT at %g", at[i][0]);
    for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++)
        is_near(open_ttft(&job, measured[i][0]), measured[i][1], 0.17, "queue: TTFT at %g",
                measured[i][0]);
    ok(open_ttft(&job, 50) < inference_serve(&q, 50).ttft / 2,
       "queue: who starts together waits longer");
}

static void intervals(void)
{
    struct inference_job job = job_of("llama-3.1-8b", "h100-sxm5-80gb", 1, NUMBER_BF16, NUMBER_BF16,
                                      ENGINE_UNSPECIFIED, 128, 512);
    struct inference i = inference_of(&constants, &job);

    is_near(inference_interval(&i, inference_interval_kind(&i, 8)), 1.44, 1e-9,
            "engine not stated: the served factor is squared");
    is_near(inference_interval(&i, inference_interval_kind(&i, 1)), 1.3225, 1e-9,
            "and that of one stream");
    job.engine = ENGINE_LLAMA_CPP;
    i = inference_of(&constants, &job);
    is_near(inference_interval(&i, inference_interval_kind(&i, 1)), 1.30, 1e-9,
            "llama.cpp on HBM has its own");
    job.engine = ENGINE_VLLM;
    job.gpu = catalog_gpu(catalog, "mi300x");
    i = inference_of(&constants, &job);
    is_near(inference_interval(&i, inference_interval_kind(&i, 8)), 1.44, 1e-9,
            "not NVIDIA: squared too");
    is_near(i.gemm_share, 0.375, 1e-9, "and half the compute share on AMD");
}

static void links(void)
{
    struct inference_job job = job_of("llama-3.1-8b", "h100-pcie-80gb", 2, NUMBER_BF16, NUMBER_BF16,
                                      ENGINE_VLLM, 128, 512);
    struct inference i = inference_of(&constants, &job);

    ok(!i.over_link, "a bridge counts as PCIe");
    near(i.all_reduce_seconds, 140e-6 * 31.5e9 / 63.02e9, "with its latency, by generation");
    job.bridged = true;
    i = inference_of(&constants, &job);
    ok(i.over_link && i.link_rate == 300e9, "unless it is said to be there");
    job.gpu = catalog_gpu(catalog, "l40s");
    job.tensor = 4;
    i = inference_of(&constants, &job);
    ok(!i.over_link && i.link_rate == job.gpu->pcie_rate, "no link: PCIe");
    near(i.all_reduce_seconds, 140e-6 * 31.5 / 31.51, "whose latency does not grow with t");
}

/* A recurrent state is read and written once a step by every request, however long it is. */
static void states(void)
{
    struct inference_job job =
        job_of("qwen3.5-397b-a17b", "b200-sxm", 8, NUMBER_FP8, NUMBER_FP8, ENGINE_VLLM, 1024, 1024);
    struct inference i = inference_of(&constants, &job);
    struct step step = inference_step(&i, 64, 1536);

    near(step.state, 2 * 64 * 45 * 1085440.0 * 4 / (8 * 0.83 * job.gpu->memory_bandwidth),
         "a state per request and layer, both ways");
    ok(inference_step(&i, 64, 8192).state == step.state, "whatever its context");
    job.tensor = 4;
    i = inference_of(&constants, &job);
    near(inference_step(&i, 64, 1536).state, 2 * step.state, "heads of it on each GPU");
    near(step.weights + step.kv_cache + step.state + step.gemm + step.attention +
             step.all_reduce_latency + step.all_reduce_volume + step.launch + step.requests,
         step.total, "in the sum");
    job.shape = model_shape_of(catalog_model(catalog, "llama-3.1-70b"));
    i = inference_of(&constants, &job);
    ok(inference_step(&i, 64, 1536).state == 0, "none without such layers");
}

/* What must hold for any sensible figures, across the whole catalogue. */
static void orders(void)
{
    size_t faster = 0, growing = 0, n = 0;

    for (size_t m = 0; m < catalog->n_models; m++) {
        struct inference_job job = job_of(catalog->models[m].slug, "h200-sxm5-141gb", 1,
                                          NUMBER_BF16, NUMBER_BF16, ENGINE_VLLM, 512, 256);
        struct inference one = inference_of(&constants, &job);
        job.weight_format = NUMBER_FP8;
        struct inference narrow = inference_of(&constants, &job);
        double a = inference_step(&one, 1, 512).total, b = inference_step(&one, 8, 512).total;
        n++;
        faster += inference_step(&narrow, 1, 512).weights < inference_step(&one, 1, 512).weights;
        growing += a < b && b < 8 * a && inference_step(&one, 8, 1024).total >= b;
    }
    ok(n > 0 && faster == n, "fewer bytes per weight are read faster, for all %zu models", n);
    ok(growing == n, "a batch costs more than one request and less than so many, for all");
}

/* The constants the examples were worked with. All-reduces of prompts on Hopper and Blackwell are
 * done by the switches since: m has (t + 1)/t of them in A and B where the examples had 2 (t -
 * 1)/t. Those of tokens wait once or twice, not log2(t) times: B has two rounds where it had three.
 * m has the norms since, which the examples had not. */
static void set_reference(void)
{
    static const struct {
        const char *key, *scope;
        double value;
    } rows[] = {{"e_mem", "", 0.83},
                {"f_gddr", "", 1.10},
                {"f_wo", "", 0.64},
                {"e_gemm", "", 0.75},
                {"f_fp8", "", 0.81},
                {"f_fp4", "", 0.50},
                {"e_attn", "", 0.54},
                {"e_link", "", 0.51},
                {"a_nv", "", 4.2},
                {"a_pcie", "", 140},
                {"o_engine", "vllm", 49},
                {"o_engine", "tensorrt_llm", 45},
                {"o_engine", "sglang", 68},
                {"o_engine", "llama_cpp", 100},
                {"o_engine", "compiled", 46},
                {"o_engine", "unspecified", 48},
                {"o_mla", "", 0},
                {"o_shared", "", 0},
                {"o_quant", "", 0},
                {"f_experts", "", 1},
                {"f_fused", "", 1},
                {"c_route", "", 0},
                {"o_moe", "", 21},
                {"b_req", "", 4.7},
                {"b_sglang", "", 23},
                {"c_pre", "", 2},
                {"l_gemm", "", 0.5},
                {"l_attn", "", 0.11},
                {"interference_share", "sglang", 1},
                {"receive_interval", "sglang_few", 1},
                {"receive_interval", "sglang_many", 1},
                {"ttft_request", "", 18000},
                {"ttft_moe_layer", "sglang", 3400},
                {"f_amd", "", 0.5},
                {"interval_factor", "served_dense", 1.20},
                {"interval_factor", "one_stream", 1.15},
                {"interval_factor", "one_stream_llama_cpp_hbm", 1.30}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        *inference_constant(&constants, rows[i].key, rows[i].scope) = rows[i].value;
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(inference_constants_load(catalog, &constants, &err), &err);
    set_reference();
    example_a();
    example_b();
    example_c();
    example_d();
    queue_check();
    intervals();
    links();
    states();
    orders();
    catalog_free(catalog);
    return tap_done();
}
