"""Ways of serving: tokens guessed ahead, attention in groups, prompts read by replicas of their
own. What each must do by its nature, and what runs measured."""
import math

import pytest

from answers import codes
from explanations import explained

DENSE = dict(model="llama-3.1-70b", gpu="h100-sxm5-80gb", weight_dtype="fp8", engine="vllm",
             tensor_parallel=4, replica_count=1)
R1 = dict(model="deepseek-r1", gpu="b200-sxm", weight_dtype="fp4", kv_cache_dtype="fp8",
          engine="tensorrt_llm", tensor_parallel=8, replica_count=1)
APART = dict(model="llama-3.1-70b", gpu="h100-sxm5-80gb", weight_dtype="fp8", engine="vllm",
             separate_prefill=1)
TPOT = "time_per_output_token_seconds"


def ask(server, path="", **params):
    return server.answer(f"/v1/inference-sizing{path}", **params).json


def refused(server, **params):
    return {name: error["detail"] for name, error in server.refusals("/v1/inference-sizing", **params).items()}


OLD = dict(model="llama-3.1-8b", gpu="h100-sxm5-80gb", gpu_count=1, concurrent_requests=32, input_tokens=1000,
           output_tokens=300)


def test_an_old_release_is_slower(server):
    """vLLM before 0.8: 2 ms a step and 0.1 ms a request and step, while the GPU waits."""
    def step(**asked):
        answer = ask(server, **OLD, engine="vllm", **asked)
        assert answer["inputs"]["engine_version"]["value"] == asked.get("engine_version")
        return next(row["value"] for row in answer["line_items"] if row["key"] == "launch_overhead")

    assert step() == step(engine_version="0.8.0") == step(engine_version="0.19.1rc1")
    assert step(engine_version="v0.7.3") == pytest.approx(step() + 2e-3 + 32 * 0.1e-3, rel=1e-6)


@pytest.mark.parametrize("asked", [
    dict(OLD, engine="vllm", engine_version="0.7.3"), dict(OLD, engine="tensorrt_llm", engine_version="0.17"),
    dict(R1, weight_dtype="fp8", concurrent_requests=64, engine_version="1.1.0"),
    dict(R1, concurrent_requests=64)])
def test_a_release_is_explained(server, asked):
    explained(ask(server, **asked, explain=1))


@pytest.mark.parametrize("asked, says", [
    (dict(engine="vllm", engine_version="V1"), "0.7.3"),
    (dict(engine_version="0.7.3"), "engine=vllm"), (dict(engine="sglang", engine_version="0.4"), "engine=vllm")])
def test_a_release_needs_its_engine(server, asked, says):
    assert says in refused(server, **OLD, **asked)["engine_version"]


def lines(answer, group):
    return {row["key"]: row["value"] for row in answer["line_items"] if row["group"] == group}


def ahead(tokens, rate, cost, **more):
    return dict(speculative_tokens=tokens, speculative_acceptance_rate=rate,
                speculative_draft_cost_ratio=cost) | more


# --- tokens guessed ahead

@pytest.mark.parametrize("tokens", [1, 3, 8])
@pytest.mark.parametrize("rate", [0, 0.3, 0.85, 1])
def test_tokens_of_a_step(server, tokens, rate):
    """Each guess counts where it and all before it are right; one more token is always right."""
    got = ask(server, **DENSE, **ahead(tokens, rate, 0.1))
    assert got["tokens_per_step"] == pytest.approx(math.fsum(rate**i for i in range(tokens + 1)),
                                                   rel=1e-5)


def test_guesses_that_are_never_right_only_cost(server):
    plain = ask(server, **DENSE)
    wrong = [ask(server, **DENSE, **ahead(tokens, 0, 0.02)) for tokens in (1, 4, 16)]
    times = [plain[TPOT]] + [each[TPOT] for each in wrong]
    assert times == sorted(times) and times[1] > 1.02 * times[0]
    assert plain["tokens_per_step"] == wrong[0]["tokens_per_step"] == 1


@pytest.mark.parametrize("tokens", [1, 3, 7])
def test_free_guesses_that_are_always_right_divide_the_time(server, tokens):
    """Reading the weights bounds one request: the tokens of a step come at the price of one."""
    plain, got = ask(server, **DENSE), ask(server, **DENSE, **ahead(tokens, 1, 0))
    share = got[TPOT] / plain[TPOT] * (tokens + 1)
    assert plain["bound"] == "memory" and 1 < share < 1.05


def test_guessing_ahead_is_no_gain_where_products_bound(server):
    many = dict(DENSE, batch_size=400, input_tokens=128, output_tokens=128)
    plain, got = ask(server, **many), ask(server, **many, **ahead(7, 0.6, 0.05))
    assert got[TPOT] > plain[TPOT]
    one, quick = ask(server, **DENSE), ask(server, **DENSE, **ahead(7, 0.6, 0.05))
    assert quick[TPOT] < 0.7 * one[TPOT]


def test_lines_with_guesses_add_up_to_a_token(server):
    got, plain = ask(server, **DENSE, **ahead(3, 0.7, 0.05)), ask(server, **DENSE)
    time = lines(got, "time")
    assert math.fsum(time.values()) == pytest.approx(got[TPOT], rel=1e-4)
    assert "draft" not in lines(plain, "time")
    # a guess costs a share of a step without any
    assert time["draft"] * got["tokens_per_step"] == pytest.approx(
        3 * 0.05 * (plain[TPOT] - lines(plain, "time")["prefill_interference"]), rel=1e-4)


