"""Buy or rent: one computation in five formats, to the cent; what bad input gets."""
import csv
import io
import re
import xml.etree.ElementTree as xml

import pytest

BASE = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7, rent_price_per_gpu_hour=3.93,
            horizon_months=36, server_price=300000, fabric_cost_ratio=0.12, housing="colocation")
REACHED = BASE | dict(rent_price_decline_ratio=0)

# A worked example with few lines, each of which can be checked by hand; the rest is switched off.
EXAMPLE = REACHED | dict(
    management_network_cost=0, rack_and_pdu_cost=0, storage_cost=0, spares_ratio=0,
    freight_install_ratio=0, idle_power_ratio=0.8, electricity_escalation_ratio=0,
    colocation_escalator_ratio=0, remote_hands_cost_month=0, cross_connect_cost_month=0,
    internet_transit_cost_month=0, insurance_ratio=0, property_tax_ratio=0,
    resale_fee_ratio=0, decommissioning_ratio=0)


def ask(server, path="", **params):
    return server.answer(f"/v1/break-even{path}", **params)


def text(server, field, **params):
    return ask(server, ".txt", field=field, **params).text


def refused(server, **params):
    return server.refusals("/v1/break-even", **params)


def lines(server, **params):
    rows = ask(server, "/line-items", **params).json["line_items"]
    return {(row["side"], row["key"]): row for row in rows}


def cents(amount):
    return round(amount * 100)


def warnings(server, **params):
    return {w["code"]: w["detail"] for w in ask(server, **params).json["warnings"]}


# --- the figures

def test_the_usual_case_to_the_cent(server):
    answer = ask(server, **BASE).json
    assert answer["buy_total_cost"] == 776620.35
    assert answer["rent_total_cost"] == 674128.06
    assert answer["buy_saving"] == -102492.29
    assert answer["verdict"] == "rent"
    assert answer["break_even_status"] == "not_within_60_months"
    assert answer["break_even_months"] is None
    assert answer["break_even_utilization"] == 0.8104
    assert answer["break_even_rent_price_per_gpu_hour"] == 4.527505


def test_the_lines_of_the_worked_example(server):
    got = {key: row["amount"] for key, row in lines(server, **EXAMPLE).items() if row["amount"]}
    assert abs(got.pop(("buy", "cost_of_capital")) - 87263.23) > 1, "recurring cash is charged too"
    got.pop(("rent", "cost_of_capital"))
    assert got == {
        ("buy", "gpu_servers"): 300000.00, ("buy", "network_fabric"): 36000.00,
        ("buy", "electricity_it"): 25733.38, ("buy", "electricity_facility"): 13896.02,
        ("buy", "colocation"): 67586.83, ("buy", "staff"): 135000.00,
        ("buy", "maintenance"): 45000.00, ("buy", "residual_value"): -111974.40,
        ("rent", "gpu_rental"): 578370.24, ("rent", "rental_overheads"): 57837.02}


def test_the_totals_are_the_sums_of_the_lines(server):
    for params in (BASE, EXAMPLE, BASE | dict(purchase_option="reserved_3yr", lead_time_months=4)):
        answer = ask(server, **params).json
        for side in ("buy", "rent"):
            mine = [line for line in answer["line_items"] if line["side"] == side]
            assert sum(cents(line["amount"]) for line in mine) == cents(answer[side + "_total_cost"])
            for group in ("initial", "recurring", "opportunity"):
                assert sum(cents(line["amount"]) for line in mine if line["group"] == group) == \
                    cents(answer[f"{side}_{group}_cost"])


def test_the_series_ends_in_the_totals(server):
    answer = ask(server, **BASE).json
    series = ask(server, "/series", **BASE).json["series"]
    assert [point["month"] for point in series] == list(range(61))
    assert series[36]["buy_cumulative_cost"] == answer["buy_total_cost"]
    assert series[36]["rent_cumulative_cost"] == answer["rent_total_cost"]
    longer = ask(server, "/series", **BASE | dict(horizon_months=90)).json["series"]
    assert len(longer) == 91


def test_the_break_even_month_lies_where_the_curves_cross(server):
    answer = ask(server, **REACHED).json
    series = ask(server, "/series", **REACHED).json["series"]
    month = answer["break_even_months"]
    assert answer["break_even_status"] == "reached" and abs(month - 49.0592) < 1e-4
    gap = [point["buy_cumulative_cost"] - point["rent_cumulative_cost"] for point in series]
    before, after = gap[int(month)], gap[int(month) + 1]
    assert before > 0 >= after
    assert abs(int(month) + before / (before - after) - month) < 1e-3
    assert answer["crossings"] == [{"month": month, "cheaper_after": "buy"}]


