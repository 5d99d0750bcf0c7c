"""What a buyer reads before signing: nothing twice, nothing that its own figures contradict, and errors that say what
to send instead."""
import random
import re

import pytest

from answers import warned


def ask(server, path, **values):
    return server.answer(path, **values).json


@pytest.mark.parametrize("path", ["/v1/break-even", "/v1/break-even/gpus", "/v1/break-even/risk", "/v1/break-even/sensitivity"])
@pytest.mark.parametrize("n", [256, 1024, 16384])
def test_the_negotiation_is_said_once(server, path, n):
    answer = ask(server, path, gpu="h100-sxm5-80gb", gpu_count=n, utilization=0.7, purchase_option="on_demand")
    said = [row["code"] for row in answer["warnings"] if "negotiated" in row["detail"]]
    assert said == ["large_rent"]
    assert len(warned(answer, "list_price")) == 1


def test_spot_prices_are_not_negotiated(server):
    answer = ask(server, "/v1/break-even", gpu="h100-sxm5-80gb", gpu_count=512, utilization=0.7, purchase_option="spot")
    assert answer["negotiated_rent_price_per_gpu_hour"] is None and not warned(answer, "large_rent")


def test_no_warning_is_said_twice(server):
    draw = random.Random(20261127)
    for _ in range(60):
        values = dict(gpu=draw.choice(["h100-sxm5-80gb", "b200-sxm", "rtx-4090", "a100-sxm4-80gb", "mi300x", "l40s"]),
                      gpu_count=draw.choice([1, 4, 8, 64, 256, 2048, 16384]), utilization=draw.choice([0, 0.3, 0.7, 1]),
                      purchase_option=draw.choice(["on_demand", "spot", "reserved_1yr", "reserved_3yr"]),
                      horizon_months=draw.choice([1, 12, 36, 60]))
        for given in ({}, {"currency": "EUR", "country": "DE"}, {"provider": "aws"}):
            answer = ask(server, "/v1/break-even", **values, **given)
            said = [row["detail"] for row in answer["warnings"]]
            assert len(said) == len(set(said)), (values, said)
            text = " ".join([*said, *(answer[key] or "" for key in answer if key.endswith("sentence"))])
            assert not re.search(r"(?<![\d.,])1 (months|days|providers|offers)\b|1 of 1\b", text), (values, text)


@pytest.mark.parametrize("gpu, option", [(gpu, option) for gpu in ("h100-sxm5-80gb", "h200-sxm5-141gb", "b200-sxm", "l40s", "a100-sxm4-80gb", "rtx-pro-6000-blackwell-server")
                                         for option in ("reserved_1yr", "reserved_3yr")])
