"""Designs for the models that people ask about most, compared with those that their makers and hosts publish.

DESIGNS.md is what these questions are answered today; GPUPLAN_UPDATE_PUBLISHED=1 writes it anew. What must stay
true whatever the fitted constants are is asserted here: nothing else of the file is compared."""
import os
import pathlib

import pytest

TABLE = pathlib.Path(__file__).with_name("DESIGNS.md")
SIZING, OPTIONS = "/v1/inference-sizing", "/v1/inference-sizing/options"
MODELS = {"DeepSeek-R1": "deepseek-r1", "DeepSeek-V3": "deepseek-v3", "Kimi K2": "kimi-k2-instruct",
          "Llama 3.1 70B": "llama-3.1-70b"}
RATES = (1, 10, 50, 200)  # requests a second
SERVICE = dict(input_tokens=2000, output_tokens=500, time_to_first_token_seconds_max=2,
               tokens_per_second_per_user_min=20)

# Who, with what, and the question that comes closest; `within` is what ours may be over theirs.
DAY = dict(tokens_per_day=776e9, input_tokens=3620, output_tokens=1000, prefix_cache_ratio=0.563,
           tokens_per_second_per_user_min=20)
PUBLISHED = {
    "DeepSeek, V3 and R1, a day of February 2025": dict(
        source="DeepSeek, Inference System Overview, 1 March 2025, as retold at analyticsvidhya.com/?p=224383 and "
               "deepseekaiinsights.blogspot.com/2025/03: 608 billion tokens in (56.3 % cached), 168 billion out, 20 to "
               "22 tokens/s each; prompts on units of 32 GPUs, answers on units of 144; lengths chosen at that ratio",
        says="226.75 nodes of 8 H800 on average, 278 at most: 1,814 and 2,224 GPUs", gpus=2224, within=(0.5, 1.5),
        asked=dict(model="deepseek-r1", gpu="h800-sxm5-80gb") | DAY),
    "SGLang, V3, 96 H100": dict(
        source="lmsys.org/blog/2025-05-05-large-scale-ep: 22.3 thousand tokens/s out per decoding node, prompts of "
               "2,000; 9 of 12 nodes decode, 201 thousand tokens/s; asked with answers of 1,000",
        says="96 GPUs, decoding over 72", gpus=96, within=(0.5, 1.5),
        asked=dict(model="deepseek-v3", gpu="h100-sxm5-80gb", requests_per_minute=201e3 * 60 / 2000,
                   input_tokens=2000, output_tokens=1000)),
    "SGLang, R1, GB200 NVL72": dict(
        source="lmsys.org/blog/2025-06-16-gb200-part-1: 7,583 tokens/s out per decoding GPU, kept full, prompts of 2,000; 12 "
               "of 18 trays decode, 364 thousand tokens/s; asked with answers of 1,000",
        says="72 GPUs, decoding over 48", gpus=72, within=(0.5, 2),
        asked=dict(model="deepseek-r1", gpu="gb200-nvl72", requests_per_minute=364e3 * 60 / 1000, input_tokens=2000,
                   output_tokens=1000, peak_load_ratio_max=1)),
    "NVIDIA, gpt-oss-120b, GB200 NVL72": dict(
        source="developer.nvidia.com/blog/delivering-1-5-m-tps-inference-on-nvidia-gb200-nvl72-nvidia-accelerates-openai-gpt-oss-"
               "models-from-cloud-to-edge, 5 August 2025: up to 1.5 million tokens/s; asked with 1,000 in and 1,000 out, as it "
               "states no lengths",
        says="72 GPUs", gpus=72, within=(0.5, 2),
        asked=dict(model="gpt-oss-120b", gpu="gb200-nvl72", requests_per_minute=1.5e6 * 60 / 1000, input_tokens=1000,
                   output_tokens=1000)),
    "Mooncake and SGLang, K2, 128 H200": dict(
        source="lmsys.org/blog/2025-07-20-k2-large-scale-ep", says="128 GPUs, 0.21 USD per million tokens out",
        gpus=None, within=None,
        asked=dict(model="kimi-k2-instruct", gpu="h200-sxm5-141gb", requests_per_minute=6000, input_tokens=2000,
                   output_tokens=500)),
    "vLLM's recipe, K2 in FP8": dict(
        source="vLLM recipes, moonshotai/Kimi-K2-Instruct: the smallest unit for 128k of context",
        says="16 H800 or H200", gpus=16, within=(0.5, 2),
        asked=dict(model="kimi-k2-instruct", gpu="h200-sxm5-141gb", requests_per_minute=60) | SERVICE),
    "NVIDIA NIM, Llama 3.3 70B, FP8": dict(
        source="docs.nvidia.com/nim/benchmarking/llm/1.0.0/performance: 2 H100, 5,000 in, 500 out, 25 at once: 623 "
               "tokens/s, 38.75 ms a token; half of that load, as the batch is random here",
        says="2 GPUs, TP2", gpus=2, within=(0.5, 2),
        asked=dict(model="llama-3.3-70b-instruct", gpu="h100-sxm5-80gb", weight_dtype="fp8", input_tokens=5000,
                   output_tokens=500, requests_per_minute=623 / 500 * 60 / 2, tokens_per_second_per_user_min=20)),
}

