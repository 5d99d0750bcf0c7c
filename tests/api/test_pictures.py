"""The pictures of a plan's account and of a price's history: what is drawn is what the same address lists."""
import datetime
import re
import xml.etree.ElementTree as xml

import pytest

from test_provider_names import NAMES

SVG = "{http://www.w3.org/2000/svg}"
PLAN = ("training-plan", dict(model="llama-2-70b", tokens=2e12, gpu="a100-sxm4-80gb", gpu_count=2048))
SIZING = ("inference-sizing", dict(model="llama-2-70b", gpu="h100-sxm5-80gb", requests_per_minute=100))


def drawing(server, path, **params):
    reply = server.get(f"/v1/{path}.svg", **params)
    assert reply.status == 200, reply.text
    assert reply.headers["Content-Type"] == "image/svg+xml"
    root = xml.fromstring(reply.text)
    assert root.findtext(SVG + "title") and len(root.findtext(SVG + "desc")) > 40
    return root


def bars(root, kind):
    return [bar for bar in root.findall(SVG + "rect") if bar.get("class") == kind]


@pytest.mark.parametrize("path, params", [PLAN, SIZING])
def test_the_account_is_drawn_part_by_part(server, path, params):
    lines = [line for line in server.get(f"/v1/{path}/line-items.json", **params).json["line_items"]
             if line["group"] in ("memory", "time") and line["key"] != "unused" and line["value"] > 0]
    root = drawing(server, path, **params)
    said = [text.text for text in root.findall(SVG + "text")]
    rows = [(name.lower().replace(" ", "_"), value) for name, value in zip(said, said[1:])]
    amounts = [(line["key"], f"{line['value'] * 1000:.3g} ms" if line["unit"] == "s" and line["value"] < 1 else f"{line['value']:.4g} {line['unit']}")
               for line in lines]
    assert [row for row in rows if row[0] in dict(amounts)] == amounts, "each once, in this order, its value next to its name"
    parts = bars(root, "mark")
    assert len(parts) == len(lines) and len(bars(root, "dot")) == 2
    for group, whole in zip(("memory", "time"), bars(root, "dot")):
        own = [(line, bar) for line, bar in zip(lines, parts) if line["group"] == group]
        total = sum(line["value"] for line, _ in own)
        for line, bar in own:
            share = float(bar.get("width")) / float(whole.get("width"))
            assert share == pytest.approx(line["value"] / total, abs=0.005), line["key"]
        starts = [float(bar.get("x")) for _, bar in own]
        assert starts == sorted(starts) and starts[0] == float(whole.get("x")), "each where the one before it ended"


@pytest.mark.parametrize("width", [320, 720])
def test_the_line_of_the_capacity_is_beside_the_values(server, width):
    """Values end at the right; a sign of their size is under 8.6 wide on a wide chart."""
    root = drawing(server, "inference-sizing", model="bge-m3", gpu="l4", requests_per_minute=60000, input_tokens=512, output_tokens=0, width=width)
    line = next(each for each in root.findall(SVG + "line") if each.get("class") == "at")
    x, top, bottom = (float(line.get(name)) for name in ("x1", "y1", "y2"))
    values = [each for each in root.findall(SVG + "text") if top <= float(each.get("y")) <= bottom and each.text.endswith(" GiB")]
    assert len(values) == 4
    for each in values:
        end = float(each.get("x"))
        assert x >= end + 3 or x <= end - 8.6 * len(each.text), each.text


@pytest.mark.parametrize("path, params, title", [
    ("training-plan", PLAN[1], "Training on 2,048 × NVIDIA A100 SXM4 80GB"),
    ("break-even/risk", dict(gpu="h100-sxm5-80gb", gpu_count=1024, utilization=0.7), "What buying saves: 1,024 × NVIDIA H100 SXM5 80GB, 36 months"),
    ("break-even/series", dict(gpu="h100-sxm5-80gb", gpu_count=1024, utilization=0.7), "Buy or rent: 1,024 × NVIDIA H100 SXM5 80GB")])
def test_a_title_names_the_gpu_and_groups_its_number(server, path, params, title):
    assert drawing(server, path, **params).findtext(SVG + "title") == title


def test_bought_and_rented_differ_in_colour(server):
    root = drawing(server, "break-even/gpus", gpu="h100-sxm5-80gb,a100-sxm4-80gb", gpu_count=8, utilization=0.7)
    names = [text.text for text in root.findall(SVG + "text") if text.text.endswith((", bought", ", rented"))]
    kinds = [bar.get("class") for bar in root.findall(SVG + "rect") if bar.get("class") in ("below", "above")]
    assert len(names) == 4
    assert kinds == ["below" if name.endswith("bought") else "above" for name in names]