def test_a_price_derived_for_some_states_what_the_others_publish(server, gpu, option):
    answer = ask(server, "/v1/break-even", gpu=gpu, gpu_count=8, utilization=0.7, purchase_option=option)
    own = sorted(offer["job_price_per_gpu_hour"] for offer in answer["offers_used"] if offer["offer_id"].endswith(option))
    derived = answer["price_derived_provider_count"]
    assert derived == len(answer["offers_used"]) - len(own)
    said = warned(answer, "derived_price")
    assert bool(said) == (derived > 0)
    if said and len(own) > 1:
        median = (own[(len(own) - 1) // 2] + own[len(own) // 2]) / 2
        assert said[0].endswith(f"; the {len(own)} published ones are {own[0]:.4g} to {own[-1]:.4g} USD/GPU-hour, with a median of {median:.4g}")
    elif said:
        assert said[0].endswith(f"; the published one is {own[0]:.4g} USD/GPU-hour" if own else "is used instead")


def test_one_provider_is_not_counted(server):
    answer = ask(server, "/v1/break-even", gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7, provider="coreweave",
                 purchase_option="reserved_3yr")
    assert "renting reserved for three years (priced from on demand) to" in answer["sentence"]


@pytest.mark.parametrize("rent", [1e3, 1e5, 1e9])
def test_a_return_beyond_all_rates_is_not_called_a_loss(server, rent):
    answer = ask(server, "/v1/break-even", gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7, rent_price_per_gpu_hour=rent)
    assert answer["npv"] > 0 and "never makes up" not in answer["returns_sentence"]
    if answer["irr"] is None:
        assert "Buying has no rate of return: it pays at any rate; " in answer["returns_sentence"]


def test_horizon_of_one_month(server):
    answer = ask(server, "/v1/break-even", gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7, horizon_months=1)
    assert "over 1 month owning" in answer["sentence"] and "after the 1 month compared" in answer["returns_sentence"]
    assert "in full to 1 month," in warned(answer, "fitout_in_full")[0]


@pytest.mark.parametrize("name, letters", [("Germany", "DE"), ("norway", "NO"), ("United States", "US"), ("INDIA", "IN"), ("Singapore", "SG")])
def test_a_country_by_its_name_is_answered_with_its_letters(server, name, letters):
    for path, values in (("/v1/break-even", {"gpu": "h100-sxm5-80gb", "gpu_count": 8, "utilization": 0.5}),
                         ("/v1/offers", {}), ("/v1/carbon", {}), ("/v1/electricity-prices", {})):
        reply = server.get(path, country=name, **values)
        assert reply.status == 400 and re.search(rf"\b{letters}\b", reply.json["errors"][0]["detail"]), (path, reply.text)
    for path in ("/v1/break-even", "/v1/offers"):
        answer = ask(server, path, region=name, gpu="h100-sxm5-80gb", **({"utilization": 0.5, "gpu_count": 8} if "even" in path else {}))
        said, = warned(answer, "no_price")
        assert said.startswith(f"no offer is in a region called {name}; did you mean {letters}: "), said


def test_a_country_without_a_figure_is_not_sent_for_its_letters(server):
    said = server.get("/v1/electricity-prices", country="NO").json["errors"][0]["detail"]
    assert "two-letter" not in said and "without country all are listed" in said
    assert "such as DE" in server.get("/v1/carbon", country="Texas").json["errors"][0]["detail"]


@pytest.mark.parametrize("objective", ["grpo", "ppo"])
def test_missing_lengths_come_with_values_that_are_answered(server, objective):
    values = dict(model="llama-3.1-8b", gpu="h100-sxm5-80gb", gpu_count=8, tokens=1e8, objective=objective, method="lora")
    reply = server.get("/v1/training-plan", **values)
    assert reply.status == 400
    given = {row["parameter"]: int(re.search(r"verl's GSM8K example (?:allows|has) (\d+)", row["detail"])[1])
             for row in reply.json["errors"]}
    assert set(given) == {"completion_tokens", "sequence_tokens", "global_batch_sequences"}
    assert ask(server, "/v1/training-plan", **values, **given)["step_seconds"] > 0
    said = server.get("/v1/training-plan", **values, **given | {"completion_tokens": 2000}).json["errors"][0]["detail"]
    assert said.startswith("must be below sequence_tokens")


def test_a_bare_percent_sign_is_explained(server):
    reply = server.get("/v1/break-even?gpu=h100-sxm5-80gb&gpu_count=8&utilization=60%")
    assert reply.status == 400 and "a percent sign is written %25, and 60 percent 0.6" in reply.text


def test_a_service_beyond_the_budget_has_no_deadline(server):
    answer = ask(server, "/v1/recommendation", workload="serve", model="llama-3.1-8b", requests_per_minute=10, budget=10)
    said = [row["sentence"] for row in answer["ruled_out"] if row["rule"] == "budget"]
    assert said and not [sentence for sentence in said if "deadline" in sentence]
    assert all(re.fullmatch(r"what is asked for costs at least [\d,.]+ USD; the budget is 10\.00 USD", sentence) for sentence in said)


def test_what_the_risk_discounts_is_said(server):
    answer = ask(server, "/v1/break-even/risk", gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7)
    assert answer["value_at_risk"] > 0
    assert "USD, discounted to today; the other figures are not discounted. " in answer["sentence"]


def test_the_volume_that_turns_against_the_api_is_of_gpus_sized_for_it(server):
    """With more GPUs than the load needs the API may be cheaper at a volume beyond it."""
    answer = ask(server, "/v1/break-even", gpu="h100-sxm5-80gb", gpu_count=512, workload="serve", model="llama-3.1-70b", requests_per_minute=10000)
    assert answer["cheapest_option"] == "hosted" and answer["hosted_until_tokens_per_month"] < answer["hosted_tokens_per_month"]
    assert "h100-sxm5-80gb sized for the load, bought or rented, costs no more from" in answer["hosted_sentence"]


@pytest.mark.parametrize("path, values", [
    ("/v1/recommendation", {"workload": "serve", "model": "llama-3.1-8b", "requests_per_minute": 10}),
    ("/v1/recommendation", {"budget": 100000}), ("/v1/training-plan/options", {"model": "llama-3.1-8b", "tokens": 1e9}),
    ("/v1/inference-sizing/options", {"model": "llama-3.1-8b", "requests_per_minute": 10}),
    ("/v1/training-plan", {"model": "llama-3.1-8b", "tokens": 1e9, "gpu": "h100-sxm5-80gb", "gpu_count": 8}),
    ("/v1/inference-sizing", {"model": "llama-3.1-8b", "requests_per_minute": 10, "gpu": "h100-sxm5-80gb"})])
def test_a_region_that_nobody_has_is_said_wherever_it_takes_away_the_rents(server, path, values):
    for region, meant in (("Norway", "; did you mean NO"), ("Texas", "")):
        said = warned(ask(server, path, region=region, **values), "no_price")
        assert [text.startswith(f"no offer is in a region called {region}{meant}: write") for text in said] == [True], said
    assert not [text for text in warned(ask(server, path, region="europe", **values), "no_price") if "called" in text]


def test_a_deadline_that_no_gpu_meets_is_said_in_days(server):
    answer = ask(server, "/v1/recommendation", workload="train", model="llama-3.1-8b", tokens=1e12, deadline_days=1)
    said = [row["sentence"] for row in answer["ruled_out"] if row["rule"] == "deadline"]
    assert said and all(re.search(r"^the jobs take at least [\d.,]+ days; the limit is 1 day$", text) or "jobs" not in text for text in said)


@pytest.mark.parametrize("gpu", ["h100-sxm5-80gb", "b200-sxm"])
def test_one_gpu_costs_what_the_machine_of_one_does(server, gpu):
    """Lambda's price falls with the size of the machine; the lowest of its page is not that of one GPU."""
    listed = {row["gpu_count"]: row["price_per_gpu_hour"] for row in
              ask(server, "/v1/offers", gpu=gpu, provider="lambda", purchase_option="on_demand", limit=100)["rows"]
              if row["instance"].startswith("gpu_") and row["observed_date"] >= "2026-09"}
    assert set(listed) == {1, 2, 4, 8} and listed[1] > listed[8]
    for n, price in listed.items():
        answer = ask(server, "/v1/training-plan", model="llama-3.2-1b", tokens=1e9, gpu=gpu, gpu_count=n, provider="lambda")
        assert answer["price_per_gpu_hour"] == price


@pytest.mark.parametrize("gpu", ["h100-sxm5-80gb", "h200-sxm5-141gb", "b200-sxm", "a100-sxm4-80gb", "l40s"])
@pytest.mark.parametrize("n, utilization", [(8, 0.3), (8, 0.7), (8, 0.9), (16, 0.5), (64, 1)])
def test_a_verdict_on_derived_rents_says_so_in_its_first_words(server, gpu, n, utilization):
    values = dict(gpu=gpu, gpu_count=n, utilization=utilization)
    answer = ask(server, "/v1/break-even", **values)
    option = answer["inputs"]["purchase_option"]["value"]
    asked = sorted(offer["price_per_gpu_hour"] * offer["rented_gpu_count"] / n for offer in answer["offers_used"]
                   if offer["offer_id"].endswith(option))
    rests = False
    if answer["price_derived_provider_count"]:
        totals = [row["rent_total_cost"] for row in answer["rent_options"]
                  if row["purchase_option"] != option and not row["price_derived_provider_count"]]
        if asked:
            median = (asked[(len(asked) - 1) // 2] + asked[len(asked) // 2]) / 2
            at = ask(server, "/v1/break-even", **values, purchase_option=option, rent_price_per_gpu_hour=median)
            totals.append(at["rent_total_cost"])
        rests = bool(totals) and (min(totals) >= answer["buy_total_cost"]) != (answer["verdict"] == "buy")
    assert (", if the derived rents hold: over" in answer["sentence"]) == rests
    said = warned(answer, "derived_price_turns_verdict")
    assert bool(said) == rests and (not rests or answer["warnings"][0]["code"] == "derived_price_turns_verdict")
    if rests and asked:
        other = "owning" if answer["verdict"] == "rent" else "renting"
        assert f" alone, {median:.4g} USD/GPU-hour" in answer["sentence"] and f", {other} costs less. The verdict" in answer["sentence"]
        assert [row["detail"] for row in ask(server, "/v1/break-even/risk", **values)["warnings"]][0] == said[0]


def test_some_verdicts_rest_on_derived_rents(server):
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=8)
    said, = warned(ask(server, "/v1/break-even", **asked, utilization=0.9), "derived_price_turns_verdict")
    assert "At the lowest of them, 2.49, renting does." in said
    assert not warned(ask(server, "/v1/break-even", **asked, utilization=0.7), "derived_price_turns_verdict")  # on demand it stays
    assert not warned(ask(server, "/v1/break-even", **asked, utilization=0.9, rent_price_per_gpu_hour=2), "derived_price_turns_verdict")


@pytest.mark.parametrize("values, name", [(dict(gpu="b200-sxm", purchase_option="on_demand"), "Nebius"),
                                          (dict(gpu="h200-sxm5-141gb", purchase_option="reserved_3yr"), "Google Cloud,")])
def test_what_is_added_to_a_list_is_not_called_its_price(server, values, name):
    answer = ask(server, "/v1/break-even", gpu_count=64, utilization=0.6, **values)
    said, = warned(answer, "list_price")
    assert f"with 20% added to the list of {name}" in said and "of the list prices" not in said
    listed = [offer["price_per_gpu_hour"] for offer in answer["offers_used"] if offer["offer_id"].endswith(values["purchase_option"])]
    for text in warned(answer, "derived_price"):
        assert f" {min(listed):.4g} to {max(listed):.4g} USD/GPU-hour," in text


@pytest.mark.parametrize("name, letters", [("UK", "GB"), ("uk", "GB"), ("USA", "US"), ("Holland", "NL"), ("UAE", "AE"), ("Turkey", "TR")])
def test_a_country_as_people_say_it_is_answered_with_its_letters(server, name, letters):
    for path, values in (("/v1/break-even", {"gpu": "h100-sxm5-80gb", "gpu_count": 8, "utilization": 0.5}),
                         ("/v1/recommendation", {"budget": 1e6}), ("/v1/carbon", {})):
        reply = server.get(path, country=name, **values)
        assert reply.status == 400 and f"did you mean {letters}" in reply.json["errors"][0]["detail"], (path, reply.text)


@pytest.mark.parametrize("sign, code", [("€", "EUR"), ("$", "USD"), ("£", "GBP"), ("RMB", "CNY"), ("euro", "EUR"), ("yen", "JPY")])
def test_a_currency_by_its_sign_is_answered_with_its_code(server, sign, code):
    reply = server.get("/v1/break-even", gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.5, currency=sign)
    assert reply.status in (400, 422) and f"did you mean {code}?" in reply.text
    assert "did you mean" not in server.get("/v1/gpus", currency="XXX").text


@pytest.mark.parametrize("typed, name", [
    ("vat", "vat_ratio"), ("gst", "vat_ratio"), ("duty", "import_duty_ratio"), ("hours_per_day", "active_hours_per_day"),
    ("salvage_value", "residual_value"), ("tax_ratio", "tax_rate"), ("corporate_tax_rate", "tax_rate"),
    ("phases", "second_gpu_count"), ("refresh_months", "useful_life_months"), ("servers", "gpu_count"), ("quantity", "gpu_count"), ("warranty", "maintenance_ratio"),
    ("support_contract", "maintenance_ratio"), ("capex", "server_price"), ("hurdle_rate", "cost_of_capital"),
    ("delivery_time", "lead_time_months"), ("loan_rate", "financing_interest_ratio"), ("colo", "housing")])
def test_words_of_finance_lead_to_our_names(server, typed, name):
    reply = server.get("/v1/break-even", gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.5, **{typed: 0.1})
    assert [row["detail"] for row in reply.json["errors"]] == [f"unknown parameter; did you mean {name}?"]


@pytest.mark.parametrize("values", [dict(budget=2e6), dict(budget=3e5, gpu="h200-sxm5-141gb"), dict(budget_per_month=2e4), dict(budget=5e4),
                                    dict(budget=3e7, gpu="b200-sxm", currency="EUR")])
def test_a_budget_alone_says_what_to_know_before_it_is_spent(server, values):
    answer = ask(server, "/v1/recommendation", **values)
    rows, budget = answer["affordable"], values.get("budget", values.get("budget_per_month", 0) * 36)
    best = next(row for row in rows if row["confirmed"])
    assert (best["gpu"], best["gpu_count"]) == (answer["recommended_gpu"], answer["recommended_gpu_count"])
    assert best["payments"] == answer["recommended_payments"]
    same = [row["payments"] for row in rows if row["confirmed"] and row["trainable_parameters"] == best["trainable_parameters"]]
    assert best["payments"] == min(same)
    assert bool(warned(answer, "limit_at_risk")) == (answer["recommended_payments_high"] > budget)
    for text in warned(answer, "limit_at_risk"):
        assert f"you pay {answer['recommended_payments_high']:,.0f} " in text and answer["warnings"][0]["detail"] == text
    assert bool(warned(answer, "unconfirmed_option")) == (rows[0] is not best)
    for text in warned(answer, "unconfirmed_option"):
        assert f"{rows[0]['gpu_count']} x {rows[0]['gpu']} " in text
    bought = warned(answer, "purchase_list_price")
    assert bool(bought) == (best["acquisition"] == "buy") and all(f"/v1/hardware?gpu={best['gpu']})" in text for text in bought)
    assert bool(warned(answer, "on_a_desk")) == (best["housing"] == "desk")


@pytest.mark.parametrize("values", [{}, dict(workload="serve", model="llama-3.3-70b", requests_per_minute=300, input_tokens=2000,
                                             output_tokens=500, latency_p95_seconds=30)])
def test_what_a_monthly_budget_pays_at_the_start_is_said(server, values):
    answer = ask(server, "/v1/recommendation", budget_per_month=25000, **values)
    said, = warned(answer, "paid_at_start")
    gpus, months = answer["recommended_gpu_count"], 36
    bill = ask(server, "/v1/break-even", gpu=answer["recommended_gpu"], gpu_count=gpus, utilization=1, horizon_months=months)
    assert answer["recommended_acquisition"] == "buy" and bill["buy_initial_cost"] > 25000
    assert said.startswith(f"{bill['buy_initial_cost']:,.0f} USD of that is paid at the start, {bill['buy_initial_cost'] / 25000:.3g} times")
    assert not warned(ask(server, "/v1/recommendation", budget=25000 * months, **values), "paid_at_start")


def test_a_deadline_that_nobody_gave_is_called_the_usual_one(server):
    asked = dict(workload="train", model="llama-3.1-405b", tokens=1e14, budget=2e6)
    answer = ask(server, "/v1/recommendation", **asked)
    assert "which misses the budget and the usual deadline of 120 days: Train" in answer["recommended_sentence"]
    said = [row["sentence"] for row in answer["ruled_out"] if row["sentence"].startswith("the jobs take")]
    assert said and all(re.fullmatch(r"the jobs take at least (\d{1,3}(\.\d+)?|\d{1,3},\d{3}) days on up to 16,384 GPUs \(gpu_count_max\); the (usual limit \(deadline_days\) is 120|limit is 1,095) days", text)
                        for text in said), said
    assert "misses the budget and the deadline: Train" in ask(server, "/v1/recommendation", **asked, deadline_days=30)["recommended_sentence"]


def test_percent_signs_stand_without_a_space(server):
    """In every sentence, warning and note; units of their own are words."""
    texts = [server.get(path, **values).text for path, values in (
        ("/v1/break-even", dict(gpu="h100-sxm5-80gb", gpu_count=2048, utilization=0.7, explain=1)), ("/v1/assumptions", {}), ("/v1/offers", dict(gpu="h100-sxm5-80gb")),
        ("/v1/inference-sizing", dict(model="llama-3.1-8b", gpu="h100-sxm5-80gb", requests_per_minute=900, explain=1)), ("/v1/gpus", {}),
        ("/v1/training-plan", dict(model="llama-3.1-8b", gpu="h100-sxm5-80gb", gpu_count=8, tokens=1e9, explain=1)))]
    assert not [found for text in texts for found in re.findall(r".{30}\d %[^0-9a-zA-Z(].{10}", text)]


@pytest.mark.parametrize("country, gpu, performance", [("CN", "h100-sxm5-80gb", "15,83"), ("cn", "a100-sxm4-80gb", "4,992"), ("RU", "mi300x", "20,91"), ("HK", "rtx-4090", "5,28"),
                                                       ("CN", "h20", None), ("CN", "l4", None), ("DE", "h100-sxm5-80gb", None), (None, "h100-sxm5-80gb", None)])
def test_a_licence_that_an_export_takes_is_said(server, country, gpu, performance):
    """By the rule's threshold of 4,800 and the countries of its group that were read; rents are not exports."""
    values = dict(gpu=gpu, gpu_count=8, utilization=0.5, **({"country": country} if country else {}))
    said = warned(ask(server, "/v1/break-even", **values), "export_licence")
    assert bool(said) == (performance is not None)
    for text in said:
        assert f"to take the {gpu} to {country} needs a licence" in text and f"performance, {performance}" in text and "4,800 of ECCN 3A090.a" in text
    for row in ask(server, "/v1/assumptions", key="export_licence_country", limit=100)["rows"]:
        assert row["source"] and row["default"] == 1
    assert not warned(ask(server, "/v1/break-even", **values, owned_gpu_count=8), "export_licence")


@pytest.mark.parametrize("country, gpu, doubtful", [("AE", "h100-sxm5-80gb", True), ("VN", "b200-sxm", True), ("KZ", "h200-sxm5-141gb", True), ("AE", "l4", False),
                                                    ("CN", "h100-sxm5-80gb", False), ("DE", "b200-sxm", False), ("IN", "mi300x", False), ("US", "h100-sxm5-80gb", False)])
def test_a_country_that_no_list_read_names_is_not_passed_over(server, country, gpu, doubtful):
    answer = ask(server, "/v1/break-even", gpu=gpu, gpu_count=8, utilization=0.5, country=country)
    said = warned(answer, "export_licence_unknown")
    assert bool(said) == doubtful and not (said and warned(answer, "export_licence"))
    assert all(f"whether taking the {gpu} to {country} needs a licence" in text for text in said)


def test_a_recommended_purchase_for_a_controlled_country_says_so(server):
    asked = dict(budget=2e6, gpu="b200-sxm")
    for country, licensed in (("CN", True), ("US", False)):
        answer = ask(server, "/v1/recommendation", **asked, country=country)
        assert answer["recommended_acquisition"] == "buy" and bool(warned(answer, "export_licence")) == licensed


@pytest.mark.parametrize("option, months, change", [("reserved_3yr", 36, 0), ("reserved_3yr", 48, -0.04), ("reserved_1yr", 12, 0), ("on_demand", 36, -0.04)])
def test_a_committed_price_does_not_change_within_its_term(server, option, months, change):
    answer = ask(server, "/v1/break-even", gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7, purchase_option=option, horizon_months=months)
    line, = [line for line in answer["line_items"] if line["key"] == "gpu_rental"]
    assert line["yearly_change"] == change
    assert (abs(line["quantity"] * line["unit_price"] - line["amount"]) < 1) == (change == 0)


@pytest.mark.parametrize("path, word, ours", [
    ("/v1/inference-sizing?model=llama-3.1-8b&gpu=b200-sxm&weight_dtype=", "nvfp4", "fp4"),
    ("/v1/inference-sizing/options?model=llama-3.1-8b&weight_dtype=fp8,", "MXFP4", "fp4"),
    ("/v1/inference-sizing?model=llama-3.1-8b&gpu=l4&weight_dtype=", "AWQ", "int4"),
    ("/v1/inference-sizing?model=llama-3.1-8b&gpu=l4&engine=", "llama.cpp", "llama_cpp"),
    ("/v1/inference-sizing?model=llama-3.1-8b&gpu=l4&engine=", "TRT-LLM", "tensorrt_llm"),
    ("/v1/inference-sizing?model=llama-3.1-8b&gpu=mi300x&engine=", "ATOM", "vllm"),
    ("/v1/inference-sizing?model=llama-3.1-8b&gpu=gaudi2&engine=", "optimum-habana", "compiled"),
    ("/v1/training-plan?model=llama-3.1-8b&tokens=1e9&gpu=b200-sxm&precision=", "mxfp8", "fp8"),
    ("/v1/training-plan?model=llama-3.1-8b&tokens=1e9&gpu=b200-sxm&stack=", "NeMo", "megatron"),
    ("/v1/training-plan?model=llama-3.1-8b&tokens=1e9&gpu=b200-sxm&method=", "SFT", "full"),
    ("/v1/offers?purchase_option=", "on-demand", "on_demand"),
    ("/v1/offers?purchase_option=", "reserved", "reserved_1yr")])
def test_choices_by_what_others_call_them(server, path, word, ours):
    reply = server.get(path + word)
    assert reply.status == 400
    assert f"did you mean {ours}?" in reply.json["errors"][0]["detail"], reply.text


EIGHT = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7, purchase_option="on_demand")


def test_a_loan_left_to_pay_at_the_end_is_said(server):
    """Instalments below the rents saved are not "nothing to pay back" if the loan itself falls due at the end."""
    answer = ask(server, "/v1/break-even", financing="loan", **EIGHT | dict(rent_price_per_gpu_hour=2.4))
    assert answer["verdict"] == "rent" and answer["payback_status"] == "buying_takes_no_money_first"
    more = answer["buy_undiscounted_cost"] - answer["rent_undiscounted_cost"]
    assert more > 0 and "never costs more" not in answer["returns_sentence"]
    assert f"at the end of month 36: in all it takes {more:,.0f} USD more than it saves" in answer["returns_sentence"]
    dear = ask(server, "/v1/break-even", financing="loan", **EIGHT | dict(rent_price_per_gpu_hour=9))
    assert "owning never costs more than the rents saved" in dear["returns_sentence"]


def test_a_verdict_that_rests_on_servers_beyond_their_life_says_so_first(server):
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7, server_price=300000, rent_price_per_gpu_hour=3.65,
                 horizon_months=72, fabric_cost_ratio=0.12)
    answer = ask(server, "/v1/break-even", **asked)
    assert answer["verdict"] == "buy" and answer["break_even_status"] == "not_within_60_months"
    assert answer["sentence"].startswith("Buy 8 x h100-sxm5-80gb, if the servers run 12 months beyond their life: ")
    assert answer["warnings"][0]["code"] == "beyond_useful_life"
    assert "does not break even within that life" in answer["warnings"][0]["detail"]
    sure = ask(server, "/v1/break-even", **asked | dict(rent_price_per_gpu_hour=6))
    assert sure["break_even_months"] < 60 and ", if the servers" not in sure["sentence"]
    assert f"buying breaks even in month {sure['break_even_months']:.1f}, within it" in warned(sure, "beyond_useful_life")[0]
    assert not warned(ask(server, "/v1/break-even", **asked | dict(horizon_months=60)), "beyond_useful_life")


def test_all_ways_to_rent_are_listed_where_no_purchase_price_is_known(server):
    answer = ask(server, "/v1/break-even", gpu="mi325x", gpu_count=8, utilization=0.8)
    assert answer["verdict"] is None and answer["buy_total_cost"] is None
    rows = {row["purchase_option"]: row for row in answer["rent_options"]}
    assert set(rows) == {"on_demand", "reserved_1yr", "reserved_3yr"}
    assert min(row["rent_total_cost"] for row in rows.values()) == answer["rent_total_cost"]
    assert all(row["buy_saving"] is None for row in rows.values())
    unknown = ask(server, "/v1/break-even", gpu="h20", gpu_count=8, utilization=0.5)
    assert unknown["rent_total_cost"] is None and not unknown["rent_options"]


def test_a_first_option_at_a_price_of_years_ago_is_said_first(server):
    """The cheapest spot price of a GPU may be two years old: nobody should sign by it unwarned."""
    for path, asked in (("/v1/training-plan/options", dict(model="llama-3.1-8b", tokens=1e11)),
                        ("/v1/inference-sizing/options", dict(model="llama-3.1-8b", requests_per_minute=60, time_to_first_token_seconds_max=2))):
        old = ask(server, path, purchase_option="spot", gpu="trainium1", **asked)
        assert old["options"][0]["price_newest_date"] == "2024-11-03"
        assert old["warnings"][0]["code"] == "unconfirmed_option" and "2024-11-03" in old["warnings"][0]["detail"]
        new = ask(server, path, purchase_option="spot", gpu="h100-sxm5-80gb", **asked)
        assert new["options"][0]["price_newest_date"] > "2026" and new["options"][0]["confirmed"]


def test_a_rent_of_years_ago_is_not_confirmed(server):
    """With a provider named, the age of its price is the only doubt."""
    asked = dict(workload="train", model="llama-3.1-8b", tokens=1e11, purchase_options="spot", gpu="trainium1", hosted=0)
    for named in ({}, {"provider": "aws"}):
        answer = ask(server, "/v1/recommendation", **asked, **named)
        row = answer["options"][0]
        assert row["gpu"] == "trainium1" and row["confirmed"] is False, row
        assert "last seen over a year ago, on 2024-11-03" in warned(answer, "unconfirmed_option")[0]
    new = ask(server, "/v1/recommendation", **asked | dict(gpu="h100-sxm5-80gb"))
    assert not any("over a year ago" in detail for detail in warned(new, "unconfirmed_option"))


def test_a_second_purchase_leaves_the_cost_of_owning_an_interval(server):
    """The GPUs rented until it arrives cost least at the lowest rent, which is not where buying saves most."""
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=64, utilization=0.7, horizon_months=36, purchase_option="on_demand")
    answer = ask(server, "/v1/break-even", **asked, second_gpu_count=56, second_purchase_month=24)
    assert answer["buy_total_cost_low"] < answer["buy_total_cost"] < answer["buy_total_cost_high"]
    rents = [offer["job_price_per_gpu_hour"] for offer in answer["offers_used"]]
    cheap = ask(server, "/v1/break-even", **asked, second_gpu_count=56, second_purchase_month=24, rent_price_per_gpu_hour=min(rents))
    assert answer["buy_total_cost_low"] < cheap["buy_total_cost"]
    assert cheap["buy_total_cost_low"] == pytest.approx(answer["buy_total_cost_low"], abs=0.05)