@pytest.mark.parametrize("field,parameter", [
    ("break_even_utilization", "utilization"),
    ("break_even_rent_price_per_gpu_hour", "rent_price_per_gpu_hour")])
def test_at_the_threshold_both_cost_the_same(server, field, parameter):
    value = float(text(server, field, **BASE))
    there = ask(server, **BASE | {parameter: value}).json
    slope = abs(ask(server, **BASE | {parameter: value * 1.01}).json["buy_saving"]) / (0.01 * value)
    step = 5e-5 if parameter == "utilization" else 5e-7  # how far the figure is rounded
    assert abs(there["buy_saving"]) <= slope * step * 1.1 + 0.2


def test_dearer_rent_and_more_use_favour_buying(server):
    by_rent = [float(text(server, "buy_saving", **BASE | {"rent_price_per_gpu_hour": p}))
               for p in (1, 2, 3, 5, 8)]
    by_use = [float(text(server, "buy_saving", **BASE | {"utilization": u}))
              for u in (0, 0.2, 0.5, 0.9, 1)]
    assert by_rent == sorted(by_rent) and by_use == sorted(by_use)


def test_crossing_again_is_said(server):
    params = BASE | dict(rent_price_per_gpu_hour=14, rent_price_decline_ratio=0.7)
    answer = ask(server, **params).json
    assert [c["cheaper_after"] for c in answer["crossings"]] == ["buy", "rent"]
    assert answer["crossing_count"] == 2
    assert "curves_cross_again" in warnings(server, **params)


def test_every_line_is_listed_even_at_nothing(server):
    got = lines(server, **BASE)
    assert got[("buy", "liquid_cooling")]["amount"] == 0
    assert got[("rent", "rental_storage")]["amount"] == 0
    assert got[("rent", "rental_storage")]["unit_price"] > 0, "of nothing stored"
    assert all(row["formula"] and row["currency"] == "USD" for row in got.values())


# --- one computation, several formats

def flat(server, **params):
    rows = list(csv.reader(io.StringIO(ask(server, ".csv", **params).text)))
    assert len(rows) == 2
    return dict(zip(*rows))


@pytest.mark.parametrize("params", [BASE, REACHED], ids=["null", "reached"])
def test_csv_tsv_xml_and_text_agree_with_json(server, params):
    document = ask(server, **params).json
    wide = flat(server, **params)
    tabbed = [row.split("\t") for row in ask(server, ".tsv", **params).text.splitlines()]
    tree = xml.fromstring(ask(server, ".xml", **params).text)
    assert dict(zip(*tabbed)) == wide
    for name, value in document.items():
        if isinstance(value, (list, dict)):
            continue
        shown = wide[name]
        assert (tree.findtext(name) or "") == shown
        assert text(server, name, **params) == (shown or "n/a")
        if value is None:
            assert shown == ""
        elif isinstance(value, str):
            assert shown == value
        else:
            assert float(shown) == value
    for rule in document["rule_of_thumb"]:
        shown = wide["rule_of_thumb." + rule["key"]]
        assert shown == "" if rule["value"] is None else float(shown) == rule["value"]


def test_line_items_in_every_format(server):
    rows = ask(server, "/line-items", **BASE).json["line_items"]
    sheet = list(csv.DictReader(io.StringIO(ask(server, "/line-items.csv", **BASE).text)))
    assert list(sheet[0])[:8] == ["side", "group", "key", "quantity", "unit", "unit_price",
                                  "amount", "currency"]
    for row, shown in zip(rows, sheet, strict=True):
        for name, value in row.items():
            if isinstance(value, (int, float)):
                assert float(shown[name]) == value
            else:
                assert shown[name].lstrip("'") == (value or "")


def test_the_series_as_csv(server):
    reply = ask(server, "/series.csv", **BASE)
    rows = reply.text.splitlines()
    assert rows[0] == "month,buy_cumulative_cost,rent_cumulative_cost,hosted_cumulative_cost," \
        "utilization"
    assert rows[37] == "36,776620.35,674128.06,,0.7"


