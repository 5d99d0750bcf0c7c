#!/usr/bin/python3
"""Asks each question of questions.csv of every endpoint that answers it, and compares the figures
that should be the same. Run as a program it writes CONTRADICTIONS.md and known.csv anew."""
import collections
import concurrent.futures
import csv
import datetime
import functools
import pathlib
import sys
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

SIZING, SIZES = "/v1/inference-sizing", "/v1/inference-sizing/options"
PLAN, PLANS = "/v1/training-plan", "/v1/training-plan/options"
BUY, BUYS = "/v1/break-even", "/v1/break-even/gpus"
ADVICE = "/v1/recommendation"
HOURS_PER_MONTH = 730
# Answers have six digits, rates six decimals; within one answer they are held to cents and 1e-9.
PRINTED = 2e-5
# What is said of a row's place in its list, not of the design.
PLACE = {"rank", "roles", "on_frontier", "plan", "sentence", "best", "note", "break_even"}
# An input that is the model's in one answer, and that a model's name leaves open in the other.
PLACE |= {"parameters"}
DESIGN = ("gpu_count", "replica_count", "tensor_parallel", "pipeline_parallel", "expert_parallel",
          "attention_data_parallel", "data_parallel", "zero_stage", "micro_batch_sequences", "recompute")
# Inputs that mean something else in each, or that the question itself fixes.
OWN_INPUTS = {"workload", "gpu", "model", "gpu_count", "tokens", "lines", "side", "method"}
# One whose offers have a date, and one whose have none.
PROVIDERS = ("aws", "coreweave")

Contradiction = collections.namedtuple("Contradiction", "kind question a b")


def read(name):
    with open(HERE / name, newline="") as file:
        return list(csv.DictReader(file))


def merged(answer):
    """The headline values, and behind them the inputs in force."""
    return {name: field["value"] for name, field in answer["inputs"].items()} | {
        name: value for name, value in answer.items() if not isinstance(value, (list, dict))}


def same(a, b, tolerance=PRINTED):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) <= tolerance * max(abs(a), abs(b))
    return a == b


class Answers:
    """Everything asked of one daemon; what was asked before is not asked again."""

    def __init__(self, server):
        self.server = server

    @functools.lru_cache(None)
    def at(self, address):
        reply = self.server.get(address)
        assert reply.status in (200, 422), f"{address}: {reply.text}"
        return reply.json if reply.status == 200 else None

    def ask(self, path, **query):
        return self.at(path + "?" + urllib.parse.urlencode(query))


