"""How far off the estimated inference times of measured runs are, also for a model, GPU or source left out.

Five kinds of run share the constants. `seconds` is the time of an output token while a number of
requests is kept in flight (served) or one request is alone (stream), of a batch that starts and ends
together (static), of an output token of a replica that has all the requests it can take (offline),
and of reading prompts (prefill).

Lengths are those of the measurement. Where they were drawn from 0.8 to 1 of the nominal length
(InferenceX) the row has 0.9 of it, and output_tokens_cv is 0.064. Where all lengths are alike (NVIDIA's
own runs and NIM's: genai-perf with deviations of 0 and ten requests a client,
github.com/ai-dynamo/aiconfigurator, src/aiconfigurator/eval/benchmarks/genai_perf_runner.py) the row
has the nominal length, and output_tokens_cv is 0. The program that measured 88 rows of the same files,
with other lengths (1000, 2000, 4000, 8000 and 15000 tokens) and odd numbers of clients, is not
stated, nor is their output_tokens_cv. 15 rows of gpt-oss-120b on H200 that are named tp2_ep2 were
published with tensor_parallel 4, the product of the two. Their times are those of two GPUs to within
3 %, so they have two here.

Left out of the 2,823 published rows of closed loops:
- 561 that repeat another measurement;
- 104 faster than their own configuration by 1.3 or more, or of releases that are so wherever both ran
  (speculative decoding that is not labelled);
- 81 collected by hand that contradict one another;
- 61 whose degrees do not fit together;
- 25 in which the server's limit decided the time to first token;
- 6 of DeepSeek at 85 ms with few requests.

Left out of 2,685 rows of other tables:
- 207 of llama.cpp reading prompts over several GPUs (pipelined);
- 96 on GPUs that cannot be rented (Apple, Jetson) or are not stated;
- 67 of MLPerf that keep a latency limit, 28 without lengths, 2 without a precision;
- 62 of the Prem collection (eager, kernels not stated) and 61 of other eager engines;
- 60 with pipeline parallelism;
- 31 that their collector marks as suspect or partial;
- 12 over two unlike GPUs;
- 11 of LMDeploy without time per token or GPU;
- 6 of 4-bit weights with 8-bit activations;
- 2 that repeat a measurement, and 1 without a batch.

Closed loops do not state how the cache is stored. It is 8 bit where the launch scripts of their
benchmark say so (InferenceMAX, github.com/SemiAnalysisAI/InferenceX, benchmarks/single_node). Where
those leave it out it is 16 bit, the default of vLLM, SGLang and TensorRT-LLM: gpt-oss on H100 and
H200, DeepSeek on H200 under SGLang, and NVIDIA's own runs of Llama-3.1-8B and Qwen3-235B in
block-scaled FP8, whose checkpoints name no format for the cache.

TensorRT-LLM's tables of offline throughput queue a number of requests that their text states by
length, and from 1.0 on run mixtures with data-parallel attention. The rows have both.

The priors are round figures from data sheets and kernel launches. None comes from a fit to these
runs, and each has a standard deviation of a half in the logarithm, so that what is left out stays
unseen. Two kinds of group are left out: families of models (all of one maker's architecture) and
cells (all runs of one engine, precision and architecture). Intervals are made from their errors.
"""

import collections
import csv
import math

import numpy

import fit
import runs
import score
from predictor import Predictor