def test_the_headline_is_a_bare_number(server):
    """Whether a month is reached or not, so that a cell can count with it."""
    for question in (REACHED, BASE):
        saving = ask(server, ".json", **question).json["buy_saving"]
        assert float(ask(server, ".txt", **question).text) == saving
    assert ask(server, ".txt", field="break_even_months", **REACHED).text == "49.0592"
    assert ask(server, ".txt", field="break_even_months", **BASE).text == "n/a"


def test_one_line_in_one_cell(server):
    assert ask(server, "/line-items.txt", lines="staff", field="amount", **BASE).text == "135000.00"
    assert [*lines(server, side="rent", lines="cost_of_capital", **BASE)] == [("rent", "cost_of_capital")]


def test_post_is_get(server):
    got = server.post("/v1/break-even", BASE)
    assert got.status == 200
    wanted = ask(server, **BASE).json
    assert {k: v for k, v in got.json.items() if k != "links"} == \
        {k: v for k, v in wanted.items() if k != "links"}


# --- unknown is not zero

def test_no_purchase_price_no_verdict(server):
    params = dict(gpu="gaudi3", utilization=0.7, rent_price_per_gpu_hour=2)
    answer = ask(server, **params).json
    assert answer["verdict"] is None and answer["break_even_status"] == "unknown_price"
    assert answer["buy_total_cost"] is None and answer["break_even_months"] is None
    assert answer["rent_total_cost"] > 0
    assert "no_price" in warnings(server, **params)
    assert text(server, "verdict", **params) == "n/a"
    assert flat(server, **params)["buy_total_cost"] == ""


def test_no_rent_price_the_threshold_is_known(server):
    params = dict(gpu="gb300-nvl72", utilization=0.7, server_price=4000000, node_power_kw=14)
    answer = ask(server, **params).json
    assert answer["verdict"] is None and answer["rent_total_cost"] is None
    assert answer["buy_total_cost"] > 4000000
    assert answer["break_even_rent_price_per_gpu_hour"] > 0


@pytest.mark.parametrize("used", [dict(), dict(first_phase_months=60, first_phase_utilization=0)])
def test_an_unknown_rent_is_none_of_unused_gpus_neither(server, used):
    params = dict(gpu="rtx-3090-ti", gpu_count=8, utilization=0) | used
    answer = ask(server, **params).json
    for name in ("verdict", "cheapest_option", "rent_total_cost", "rent_recurring_cost", "buy_saving",
                 "break_even_months"):
        assert answer[name] is None, name
    assert answer["break_even_status"] == "unknown_price" and answer["buy_total_cost"] > 0
    assert any("rent_price_per_gpu_hour" in w["detail"] for w in answer["warnings"]
               if w["code"] == "no_price")
    assert lines(server, **params)["rent", "gpu_rental"]["amount"] is None
    series = server.get("/v1/break-even/series", **params).json["series"]
    assert all(row["rent_cumulative_cost"] is None for row in series[1:])
    known = ask(server, **params, rent_price_per_gpu_hour=1).json
    assert (known["verdict"], known["rent_total_cost"]) == ("rent", 0)


def test_nothing_used_costs_nothing_per_use(server):
    answer = ask(server, **BASE | dict(utilization=0)).json
    assert answer["buy_cost_per_useful_gpu_hour"] is None
    assert answer["rent_total_cost"] == 0
    assert answer["break_even_rent_price_status"] == "rent_cheaper_throughout"


# --- inputs

def test_every_input_is_echoed_with_its_source(server):
    params = {k: v for k, v in BASE.items() if not k.endswith("price_per_gpu_hour")}
    inputs = ask(server, **params).json["inputs"]
    assert inputs["utilization"] == {"value": 0.7, "unit": "ratio", "source": "request"}
    assert inputs["rent_price_per_gpu_hour"]["source"] == "catalog"
    assert inputs["rent_price_per_gpu_hour"]["reference"].startswith("/v1/offers?gpu=h100")
    assert inputs["pue"]["source"] == "default" and "key=pue" in inputs["pue"]["reference"]
    assert inputs["node_power_kw"]["value"] == 10.2
    assert inputs["gpus_per_node"]["source"] == "chosen"