class Question:
    """One question and what was found about it."""

    def __init__(self, answers, row):
        self.answers, self.row = answers, row
        self.about = {"model": row["model"]}
        self.load = dict(urllib.parse.parse_qsl(row["load"]))
        self.name = f"{row['workload']} {row['model']} on {row['gpu']}"
        self.found, self.compared = [], collections.Counter()

    def hold(self, figure, names, a, b, tolerance=PRINTED):
        """Whether a figure is the same in both places."""
        kind = f"{figure}: {names}"
        self.compared[kind] += 1
        good = same(a, b, tolerance)
        if not good:
            self.found.append(Contradiction(kind, self.name, a, b))
        return good

    def hold_all(self, figures, names, a, b, renamed=None):
        return [self.hold(figure, names, a[(renamed or {}).get(figure, figure)], b[figure])
                for figure in figures if figure in b and (renamed or {}).get(figure, figure) in a]

    def hold_shared(self, names, a, b):
        """All figures of the same name; where the designs differ only how they do."""
        shared = sorted((set(a) & set(b)) - PLACE)
        if all(self.hold_all([name for name in DESIGN if name in shared], names, a, b)):
            self.hold_all([name for name in shared if name not in DESIGN], names, a, b)

    def hold_inputs(self, names, a, b):
        """What both take for granted. An input that one leaves open is not held against it."""
        for name in sorted(set(a["inputs"]) & set(b["inputs"]) - OWN_INPUTS):
            one, other = a["inputs"][name], b["inputs"][name]
            if one["value"] is not None and other["value"] is not None:
                self.hold(f"input {name}", names, one["value"], other["value"])

    def hold_warning(self, code, names, a, b):
        def has(answer):
            return any(warning["code"] == code for warning in answer["warnings"])
        self.hold(f"warning {code}", names, has(a), has(b))

    def both(self, figure, names, a, b):
        """Whether both have an answer; that one finds a design where the other says there is none is
        a contradiction."""
        return self.hold(figure, names, a is not None, b is not None) and a is not None

    def ask(self, path, **more):
        if path.startswith(BUY):  # which by itself takes the cheapest commitment; a plan rents by the hour
            more = {"purchase_option": "on_demand"} | more
        return self.answers.ask(path, **self.about, gpu=self.row["gpu"], **more)

    def serving(self):
        return self.ask(SIZING, **self.load)

    def within(self, name, answer):
        """Figures that one answer has in two places."""
        for prefix in ("recommended", "cheapest", "fastest"):
            self.hold_recommended(name, answer, answer.get("options"), prefix)
        amounts = collections.Counter()
        for line in answer.get("line_items", []):
            if "side" in line and line["side"] in ("buy", "rent"):
                amounts[f"{line['side']}_{line['group']}_cost"] += line["amount"] or 0
                amounts[f"{line['side']}_total_cost"] += line["amount"] or 0
            elif line["amount"] is not None:
                amounts["total_cost" if name == "training-plan" else "cost_per_hour"] += line["amount"]
        if name == "training-plan":
            hours = sum(line["quantity"] for line in answer["line_items"] if line["key"].endswith("_gpu_hours"))
            self.hold("paid_gpu_hours", f"{name} / sum of its line_items", answer["paid_gpu_hours"], hours)
        for figure, amount in amounts.items():
            headline = answer.get(figure.replace("_proceeds_cost", "_proceeds"))
            if headline is not None:  # a price an hour has six decimals, its one line cents
                self.hold(figure, f"{name} / sum of its line_items", round(headline, 2), round(amount, 2), 1e-9)

    def hold_recommended(self, name, answer, rows, prefix):
        fields = [field for field in answer if field.startswith(prefix + "_")]
        if prefix == "recommended" and answer.get("recommended_rank"):
            rows = [row for row in rows if row["rank"] == answer["recommended_rank"]]
        elif rows and f"{prefix}_gpu_count" in fields:
            rows = [row for row in rows if row["gpu_count"] == answer[f"{prefix}_gpu_count"]
                    and row.get("weight_dtype") == answer.get(f"{prefix}_weight_dtype")][:1]
        for row in rows or []:
            for field in fields:
                figure = field.removeprefix(prefix + "_")
                if figure in row and figure not in PLACE:
                    self.hold(field, f"{name} / its options", answer[field], row[figure], 1e-9)


def check_offers(question, name, answer):
    """What a price is made of is on the lists of prices."""
    gpu = question.row["gpu"]
    if answer is None or not answer["offers_used"]:
        return
    listed = {row["offer_id"]: row for row in question.answers.ask("/v1/offers", gpu=gpu, limit=10000)["rows"]}
    for offer in answer["offers_used"]:
        row = listed.get(offer["offer_id"], {})
        question.hold("price of an offer used", f"{name} / offers", offer["price_per_gpu_hour"],
                      row.get("price_per_gpu_hour"))
    rows = question.answers.ask("/v1/price-summary", gpu=gpu)["rows"]
    medians = [row["median_price_per_gpu_hour"] for row in rows if row["purchase_option"] == "on_demand"]
    question.hold("price_per_gpu_hour", f"{name} / price-summary",
                  answer["inputs"]["price_per_gpu_hour"]["value"], medians[0] if medians else None)


def check_provider(question):
    """A provider whose price is used has it on the list of offers."""
    for provider in PROVIDERS:
        sizing = question.ask(SIZING, provider=provider, **question.load)
        if sizing and sizing["offers_used"]:
            rows = question.answers.ask("/v1/offers", provider=provider, limit=10000)["rows"]
            listed = {row["offer_id"] for row in rows}
            for offer in sizing["offers_used"]:
                question.hold("offer of one provider listed", "inference-sizing / offers", True,
                              offer["offer_id"] in listed)


def check_others(question, path, answer, **query):
    """What is made of an answer starts from its figures: sensitivity, risk, comparison."""
    name, whole = path.removeprefix("/v1/"), merged(answer)
    for part in ("sensitivity", "risk") if path == BUY else ("sensitivity",):
        more = {"draws": 1000} if part == "risk" else {}
        other = question.ask(f"{path}/{part}", **more, **query)
        if question.both("answered", f"{name} / its {part}", answer, other):
            question.hold_shared(f"{name} / its {part}", whole, {
                key: value for key, value in other.items() if not isinstance(value, (list, dict))})
    address = answer["links"]["self"]
    compared = question.answers.ask("/v1/compare", a=address, b=address)
    if question.both("answered", f"{name} / compare", answer, compared):
        for figure in compared["figures"]:
            value = figure["text_a"] if figure["a"] is None else figure["a"]
            if figure["key"] in answer and not isinstance(answer[figure["key"]], bool):
                question.hold(figure["key"], f"{name} / compare", answer[figure["key"]], value)