POOLS = "measurement_pools.csv"  # published runs that state how many replicas write
FILE, CONSTANTS = "measurement_inference.csv", "inference_constants.csv"
INTERVAL_GROUPS = ("model family out", "cell out")
OFFSET_SD = 0.03  # prior of the offset of a family of sources
INTERVAL, UNSPECIFIED = "interval_factor", ("o_engine", "unspecified")
# Engines whose dense models, served, have larger errors than those of all engines together. vLLM's errors are smaller
# in the fit, but not on sources that no fit has seen.
WIDER = ("tensorrt_llm", "sglang")
LLAMA_CPP_HBM = ("a100-sxm4-80gb", "a100-pcie-80gb", "h100-pcie-80gb")
NOT_NVIDIA = ("mi250x-gcd", "mi300x")
MULTIPLY_FP4 = ("b200-sxm", "b300-sxm", "gb200-nvl72", "gb300-nvl72")
# The weight of each kind in a fit, relative to the others.
SHARES = {"served": 1.5, "stream": 1.0, "offline": 0.8, "static": 0.5, "prefill": 0.3}
# Models of one shape count as one model; otherwise a model that is left out would still be in the fit.
SAME_SHAPE = {"meta-llama-3-8b": "llama-3.1-8b", "meta-llama-3-70b": "llama-3.1-70b",
              "llama-3.3-70b-instruct": "llama-3.1-70b"}
MODEL_FAMILIES = ("deepseek", "gpt-oss", "llama-1", "llama-2", "llama-3", "llama-4", "mistral",
                  "mixtral", "qwen3.5", "qwen3")
SHARED_CACHE = ("falcon-180b", "llama-2-70b", "mistral", "mixtral")
MIXTURES = ("deepseek-r1", "gpt-oss", "llama-4", "mixtral", "qwen3-235b", "qwen3-30b",
            "qwen3.5-397b")


def kind(row):
    return row["kind"]


def engine(row):
    return row["engine"]


def model(row):
    return SAME_SHAPE.get(row["model"], row["model"])


def model_family(row):
    name = SAME_SHAPE.get(row["model"], row["model"])
    return next((each for each in MODEL_FAMILIES if name.startswith(each)), name)


def cell(row):
    return f"{engine(row)}, {precision(row)}, {model_family(row)}"


def gpu(row):
    return row["gpu"]


def size(row):
    return "mixture" if row["model"].startswith(MIXTURES) else "dense"


def precision(row):
    return row["weight_dtype"]


def concurrency(row):
    number = int(row["concurrent_requests"] or 0)
    return next(name for most, name in ((0, "all there is room for"), (4, "1 to 4"), (16, "5 to 16"),
                                        (64, "17 to 64"), (128, "65 to 128"), (10**9, "over 128"))
                if number <= most)


def shown(row):
    """Whether the fit uses the run. TensorRT-LLM's attention kernels up to 0.9 read the cache once for every query
    head, so static batches of models whose heads share it are scored, but not fitted."""
    return not (row["family"] == "trtllm_static" and kind(row) == "static"
                and row["model"].startswith(SHARED_CACHE))


def weights(rows):
    """A run weighs 1 / sqrt(runs of its weight group), as the runs of a group have similar errors. The sum over a
    kind is proportional to SHARES; that of served runs is the number of their weight groups."""
    groups = collections.Counter((kind(row), row["weight_group"]) for row in rows)
    alone = numpy.array([shown(row) / math.sqrt(groups[kind(row), row["weight_group"]])
                         for row in rows])
    kinds = numpy.array([kind(row) for row in rows])
    unit = sum(which == "served" for which, _ in groups) / SHARES["served"]
    return alone * [unit * SHARES[name] / alone[kinds == name].sum() for name in kinds]


def datasheet(keys):
    """The rates of the data sheet, and no time for anything else, as most calculators have it."""
    return {key: 0.0 if key[:2] in ("a_", "b_", "o_", "c_") else 1.0 for key in keys}


LEFT_OUT = {"model family out": model_family, "cell out": cell, "GPU out": gpu,
            "source family out": runs.family}


def fitted(rows, predict, names=tuple(LEFT_OUT)):
    """The problem, its solution, and for each name the errors with each of its groups left out of a
    refit, and the constants of those refits."""
    problem = fit.Fit(predict, rows, CONSTANTS, weights, OFFSET_SD)
    x = problem.solve()
    return problem, x, {name: problem.leave_out(LEFT_OUT[name], x) for name in names}


