"""The team's own runs: stored with a token, in separate sets, and what they correct."""
import subprocess
import threading

import pytest

from conftest import BINARY, ROOT, stopped_after, wait_for
from writers import Writers, token_line

GPU = "h100-sxm5-80gb"
SERVICE = {"model": "llama-3.1-70b", "gpu": GPU, "engine": "vllm", "weight_dtype": "fp8",
           "concurrent_requests": 64, "input_tokens": 1000, "output_tokens": 1000}
RUN = SERVICE | {"measurement_set": "acme", "tensor_parallel": 8,
                 "measured_time_per_output_token_seconds": 0.03}
SIZING = SERVICE | {"tensor_parallel": 8, "replica_count": 1}
TRAINING = {"model": "llama-3.1-8b", "gpu": GPU, "precision": "bf16", "stack": "megatron",
            "gpu_count": 64, "sequence_tokens": 8192, "global_batch_sequences": 128}


class Team(Writers):
    """A daemon to which ada and bob may post runs, and eve only quotes."""

    def __init__(self, directories):
        super().__init__(directories, token_line("ada", "a-secret", "measurements"),
                         token_line("bob", "b-secret", "measurements,quotes"), token_line("eve", "e-secret"))

    def store(self, run, token="a-secret"):
        """Post it and wait until the daemon answers with it."""
        reply = self.send("POST", "/v1/measurements", run, token)
        assert reply.status in (200, 201), reply.text
        wait_for(lambda: self.server.get(f"/v1/measurements/{reply.json['id']}").status == 200,
                 "the run to be served")
        return reply.json

    def ids(self, name):
        return {row["id"] for row in
                self.server.get("/v1/measurements", measurement_set=name).json["rows"]}

    def delete(self, run_id, token="a-secret"):
        return self.send("DELETE", f"/v1/measurements/{run_id}", token=token)


team = stopped_after("module", Team)


@pytest.fixture
def runs(team):
    """Runs of this test alone: deleted at its end."""
    yield team
    stored = [row.split() for row in
              team.database.query("select id || ' ' || created_by from own_measurement").splitlines()]
    for run_id, who in stored:
        assert team.delete(run_id, who[0] + "-secret").status == 204
    for run_id, _ in stored:
        wait_for(lambda path=f"/v1/measurements/{run_id}": team.server.get(path).status == 404, "the run to be gone")


def culprit(reply):
    """What is wrong, of a query or of a body."""
    error = reply.json["errors"][0]
    return error.get("parameter") or error["pointer"].lstrip("#/"), error["code"]


# --- writing -------------------------------------------------------------------------------------

def test_a_run_is_stored_listed_and_deleted(runs):
    reply = runs.send("POST", "/v1/measurements", RUN | {"note": "night of the move"})
    assert reply.status == 201, reply.text
    made = reply.json
    assert reply.headers["Location"] == f"/v1/measurements/{made['id']}"
    assert made["created_by"] == "ada" and made["kind"] == "served" and made["estimated"] > 0
    wait_for(lambda: made["id"] in runs.ids("acme"), "the run to be listed")
    row, = runs.server.get("/v1/measurements", measurement_set="acme").json["rows"]
    assert {name: row[name] for name in ("measured", "gpu", "model", "note", "measurement_set")} == \
        {"measured": 0.03, "gpu": GPU, "model": "llama-3.1-70b", "note": "night of the move",
         "measurement_set": "acme"}
    assert row["ratio"] == pytest.approx(row["estimated"] / 0.03, rel=1e-5)
    assert row["estimated_low"] < row["estimated"] < row["estimated_high"]
    assert row["inside"] == (row["estimated_low"] <= 0.03 <= row["estimated_high"])
    assert runs.delete(made["id"]).status == 204
    wait_for(lambda: not runs.ids("acme"), "the run to be gone")
    assert runs.delete(made["id"]).status == 404


def test_published_runs_are_listed_without_it(runs):
    made = runs.store(RUN)
    for filters in ({}, {"gpu": GPU, "model": "llama-3.1-70b", "kind": "served"}):
        rows = runs.server.get("/v1/measurements.csv", **filters).text
        assert made["id"] not in rows