def check_sizes(question, sizing):
    """The list of options against the sizing it is a list of."""
    options = question.ask(SIZES, **question.load)
    names = "inference-sizing / its options"
    rows = options["options"] if options else []
    if not question.both("answered", names, sizing, rows[0] if rows else None):
        return
    question.within("inference-sizing/options", options)
    question.hold_warning("no_peak", names, sizing, options)
    question.hold_inputs(names, sizing, options)
    for row in rows:
        plan = question.answers.at(row["plan"])
        question.hold_shared("inference-sizing/options / the sizing it links", row, merged(plan))
    first, whole = rows[0], merged(sizing)
    if not question.hold("weight_dtype", names, whole["weight_dtype"], first["weight_dtype"]):
        again = question.ask(SIZES, weight_dtype=whole["weight_dtype"], **question.load)
        first = again["options"][0] if again and again["options"] else None
    if question.both("answered in the same weight_dtype", names, sizing, first):
        question.hold_shared(names, whole, first)


def rented(advice, gpu_count=None):
    """Its first option rented on demand, with that many GPUs if one has them."""
    rows = [row for row in advice["options"] if row["acquisition"] == "rent"
            and "on_demand" in (row["serve_purchase_option"], row["train_purchase_option"])]
    return ([row for row in rows if row["serve_gpu_count"] == gpu_count] + rows + [None])[0]


def check_links(question, row):
    """A row of the recommendation against the answers that it links."""
    names = "recommendation / the {} it links"
    if row["serve_plan"]:
        plan = merged(question.answers.at(row["serve_plan"]))
        question.hold_all(("gpu_count", "weight_dtype", "bound", "utilization"), names.format("sizing"), row,
                          plan, {name: "serve_" + name for name in ("gpu_count", "weight_dtype", "bound", "utilization")})
        question.hold("latency_p95_seconds_estimate", names.format("sizing"), row["latency_p95_seconds_estimate"],
                      plan["latency_p95_seconds_estimate"])
        question.hold("serving_cost_per_month", names.format("sizing"), row["serving_cost_per_month"],
                      plan["cost_per_month"], max(PRINTED, 0.006 / (plan["cost_per_month"] or 1)))
    if row["train_plan"]:
        plan = merged(question.answers.at(row["train_plan"]))
        figures = ("gpu_count", "days", "bound", "memory_per_gpu_gib", "memory_capacity_gib")
        question.hold_all(figures, names.format("plan"), row, plan, {name: "train_" + name for name in figures})
        question.hold("training_cost", names.format("plan"), row["training_cost"], plan["total_cost"])
    if row["break_even"]:
        ledger = question.answers.at(row["break_even"])
        question.hold_all(("break_even_months", "break_even_status", "break_even_utilization",
                           "break_even_rent_price_per_gpu_hour"), names.format("break-even"), row, ledger)
        side = {"rent": "rent", "buy": "buy"}.get(row["acquisition"])
        if side and not row["train_gpu"]:
            question.hold(f"total_cost to {side}", names.format("break-even"), row["total_cost"],
                          ledger[f"{side}_total_cost"])
            paid = ledger[f"{side}_initial_cost"] + ledger[f"{side}_recurring_cost"]
            if side == "buy":  # what is paid at the end is among the proceeds there
                paid += sum(line["amount"] for line in ledger["line_items"] if line["key"] == "decommissioning")
            question.hold(f"payments to {side}", names.format("break-even"), row["payments"], round(paid, 2))