def test_several_gpus_share_a_warning(server):
    gpus = ["h100-sxm5-80gb", "h200-sxm5-141gb", "b200-sxm", "mi300x"]
    answer = ask(server, "/v1/break-even/gpus", gpu=",".join(gpus), gpu_count=8, utilization=0.8, horizon_months=36)
    codes = [row["code"] for row in answer["warnings"]]
    assert len(codes) == len(set(codes)), codes
    said, = warned(answer, "fitout_in_full")
    assert answer["best_gpu"] == "mi300x" and said.startswith("mi300x: fitting out the room (81,964 USD)")
    assert said.endswith("; the same holds for h100-sxm5-80gb, h200-sxm5-141gb, b200-sxm, each with the figures in its break_even")
    alone = ask(server, "/v1/break-even/gpus", gpu="h100-sxm5-80gb,l4", gpu_count=8, utilization=0.8, horizon_months=36)
    assert "the same holds" not in warned(alone, "undated_price")[0]


@pytest.mark.parametrize("asked, named", [
    (dict(workload="finetune", model="llama-3.1-70b", method="lora", tokens=1e8, budget=5000), ["fine-tuning"]),
    (dict(workload="train,serve", model="llama-2-13b", tokens=3e11, requests_per_minute=300, gpu="mi300x", hosted=0), ["training", "service"]),
    (dict(workload="serve", model="llama-3.3-70b", requests_per_minute=60, gpu="h100-sxm5-80gb", hosted=0), ["service"])])