# The review's words of version 1, and the questions that show what became of them.
REVIEWED = {
    "7: R1 at 3,000 requests a minute, 2,000 in, 1,500 out: H200 160, B200 232, B300 64; 32 B200 by hand": [
        (SIZING, dict(model="deepseek-r1", gpu=gpu, requests_per_minute=3000, input_tokens=2000, output_tokens=1500))
        for gpu in ("h200-sxm5-141gb", "b200-sxm", "b300-sxm")],
    "8: gpt-oss-20b \"needs two 4090\"": [
        (SIZING, dict(model="gpt-oss-20b", gpu="rtx-4090", requests_per_minute=60))],
    "3: one B300 and one MI300X bought": [
        (SIZING, dict(model="llama-3.1-8b", gpu=gpu, requests_per_minute=60, purchase_option="owned"))
        for gpu in ("b300-sxm", "mi300x")],
    "3: R1 on P100, T4": [
        (SIZING, dict(model="deepseek-r1", gpu=gpu, requests_per_minute=60)) for gpu in ("p100-pcie-16gb", "t4")],
    "9: \"fastest\" 114,688 H100 for a 7B": [
        ("/v1/training-plan/options", dict(model="llama-2-7b", tokens=2e12))],
    "10: no `no_peak`; p95 of 630 s ranked first without a word": [
        (path, dict(model="llama-3.1-8b", requests_per_minute=600) | more)
        for path, more in ((OPTIONS, {}), ("/v1/recommendation", dict(workload="serve")))],
    "R9: MIG nowhere": [
        (SIZING, dict(model="llama-3.2-1b", gpu="h100-sxm5-80gb", requests_per_minute=3000, mig_profile="1g.10gb"))],
    "R56: 422 without figures": [
        (SIZING, dict(model="llama-3.1-70b", gpu="l4", requests_per_minute=600, latency_p95_seconds=1))],
    "R12, R13, R91: dense servers, spikes, thermals": [
        (SIZING, dict(model="llama-3.1-8b", gpu="rtx-4090", gpu_count=4, requests_per_minute=600))],
    "R8: no choice of sparsity; R16, R93: no advice on cooling, NCCL, data loading": [],
}
SAID = ("no_latency_limit", "no_peak", "dense_chassis", "quantized", "router")


def shape(row):
    """4 x TP8, of two stages, in 8 groups."""
    stages = f" PP{row['pipeline_parallel']}" if row["pipeline_parallel"] > 1 else ""
    groups = f" DP{row['attention_data_parallel']}" if (row["attention_data_parallel"] or 1) > 1 else ""
    readers = f" and {row['prefill_replica_count']} that read" if row["prefill_replica_count"] else ""
    return f"{row['replica_count']} x TP{row['tensor_parallel']}{stages}{groups}{readers}"


def design(row):
    p95 = row["latency_p95_seconds_estimate"]
    return f"{row['gpu_count']}: {shape(row)}, {p95:.3g} s" if p95 is not None else f"{row['gpu_count']}: {shape(row)}"


def by_gpu(server, gpus, model, rate):
    """The smallest design on each kind of GPU that has one."""
    replies = {gpu: server.get(SIZING, model=model, gpu=gpu, requests_per_minute=rate * 60, **SERVICE) for gpu in gpus}
    assert {reply.status for reply in replies.values()} <= {200, 400, 422}
    return {gpu: reply.json for gpu, reply in replies.items() if reply.status == 200}


@pytest.fixture(scope="module")
def designs(server):
    gpus = [row["gpu"] for row in server.get("/v1/gpus", limit=1000).json["rows"]]
    return {name: {rate: by_gpu(server, gpus, slug, rate) for rate in RATES} for name, slug in MODELS.items()}


@pytest.mark.parametrize("name", MODELS)
def test_more_requests_never_need_fewer(designs, name):
    known = 0
    for less, more in zip(RATES, RATES[1:]):
        for gpu in designs[name][less].keys() & designs[name][more].keys():
            known += 1
            assert designs[name][less][gpu]["gpu_count"] <= designs[name][more][gpu]["gpu_count"], gpu
    assert known > 20


