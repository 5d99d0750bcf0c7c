"""Estimates and searches a second on one core, compared with the fastest tools of the kind.

The peers are Python programs that no distribution packages. Their figures are those measured on a
machine of two shared cores in August 2026, at the commits named, by their own commands; the ratio
is of orders of magnitude.
"""
import os
import pathlib
import re
import subprocess

import report

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = {"search": "training", "serving": "inference", "risk": ""}
# What is estimated, tool and commit, what it does, how often a second
PEERS = [
    ("training", "calculon caa4b11", "its search of Turing-NLG 530B on 5,128 A100, one process", 155.97),
    ("training", "llm-analysis d841e40", "one training(), the utilization typed in", 1 / 0.54e-3),
    ("training", "SimuMax 4dcaae5", "run_estimate of Llama 3 8B", 1 / 37e-3),
    ("training", "BudSimulator 044958d", "one training_modeling()", 1 / 74e-3),
    ("inference", "KV-planner 4f2c1e6", "one predict_latency()", 1 / 8.7e-6),
    ("inference", "LLM-Viewer 472f71f", "one analyze()", 1 / 79e-6),
    ("inference", "llm-analysis d841e40", "one inference()", 1 / 0.34e-3),
    ("inference", "GenZ 091bdd0", "prefill and decode modelled", 1 / 69e-3),
]
# As print_runs() of timing.h writes it
RUN = re.compile(r"^(.+?) +([\d.]+) ms  \(([\d.]+) to ([\d.]+)\)  (\S+) (\w+)  (\S+) \w+/s$")


def best(kind):
    return max((rate for of, _, _, rate in PEERS if of == kind), default=None)


def rows(program, kind):
    out = subprocess.run([pathlib.Path(os.environ["BARE"]).resolve().parent / program], check=True, cwd=ROOT,
                         capture_output=True, text=True).stdout
    for what, median, low, high, count, unit, rate in (match.groups() for match in map(RUN.match, out.splitlines())
                                                       if match):
        if float(rate):
            ratio = f"{float(rate) / best(kind):,.0f}" if kind else ""
            yield [what, f"{float(median):.3f} ({float(low):.3f}-{float(high):.3f})", f"{float(count):,.0f} {unit}",
                   f"{float(rate):,.0f}", ratio]


def section():
    print("searches", flush=True)
    ours = [row for program, kind in PROGRAMS.items() for row in rows(program, kind)]
    peers = [[f"{kind}: {tool}", what, f"{rate:,.0f}"] for kind, tool, what, rate in PEERS]
    return (report.table(["one core", "ms, median (lowest-highest)", "of", "a second", "times the best peer"], ours) +
            "\nThe peers, as measured for themselves on two shared cores in August 2026; Debian has none of them, so they "
            "are not run again here.\n\n" + report.table(["peer", "what", "a second"], peers))