def test_the_tag_of_an_answer_changes_with_the_set(runs):
    runs.store(RUN)
    asked = SIZING | {"measurement_set": "acme"}
    before = runs.server.get("/v1/inference-sizing", **asked)
    runs.store(RUN | {"measured_time_per_output_token_seconds": 0.033})
    after = runs.server.get("/v1/inference-sizing", **asked)
    assert before.headers["ETag"] != after.headers["ETag"]
    assert (before.json["correction_run_count"], after.json["correction_run_count"]) == (1, 2)


def test_the_same_run_sent_again_is_the_run_that_is_there(runs):
    """A client that does not know whether a run was saved sends it again."""
    made = runs.store(RUN)
    again = runs.send("POST", "/v1/measurements", RUN)
    assert (again.status, again.json["id"]) == (200, made["id"])
    assert runs.database.query("select count(*) from own_measurement") == "1"


def test_many_writers_at_once_lose_no_run(runs):
    replies = []

    def post(i):
        replies.append(runs.send("POST", "/v1/measurements", RUN | {
            "measured_time_per_output_token_seconds": 0.03 + i / 1000}))

    threads = [threading.Thread(target=post, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [reply.status for reply in replies] == [201] * 8
    wait_for(lambda: len(runs.ids("acme")) == 8, "all eight to be served")


# --- who may -------------------------------------------------------------------------------------

@pytest.mark.parametrize("token, status", [(None, 401), ("nobody", 401), ("e-secret", 403)])
def test_a_token_for_measurements_is_needed(team, token, status):
    assert team.send("POST", "/v1/measurements", RUN, token).status == status
    assert team.delete("own-1", token).status == status
    assert team.database.query("select count(*) from own_measurement") == "0"


def test_a_set_is_its_first_writers(runs):
    made = runs.store(RUN)
    reply = runs.send("POST", "/v1/measurements", RUN | {
        "measured_time_per_output_token_seconds": 0.02}, "b-secret")
    assert reply.status == 403 and "somebody else's" in reply.json["detail"]
    assert runs.delete(made["id"], "b-secret").status == 404
    assert runs.ids("acme") == {made["id"]}


def test_the_signature_ends_with_the_run(runs):
    """Replies are archived over the same connection: nobody's name may stand there by then."""
    runs.database.query(
        "create table seen (writer text); grant insert on seen to public;"
        "create function see() returns trigger language plpgsql as $$ begin insert into public.seen"
        " values (current_setting('gpuplan.writer', true)); return new; end $$;"
        "create trigger see before insert on archived_reply for each row execute function see()")
    made = runs.store(RUN)
    assert made["created_by"] == "ada"
    runs.server.get("/v1/gpus", as_of="2026-11-01", model_version="1.4", fields="gpu")
    wait_for(lambda: runs.database.query("select count(*) from seen") == "1", "the reply archived")
    assert runs.database.query("select coalesce(writer, '') from seen") == ""


def test_a_set_counts_for_those_who_name_it_only(runs):
    before = runs.server.get("/v1/inference-sizing", **SIZING).json
    runs.store(RUN)
    runs.store(RUN | {"measurement_set": "umbrella",
                      "measured_time_per_output_token_seconds": 0.05}, "b-secret")
    after = runs.server.get("/v1/inference-sizing", **SIZING).json
    assert after["time_per_output_token_seconds"] == before["time_per_output_token_seconds"]
    assert after["nearest_measurements"] == before["nearest_measurements"]
    acme, umbrella = (runs.server.get("/v1/inference-sizing", measurement_set=name, **SIZING).json
                      for name in ("acme", "umbrella"))
    assert acme["correction_factor"] < umbrella["correction_factor"]


def test_a_set_is_bounded(runs):
    # Without the trigger, which compares each with those before it: a thousand take it seconds.
    runs.database.query(
        "set session_replication_role = replica; insert into own_measurement (kind, measured, gpu, "
        "measurement_set, created_by) select 'served', n, 'h100-sxm5-80gb', 'acme', 'ada' "
        "from generate_series(1, 1000) n")
    reply = runs.send("POST", "/v1/measurements", RUN)
    assert reply.status == 409 and "1000 runs" in reply.json["detail"]
    runs.database.query("delete from own_measurement")
    wait_for(lambda: not runs.ids("acme"), "an empty set")


# --- what cannot have been -----------------------------------------------------------------------

@pytest.mark.parametrize("change, parameter, rule, words", [
    ({"measured_time_per_output_token_seconds": 0.001},
     "measured_time_per_output_token_seconds", "below_physics", "at least 0.00"),
    ({"measured_time_per_output_token_seconds": 17},
     "measured_time_per_output_token_seconds", "unit", "a factor of about 1,000"),
    ({"measured_time_to_first_token_seconds": 0.0011},
     "measured_time_to_first_token_seconds", "below_physics", "at least"),
    ({"tensor_parallel": 1, "weight_dtype": "bf16"}, "tensor_parallel", "below_physics",
     "each of 1 GPUs is 13"),
])
def test_a_service_that_breaks_physics_is_refused_with_the_bound(team, change, parameter, rule,
                                                                words):
    reply = team.send("POST", "/v1/measurements", RUN | change)
    assert reply.status == 400 and culprit(reply) == (parameter, rule), reply.text
    assert words in reply.text
    assert team.database.query("select count(*) from own_measurement") == "0"


def test_a_training_above_the_peak_is_refused_with_the_bound(team):
    plan = team.server.get("/v1/training-plan", **TRAINING).json
    for name, value, rule in [("measured_step_seconds", plan["step_seconds"] / 4, "below_physics"),
                              ("measured_step_seconds", plan["step_seconds"] * 1000, "unit"),
                              ("measured_tokens_per_second_per_gpu",
                               plan["tokens_per_second_per_gpu"] * 4, "below_physics")]:
        reply = team.send("POST", "/v1/measurements",
                          TRAINING | {"measurement_set": "acme", name: value})
        assert reply.status == 400 and culprit(reply) == (name, rule), reply.text


@pytest.mark.parametrize("run, parameter", [
    (RUN | {"measurement_set": "Acme Corp"}, "measurement_set"),
    (RUN | {"gpu": "h1000"}, "gpu"), (RUN | {"model": "llama-9"}, "model"),
    ({name: RUN[name] for name in RUN if name != "weight_dtype"}, "weight_dtype"),
    (RUN | {"measured_step_seconds": 1}, "measured_step_seconds"),
    (TRAINING | {"measurement_set": "acme"}, "measured_step_seconds"),
    (RUN | {"note": "two\nlines"}, "note"), (RUN | {"colour": "red"}, "colour")])
def test_what_is_missing_or_wrong_is_named(team, run, parameter):
    reply = team.send("POST", "/v1/measurements", run)
    assert reply.status == 400 and parameter in reply.text, reply.text


@pytest.mark.parametrize("name", ["vllm.json", "sglang.jsonl", "trtllm_bench.json", "megatron.log"])
@pytest.mark.parametrize("kind", ["application/json", "text/plain"])
def test_the_file_of_a_tool_is_answered_with_what_stores_it(team, name, kind):
    body = (ROOT / "api" / "benchmarks" / name).read_bytes()
    reply = team.server.request("POST", "/v1/measurements", body,
                                {"Authorization": "Bearer a-secret", "Content-Type": kind})
    assert reply.status in (400, 415)
    assert "gpuplan measure --store SET --token-file FILE RESULT" in reply.json["detail"]
    assert team.database.query("select count(*) from own_measurement") == "0"


def test_a_run_with_a_wrong_figure_is_told_of_that_alone(team):
    reply = team.send("POST", "/v1/measurements", RUN | {"gpu": "h1000"})
    assert "gpuplan measure" not in reply.text


# --- what it corrects ----------------------------------------------------------------------------

def test_three_runs_correct_a_sizing_and_say_so(runs):
    plain = runs.server.get("/v1/inference-sizing", **SIZING).json
    token = plain["time_per_output_token_seconds"]
    for ratio in (1.2, 1.21, 1.22):
        runs.store(RUN | {"measured_time_per_output_token_seconds": token * ratio})
    answer = runs.server.get("/v1/inference-sizing", measurement_set="acme", **SIZING).json
    assert answer["correction_run_count"] == 3
    assert 1.1 < answer["correction_factor"] < 1.22
    assert answer["time_per_output_token_seconds_uncorrected"] == token
    assert answer["time_per_output_token_seconds"] == \
        pytest.approx(token * answer["correction_factor"], rel=0.01)
    assert answer["correction_sentence"].startswith(
        f"corrected by x {answer['correction_factor']:.3g} from 3 runs of measurement_set acme; "
        "without them an output token takes 0.0")
    one = runs.server.get("/v1/inference-sizing", measured_tensor_parallel=8,
                          measured_time_per_output_token_seconds=token * 1.21, **SIZING).json
    assert 1 < one["correction_factor"] < answer["correction_factor"]
    width = {name: reply["time_per_output_token_seconds_high"]
             / reply["time_per_output_token_seconds_low"]
             for name, reply in (("plain", plain), ("answer", answer), ("one", one))}
    assert width["answer"] < width["one"] < width["plain"]
    without = runs.server.get("/v1/inference-sizing", measurement_set="acme", use_measurements=0,
                              **SIZING).json
    assert without["time_per_output_token_seconds"] == token


@pytest.mark.parametrize("path, asked, name, figure", [
    ("/v1/inference-sizing", SIZING, "measured_time_per_output_token_seconds",
     "time_per_output_token_seconds"),
    ("/v1/training-plan", TRAINING, "measured_step_seconds", "step_seconds")])
@pytest.mark.parametrize("ratio", [0.97, 1.03, 1.7])
def test_a_stored_run_has_the_interval_of_its_estimate(runs, path, asked, name, figure, ratio):
    plain = runs.server.get(path, **asked).json
    run = (RUN if path == "/v1/inference-sizing" else TRAINING) | {"measurement_set": "acme"}
    made = runs.store(run | {name: plain[figure] * ratio})
    ends = [made["estimated_low"] / made["estimated"], made["estimated_high"] / made["estimated"]]
    assert ends == pytest.approx([plain[figure + end] / plain[figure] for end in ("_low", "_high")],
                                 rel=0.03)
    assert made["inside"] == (ends[0] <= ratio <= ends[1])


def test_runs_tell_which_part_of_a_step_is_slow(runs):
    """Alike in load and length, unlike in what takes their time: runs that mostly read prompts are
    slow, runs that mostly write are as estimated, and each kind of question follows its own."""
    factors = {}
    loads = {"prompts": (4000, 100), "answers": (100, 4000)}
    for name, (inputs, outputs) in loads.items():
        load = {"input_tokens": inputs, "output_tokens": outputs, "concurrent_requests": 128}
        plain = runs.server.get("/v1/inference-sizing", **SIZING | load).json
        slower = 1.4 if name == "prompts" else 1
        runs.store(RUN | load | {"measured_time_per_output_token_seconds":
                                 slower * plain["time_per_output_token_seconds"]})
    for name, (inputs, outputs) in loads.items():
        load = {"input_tokens": inputs, "output_tokens": outputs, "concurrent_requests": 64}
        factors[name] = runs.server.get("/v1/inference-sizing", measurement_set="acme",
                                        **SIZING | load).json["correction_factor"]
    assert factors["prompts"] > 1.15 > 1.05 > factors["answers"], factors


def test_runs_correct_a_training_plan(runs):
    asked = TRAINING | {"tokens": 1e11}
    plain = runs.server.get("/v1/training-plan", **asked).json
    for ratio in (1.1, 1.12):
        runs.store(TRAINING | {"measurement_set": "acme",
                               "measured_step_seconds": plain["step_seconds"] * ratio})
    plan = runs.server.get("/v1/training-plan", measurement_set="acme", **asked).json
    assert plan["correction_run_count"] == 2 and 1.05 < plan["correction_factor"] < 1.12
    assert plan["step_seconds_uncorrected"] == plain["step_seconds"]
    assert plan["total_cost"] > plan["total_cost_uncorrected"] == plain["total_cost"]
    assert "from 2 runs of measurement_set acme; without them a step takes" in \
        plan["correction_sentence"]
    assert "correction_sentence" not in plain or plain["correction_sentence"] is None


def test_a_deadline_is_met_by_the_corrected_step(runs):
    """Sized by the step without the runs, the training would miss it."""
    asked = {name: TRAINING[name] for name in TRAINING if name != "gpu_count"} | {
        "tokens": 1e12, "deadline_days": 10}
    plain = runs.server.get("/v1/training-plan", **asked).json
    step = runs.server.get("/v1/training-plan", **TRAINING).json["step_seconds"]
    runs.store(TRAINING | {"measurement_set": "acme", "measured_step_seconds": step * 1.4})
    plan = runs.server.get("/v1/training-plan", measurement_set="acme", **asked).json
    assert plain["meets_deadline"] is True and plan["meets_deadline"] is True, plan["days"]
    assert plan["gpu_count"] > plan["gpu_count_uncorrected"] == plain["gpu_count"]
    assert plan["total_cost_uncorrected"] == plain["total_cost"]
    assert f"on the {plain['gpu_count']} GPUs needed then" in plan["correction_sentence"]
    same = runs.server.get("/v1/training-plan", measurement_set="acme", use_measurements=0,
                           **asked).json
    assert same["gpu_count"] == plain["gpu_count"] and same["correction_factor"] is None


def test_runs_correct_the_options_they_are_like(runs):
    """Those on another GPU stay, and each row is what its plan says."""
    asked = {name: TRAINING[name] for name in TRAINING if name not in ("gpu", "gpu_count")} | {
        "gpu": GPU + ",h200-sxm5-141gb", "tokens": 1e12, "per_gpu": 5}
    rows = runs.server.get("/v1/training-plan/options", **asked).json["options"]
    plain = {(row["gpu"], row["gpu_count"]): row for row in rows}
    step = runs.server.get("/v1/training-plan", **TRAINING).json["step_seconds"]
    runs.store(TRAINING | {"measurement_set": "acme", "measured_step_seconds": step * 1.4})
    options = runs.server.get("/v1/training-plan/options", measurement_set="acme", **asked).json
    corrected = [row for row in options["options"] if row["gpu"] == GPU]
    others = [row for row in options["options"] if row["gpu"] != GPU]
    assert corrected and others
    for row in corrected:
        assert row["correction_factor"] > 1.1 and row["correction_run_count"] == 1
        plan = runs.server.request("GET", row["plan"]).json
        for name in ("days", "days_high", "total_cost", "step_seconds", "correction_factor"):
            assert row[name] == plan[name], name
    for row in others:
        assert row["correction_factor"] is None
        assert row["days"] == plain.get((row["gpu"], row["gpu_count"]), row)["days"]
    assert "no_like_measurement" not in {warning["code"] for warning in options["warnings"]}


def test_a_set_like_none_of_the_options_says_so(runs):
    runs.store(RUN)
    options = runs.server.get("/v1/training-plan/options", measurement_set="acme",
                              model="llama-3.1-8b", tokens=1e10).json
    assert all(row["correction_factor"] is None for row in options["options"])
    assert "no_like_measurement" in {warning["code"] for warning in options["warnings"]}


BOUGHT = {"gpu": GPU, "workload": "serve", "model": "llama-3.1-70b", "engine": "vllm",
          "weight_dtype": "fp8", "tokens_per_day": 2e9, "input_tokens": 1000,
          "output_tokens": 1000}


def decided(server, **asked):
    return server.answer("/v1/break-even", **asked).json


def assert_without(answer, plain):
    """The figures without the runs are those of the answer that names none."""
    for name in ("gpu_count", "utilization", "buy_total_cost", "rent_total_cost", "buy_saving",
                 "break_even_months", "verdict"):
        assert answer[name + "_uncorrected"] == plain[name], name
        assert plain[name + "_uncorrected"] is None, name


def test_runs_correct_what_is_bought_and_it_says_so(runs):
    """Slower than estimated: more of the machines' time is used for the same load."""
    plain = decided(runs.server, **BOUGHT)
    for seconds in (0.05, 0.051):
        runs.store(RUN | {"measured_time_per_output_token_seconds": seconds})
    answer = decided(runs.server, measurement_set="acme", **BOUGHT)
    use = [reply["inputs"]["gpu_hours_per_month"]["value"] for reply in (plain, answer)]
    assert use[1] > use[0]
    sizing = runs.server.request("GET", answer["workload_plan"]).json
    assert answer["correction_factor"] == sizing["correction_factor"] > 1
    assert answer["correction_run_count"] == 2 and answer["training_correction_factor"] is None
    assert_without(answer, plain)
    assert answer["correction_sentence"].startswith(
        f"corrected by x {answer['correction_factor']:.3g} from 2 runs of measurement_set acme; "
        "without them an output token takes 0.0")
    assert f"the plan has {plain['gpu_count']:.0f} GPUs" in answer["correction_sentence"]
    assert plain["correction_sentence"] is None and plain["correction_run_count"] is None


def test_runs_correct_a_training_that_is_then_served(runs):
    """One set holds runs of both: each plan is corrected by its own."""
    asked = {"gpu": GPU, "workload": "train_then_serve", "model": "llama-3.1-8b",
             "tokens": 1e11, "gpu_count": 64, "sequence_tokens": 8192,
             "global_batch_sequences": 128, "precision": "bf16", "tokens_per_day": 1e9,
             "weight_dtype": "fp8"}
    plain = decided(runs.server, **asked)
    training = {"stack": "unspecified", "measurement_set": "acme"}
    step = runs.server.request("GET", plain["workload_training_plan"]).json["step_seconds"]
    runs.store(TRAINING | training | {"measured_step_seconds": step * 1.2})
    half = decided(runs.server, measurement_set="acme", **asked)
    assert half["training_correction_factor"] > 1.05 and half["correction_run_count"] == 1
    assert half["correction_factor"] is None
    runs.store(RUN | {"model": "llama-3.1-8b", "engine": "unspecified", "tensor_parallel": 1,
                      "measured_time_per_output_token_seconds": 0.03})
    both = decided(runs.server, measurement_set="acme", **asked)
    assert both["training_correction_factor"] == half["training_correction_factor"]
    assert both["correction_factor"] > 1 and both["correction_run_count"] == 2
    assert both["correction_sentence"].startswith("training corrected by x ")
    assert "; service corrected by x " in both["correction_sentence"]
    assert_without(both, plain)


def test_a_set_without_a_run_like_the_workload_corrects_no_purchase(runs):
    runs.store(RUN)
    answer = decided(runs.server, measurement_set="acme", **BOUGHT | {"engine": "sglang"})
    assert answer["correction_run_count"] is None and answer["correction_sentence"] is None
    assert "no_like_measurement" in {warning["code"] for warning in answer["warnings"]}


@pytest.mark.parametrize("ratio, far", [(1.2, False), (30, True)])
def test_a_run_far_outside_the_interval_is_doubted(runs, ratio, far):
    """It is taken over, but tells of something else than the estimate's error."""
    plain = runs.server.get("/v1/inference-sizing", **SIZING).json
    runs.store(RUN | {"measured_time_per_output_token_seconds":
                      plain["time_per_output_token_seconds"] * ratio})
    step = runs.server.get("/v1/training-plan", **TRAINING).json["step_seconds"]
    runs.store(TRAINING | {"measurement_set": "acme", "measured_step_seconds": step * ratio})
    for path, asked in (("/v1/inference-sizing", SIZING), ("/v1/training-plan", TRAINING)):
        answer = runs.server.get(path, measurement_set="acme", **asked).json
        told = [warning["detail"] for warning in answer["warnings"]
                if warning["code"] == "far_measurement"]
        assert len(told) == far, path
        assert not far or f"by a factor of {answer['correction_factor']:.3g}" in told[0]


def test_a_first_token_alone_is_said_of_the_first_token(team):
    plain = team.server.get("/v1/inference-sizing", **SIZING).json
    first = plain["time_to_first_token_seconds"]
    answer = team.server.get("/v1/inference-sizing", **SIZING,
                             measured_time_to_first_token_seconds=first * 1.2).json
    assert answer["correction_factor"] == 1
    assert answer["correction_sentence"] == (
        f"corrected by x {answer['first_token_correction_factor']:.3g} from 1 run of your own; "
        f"without it the first token takes {first:.4g} s")


@pytest.mark.parametrize("path, run, other, words", [
    ("/v1/inference-sizing", RUN, SIZING | {"engine": "unspecified", "weight_dtype": "bf16"},
     "; the nearest: same GPU, no engine asked for, another number format"),
    ("/v1/training-plan", TRAINING | {"measurement_set": "acme", "measured_step_seconds": 2},
     TRAINING | {"stack": "unspecified"}, "; the nearest: same GPU, no framework asked for"),
    ("/v1/training-plan", RUN, TRAINING, "so the estimate is not corrected")])
def test_what_keeps_a_run_from_counting_is_said(runs, path, run, other, words):
    runs.store(run)
    answer = runs.server.get(path, measurement_set="acme", **other).json
    said, = (warning["detail"] for warning in answer["warnings"]
             if warning["code"] == "no_like_measurement")
    assert words in said and ("the nearest" in said) == ("the nearest" in words)


def test_a_set_that_says_nothing_of_the_question_says_so(runs):
    runs.store(RUN)
    other = SIZING | {"engine": "sglang"}
    answer = runs.server.get("/v1/inference-sizing", measurement_set="acme", **other).json
    assert answer["correction_factor"] is None
    assert "no_like_measurement" in {warning["code"] for warning in answer["warnings"]}
    assert "; the nearest: same GPU, another engine, same number format" in str(answer["warnings"])
    plain = runs.server.get("/v1/inference-sizing", **other).json
    assert answer["time_per_output_token_seconds"] == plain["time_per_output_token_seconds"]


@pytest.mark.parametrize("path, asked", [("/v1/inference-sizing", SIZING),
                                         ("/v1/training-plan", TRAINING)])
def test_an_unknown_set_is_refused(team, path, asked):
    reply = team.server.get(path, measurement_set="nobodys", **asked)
    assert reply.status == 400 and culprit(reply) == ("measurement_set", "unknown_name")


@pytest.mark.parametrize("path, asked, parameter", [
    ("/v1/inference-sizing/options", {"measured_output_tokens_per_second": 900},
     "measured_output_tokens_per_second"),
    ("/v1/training-plan/options", {"tokens": 1e10, "measured_step_seconds": 1},
     "measured_step_seconds"),
    ("/v1/training-plan/options", {"measurement_set": "acme", "tokens": 1e10}, "measurement_set"),
    ("/v1/inference-sizing/options", {"measurement_set": "nobodys"}, "measurement_set"),
    ("/v1/recommendation", {"measurement_set": "nobodys", "workload": "serve"}, "measurement_set"),
    ("/v1/recommendation", {"measurement_set": "acme", "budget": 1e6}, "measurement_set")])
def test_what_corrects_nothing_there_is_refused(team, path, asked, parameter):
    model = {"model": "llama-3.1-8b"}
    reply = team.server.get(path, **model, **asked)
    assert reply.status == 400 and culprit(reply)[0] == parameter, reply.text


# --- stored by the command -----------------------------------------------------------------------

@pytest.fixture
def token_file(tmp_path):
    path = tmp_path / "token"
    path.write_text("a-secret\n")
    return path


def store(team, token_file, name, *pairs, options=(), url=None):
    return subprocess.run(
        [BINARY, "measure", "--store", "acme", "--token-file", token_file, "--url",
         url or team.server.url, *options, ROOT / "api/benchmarks" / name, *pairs],
        capture_output=True, text=True, check=False)


def test_a_benchmark_is_stored_and_corrects_a_sizing(runs, token_file):
    asked = {"gpu": GPU, "model": "gpt-oss-120b", "engine": "vllm", "weight_dtype": "fp4",
             "kv_cache_dtype": "fp8"}
    pairs = [f"{name}={value}" for name, value in asked.items()]
    done = store(runs, token_file, "vllm.json", *pairs, "requests_per_minute=1")
    assert done.returncode == 64 and "requests_per_minute: is an input of /v1/inference-sizing" in done.stderr
    for _ in range(2):  # the second time it is there already
        done = store(runs, token_file, "vllm.json", *pairs)
        assert done.returncode == 0, done.stderr
    wait_for(lambda: runs.ids("acme"), "the run to be served")
    made, = runs.server.get("/v1/measurements", measurement_set="acme").json["rows"]
    assert done.stdout.startswith(f"{made['id']}: time_per_output_token_seconds of 0.0097")
    assert made["concurrent_requests"] == 64
    answer = runs.server.get("/v1/inference-sizing", measurement_set="acme",
                             requests_per_minute=2400, **asked).json
    assert answer["correction_run_count"] == 1
    assert "a-secret" not in done.stdout + done.stderr


@pytest.mark.parametrize("model, weights", [("gpt-oss-120b", "fp4"), ("llama-3.1-8b", "bf16")])
def test_weights_are_stored_as_a_question_without_their_format_has_them(runs, token_file, model,
                                                                        weights):
    """In the format that the sizing of the same run chooses; and that is said."""
    pairs = ["gpu=" + GPU, "model=" + model, "measured_time_per_output_token_seconds=0.05"]
    done = store(runs, token_file, "vllm.json", *pairs)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("\n") == 1 and f"weight_dtype={weights}, the default" in done.stderr
    wait_for(lambda: runs.ids("acme"), "the run to be served")
    made, = runs.server.get("/v1/measurements", measurement_set="acme").json["rows"]
    assert made["precision"] == weights
    stated = store(runs, token_file, "vllm.json", *pairs, "weight_dtype=fp8")
    assert stated.returncode == 0 and stated.stderr == ""


def test_all_runs_of_a_file_are_stored_or_the_one_asked_for(runs, token_file):
    pairs = ["model=deepseek-r1", "gpu=h200-sxm5-141gb", "weight_dtype=fp8", "tensor_parallel=8"]
    assert store(runs, token_file, "sglang.jsonl", *pairs, options=["--run", "2"]).returncode == 0
    wait_for(lambda: len(runs.ids("acme")) == 1, "the second run")
    done = store(runs, token_file, "sglang.jsonl", *pairs)
    assert done.returncode == 0 and done.stdout.count("own-") == 2
    wait_for(lambda: len(runs.ids("acme")) == 2, "both runs")


def test_a_training_log_is_stored_as_it_ran(runs, token_file):
    """The GPUs and the batch of the question that it was to correct are not those of the run."""
    done = store(runs, token_file, "torchtitan.log", "gpu=" + GPU, "model=llama-3.1-8b",
                 "gpu_count=256", "global_batch_sequences=512", "sequence_tokens=8192",
                 "measured_gpu_count=128", "measured_global_batch_sequences=256")
    assert done.returncode == 0, done.stderr
    wait_for(lambda: runs.ids("acme"), "the run to be served")
    row, = runs.server.get("/v1/measurements", measurement_set="acme").json["rows"]
    assert (row["gpu_count"], row["global_batch_sequences"]) == (128, 256)


@pytest.mark.parametrize("name, pairs, why", [
    ("vllm.json", ["gpu=" + GPU, "model=gpt-oss-1200b"], "model: "),
    ("vllm.json", ["gpu=h1000", "weight_dtype=fp4"], "gpu: "),
    ("vllm.json", ["gpu=" + GPU, "weight_dtype=bf16", "measured_tensor_parallel=1"],
     "cannot have run"),
    ("vllm.json", ["gpu=" + GPU, "weight_dtype=fp4",
                   "measured_time_per_output_token_seconds=9.7"], "a factor of about 1,000"),
    ("runs.csv", [], "run 1 of 2: the file has only tokens per second"),
    ("vllm.json", ["gpu"], "inputs are written NAME=VALUE")])
def test_what_cannot_be_stored_is_said_in_a_sentence(team, token_file, name, pairs, why):
    done = store(team, token_file, name, *pairs)
    assert done.returncode == 64 and why in done.stderr, done.stderr
    assert done.stdout == "" and done.stderr.count("\n") == 1
    assert team.database.query("select count(*) from own_measurement") == "0"


def test_a_token_and_a_daemon_are_needed_to_store(team, token_file):
    pairs = ["gpu=" + GPU, "weight_dtype=fp4"]
    nobody = store(team, token_file, "vllm.json", *pairs, url="http://127.0.0.1:1")
    assert nobody.returncode == 69 and "no answer" in nobody.stderr
    token_file.write_text("another\n")
    refused = store(team, token_file, "vllm.json", *pairs)
    assert refused.returncode == 64 and "this token may not write" in refused.stderr
    token_file.write_text("two words\n")
    assert "holds no token" in store(team, token_file, "vllm.json", *pairs).stderr
    missing = subprocess.run([BINARY, "measure", "--store", "acme", token_file],
                             capture_output=True, text=True, check=False)
    assert missing.returncode == 64 and missing.stderr.startswith("usage: ")