def test_a_draft_takes_memory(server):
    plain, got = ask(server, **DENSE), ask(server, **DENSE, **ahead(3, 0.7, 0.1))
    free = ask(server, **DENSE, **ahead(3, 0.7, 0))
    assert lines(got, "memory")["weights"] == pytest.approx(
        1.1 * lines(plain, "memory")["weights"], rel=1e-5)
    assert got["weights_gib"] == plain["weights_gib"], "the model's own"
    assert got["max_concurrent_requests"] < plain["max_concurrent_requests"]
    assert free["memory_per_gpu_gib"] == plain["memory_per_gpu_gib"]


def test_what_is_taken_for_a_draft(server):
    got = ask(server, **DENSE, speculative_tokens=2)
    rate = server.get("/v1/assumptions", key="speculative_acceptance_rate").json["rows"][0]
    inputs = got["inputs"]
    assert inputs["speculative_acceptance_rate"]["value"] == rate["default"] == 0.85
    assert inputs["speculative_draft_cost_ratio"]["value"] == pytest.approx(1 / 80, rel=1e-5)
    assert ask(server, **DENSE)["inputs"]["speculative_acceptance_rate"]["value"] is None
    stated = ask(server, **DENSE, **ahead(2, 0.85, 1 / 80))
    assert stated[TPOT] == got[TPOT]


def test_guesses_widen_the_interval(server):
    plain, got = ask(server, **DENSE), ask(server, **DENSE, speculative_tokens=2)
    assert got[f"{TPOT}_high"] / got[TPOT] == pytest.approx(
        (plain[f"{TPOT}_high"] / plain[TPOT])**2, rel=1e-4)
    assert got["prefill_seconds_high"] == plain["prefill_seconds_high"]
    assert "speculative" in codes(got) and "speculative" not in codes(plain)
    idle = ask(server, **DENSE, speculative_acceptance_rate=0.5)
    assert "without_effect" in codes(idle) and idle[TPOT] == plain[TPOT]


# --- LoRA adapters served together

ADAPTED = dict(model="llama-2-7b", gpu="a100-sxm4-80gb", weight_dtype="bf16", engine="vllm",
               tensor_parallel=1, replica_count=1, input_tokens=512, output_tokens=128)
# q, k, v, o of 4096 x 4096 and gate, up, down of 4096 x 11008, in 32 layers
ADAPTER_WIDTH = 32 * (4 * (4096 + 4096) + 3 * (4096 + 11008))


@pytest.mark.parametrize("rank", [8, 64])
def test_adapters_take_memory(server, rank):
    plain = ask(server, **ADAPTED)
    got = ask(server, **ADAPTED, adapters=20, adapter_rank=rank)
    assert got["adapters_gib"] == pytest.approx(20 * 2 * rank * ADAPTER_WIDTH / 2**30, rel=1e-5)
    assert lines(got, "memory")["adapter_weights"] == pytest.approx(got["adapters_gib"], rel=1e-5)
    assert lines(got, "memory")["weights"] == lines(plain, "memory")["weights"]
    assert got["max_concurrent_requests"] < plain["max_concurrent_requests"]
    assert plain["adapters_gib"] is None and "adapter_weights" not in lines(plain, "memory")
    halved = ask(server, **ADAPTED | dict(tensor_parallel=2), adapters=20, adapter_rank=rank)
    assert lines(halved, "memory")["adapter_weights"] == pytest.approx(got["adapters_gib"] / 2,
                                                                       rel=1e-5)


def test_an_adapter_costs_what_was_published(server):
    """One request: launches of 32 layers, and the adapter once; a small share of a step."""
    plain, got = (ask(server, **ADAPTED, batch_size=1, **more) for more in ({}, dict(adapters=1)))
    row = server.get("/v1/assumptions", key="o_adapter").json["rows"][0]
    times = [lines(each, "time") for each in (plain, got)]
    work = math.fsum(times[1].values()) - math.fsum(times[0].values())
    read = 2 * 16 * ADAPTER_WIDTH / 2039e9
    assert work == pytest.approx(32 * row["default"] * 1e-6, abs=2 * read) and work > read
    assert got[TPOT] - plain[TPOT] == pytest.approx(work, rel=1e-2)
    assert 0.0016 < work < 0.0066, "2 ms a token: Punica; 32 layers of what Yi-34B took in it"
    assert math.fsum(lines(got, "time").values()) == pytest.approx(got[TPOT], rel=1e-4)
    moved = {key for key in times[0] if times[0][key] != times[1][key]}
    assert moved == {"weight_reads", "compute", "launch_overhead"}
    assert times[1]["weight_reads"] - times[0]["weight_reads"] == pytest.approx(read, rel=0.3)


def test_only_adapters_in_use_are_read(server):
    """A thousand in memory cost a batch of four no more than their own four."""
    asked = ADAPTED | dict(adapter_rank=8)
    few, many = (ask(server, **asked, batch_size=4, adapters=n) for n in (4, 1000))
    one = ask(server, **asked, batch_size=4, adapters=1)
    one, few, many = (lines(each, "time")["weight_reads"] for each in (one, few, many))
    read = 2 * 8 * ADAPTER_WIDTH / 2039e9
    assert one < few < many < one + 2 * 3 * read