def check_advice(question, sizing, ledger):
    """The recommendation for this GPU against sizing and break-even of it."""
    advice = question.ask(ADVICE, workload="serve", **question.load)
    if advice and sizing and not rented(advice):  # buying is cheaper throughout
        advice = question.ask(ADVICE, workload="serve", purchase_options="on_demand", **question.load)
    row = rented(advice, sizing and sizing["gpu_count"]) if advice else None
    names = "inference-sizing / recommendation"
    if not question.both("answered", names, sizing, row):
        return
    question.within("recommendation", advice)
    question.hold_inputs(names, sizing, advice)
    question.hold_warning("no_peak", names, sizing, advice)
    for each in advice["options"]:
        check_links(question, each)
    whole = merged(sizing)
    if not question.hold("weight_dtype", names, whole["weight_dtype"], row["serve_weight_dtype"]):
        advice = question.ask(ADVICE, workload="serve", weight_dtype=whole["weight_dtype"],
                              purchase_options="on_demand", **question.load)
        row = rented(advice, whole["gpu_count"]) if advice else None
        if not question.both("answered in the same weight_dtype", names, sizing, row):
            return
    if not question.hold("gpu_count", names, whole["gpu_count"], row["serve_gpu_count"]):
        return
    question.hold("latency_p95_seconds_estimate", names, whole["latency_p95_seconds_estimate"],
                  row["latency_p95_seconds_estimate"])
    same_machines = question.hold("cost per month", names, whole["cost_per_month"], row["serving_cost_per_month"])
    if ledger and same_machines:
        check_money(question, ledger, advice, row, whole["weight_dtype"])


def check_money(question, ledger, advice, row, weight_dtype):
    """Renting and buying the same GPUs for the same service cost the same at every endpoint."""
    names = "break-even / recommendation"
    question.hold_inputs(names, ledger, advice)
    weighed = question.answers.at(row["break_even"])
    if weighed["gpu_count"] == ledger["gpu_count"]:
        question.hold("housing", names, ledger["inputs"]["housing"]["value"], weighed["inputs"]["housing"]["value"])
    question.hold("total cost of renting", names, ledger["rent_total_cost"], row["total_cost"])
    question.hold("payments of renting", names, ledger["rent_initial_cost"] + ledger["rent_recurring_cost"],
                  row["payments"])
    bought = question.ask(ADVICE, workload="serve", weight_dtype=weight_dtype, purchase_options="owned", **question.load)
    rows = [each for each in bought["options"] if each["acquisition"] == "buy"] if bought else []
    alike = [each for each in rows if each["serve_gpu_count"] == ledger["gpu_count"]]
    if not question.both("bought", names, ledger["buy_total_cost"], rows or None):
        return
    if alike:
        question.hold("total cost of buying", names, ledger["buy_total_cost"], alike[0]["total_cost"])
    else:  # a list without that design, which leaves a part of its server idle, has one that costs no more
        question.hold("a design bought costs no more", names,
                      min(each["total_cost"] for each in rows) <= ledger["buy_total_cost"], True)


def check_growth(question):
    """A load that grows cannot cost what one costs that stays."""
    plain = question.ask(ADVICE, workload="serve", **question.load)
    grows = question.ask(ADVICE, workload="serve", growth_ratio_per_month=0.05, **question.load)
    counts = [row["gpu_count"] for row in grows["upgrade_path"] if row["gpu_count"]] if grows else []
    if plain and counts:
        question.hold("growth never costs less", "recommendation / the same with growth",
                      grows["recommended_total_cost"] >= plain["recommended_total_cost"], True)
        if max(counts) > counts[0]:
            question.hold("growth of GPUs costs more", "recommendation / its upgrade_path",
                          grows["recommended_total_cost"] > plain["recommended_total_cost"], True)


def check_ledger(question, sizing):
    """Buy or rent for this load against the sizing that it makes."""
    ledger = question.ask(BUY, workload="serve", **question.load)
    names = "inference-sizing / break-even"
    if not question.both("answered", names, sizing, ledger):
        return None
    question.within("break-even", ledger)
    question.hold_inputs(names, sizing, ledger)
    question.hold_warning("no_peak", names, sizing, ledger)
    whole, inputs = merged(sizing), merged(ledger)
    question.hold_all(("gpu_count", "utilization"), names, whole, ledger)
    question.hold("replica_count", names, whole["replica_count"], ledger["workload_replica_count"])
    question.hold("price_per_gpu_hour", names, whole["price_per_gpu_hour"], inputs["rent_price_per_gpu_hour"])
    rental, = [line for line in ledger["line_items"] if line["key"] == "gpu_rental"]
    if rental["quantity"] is not None:
        question.hold("GPU-hours paid a month", names, whole["gpu_count"] * HOURS_PER_MONTH,
                      rental["quantity"] / ledger["horizon_months"])
    plan = question.answers.at(ledger["workload_plan"])
    question.hold_shared("inference-sizing / the sizing that break-even links", whole, merged(plan))
    side_by_side(question, ledger, workload="serve", **question.load)
    check_others(question, BUY, ledger, workload="serve", **question.load)
    return ledger