def test_a_price_without_offers_is_derived_and_one_given_is_not(server):
    derived = dict(gpu="mi300x", utilization=0.7, purchase_option="reserved_1yr", server_price=400000)
    on_demand = ask(server, **derived | dict(purchase_option="on_demand")).json["inputs"]["rent_price_per_gpu_hour"]["value"]
    rental = lines(server, **derived)[("rent", "gpu_rental")]
    assert abs(rental["unit_price"] - on_demand * 0.65) < 1e-6
    own = lines(server, **derived | dict(commitment_discount_ratio=0.5))[("rent", "gpu_rental")]
    assert abs(own["unit_price"] - on_demand * 0.5) < 1e-6
    assert rental["quantity"] == 8 * 730 * 36, "reserved hours are paid whether used or not"
    assert "derived_price" in warnings(server, **derived)
    given = derived | dict(rent_price_per_gpu_hour=2, commitment_discount_ratio=0.5)
    assert lines(server, **given)[("rent", "gpu_rental")]["unit_price"] == 2
    assert "commitment_discount_ratio" in warnings(server, **given)["without_effect"]


def test_itemised_extras_replace_the_ratio(server):
    itemised = BASE | dict(storage_tb=10, storage_price_per_gb_month=0.023)
    got = lines(server, **itemised)
    assert got[("rent", "rental_overheads")]["amount"] == 0
    assert got[("rent", "rental_storage")]["amount"] == 8280  # 10 TB x 0.023 x 36
    assert "overheads_itemised" in warnings(server, **itemised)
    both = lines(server, **itemised | dict(rental_overhead_ratio=0.2))
    assert both[("rent", "rental_overheads")]["amount"] > 0


def test_work_instead_of_utilization(server):
    params = {k: v for k, v in BASE.items() if k != "utilization"}
    answer = ask(server, gpu_hours_per_month=2920, **params).json
    assert answer["inputs"]["utilization"]["value"] == 0.5
    assert answer["inputs"]["utilization"]["source"] == "chosen"
    assert refused(server, gpu_hours_per_month=6000, **params)["gpu_hours_per_month"]["maximum"] == 5840


def test_a_card_price_of_ones_own_makes_the_server(server):
    params = {k: v for k, v in BASE.items() if k != "server_price"}
    answer = ask(server, gpu_card_price=20500, **params).json
    assert answer["hardware_cost"] == 200000  # 8 x 20500 / (1 - 0.18)
    ours = ask(server, gpu="rtx-4090", gpu_count=1, gpu_card_price=1640, utilization=1).json
    assert ours["hardware_cost"] == 2000


def test_switched_off_lines_are_said(server):
    said = warnings(server, **BASE | dict(staff_fte=0))
    assert "staff_fte" in said["line_disabled"] and "0.25" in said["line_disabled"]
    assert "line_disabled" not in warnings(server, **BASE)


def test_a_geforce_card_brings_its_licence(server):
    said = warnings(server, gpu="rtx-4090", utilization=0.7)
    assert "datacenter_licence" in said
    assert "datacenter_licence" not in warnings(server, **BASE)


def test_undated_prices_are_said(server):
    params = {k: v for k, v in BASE.items() if k != "server_price"}
    assert "undated_price" in warnings(server, **params)
    assert "undated_price" not in warnings(server, **BASE)


def test_low_overheads_are_said(server):
    assert "low_overheads" in warnings(server, **BASE)
    assert "low_overheads" not in warnings(server, **BASE | dict(rental_overhead_ratio=0.4))


# --- bad input

@pytest.mark.parametrize("parameter,value,code", [
    ("utilization", "70%", "not_a_number"),
    ("utilization", "70", "out_of_range"),
    ("utilization", "-0.1", "out_of_range"),
    ("utilization", "nan", "not_a_number"),
    ("utilization", "1e999", "not_a_number"),
    ("horizon_months", "1.234,56", "not_a_number"),
    ("horizon_months", "0", "out_of_range"),
    ("horizon_months", "121", "out_of_range"),
    ("horizon_months", "36.5", "not_whole"),
    ("gpu_count", "0", "out_of_range"),
    ("gpu_count", "8 GPUs", "not_a_number"),
    ("pue", "0.9", "out_of_range"),
    ("server_price", "-1", "out_of_range"),
    ("server_price", "$300000", "not_a_number"),
    ("cost_of_capital", "8", "out_of_range"),
    ("rent_price_per_gpu_hour", "-2", "out_of_range"),
    ("purchase_option", "owned", "unknown_choice"),
    ("purchase_option", "reserved", "unknown_choice"),
    ("financing", "lease", "unknown_choice"),
    ("side", "both", "unknown_choice"),
    ("lines", "stafff", "unknown_name"),
    ("provider", "awss", "unknown_name"),
    ("gpu", "h100-sxm5-80bg", "unknown_name"),
    ("reference_gpu", "rtx-4900", "unknown_name"),
])
def test_a_bad_value_is_refused_by_name(server, parameter, value, code):
    params = {k: v for k, v in BASE.items() if k != parameter}
    if parameter == "provider":
        params.pop("rent_price_per_gpu_hour")
    errors = refused(server, **params, **{parameter: value})
    assert list(errors) == [parameter]
    assert errors[parameter]["value"] == value
    assert errors[parameter]["code"] == code, errors