def test_what_does_not_fit_stands_out(server):
    params = dict(model="llama-2-70b", method="full", tokens=1e9, gpu="rtx-4090", gpu_count=1)
    root = drawing(server, "training-plan", **params)
    (over,), (limit,) = bars(root, "above"), [line for line in root.findall(SVG + "line") if line.get("class") == "at"]
    assert float(over.get("x")) + float(over.get("width")) > float(limit.get("x1"))
    capacity = server.get("/v1/training-plan.json", **params).json["memory_capacity_gib"]
    assert f"a GPU has {capacity:.4g} GiB" in [text.text for text in root.findall(SVG + "text")]


def test_a_price_is_drawn_over_the_years(server):
    gpu = "h100-sxm5-80gb"
    rows = [row for row in server.get("/v1/offers/history.json", gpu=gpu).json["rows"] if row["observed_date"]]
    root = drawing(server, "offers/history", gpu=gpu)
    dots = [dot for dot in root.findall(SVG + "circle") if dot.get("class") == "dot"]
    titles = [dot.findtext(SVG + "title") for dot in dots]
    assert sorted(titles) == sorted(f"{NAMES[row['provider']]}, {row['purchase_option'].replace('_', ' ')}, {row['observed_date']}: "
                                    f"{row['price_per_gpu_hour']:.4g} USD" for row in rows)
    marks = [dot.findtext(SVG + "title") for dot in root.findall(SVG + "circle") if dot.get("class") == "mark"]
    day, price = re.fullmatch(r"valid on (\d{4}-\d\d-\d\d): ([\d.]+) USD", marks[0]).groups()
    now = server.get("/v1/price-summary.json", gpu=gpu, purchase_option="on_demand", as_of=day).json["rows"]
    assert [row["median_price_per_gpu_hour"] for row in now] == [pytest.approx(float(price), rel=1e-3)]


def test_offers_of_every_gpu_are_no_picture(server):
    assert server.get("/v1/offers/history.svg").status == 406


@pytest.mark.parametrize("gpu, formats", [("a100-sxm4-80gb", ["16 bits"]), ("h100-sxm5-80gb", ["16 bits", "FP8"]),
                                          ("b200-sxm", ["16 bits", "FP8", "FP4"])])
def test_a_gpu_is_drawn_as_its_roofline(server, gpu, formats):
    known = server.get(f"/v1/gpus/{gpu}.json").json
    peaks = [known[f"peak_{name}_dense_tflops"] for name in ("bf16", "fp8", "fp4")]
    bandwidth = known["memory_bandwidth_gb_per_second"] / 1000
    root = drawing(server, f"gpus/{gpu}")
    words = [text.text for text in root.findall(SVG + "text")]
    assert [word for word in words if word in ("16 bits", "FP8", "FP4")] == formats
    assert f"ridge {known['ridge_point_flop_per_byte']:.4g}" in words
    lines = [[tuple(map(float, point.split(","))) for point in line.get("points").split()]
             for line in root.findall(SVG + "polyline") if line.get("points").strip()]
    assert len(lines) == len(formats)
    left, right = lines[0][0][0], lines[0][-1][0]
    marks = {word.text: float(word.get("y")) - 4 for word in root.findall(SVG + "text") if word.text in ("10", "100") and word.get("text-anchor") == "end"}
    decade = marks["10"] - marks["100"]
    for line, peak in zip(lines, peaks):
        for x, y in line:
            intensity = 10 ** (4 * (x - left) / (right - left))
            tflops = 10 ** (2 + (marks["100"] - y) / decade)
            assert tflops == pytest.approx(min(peak, bandwidth * intensity), rel=0.02)


# ---- A part of the history ------------------------------------------------------------------------

H100 = "h100-sxm5-80gb"
DAYS = dict(from_date="2025-03-01", to_date="2026-01-31")


def test_a_history_takes_days(server):
    every = server.get("/v1/offers/history.json", gpu=H100).json["rows"]
    dates = [row["observed_date"] for row in every]
    assert None in dates and min(filter(None, dates)) < DAYS["from_date"] and max(filter(None, dates)) > DAYS["to_date"]
    for days in (DAYS, {"from_date": DAYS["from_date"]}, {"to_date": DAYS["to_date"]}):
        low, high = days.get("from_date", ""), days.get("to_date", "9")
        wanted = [row for row in every if row["observed_date"] and low <= row["observed_date"] <= high]
        reply = server.get("/v1/offers/history.json", gpu=H100, count=1, **days).json
        assert reply["rows"] == wanted and reply["count"] == len(wanted) > 0
        paged = server.get("/v1/offers/history.json", gpu=H100, count=1, limit=2, **days).json
        assert paged["rows"] == wanted[:2] and paged["count"] == len(wanted)