def errors_of_all(problem, x, left_out):
    """The errors with the constants of the catalogue, with a refit, with data-sheet rates alone, and with each family
    of models, cell, GPU and family of sources left out; and the constants without each family of models."""
    errors = {"current": problem.errors(), "refitted, in sample": problem.errors(x)}
    errors["data-sheet rates alone"] = (numpy.log(problem.predict(datasheet(problem.keys)))
                                        - problem.measured)
    errors |= {name: each for name, (each, _) in left_out.items()}
    return errors, left_out["model family out"][1]


def interval_class(row):
    """The scope of the assumption interval_factor that the estimate uses for such a run."""
    engine_hbm = engine(row) == "llama_cpp" and gpu(row) in LLAMA_CPP_HBM
    which = kind(row)
    if which == "stream" and engine_hbm:
        return "one_stream_llama_cpp_hbm"
    if which == "stream":
        return "served_moe" if size(row) == "mixture" else "one_stream"
    if which == "prefill":
        return "prefill_llama_cpp" if engine(row) == "llama_cpp" else "prefill"
    if which == "static":
        return "static"
    if which == "served" and size(row) == "dense" and engine(row) in WIDER:
        return f"served_dense_{engine(row)}"
    if which == "served" and (size(row), engine(row), precision(row)) == ("mixture", "tensorrt_llm", "fp4"):
        return "served_moe_tensorrt_llm_fp4"
    return f"{which}_{'moe' if size(row) == 'mixture' else 'dense'}"


def weak(row):
    """Runs that get u squared (inference_is_weak() of the estimate)."""
    changing = precision(row) == "fp8" or engine(row) == "sglang"
    doubtful = size(row) == "mixture" and changing and gpu(row) in MULTIPLY_FP4
    return engine(row) == "unspecified" or gpu(row) in NOT_NVIDIA or doubtful


def classes(rows):
    """Scope of interval_factor -> which rows its figure is made from: served_dense and served_moe from all engines."""
    names = numpy.array([interval_class(row) for row in rows])
    return {name: numpy.char.startswith(names, name) if name in ("served_dense", "served_moe") else names == name
            for name in sorted(set(names.tolist()))}


def interval_factors(rows, left_out):
    """Class -> u, such that 80 % of the runs are within [T / u, T u] when their family of models or
    their cell is left out (`left_out` has both, one after the other); weak ones are not counted."""
    stated = numpy.array([not weak(row) for row in rows])
    return {name: math.exp(numpy.quantile(numpy.abs(left_out[:, of & stated]), 0.8))
            for name, of in classes(rows).items()}


def refit(problem, x, left_out):
    """The constants, the values that give their range (the ends of their 80 % interval, and the fits without a family
    of models or a cell), and the factors of the intervals."""
    errors, refits = [], list(problem.ends(x))
    for name in INTERVAL_GROUPS:
        errors.append(left_out[name][0])
        refits += left_out[name][1].values()
    return (problem.constants(x), dict(enumerate(refits)),
            interval_factors(problem.rows, numpy.array(errors)))


def unspecified_engine(constants):
    """If the engine is not stated, the mean of those that serve datacentre cards is used."""
    return numpy.mean([constants[f"o_engine:{name}"]
                       for name in ("vllm", "tensorrt_llm", "compiled")])


def factors(predict):
    """The factor of each run's interval, as the daemon states it."""
    return numpy.array(predict.line("interval"))


def line_without(rows, predict, question, refits):
    """The answers to `question`, each with the constants of the fit without the row's family of models."""
    families = numpy.array([model_family(row) for row in rows])
    answers = numpy.empty(len(rows))
    for name, constants in refits.items():
        asked = " ".join([question, *(f"{key}={value!r}" for key, value in constants.items())])
        answers[families == name] = numpy.array(predict.line(asked))[families == name]
    return answers


def throughput_errors(rows, predict, refits=None):
    """ln(predicted / measured) of output tokens/s, nan where nothing was measured; with `refits` by the fit without the
    row's family of models. In a closed loop a request takes the time to its first token and then that of the others."""
    predicted = (line_without(rows, predict, "throughput", refits) if refits
                 else predict.line("throughput"))
    measured = numpy.full(len(rows), numpy.nan)
    for i, row in enumerate(rows):
        first, each = row["time_to_first_token_seconds"], float(row["measured"])
        if kind(row) == "offline":
            measured[i] = 1 / each
        elif kind(row) == "served" and first:
            outputs = float(row["output_tokens"])
            measured[i] = (float(row["concurrent_requests"]) * outputs
                           / (float(first) + (outputs - 1) * each))
    return numpy.log(predicted) - numpy.log(measured)