LOADS = [dict(requests_per_minute=600), dict(concurrent_requests=64), dict(tokens_per_day=3e9),
         dict(requests_per_minute=900, latency_p95_seconds=15)]


@pytest.mark.parametrize("model, gpu", [("llama-3.1-8b", "l40s"), ("llama-3.1-70b", "h100-sxm5-80gb"),
                                        ("mixtral-8x7b", "a100-sxm4-80gb"), ("deepseek-v3", "h200-sxm5-141gb")])
@pytest.mark.parametrize("load", LOADS)
def test_more_adapters_never_need_less(server, model, gpu, load):
    asked = dict(model=model, gpu=gpu, input_tokens=700, output_tokens=150, **load)
    rows = [ask(server, **asked, adapters=n, adapter_rank=r)
            for n, r in ((0, 16), (1, 16), (8, 16), (64, 16), (64, 64), (400, 64))]
    for name in ("gpu_count", "cost_per_hour"):
        values = [row[name] for row in rows]
        assert values == sorted(values), name


def test_no_adapters_is_the_plain_answer(server):
    plain, none = (ask(server, **ADAPTED, requests_per_minute=100, **more)
                   for more in ({}, dict(adapters=0)))
    for answer in (plain, none):
        for name in ("inputs", "links", "link", "pinned_link"):
            answer.pop(name, None)
    assert {k: v for k, v in plain.items() if "link" not in k} == \
        {k: v for k, v in none.items() if "link" not in k}
    assert "without_effect" in codes(ask(server, **ADAPTED, adapter_rank=8))


@pytest.mark.parametrize("engine, n", [("compiled", 1), ("llama_cpp", 2)])
def test_engines_without_adapters_together(server, engine, n):
    for path in ("", "/options"):
        reply = server.get("/v1/inference-sizing" + path, model="llama-2-7b", gpu="a100-sxm4-80gb",
                           engine=engine, adapters=n)
        assert reply.status == 400, reply.text
        assert [error["parameter"] for error in reply.json["errors"]] == ["adapters"]
    assert ask(server, model="llama-2-7b", gpu="a100-sxm4-80gb", engine=engine, adapters=n - 1)


def test_adapters_in_options_and_recommendation(server):
    asked = dict(model="llama-3.1-8b", requests_per_minute=600)
    for path, rows in (("/v1/inference-sizing/options", "options"), ("/v1/recommendation", None)):
        only = {} if rows else dict(workload="serve")
        one, two = (server.get(path, **asked, **only, **more) for more in ({}, dict(adapters=300, adapter_rank=64)))
        assert one.status == two.status == 200, two.text
        if rows:
            cheap = [{row["gpu"]: row["cost_per_hour"] for row in each.json[rows]} for each in (one, two)]
            both = [gpu for gpu in cheap[0] if cheap[0][gpu] and cheap[1].get(gpu)]
            assert len(both) > 5 and all(cheap[0][gpu] <= cheap[1][gpu] for gpu in both)
        else:
            assert one.text != two.text and two.json["inputs"]["adapters"]["value"] == 300
            assert min(o["total_cost"] for o in one.json["options"]) < \
                min(o["total_cost"] for o in two.json["options"])


# --- attention in groups

def groups(server, engine):
    """Eight GPUs together, and eight groups of one GPU."""
    return [ask(server, **R1 | {"engine": engine}, attention_data_parallel=n, concurrent_requests=64,
                input_tokens=1024, output_tokens=1024) for n in (1, 8)]


def test_groups_hold_what_each_gpu_would_hold_again(server):
    """Tensor parallelism does not split the latent of MLA: every GPU holds all requests. Groups of
    one GPU hold an eighth of them each, in addition to attention weights, which are not split."""
    together, apart = groups(server, "vllm")
    held = apart["max_concurrent_requests"] / together["max_concurrent_requests"]
    assert 6 < held < 8
    assert apart["max_concurrent_requests"] % 8 == 0
    assert lines(together, "memory")["kv_cache"] == pytest.approx(
        8 * lines(apart, "memory")["kv_cache"], rel=1e-4)
    assert lines(apart, "memory")["weights"] > lines(together, "memory")["weights"]
    assert apart["kv_cache_gib"] == together["kv_cache_gib"], "each element once"


def test_buffers_of_experts_hold_the_tokens_of_all_groups(server):
    """TensorRT-LLM gathers the tokens of a server's groups: fewer requests fit than under vLLM."""
    own, gathered = (groups(server, engine)[1]["max_concurrent_requests"]
                     for engine in ("vllm", "tensorrt_llm"))
    assert gathered < 0.97 * own


def test_memory_is_short_where_requests_do_not_fit(server):
    """One request more than the groups hold is missing room on one of them."""
    held = ask(server, **R1, attention_data_parallel=8)["max_concurrent_requests"]
    full, over = (ask(server, **R1, attention_data_parallel=8, concurrent_requests=n)
                  for n in (held, held + 1))
    assert full["meets_load"] and full["memory_shortfall_gib"] == 0
    assert over["meets_load"] is False and over["memory_shortfall_gib"] > 0
    assert over["binding_constraint"] == "kv_cache"


