"""gpuplan usage: what a cluster was used, by its accounting, alongside what its plan said."""
import json
import subprocess

import pytest

from conftest import BINARY, ROOT

FILES = ROOT / "api/benchmarks/usage"
PLAN = ["gpu=h100-sxm5-80gb", "utilization=0.8"]


def usage(path, *pairs):
    return subprocess.run([BINARY, "usage", path, *pairs], capture_output=True, text=True,
                          check=False)


def table(done):
    assert done.returncode == 0, done.stderr
    *lines, plan = done.stderr.splitlines()
    assert plan.startswith("planned: gpuplan ask break-even ") and " gpu_count=" in plan
    assert " utilization=0.8" in plan and "first_phase" not in plan
    header, *rows = (line.split() for line in lines)
    return header, {name: [float(cell) for cell in cells] for name, *cells in rows}


def question(done):
    resource, *pairs = done.stdout.split()
    assert resource == "break-even"
    return dict(pair.split("=", 1) for pair in pairs)


def test_jobs_of_sacct_are_spread_over_their_months():
    """Job 102 runs over the turn of June; steps are parts of jobs; 106 runs still."""
    done = usage(FILES / "sacct.txt", "gpu_count=64", *PLAN)
    header, rows = table(done)
    assert header == ["month", "GPU-hours", "of", "allocated", "planned", "beyond", "plan"]
    june, july = 20 * 24 * 64 + 7 * 24 * 32, 8 * 24 * 32 + 19.5 * 24 * 24
    assert rows["2026-06"][:2] == [june, 30 * 24 * 64]
    assert rows["2026-07"][:2] == [july, 31 * 24 * 64]
    august = 26 * 24 * 24 + 31 * 24 * 8 + 8
    assert rows["2026-08"][0] == august
    assert rows["all"][0] == june + july + august
    assert rows["2026-07"][4] == pytest.approx(july - 0.8 * 31 * 24 * 64, abs=1)
    asked = question(done)
    assert asked["gpu_count"] == "64" and asked["utilization"] == "0.8"
    assert float(asked["first_phase_months"]) == pytest.approx(92 * 24 / 730, rel=1e-5)
    assert float(asked["first_phase_utilization"]) == pytest.approx(
        (june + july + august) / (92 * 24 * 64), rel=1e-5)


def test_reports_of_sreport_say_how_many_gpus_there_are():
    done = usage(FILES / "sreport.txt", *PLAN)
    _, rows = table(done)
    assert rows["2026-06"][:3] == [36096, 46080, 0.783] and rows["2026-07"][2] == 0.365
    assert question(done)["gpu_count"] == "64"


def test_minutes_of_sreport_are_minutes(tmp_path):
    text = (FILES / "sreport.txt").read_text().replace("TRES Hours", "TRES Minutes")
    text = text.replace("|36096|", f"|{36096 * 60}|").replace("|17376|", f"|{17376 * 60}|")
    text = text.replace("|46080\n", f"|{46080 * 60}\n").replace("|47616\n", f"|{47616 * 60}\n")
    (tmp_path / "report").write_text(text)
    assert usage(tmp_path / "report", *PLAN).stderr == usage(FILES / "sreport.txt", *PLAN).stderr


def test_clusters_of_a_report_are_counted_together(tmp_path):
    """sreport -a prints a row for each cluster; columns and rows end in a bar with -p."""
    lines = (FILES / "sreport.txt").read_text().split("\n")
    rows = [line for line in lines if line.startswith("prod|")]
    assert len(rows) == 2
    text = "\n".join(line + "\n" + line.replace("prod", "test") if line in rows else line
                     for line in lines)
    (tmp_path / "report").write_text(text.replace("|Reported", "|Reported|"))
    done = usage(tmp_path / "report", *PLAN)
    _, table_rows = table(done)
    assert table_rows["2026-06"][:3] == [2 * 36096, 2 * 46080, 0.783]
    assert question(done)["gpu_count"] == "128"


def test_hours_with_percentages_are_hours(tmp_path):
    text = (FILES / "sreport.txt").read_text().replace("Hours", "Hours/Percentage of Total")
    text = text.replace("|36096|", "|36096(78.33%)|").replace("|46080\n", "|46080(100.00%)\n")
    (tmp_path / "report").write_text(text)
    assert usage(tmp_path / "report", *PLAN).stderr == usage(FILES / "sreport.txt", *PLAN).stderr