def test_the_picture_reaches_over_the_days_asked_for(server):
    rows = server.get("/v1/offers/history.json", gpu=H100, **DAYS).json["rows"]
    root = drawing(server, "offers/history", gpu=H100, **DAYS)
    axis, = [line for line in root.findall(SVG + "line") if line.get("data-from")]
    assert (axis.get("data-from"), axis.get("data-to")) == tuple(DAYS.values())
    dots = [dot for dot in root.findall(SVG + "circle") if dot.get("class") == "dot"]
    assert len(dots) == len(rows)
    line = [dot.findtext(SVG + "title") for dot in root.findall(SVG + "circle") if dot.get("class") == "mark"]
    for day in DAYS.values():  # the price in force at both ends, whether anything was observed or not
        price = server.get("/v1/price-summary.json", gpu=H100, purchase_option="on_demand", as_of=day).json["rows"][0]
        said, = [title.split()[-2] for title in line if title.startswith(f"valid on {day}: ")]
        assert float(said) == pytest.approx(price["median_price_per_gpu_hour"], rel=3e-4)  # four digits of the number before it is rounded to six
    left, right = float(axis.get("x1")), float(axis.get("x2"))
    for dot in dots:
        day = re.search(r"\d{4}-\d\d-\d\d", dot.findtext(SVG + "title")).group()
        share = (days_of(day) - days_of(DAYS["from_date"])) / (days_of(DAYS["to_date"]) - days_of(DAYS["from_date"]))
        assert float(dot.get("cx")) == pytest.approx(left + share * (right - left), abs=0.1)


def days_of(day):
    return datetime.date.fromisoformat(day).toordinal()


@pytest.mark.parametrize("days, ticks", [
    (dict(from_date="2026-08-01", to_date="2026-08-06"), ["2026-08-01", "2026-08-02", "2026-08-06"]),
    (dict(from_date="2026-07-20", to_date="2026-08-20"), ["2026-07-20", "2026-07-27", "2026-08-17"]),
    (dict(from_date="2026-01-15", to_date="2026-05-20"), ["2026-02", "2026-03", "2026-05"]),
    (dict(from_date="2024-12-31", to_date="2026-01-01"), ["2025-01", "2025-04", "2026-01"]),
    (dict(from_date="2020-06-01", to_date="2026-01-01"), ["2021", "2022", "2026"])])
def test_days_are_marked_at_their_turn(server, days, ticks):
    root = drawing(server, "offers/history", gpu=H100, **days)
    words = [text.text for text in root.findall(SVG + "text")]
    assert [tick for tick in ticks if tick not in words] == []
    assert sum(bool(re.fullmatch(r"\d{4}(-\d\d){0,2}", word)) for word in words) <= 8


def test_days_are_those_of_a_history_and_in_order(server):
    refused = server.get("/v1/offers/history.json", gpu=H100, from_date="2026-02-01", to_date="2026-01-01")
    assert refused.status == 400 and refused.json["errors"][0]["parameter"] == "to_date"
    assert server.get("/v1/offers.json", gpu=H100, from_date="2026-02-01").status == 400
    assert server.get("/v1/offers/history.json", gpu=H100, from_date="today").status == 400


# ---- The words of a picture -------------------------------------------------------------------------

BUY = dict(gpu=H100, gpu_count=8, utilization=0.7)


@pytest.mark.parametrize("path, params", [
    ("break-even/sensitivity", BUY), ("break-even/sensitivity", BUY | dict(vary="utilization")),
    ("break-even/sensitivity", BUY | dict(vary="utilization", vary_2="staff_fte", currency="EUR")),
    ("break-even/series", BUY), ("break-even/risk", BUY), ("break-even/gpus", BUY | dict(gpu=f"{H100},a100-sxm4-80gb")),
    ("training-plan/sensitivity", PLAN[1]), ("inference-sizing/sensitivity", SIZING[1]), ("offers/history", dict(gpu=H100))])
def test_a_picture_speaks_in_words(server, path, params):
    if "currency" in params and not server.get("/v1/exchange-rates.json", currency="EUR").json.get("rows"):
        params = {name: value for name, value in params.items() if name != "currency"}
    for node in drawing(server, path, **params).iter():
        assert "_" not in (node.text or "") or node.tag == SVG + "style", node.text


def test_shares_are_drawn_in_percent_and_units_said_once(server):
    root = drawing(server, "break-even/sensitivity", **BUY, vary="utilization", vary_2="rent_price_per_gpu_hour")
    words = [text.text for text in root.findall(SVG + "text")]
    assert {"Utilization", "100%", "Rent per GPU-hour, USD", "Saving by buying, USD over utilization and rent per GPU-hour"} <= set(words)


def test_decimal_commas_in_a_picture(server):
    """As a German reads them: 1,234 of an English picture would be a thousandth of it."""
    plain, local = (drawing(server, "training-plan", **PLAN[1], **more) for more in ({}, {"dialect": "excel-eu"}))
    english, german = ([text.text for text in root.findall(SVG + "text")] for root in (plain, local))
    assert german[0] == english[0] and german != english
    assert german == [english[0], *(text.replace(",", " ").replace(".", ",") for text in english[1:])]