def warmed(row):
    """Whether the server was warm. SGLang compiles kernels when the first requests arrive. InferenceX has sent some
    before it measures since 2026-01-21 (commit d053ae2); first tokens of earlier runs include the compiler."""
    return row["warmed_up"] != "0"


def first_token_errors(rows, predict, refits=None):
    predicted = line_without(rows, predict, "ttft", refits) if refits else predict.line("ttft")
    measured = [float(row["time_to_first_token_seconds"] or "nan") for row in rows]
    return numpy.log(predicted) - numpy.log(measured)


def percent(value):
    return f"{100 * value:.1f}"


HEADER = ["rows", "median", "mean", "p90", "bias"]


def cells(scored):
    return [scored["rows"], percent(scored["median"]), percent(scored["mean"]),
            percent(scored["p90"]), f"{100 * scored['bias']:+.1f}"]


def chosen(rows, errors, keep):
    """The rows that `keep` accepts and whose error is a number, with their errors."""
    index = [i for i, row in enumerate(rows) if keep(row) and numpy.isfinite(errors[i])]
    return [rows[i] for i in index], numpy.asarray(errors)[index]


def of_kind(name):
    return lambda row: kind(row) == name


def by_kind(rows, errors):
    """A table for each kind, of the same runs with current constants, refitted and left out."""
    for name in SHARES:
        yield (f"Inference, {name}: seconds, %", ["errors", *HEADER],
               [[which, *cells(score.score(*chosen(rows, each, of_kind(name))))]
                for which, each in errors.items()])


def coverage(rows, errors, u):
    """Share of the runs inside the daemon's interval, by kind and by kind of model."""
    within = {which: numpy.abs(each) <= numpy.log(u) for which, each in errors.items()}
    for name in SHARES:
        for what in ("dense", "mixture"):
            of = [i for i, row in enumerate(rows) if (kind(row), size(row)) == (name, what)]
            if of:
                yield [f"{name}, {what}", len(of), *(percent(each[of].mean())
                                                    for each in within.values())]


def by_class(rows, errors, u):
    """For each class of interval the median error and the share inside, with families and with cells left out."""
    for name, of in classes(rows).items():
        wrong = [numpy.abs(errors[which][of]) for which in INTERVAL_GROUPS]
        inside = [(each <= numpy.log(u[of])).mean() for each in wrong]
        yield [name, len(wrong[0]), *(percent(numpy.median(each)) for each in wrong),
               *map(percent, inside)]


# What the estimate lacks in cells that are or were among the ten worst.
EXPERTS = "experts spread over GPUs (expert_parallel): counted as uneven since 2026-11-28, still too fast"
SHARED = "kernels up to 0.9 read a shared cache for every query head; no fit is shown these"
MISSING = {
    "offline, tensorrt_llm, fp8, llama-4": EXPERTS,
    "offline, tensorrt_llm, fp8, qwen3": EXPERTS,
    "served, tensorrt_llm, fp4, deepseek": "kernels of experts (moe_config backend): the runs do not say "
                                           "which",
    "offline, tensorrt_llm, fp8, llama-3": "weights are read while products run: counted one after the "
                                           "other, a quarter too slow where both take as long",
    "served, tensorrt_llm, fp8, deepseek": EXPERTS,
    "static, tensorrt_llm, fp8, mistral": SHARED,
    "static, tensorrt_llm, fp8, falcon-180b": SHARED,
    "served, sglang, fp8, deepseek": "release 0.5.10 on B300 reads prompts at a quarter of the rate of "
                                     "0.5.9 on B200",
    "served, sglang, bf16, qwen3.5": "not known: 0.5.10 on B300 is estimated 17 % too slow, a nightly on B200 "
                                     "3 % too fast",
    "served, tensorrt_llm, fp8, llama-3": "the release: all have one time of a layer",
    "offline, tensorrt_llm, fp16, mistral": "the server's limit of requests in flight: one figure for "
                                            "all (b_max)",
}