@pytest.mark.parametrize("value,nearest", [
    ("h100-sxm5-80bg", "h100-sxm5-80gb"), ("4090", "rtx-4090")])
def test_the_nearest_gpu_is_named(server, value, nearest):
    assert nearest in refused(server, **BASE | dict(gpu=value))["gpu"]["detail"]


def test_an_unknown_parameter_gets_the_nearest(server):
    errors = refused(server, utilisation=0.5, **BASE)
    assert errors["utilisation"]["code"] == "unknown_parameter"
    assert "utilization" in errors["utilisation"]["detail"]


def test_a_parameter_twice_is_refused(server):
    reply = server.get("/v1/break-even?gpu=h100-sxm5-80gb&utilization=0.5&utilization=0.6")
    assert reply.status == 400
    assert reply.json["errors"][0]["parameter"] == "utilization"


@pytest.mark.parametrize("missing", ["gpu", "utilization"])
def test_what_is_missing_is_asked_for(server, missing):
    errors = refused(server, **{k: v for k, v in BASE.items() if k != missing})
    assert errors[missing]["code"] == "missing_parameter"


@pytest.mark.parametrize("extra,culprit,code", [
    (dict(gpu_hours_per_month=1000), "gpu_hours_per_month", "contradiction"),
    (dict(annual_value_retention=0.7, residual_value=9), "residual_value", "contradiction"),
    (dict(financing="operating_lease", residual_value=9), "residual_value", "contradiction"),
    (dict(idle_power_ratio=0.9), "idle_power_ratio", "contradiction"),
    (dict(carbon_price_per_tonne=80), "grid_carbon_kg_per_kwh", "missing_parameter"),
])
def test_what_does_not_go_together_is_refused(server, extra, culprit, code):
    assert refused(server, **BASE | extra)[culprit]["code"] == code


def test_power_that_nobody_knows_is_asked_for(server):
    errors = refused(server, gpu="tpu-v4", utilization=0.7, server_price=1e5)
    assert errors["node_power_kw"]["code"] == "missing_parameter"
    assert ask(server, gpu="tpu-v4", utilization=0.7, server_price=1e5, node_power_kw=2).json["verdict"] in ("buy", "rent")
    assert ask(server, gpu="tpu-v4", utilization=0.7).json["verdict"] is None, "nothing bought needs no power"


def test_all_that_is_wrong_is_said_at_once(server):
    errors = refused(server, **BASE | dict(utilization="70%", pue="0.9", horizon_months="x"))
    assert set(errors) == {"utilization", "pue", "horizon_months"}


def test_a_currency_without_a_rate_says_how(server):
    reply = server.get("/v1/break-even", currency="XPF", **BASE)
    assert reply.status == 422
    assert "exchange-rates" in reply.json["detail"]


def test_an_unknown_field_gets_the_nearest(server):
    reply = server.get("/v1/break-even.txt", field="break_even_month", **BASE)
    assert reply.status == 400
    assert "break_even_months" in reply.json["detail"]


def test_an_error_in_a_cell(server):
    reply = server.get("/v1/break-even.txt", on_error="text", **BASE | dict(utilization="2"))
    assert reply.status == 200 and reply.text.startswith("ERROR utilization:")


@pytest.mark.parametrize("body", [
    b"{", b"[]", b"7", b'{"gpu": {"a": 1}, "utilization": 0.7}',
    b'{"gpu": "h100-sxm5-80gb", "gpu": "t4", "utilization": 0.7}'])
def test_a_body_that_is_not_an_object_of_values(server, body):
    reply = server.request("POST", "/v1/break-even", body, {"Content-Type": "application/json"})
    assert reply.status == 400, reply.text