@pytest.mark.parametrize("requests, read, written, measured", [
    (256, 922, 7373, 0.0214),  # InferenceMAX, TensorRT-LLM 1.2.0rc6: inputs and outputs are
    (128, 7373, 922, 0.0271),  # nine tenths of what they are named after, on average
])
def test_measured_runs_with_groups(server, requests, read, written, measured):
    load = dict(concurrent_requests=requests, input_tokens=read, output_tokens=written)
    apart = ask(server, **R1, **load, attention_data_parallel=8)
    assert apart[f"{TPOT}_low"] < measured < apart[f"{TPOT}_high"]
    assert apart[TPOT] < 0.95 * ask(server, **R1, **load)[TPOT]
    assert math.fsum(lines(apart, "time").values()) == pytest.approx(apart[TPOT], rel=1e-4)


def test_the_search_keeps_to_the_groups(server):
    """The degree of tensor parallelism is left open: a multiple of the groups, over servers too."""
    question = dict(model="deepseek-r1", gpu="h200-sxm5-141gb", weight_dtype="fp8",
                    requests_per_minute=600)
    one = ask(server, **question, attention_data_parallel=8, tensor_parallel=8)
    assert "weak_calibration" not in codes(one)
    for groups in (2, 8, 16):
        got = ask(server, **question, attention_data_parallel=groups)
        assert got["tensor_parallel"] % groups == 0 and got["meets_load"]
        assert got["tensor_parallel"] / groups <= 8
    assert got["tensor_parallel"] >= 16 and got["gpu_count"] >= 16
    wide = ask(server, **question, attention_data_parallel=32, tensor_parallel=32,
               expert_parallel=32)
    assert wide["tensor_parallel"] == 32 and wide["fits"]
    assert "weak_calibration" in codes(wide)
    odd = ask(server, model="qwen3-30b-a3b", gpu="h100-sxm5-80gb", attention_data_parallel=3,
              gpus_per_node=3, gpu_count=3)
    assert odd["tensor_parallel"] == 3, "heads divide by the GPUs of a group"


# --- prompts read apart

@pytest.mark.parametrize("load", [dict(requests_per_minute=600), dict(concurrent_requests=300),
                                  dict(batch_size=20)])
@pytest.mark.parametrize("read, written", [(1024, 256), (8192, 128), (128, 2048)])
def test_both_kinds_of_replica_are_counted(server, load, read, written):
    got = ask(server, **APART, **load, input_tokens=read, output_tokens=written)
    readers, each = got["prefill_replica_count"], got["tensor_parallel"] * got["pipeline_parallel"]
    assert readers >= 1 and got["meets_load"]
    assert got["gpu_count"] == each * (got["replica_count"] + readers)
    assert lines(got, "time")["prefill_interference"] == 0
    assert math.fsum(lines(got, "time").values()) == pytest.approx(got[TPOT], rel=1e-4)
    assert got["inputs"]["prefill_replica_count"]["value"] == readers
    rented = [row["quantity"] for row in got["line_items"] if row["key"] == "gpu_rental"]
    assert rented == [got["gpu_count"]]
    words = f"{got['replica_count']} replica"
    assert words in got["reason"] and f"{readers} read" in got["reason"]


def test_readers_are_as_many_as_the_prompts_keep_busy(server):
    """600 prompts a minute at seven tenths of the time of as many readers as there are, or as much of it as asked, up
    to four fifths."""
    for read, written in ((1024, 256), (3800, 256), (8192, 128)):
        for given, busy in ((0.7, 0.7), (1, 0.8)):
            got = ask(server, **APART, requests_per_minute=600, tensor_parallel=4, input_tokens=read,
                      output_tokens=written, peak_load_ratio_max=given)
            assert got["prefill_replica_count"] == math.ceil(10 * got["prefill_seconds"] / busy)
    heavy, light = (ask(server, **APART, requests_per_minute=600, tensor_parallel=4,
                        input_tokens=read) for read in (8192, 512))
    assert heavy["prefill_replica_count"] > 4 * light["prefill_replica_count"]


def test_readers_are_busy_with_what_arrives(server):
    """One request a second keeps a reader busy for less than it may be: its wait is that of an idle one, and no larger
    replica is needed to read within the limit."""
    question = dict(model="llama-3.1-8b", gpu="a100-sxm4-80gb", separate_prefill=1, requests_per_minute=60,
                    input_tokens=1000)
    got = ask(server, **question, time_to_first_token_seconds_max=0.3)
    assert (got["gpu_count"], got["replica_count"], got["prefill_replica_count"]) == (2, 1, 1)
    slow = [ask(server, **question | dict(requests_per_minute=n), replica_count=1, prefill_replica_count=1)
            for n in (6, 60, 300)]
    firsts = [each["time_to_first_token_p95_seconds_estimate"] for each in slow]
    assert firsts == sorted(firsts) and firsts[2] > 1.5 * firsts[0]