def test_a_recommendation_rests_on_as_much_as_its_plans(server, asked, named):
    """Where the plan of the recommended option says that nothing like it was measured, so does the recommendation."""
    answer = ask(server, "/v1/recommendation", **asked)
    row = next(row for row in answer["options"] if row["rank"] == answer["recommended_rank"])
    said = warned(answer, "no_near_measurement")
    for name, workload in (("training", "train"), ("fine-tuning", "finetune"), ("service", "serve")):
        link = row.get(f"{workload}_plan")
        far = link and [detail.split(": ")[1].split(";")[0] for detail in warned(server.get(link).json, "no_near_measurement")]
        mine = [detail for detail in said if f"the recommended {name}: " in detail]
        assert bool(mine) == bool(far), (name, mine, far)
        assert not far or mine[0].startswith(f"no published run is similar to the recommended {name}: {far[0]};")
        assert not far or name in named


def test_several_lists_without_a_large_cluster_are_one_list_of_names(server):
    answer = ask(server, "/v1/break-even", gpu="h100-sxm5-80gb", gpu_count=16384, utilization=0.7, purchase_option="on_demand")
    assert re.search(r"added to the lists of [A-Z][^;:]*, [^;:]* and [^;:]*, as no cluster", warned(answer, "list_price")[0])
    one = ask(server, "/v1/break-even", gpu="h100-sxm5-80gb", gpu_count=16, utilization=0.7, purchase_option="on_demand")
    assert "added to the list of Crusoe Cloud, as" in warned(one, "list_price")[0]