def test_a_body_points_at_its_culprit(server):
    reply = server.post("/v1/break-even", BASE | dict(pue=0.5))
    assert reply.status == 400
    assert reply.json["errors"][0]["pointer"] == "#/pue"


def test_the_wrong_method(server):
    reply = server.request("DELETE", "/v1/break-even")
    assert reply.status == 405 and "GET" in reply.headers["Allow"]


@pytest.mark.parametrize("currency", ["USD", "EUR"])
def test_a_country_has_its_electricity_and_its_grid(server, currency):
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.6, currency=currency)
    price, = server.get("/v1/electricity-prices", country="DE", currency=currency).json["rows"]
    grid = server.get("/v1/carbon", country="DE").json["rows"][0]["carbon_g_per_kwh"] / 1000
    answer = server.get("/v1/break-even", **asked, country="de").json
    inputs = answer["inputs"]
    assert inputs["electricity_price_per_kwh"]["value"] == pytest.approx(price["electricity_price_per_kwh"], rel=1e-5)
    assert inputs["electricity_price_per_kwh"]["source"] == "catalog"
    assert inputs["grid_carbon_kg_per_kwh"]["value"] == pytest.approx(grid, rel=1e-5)
    assert answer["carbon_tonnes"] == pytest.approx(answer["electricity_kwh"] * grid / 1000, rel=1e-4)
    given = server.get("/v1/break-even", **asked, country="DE", electricity_price_per_kwh=0.3).json
    assert given["inputs"]["electricity_price_per_kwh"]["value"] == 0.3


def test_a_country_without_a_price_says_so(server):
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.6)
    known = {row["country"] for row in server.get("/v1/electricity-prices", limit=1000).json["rows"]}
    grids = {row["country"] for row in server.get("/v1/carbon", limit=1000).json["rows"]}
    country = sorted(grids - known)[0]
    answer = server.get("/v1/break-even", **asked, country=country).json
    assert "electricity_of_no_country" in {warning["code"] for warning in answer["warnings"]}
    assert answer["inputs"]["electricity_price_per_kwh"]["source"] == "default"
    for wrong in "zz", "deu":
        refused = server.get("/v1/break-even", **asked, country=wrong)
        assert refused.status == 400 and refused.json["errors"][0]["parameter"] == "country"


def test_a_country_gives_the_grid_that_a_price_of_carbon_needs(server):
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.6, carbon_price_per_tonne=100)
    answer = server.get("/v1/break-even", **asked, country="DE")
    assert answer.status == 200, answer.text
    line, = [each for each in answer.json["line_items"] if each["key"] == "carbon"]
    assert line["amount"] == pytest.approx(100 * answer.json["carbon_tonnes"], rel=0.1)  # the price rises with inflation
    refused = server.get("/v1/break-even", **asked)
    assert refused.status == 400 and refused.json["errors"][0]["parameter"] == "grid_carbon_kg_per_kwh"


UNGROUPED = re.compile(r"(?<![\d.,=/-])\d{5,}(?![\d-])")  # of an input, as model_version=... or a path, it stays


def sentences(answer):
    """Every text of an answer that a person reads."""
    if isinstance(answer, dict):
        return [text for key, value in answer.items() for text in
                ([value] if isinstance(value, str) and re.search("sentence|detail", key) else sentences(value))]
    return [text for value in answer for text in sentences(value)] if isinstance(answer, list) else []


@pytest.mark.parametrize("path, asked", [
    ("break-even", dict(gpu="h100-sxm5-80gb", gpu_count=16384, utilization=0.7, housing="own_hall")),
    ("break-even", dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.9, owned_gpu_count=8, staff_cost_per_fte_year=0)),
    ("break-even", dict(gpu="h100-sxm5-80gb", model="llama-3.1-8b", daily_users=200_000, requests_per_user_per_day=20)),
    ("break-even/gpus", dict(gpu="h100-sxm5-80gb,l40s", gpu_count=8, utilization=0.7)),
    ("recommendation", dict(workload="train,serve", model="llama-3.1-8b", tokens=1e12, budget=5e5, daily_users=50_000, requests_per_user_per_day=10)),
    ("recommendation", dict(budget=2e6)),
    ("training-plan", dict(model="llama-3.1-8b", tokens=1e12, gpu="h100-sxm5-80gb", gpu_count=512, purchase_option="reserved_1yr", sequence_tokens=262144))])