def test_readers_and_writers_are_sought_together(server):
    """A tight first token takes more readers than the prompts alone, and a looser one never more replicas."""
    question = dict(model="llama-3.1-8b", gpu="l40s", separate_prefill=1, requests_per_minute=600, input_tokens=1000,
                    tensor_parallel=1, pipeline_parallel=1)
    counts = [ask(server, **question, time_to_first_token_seconds_max=limit) for limit in (0.3, 0.5, 1, 3)]
    gpus = [got["gpu_count"] for got in counts]
    readers = [got["prefill_replica_count"] for got in counts]
    assert gpus == sorted(gpus, reverse=True) and readers[0] > readers[-1]
    assert all(got["meets_latency"] for got in counts)


def test_pools_of_one_server_do_not_use_its_network(server):
    """PCIe 4.0 x16 carries 31.5 GB/s, a workstation's network 1.25 for all its cards: a prompt of 2,000 tokens, 262 MB of
    cache, took 1.7 s of it, and six cards where two are enough."""
    question = dict(model="llama-3.1-8b", gpu="rtx-4090", separate_prefill=1, input_tokens=2000, tensor_parallel=1,
                    pipeline_parallel=1)

    def terms(**more):
        got = ask(server, **question, **more, explain=1)
        assert got["prefill_replica_count"]
        rows = explained(got)
        row = rows["cache_transfer"]
        return got, float(row["substitution"].split()[-2]), row["value"]

    pair, inside, sent = terms(requests_per_minute=60)
    assert pair["gpu_count"] == 2 and pair["time_to_first_token_seconds"] < 1
    assert inside == pytest.approx(31.5e9, rel=0.01) and sent < 0.02
    rest, full, _ = terms(requests_per_minute=60, replica_count=1, prefill_replica_count=7)
    more, outside, slow = terms(requests_per_minute=60, replica_count=1, prefill_replica_count=8)
    assert (rest["gpu_count"], full, more["gpu_count"]) == (8, inside, 9)
    assert outside == pytest.approx(1.25e9 / 8) and slow == pytest.approx(sent * inside / outside, rel=1e-5)
    assert terms(concurrent_requests=4)[1] == inside


def test_nothing_written_is_not_handed_over(server):
    for question in (dict(model="bge-reranker-v2-m3", gpu="l40s"), dict(model="llama-3.1-8b", gpu="l40s", output_tokens=0)):
        reply = server.get("/v1/inference-sizing", **question, requests_per_minute=600, separate_prefill=1)
        assert reply.status == 400 and "where nothing is written" in reply.json["errors"][0]["detail"]


def test_tokens_come_undisturbed(server):
    """The same requests in flight: what differs is what other prompts took of the time."""
    same = dict(tensor_parallel=4, replica_count=2, batch_size=40, input_tokens=4096)
    apart = ask(server, **APART, **same)
    mixed = ask(server, **{**APART, **same, "separate_prefill": 0})
    assert lines(mixed, "time")["prefill_interference"] > 0
    assert apart[TPOT] == pytest.approx(
        mixed[TPOT] - lines(mixed, "time")["prefill_interference"], rel=1e-4)
    assert mixed["prefill_replica_count"] == 0
    assert mixed["inputs"]["prefill_replica_count"]["value"] is None
    assert "weak_calibration" in codes(apart) - codes(mixed)


def test_gpus_that_are_stated_are_shared_out(server):
    for gpus in (8, 16, 64):
        got = ask(server, **APART, requests_per_minute=60, tensor_parallel=4, gpu_count=gpus)
        assert 4 * (got["replica_count"] + got["prefill_replica_count"]) == gpus
        assert got["replica_count"] >= 1 and got["prefill_replica_count"] >= 1
    fixed = ask(server, **APART, requests_per_minute=60, tensor_parallel=4, gpu_count=32,
                prefill_replica_count=3)
    assert (fixed["replica_count"], fixed["prefill_replica_count"]) == (5, 3)


@pytest.mark.parametrize("load", [dict(requests_per_minute=600), dict(concurrent_requests=100)])
def test_too_few_readers(server, load):
    small = dict(tensor_parallel=4, replica_count=4, input_tokens=8192)
    got = ask(server, **APART, **small, **load, prefill_replica_count=1)
    assert got["meets_load"] is False and got["binding_constraint"] == "prefill"
    assert "only read prompts take" in got["reason"] and got["shortfall_unit"] == "requests/minute"
    read = 60 * 0.8 / got["prefill_seconds"]
    busy = 0.8 if "requests_per_minute" in load else 1  # the capacity is what they read all of the time
    assert got["requests_per_minute_capacity"] == pytest.approx(read / busy, rel=1e-4)
    assert got["requests_per_minute_within_limits"] == pytest.approx(read, rel=1e-4)
    assert got["output_tokens_per_second"] <= read / busy / 60 * 256 * 1.0001
    if "requests_per_minute" in load:
        assert got["latency_p95_seconds_estimate"] is None
        assert got["shortfall"] == pytest.approx(600 - read, rel=1e-4)
    more = 1 + math.ceil(got["shortfall"] / read)
    enough = ask(server, **APART, **small, **load, prefill_replica_count=more)
    assert enough["meets_load"]
    assert (enough["latency_p95_seconds_estimate"] is not None) == ("requests_per_minute" in load)
    assert got["nearest_prefill_replica_count"] >= 1
    assert got["nearest_gpu_count"] == got["nearest_tensor_parallel"] * got[
        "nearest_pipeline_parallel"] * (got["nearest_replica_count"]
                                        + got["nearest_prefill_replica_count"])


