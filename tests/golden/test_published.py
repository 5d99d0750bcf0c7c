"""Published break-evens of ten sources compared with ours, and which lines of the ledger make the difference.

A publication counts few lines. Each row of PUBLISHED asks for exactly those, which must give the
published figure (or what its inputs come to, where it is not that: tests/golden/ownership.csv).
Then the lines it leaves out are switched on, a group at a time, until all is at its default; what
a source says of such a line, its staff or maintenance, gives way to our default with its group.
PUBLISHED.md is this table; GPUPLAN_UPDATE_PUBLISHED=1 writes it anew."""
import os
import pathlib
import urllib.parse

import pytest

TABLE = pathlib.Path(__file__).with_name("PUBLISHED.md")

IDLE = "30 % of hours idle"
# What is left out by most, by group: the inputs that switch it off.
STEPS = {
    "network, racks, storage": dict(fabric_cost_ratio=0, management_network_cost=0,
                                    rack_and_pdu_cost=0, storage_cost=0),
    "spares, freight": dict(spares_ratio=0, freight_install_ratio=0),
    "whole server's power, PUE": dict(node_power_kw=0, pue=1, electricity_escalation_ratio=0,
                                      power_load_ratio=1, idle_power_ratio=1, cooling_cost_year=0),
    "housing": dict(colocation_price_per_kw_month=0, remote_hands_cost_month=0,
                    cross_connect_cost_month=0, internet_transit_cost_month=0,
                    colocation_escalator_ratio=0, facility_fitout_cost=0),
    "staff": dict(staff_fte=0, staff_cost_per_fte_year=0, staff_escalation_ratio=0),
    "maintenance, insurance": dict(maintenance_ratio=0, insurance_ratio=0, property_tax_ratio=0,
                                   inflation=0),
    "cost of capital": dict(cost_of_capital=0),
    "resale": dict(resale_condition_factor=0, decommissioning_ratio=0),
    "rent-side extras": dict(rental_overhead_ratio=0),
    "rents fall": dict(rent_price_decline_ratio=0),
    IDLE: dict(utilization=1),
}
DEFAULTS = dict(utilization=0.7)  # the one of them that has no default of its own
# What stays as published to the end.
KEPT = ("gpu", "gpu_count", "server_price", "rent_price_per_gpu_hour", "electricity_price_per_kwh",
        "housing", "horizon_months", "gpus_per_node", "utilization", "condition")
FEW_LINES = {"gpu_servers", "electricity_it", "cooling", "colocation", "gpu_rental"}