def worst_cells(rows, errors, n=10):
    """The n cells of ten runs or more with the largest median error when left out."""
    scored = score.by(lambda row: f"{kind(row)}, {cell(row)}", rows, errors)
    worst = sorted(scored.items(), key=lambda item: -item[1]["median"])
    return [[name, *cells(each), MISSING.get(name, "not known")]
            for name, each in worst if each["rows"] >= 10][:n]


def decade(number):
    """The decade of a number, such as "10 to 99"."""
    if not number:
        return "all there is room for"
    low = 10 ** math.floor(math.log10(number))
    return f"{low} to {10 * low - 1}"


def parameters(row):
    """Billions of weights, with all experts; computed from the shape if the catalogue lacks the model."""
    if not WEIGHTS:
        with open(runs.SEED / "model.csv", encoding="utf-8", newline="") as file:
            WEIGHTS.update((each["slug"], float(each["params_total"]) / 1e9)
                           for each in csv.DictReader(file))
        WEIGHTS.update((each["slug"], runs.parameters({**each, "ffn_width": each["intermediate"],
                                                       "gated": 1, "tied": "", "experts": ""}) / 1e9)
                       for each in runs.load("shapes.csv"))
    return WEIGHTS[row["model"]]


WEIGHTS = {}


DECADES = {
    "context": lambda row: decade(float(row["input_tokens"]) + float(row["output_tokens"] or 0) / 2),
    "requests": lambda row: decade(float(row["concurrent_requests"] or 0)),
    "input": lambda row: decade(float(row["input_tokens"])) if float(row["input_tokens"]) else "0",
    "output": lambda row: decade(float(row["output_tokens"] or 0)),
    "weights": lambda row: decade(parameters(row)),
    "ms a token": lambda row: (decade(1000 * float(row["measured"]))
                               if kind(row) in ("served", "stream") else "not measured"),
}


def by_decade(rows, errors):
    """The decades, of 30 runs or more, of lengths, requests in flight, billions of weights and times."""
    for what, of in DECADES.items():
        groups = score.by(lambda row, of=of: f"{kind(row)}, {what} {of(row)}", rows, errors)
        yield from ([name, *cells(each)] for name, each in groups.items()
                    if each["rows"] >= 30 and "not measured" not in name)


def pools():
    """Replicas that only write, while others read the prompts; no fit uses them."""
    rows = runs.load(POOLS)
    with Predictor(POOLS, program="serve") as predict:
        errors = numpy.log(predict()) - numpy.log(runs.measured(rows))
        within = numpy.abs(errors) <= numpy.log(factors(predict))
        first, ends = first_token_errors(rows, predict), predict.line("ends")
    low, high = numpy.array(ends).reshape(len(rows), 4).T[2:]
    measured = numpy.array([float(row["time_to_first_token_seconds"]) for row in rows])
    return rows, errors, within, first, (low <= measured) & (measured <= high)


def pools_table():
    rows, errors, within, first, first_within = pools()
    groups = lambda row: (f"{engine(row)}, {gpu(row)}, "
                          f"{'data-parallel attention' if row['attention_data_parallel'] != '1' else 'tensor parallel'}")
    names = numpy.array([groups(row) for row in rows])
    body = []
    for name in ("all", *sorted(set(names.tolist()))):
        of = numpy.full(len(rows), True) if name == "all" else names == name
        scored = [score.score([row for row, each in zip(rows, of) if each], figures[of])
                  for figures in (errors, first)]
        body.append([name, *cells(scored[0]), percent(within[of].mean()), *cells(scored[1])[1:],
                     percent(first_within[of].mean())])
    return ("Separate prefill and decode, never fitted: time per output token and first token, %",
            ["replica that writes", *HEADER, "inside the interval",
             *(f"first token, {each}" for each in HEADER[1:]), "inside"], body)