@pytest.mark.parametrize("financing, verb", [("cash", "buying"), ("loan", "buying"), ("operating_lease", "leasing"), ("finance_lease", "leasing")])
def test_what_is_leased_is_not_bought_at_either_end(server, financing, verb):
    answer = ask(server, "/v1/break-even", financing=financing, **EIGHT)
    assert re.match(rf"At [^,]*, {verb} ", answer["interval_sentence"])


def test_prompts_are_not_read_apart_on_a_cluster_that_nobody_rents_out(server):
    """Fewer GPUs without a price do not help someone who rents if a few more have one."""
    asked = dict(model="mistral-7b", gpu="rtx-pro-6000-blackwell-server", requests_per_minute=3000, input_tokens=1000, output_tokens=1000,
                 latency_p95_seconds=20)
    apart = ask(server, "/v1/inference-sizing", **asked, separate_prefill=1)
    assert apart["cost_per_hour"] is None
    answer = ask(server, "/v1/inference-sizing", **asked)
    assert answer["prefill_replica_count"] == 0 and answer["cost_per_hour"] > 0 and answer["gpu_count"] > apart["gpu_count"]


@pytest.mark.parametrize("asked", [dict(workload="serve", model="llama-3.3-70b", daily_users=20000, requests_per_user_per_day=12),
                                   dict(workload="train", model="llama-2-13b", tokens=3e11, budget=2e6, deadline_days=60)])
