"""Where bought GPUs stand, who looks after them, and what grows with their number."""

import pytest

CARD = dict(gpu="rtx-4090", gpu_count=1, utilization=0.5)
MODULES = dict(gpu="h100-sxm5-80gb", utilization=0.7)
NOTHING_ON_A_DESK = ("staff", "internet_transit", "remote_hands", "cross_connect", "colocation", "rack_and_pdu",
                     "management_network", "network_fabric", "facility_fitout", "electricity_facility")


def ask(server, path="/v1/break-even", **params):
    return server.answer(path, **params).json


def lines(answer, side="buy"):
    return {line["key"]: line for line in answer["line_items"] if line["side"] == side}


def housing(answer):
    return answer["inputs"]["housing"]["value"]


@pytest.mark.parametrize("gpu,gpu_count,expected", [
    ("rtx-4090", 1, "desk"), ("rtx-4090", 4, "desk"), ("rtx-4090", 5, "own_room"), ("h100-sxm5-80gb", 4, "own_room"),
    ("h100-sxm5-80gb", 16, "own_room"), ("h100-sxm5-80gb", 17, "colocation"), ("rtx-4090", 17, "colocation"),
    ("h100-sxm5-80gb", 2048, "colocation")])
def test_the_default_goes_by_kind_and_number(server, gpu, gpu_count, expected):
    answer = ask(server, gpu=gpu, gpu_count=gpu_count, utilization=0.5)
    assert housing(answer) == expected
    assert answer["inputs"]["housing"]["reference"].startswith("/v1/assumptions?key=housing_")
    given = ask(server, gpu=gpu, gpu_count=gpu_count, utilization=0.5, housing=expected)
    assert given["buy_total_cost"] == answer["buy_total_cost"]


def test_a_card_on_a_desk_costs_a_card_on_a_desk(server):
    """203,667 USD: a quarter of an engineer, transit and a rack for one RTX 4090."""
    answer = ask(server, **CARD, server_price=3000)
    assert answer["buy_total_cost"] < 3 * 3000
    assert all(lines(answer)[key]["amount"] == 0 for key in NOTHING_ON_A_DESK)
    assert lines(answer)["electricity_it"]["amount"] > 0
    assert "on_a_desk" in {warning["code"] for warning in answer["warnings"]}
    assert "on_a_desk" not in {warning["code"] for warning in ask(server, **CARD, housing="desk")["warnings"]}


def test_the_step_from_desks_to_a_room_is_told(server):
    """The fifth card costs many times what four do: a room and a quarter of an engineer come with it."""
    four, five = (ask(server, gpu="rtx-5090", gpu_count=n, utilization=0.5) for n in (4, 5))
    assert five["buy_total_cost"] > 5 * four["buy_total_cost"]
    told = {warning["code"]: warning["detail"] for warning in five["warnings"]}["step_to_a_room"]
    assert "more than 4 cards" in told and "0.25 of an engineer" in told and "housing=desk" in told
    silent = [four, ask(server, gpu="rtx-5090", gpu_count=5, utilization=0.5, housing="own_room"),
              ask(server, gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.5),
              ask(server, gpu="rtx-5090", gpu_count=24, utilization=0.5)]
    assert not [answer for answer in silent if "step_to_a_room" in {row["code"] for row in answer["warnings"]}]
    chosen = ask(server, gpu="rtx-5090", gpu_count=5, utilization=0.5, housing="desk")
    assert chosen["buy_total_cost"] < 2 * four["buy_total_cost"]


def test_owned_designs_tell_the_step_too(server):
    """Sizing, options and recommendation, where what they own or buy takes a room only for its number."""
    def step(path, **params):
        answer = ask(server, path, requests_per_minute=300, **params)
        return [row["detail"] for row in answer["warnings"] if row["code"] == "step_to_a_room"]

    many, owned = dict(model="qwen3-32b", gpu="rtx-5090"), dict(purchase_option="owned")
    for path, params in (("/v1/inference-sizing", owned), ("/v1/inference-sizing/options", owned),
                         ("/v1/recommendation", dict(workload="serve"))):
        told, = step(path, **many, **params)
        assert "more than 4 cards" in told and "0.25 of an engineer" in told and "housing=desk" in told, path
        assert not step(path, **dict(many, gpu="h100-sxm5-80gb"), **params), path
    assert "option " in told
    few = ask(server, "/v1/inference-sizing", model="llama-3.1-8b", gpu="rtx-5090", requests_per_minute=60, **owned)
    assert "on_a_desk" in {row["code"] for row in few["warnings"]}
    assert not step("/v1/inference-sizing", **many)
    assert not step("/v1/inference-sizing", **dict(many, model="llama-3.1-8b"), **owned)
    assert not step("/v1/inference-sizing", **many, **owned, price_per_gpu_hour=1)
    assert not step("/v1/recommendation", **many, workload="serve", housing="own_room")