def test_large_numbers_in_sentences_are_grouped(server, path, asked):
    reply = server.get(f"/v1/{path}", **asked)
    assert reply.status == 200, reply.text
    texts = sentences(reply.json)
    assert texts and not [text for text in texts if UNGROUPED.search(text)]


@pytest.mark.parametrize("wrong, says", [("electricity_itt", "the nearest is electricity_it"), ("hardware", "line_items of /v1/break-even")])
def test_a_line_nobody_has_is_refused_with_the_choice(server, wrong, says):
    reply = server.get("/v1/break-even/ledger", gpu="l40s", gpu_count=8, utilization=0.5, lines=wrong)
    assert reply.status == 400 and says in reply.json["errors"][0]["detail"]


def test_what_nobody_sells_is_answered_for_rent_alone(server):
    """A TPU is rented and never sold: its rent needs neither its price nor its power."""
    answer = server.get("/v1/break-even", gpu="tpu-v5e", gpu_count=8, utilization=0.7).json
    assert answer["verdict"] is None and answer["buy_total_cost"] is None
    assert 0 < answer["rent_total_cost_low"] < answer["rent_total_cost"] < answer["rent_total_cost_high"]
    refused = server.get("/v1/break-even/risk", gpu="tpu-v5e", gpu_count=8, utilization=0.7)
    assert refused.status == 422 and "rent_total_cost_low" in refused.json["detail"]
    priced = server.get("/v1/break-even", gpu="tpu-v5e", gpu_count=8, utilization=0.7, server_price=1e5)
    assert priced.status == 400 and priced.json["errors"][0]["parameter"] == "node_power_kw"


def test_servers_that_outlive_their_life_are_priced_again(server):
    """At today's price, less what a server of the months beyond fetches; the verdict turns where that is more than is saved."""
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.6, horizon_months=84, server_price=300000)
    answer = server.get("/v1/break-even", **asked).json
    first = answer["warnings"][0]
    value = {name: answer["inputs"][name]["value"] for name in
             ("annual_value_retention", "resale_condition_factor", "resale_fee_ratio", "useful_life_months")}
    assert value["useful_life_months"] == 60
    kept = value["annual_value_retention"] ** 2 * value["resale_condition_factor"] * (1 - value["resale_fee_ratio"])
    assert first["code"] == "beyond_useful_life" and answer["verdict"] == "buy"
    assert f"takes 300,000 USD at today's price, {300000 * (1 - kept):,.0f} USD after the last are resold: more than" in first["detail"]
    long = server.get("/v1/break-even", **asked | dict(horizon_months=120, useful_life_months=36, gpu_count=16)).json
    said, = [row["detail"] for row in long["warnings"] if row["code"] == "beyond_useful_life"]
    assert "Buying them again takes 1,800,000 USD" in said  # in months 36, 72 and 108
    dear = server.get("/v1/break-even", **asked | dict(rent_price_per_gpu_hour=9)).json
    said, = [row["detail"] for row in dear["warnings"] if row["code"] == "beyond_useful_life"]
    assert said.endswith("USD after the last are resold")
    lease = server.get("/v1/break-even", **asked | dict(financing="operating_lease")).json
    assert not any("Buying them again" in row["detail"] for row in lease["warnings"])


def test_a_second_purchase_is_in_the_verdict(server):
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=64, utilization=0.9, rent_price_per_gpu_hour=6)
    phased = server.get("/v1/break-even", **asked, second_gpu_count=32, second_purchase_month=12).json
    assert phased["sentence"].startswith("Buy 64 x h100-sxm5-80gb, 32 of them in month 12: over")
    assert server.get("/v1/break-even", **asked).json["sentence"].startswith("Buy 64 x h100-sxm5-80gb: over")
    rent = server.get("/v1/break-even", **asked | dict(rent_price_per_gpu_hour=1), second_gpu_count=32, second_purchase_month=12).json
    assert rent["sentence"].startswith("Rent 64 x h100-sxm5-80gb: over")


def test_a_return_of_thousands_of_percent_is_a_whole_number(server):
    answer = server.get("/v1/break-even", gpu="h100-sxm5-80gb", utilization=0.7, rent_price_per_gpu_hour=31.92).json
    assert answer["irr"] > 10 and f"returns {100 * answer['irr']:.0f}% a year" in answer["returns_sentence"].replace(",", "")
    assert "e+" not in answer["returns_sentence"] + answer["interval_sentence"]