def test_too_few_readers_bind_before_a_limit(server):
    """Writers break the limit too, but what they wait for is prompts."""
    question = dict(APART, tensor_parallel=4, replica_count=4, input_tokens=8192,
                    concurrent_requests=100, prefill_replica_count=1)
    got = ask(server, **question, tokens_per_second_per_user_min=84)
    assert got["requests_per_minute_within_limits"] < got["requests_per_minute_capacity"]
    assert got["meets_latency"] is False and got["binding_constraint"] == "prefill"


def test_readers_of_what_does_not_fit(server):
    narrow = dict(model="llama-2-70b", gpu="rtx-4090", weight_dtype="fp16", separate_prefill=1,
                  requests_per_minute=6000, tensor_parallel=1, pipeline_parallel=1)
    for more in (dict(gpu_count=2), dict(replica_count=1)):
        got = ask(server, **narrow, **more)
        assert got["fits"] is False and got["tokens_per_step"] is None
        assert got["gpu_count"] == 2 and got["prefill_replica_count"] == 1


# --- what cannot be

@pytest.mark.parametrize("params, culprit, says", [
    (dict(prefill_replica_count=2), "prefill_replica_count", "separate_prefill=1"),
    (dict(separate_prefill=1, batching="static"), "separate_prefill", "batching=continuous"),
    (dict(separate_prefill=1, gpu_count=4, tensor_parallel=4), "gpu_count", "nearest is 8"),
    (dict(separate_prefill=1, gpu_count=16, tensor_parallel=2, pipeline_parallel=1,
          replica_count=3, prefill_replica_count=2), "gpu_count", "which is 10"),
    (dict(separate_prefill=1, gpu_count=12, replica_count=3, prefill_replica_count=2),
     "gpu_count", "nearest is 10"),
    (dict(attention_data_parallel=2), "attention_data_parallel", "no experts"),
    (dict(model="deepseek-r1", attention_data_parallel=3, tensor_parallel=8),
     "attention_data_parallel", "must divide tensor_parallel, 8"),
    (dict(model="deepseek-r1", attention_data_parallel=2, tensor_parallel=32), "tensor_parallel",
     "gpus_per_node, 8"),
    (dict(model="deepseek-r1", attention_data_parallel=2, tensor_parallel=6), "tensor_parallel",
     "attention heads; nearest is 4"),
    (dict(model="deepseek-r1", attention_data_parallel=8, gpu_count=4), "gpu_count", "8"),
    (dict(model="deepseek-r1", attention_data_parallel=2, engine="llama_cpp"),
     "attention_data_parallel", "replica_count"),
    (dict(speculative_tokens=33), "speculative_tokens", "32"),
    (dict(speculative_tokens=2, speculative_acceptance_rate=1.1), "speculative_acceptance_rate",
     "1"),
])
def test_contradictions(server, params, culprit, says):
    errors = refused(server, **(dict(model="llama-3.1-8b", gpu="h100-sxm5-80gb") | params))
    assert says in errors[culprit], errors


# --- where other questions take them

def test_options_name_readers_and_groups(server):
    question = dict(model="deepseek-r1", gpu="h200-sxm5-141gb,b200-sxm", weight_dtype="fp8",
                    requests_per_minute=600, separate_prefill=1, attention_data_parallel=4,
                    speculative_tokens=1)
    rows = ask(server, "/options", **question, per_gpu=0)["options"]
    assert len(rows) > 2
    for row in rows:
        assert row["attention_data_parallel"] == 4 and row["prefill_replica_count"] >= 1
        assert row["gpu_count"] == row["tensor_parallel"] * row["pipeline_parallel"] * (
            row["replica_count"] + row["prefill_replica_count"])
        reply = server.get(row["plan"])
        assert reply.status == 200, reply.text
        for name in ("gpu_count", "prefill_replica_count", TPOT, "cost_per_hour"):
            assert reply.json[name] == row[name], row["plan"]
        assert reply.json["inputs"]["attention_data_parallel"]["value"] == 4
        assert f"prefill_replica_count={row['prefill_replica_count']}" in row["plan"]
    plain = ask(server, "/options", model="deepseek-r1", gpu="b200-sxm")["options"][0]
    assert (plain["attention_data_parallel"], plain["prefill_replica_count"]) == (1, 0)
    assert "prefill" not in plain["plan"]


def test_sensitivity_to_guesses_and_readers(server):
    points = ask(server, "/sensitivity", **DENSE, vary="speculative_tokens", **{"from": 0},
                 to=4, step=1)["points"]
    assert [round(point["tokens_per_step"], 4) for point in points] == [
        round(sum(0.85**i for i in range(n + 1)), 4) for n in range(5)]
    effects = {row["input"]: row for row in ask(server, "/sensitivity", **DENSE,
                                                speculative_tokens=3)["effects"]}
    rate = effects["speculative_acceptance_rate"]
    assert (rate["low"], rate["high"]) == (0.6, 0.9)
    assert rate[f"{TPOT}_at_low"] > rate[f"{TPOT}_at_high"]
    assert "speculative_acceptance_rate" not in {
        row["input"] for row in ask(server, "/sensitivity", **DENSE)["effects"]}
    readers = ask(server, "/sensitivity", **APART, requests_per_minute=600, tensor_parallel=4,
                  vary="input_tokens", **{"from": 512}, to=8192, step=3840)["points"]
    counts = [point["prefill_replica_count"] for point in readers]
    assert counts == sorted(counts) and counts[0] < counts[-1]