@pytest.mark.parametrize("old, new, why", [
    ("TRES Hours", "Percentage of Total", "its reports are in percent: ask sreport -P -t hours"),
    ("gres/gpu", "cpu", "its reports have no row gres/gpu: ask sreport -P -t hours"),
    ("TRES Name|", "", "its reports have no row gres/gpu")])
def test_a_report_of_something_else_says_how_to_ask(tmp_path, old, new, why):
    (tmp_path / "report").write_text((FILES / "sreport.txt").read_text().replace(old, new))
    done = usage(tmp_path / "report", *PLAN)
    assert done.returncode == 64 and why in done.stderr and done.stdout == "", done.stderr


@pytest.mark.parametrize("scale, metric", [(1, "DCGM_FI_DEV_GPU_UTIL"),
                                           (0.01, "DCGM_FI_PROF_GR_ENGINE_ACTIVE")])
def test_a_range_of_prometheus_counts_what_is_missing_as_idle(tmp_path, scale, metric):
    matrix = json.loads((FILES / "prometheus.json").read_text())
    for series in matrix["data"]["result"]:
        series["metric"]["__name__"] = metric
        series["values"] = [[at, str(float(value) * scale)] for at, value in series["values"]]
    (tmp_path / "range.json").write_text(json.dumps(matrix, indent=1 if scale == 1 else None))
    done = usage(tmp_path / "range.json", *PLAN)
    header, rows = table(done)
    assert header[3] == "busy" and question(done)["gpu_count"] == "2"
    assert rows["2026-07"][:3] == [6, 12, 0.5]  # 6 h x 0.8 + 4 h x 0.3, rounded
    assert rows["all"][2] == 0.525


@pytest.mark.parametrize("content, pairs, why", [
    (None, PLAN, "gpu_count is required: sacct does not say how many GPUs there are"),
    (None, ["gpu_count=16"], "sacct has 36096 GPU-hours in 2026-06, and 16 GPUs have 11520"),
    (None, ["gpu_count=64", "first_phase_months=3"], "is computed from the file"),
    (None, ["gpu_count=many"], "is no number"), (None, ["64"], "inputs are written NAME=VALUE"),
    ("JobID|Start|End\n1|2026-06-01T00:00:00|2026-06-02T00:00:00\n", PLAN,
     "has no column AllocTRES"),
    ("JobID|Start|End|AllocTRES\n1|2026-06-01T00:00:00|2026-06-02T00:00:00|cpu=4\n", PLAN,
     "no job of the file had GPUs"),
    ('{"data":{"resultType":"matrix","result":[{"metric":{},"values":[[1,"5"]]}]}}', PLAN,
     "no series of two samples"),
    ('{"data":{"resultType":"matrix","result":[{"metric":{},"values":[[1,"5"],[61,"350"]]}]}}',
     PLAN, "samples of 350"),
    ("", PLAN, "neither the output of sacct"), ("\0|||", PLAN, "neither the output of sacct")])
def test_what_says_nothing_is_refused_in_a_sentence(tmp_path, content, pairs, why):
    path = FILES / "sacct.txt"
    if content is not None:
        path = tmp_path / "file"
        path.write_text(content)
    done = usage(path, *pairs)
    assert done.returncode == 64 and why in done.stderr and done.stdout == "", done.stderr
    assert done.stderr.count("\n") == 1


def test_the_decision_is_held_against_the_plan(server):
    """Used less than planned, the same machines save less: both answers are there to compare."""
    asked = question(usage(FILES / "sacct.txt", "gpu_count=64", *PLAN))
    hourly = dict(purchase_option="on_demand")
    actual = server.get("/v1/break-even", **asked | hourly).json
    plan = server.get("/v1/break-even", gpu="h100-sxm5-80gb", gpu_count=64, utilization=0.8, **hourly).json
    assert actual["mean_utilization"] < plan["mean_utilization"] == 0.8
    assert actual["buy_saving"] < plan["buy_saving"]


# --- variants of the documented layouts ----------------------------------------------------------

