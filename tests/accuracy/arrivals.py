"""Runs whose requests arrived at random (Poisson), as in MLPerf's server and interactive scenarios. No fit sees them.

open_arrivals.csv holds 98 of 150 results of MLPerf 4.1 and 5.1: those of llama2-70b, llama3.1-8b, llama3.1-405b,
mixtral-8x7b and deepseek-r1 whose degrees are published (mlcommons/inference_results_v4.1 and _v5.1:
summary_results.json and mlperf_log_summary). Degrees, tokens per pass and the most requests in flight come from the
submission's configs/, for AMD from its harness_llm. How each column was chosen:

- rate: the scheduled one, as the completed one counts the time after the last arrival;
- time per token: the median of requests, as the first and last requests of ten minutes find fewer in flight;
- time to first token: the mean;
- lengths and their spreads: those of the data sets (openshift-psap/performance-dashboard@7100702,
  mlperf-data/summaries); answers of llama3.1-8b are cut at 128 tokens;
- columns that measurement_inference.csv does not have: http_server (0: the engine runs in the benchmark's process),
  bridged (H100 NVL), link_gb_per_second (boards of four H100 connect each pair by 6 of 18 links), fused_all_reduce
  (gemm_allreduce_plugin), run_seconds (mlperf_log_summary: min_duration, or min_query_count at the scheduled rate).

A run begins with an empty replica, and near a full load the number in flight takes longer to settle than the ten minutes
that most runs last: transient.h follows it. Where the estimate says that a replica is full, those that wait for a slot are not
counted: a plan refuses such a rate.

Left out are 26 results of GPT-J without lengths, 10 whose configuration is missing, 5 of engines or cards that are not
modelled (LLMBoost, Arc Pro), 4 without precision or degrees, 2 with a power limit, 2 on an H200 of 1,000 W (-CTS) and 3
whose harness collects requests for 0.3 s and hands them to one of eight GPUs in turn (AMD 4.1, --enable-batcher).

A submission is the highest rate that keeps the limits on the 99th percentiles. At such a load, 0.8 to 0.95 of what the
replica can do, an error of 10 % in speed becomes 50 % in the time per token. `speed` is therefore the factor by which
all work would have to be slower to give the measured time per token; the first token is scored at that speed, too."""

import collections
import math

import numpy

import inference
import runs
from predictor import Predictor

FILE = "open_arrivals.csv"
SLOWER = [math.exp(step / 100) for step in range(-70, 71)]
HEADER = ["runs", "rows", "speed, median", "speed, bias", "token", "first token",
          "first token at that speed", "token inside", "first token inside", "at a given load"]


class OpenPredictor(Predictor):
    def __init__(self):
        super().__init__(FILE, program="serve", options=("arrivals",))


def scenario(row):
    return row["note"].split(";")[0].lower()


def errors():
    """The rows; for each row ln(estimate / measured) of the speed, the time per token, the first token, and the first
    token at the measured speed; whether each time is inside its interval; and whether the time per token is inside the
    interval for a given number in flight."""
    rows = runs.load(FILE)
    first = numpy.array([float(row["time_to_first_token_seconds"]) for row in rows])
    token = numpy.array(runs.measured(rows))
    with OpenPredictor() as predict:
        tokens = numpy.array([predict.line(f"seconds slower={each!r}") for each in SLOWER])
        firsts = numpy.array([predict.line(f"ttft slower={each!r}") for each in SLOWER])
        ends = numpy.array(predict.line("ends")).reshape(len(rows), 4).T
        given = numpy.array(predict.line("interval"))
    middle, each = len(SLOWER) // 2, range(len(rows))
    at = [next((k for k in range(len(SLOWER)) if tokens[k][i] >= token[i]), len(SLOWER) - 1)
          for i in each]
    return (rows, numpy.array([-math.log(SLOWER[k]) for k in at]),
            numpy.log(tokens[middle] / token), numpy.log(firsts[middle] / first),
            numpy.log([firsts[at[i]][i] / first[i] for i in each]),
            (ends[0] <= token) & (token <= ends[1]), (ends[2] <= first) & (first <= ends[3]),
            numpy.abs(numpy.log(tokens[middle] / token)) <= numpy.log(given))


