#!/usr/bin/python3
"""make.py - writes gpuplan.ods and gpuplan.xlsx: the three questions as a workbook that asks the daemon.

    api/sheets/make.py [DIRECTORY]

Units, defaults and sentences come from api/openapi.yaml. No figure is stored in a file: each is a
formula that fetches it. The files are stored rather than compressed and their dates are fixed, so
that the same contract gives the same bytes everywhere.
"""
import pathlib
import sys

import yaml

import ods
import xlsx
from workbook import Cell, Sheet, Workbook

HERE = pathlib.Path(__file__).resolve().parent

# What each question shows. `inputs`: name and the value the file starts with, None for the default
# in force. `figures`: those of the answer; `likely`: those of the risk, its median and the 5th and
# 95th of 100. `ledger`: columns of line-items, those in capitals are numbers; `total`: the figure
# that the amounts of each group add up to.
QUESTIONS = [
    {"sheet": "Training plan", "path": "training-plan", "schema": "training_plan",
     "title": "What does it take to train this model?",
     "inputs": [("model", "llama-2-70b"), ("tokens", 2e12), ("gpu", "a100-sxm4-80gb"), ("gpu_count", 2048),
                ("purchase_option", None), ("price_per_gpu_hour", None), ("deadline_days", None), ("budget", None),
                ("method", None), ("precision", None), ("sequence_tokens", None), ("global_batch_sequences", None),
                ("recompute", None), ("zero_stage", None), ("tensor_parallel", None), ("pipeline_parallel", None),
                ("network_gbit_per_second", None), ("goodput", None), ("provider", None), ("region", None)],
     "figures": ["fits", "days", "total_cost", "price_per_gpu_hour", "gpu_hours", "step_seconds",
                 "model_flops_utilization", "tokens_per_second_per_gpu", "memory_per_gpu_gib", "memory_capacity_gib",
                 "gpu_count", "tensor_parallel", "pipeline_parallel", "data_parallel", "micro_batch_sequences",
                 "zero_stage", "recompute", "bound", "meets_deadline", "within_budget", "goodput_expected"],
     "ledger": ["group", "key", "VALUE", "unit", "QUANTITY", "UNIT_PRICE", "AMOUNT"], "rows": 24,
     "totals": [("cost", "total_cost")]},
    {"sheet": "Inference sizing", "path": "inference-sizing", "schema": "inference_sizing",
     "title": "What does it take to serve this model?",
     "inputs": [("model", "llama-2-70b"), ("gpu", "h100-sxm5-80gb"), ("requests_per_minute", 1000),
                ("input_tokens", 512), ("output_tokens", 200), ("latency_p95_seconds", 10),
                ("time_to_first_token_seconds_max", None), ("tokens_per_second_per_user_min", None),
                ("peak_to_average_ratio", None), ("weight_dtype", None), ("kv_cache_dtype", None), ("engine", None),
                ("gpu_count", None), ("replica_count", None), ("tensor_parallel", None), ("spare_replicas", None),
                ("prefix_cache_ratio", None), ("purchase_option", None), ("price_per_gpu_hour", None),
                ("provider", None), ("region", None)],
     "figures": ["fits", "meets_load", "meets_latency", "reason", "gpu_count", "replica_count", "tensor_parallel",
                 "batch_size", "utilization", "latency_p95_seconds_estimate", "time_to_first_token_seconds",
                 "time_per_output_token_seconds", "output_tokens_per_second", "output_tokens_per_second_per_user",
                 "requests_per_minute_capacity", "weights_gib", "kv_cache_gib", "memory_per_gpu_gib",
                 "max_concurrent_requests", "bound", "cost_per_hour", "cost_per_month",
                 "cost_per_million_output_tokens", "cost_per_million_tokens"],
     "ledger": ["group", "key", "VALUE", "unit", "QUANTITY", "UNIT_PRICE", "AMOUNT"], "rows": 24,
     "totals": [("cost", "cost_per_hour")]},
    {"sheet": "Break-even", "path": "break-even", "schema": "break_even",
     "title": "Buy or rent, and from when on?",
     "inputs": [("gpu", "h100-sxm5-80gb"), ("gpu_count", 8), ("utilization", 0.7), ("horizon_months", 36),
                ("purchase_option", None), ("rent_price_per_gpu_hour", None), ("rent_price_decline_ratio", None),
                ("rental_overhead_ratio", None), ("server_price", None), ("electricity_price_per_kwh", None),
                ("pue", None), ("colocation_price_per_kw_month", None), ("maintenance_ratio", None),
                ("staff_fte", None), ("staff_cost_per_fte_year", None), ("cost_of_capital", None),
                ("useful_life_months", None), ("annual_value_retention", None), ("provider", None), ("region", None)],
     "figures": ["verdict", "break_even_status", "break_even_months", "break_even_utilization",
                 "break_even_rent_price_per_gpu_hour", "buy_total_cost", "rent_total_cost", "buy_saving",
                 "buy_cost_per_useful_gpu_hour", "rent_cost_per_useful_gpu_hour", "buy_initial_cost",
                 "buy_recurring_cost", "buy_opportunity_cost", "buy_proceeds", "idle_cost"],
     "likely": ["probability_buy_cheaper", "buy_saving_p50", "break_even_months_p50"],
     "ledger": ["side", "group", "key", "QUANTITY", "unit", "UNIT_PRICE", "AMOUNT"], "rows": 64,
     "totals": [("buy", "buy_total_cost"), ("rent", "rent_total_cost")]},
]