def test_staff_and_lines_grow_with_the_servers(server):
    """2,048 H100 with the quarter of an engineer that one server has."""
    one, many = (ask(server, **MODULES, gpu_count=n, housing="colocation") for n in (8, 2048))
    assert lines(one)["staff"]["quantity"] == pytest.approx(0.25 * 36)
    assert lines(many)["staff"]["quantity"] == pytest.approx(256 * 0.032 * 36)
    for key in ("internet_transit", "remote_hands", "cross_connect"):
        assert lines(many)[key]["amount"] > 5 * lines(one)[key]["amount"], key
    assert lines(many)["rack_and_pdu"]["quantity"] == 64
    assert many["inputs"]["staff_fte"]["reference"] == "/v1/assumptions?key=staff_fte"
    rows = {row["scope"]: row for row in server.get("/v1/assumptions?key=staff_fte").json["rows"]}
    assert rows["per_node"]["default"] == 0.032 and "https://" in rows["per_node"]["source"]


def fabric(server, gpu_count, **params):
    answer = ask(server, **MODULES, gpu_count=gpu_count, **params)
    return answer["inputs"]["fabric_cost_ratio"]["value"], lines(answer)["network_fabric"]["amount"], answer["buy_total_cost"]


@pytest.mark.parametrize("housing", ["own_room", "colocation", "own_hall"])
def test_one_server_needs_no_fabric_between_servers(server, housing):
    """One server was charged the fabric of a cluster, 12 % of its price."""
    rows = {row["scope"]: row for row in server.get("/v1/assumptions?key=fabric_cost_ratio").json["rows"]}
    assert rows["one_server"]["default"] < rows[""]["default"] and "https://" in rows["one_server"]["source"]
    sizes = [fabric(server, n, housing=housing) for n in (8, 16, 24, 64)]
    assert [share for share, _, _ in sizes] == [rows["one_server"]["default"]] + 3 * [rows[""]["default"]]
    for column in 1, 2:
        assert sorted(sizes, key=lambda size: size[column]) == sizes, "a further server never makes it cheaper"
    assert fabric(server, 16, housing=housing, owned_gpu_count=8)[0] == rows[""]["default"], "it joins another"
    assert fabric(server, 8, housing=housing, fabric_cost_ratio=0.12)[0] == 0.12
    assert fabric(server, 8, housing="desk")[0] == 0


def test_the_band_of_one_server_is_its_own(server):
    row, = [row for row in server.get("/v1/assumptions?key=fabric_cost_ratio").json["rows"] if row["scope"] == "one_server"]
    asked = dict(**MODULES, gpu_count=8, housing="own_room")
    for path, table, name in (("sensitivity", "effects", "input"), ("risk", "drawn_inputs", "key")):
        found, = [line for line in ask(server, f"/v1/break-even/{path}", **asked)[table] if line[name] == "fabric_cost_ratio"]
        assert (found["low"], found["high"]) == (row["low"], row["high"]), path


def test_a_room_and_a_hall_are_fitted_out_and_not_rented(server):
    room, hall, rented = (ask(server, **MODULES, gpu_count=16, housing=h) for h in ("own_room", "own_hall", "colocation"))
    assert lines(room)["facility_fitout"]["amount"] == pytest.approx(7_500_000 * 2 * 10.2 / 1000)
    assert lines(hall)["facility_fitout"]["amount"] == pytest.approx(11_500_000 * 2 * 10.2 / 1000)
    assert lines(room)["colocation"]["amount"] == lines(hall)["colocation"]["amount"] == 0 < lines(rented)["colocation"]["amount"]