STEPS = """\
JobIDRaw|JobName|Partition|State|Start|End|Elapsed|AllocTRES
200|train|gpu|COMPLETED|2026-06-01T00:00:00|2026-06-03T06:00:00|2-06:00:00|billing=64,cpu=64,gres/gpu:a100=4,mem=500G,node=1
200.batch|batch||COMPLETED|2026-06-01T00:00:00|2026-06-03T06:00:00|2-06:00:00|cpu=64,gres/gpu:a100=4,mem=500G,node=1
200.extern|extern||COMPLETED|2026-06-01T00:00:00|2026-06-03T06:00:00|2-06:00:00|billing=64,cpu=64,gres/gpu:a100=4,mem=500G,node=1
200.0|python||COMPLETED|2026-06-01T00:00:01|2026-06-03T06:00:00|2-05:59:59|cpu=64,gres/gpu:a100=4,mem=500G,node=1
201_1|array|gpu|COMPLETED|2026-06-04T00:00:00|2026-06-04T01:00:00|01:00:00|cpu=8,gres/gpu=1,gres/gpu:a100=1,gres/gpumem=30G,gres/gpuutil=90
201_2|array|gpu|COMPLETED|2026-06-04T00:00:00|2026-06-04T01:00:00|01:00:00|cpu=8,gres/gpu:a100=1,gres/gpu=1
201_[3-9]|array|gpu|PENDING|Unknown|Unknown|00:00:00|
202+0|het|gpu|COMPLETED|2026-06-05T00:00:00|2026-06-05T00:30:00|00:30:00|cpu=8,gres/gpu=2
203|now|gpu|RUNNING|2026-06-06T00:00:00|Unknown|1-00:00:00|cpu=8,gres/gpu=8
"""


@pytest.mark.parametrize("text", [
    STEPS, STEPS.replace("\n", "|\n"), STEPS.replace("\n", "\r\n"),
    STEPS.replace("Elapsed", "ElapsedRaw").replace("|1-00:00:00|", "|86400|")],
    ids=["parsable2", "parsable", "crlf", "raw"])
def test_steps_arrays_and_running_jobs_of_sacct(tmp_path, text):
    """54 h on 4, two tasks of an array, half of a job of two parts, a day so far on 8."""
    (tmp_path / "jobs").write_text(text, newline="")
    _, rows = table(usage(tmp_path / "jobs", "gpu_count=16", *PLAN))
    assert rows["all"][0] == 54 * 4 + 2 + 1 + 24 * 8
    assert rows["all"][1] == 6 * 24 * 16  # until the running job was asked about


def matrix(series):
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": series}})


def samples(values, begin=1785520800, scale=1):
    return [[(begin + 3600 * i) * scale, value] for i, value in enumerate(values) if value]


def gpu(number, values, **more):
    return {"metric": {"__name__": "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "Hostname": "n1",
                       "gpu": str(number), "UUID": f"GPU-{number}", **more}, "values": values}


def test_samples_that_are_no_number_and_gaps_are_idle(tmp_path):
    (tmp_path / "range").write_text(matrix([
        gpu(0, samples(["0.5", "NaN", "0.5", "0.5"])), gpu(1, samples(["1", "", "", "1"]))]))
    _, rows = table(usage(tmp_path / "range", *PLAN))
    assert rows["all"][1:3] == [8, 0.438]  # 3.5 of 8 hours
    assert question(usage(tmp_path / "range", *PLAN))["gpu_count"] == "2"


def test_milliseconds_are_seconds(tmp_path):
    for scale in (1, 1000):
        (tmp_path / str(scale)).write_text(matrix([
            gpu(0, samples(["0.5", "0.7"], scale=scale)), gpu(1, samples(["1", "1"], scale=scale))]))
    assert usage(tmp_path / "1", *PLAN).stderr == usage(tmp_path / "1000", *PLAN).stderr


def test_a_gpu_has_a_series_for_each_pod(tmp_path):
    (tmp_path / "range").write_text(matrix([
        gpu(0, samples(["0.5", "0.5"]), exported_pod="a"), gpu(1, samples(["1"] * 4), exported_pod="b"),
        gpu(0, samples(["0.5", "0.5"], 1785520800 + 7200), exported_pod="c")]))
    done = usage(tmp_path / "range", *PLAN)
    assert question(done)["gpu_count"] == "2"
    assert table(done)[1]["all"][1:3] == [8, 0.75]


@pytest.mark.parametrize("content, why", [
    (matrix([{"metric": {}, "values": samples(["50", "60"])}]), "an average over GPUs"),
    ('{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"5"]}]}}',
     "ask /api/v1/query_range"),
    ("Cluster/Account/User Utilization 2026-06-01T00:00:00 - 2026-06-30T23:59:59 (2592000 secs)\n"
     "Usage reported in TRES Hours\nCluster|Account|Login|Proper Name|TRES Name|Used\n"
     "prod|root|||gres/gpu|36096\n", "by account or user: ask sreport -P -t hours cluster utilization")],
    ids=["average", "instant", "by user"])