def test_reasons_give_money_to_the_cent(server, asked):
    answer = ask(server, "/v1/recommendation", **asked)
    rows = {row["rank"]: row for row in answer["options"]}
    money = [reason for reason in answer["reasons"] if reason["unit"] == "USD" and reason["code"] in ("other_option", "budget", "buy_or_rent")]
    assert money
    for reason in money:
        row = rows[reason["option"]]
        if reason["code"] == "buy_or_rent" and row["acquisition"] != "buy":
            continue
        assert reason["value"] == row["payments" if reason["code"] == "budget" else "total_cost"], reason
    assert all(len(f"{reason['value']:.15g}".replace(".", "").lstrip("0")) <= 6 for reason in answer["reasons"] if reason["unit"] != "USD" and reason["value"] is not None)


@pytest.mark.parametrize("path, asked, code, said", [
    ("/v1/break-even", dict(EIGHT, server_price=1), "unusual_input", "of the usual 300,000 USD:"),
    ("/v1/training-plan", dict(model="deepseek-v3", gpu="rtx-4090", gpu_count=1, tokens=1e12), "does_not_fit", "each GPU is 10,005 GiB short;"),
    ("/v1/inference-sizing", dict(model="llama-3.3-70b", gpu="h100-sxm5-80gb", requests_per_minute=1e6, peak_load_ratio_max=1), "kv_cache_peak", "requests of 1,280 tokens on average"),
    ("/v1/training-plan", dict(model="llama-3.1-70b", gpu="h100-sxm5-80gb", gpu_count=16384, tokens=1e12), "optimistic_goodput", "16,384 GPUs at published")])
