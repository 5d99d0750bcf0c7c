#!/usr/bin/python3
"""make.py - writes gpuplan.ods and gpuplan.xlsx: the three questions as a workbook that asks the daemon.

    api/sheets/make.py [DIRECTORY]

Labels, units, defaults and hints come from api/openapi.yaml, names of choices from the page's
phrases (words.py). No figure is stored in a file: each is a formula that fetches it, and so are the
GPUs and models to choose from. What only the formulas need is in hidden columns and a hidden sheet.
The files are stored rather than compressed and their dates are fixed, so that the same contract
gives the same bytes everywhere.
"""
import pathlib
import sys

import ods
import xlsx
from words import Contract
from workbook import Cell, Chart, Sheet, Workbook, letter

HERE = pathlib.Path(__file__).resolve().parent

# What each question shows. `inputs`: name and the value the file starts with, None for the default
# in force. `figures`: those of the answer; `likely`: those of the risk, its median and the 5th and
# 95th of 100. `ledger`: columns of line-items, those in capitals are numbers; `totals`: the figure
# that the amounts of each group add up to. `chart`: lines of the ledger, by their column with a
# number, or the months of a series.
QUESTIONS = [
    {"sheet": "Training plan", "lines": "Training lines", "path": "training-plan", "schema": "training_plan",
     "title": "What will it take to train this model?",
     "inputs": [("model", "Llama-2-70b"), ("tokens", 2e12), ("gpu", "NVIDIA A100 SXM4 80GB"), ("gpu_count", 2048),
                ("purchase_option", None), ("price_per_gpu_hour", None), ("deadline_days", None), ("budget", None),
                ("method", None), ("precision", None), ("sequence_tokens", None), ("global_batch_sequences", None),
                ("recompute", None), ("zero_stage", None), ("tensor_parallel", None), ("pipeline_parallel", None),
                ("network_gbit_per_second", None), ("goodput", None), ("provider", None), ("region", None)],
     "figures": ["fits", "days", "total_cost", "price_per_gpu_hour", "gpu_hours", "step_seconds",
                 "model_flops_utilization", "tokens_per_second_per_gpu", "memory_per_gpu_gib", "memory_capacity_gib",
                 "gpu_count", "tensor_parallel", "pipeline_parallel", "data_parallel", "micro_batch_sequences",
                 "zero_stage", "recompute", "bound", "meets_deadline", "within_budget", "goodput_expected"],
     "ledger": ["group", "key", "VALUE", "unit", "QUANTITY", "UNIT_PRICE", "AMOUNT"], "rows": 24,
     "totals": [("cost", "total_cost")],
     "chart": {"title": "Memory of each GPU", "unit": "GiB", "column": "C",
               "lines": ["weights", "gradients", "optimizer_states", "activations", "overhead"]}},
    {"sheet": "Inference sizing", "lines": "Serving lines", "path": "inference-sizing", "schema": "inference_sizing",
     "title": "What will it take to serve this model?",
     "inputs": [("model", "Llama-2-70b"), ("gpu", "NVIDIA H100 SXM5 80GB"), ("requests_per_minute", 1000),
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
     "totals": [("cost", "cost_per_hour")],
     "chart": {"title": "Memory of each GPU", "unit": "GiB", "column": "C",
               "lines": ["weights", "kv_cache", "overhead", "unused"]}},
    {"sheet": "Break-even", "lines": "Break-even lines", "path": "break-even", "schema": "break_even",
     "title": "Buy or rent, and when does buying pay off?",
     "inputs": [("gpu", "NVIDIA H100 SXM5 80GB"), ("gpu_count", 8), ("utilization", 0.7), ("horizon_months", 36),
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
     "totals": [("buy", "buy_total_cost"), ("rent", "rent_total_cost")],
     "chart": {"title": "Cumulative cost by month", "series": ["buy_cumulative_cost", "rent_cumulative_cost"]}},
]

# Rows for inputs that are not listed; months of a chart; GPUs and models to choose from.
SPARE_INPUTS, MONTHS, GPUS_MAX, MODELS_MAX = 8, 60, 100, 200
CHART_ROWS = 17

# Label, value, unit, low or default, high, what it is; then, hidden: name, value as sent, address.
WIDTHS_CM = [6.6, 6.4, 3.4, 3.4, 3.4, 14, 5, 5, 8]
HIDDEN = "GHI"
PRINTED = "E"  # the last column on paper


def amount(text):
    """A number of the API's own notation, whatever the locale of the sheet."""
    return f'NUMBERVALUE({text},".",",")'


def fetched(address, name):
    """A figure, or the daemon's own words where there is none: n/a, or ERROR and what is wrong."""
    text = f'WEBSERVICE({address}&"{name}")'
    return f"=IFERROR({amount(text)},{text})"


def plain(cell):
    """A cell's content as the address takes it: a decimal point, and nothing else, in every locale."""
    return f'ENCODEURL(IF(ISNUMBER({cell}),SUBSTITUTE({cell},",","."),{cell}))'


def day(cell):
    return (f'IF(ISNUMBER({cell}),YEAR({cell})&"-"&TEXT(MONTH({cell}),"00")&"-"&TEXT(DAY({cell}),"00"),{cell})')


def translated(cell, known, wanted):
    """The entry of one list at the position in another; a text that is in neither is left as it is."""
    return f"IFERROR(INDEX({wanted},MATCH({cell},{known},0)),{cell})"


def worded(cell):
    """What people call a word of the API."""
    return (f'=IFERROR(INDEX(word_labels,MATCH({cell},word_names,0)),'
            f'UPPER(LEFT({cell}))&SUBSTITUTE(MID({cell},2,2000),"_"," "))')


def lines_of(url):
    """A reply of several lines as one text, its lines separated by bars."""
    return f'=SUBSTITUTE(SUBSTITUTE(WEBSERVICE({url}),CHAR(13),""),CHAR(10),"|")'


def cut(text, end, before):
    """Formulas of the next line of such a text, which ends at `end`, and of that end."""
    return (f"=MID({text},{before}+1,MAX(0,{end}-{before}-1))",
            f'=IFERROR(FIND("|",{text},{before}+1),LEN({text})+1)')


def unit_cell(field):
    """Amounts are in the currency that was asked for."""
    unit = field.get("x-unit", "")
    return Cell('=currency&"' + unit[len("currency"):] + '"' if unit.startswith("currency") else unit, "unit")


def style_of(field):
    if field.get("x-unit", "").startswith("currency"):
        return "money"
    return "whole" if "integer" in field["type"] else "value"


def is_number(field):
    return "number" in field["type"] or "integer" in field["type"]


class Lists:
    """The hidden sheet of choices: the labels of each list, and the names that are sent."""

    def __init__(self, contract):
        self.contract, self.columns = contract, []
        self.sheet = Sheet("Lists", [], hidden=True)
        self.fetched("gpu", "/v1/gpus.tsv?fields=name,gpu", GPUS_MAX)
        self.fetched("model", "/v1/models.tsv?fields=name,model", MODELS_MAX)
        words = {"true": "Yes", "false": "No", "n/a": "n/a", **contract.values, **contract.lines}
        self.listed("word", [(label, name) for name, label in words.items() if "." not in name])

    def fetched(self, name, path, rows):
        """One label and name per line, separated by a tab."""
        text, at = f"{name}_lines", letter(len(self.columns))
        url = f'base_url&"{path}&header=0&limit={rows}&on_error=text"&refresh_query'
        line, end = (letter(len(self.columns) + k) for k in (2, 3))
        cells = [[f'=IF({line}{row}="","",LEFT({line}{row},FIND(CHAR(9),{line}{row}&CHAR(9))-1))',
                  f'=MID({line}{row},LEN({at}{row})+2,200)',
                  *cut(text, f"{end}{row}", f"{end}{row - 1}" if row > 2 else "0")] for row in range(2, rows + 2)]
        self.place(name, rows)
        self.columns += [[head] + [row[k] for row in cells] for k, head in enumerate((name, "", "", ""))]
        self.columns.append([lines_of(url)])
        self.sheet.name(text, letter(len(self.columns) - 1), 1)

    def listed(self, name, pairs):
        self.place(name, len(pairs))
        self.columns += [[name] + [label for label, _ in pairs], [""] + [value for _, value in pairs]]

    def place(self, name, rows):
        for k, kind in enumerate(("labels", "names")):
            self.sheet.name(f"{name}_{kind}", letter(len(self.columns) + k), 2, rows)

    def choices(self, name, field):
        """The list that an input chooses from, None where it is free."""
        if name in ("gpu", "model"):
            return name
        if "enum" not in field:
            return None
        if f"{name}_labels" not in self.sheet.names:
            self.listed(name, [(self.contract.choice(each, name), each) for each in field["enum"]])
        return name

    def finish(self):
        height = max(map(len, self.columns))
        for row in range(height):
            self.sheet.add(*[Cell(column[row] if row < len(column) else None) for column in self.columns])
        self.sheet.widths_cm = [4] * len(self.columns)
        return self.sheet


class Page:
    """The two sheets of one question, filled from top to bottom."""

    def __init__(self, contract, lists, question):
        self.contract, self.lists, self.question = contract, lists, question
        self.name, self.request = question["schema"], question["schema"] + "_request"
        self.sheet = Sheet(question["sheet"], WIDTHS_CM, HIDDEN, PRINTED)
        self.lines = Sheet(question["lines"], [3.4, 6.6, 3.2, 3.2, 3.2, 3.2, 3.6, 5, 3, 5], "HIJ", "G")

    def heads(self, sheet, *texts):
        sheet.add()
        sheet.add(*[Cell(text, "head") for text in texts])

    def inputs(self):
        listed = [name for name, _ in self.question["inputs"]]
        properties = self.contract.properties(self.request)
        self.heads(self.sheet, "Input", "Value", "Unit", "Default", "", "What it is", "Name", "As sent", "In the address")
        first = self.sheet.next
        for name, value in self.question["inputs"]:
            self.input(name, value, properties[name])
        others = f"{self.name}_others"
        self.lists.listed(others, sorted((field["x-label"], name) for name, field in properties.items() if name not in listed))
        for _ in range(SPARE_INPUTS):
            row = self.sheet.next
            self.add_input(Cell(None, "input", f"{others}_labels"), Cell(None, "input"), Cell(""), None, "Any other input: choose it from the list",
                           f'=IF(A{row}="","",{translated(f"A{row}", f"{others}_labels", f"{others}_names")})',
                           f'=IF(B{row}="","",{translated(f"B{row}", "word_labels", "word_names")})')
        row = self.sheet.next
        self.sheet.add(Cell("As in an address"), Cell(None, "input"), None, None, None,
                       Cell("Further inputs as an address has them: what follows the ? there"), None, None,
                       Cell(f'=IF(B{row}="","","&"&B{row})', "small"))
        parts = "&".join(f"I{row}" for row in range(first, self.sheet.next))
        self.sheet.put(2, 8, [Cell(f"={parts}&common_query", "small")])
        self.sheet.name(f"{self.name}_query", "I", 2)

    def input(self, name, value, field):
        row, choices = self.sheet.next, self.lists.choices(name, field)
        sent = translated(f"B{row}", f"{choices}_labels", f"{choices}_names") if choices else f"B{row}"
        style = "whole_input" if field.get("x-unit") == "tokens" or "integer" in field["type"] else "input"
        self.add_input(Cell(field["x-label"]), Cell(value, style, choices and f"{choices}_labels"), unit_cell(field),
                       self.default(name, field), field["x-hint"], name, f'=IF(B{row}="","",{sent})')

    def add_input(self, label, value, unit, default, hint, name, sent):
        row = self.sheet.next
        part = f'=IF(OR(G{row}="",B{row}=""),"","&"&G{row}&"="&{plain(f"H{row}")})'
        self.sheet.add(label, value, unit, Cell(default), None, Cell(hint), Cell(name, "small"), Cell(sent, "small"), Cell(part, "small"))

    def default(self, name, field):
        """What the catalogue has for an assumption; its amounts are in USD, unlike those of other sheets."""
        default = field.get("default", field.get("x-default", ""))
        if default == "auto":
            return "set automatically"
        if default != "assumption":
            return self.contract.choice(default, name) if default in field.get("enum", []) else default
        value = fetched("default_address", name)
        return f'=IF(currency="USD",{value[1:]},"")' if field.get("x-unit", "").startswith("currency") else value

    def links(self):
        """Excel links no address of more than 255 characters; a longer one is text to be copied."""
        self.sheet.add()
        for label, path, more in [("Every input, formula and source", "/v1/{}.json", "&explain=1"), ("This question on the page", "/{}", "")]:
            url = f'base_url&"{path.format(self.question["path"])}?"&MID({self.name}_query,2,2000)&"{more}"'
            self.sheet.add(Cell(label), Cell(f'=IFERROR(HYPERLINK({url},"Open"),{url})', "link"))

    def figures(self, heads, path, schema, names, ends_of):
        self.heads(self.sheet, *heads, "What it is", "Name", "As sent", "Where it is from")
        address, properties = f"{schema}_address", self.contract.properties(schema)
        self.sheet.name(address, "I", self.sheet.next - 1)
        self.sheet.rows[-1][8] = Cell(f'=base_url&"/v1/{path}.txt?on_error=text"&{self.name}_query&refresh_query&"&field="', "small")
        for name in names:
            self.figure(address, schema, name, properties, ends_of(name))

    def figure(self, address, schema, name, properties, ends):
        field, row = properties[name], self.sheet.next
        style = style_of(field)
        raw = f'=WEBSERVICE({address}&"{name}")'
        value = f"=IFERROR({amount(f'H{row}')},H{row})" if is_number(field) else worded(f"H{row}")
        low, high = [Cell(fetched(address, end), style) if end != name and end in properties else None for end in ends]
        self.sheet.name(f"{schema}_{name}", "B", row)
        self.sheet.add(Cell(field["x-label"]), Cell(value, style), unit_cell(field), low, high,
                       Cell(self.contract.readable(field["description"], schema)), Cell(name, "small"), Cell(raw, "small"),
                       Cell(f'={address}&"{name}"', "small"))

    def ledger(self):
        """The rows of line-items. They come as one text, whose lines are cut out from one end of
        line (column I) to the next."""
        question, sheet, text = self.question, self.lines, f"{self.name}_lines"
        columns = question["ledger"]
        url = (f'base_url&"/v1/{question["path"]}/line-items.csv?on_error=text"&{self.name}_query&refresh_query'
               f'&"&header=0&fields={",".join(columns).lower()}"')
        sheet.add(Cell(question["lines"], "title"), *[None] * 6, Cell(lines_of(url), "small"))
        sheet.name(text, "H", 1)
        schema = ("break_even_" if self.name == "break_even" else "") + "line_item"
        self.heads(sheet, *["Line" if column == "key" else self.contract.label(schema, column.lower()) for column in columns], "Line as sent", "Its end", "Name")
        first = sheet.next
        last = first + question["rows"] - 1
        for row in range(first, last + 1):
            cells = [part(f"H{row}", k, column) for k, column in enumerate(columns)]
            sheet.add(*cells, *[Cell(each, "small") for each in cut(text, f"I{row}", f"I{row - 1}" if row > first else "0")],
                      Cell("=" + column_of(f"H{row}", columns.index("key")), "small"))
        self.range = (first, last)
        for group, total in question["totals"]:
            label = self.contract.choice(group)
            amounts = f'SUMIF(A{first}:A{last},"{label}",G{first}:G{last})'
            sheet.add(Cell(f"{label}: sum of the lines less the total"), None, None, None, None, Cell("=currency"),
                      Cell(f"=ROUND({amounts}-{self.name}_{total},2)", "money"))

    def chart(self):
        """Its figures are in hidden columns of the lines' sheet, from K on."""
        chart, sheet = self.question["chart"], self.lines
        series = "series" in chart
        heads, rows = self.series(chart["series"]) if series else self.bars(chart)
        for row, cells in enumerate([heads] + rows, 1):
            sheet.put(row, 10, [Cell(each, "small") for each in cells])
        sheet.widths_cm += [4] * len(heads)
        sheet.hidden_columns += "KLMNOP"[:len(heads)]
        self.sheet.add()
        self.sheet.charts.append(Chart(chart["title"], "line" if series else "bar", sheet.title, "K", 2 if series else 1, len(rows),
                                       self.sheet.next, CHART_ROWS, "Months" if series else chart["unit"]))
        for _ in range(CHART_ROWS):
            self.sheet.add()

    def bars(self, chart):
        first, last = self.range
        values = f"{chart['column']}{first}:{chart['column']}{last}"
        return ["", chart["title"]], [[self.contract.choice(line), f'=SUMIF(J{first}:J{last},"{line}",{values})'] for line in chart["lines"]]

    def series(self, names):
        """One month per row; NA() leaves a gap where the answer has no such month."""
        text = f"{self.name}_series"
        url = (f'base_url&"/v1/{self.question["path"]}/series.csv?on_error=text"&{self.name}_query&refresh_query'
               f'&"&header=0&fields={",".join(names)}"')
        self.lines.name(text, "P", 1)
        rows = []
        for row in range(2, MONTHS + 3):
            figures = [f"=IFERROR({amount(column_of(f'N{row}', k))},NA())" for k in range(len(names))]
            rows.append([row - 2, *figures, *cut(text, f"O{row}", f"O{row - 1}" if row > 2 else "0")])
        return ["", "Buying", "Renting", "", "", lines_of(url)], rows


def column_of(line, k):
    """Column k of a line: commas are widened, so that each column begins in its own range of characters."""
    return f'TRIM(MID(SUBSTITUTE({line},",",REPT(" ",120)),{k * 120 + 1},120))'


def part(line, k, column):
    text = column_of(line, k)
    if column.isupper():
        return Cell(f'=IF({text}="","",{amount(text)})', "money" if column == "AMOUNT" else "value")
    return Cell(f"={text}") if column == "unit" else Cell(f'=IF({text}="","",{worded(text)[1:]})')


def question_sheets(contract, lists, question):
    page = Page(contract, lists, question)
    page.sheet.add(Cell(question["title"], "title"))
    page.sheet.add(Cell("Edit the yellow cells. Leave one empty for the default."))
    page.inputs()
    page.links()
    page.figures(("Figure", "Value", "Unit", "Low", "High"), question["path"], question["schema"], question["figures"],
                 lambda name: (name + "_low", name + "_high"))
    if "likely" in question:
        page.figures(("Risk", "Median", "Unit", "Low (5%)", "High (95%)"), question["path"] + "/risk",
                     question["schema"] + "_risk", question["likely"],
                     lambda name: (name.replace("_p50", "_p05"), name.replace("_p50", "_p95")))
    page.ledger()
    page.chart()
    return page.sheet, page.lines


def start_sheet():
    sheet = Sheet("Start", [6.6, 8, 20], printed="C")
    sheet.add(Cell("gpuplan", "title"))
    sheet.add(Cell("Train, serve, buy or rent: each question has a sheet, and a second one with its lines. Edit the yellow cells."))
    sheet.add()
    for name, label, value, note in [
            ("base_url", "Address of gpuplan", "http://127.0.0.1:8080", "As your browser reaches it, without a slash at the end"),
            ("currency", "Currency", "USD", "USD, or another currency with an exchange rate in the catalogue"),
            ("as_of", "Day of the prices", None, "Empty: today. The answer for a past day never changes: 2026-11-20"),
            ("refresh", "Refresh", 1, "Type another number to fetch everything again")]:
        sheet.add(Cell(label), Cell(value, "input", room=name == "base_url"), Cell(note))
        sheet.name(name, "B", sheet.next - 1)
    sheet.add()
    for label, field in [("Catalogue", "catalog_version"), ("Formulas", "model_version"), ("Prices as of", "as_of")]:
        sheet.add(Cell(label), Cell(f'=WEBSERVICE(base_url&"/v1.txt?on_error=text"&common_query&refresh_query&"&field={field}")'))
    sheet.add()
    for text in ["LibreOffice: allow the update of links when it asks. Excel: Windows only, enable the content.",
                 "n/a means not available; ERROR says which input is wrong; #VALUE! means gpuplan could not be reached.",
                 "Hidden columns and the hidden sheet Lists hold the addresses that each figure is fetched from.",
                 "Google Sheets has no WEBSERVICE: see the folder api/sheets of gpuplan."]:
        sheet.add(Cell(text))
    return sheet


def queries(lists):
    """What every question sends, on the hidden sheet."""
    for name, formula in [
            ("common_query", f'=IF(currency="","","&currency="&currency)&IF(as_of="","","&as_of="&{day("as_of")})'),
            ("refresh_query", f'=IF(refresh="","","&nocache="&{plain("refresh")})'),
            ("default_address", '=base_url&"/v1/assumptions.txt?field=default"&refresh_query&"&key="')]:
        lists.sheet.name(name, letter(len(lists.columns)), 1)
        lists.columns.append([formula])


def workbook():
    contract = Contract()
    lists = Lists(contract)
    queries(lists)
    sheets = [sheet for question in QUESTIONS for sheet in question_sheets(contract, lists, question)]
    return Workbook([start_sheet(), *sheets, lists.finish()])


def main():
    directory = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    book = workbook()
    (directory / "gpuplan.ods").write_bytes(ods.write(book))
    (directory / "gpuplan.xlsx").write_bytes(xlsx.write(book))


if __name__ == "__main__":
    main()