def test_other_reports_say_what_to_ask(tmp_path, content, why):
    (tmp_path / "file").write_text(content)
    done = usage(tmp_path / "file", "gpu_count=16", *PLAN)
    assert done.returncode == 64 and why in done.stderr, done.stderr


# Layouts as clusters have published them: a table for reading with two figures a column (Princeton's
# della), a series for each scrape job, labels of utkuozdemir/nvidia_gpu_exporter, jobs with their
# steps, GPUs by type and ends that are not known.
READ = """\
--------------------------------------------------------------------------------
Cluster Utilization 2021-09-01T00:00:00 - 2021-09-30T23:59:59
Usage reported in TRES Hours/Percentage of Total
--------------------------------------------------------------------------------
  Cluster      TRES Name            Allocated         Down     PLND Down             Idle     Reported
--------- -------------- -------------------- ------------ ------------- ---------------- ------------
    della       gres/gpu         8866(68.41%)   800(6.17%)      0(0.00%)     3294(25.42%) 12960(100.00%)
"""
JOBS = """\
JobID|User|Partition|State|Submit|Start|End|Elapsed|AllocTRES|NodeList|
101|ann|gpu|COMPLETED|2026-09-01T08:00:00|2026-09-01T08:10:00|2026-09-03T08:10:00|2-00:00:00|\
billing=128,cpu=128,gres/gpu:h100=8,gres/gpu=8,mem=1000G,node=1|n1|
101.batch||||2026-09-01T08:10:00|2026-09-01T08:10:00|2026-09-03T08:10:00|2-00:00:00|\
cpu=128,gres/gpu:h100=8,gres/gpu=8,mem=1000G,node=1|n1|
102|bob|gpu|CANCELLED by 1001|2026-09-05T00:00:00|None|2026-09-05T01:00:00|00:00:00||None assigned|
104_[1-5]|bob|gpu|PENDING|2026-09-10T00:00:00|Unknown|Unknown|00:00:00||None assigned|
"""


def test_a_table_for_reading_is_asked_for_again(tmp_path):
    (tmp_path / "file").write_text(READ)
    done = usage(tmp_path / "file", *PLAN)
    assert done.returncode == 64 and "without -P: ask sreport -P" in done.stderr


def test_all_columns_of_sacct_are_read(tmp_path):
    (tmp_path / "file").write_text(JOBS)
    assert table(usage(tmp_path / "file", "gpu_count=8", *PLAN))[1]["all"][1] == 8 * 48


def test_a_gpu_that_two_jobs_scrape_is_not_counted_twice(tmp_path):
    values = samples(["0.5"] * 4)
    (tmp_path / "range").write_text(matrix([gpu(0, values, job="dcgm_exporter"),
                                            gpu(0, values, job="gpu_exporter")]))
    done = usage(tmp_path / "range", *PLAN)
    assert done.returncode == 64 and "query max by (UUID)" in done.stderr


def test_the_labels_of_nvidia_gpu_exporter_name_gpus(tmp_path):
    (tmp_path / "range").write_text(matrix([
        {"metric": {"__name__": "nvidia_smi_utilization_gpu_ratio", "uuid": f"gpu-{i}"},
         "values": samples(["0.5"] * 4)} for i in range(2)]))
    assert question(usage(tmp_path / "range", *PLAN))["gpu_count"] == "2"


STATES = """\
JobID|JobName|State|Start|End|Elapsed|AllocTRES|
1200_1|train|COMPLETED|2026-06-01T00:00:00|2026-06-11T00:00:00|10-00:00:00|gres/gpu:nvidia_h100_80gb_hbm3=8,gres/gpu=8,mem=1T|
1200_1.batch|batch|COMPLETED|2026-06-01T00:00:00|2026-06-11T00:00:00|10-00:00:00|gres/gpu=8,mem=1T|
1200_2|train|CANCELLED by 1000|2026-06-05T00:00:00|2026-06-07T00:00:00|2-00:00:00|gres/gpu=8,mem=1T|
1200_[3-9]|train|PENDING|Unknown|Unknown|00:00:00||
1201|train|REQUEUED|2026-06-12T00:00:00|2026-06-13T00:00:00|1-00:00:00|gres/gpu=16,mem=1T|
1201|train|RUNNING|2026-06-14T00:00:00|Unknown|5-00:00:00|gres/gpu=16,mem=1T|
1202+0|het|NODE_FAIL|2026-06-20T00:00:00|2026-06-21T00:00:00|1-00:00:00|gres/gpu:a100=4,gres/gpu:h100=4,mem=1T|
1203|train|CANCELLED|None|2026-06-21T00:00:00|00:00:00||
"""