SPARE_INPUTS = 4
WIDTHS_CM = [6.6, 5.2, 3.4, 3.2, 3.2, 5, 20]


def amount(text):
    """A number of the API's own notation, whatever the locale of the sheet."""
    return f'NUMBERVALUE({text},".",",")'


def fetched(address, name):
    """A figure; where it is none, the daemon's own words: n/a, or ERROR and what is wrong."""
    text = f'WEBSERVICE({address}&"{name}")'
    return f"=IFERROR({amount(text)},{text})"


def plain(cell):
    """A cell's content as the address takes it: a decimal point, and nothing else, in every locale."""
    return f'ENCODEURL(IF(ISNUMBER({cell}),SUBSTITUTE({cell},",","."),{cell}))'


def day(cell):
    return (f'IF(ISNUMBER({cell}),YEAR({cell})&"-"&TEXT(MONTH({cell}),"00")&"-"&TEXT(DAY({cell}),"00"),{cell})')


class Contract:
    """What api/openapi.yaml says of inputs and figures."""

    def __init__(self):
        document = yaml.load((HERE.parent / "openapi.yaml").read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        self.schemas = document["components"]["schemas"]

    def properties(self, schema):
        """training_plan is TrainingPlan there."""
        return self.schemas["".join(word.capitalize() for word in schema.split("_"))]["properties"]

    def described(self, schema, name):
        field = self.properties(schema)[name]
        return self.schemas[field["$ref"].rpartition("/")[2]] if "$ref" in field else field

    def input(self, question, name):
        return self.described(question["schema"] + "_request", name)

    def figure(self, schema, name):
        return self.described(schema, name)

    def has_figure(self, schema, name):
        return name in self.properties(schema)


def unit_cell(field):
    """Amounts are in the currency that was asked for."""
    unit = field.get("x-unit", "")
    return Cell('=currency&"' + unit[len("currency"):] + '"') if unit.startswith("currency") else Cell(unit)


def default_of(name, field):
    """Of an assumption what the catalogue has; its amounts are in USD, which other sheets are not."""
    default = str(field.get("default", field.get("x-default", "")))
    if default != "assumption":
        return default
    value = fetched("default_address", name)
    return f'=IF(currency="USD",{value[1:]},"")' if field.get("x-unit", "").startswith("currency") else value


def sentence_of(field):
    """With the words to choose from, where it takes nothing else."""
    return field["description"] + (". One of: " + ", ".join(field["enum"]) if "enum" in field else "")


def is_number(field):
    return "number" in field["type"] or "integer" in field["type"]


class Page:
    """The sheet of one question, filled from top to bottom."""

    def __init__(self, contract, question):
        self.contract, self.question = contract, question
        self.name = question["schema"]
        self.sheet = Sheet(question["sheet"], WIDTHS_CM)
        self.at = {}

    def heads(self, *texts):
        self.sheet.add()
        self.sheet.add(*[Cell(text, "head") for text in texts])

    def inputs(self):
        self.heads("Input", "Value", "Unit", "Default", "", "In the address", "What it is")
        first = self.sheet.next
        for name, value in self.question["inputs"]:
            field = self.contract.input(self.question, name)
            self.input(Cell(name), value, unit_cell(field), default_of(name, field), sentence_of(field))
        for _ in range(SPARE_INPUTS):
            self.input(Cell(None, "input"), None, Cell(""), "", "Any other input of this question, by its name")
        parts = "&".join(f"F{row}" for row in range(first, self.sheet.next))
        self.sheet.add()
        self.named(f"{self.name}_query", "The question", f"={parts}&common_query")

    def input(self, name, value, unit, default, sentence):
        row = self.sheet.next
        part = f'=IF(OR(A{row}="",B{row}=""),"","&"&A{row}&"="&{plain(f"B{row}")})'
        self.sheet.add(name, Cell(value, "input"), unit, Cell(default), None, Cell(part, "small"), Cell(sentence))

    def named(self, name, label, formula):
        self.sheet.add(Cell(label), Cell(formula, "small"))
        self.sheet.name(name, "B", self.sheet.next - 1)

    def links(self):
        """Excel links no address of more than 255 characters; then it stands there to be copied."""
        for label, path, more in [("All of it, with every input and source", "/v1/{}.json", "&explain=1"),
                                  ("The page", "/{}", "")]:
            url = f'base_url&"{path.format(self.question["path"])}?"&MID({self.name}_query,2,2000)&"{more}"'
            self.sheet.add(Cell(label), Cell(f"=IFERROR(HYPERLINK({url}),{url})", "link"))

    def figures(self, heads, path, schema, names, ends_of):
        self.heads(*heads, "Where it is from", "What it is")
        address = f"{schema}_address"
        for name in names:
            self.figure(address, schema, name, ends_of(name))
        self.named(address, "Each is fetched from", f'=base_url&"/v1/{path}.txt?on_error=text"&{self.name}_query&refresh_query&"&field="')

    def figure(self, address, schema, name, ends):
        field = self.contract.figure(schema, name)
        style = "money" if field.get("x-unit") == "currency" else "value"
        value = fetched(address, name) if is_number(field) else f'=WEBSERVICE({address}&"{name}")'
        low, high = [Cell(fetched(address, end), style)
                     if end != name and self.contract.has_figure(schema, end) else None for end in ends]
        self.at[name] = f"B{self.sheet.next}"
        self.sheet.add(Cell(name), Cell(value, style), unit_cell(field), low, high,
                       Cell(f'={address}&"{name}"', "small"), Cell(field["description"]))

    def ledger(self):
        """The rows of line-items. They come as one text, whose lines are cut out from one end of
        line (column I) to the next."""
        question = self.question
        columns = question["ledger"]
        self.heads(*[column.lower() for column in columns], "as it came", "up to")
        first = self.sheet.next
        for row in range(first, first + question["rows"]):
            before = f"I{row - 1}" if row > first else "0"
            self.sheet.add(*[part(f"H{row}", k, column.isupper()) for k, column in enumerate(columns)],
                           Cell(f"=MID({self.name}_lines,{before}+1,MAX(0,I{row}-{before}-1))", "small"),
                           Cell(f'=IFERROR(FIND("|",{self.name}_lines,{before}+1),LEN({self.name}_lines)+1)', "small"))
        for group, total in question["totals"]:
            amounts = f'SUMIF(A{first}:A{self.sheet.next - 1},"{group}",G{first}:G{self.sheet.next - 1})'
            self.sheet.add(Cell(f"{group}: lines less {total}"), Cell(f"=ROUND({amounts}-{self.at[total]},2)", "money"),
                           Cell("=currency"), None, None, None, Cell("0: the lines add up to the total"))
        url = (f'base_url&"/v1/{question["path"]}/line-items.csv?on_error=text"&{self.name}_query&refresh_query'
               f'&"&header=0&fields={",".join(columns).lower()}"')
        self.named(f"{self.name}_lines", "The ledger as it came",
                   f'=SUBSTITUTE(SUBSTITUTE(WEBSERVICE({url}),CHAR(13),""),CHAR(10),"|")')


def part(line, k, numeric):
    """Column k of a line: commas are widened, so that each column begins in a stretch of its own."""
    text = f'TRIM(MID(SUBSTITUTE({line},",",REPT(" ",120)),{k * 120 + 1},120))'
    return Cell(f'=IF({text}="","",{amount(text)})', "value") if numeric else Cell(f"={text}")


def question_sheet(contract, question):
    page = Page(contract, question)
    page.sheet.add(Cell(question["title"], "title"))
    page.sheet.add(Cell("Yellow cells are yours. An empty one takes the default or the catalogue's own figure."))
    page.inputs()
    page.links()
    page.figures(("Figure", "Value", "Unit", "Low", "High"), question["path"], question["schema"], question["figures"],
                 lambda name: (name + "_low", name + "_high"))
    if "likely" in question:
        page.figures(("Risk", "Median", "Unit", "5 of 100", "95 of 100"), question["path"] + "/risk",
                     question["schema"] + "_risk", question["likely"],
                     lambda name: (name.replace("_p50", "_p05"), name.replace("_p50", "_p95")))
    page.ledger()
    return page.sheet


def start_sheet():
    sheet = Sheet("Start", [6, 9, 16])
    sheet.add(Cell("gpuplan: what training, serving and owning GPUs costs", "title"))
    sheet.add(Cell("Every figure is fetched from the daemon at the address below; nothing is stored in this file."))
    sheet.add()
    for name, label, value, note in [
            ("base_url", "Address of gpuplan", "http://127.0.0.1:8080", "As your browser reaches it, without a slash at the end"),
            ("currency", "Currency", "USD", "USD, or one with a rate in /v1/exchange-rates"),
            ("as_of", "Day of the prices", None, "Empty: today. What is asked of a past day stays the same for ever: 2026-11-20"),
            ("refresh", "Refresh", 1, "Type another number, and everything is fetched again")]:
        sheet.add(Cell(label), Cell(value, "input"), Cell(note))
        sheet.name(name, "B", sheet.next - 1)
    sheet.add()
    for name, label, formula in [
            ("common_query", "Said in every question", '=IF(currency="","","&currency="&currency)&'
                                                       f'IF(as_of="","","&as_of="&{day("as_of")})'),
            ("refresh_query", "Only to refresh", f'=IF(refresh="","","&nocache="&{plain("refresh")})'),
            ("default_address", "Where defaults are from", '=base_url&"/v1/assumptions.txt?field=default"&refresh_query&"&key="')]:
        sheet.add(Cell(label), Cell(formula, "small"))
        sheet.name(name, "B", sheet.next - 1)
    sheet.add()
    for label, field in [("Catalogue", "catalog_version"), ("Formulas", "model_version"), ("Prices of", "as_of")]:
        sheet.add(Cell(label), Cell(f'=WEBSERVICE(base_url&"/v1.txt?on_error=text"&common_query&refresh_query&"&field={field}")'))
    sheet.add()
    for text in ["LibreOffice: allow the update of links when it asks. Excel: Windows only, enable the content.",
                 "n/a is a figure nobody knows; ERROR says which input is wrong; #VALUE! means the daemon was not reached.",
                 "Google Sheets has no WEBSERVICE: see README.md beside this file."]:
        sheet.add(Cell(text))
    return sheet


def workbook():
    contract = Contract()
    return Workbook([start_sheet()] + [question_sheet(contract, question) for question in QUESTIONS])


def main():
    directory = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    book = workbook()
    (directory / "gpuplan.ods").write_bytes(ods.write(book))
    (directory / "gpuplan.xlsx").write_bytes(xlsx.write(book))


if __name__ == "__main__":
    main()
