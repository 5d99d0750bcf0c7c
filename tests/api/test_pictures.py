"""The pictures of a plan's account and of a price's history: what is drawn is what the same address lists."""
import re
import xml.etree.ElementTree as xml

import pytest

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
    words = [text.text for text in root.findall(SVG + "text")]
    assert [text for text in words if text.replace(" ", "_") in {line["key"] for line in lines}] \
        == [line["key"].replace("_", " ") for line in lines]
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
    assert sorted(titles) == sorted(f"{row['provider']}, {row['purchase_option']}, {row['observed_date'].replace('-', '')}: "
                                    f"{row['price_per_gpu_hour']:.4g} USD" for row in rows)
    marks = [dot.findtext(SVG + "title") for dot in root.findall(SVG + "circle") if dot.get("class") == "mark"]
    day, price = re.fullmatch(r"in force on (\d{8}): ([\d.]+) USD", marks[0]).groups()
    day = f"{day[:4]}-{day[4:6]}-{day[6:]}"
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
