#include "estimate/inference/release.h"

enum { MINORS = 1000 }; /* "0.7.3" is 7, "1.2.0" is 1,002 */

/* V1 is the default from 0.8.0 on (vllm-project/vllm, release notes, March 2025). */
static const long VLLM_V1 = 8;
/* New defaults for Triton's kernels of experts were merged after 18 February 2026
 * (vllm-project/vllm#34846); 0.17 is of 7 March. */
static const long VLLM_TUNED_EXPERTS = 17;
/* InferenceX's recipe of DeepSeek-R1 on B200 changes from DEEPGEMM to TRTLLM with 1.2
 * (SemiAnalysisAI/ InferenceX, benchmarks/dsr1_fp8_b200_trt_slurm.sh and benchmarks/single_node).
 */
static const long TENSORRT_LLM_FUSED_FP8 = 1 * MINORS + 2;
/* NVIDIA's tables of 0.20 are the first of the PyTorch runtime. */
static const long TENSORRT_LLM_PYTORCH = 20;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The digits that `*at` begins with, after which it then is; -1 without any, or if too many. */
static long number_at(const char **at)
{
    long number = is_digit(**at) ? 0 : -1;

    for (; is_digit(**at); ++*at)
        number = number < MINORS ? number * 10 + (**at - '0') : MINORS;
    return number < MINORS ? number : -1;
}

/* -1 if it is no version. */
static long release_of(const char *version)
{
    const char *at = version + (*version == 'v');
    long major = number_at(&at);

    if (major < 0 || *at++ != '.')
        return -1;
    long minor = number_at(&at);
    return minor < 0 ? -1 : major * MINORS + minor;
}

bool release_matters(enum engine engine)
{
    return engine == ENGINE_VLLM || engine == ENGINE_TENSORRT_LLM;
}

bool release_is_version(const char *version)
{
    return release_of(version) >= 0;
}

void release_apply(struct inference_job *job, const char *version)
{
    long release = release_of(version);

    if (release < 0)
        return;
    job->host_between_steps = job->engine == ENGINE_VLLM && release < VLLM_V1;
    job->untuned_experts = job->engine == ENGINE_VLLM && release < VLLM_TUNED_EXPERTS;
    job->early_experts = job->engine == ENGINE_TENSORRT_LLM && release < TENSORRT_LLM_FUSED_FP8;
    job->built_engine |= job->engine == ENGINE_TENSORRT_LLM && release < TENSORRT_LLM_PYTORCH;
}
