#include "catalog/constants.h"
#include "estimate/inference/inference.h"

#include <math.h>
#include <stddef.h>

#define ROW(member, key, scope, ...) \
    CONSTANT(struct inference_constants, member, key, scope, __VA_ARGS__)
#define END(member, key, scope, end, ...) \
    CONSTANT_BOUND(struct inference_constants, member, key, scope, end, __VA_ARGS__)
#define TTFT(engine, scope)                                                    \
    END(ttft_low[engine], "ttft_range_factor", scope, BOUND_LOW, RANGE_SHARE), \
        END(ttft_high[engine], "ttft_range_factor", scope, BOUND_HIGH, RANGE_ABOVE)

#define ENGINE(engine, pass, block)                                                        \
    ROW(engine_memory[engine].pass_tokens, "max_pass_tokens", pass, RANGE_AMOUNT),         \
        ROW(engine_memory[engine].block_tokens, "kv_block_tokens", block, RANGE_POSITIVE), \
        ROW(engine_memory[engine].score_bytes, "attention_score_bytes", "", RANGE_AMOUNT)

static const struct constant table[] = {
    ROW(e_mem, "e_mem", "", RANGE_SHARE),
    ROW(f_gddr, "f_gddr", "", RANGE_POSITIVE),
    ROW(f_wo, "f_wo", "", RANGE_POSITIVE),
    ROW(e_gemm, "e_gemm", "", RANGE_SHARE),
    ROW(f_fp8, "f_fp8", "", RANGE_POSITIVE),
    ROW(f_fp4, "f_fp4", "", RANGE_POSITIVE),
    ROW(e_attn, "e_attn", "", RANGE_SHARE),
    ROW(e_sparse, "e_sparse", "", RANGE_SHARE),
    ROW(e_index, "e_index", "", RANGE_SHARE),
    ROW(c_index_us, "c_index", "", RANGE_AMOUNT),
    ROW(e_link, "e_link", "", RANGE_SHARE),
    ROW(e_exchange, "e_exchange", "", RANGE_SHARE),
    ROW(e_exchange_link, "e_exchange", "link", RANGE_SHARE),
    ROW(l_gemm, "l_gemm", "", RANGE_SHARE),
    ROW(l_attn, "l_attn", "", RANGE_SHARE),
    ROW(l_power, "l_power", "", RANGE_AMOUNT),
    ROW(l_score, "l_score", "", RANGE_AMOUNT),
    ROW(f_amd, "f_amd", "", RANGE_POSITIVE),
    ROW(l_amd, "l_amd", "", RANGE_POSITIVE),
    ROW(amd_power, "amd_power", "", RANGE_AMOUNT),
    ROW(amd_per_watt, "amd_per_watt", "", RANGE_POSITIVE),
    ROW(hopper_per_watt, "hopper_per_watt", "", RANGE_POSITIVE),
    ROW(a_nv_us, "a_nv", "", RANGE_AMOUNT),
    ROW(a_pcie_us, "a_pcie", "", RANGE_AMOUNT),
    ROW(a_exchange_us, "a_exchange", "tensorrt_llm", RANGE_AMOUNT),
    ROW(one_round_tokens, "all_reduce_one_round", "tensorrt_llm", RANGE_AMOUNT),
    ROW(o_engine_us[ENGINE_UNSPECIFIED], "o_engine", "unspecified", RANGE_AMOUNT),
    ROW(o_engine_us[ENGINE_VLLM], "o_engine", "vllm", RANGE_AMOUNT),
    ROW(o_engine_us[ENGINE_TENSORRT_LLM], "o_engine", "tensorrt_llm", RANGE_AMOUNT),
    ROW(o_engine_us[ENGINE_SGLANG], "o_engine", "sglang", RANGE_AMOUNT),
    ROW(o_engine_us[ENGINE_LLAMA_CPP], "o_engine", "llama_cpp", RANGE_AMOUNT),
    ROW(o_engine_us[ENGINE_COMPILED], "o_engine", "compiled", RANGE_AMOUNT),
    ROW(o_moe_us, "o_moe", "", RANGE_AMOUNT),
    ROW(o_index_us, "o_index", "", RANGE_AMOUNT),
    ROW(o_block_us, "o_block", "", RANGE_AMOUNT),
    ROW(o_widen_us, "o_widen", "", RANGE_AMOUNT),
    ROW(o_eager_us, "o_eager", "", RANGE_AMOUNT),
    ROW(interference_sglang, "interference_share", "sglang", RANGE_SHARE),
    ROW(receive_few, "receive_interval", "sglang_few", RANGE_POSITIVE),
    ROW(receive_many, "receive_interval", "sglang_many", RANGE_POSITIVE),
    ROW(receive_requests, "receive_interval_requests", "sglang", RANGE_POSITIVE),
    ROW(balance_steps, "balance_interval", "tensorrt_llm", RANGE_POSITIVE),
    ROW(o_mla_us, "o_mla", "", RANGE_AMOUNT),
    ROW(b_req_us, "b_req", "", RANGE_AMOUNT),
    ROW(b_sglang_us, "b_sglang", "", RANGE_AMOUNT),
    ROW(o_before_v1_us, "o_before_v1", "", RANGE_AMOUNT),
    ROW(b_before_v1_us, "b_before_v1", "", RANGE_AMOUNT),
    ROW(o_shared_us, "o_shared", "", RANGE_AMOUNT),
    ROW(o_shared_apart_us, "o_shared", "tensorrt_llm_fp8", RANGE_AMOUNT),
    ROW(o_quant_us, "o_quant", "", RANGE_AMOUNT),
    ROW(o_adapter_us, "o_adapter", "", RANGE_AMOUNT),
    ROW(f_experts, "f_experts", "", RANGE_POSITIVE),
    ROW(o_experts_amd_us, "o_experts_amd", "", RANGE_AMOUNT),
    ROW(o_sglang_amd_us, "o_sglang_amd", "", RANGE_AMOUNT),
    ROW(f_experts_amd, "f_experts_amd", "", RANGE_SHARE),
    ROW(f_block, "f_block", "", RANGE_SHARE),
    ROW(f_block_triton, "f_block_triton", "", RANGE_SHARE),
    ROW(f_untuned, "f_untuned", "", RANGE_SHARE),
    ROW(f_marlin, "f_marlin", "", RANGE_SHARE),
    ROW(f_fused, "f_fused", "", RANGE_POSITIVE),
    ROW(c_route, "c_route", "", RANGE_AMOUNT),
    ROW(f_latent, "f_latent", "", RANGE_SHARE),
    ROW(f_grace, "f_grace", "sglang", RANGE_ABOVE),
    ROW(c_scan, "c_scan", "", RANGE_AMOUNT),
    ROW(c_pre, "c_pre", "", RANGE_AMOUNT),
    ROW(image_patches, "image_patches_per_token", "", RANGE_POSITIVE),
    ROW(b_max, "b_max", "", RANGE_POSITIVE),
    ROW(prefill_utilization, "prefill_utilization", "", RANGE_SHARE),
    ROW(uneven, "expert_unevenness", "", RANGE_POSITIVE),
    ROW(exchange_slows, "exchange_slows", "", RANGE_SHARE),
    ROW(placed, "expert_unevenness", "placed", RANGE_POSITIVE),
    ROW(redundant, "expert_redundancy", "", RANGE_AMOUNT),
    ROW(router_apart, "router_apart", "", RANGE_POSITIVE),
    ROW(router_wait_share, "router_wait_share", "", RANGE_SHARE),
    ROW(router_answers_vary, "router_answers_vary", "", RANGE_POSITIVE),
    ROW(queue_room_left, "queue_room_left", "", RANGE_SHARE),
    ROW(swell, "swell_exponent", "", RANGE_AMOUNT),
    ROW(swell_few, "swell_exponent", "few", RANGE_AMOUNT),
    ROW(swell_alike, "swell_exponent", "alike", RANGE_AMOUNT),
    ROW(ttft_request_us, "ttft_request", "", RANGE_AMOUNT),
    ROW(ttft_token_us, "ttft_prompt_token", "", RANGE_AMOUNT),
    ROW(ttft_moe_layer_us[ENGINE_UNSPECIFIED], "ttft_moe_layer", "", RANGE_AMOUNT),
    ROW(ttft_moe_layer_us[ENGINE_VLLM], "ttft_moe_layer", "vllm", RANGE_AMOUNT),
    ROW(ttft_moe_layer_us[ENGINE_TENSORRT_LLM], "ttft_moe_layer", "tensorrt_llm", RANGE_AMOUNT),
    ROW(ttft_moe_layer_us[ENGINE_SGLANG], "ttft_moe_layer", "sglang", RANGE_AMOUNT),
    ROW(ttft_moe_layer_us[ENGINE_LLAMA_CPP], "ttft_moe_layer", "", RANGE_AMOUNT),
    ROW(ttft_moe_layer_us[ENGINE_COMPILED], "ttft_moe_layer", "", RANGE_AMOUNT),
    ROW(ttft_mla_layer_us, "ttft_mla_layer", "tensorrt_llm", RANGE_AMOUNT),
    ROW(ttft_turns[ENGINE_UNSPECIFIED], "ttft_turns", "", RANGE_AMOUNT),
    ROW(ttft_turns[ENGINE_VLLM], "ttft_turns", "", RANGE_AMOUNT),
    ROW(ttft_turns[ENGINE_TENSORRT_LLM], "ttft_turns", "tensorrt_llm", RANGE_AMOUNT),
    ROW(ttft_turns[ENGINE_SGLANG], "ttft_turns", "", RANGE_AMOUNT),
    ROW(ttft_turns[ENGINE_LLAMA_CPP], "ttft_turns", "", RANGE_AMOUNT),
    ROW(ttft_turns[ENGINE_COMPILED], "ttft_turns", "", RANGE_AMOUNT),
    ROW(ttft_steps, "ttft_step_count", "", RANGE_AMOUNT),
    ROW(handover_steps[ENGINE_UNSPECIFIED], "handover_steps", "", RANGE_AMOUNT),
    ROW(handover_steps[ENGINE_VLLM], "handover_steps", "", RANGE_AMOUNT),
    ROW(handover_steps[ENGINE_TENSORRT_LLM], "handover_steps", "tensorrt_llm", RANGE_AMOUNT),
    ROW(handover_steps[ENGINE_SGLANG], "handover_steps", "sglang", RANGE_AMOUNT),
    ROW(handover_steps[ENGINE_LLAMA_CPP], "handover_steps", "", RANGE_AMOUNT),
    ROW(handover_steps[ENGINE_COMPILED], "handover_steps", "", RANGE_AMOUNT),
    ROW(ttft_pass_tokens, "ttft_pass_tokens", "", RANGE_POSITIVE),
    ROW(ttft_requests, "ttft_requests_per_client", "", RANGE_AMOUNT),
    ROW(compile_seconds[0], "ttft_compile", "sglang_fp4", RANGE_AMOUNT),
    ROW(compile_seconds[1], "ttft_compile", "sglang", RANGE_AMOUNT),
    TTFT(ENGINE_UNSPECIFIED, ""),
    TTFT(ENGINE_VLLM, "vllm"),
    TTFT(ENGINE_TENSORRT_LLM, "tensorrt_llm"),
    TTFT(ENGINE_SGLANG, "sglang"),
    TTFT(ENGINE_LLAMA_CPP, ""),
    TTFT(ENGINE_COMPILED, ""),
    ROW(interval[INTERVAL_SERVED_DENSE], "interval_factor", "served_dense", RANGE_ABOVE),
    ROW(interval[INTERVAL_SERVED_DENSE_TENSORRT_LLM], "interval_factor",
        "served_dense_tensorrt_llm", RANGE_ABOVE),
    ROW(interval[INTERVAL_SERVED_DENSE_SGLANG], "interval_factor", "served_dense_sglang",
        RANGE_ABOVE),
    ROW(interval[INTERVAL_SERVED_MOE], "interval_factor", "served_moe", RANGE_ABOVE),
    ROW(interval[INTERVAL_SERVED_MOE_TENSORRT_LLM_FP4], "interval_factor",
        "served_moe_tensorrt_llm_fp4", RANGE_ABOVE),
    ROW(interval[INTERVAL_ONE_STREAM], "interval_factor", "one_stream", RANGE_ABOVE),
    ROW(interval[INTERVAL_ONE_STREAM_LLAMA_CPP_HBM], "interval_factor", "one_stream_llama_cpp_hbm",
        RANGE_ABOVE),
    ROW(interval[INTERVAL_OFFLINE_DENSE], "interval_factor", "offline_dense", RANGE_ABOVE),
    ROW(interval[INTERVAL_OFFLINE_MOE], "interval_factor", "offline_moe", RANGE_ABOVE),
    ROW(interval[INTERVAL_STATIC], "interval_factor", "static", RANGE_ABOVE),
    ROW(interval[INTERVAL_PREFILL], "interval_factor", "prefill", RANGE_ABOVE),
    ROW(interval[INTERVAL_PREFILL_LLAMA_CPP], "interval_factor", "prefill_llama_cpp", RANGE_ABOVE),
    ROW(prefill_chunk_tokens, "prefill_chunk_tokens", "", RANGE_POSITIVE),
    NETWORK_RATES(struct inference_constants),
    ROW(memory.bytes[NUMBER_FP32], "bytes_per_weight", "fp32", RANGE_POSITIVE),
    ROW(memory.bytes[NUMBER_FP16], "bytes_per_weight", "bf16", RANGE_POSITIVE),
    ROW(memory.bytes[NUMBER_BF16], "bytes_per_weight", "bf16", RANGE_POSITIVE),
    ROW(memory.bytes[NUMBER_FP8], "bytes_per_weight", "fp8", RANGE_POSITIVE),
    ROW(memory.bytes[NUMBER_INT8], "bytes_per_weight", "int8", RANGE_POSITIVE),
    ROW(memory.bytes[NUMBER_INT4], "bytes_per_weight", "int4", RANGE_POSITIVE),
    ROW(memory.bytes[NUMBER_FP4], "bytes_per_weight", "fp4", RANGE_POSITIVE),
    ROW(memory.bytes[NUMBER_NF4], "bytes_per_weight", "nf4", RANGE_POSITIVE),
    ROW(memory.bytes[NUMBER_Q8_0], "bytes_per_weight", "gguf_q8_0", RANGE_POSITIVE),
    ROW(memory.bytes_head, "bytes_per_weight", "head", RANGE_POSITIVE),
    ROW(memory.bytes_attention_fp4_moe, "bytes_per_weight", "attention_fp4_moe", RANGE_POSITIVE),
    ROW(memory.bytes_gguf_mxfp4, "bytes_per_weight", "gguf_mxfp4", RANGE_POSITIVE),
    ROW(memory.kv_bytes_16bit, "bytes_per_kv_element", "bf16", RANGE_POSITIVE),
    ROW(memory.kv_bytes_8bit, "bytes_per_kv_element", "fp8", RANGE_POSITIVE),
    ROW(memory.state_bytes, "bytes_per_state_element", "", RANGE_POSITIVE),
    ROW(memory.reserve_bytes, "reserve", "", RANGE_AMOUNT),
    ROW(memory.context_gib, "non_torch_memory_gib", "tp1", RANGE_AMOUNT),
    ROW(memory.context_split_gib, "non_torch_memory_gib", "tp2", RANGE_AMOUNT),
    ENGINE(ENGINE_UNSPECIFIED, "unspecified", "unspecified"),
    ENGINE(ENGINE_VLLM, "", ""),
    ENGINE(ENGINE_TENSORRT_LLM, "", "tensorrt_llm"),
    ENGINE(ENGINE_SGLANG, "", "sglang"),
    ENGINE(ENGINE_COMPILED, "compiled", "compiled"),
    ROW(engine_memory[ENGINE_LLAMA_CPP].pass_tokens, "prefill_chunk_tokens", "", RANGE_POSITIVE),
    ROW(engine_memory[ENGINE_LLAMA_CPP].block_tokens, "kv_block_tokens", "llama_cpp",
        RANGE_POSITIVE),
    ROW(engine_memory[ENGINE_LLAMA_CPP].score_bytes, "attention_score_bytes", "llama_cpp",
        RANGE_AMOUNT),
};