def test_gpus_owned_already_cost_their_upkeep(server):
    new = ask(server, **MODULES, gpu_count=16)
    own = ask(server, **MODULES, gpu_count=16, owned_gpu_count=16)
    for key in ("gpu_servers", "staff", "rack_and_pdu", "network_fabric", "facility_fitout", "spares", "residual_value"):
        assert lines(own)[key]["amount"] == 0 != lines(new)[key]["amount"], key
    for key in ("electricity_it", "maintenance", "insurance"):
        assert lines(own)[key]["amount"] == lines(new)[key]["amount"] > 0, key
    half = ask(server, **MODULES, gpu_count=16, owned_gpu_count=8)
    assert lines(half)["gpu_servers"]["quantity"] == 1 and lines(half)["rack_and_pdu"]["quantity"] == 1
    for wrong in (dict(owned_gpu_count=3), dict(owned_gpu_count=24), dict(owned_gpu_count=8, second_gpu_count=8)):
        reply = server.get("/v1/break-even", **MODULES, gpu_count=16, **wrong)
        assert reply.status == 400 and reply.json["errors"][0]["parameter"] == "owned_gpu_count"


def test_the_recommendation_houses_as_break_even_does(server):
    asked = dict(workload="serve", model="llama-2-7b", requests_per_minute=60, gpu="rtx-4090", weight_dtype="bf16")
    for setting in ({}, dict(housing="colocation"), dict(housing="own_room")):
        advice = ask(server, "/v1/recommendation", **asked, **setting, purchase_options="owned")
        row = next(row for row in advice["options"] if row["acquisition"] == "buy")
        link = ask(server, row["break_even"])
        assert link["buy_total_cost"] == pytest.approx(row["total_cost"], abs=0.01)
        ledger = ask(server, **asked, **setting)
        assert housing(ledger) == housing(link) == setting.get("housing", "desk")
        if ledger["gpu_count"] == row["gpu_count"]:
            assert ledger["buy_total_cost"] == pytest.approx(row["total_cost"], abs=0.02)


def test_hosting_is_the_former_name_of_housing(server):
    asked = dict(workload="serve", model="llama-2-7b", requests_per_minute=60, gpu="rtx-4090", purchase_options="owned")
    old, new = (ask(server, "/v1/recommendation", **asked, **{name: "desk"}) for name in ("hosting", "housing"))
    assert [row["total_cost"] for row in old["options"]] == [row["total_cost"] for row in new["options"]]
    assert "deprecated" in {warning["code"] for warning in old["warnings"]}
    assert "deprecated" not in {warning["code"] for warning in new["warnings"]}
    assert server.get("/v1/recommendation", **asked, hosting="desk", housing="desk").status == 400


def test_gpus_in_hand_need_no_new_staff(server):
    asked = dict(workload="serve", model="llama-2-7b", requests_per_minute=6000, gpu="h100-sxm5-80gb")
    row = next(row for row in ask(server, "/v1/recommendation", **asked, gpus_owned="h100-sxm5-80gb:64")["options"]
               if row["acquisition"] == "in_hand")
    link = ask(server, row["break_even"])
    assert lines(link)["staff"]["amount"] == 0 and lines(link)["maintenance"]["amount"] > 0
    assert link["buy_total_cost"] == pytest.approx(row["total_cost"], abs=0.01)


def test_gpus_in_hand_are_kept_not_bought(server):
    """And what they would sell for, which is not counted, is said."""
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7)
    kept = server.get("/v1/break-even", **asked, owned_gpu_count=8).json
    assert kept["sentence"].startswith("Keep 8 x h100-sxm5-80gb: over 36 months running the ones you own comes to ")
    (warning,) = [warning for warning in kept["warnings"] if warning["code"] == "sale_not_counted"]
    assert f"at most {kept['inputs']['server_price']['value']:,.0f} USD" in warning["detail"]
    bought = server.get("/v1/break-even", **asked | {"utilization": 0.95, "purchase_option": "on_demand"}).json
    assert bought["sentence"].startswith("Buy 8 x h100-sxm5-80gb: over 36 months owning comes to ")
    assert "sale_not_counted" not in {warning["code"] for warning in bought["warnings"]}


def test_a_room_that_is_charged_in_full_says_so(server):
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=64, utilization=0.7)
    hall = server.get("/v1/break-even", **asked, housing="own_hall").json
    (fitout,) = [line["amount"] for line in hall["line_items"] if line["key"] == "facility_fitout"]
    (warning,) = [warning for warning in hall["warnings"] if warning["code"] == "fitout_in_full"]
    assert f"{fitout:,.0f} USD" in warning["detail"]
    for other in (dict(housing="colocation"), dict(housing="own_hall", facility_fitout_cost=2e6)):
        codes = {warning["code"] for warning in server.get("/v1/break-even", **asked, **other).json["warnings"]}
        assert "fitout_in_full" not in codes