def left_out_breakdowns(rows, errors):
    """Errors without each family of models, by what a caller can choose."""
    for title, group in (("engine", engine), ("GPU", gpu), ("precision", precision),
                         ("architecture", model_family)):
        both = lambda row, group=group: f"{kind(row)}, {group(row)}"
        yield (f"Inference per {title}, without each family of models: seconds, %",
               [f"kind, {title}", *HEADER],
               [[name, *cells(each)] for name, each in score.by(both, rows, errors).items()
                if each["rows"] >= 10])


def breakdowns(rows, errors):
    for title, group in (("engine", engine), ("family", runs.family), ("GPU", gpu),
                         ("model", model), ("precision", precision), ("concurrency", concurrency)):
        both = lambda row, group=group: f"{kind(row)}, {group(row)}"
        yield (f"Inference per {title}, current constants: seconds, %", [f"kind, {title}", *HEADER],
               [[name, *cells(each)] for name, each in score.by(both, rows, errors).items()])


def tables():
    """Title, header and rows of each table."""
    rows = runs.load(FILE)
    with Predictor(FILE, program="serve") as predict:
        errors, refits = errors_of_all(*fitted(rows, predict))
        u = factors(predict)
        rates, first = throughput_errors(rows, predict), first_token_errors(rows, predict)
        unseen = [throughput_errors(rows, predict, refits),
                  first_token_errors(rows, predict, refits)]
    yield from by_kind(rows, errors)
    yield ("Inference, current constants: output tokens/s of a replica, %", ["kind", *HEADER],
           [[name, *cells(score.score(*chosen(rows, rates, of_kind(name))))]
            for name in ("served", "offline")])
    yield ("Inference, without each family of models: output tokens/s of a replica, %",
           ["kind", *HEADER], [[name, *cells(score.score(*chosen(rows, unseen[0], of_kind(name))))]
                               for name in ("served", "offline")])
    served = chosen(rows, unseen[0], of_kind("served"))
    yield ("Inference, closed loops without each family of models, by engine: output tokens/s of a replica, %",
           ["engine", *HEADER], [[name, *cells(each)] for name, each in score.by(engine, *served).items()])
    served = chosen(rows, first, of_kind("served"))
    warm = chosen(rows, first, lambda row: of_kind("served")(row) and warmed(row))
    yield ("Inference, current constants: middle of the time to first token, %", ["engine", *HEADER],
           [[name, *cells(each)] for name, each in score.by(engine, *served).items()]
           + [[f"{name}, warmed up", *cells(each)]
              for name, each in score.by(engine, *warm).items() if name == "sglang"])
    yield ("Inference, without each family of models: middle of the time to first token, %",
           ["engine", *HEADER],
           [[name, *cells(each)] for name, each in
            score.by(engine, *chosen(rows, unseen[1], of_kind("served"))).items()])
    yield ("Inference, closed loops without each family of models, by model: seconds, %",
           ["model", *HEADER],
           [[name, *cells(each)] for name, each in score.by(
               model, *chosen(rows, errors["model family out"], of_kind("served"))).items()])
    yield ("Inference, inside the 80 % interval, %", ["runs", "rows", *errors],
           list(coverage(rows, errors, u)))
    yield ("Inference, each class of interval, left out: median and share inside, %",
           ["class", "rows", *(f"{what}, {which}" for what in ("median", "inside")
                               for which in INTERVAL_GROUPS)],
           list(by_class(rows, errors, u)))
    yield ("Inference by decade, without each family of models: seconds, %",
           ["kind, decade", *HEADER], list(by_decade(rows, errors["model family out"])))
    yield ("Inference, the ten worst cells of ten runs or more, left out: seconds, %",
           ["kind, engine, precision, family of models", *HEADER, "what is missing there"],
           worst_cells(rows, errors["cell out"]))
    yield pools_table()
    yield from left_out_breakdowns(rows, errors["model family out"])
    yield from breakdowns(rows, errors["current"])