PUBLISHED = {
    "Lenovo LP2225, 8x H100": dict(
        source="Lenovo Press LP2225, 23 May 2025: $833,806 against $98.32 an hour, running $0.87",
        says="8,556 h, 11.9 months", months=8556 / 730, tolerance=0.001,
        asked=dict(gpu="h100-nvl-94gb", gpu_count=8, server_price=833806,
                   rent_price_per_gpu_hour=12.29, cooling_cost_year=0.87 * 8760)),
    "GPU TCO analysis, 8x H100": dict(
        source="v2-pseo-ai.pages.dev, GPU TCO: $300,000-350,000, $3.00-4.50, 10.2 kW at "
               "$0.06-0.12, $150-250 per kW and month; the middle of each",
        says="14-18 months", months=16, tolerance=2,
        asked=dict(gpu="h100-sxm5-80gb", gpu_count=8, server_price=325000,
                   rent_price_per_gpu_hour=3.75, node_power_kw=10.2, housing="colocation",
                   electricity_price_per_kwh=0.09, colocation_price_per_kw_month=200)),
    "S2, p4de, 8x A100": dict(
        source="S2 question 4: 8 x $12,000 against $41 an hour (D23)",
        says="under 4 months", months=3.2, tolerance=0.05,
        asked=dict(gpu="a100-sxm4-80gb", gpu_count=8, server_price=96000,
                   rent_price_per_gpu_hour=5.125)),
    "S3, RTX 4090": dict(
        source="S3: $1,600 against $0.34 an hour, 450 W at $0.12, cooling $500 a year (D14)",
        says="14,000 h, 19 months; its inputs give 9.6", months=9.6, tolerance=0.05,
        asked=dict(gpu="rtx-4090", gpu_count=1, server_price=1600, rent_price_per_gpu_hour=0.34,
                   node_power_kw=0.45, electricity_price_per_kwh=0.12, cooling_cost_year=500)),
    "S3, A100 PCIe": dict(
        source="S3: $27,500 against $1.19 an hour, 300 W at $0.12, cooling $2,000 a year (D15)",
        says="18,000 h, 25 months; its inputs give 40.7", months=40.7, tolerance=0.05,
        asked=dict(gpu="a100-pcie-80gb", gpu_count=1, server_price=27500,
                   rent_price_per_gpu_hour=1.19, node_power_kw=0.3,
                   electricity_price_per_kwh=0.12, cooling_cost_year=2000)),
} | {
    # Price over rent in hours; the middle of each range of prices.
    f"Lazic, {name}": dict(
        source=f"nenadlazic.github.io/blog/compute-cost-calculation-buy-vs-rent, 21 May 2026: {price} against "
               f"${rent:.2f} an hour, nothing else counted",
        says=f"{hours} h", months=middle / rent / 730, tolerance=0.001,
        asked=dict(gpu=gpu, gpu_count=1, server_price=middle, rent_price_per_gpu_hour=rent))
    for name, gpu, price, middle, rent, hours in (
        ("L4", "l4", "$2,500-3,000", 2750, 0.8, "3,100-3,800"),
        ("L40S", "l40s", "$7,500-9,500", 8500, 1.1, "6,800-8,600"),
        ("A100 PCIe", "a100-pcie-80gb", "$9,200-12,000", 10600, 1.5, "6,100-8,000"),
        ("RTX 4090", "rtx-4090", "$2,500", 2500, 0.4, "6,300"),
        ("H100 PCIe", "h100-pcie-80gb", "$25,000-32,000", 28500, 3, "8,300-10,700"))
} | {
    "Lenovo LP2368, 8x H100": dict(
        source="lenovopress.lenovo.com/lp2368-on-premise-vs-cloud-generative-ai-total-cost-of-ownership-2026-edition, "
               "4 February 2026: $250,141.80 against $98.32 an hour; maintenance 12 % a year, power and "
               "cooling $0.87 an hour, colocation $2.08 an hour",
        says="2,720 h, 3.7 months", months=2720 / 730, tolerance=0.005,
        also={"maintenance", "remote_hands"},
        asked=dict(gpu="h100-sxm5-80gb", gpu_count=8, server_price=250141.8, rent_price_per_gpu_hour=12.29,
                   maintenance_ratio=0.12, cooling_cost_year=0.87 * 8760, housing="colocation",
                   remote_hands_cost_month=2.08 * 730)),
    "Spheron, 8x H100": dict(
        source="www.spheron.network/blog/llm-inference-on-premise-vs-cloud, April 2026, as quoted at "
               "agoradigest.com/q/4b20249e-b5ec-46aa-907c-cbdac8061e16, 1 June 2026: over three years hardware "
               "$350,000-450,000, staff $225,000-300,000, power and cooling $40,000, colocation $36,000-72,000, "
               "against $2.90 an hour, always in use; the middle of each",
        says="never within 36 months; its inputs give 56.9", months=56.9, tolerance=0.05,
        also={"staff", "remote_hands"},
        asked=dict(gpu="h100-sxm5-80gb", gpu_count=8, server_price=400000, rent_price_per_gpu_hour=2.9,
                   staff_fte=0.5, staff_cost_per_fte_year=175000, cooling_cost_year=40000 / 3,
                   housing="colocation", remote_hands_cost_month=1500)),
    "Pan et al., RTX 5090": dict(
        source="arxiv.org/abs/2509.18101, 30 August 2025, Magistral Small in place of GPT-5: $2,000 against "
               "95 million tokens a month at $1.25 (a third of them) and $10, $672.92; 575 W at $0.15 for "
               "8 h on 20 days",
        says="3.0 months", months=3.03, tolerance=0.05,
        asked=dict(gpu="rtx-5090", gpu_count=1, server_price=2000, utilization=160 / 730,
                   rent_price_per_gpu_hour=round(95 * (1.25 + 2 * 10) / 3 / 160, 6), node_power_kw=0.575,
                   idle_power_ratio=0, electricity_price_per_kwh=0.15)),
    "Shiroya, 4x H100 PCIe": dict(
        source="github.com/mansi-shiroya1/gpu-tco-model, September 2026: $120,414 against $3.29, 2.1 kW at "
               "$0.2575 with a PUE of 1.52, $194.95 per kW and month; five years",
        says="31.4 % of the hours of 60 months", months=60, tolerance=0.2, also={"electricity_facility"},
        asked=dict(gpu="h100-pcie-80gb", gpu_count=4, gpus_per_node=4, server_price=120414, utilization=0.314,
                   rent_price_per_gpu_hour=3.29, node_power_kw=2.1, pue=1.52, horizon_months=60,
                   electricity_price_per_kwh=0.2575, housing="colocation",
                   colocation_price_per_kw_month=194.95)),
    "Legit Lads, 64 accelerators": dict(
        source="www.legitlads.com/hub/tools/ai/ai-hardware/accelerator-roi-calculator, its own example, undated"
               ": $1.92 million and $728,681 of energy and operation against $3,139,584 over "
               "four years at 70 % use, which is $2.00 an hour",
        says="3.2 years", months=3.2 * 12, tolerance=0.6,
        asked=dict(gpu="h100-sxm5-80gb", gpu_count=64, server_price=240000, rent_price_per_gpu_hour=2,
                   utilization=0.7, cooling_cost_year=728681 / 4, horizon_months=48)),
}