def side_by_side(question, ledger, **query):
    gpus = question.ask(BUYS, **query)
    rows = gpus["options"] if gpus else []
    if question.both("answered", "break-even / break-even/gpus", ledger, rows[0] if rows else None):
        question.hold_shared("break-even / break-even/gpus", merged(ledger), rows[0])


def check_serve(question):
    sizing = question.serving()
    if sizing:
        question.within("inference-sizing", sizing)
        check_others(question, SIZING, sizing, **question.load)
        if sizing["cost_per_hour"] is not None:
            question.hold("cost_per_month", "inference-sizing / its cost_per_hour", sizing["cost_per_month"],
                          sizing["cost_per_hour"] * HOURS_PER_MONTH)
    check_offers(question, "inference-sizing", sizing)
    check_provider(question)
    check_sizes(question, sizing)
    ledger = check_ledger(question, sizing)
    check_advice(question, sizing, ledger)
    check_growth(question)
    licences(question, sizing)


def licences(question, sizing):
    """One licence, one code."""
    options = question.ask(SIZES, **question.load)

    def codes(answer):
        return ",".join(sorted(w["code"] for w in answer["warnings"] if "licen" in w["code"])) if answer else None
    if sizing and options:
        question.hold("warning code of a licence", "inference-sizing / its options", codes(sizing), codes(options))


def check_train(question):
    job = {"tokens": question.row["tokens"]}
    count = question.row["gpu_count"]
    plan = question.ask(PLAN, gpu_count=count, **job)
    if plan:
        question.within("training-plan", plan)
        check_others(question, PLAN, plan, gpu_count=count, **job)
        question.hold("gpu_hours", "training-plan / its days", plan["gpu_hours"], plan["days"] * 24 * plan["gpu_count"])
        if plan["price_per_gpu_hour"] is not None:
            question.hold("run_cost", "training-plan / its gpu_hours", plan["run_cost"],
                          plan["gpu_hours"] * plan["price_per_gpu_hour"])
            question.hold("total_cost", "training-plan / its bill", plan["total_cost"],
                          plan["paid_gpu_hours"] * plan["price_per_gpu_hour"] + plan["unused_cost"] +
                          plan["other_cost"])
    check_offers(question, "training-plan", plan)
    check_plans(question, plan, job, count)
    check_training_advice(question, job, count)
    check_training_ledger(question, plan, job, count)


def check_plans(question, plan, job, count):
    options = question.ask(PLANS, gpu_count=count, per_gpu=0, **job)
    rows = [row for row in options["options"] if str(row["gpu_count"]) == count] if options else []
    names = "training-plan / its options"
    if not question.both("answered", names, plan, rows[0] if rows else None):
        return
    question.within("training-plan/options", options)
    question.hold_inputs(names, plan, options)
    question.hold_shared(names, merged(plan), rows[0])
    question.hold_shared("training-plan/options / the plan it links", rows[0],
                         merged(question.answers.at(rows[0]["plan"])))


def check_training_advice(question, job, count):
    advice = question.ask(ADVICE, workload="train", gpu_count_max=count, **job)
    row = rented(advice) if advice else None
    if not row:
        return
    question.within("recommendation", advice)
    for each in advice["options"]:
        check_links(question, each)
    plan = question.ask(PLAN, gpu_count=row["train_gpu_count"], **job)
    names = "training-plan / recommendation"
    question.hold_inputs(names, plan, advice)
    question.hold("days", names, plan["days"], row["train_days"])
    question.hold("total_cost", names, plan["total_cost"], row["training_cost"])


def check_training_ledger(question, plan, job, count):
    ledger = question.ask(BUY, workload="train", gpu_count=count, **job)
    names = "training-plan / break-even"
    if not question.both("answered", names, plan, ledger):
        return
    question.within("break-even", ledger)
    question.hold_inputs(names, plan, ledger)
    question.hold("gpu_count", names, plan["gpu_count"], ledger["gpu_count"])
    question.hold("days", names, plan["days"], ledger["workload_days"])
    question.hold("price_per_gpu_hour", names, plan["price_per_gpu_hour"],
                  merged(ledger)["rent_price_per_gpu_hour"])
    rental, = [line for line in ledger["line_items"] if line["key"] == "gpu_rental"]
    runs = merged(ledger).get("runs_per_year") or 1
    if rental["quantity"] is not None:
        question.hold("gpu_hours of a run", names, plan["paid_gpu_hours"],
                      rental["quantity"] / runs / (ledger["horizon_months"] / 12))
    question.hold_shared("training-plan / the plan that break-even links", merged(plan),
                         merged(question.answers.at(ledger["workload_plan"])))
    side_by_side(question, ledger, workload="train", gpu_count=count, **job)


