"""What `make check-accuracy` holds the estimates to. A change that breaks a bar made them worse.

Errors are |ln(predicted / measured)| over the rows of steps.csv, their fold left out of the fit: the
median over sources of the median over weight groups, and the median over rows by class. Coverage is
the share of rows inside an interval made of the other folds, in each class of 60 rows or more.
"""

LEFT_OUT_SOURCES = 0.105
LEFT_OUT_CLASS = {"dense": 0.10, "moe": 0.23, "adapter": 0.12}
COVERAGE, COVERED_ROWS = (0.75, 0.85), 60
# Whole runs inside an interval that was fitted without them, and how wide the interval is for half
# of them.
WHOLE_RUNS_INSIDE, WHOLE_RUNS_WIDTH = 0.7, 2.2
# The catalogue must have what `make calibrate` gives, to the digits that it writes.
CONSTANTS_AGREE = 1e-3
# Geometric mean of predicted over reported GPU-hours of the whole runs.
TOTALS_RATIO = (0.8, 1.25)
# Mean error on the points that the peers publish.
CALCULON_MEAN = 0.08
SIMUMAX_MEAN = 0.22
# Seconds of inference.csv by kind, constants in force; refitted without each model, GPU or family of
# sources; output tokens/s; the share inside the 80 % interval.
INFERENCE_MEDIAN = {"served": 0.10, "stream": 0.06, "offline": 0.10, "static": 0.095,
                    "prefill": 0.17}
INFERENCE_OUT_MEDIAN = {"served": 0.101, "stream": 0.06, "offline": 0.105, "static": 0.095,
                        "prefill": 0.17}
INFERENCE_OUT_MEAN = {"served": 0.14, "stream": 0.075, "offline": 0.14, "static": 0.17,
                      "prefill": 0.23}
THROUGHPUT_MEDIAN = 0.10
FIRST_TOKEN_MEDIAN = {"vllm": 0.15, "tensorrt_llm": 0.30, "sglang": 0.50}
POOLS_MEDIAN, POOLS_COVERAGE = 0.13, 0.75
INFERENCE_COVERAGE = (0.75, 0.85)