@pytest.mark.parametrize("name", MODELS)
def test_a_successor_never_needs_more(designs, name):
    """Where both read prompts alike: a cluster for readers and writers is taken where one is for rent."""
    for older, newer in (("h100-sxm5-80gb", "h200-sxm5-141gb"), ("h200-sxm5-141gb", "b200-sxm"),
                         ("b200-sxm", "b300-sxm"), ("mi300x", "mi325x"), ("trainium2", "trainium3")):
        for rate in RATES:
            rows = designs[name][rate]
            if older in rows and bool(rows[older]["prefill_replica_count"]) == bool(rows[newer]["prefill_replica_count"]):
                assert rows[newer]["gpu_count"] <= rows[older]["gpu_count"], (older, newer, rate)


@pytest.mark.parametrize("who", PUBLISHED)
def test_a_published_deployment(server, who):
    case = PUBLISHED[who]
    reply = server.get(SIZING, **case["asked"])
    assert reply.status == 200, reply.text
    if case["gpus"]:
        low, high = case["within"]
        assert low <= reply.json["gpu_count"] / case["gpus"] <= high, reply.json["gpu_count"]


def told(reply):
    answer = reply.json
    if reply.status != 200:
        return answer["detail"]
    if "recommended_gpu" in answer and "options" in answer:
        first = answer["options"][0]
        text = f"first {first.get('gpu_count') or first.get('serve_gpu_count') or ''} {first['gpu']}"
        if answer.get("fastest_gpu_count"):
            text += f"; fastest {answer['fastest_gpu_count']} {answer['fastest_gpu']}"
    else:
        text = f"{design(answer)}, {answer['inputs']['weight_dtype']['value']}"
        if answer["bought_gpu_count"] != answer["gpu_count"] and answer["price_basis"] == "owned":
            text += f"; {answer['bought_gpu_count']} bought"
        if answer["replicas_per_gpu"]:
            text += f"; {answer['replicas_per_gpu']} replicas a GPU"
    codes = [warning["code"] for warning in answer["warnings"] if warning["code"] in SAID]
    return text + (f" (`{'`, `'.join(codes)}`)" if codes else "")


def asked(path, query):
    return path.removeprefix("/v1/") + "?" + "&".join(f"{key}={value}" for key, value in query.items())


def test_what_the_review_found_has_an_answer(server):
    for words, questions in REVIEWED.items():
        for path, query in questions:
            assert server.get(path, **query).status in (200, 422), words


def written(server, designs):
    lines = ["# Designs, by question", "",
             "What is answered today, written by `GPUPLAN_UPDATE_PUBLISHED=1 pytest tests/golden/test_designs.py`; "
             "`test_designs.py` asserts what must stay true of it.", "",
             "GPUs, replicas and GPUs of each, 95th percentile of whole answers; prompts of 2,000 tokens, answers of 500, "
             "the first token within 2 s and 20 tokens/s for 95 % of requests. The fewest GPUs of each kind; PP: stages, "
             "DP: groups with attention of their own."]
    for name in MODELS:
        lines += ["", f"## {name}", "", "| GPU | " + " | ".join(f"{rate}/s" for rate in RATES) + " |",
                  "|---" * (len(RATES) + 1) + "|"]
        for gpu in sorted(set().union(*designs[name].values())):
            cells = [design(designs[name][rate][gpu]) if gpu in designs[name][rate] else "-" for rate in RATES]
            lines.append(f"| {gpu} | " + " | ".join(cells) + " |")
    lines += ["", "## Beside published deployments", "", "| who | published | ours | source |", "|---|---|---|---|"]
    for who, case in PUBLISHED.items():
        ours = design(server.get(SIZING, **case["asked"]).json)
        lines.append(f"| {who} | {case['says']} | {ours} | {case['source']} |")
    lines += ["", "## Found in version 1, and today", "", "| version 1 | question | today |", "|---|---|---|"]
    for words, questions in REVIEWED.items():
        for path, query in questions:
            lines.append(f"| {words} | `{asked(path, query)}` | {told(server.get(path, **query))} |")
        if not questions:
            lines.append(f"| {words} | | as before |")
    return "\n".join(lines) + "\n"


@pytest.mark.skipif(os.environ.get("GPUPLAN_UPDATE_PUBLISHED") != "1", reason="writes DESIGNS.md")
def test_write(server, designs):
    TABLE.write_text(written(server, designs), encoding="utf-8")