def check_both(question):
    """A training, then a service: each part as if it had been asked by itself."""
    query = {"tokens": question.row["tokens"], **question.load}
    advice = question.ask(ADVICE, workload="train,serve", **query)
    row = rented(advice) if advice else None
    if row:
        question.within("recommendation", advice)
        for each in advice["options"]:
            check_links(question, each)
        alone = question.ask(ADVICE, workload="serve", **question.load)
        rows = [each for each in alone["options"] if each["serve_gpu_count"] == row["serve_gpu_count"]
                and each["serve_weight_dtype"] == row["serve_weight_dtype"]
                and each["serve_purchase_option"] == row["serve_purchase_option"]] if alone else []
        for each in rows[:1]:
            question.hold("serving_cost_per_month", "recommendation of both / of the service",
                          row["serving_cost_per_month"], each["serving_cost_per_month"])
    ledger = question.ask(BUY, workload="train_then_serve", **query)
    sizing = question.serving()
    names = "inference-sizing / break-even after a training"
    if not question.both("answered", names, sizing, ledger):
        return
    question.within("break-even", ledger)
    question.hold_inputs(names, sizing, ledger)
    first = question.answers.at(ledger["workload_training_plan"])
    question.hold("days", "break-even after a training / the plan it links", ledger["workload_days"], first["days"])
    question.hold("months of the training", "break-even after a training / the plan it links",
                  ledger["first_phase_months"], first["paid_gpu_hours"] / first["gpu_count"] / HOURS_PER_MONTH)


CHECKS = {"serve": check_serve, "train": check_train, "both": check_both}


def examine(server):
    """Every contradiction, and how often each kind of comparison was made."""
    answers = Answers(server)
    questions = [Question(answers, row) for row in read("questions.csv")]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda question: CHECKS[question.row["workload"]](question), questions))
    found = [one for question in questions for one in question.found]
    return found, sum((question.compared for question in questions), collections.Counter())


def known():
    return {row["kind"]: row["cause"] for row in read("known.csv")}


def ratio(a, b):
    numbers = all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in (a, b))
    return f"{b / a:.6g}" if numbers and a else ""


def write_known(kinds, causes):
    with open(HERE / "known.csv", "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["kind", "cause"])
        rows.writerows([kind, causes.get(kind, "")] for kind in sorted(kinds))


def write_table(found, compared, causes):
    by_kind = collections.defaultdict(list)
    for one in found:
        by_kind[one.kind].append(one)
    today = datetime.datetime.now(datetime.timezone.utc).date()
    lines = ["# Contradictions between endpoints", "",
             f"Written by `make consistency` on {today}: {len(read('questions.csv'))} questions, "
             f"{sum(compared.values())} comparisons of {len(compared)} kinds, {len(found)} contradictions of "
             f"{len(by_kind)} kinds. `make check-consistency` fails when a kind comes or goes.", "",
             "| figure | compared | differ | e.g. of the question | first | second | second / first | cause |",
             "|---|---|---|---|---|---|---|---|"]
    for kind, ones in sorted(by_kind.items()):
        one = ones[0]
        lines.append(f"| {kind} | {compared[kind]} | {len(ones)} | {one.question} | {one.a} | {one.b} | "
                     f"{ratio(one.a, one.b)} | {causes.get(kind, '')} |")
    (HERE / "CONTRADICTIONS.md").write_text("\n".join(lines) + "\n")


def main():
    import tempfile
    from conftest import Database, Server
    with tempfile.TemporaryDirectory(prefix="gpuplan-test.") as directory:
        path = pathlib.Path(directory)
        path.chmod(0o755)
        (path / "daemon").mkdir()
        database = Database(directory)
        database.start_migrated()
        server = Server(database.env, path / "daemon").start()
        try:
            found, compared = examine(server)
        finally:
            server.stop()
            database.stop()
    causes = known() if (HERE / "known.csv").exists() else {}
    write_known({one.kind for one in found}, causes)
    write_table(found, compared, causes)
    print(f"{len(found)} contradictions of {len({one.kind for one in found})} kinds")


if __name__ == "__main__":
    main()