INTERVIEW = dict(gpu="h100-sxm5-80gb", model="llama-2-70b", requests_per_minute=1000,
                 input_tokens=512, output_tokens=200, latency_p95_seconds=5, price_per_gpu_hour=2,
                 input_tokens_cv=0, output_tokens_cv=0)


def test_a_spare_replica_survives_a_loss(server):
    lean, safe = (ask(server, **INTERVIEW, spare_replicas=spare) for spare in (0, 1))
    assert not lean["survives_replica_loss"] and safe["survives_replica_loss"]
    assert lean["gpu_count_surviving_loss"] > lean["gpu_count"]
    assert safe["gpu_count_surviving_loss"] == safe["gpu_count"] > lean["gpu_count"]
    assert safe["gpu_count"] <= lean["gpu_count_surviving_loss"]  # smaller replicas may do
    assert f"takes {lean['gpu_count_surviving_loss']} GPUs" in lean["reason"]
    assert "stays within the limits" in safe["reason"]
    fewer = ask(server, **INTERVIEW, tensor_parallel=safe["tensor_parallel"],
                   pipeline_parallel=safe["pipeline_parallel"],
                   replica_count=safe["replica_count"] - 1)
    assert fewer["meets_load"] and fewer["meets_latency"]


def test_a_load_fixed_per_replica_cannot_be_lost(server):
    got = ask(server, gpu="h100-sxm5-80gb", model="llama-3.1-8b", batch_size=8)
    assert got["survives_replica_loss"] is None and got["gpu_count_surviving_loss"] is None


@pytest.mark.parametrize("how", [{}, dict(separate_prefill=1), dict(pipeline_parallel=2)])
def test_read_and_written_tokens_make_up_the_bill(server, how):
    got = ask(server, **INTERVIEW, **how)
    read = got["cost_per_million_input_tokens"] * 512
    written = got["cost_per_million_generated_tokens"] * 200
    assert (read + written) / 200 == pytest.approx(got["cost_per_million_output_tokens"], rel=1e-4)
    assert 0 < got["cost_per_million_input_tokens"] < got["cost_per_million_generated_tokens"]


@pytest.mark.parametrize("requests,read,written,measured", [
    (256, 922, 7373, 13.0 / 21.4), (128, 922, 7373, 11.7 / 19.2), (128, 7373, 922, 20.0 / 27.1),
    (256, 7373, 922, 29.7 / 36.9)])
def test_what_guessing_one_token_saved(server, requests, read, written, measured):
    """Two releases of TensorRT-LLM in the InferenceMAX collection, DeepSeek-R1 on 8 B200: the later
    is not labelled, and is read as multi-token prediction of one token."""
    times = [ask(server, model="deepseek-r1", gpu="b200-sxm", weight_dtype="fp4",
                 kv_cache_dtype="fp8", engine="tensorrt_llm", tensor_parallel=8, replica_count=1,
                 pipeline_parallel=1, attention_data_parallel=8, concurrent_requests=requests,
                 input_tokens=read, output_tokens=written,
                 speculative_tokens=ahead)["time_per_output_token_seconds"] for ahead in (0, 1)]
    assert times[1] / times[0] == pytest.approx(measured, abs=0.06)


LARGE = dict(model="deepseek-r1", weight_dtype="fp8", requests_per_minute=3000, input_tokens=2000,
             output_tokens=1500, time_to_first_token_seconds_max=5, tokens_per_second_per_user_min=20, peak_load_ratio_max=1)


@pytest.mark.parametrize("gpu, most", [("b200-sxm", 48), ("h200-sxm5-141gb", 128), ("h100-sxm5-80gb", 200),
                                       ("gb200-nvl72", 40)])
def test_attention_data_parallel_is_searched(server, gpu, most):
    """Groups that attend on their own hold a request's cache once instead of once per GPU: DeepSeek-R1 takes a
    fraction of the GPUs, and the design that was chosen is answered alike when it is pinned."""
    got = server.get("/v1/inference-sizing", **LARGE, gpu=gpu).json
    assert got["meets_load"] and got["meets_latency"]
    assert got["gpu_count"] <= most and got["attention_data_parallel"] > 1
    assert got["expert_parallel"] == got["tensor_parallel"]
    stated = {name: got[name] for name in ("tensor_parallel", "attention_data_parallel", "pipeline_parallel",
                                           "replica_count")}
    pools = got["gpu_count"] > got["tensor_parallel"] * got["replica_count"]
    again = server.get("/v1/inference-sizing", **LARGE, gpu=gpu, **stated, separate_prefill=int(pools)).json
    for name in ("gpu_count", "latency_p95_seconds_estimate", "requests_per_minute_within_limits"):
        assert again[name] == got[name], name


def test_a_tensor_degree_that_is_given_attends_together(server):
    got = server.get("/v1/inference-sizing", **LARGE, gpu="b200-sxm", tensor_parallel=8).json
    assert got["attention_data_parallel"] == 1