def test_figures_in_sentences_are_written_out_and_grouped(server, path, asked, code, said):
    text, = warned(ask(server, path, **asked), code)
    assert said in text


@pytest.mark.parametrize("path, asked, code", [
    ("/v1/recommendation", dict(workload="serve", model="kimi-k2", requests_per_minute=600, budget=10000), "no_option"),
    ("/v1/inference-sizing", dict(model="llama-3.3-70b", gpu="mi300x", gpu_count=4, concurrent_requests=4, engine="tensorrt_llm"), "engine_support")])
def test_what_cannot_be_had_is_said_first(server, path, asked, code):
    assert ask(server, path, **asked)["warnings"][0]["code"] == code


def test_a_chip_whose_training_software_ended_is_trained_on_only_by_name(server):
    """Fine-tuning of DeepSeek-R1 was recommended on 384 Trainium1, whose software never ran such a model."""
    asked = dict(model="deepseek-r1", tokens=1e8, method="full")
    answer = ask(server, "/v1/training-plan/options", **asked)
    assert {row["gpu"]: row["reason"] for row in answer["ruled_out"]}["trainium1"] == "software"
    answer = ask(server, "/v1/recommendation", workload="finetune", **asked)
    assert {row["gpu"]: row["rule"] for row in answer["ruled_out"]}["trainium1"] == "software"
    named = ask(server, "/v1/training-plan/options", model="llama-3.1-8b", tokens=1e9, gpu="trainium1")
    assert named["options"] and not named["ruled_out"]
