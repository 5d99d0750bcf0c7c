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
    ROW(b_req_us, "b_req", ""),
    ROW(b_sglang_us, "b_sglang", ""),
    ROW(c_pre, "c_pre", ""),
    ROW(b_max, "b_max", ""),
    ROW(ttft_steps, "ttft_step_count", ""),
    ROW(ttft_prefills, "ttft_prefill_ratio", ""),
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
    ROW(prefill_chunk_tokens, "prefill_chunk_tokens", ""),
    NETWORK_RATES(struct inference_constants),
    ROW(memory.bytes_16bit, "bytes_per_weight", "bf16"),
    ROW(memory.bytes_fp8, "bytes_per_weight", "fp8"),
    ROW(memory.bytes_int8, "bytes_per_weight", "int8"),
    ROW(memory.bytes_int4, "bytes_per_weight", "int4"),
    ROW(memory.bytes_fp4, "bytes_per_weight", "fp4"),
    END(memory.bytes_gguf_low, "bytes_per_weight", "gguf_q4_k_m", BOUND_LOW),
    END(memory.bytes_gguf_high, "bytes_per_weight", "gguf_q4_k_m", BOUND_HIGH),
    ROW(memory.bytes_head, "bytes_per_weight", "head"),
    ROW(memory.bytes_attention_fp4_moe, "bytes_per_weight", "attention_fp4_moe"),
    ROW(memory.kv_bytes_16bit, "bytes_per_kv_element", "bf16"),
    ROW(memory.kv_bytes_8bit, "bytes_per_kv_element", "fp8"),
    ROW(memory.reserve_bytes, "reserve", ""),
};

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