void inference_constants_memoize(struct catalog *catalog)
{
    constants_memoize(catalog, table, sizeof(table) / sizeof(table[0]),
                      sizeof(struct inference_constants));
}

bool inference_constants_load(const struct catalog *catalog, struct inference_constants *constants,
                              struct err *err)
{
    bool good = constants_fill(catalog, table, sizeof(table) / sizeof(table[0]), constants, err);

    constants->clock = constants->first_token = 1;
    return good;
}

void inference_constants_slow(struct inference_constants *c, double factor)
{
    double *const shares[] = {&c->e_mem,           &c->e_gemm,   &c->e_attn,
                              &c->l_attn,          &c->e_link,   &c->e_exchange,
                              &c->e_exchange_link, &c->e_sparse, &c->e_index};
    double *const times[] = {
        &c->a_nv_us,        &c->a_pcie_us,        &c->a_exchange_us, &c->o_mla_us,
        &c->o_index_us,     &c->o_block_us,       &c->o_widen_us,    &c->o_moe_us,
        &c->o_shared_us,    &c->b_req_us,         &c->b_sglang_us,   &c->o_quant_us,
        &c->o_eager_us,     &c->ttft_request_us,  &c->ttft_token_us, &c->ttft_mla_layer_us,
        &c->o_adapter_us,   &c->o_experts_amd_us, &c->c_scan,        &c->o_shared_apart_us,
        &c->o_before_v1_us, &c->b_before_v1_us,   &c->c_index_us,    &c->o_sglang_amd_us};

    c->clock *= factor;
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
        *shares[i] = fmin(1, *shares[i] / factor);
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        *times[i] *= factor;
    for (int i = 0; i < ENGINE_COUNT; i++) {
        c->o_engine_us[i] *= factor;
        c->ttft_moe_layer_us[i] *= factor;
    }
}

void inference_constants_widen(struct inference_constants *c, double token, double first)
{
    for (int i = 0; i < INTERVAL_COUNT; i++)
        c->interval[i] = pow(c->interval[i], token);
    for (int i = 0; i < ENGINE_COUNT; i++) {
        c->ttft_low[i] = pow(c->ttft_low[i], first);
        c->ttft_high[i] = pow(c->ttft_high[i], first);
    }
}

double *inference_constant(struct inference_constants *constants, const char *key,
                           const char *scope)
{
    return constants_find(table, sizeof(table) / sizeof(table[0]), key, scope, constants);
}