def loads(rows):
    """The estimated load of each run, 1 if its replica is full: the inverse of the factor by which all work has to be
    slower until its steps are as long as with all slots taken."""
    slower = [each for each in SLOWER if each >= 1]
    with OpenPredictor() as predict:
        steps = numpy.array([predict.line(f"steady slower={each!r}") for each in slower])
    full = steps >= (1 - 1e-7) * numpy.outer(slower, steps[-1] / slower[-1])
    return [1 / slower[full[:, i].argmax()] for i in range(len(rows))]


def of_load(load):
    return next(f"estimated at {name} of full load" for most, name in (
        (0.7, "below 0.7"), (0.8, "0.7 to 0.8"), (0.9, "0.8 to 0.9"), (0.99, "0.9 to 0.99"),
        (1, "0.99 or more")) if load < most or most == 1)


def line(name, of, found):
    speed, token, first, at_speed, token_in, first_in, given_in = (each[of] for each in found)
    percent = inference.percent
    off = lambda error: percent(numpy.median(numpy.abs(error)))
    return [name, int(of.sum()), off(speed), f"{100 * numpy.median(speed):+.1f}", off(token),
            off(first), off(at_speed), *(percent(each.mean())
                                         for each in (token_in, first_in, given_in))]


def alike(row):
    """What two submissions have in common whose times should be the same."""
    return tuple(row[name] for name in ("weight_group", "tensor_parallel", "pipeline_parallel", "tokens_per_pass",
                                        "requests_max", "receive_interval", "http_server", "link_gb_per_second",
                                        "bridged")) + (round(math.log(float(row["requests_per_second"])) / 0.02),)


def noise(rows):
    """ln(others / own) of the time per token and of the first token of submissions that others are like: how well a run
    predicts its own repetition."""
    of = collections.defaultdict(list)
    for row in rows:
        of[alike(row)].append([math.log(float(row[name])) for name in ("measured", "time_to_first_token_seconds")])
    return numpy.array([(sum(numpy.array(group)) - each) / (len(group) - 1) - each
                        for group in of.values() if len(group) > 1 for each in numpy.array(group)])


def noise_line(rows):
    found = noise(rows)
    token, first = numpy.median(numpy.abs(found), axis=0)
    percent = inference.percent
    return ["alike in settings and rate (within 2 %), by the others' times", len(found), "", "", percent(token),
            percent(first), "", "", "", ""]


def table():
    rows, *found = errors()
    groups = {"all": lambda row: "all"}
    groups |= {"engine alone": lambda row: row["engine"],
               "engine": lambda row: f"{row['engine']}, {scenario(row)}",
               "model": lambda row: row["model"], "GPU": lambda row: row["gpu"]}
    body = []
    for of in groups.values():
        names = [of(row) for row in rows]
        body += [line(name, numpy.array(names) == name, found) for name in sorted(set(names))]
    load = numpy.array(loads(rows))
    at = numpy.array([of_load(each) for each in load])
    body += [line(name, at == name, found)
             for name in sorted(set(at.tolist()), key=lambda name: ("below" not in name, name))]
    engines = numpy.array([row["engine"] for row in rows])
    for most, name in ((0.8, "below 0.8 of full load"), (0.99, "below 0.99 of full load")):
        body += [line(f"{engine}, estimated at {name}", (load < most) & (engines == engine), found)
                 for engine in sorted(set(engines.tolist()))]
    body.append(noise_line(rows))
    return ("Random arrivals, never fitted: MLPerf's server and interactive scenarios, %", HEADER,
            body)