def test_arrays_requeued_and_cancelled_jobs(tmp_path):
    """An array's tasks are jobs, each start of a requeued job counts, and so does what a cancelled
    one had used; what never started does not."""
    (tmp_path / "jobs").write_text(STATES)
    _, rows = table(usage(tmp_path / "jobs", "gpu_count=32", *PLAN))
    assert rows["all"][:2] == [24 * (80 + 16 + 16 + 80 + 8), 20 * 24 * 32]


@pytest.mark.parametrize("start, end", [
    ("2026-06-01 00:00:00", "2026-06-11 00:00:00"), ("1780272000", "1781136000"),
    ("2026-06-01T00:00:00+0200", "2026-06-11T00:00:00+0200")])
def test_other_forms_of_time(tmp_path, start, end):
    (tmp_path / "jobs").write_text(f"JobID|Start|End|AllocTRES\n1|{start}|{end}|gres/gpu=8\n")
    _, rows = table(usage(tmp_path / "jobs", "gpu_count=32", *PLAN))
    assert rows["2026-06"][:2] == [1920, 7680]


@pytest.mark.parametrize("text, why", [
    ("JobID    Start      End  AllocTRES\n-------- ---------- ---- ---------\n", "not separated by |"),
    ("JobID;Start;End;AllocTRES\n1;2026-06-01T00:00:00;2026-06-11T00:00:00;gres/gpu=8\n", "separated by |"),
    ("JobID|Start|End|AllocTRES\n1|06/01-00:00|06/11-00:00|gres/gpu=8\n", "SLURM_TIME_FORMAT"),
    ("JobID|Start|End|AllocTRES\n1|06/01-00:00|06/11-00:00|cpu=8\n", "no job of the file had GPUs"),
    ('{"jobs": [{"job_id": 1}], "meta": {"slurm": {"version": {}}}}', "is JSON of sacct")])
def test_other_forms_of_sacct_are_named(tmp_path, text, why):
    (tmp_path / "jobs").write_text(text)
    done = usage(tmp_path / "jobs", "gpu_count=32", *PLAN)
    assert done.returncode != 0 and why in done.stderr and not done.stdout


def test_jobs_of_any_scheduler_are_read(tmp_path):
    """Three jobs of Helios, the use that its own columns state: GPUs times duration."""
    done = usage(FILES / "jobs.csv", "gpu_count=8", *PLAN)
    _, rows = table(done)
    assert rows["2020-06"][0] == round((36848 + 4 * 249 + 675233) / 3600)
    for old, new in ((",", ";"), (",", "\t"), ("\n", "\r\n"), ("job_id", "\ufeffjob_id"),
                     ("gpu_num", "num_gpu"), ("start_time", "Scheduled_Time")):
        (tmp_path / "jobs").write_text((FILES / "jobs.csv").read_text().replace(old, new), newline="")
        assert usage(tmp_path / "jobs", "gpu_count=8", *PLAN).stdout == done.stdout, new


SEREN = """job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time
5778432,u5907,1,8,128,Other,FAILED,2023-03-01 00:18:22+08:00,2023-03-01 00:18:54+08:00,2023-03-01 00:20:51+08:00,117,32,936.0
5778469,u5907,1,8,128,Other,COMPLETED,2023-03-01 00:23:58+08:00,2023-03-01 00:24:11+08:00,2023-03-01 01:09:04+08:00,2693,13,21544.0
"""
NEVER = "5778470,u5907,1,8,128,Other,CANCELLED,2023-03-01 00:23:58+08:00,,2023-03-01 01:00:00+08:00,0,13,0\n"
NO_GPU = "5778471,u5907,1,0,128,Other,COMPLETED,2023-02-01 00:23:58+08:00,2023-02-01 00:23:59+08:00,2023-03-09 00:23:59+08:00,9,13,0\n"
RUNS = "5778472,u5907,1,2,128,Other,RUNNING,2023-03-01 00:23:58+08:00,2023-03-01 00:09:04+08:00,,,13,\n"
HALF = RUNS.replace(",,,13", ",,600,13")


@pytest.mark.parametrize("more, seconds", [("", 936 + 21544), (NEVER, 936 + 21544), (NO_GPU, 936 + 21544),
                                           (RUNS, 936 + 21544 + 2 * 3600), (HALF, 936 + 21544 + 2 * 600)])
