#include "api/options/advice.h"

#define TABLE advice_row
#define TABLE_FILE "api/options/advice_row.def"
#include "base/field/table.h"
const struct fields advice_fields = FIELDS_INIT(advice_row_rows);

/* Source read on 2026-11-26. */
static const struct advice_row nvidia_clocks = {
    .topic = "clocks",
    .advice = "These times assume that the GPUs hold their clocks. Watch the clock event reasons "
              "of nvidia-smi or DCGM: a thermal, power-cap or power-brake slowdown means that "
              "cooling or power supply is too weak for the load",
    .source_url = "https://docs.nvidia.com/deploy/nvml-api/api/group__nvmlClocksEventReasons.html",
};
static const struct advice_row amd_clocks = {
    .topic = "clocks",
    .advice = "These times assume that the GPUs hold their clocks. Watch the violations that "
              "amd-smi reports: power or thermal throttling means that cooling or power supply is "
              "too weak for the load",
    .source_url =
        "https://rocm.docs.amd.com/projects/amdsmi/en/develop/conceptual/gpu-violations.html",
};
static const struct advice_row network = {
    .topic = "network",
    .advice = "NCCL picks the network interfaces itself, and may pick one that does not connect "
              "the servers: it then fails or hangs. Name them in NCCL_SOCKET_IFNAME, and test the "
              "InfiniBand or RoCE ports before the first run",
    .source_url = "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting/"
                  "networking_troubleshooting.html",
};
static const struct advice_row data_loading = {
    .topic = "data_loading",
    .advice = "No time is counted for reading data. PyTorch's DataLoader reads it between steps "
              "unless num_workers is above 0; pin_memory=True makes copies to the GPU faster and "
              "asynchronous",
    .source_url = "https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide",
};
static const struct advice_row cuda_graphs = {
    .topic = "cuda_graphs",
    .advice = "These times assume CUDA graphs, which spare the host's work in every step. "
              "--enforce-eager turns them off: leave it out in production",
    .source_url = "https://docs.vllm.ai/en/v0.11.1/design/debug_vllm_compile/",
};

static const struct advice_row recompute = {
    .topic = "recompute",
    .advice = "recompute_layers is the least that leaves memory free, in all stages together, and "
              "trainers take whole layers: divide it by pipeline_parallel and round up. In "
              "Megatron-LM that is "
              "--recompute-num-layers, with --recompute-granularity full and --recompute-method "
              "block; in PyTorch, wrap that many blocks in activation checkpointing",
    .source_url = "https://github.com/NVIDIA/Megatron-LM/blob/main/megatron/training/arguments.py",
};

/* Source read on 2026-11-29. */
static const struct advice_row recompute_all = {
    .topic = "recompute",
    .advice = "All activations are recomputed, as trainers for fine-tuning do by default (gradient "
              "checkpointing). Where memory is free, recompute=partial asks for the least "
              "recomputation that fits, which takes less time; set your trainer accordingly",
    .source_url = "https://github.com/huggingface/trl/blob/main/trl/trainer/sft_config.py",
};

void advice_answer(struct request_context *context, const struct advice_about *about)
{
    enum { ROWS_MAX = 6 };
    struct advice_row *rows = arena_alloc(context->arena, ROWS_MAX * sizeof(*rows));
    bool nvidia = gpu_is_nvidia(about->gpu);
    size_t n = 0;

    if (nvidia)
        rows[n++] = nvidia_clocks;
    else if (gpu_is_amd(about->gpu))
        rows[n++] = amd_clocks;
    if (about->graphs && nvidia)
        rows[n++] = cuda_graphs;
    if (about->over_servers && nvidia)
        rows[n++] = network;
    if (about->trains)
        rows[n++] = data_loading;
    if (about->recomputes_layers)
        rows[n++] = recompute;
    if (about->recomputes_all)
        rows[n++] = recompute_all;
    context_table(context, "advice", rows, n, sizeof(*rows));
}
