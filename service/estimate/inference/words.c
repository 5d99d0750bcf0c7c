#include "estimate/inference/words.h"

static const char *const numbers[NUMBER_COUNT] = {"fp32",   "fp16",   "bf16",   "fp8",  "int8",
                                                  "int4",   "fp4",    "nf4",    "q8_0", "q6_k",
                                                  "q5_k_m", "q4_k_m", "q3_k_m", "q2_k"};
static const char *const engines[ENGINE_COUNT] = {"unspecified", "vllm",      "tensorrt_llm",
                                                  "sglang",      "llama_cpp", "compiled"};

/* Case-insensitive comparison; `lower` is in lower case. */
static bool same(const char *lower, const char *word)
{
    for (; *lower && (*word >= 'A' && *word <= 'Z' ? *word - 'A' + 'a' : *word) == *lower; word++)
        lower++;
    return *lower == *word;
}

const char *words_of_number(enum number format)
{
    return numbers[format];
}

bool words_find_number(const char *word, enum number *format)
{
    for (int i = 0; i < NUMBER_COUNT; i++)
        if (same(numbers[i], word)) {
            *format = (enum number)i;
            return true;
        }
    return false;
}

bool words_find_engine(const char *word, enum engine *engine)
{
    for (int i = 0; i < ENGINE_COUNT; i++)
        if (same(engines[i], word)) {
            *engine = (enum engine)i;
            return true;
        }
    return false;
}