def test_jobs_that_never_started_have_no_gpu_or_still_run(tmp_path, more, seconds):
    """Jobs of Acme's cluster Seren; their months are those of its clock. One line more."""
    (tmp_path / "jobs").write_text(SEREN + more)
    asked = question(usage(tmp_path / "jobs", "gpu_count=16", *PLAN))
    hours = float(asked["first_phase_months"]) * 730
    assert float(asked["first_phase_utilization"]) * hours * 16 == pytest.approx(seconds / 3600, rel=1e-4)
    assert hours == pytest.approx((3600 if "RUNNING" in more else 3010) / 3600, rel=1e-4)


@pytest.mark.parametrize("text, why", [
    (SEREN + "5778473,u5907,1\n", "line 4: it has fewer columns than the header"),
    (SEREN.splitlines()[0] + "\n" + NO_GPU, "has no job with GPUs and a start such as"),
    (SEREN.replace("gpu_num", "gpu_memory"), "nor a CSV of jobs with start_time, end_time and gpu_num")])
def test_a_csv_that_is_not_of_jobs_says_what_is_missing(tmp_path, text, why):
    (tmp_path / "jobs").write_text(text)
    done = usage(tmp_path / "jobs", "gpu_count=16", *PLAN)
    assert done.returncode != 0 and why in done.stderr


def test_jobs_on_more_gpus_than_there_are_name_gpu_count(tmp_path):
    (tmp_path / "jobs").write_text(SEREN)
    assert "gpu_count is required" in usage(tmp_path / "jobs", "gpu=a100-sxm4-80gb").stderr
    assert "is gpu_count of another cluster" in usage(tmp_path / "jobs", "gpu_count=4", *PLAN).stderr


WIDE = """"Time","gpu 0","gpu 1"
2026-08-01 00:00:00,100,50
2026-08-01 01:00:00,100,
2026-08-01 02:00:00,0,NaN
"""


def wide(tmp_path, text, *pairs):
    (tmp_path / "wide.csv").write_text(text)
    return usage(tmp_path / "wide.csv", *pairs, *PLAN)


@pytest.mark.parametrize("text, pairs", [
    (WIDE, ()), (WIDE.replace("100", "1").replace("50", "0.5"), ()), ("sep=;\n" + WIDE.replace(",", ";"), ()),
    (WIDE.replace("100", "100%").replace(",50", ",50 %"), ()),
    (WIDE.replace("2026-08-01 00:00:00", "1785542400000").replace("2026-08-01 01:00:00", "1785546000000").replace(
        "2026-08-01 02:00:00", "1785549600000"), ()),
    ("seconds,a,b\n0,100,50\n3600,100,\n7200,0,null\n", ("usage_start=2026-08-01",))])
def test_a_column_for_each_gpu_is_read(tmp_path, text, pairs):
    """2 GPUs for 3 hours; 2.5 of the 6 GPU-hours were busy."""
    done = wide(tmp_path, text, *pairs)
    _, rows = table(done)
    assert rows["2026-08"][:3] == pytest.approx([2.5, 6, 2.5 / 6], abs=0.51)
    asked = question(done)
    assert (asked["gpu_count"], float(asked["first_phase_utilization"])) == ("2", pytest.approx(2.5 / 6, rel=1e-4))
    assert "usage_start" not in done.stdout and "usage_start" not in done.stderr


@pytest.mark.parametrize("text, pairs, why", [
    ("seconds,a\n0,100\n60,50\n", (), "line 2: times are relative to a start: give usage_start="),
    ("seconds,a\n0,100\n60,50\n", ("usage_start=August",), "is not a day such as 2026-08-01"),
    ("time,a\n2026-08-01 00:00:00,busy\n", (), "line 2: \"busy\" is no utilization of a GPU"),
    ("time,a\n2026-08-01 00:00:00,400\n2026-08-01 01:00:00,1\n", (), "has samples of 400"),
    ("time,a\n2026-08-01 00:00:00,4\n", (), "has no two moments"),
    ("time,a\n2026-08-01 01:00:00,4\n2026-08-01 00:00:00,4\n", (), "line 3: is not later"),
    ("time,a\nyesterday,4\n", (), "line 2: has no time such as")])
def test_columns_that_say_nothing_are_refused_in_a_sentence(tmp_path, text, pairs, why):
    done = wide(tmp_path, text, *pairs)
    assert done.returncode != 0 and why in done.stderr and not done.stdout