def test_a_smaller_pass_delays_short_answers_less_and_prompts_more(server):
    """Chunked prefill: a step reads at most a pass of the prompts that came meanwhile, so that a
    short answer ends before a long prompt is read."""
    busy = DENSE | dict(requests_per_minute=60, input_tokens=8000, output_tokens=4)
    usual, small = (ask(server, **busy, tokens_per_pass=tokens) for tokens in (8192, 1024))
    assert ask(server, **busy)[TPOT] == usual[TPOT]
    assert small[TPOT] < usual[TPOT]
    assert small["time_to_first_token_seconds"] > usual["time_to_first_token_seconds"]
    assert refused(server, **busy, tokens_per_pass=1).keys() == {"tokens_per_pass"}


def test_the_split_of_experts_has_no_effect_only_without_parallel_attention(server):
    """Chosen, it is what the times are of."""
    moe = dict(model="kimi-k2", gpu="b200-sxm", requests_per_minute=3000)
    chosen = ask(server, **moe)
    assert chosen["attention_data_parallel"] > 1 and chosen["expert_parallel"] > 1
    assert "without_effect" not in codes(chosen)
    pinned = moe | dict(tensor_parallel=8, attention_data_parallel=1)
    assert "without_effect" in codes(ask(server, **pinned, expert_parallel=8))
    trt = pinned | dict(engine="tensorrt_llm")
    whole, divided = ask(server, **trt, expert_parallel=8), ask(server, **trt)
    assert "without_effect" not in codes(whole)
    assert whole["time_to_first_token_seconds"] != divided["time_to_first_token_seconds"]
    assert "without_effect" in codes(ask(server, **trt, expert_parallel=4))


def test_experts_spread_over_as_many_servers_as_the_vendor_publishes(server):
    """2, 4, 8, 16 of NVIDIA's by DeepEP's kernels, SGLang's 9 and DeepSeek's 18; 2 or 4 of AMD's; 2 of Gaudi. Slices of
    TPUs."""
    moe = dict(input_tokens=2000, output_tokens=500, time_to_first_token_seconds_max=2, tokens_per_second_per_user_min=20)
    built = {"a100-sxm4-80gb": (8, 16, 32, 64, 72, 128, 144), "h20": (8, 16, 32, 64, 72, 128, 144),
             "mi300x": (8, 16, 32), "gaudi2": (8, 16), "tpu-v4": (8, 16, 32, 64), "tpu-v6e": (8, 16, 32, 64)}
    widest = {}
    for gpu, sizes in built.items():
        for model in ("deepseek-r1", "kimi-k2-instruct"):
            for rate in (60, 600, 3000, 12000):
                row = ask(server, **moe, model=model, gpu=gpu, requests_per_minute=rate)
                assert row["tensor_parallel"] in sizes, (gpu, model, rate, row["tensor_parallel"])
                widest[gpu] = max(widest.get(gpu, 0), row["tensor_parallel"])
    assert widest["h20"] >= 32 and widest["mi300x"] == 32 and widest["tpu-v4"] == 64
    given = dict(model="deepseek-r1", gpu="mi300x", requests_per_minute=3000)
    assert ask(server, **moe, **given, tensor_parallel=72, attention_data_parallel=72)["meets_latency"]


def test_pools_of_a_closed_loop_are_chosen_together(server):
    """Readers are as busy as their number and the clients make them: with fewer writers each has more requests in
    flight, and ends fewer of them a second."""
    loop = dict(model="llama-3.1-70b", gpu="h100-sxm5-80gb", concurrent_requests=512, separate_prefill=1,
                input_tokens=4000, output_tokens=300, time_to_first_token_seconds_max=1)
    best = ask(server, **loop)
    each = best["tensor_parallel"]
    assert best["meets_latency"] and best["time_to_first_token_seconds"] <= 1
    for writers in range(1, best["gpu_count"] // each - 1):
        fewer = ask(server, **loop, tensor_parallel=each, pipeline_parallel=1, replica_count=writers,
                    prefill_replica_count=best["gpu_count"] // each - writers - 1)
        assert not (fewer["meets_latency"] and fewer["meets_load"]), writers
    more = ask(server, **loop, tensor_parallel=each, pipeline_parallel=1, replica_count=best["replica_count"],
               prefill_replica_count=best["prefill_replica_count"] * 2)
    assert more["time_to_first_token_seconds"] < best["time_to_first_token_seconds"]


def test_of_equally_many_gpus_smaller_replicas_are_taken(server):
    """A fault stops a whole replica: four of 16 H100 rather than two of 32."""
    moe = dict(model="deepseek-r1", gpu="h100-sxm5-80gb", requests_per_minute=2400, input_tokens=2000,
               output_tokens=500, time_to_first_token_seconds_max=2, tokens_per_second_per_user_min=20, peak_load_ratio_max=1)
    chosen = ask(server, **moe)
    wide = ask(server, **moe, tensor_parallel=32, attention_data_parallel=32)
    assert wide["meets_latency"] and wide["gpu_count"] == chosen["gpu_count"]
    assert chosen["tensor_parallel"] == 16 and chosen["replica_count"] == 4