# The sources buy new servers with as many GPUs as they say.
for case in PUBLISHED.values():
    case["asked"] = dict(condition="new", gpus_per_node=min(8, case["asked"]["gpu_count"])) | case["asked"]


def address(params):
    """A source's inputs under our names, and what it leaves out at nothing."""
    return "/v1/break-even?" + urllib.parse.urlencode(params)


def ask(server, params):
    return server.answer(address(params)).json


def stages(case):
    """The inputs with only the published lines, then with a further group each."""
    off = {name: value for group in STEPS.values() for name, value in group.items()}
    asked = dict(horizon_months=36) | off | case["asked"]
    yield "as published", asked
    for label, group in STEPS.items():
        for name in group:
            asked = {key: value for key, value in asked.items() if key != name or key in KEPT}
            if name in DEFAULTS:
                asked[name] = case["asked"].get(name, DEFAULTS[name])
        yield label, asked


def shown(answer):
    months = answer["break_even_months"]
    return "never" if months is None else f"{months:.1f}"


@pytest.fixture(scope="module")
def answers(server):
    return {name: [(label, ask(server, asked)) for label, asked in stages(case)]
            for name, case in PUBLISHED.items()}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_lines_give_the_published_figure(answers, name):
    case = PUBLISHED[name]
    label, answer = answers[name][0]
    assert abs(answer["break_even_months"] - case["months"]) <= case["tolerance"], case["says"]
    counted = {line["key"] for line in answer["line_items"] if line["amount"]}
    assert counted <= FEW_LINES | case.get("also", set())


def test_the_sources_are_ten():
    sources = {case["source"].split(",")[0].split(":")[0].split(" question")[0] for case in PUBLISHED.values()}
    assert len(sources) == 10, sources


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_lines_make_up_the_difference(answers, name):
    """Saving as published, plus what each line of each group changes, is the saving of our ledger."""
    steps = answers[name]
    bridged = round(steps[0][1]["buy_saving"] * 100)
    for (_, before), (label, after) in zip(steps, steps[1:]):
        changed = {}
        for sign, answer in ((-1, before), (1, after)):
            for line in answer["line_items"]:
                key = line["side"], line["key"]
                towards = 1 if line["side"] == "rent" else -1
                changed[key] = changed.get(key, 0) + sign * towards * round(line["amount"] * 100)
        without_effect = (
            after["inputs"]["housing"]["value"] == "desk" and label in ("housing", "staff") or
            label == IDLE and "utilization" in PUBLISHED[name]["asked"])
        assert any(changed.values()) != without_effect, label
        bridged += sum(changed.values())
    assert bridged == round(steps[-1][1]["buy_saving"] * 100)


def test_all_at_its_default_is_our_answer(server, answers):
    for name, case in PUBLISHED.items():
        kept = {key: value for key, value in case["asked"].items() if key in KEPT}
        ours = ask(server, dict(horizon_months=36) | DEFAULTS | kept)
        assert ours["line_items"] == answers[name][-1][1]["line_items"], name


def rendered(answers):
    lines = ["# Published break-evens compared with ours", "",
             "Months until buying costs no more: first with the lines that the source counts, then "
             "with those it leaves out, one group added to the last. In brackets what the group "
             "changes in the saving over 36 months, or the source's own time frame, in USD. Worked out "
             "and compared by `test_published.py`.", "",
             "| | " + " | ".join(PUBLISHED) + " |", "|---|" + "---|" * len(PUBLISHED),
             "| published | " + " | ".join(case["says"] for case in PUBLISHED.values()) + " |"]
    for i, label in enumerate(["as published", *STEPS]):
        cells = []
        for steps in answers.values():
            answer = steps[i][1]
            change = answer["buy_saving"] - steps[i - 1][1]["buy_saving"] if i else 0
            cells.append(shown(answer) + (f" ({change:+,.0f})" if i else ""))
        lines.append(f"| {'+ ' if i else ''}{label} | " + " | ".join(cells) + " |")
    lines += ["", "Sources, and the question that gives their figure: every input they state under our name, every line they "
              "leave out at nothing.", ""]
    lines += [f"- {name}: {case['source']}. `{address(next(stages(case))[1])}`" for name, case in PUBLISHED.items()]
    return "\n".join(lines) + "\n"


def test_the_table_is_up_to_date(answers):
    table = rendered(answers)
    if os.environ.get("GPUPLAN_UPDATE_PUBLISHED"):
        TABLE.write_text(table, encoding="utf-8")
    assert TABLE.read_text(encoding="utf-8") == table