@pytest.mark.parametrize("gpu, gpus", (("rtx-4090", 1), ("rtx-4090", 4), ("h100-sxm5-80gb", 8), ("h100-sxm5-80gb", 32)))
def test_gpus_of_ones_own_stand_in_the_same_place_in_every_answer(server, gpu, gpus):
    """A 4090 on a desk was charged 9.66 USD/h in a plan: staff, rack and transit of a server room."""
    months = server.get("/v1/break-even", **CARD | dict(gpu=gpu)).json["inputs"]["useful_life_months"]["value"]
    served = server.get("/v1/inference-sizing", gpu=gpu, model="llama-3.1-8b", gpu_count=gpus, tensor_parallel=1,
                        purchase_option="owned", batch_size=4).json
    trained = server.get("/v1/training-plan", gpu=gpu, model="llama-3.1-8b", method="qlora", tokens=1e6, gpu_count=gpus,
                         purchase_option="owned", utilization=1).json
    for answer, used in (served, served["utilization"]), (trained, 1):
        bought = server.get("/v1/break-even", gpu=gpu, gpu_count=gpus, utilization=used, goodput=1,
                            horizon_months=months).json
        price = answer["inputs"]["price_per_gpu_hour"]["value"]
        assert abs(price / (bought["buy_cost_per_useful_gpu_hour"] * used) - 1) < 1e-3, (price, bought["sentence"])


@pytest.mark.parametrize("gpu, count", [("rtx-4090", 1), ("rtx-5090", 1), ("dgx-spark", 1), ("rtx-pro-6000-blackwell-ws", 8),
                                        ("l40s", 8), ("h100-sxm5-80gb", 8)])
def test_without_a_number_one_card_for_a_desk(server, gpu, count):
    answer = ask(server, gpu=gpu, utilization=0.3)
    assert answer["gpu_count"] == count == answer["inputs"]["gpu_count"]["value"]
    assert ask(server, gpu=gpu, utilization=0.3, gpu_count=8)["gpu_count"] == 8
    assert ask(server, gpu=gpu, utilization=0.3, gpus_per_node=8)["gpu_count"] == 8


def test_gpus_are_compared_in_the_same_number(server):
    rows = ask(server, "/v1/break-even/gpus", gpu="rtx-4090,h100-sxm5-80gb", utilization=0.3)["options"]
    assert [row["gpu_count"] for row in rows] == [8, 8]
    for row in rows:
        path, query = row["break_even"].split("?")
        assert server.get(row["break_even"]).json["gpu_count"] == 8, query


def test_a_rent_is_not_on_ones_own_premises(server):
    """A hospital that says where its servers stand is told how to leave rented ones out."""
    asked = dict(model="llama-3.3-70b", daily_users=800, requests_per_user_per_day=15)
    rented = ask(server, "/v1/recommendation", **asked, housing="own_room")
    assert rented["recommended_acquisition"] == "rent"
    told = {w["code"]: w["detail"] for w in rented["warnings"]}
    assert "purchase_options=owned" in told["rented_elsewhere"]
    assert "rented_elsewhere" not in {w["code"] for w in ask(server, "/v1/recommendation", **asked)["warnings"]}
    bought = ask(server, "/v1/recommendation", **asked, housing="own_room", purchase_options="owned", hosted=0)
    assert {row["acquisition"] for row in bought["options"]} == {"buy"}
    told = {w["code"]: w["detail"] for w in bought["warnings"]}
    assert "rented_elsewhere" not in told and "left out" in told["not_sold_new"]


@pytest.mark.parametrize("gpu, passive", [("l40s", True), ("mi210", True), ("rtx-4090", False), ("rtx-pro-6000-blackwell-ws", False)])
def test_a_card_without_fans_needs_a_case_that_cools_it(server, gpu, passive):
    bought = ask(server, gpu=gpu, gpu_count=1, utilization=0.5)
    assert ("no_fans" in {row["code"] for row in bought["warnings"]}) == passive
    service = server.get("/v1/recommendation", workload="serve", model="qwen3-8b", gpu=gpu, requests_per_minute=6,
                         purchase_options="owned").json
    assert service["options"][0]["housing"] == "desk"
    assert ("no_fans" in {row["code"] for row in service["warnings"]}) == passive
