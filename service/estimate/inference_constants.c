#include "catalog/constants.h"
#include "estimate/inference.h"

#include <math.h>
#include <stddef.h>

#define ROW(member, key, scope) CONSTANT(struct inference_constants, member, key, scope)
#define END(member, key, scope, end)                                  \
    {                                                                 \
        key, scope, end, offsetof(struct inference_constants, member) \
    }
#define TTFT(engine, scope)                                       \
    END(ttft_low[engine], "ttft_range_factor", scope, BOUND_LOW), \
        END(ttft_high[engine], "ttft_range_factor", scope, BOUND_HIGH)

#define ENGINE(engine, pass, block)                                        \
    ROW(engine_memory[engine].pass_tokens, "max_pass_tokens", pass),       \
        ROW(engine_memory[engine].block_tokens, "kv_block_tokens", block), \
        ROW(engine_memory[engine].score_bytes, "attention_score_bytes", "")

static const struct constant table[] = {
    ROW(e_mem, "e_mem", ""),
    ROW(f_gddr, "f_gddr", ""),
    ROW(f_wo, "f_wo", ""),
    ROW(e_gemm, "e_gemm", ""),
    ROW(e_moe, "e_moe", ""),
    ROW(f_fp8, "f_fp8", ""),
    ROW(f_fp4, "f_fp4", ""),
    ROW(e_attn, "e_attn", ""),
    ROW(e_link, "e_link", ""),
    ROW(l_gemm, "l_gemm", ""),
    ROW(l_attn, "l_attn", ""),
    ROW(f_amd, "f_amd", ""),
    ROW(a_nv_us, "a_nv", ""),
    ROW(a_pcie_us, "a_pcie", ""),
    ROW(o_engine_us[ENGINE_UNSPECIFIED], "o_engine", "unspecified"),
    ROW(o_engine_us[ENGINE_VLLM], "o_engine", "vllm"),
    ROW(o_engine_us[ENGINE_TENSORRT_LLM], "o_engine", "tensorrt_llm"),
    ROW(o_engine_us[ENGINE_SGLANG], "o_engine", "sglang"),
    ROW(o_engine_us[ENGINE_LLAMA_CPP], "o_engine", "llama_cpp"),
    ROW(o_engine_us[ENGINE_COMPILED], "o_engine", "compiled"),
    ROW(o_moe_us, "o_moe", ""),
    ROW(o_mla_us, "o_mla", ""),
    ROW(b_req_us, "b_req", ""),
    ROW(b_sglang_us, "b_sglang", ""),
    ROW(c_pre, "c_pre", ""),
    ROW(b_max, "b_max", ""),
    ROW(prefill_utilization, "prefill_utilization", ""),
    ROW(ttft_request_us, "ttft_request", ""),
    ROW(ttft_token_us, "ttft_prompt_token", ""),
    ROW(ttft_moe_layer_us[ENGINE_UNSPECIFIED], "ttft_moe_layer", ""),
    ROW(ttft_moe_layer_us[ENGINE_VLLM], "ttft_moe_layer", "vllm"),
    ROW(ttft_moe_layer_us[ENGINE_TENSORRT_LLM], "ttft_moe_layer", "tensorrt_llm"),
    ROW(ttft_moe_layer_us[ENGINE_SGLANG], "ttft_moe_layer", "sglang"),
    ROW(ttft_moe_layer_us[ENGINE_LLAMA_CPP], "ttft_moe_layer", ""),
    ROW(ttft_moe_layer_us[ENGINE_COMPILED], "ttft_moe_layer", ""),
    ROW(ttft_steps, "ttft_step_count", ""),
    ROW(ttft_pass_tokens, "ttft_pass_tokens", ""),
    ROW(ttft_requests, "ttft_requests_per_client", ""),
    TTFT(ENGINE_UNSPECIFIED, ""),
    TTFT(ENGINE_VLLM, "vllm"),
    TTFT(ENGINE_TENSORRT_LLM, "tensorrt_llm"),
    TTFT(ENGINE_SGLANG, "sglang"),
    TTFT(ENGINE_LLAMA_CPP, ""),
    TTFT(ENGINE_COMPILED, ""),
    ROW(interval[INTERVAL_SERVED_DENSE], "interval_factor", "served_dense"),
    ROW(interval[INTERVAL_SERVED_MOE], "interval_factor", "served_moe"),
    ROW(interval[INTERVAL_ONE_STREAM], "interval_factor", "one_stream"),
    ROW(interval[INTERVAL_ONE_STREAM_LLAMA_CPP_HBM], "interval_factor", "one_stream_llama_cpp_hbm"),
    ROW(interval[INTERVAL_OFFLINE_DENSE], "interval_factor", "offline_dense"),
    ROW(interval[INTERVAL_OFFLINE_MOE], "interval_factor", "offline_moe"),
    ROW(interval[INTERVAL_STATIC], "interval_factor", "static"),
    ROW(interval[INTERVAL_PREFILL], "interval_factor", "prefill"),
    ROW(interval[INTERVAL_PREFILL_LLAMA_CPP], "interval_factor", "prefill_llama_cpp"),
    ROW(prefill_chunk_tokens, "prefill_chunk_tokens", ""),
    NETWORK_RATES(struct inference_constants),
    ROW(memory.bytes[NUMBER_FP32], "bytes_per_weight", "fp32"),
    ROW(memory.bytes[NUMBER_FP16], "bytes_per_weight", "bf16"),
    ROW(memory.bytes[NUMBER_BF16], "bytes_per_weight", "bf16"),
    ROW(memory.bytes[NUMBER_FP8], "bytes_per_weight", "fp8"),
    ROW(memory.bytes[NUMBER_INT8], "bytes_per_weight", "int8"),
    ROW(memory.bytes[NUMBER_INT4], "bytes_per_weight", "int4"),
    ROW(memory.bytes[NUMBER_FP4], "bytes_per_weight", "fp4"),
    ROW(memory.bytes[NUMBER_NF4], "bytes_per_weight", "nf4"),
    ROW(memory.bytes[NUMBER_Q8_0], "bytes_per_weight", "gguf_q8_0"),
    ROW(memory.bytes[NUMBER_Q6_K], "bytes_per_weight", "gguf_q6_k"),
    ROW(memory.bytes[NUMBER_Q5_K_M], "bytes_per_weight", "gguf_q5_k_m"),
    ROW(memory.bytes[NUMBER_Q3_K_M], "bytes_per_weight", "gguf_q3_k_m"),
    ROW(memory.bytes[NUMBER_Q2_K], "bytes_per_weight", "gguf_q2_k"),
    END(memory.bytes_gguf_low, "bytes_per_weight", "gguf_q4_k_m", BOUND_LOW),
    END(memory.bytes_gguf_high, "bytes_per_weight", "gguf_q4_k_m", BOUND_HIGH),
    ROW(memory.bytes_head, "bytes_per_weight", "head"),
    ROW(memory.bytes_attention_fp4_moe, "bytes_per_weight", "attention_fp4_moe"),
    ROW(memory.kv_bytes_16bit, "bytes_per_kv_element", "bf16"),
    ROW(memory.kv_bytes_8bit, "bytes_per_kv_element", "fp8"),
    ROW(memory.state_bytes, "bytes_per_state_element", ""),
    ROW(memory.reserve_bytes, "reserve", ""),
    ROW(memory.context_gib, "non_torch_memory_gib", "tp1"),
    ROW(memory.context_split_gib, "non_torch_memory_gib", "tp2"),
    ENGINE(ENGINE_UNSPECIFIED, "unspecified", "unspecified"),
    ENGINE(ENGINE_VLLM, "", ""),
    ENGINE(ENGINE_TENSORRT_LLM, "", "tensorrt_llm"),
    ENGINE(ENGINE_SGLANG, "", "sglang"),
    ENGINE(ENGINE_COMPILED, "compiled", "compiled"),
    ROW(engine_memory[ENGINE_LLAMA_CPP].pass_tokens, "prefill_chunk_tokens", ""),
    ROW(engine_memory[ENGINE_LLAMA_CPP].block_tokens, "kv_block_tokens", "llama_cpp"),
    ROW(engine_memory[ENGINE_LLAMA_CPP].score_bytes, "attention_score_bytes", "llama_cpp"),
};

void inference_constants_keep(struct catalog *catalog)
{
    constants_keep(catalog, table, sizeof(table) / sizeof(table[0]),
                   sizeof(struct inference_constants));
}

bool inference_constants_load(const struct catalog *catalog, struct inference_constants *constants,
                              struct err *err)
{
    return constants_fill(catalog, table, sizeof(table) / sizeof(table[0]), constants, err);
}

double *inference_constant(struct inference_constants *constants, const char *key,
                           const char *scope)
{
    return constants_find(table, sizeof(table) / sizeof(table[0]), key, scope, constants);
}
