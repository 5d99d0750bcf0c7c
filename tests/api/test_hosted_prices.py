"""/v1/hosted-prices, and the hosted API by them as a way to pay for a service."""
import csv
import io
import json
import os
import pathlib
import random
import statistics
import subprocess

import pytest

from conftest import BINARY, ROOT, Own, wait_for

SAMPLES = pathlib.Path(os.environ.get("GPUPLAN_FEEDS", "/nonexistent")) / "2026"
SERVE = dict(workload="serve", gpu="h100-sxm5-80gb", model="llama-3.3-70b", daily_users=1000,
             requests_per_user_per_day=50, input_tokens=1000, output_tokens=250, purchase_option="on_demand")


def ask(server, path="/v1/break-even", **params):
    return server.answer(path, **params).json


def prices(server, **params):
    return ask(server, "/v1/hosted-prices", limit=1000, **params)["rows"]


def refused(server, path, **params):
    reply = server.get(path, **params)
    assert reply.status in (400, 422), reply.text
    return {error["parameter"]: error["detail"] for error in reply.json["errors"]}


# --- the list

def test_the_seed_is_listed_with_source_and_days(server):
    with open(ROOT / "sql/seed/hosted_price.csv", encoding="utf-8") as file:
        seed = {(row["feed"], row["model"]): row for row in csv.DictReader(file)}
    rows = prices(server)
    assert len(rows) > 350
    for row in rows:
        line = seed[row["feed"], row["listed_model"]]
        assert row["source_url"] == line["source"] and row["price_currency"] == line["currency"]
        assert row["first_observed_date"] == row["last_observed_date"] == line["observed"]
        assert row["valid_until_date"] is None and (row["model"] is None or row["evidence"])
    assert len({row["model"] for row in rows}) > 75


@pytest.mark.parametrize("model, providers", [
    ("gpt-oss-120b", 10), ("gpt-oss-20b", 8), ("llama-3.3-70b-instruct", 10), ("llama-3.1-8b", 10),
    ("deepseek-v3", 5), ("deepseek-r1", 6), ("qwen3-32b", 7), ("kimi-k2.6", 3), ("glm-5.1", 3)])
def test_the_models_people_ask_for_have_several_providers(server, model, providers):
    rows = prices(server, model=model)
    assert {row["model"] for row in rows} == {model}
    assert len({row["provider"] for row in rows}) >= providers


def test_filters(server):
    assert {row["provider"] for row in prices(server, provider="groq,together")} == {"groq", "together"}
    claude = prices(server, q="Claude")
    assert claude and {row["provider"] for row in claude} == {"anthropic"} and not claude[0]["model"]
    assert all(row["context_tokens"] >= 1e6 for row in prices(server, min_context_tokens=1_000_000))
    assert prices(server, model="llama-3.3-70b") == prices(server, model="llama-3.3-70b-instruct")
    assert prices(server, as_of="2026-07-23") == []
    assert "groq" in refused(server, "/v1/hosted-prices", provider="groqq")["provider"]
    assert "gpt-oss-120b" in refused(server, "/v1/hosted-prices", model="gpt-oss-120")["model"]


def test_every_format_and_pages(server):
    rows = prices(server, model="gpt-oss-120b")
    sheet = list(csv.DictReader(io.StringIO(server.get("/v1/hosted-prices.csv", model="gpt-oss-120b").text)))
    assert [row["provider"] for row in sheet] == [row["provider"] for row in rows]
    assert [float(row["output_price_per_million_tokens"]) for row in sheet] == \
        [row["output_price_per_million_tokens"] for row in rows]
    for form in ("tsv", "xml", "html"):
        assert "cerebras" in server.get(f"/v1/hosted-prices.{form}", model="gpt-oss-120b").text
    first = ask(server, "/v1/hosted-prices", limit=3)
    second = ask(server, first["links"]["next"])
    assert first["rows"] + second["rows"] == prices(server)[:6]
    by_price = ask(server, "/v1/hosted-prices", sort="-output_price_per_million_tokens", limit=5)["rows"]
    assert by_price[0]["output_price_per_million_tokens"] == max(
        row["output_price_per_million_tokens"] or 0 for row in prices(server))


def test_in_another_currency(server):
    dollars, euros = prices(server, model="qwen3-32b"), prices(server, model="qwen3-32b", currency="EUR")
    rate = ask(server, "/v1/hosted-prices", currency="EUR", limit=1)["currency_per_usd"]
    for one, other in zip(dollars, euros):
        assert other["input_price_per_million_tokens"] == pytest.approx(
            rate * one["input_price_per_million_tokens"], abs=1e-6)


# --- the median over providers

def median_of(rows, prompt, output, cached=0.0):
    """Each provider's cheapest for the mix, and of them the middle."""
    def blended(row):
        input_price, cache = row["input_price_per_million_tokens"], row["cached_input_price_per_million_tokens"]
        return (prompt * (1 - cached) * input_price + prompt * cached * (input_price if cache is None else cache)
                + output * row["output_price_per_million_tokens"]) / (prompt + output)
    cheapest = {}
    for row in rows:
        newest = max(other["last_observed_date"] for other in rows if other["provider"] == row["provider"])
        if row["last_observed_date"] == newest and (row["context_tokens"] or 1e9) >= prompt + output:
            cheapest[row["provider"]] = min(cheapest.get(row["provider"], 1e9), blended(row))
    return statistics.median(cheapest.values()), min(cheapest.values()), max(cheapest.values()), len(cheapest)


@pytest.mark.parametrize("extra, cached", [({}, 0), (dict(cached_input_ratio=0.6), 0.6),
                                           (dict(prefix_cache_ratio=0.3), 0.3),
                                           (dict(input_tokens=60000, output_tokens=6000), 0)])
@pytest.mark.parametrize("model", ["gpt-oss-120b", "llama-3.3-70b", "qwen3-32b"])
def test_a_service_is_billed_by_the_median(server, model, extra, cached):
    question = SERVE | dict(model=model) | extra
    answer = ask(server, **question)
    middle, low, high, n = median_of(prices(server, model=model), question["input_tokens"],
                                     question["output_tokens"], cached)
    assert answer["hosted_status"] == "priced" and answer["hosted_provider_count"] == n
    assert answer["hosted_cost_per_million_tokens_blended"] == pytest.approx(middle, rel=1e-5)
    tokens = 1000 * 50 * (question["input_tokens"] + question["output_tokens"]) * 730 / 24
    assert answer["hosted_tokens_per_month"] == pytest.approx(tokens, rel=1e-5)
    for name, price in (("", middle), ("_low", low), ("_high", high)):
        assert answer[f"hosted_cost_per_month{name}"] == pytest.approx(tokens / 1e6 * price, rel=1e-4)
    assert answer["hosted_total_cost_low"] <= answer["hosted_total_cost"] <= answer["hosted_total_cost_high"]
    assert answer["inputs"]["cached_input_ratio"]["value"] == cached
    assert answer["inputs"]["hosted_output_price_per_million_tokens"]["source"] == "catalog"


def test_one_provider_and_given_prices(server):
    one = ask(server, **SERVE, hosted_provider="groq")
    row, = {(row["input_price_per_million_tokens"], row["output_price_per_million_tokens"])
            for row in prices(server, model="llama-3.3-70b", provider="groq")} - {(0.59, 0.99)}
    assert (one["hosted_provider_count"], one["hosted_cheapest_provider"]) == (1, "groq")
    given = ask(server, **SERVE, hosted_input_price_per_million_tokens=row[0],
                hosted_output_price_per_million_tokens=row[1])
    assert given["hosted_status"] == "given" and given["hosted_provider_count"] is None
    for name in ("hosted_total_cost", "hosted_cost_per_month", "break_even_tokens_per_day", "cheapest_option"):
        assert given[name] == one[name], name


@pytest.mark.parametrize("extra, status", [
    (dict(hosted=0), "left_out"), (dict(as_of="2026-07-01"), "no_price"),
    (dict(model="falcon-180b", gpu="h200-sxm5-141gb"), "no_price"), (dict(hosted_provider="anthropic"), "no_price")])
def test_without_a_price_nothing_is_made_up(server, extra, status):
    answer = ask(server, **SERVE | extra)
    assert answer["hosted_status"] == status and answer["hosted_sentence"]
    for name in ("hosted_total_cost", "hosted_cost_per_month", "hosted_total_cost_high",
                 "hosted_until_tokens_per_month", "break_even_tokens_per_day"):
        assert answer[name] is None, name
    assert answer["cheapest_option"] == answer["verdict"]
    assert not [row for row in answer["line_items"] if row["side"] == "hosted"]


def test_only_a_service_is_hosted(server):
    plain = ask(server, gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.5)
    assert plain["hosted_status"] == "no_service" and plain["hosted_total_cost"] is None
    assert "hosted=0" in refused(server, "/v1/break-even", **SERVE, hosted=0, cached_input_ratio=0.1)[
        "cached_input_ratio"]
    assert "groq" in refused(server, "/v1/break-even", **SERVE, hosted_provider="grok")["hosted_provider"]


def test_the_sentence_says_who_when_and_from_which_volume_on(server):
    answer = ask(server, **SERVE)
    said = answer["hosted_sentence"]
    assert f"median of {answer['hosted_provider_count']} providers" in said and "2026-07-25" in said
    assert f"{answer['hosted_total_cost']:,.0f} USD" in said and f"{answer['buy_total_cost']:,.0f} USD" in said
    assert f"{answer['hosted_until_daily_users']:,.0f} users a day" in said and "sees the data" in said
    warned, = [w["detail"] for w in answer["warnings"] if w["code"] == "stale_hosted_price"]
    assert "2026-07-25" in warned


def test_a_small_load_is_cheaper_hosted_and_a_large_one_is_not(server):
    small = ask(server, **SERVE | dict(daily_users=5))
    large = ask(server, **SERVE | dict(daily_users=400000))
    assert (small["cheapest_option"], large["cheapest_option"]) == ("hosted", "buy")
    users = small["hosted_until_daily_users"]
    assert users == large["hosted_until_daily_users"] and 5 < users < 400000
    per_day = 50 * 1250
    assert users == pytest.approx(small["hosted_until_tokens_per_month"] / (730 / 24) / per_day, abs=1)
    assert small["hosted_until_tokens_per_month"] == pytest.approx(
        min(small["break_even_tokens_per_day"], small["rent_break_even_tokens_per_day"]) * 730 / 24, rel=1e-5)
    below = ask(server, **SERVE | dict(daily_users=int(users * 0.99)))
    above = ask(server, **SERVE | dict(daily_users=int(users * 1.01) + 1))
    assert below["cheapest_option"] == "hosted" and above["cheapest_option"] in ("rent", "buy")


# --- over time

@pytest.fixture(name="world", scope="module")
def world_fixture(tmp_path_factory):
    own = Own(tmp_path_factory)
    own.server.database = own.database
    yield own.server
    own.stop()


def change(world, sql):
    before = ask(world, "/v1/hosted-prices", limit=1)["catalog_version"]
    world.database.query(sql)
    wait_for(lambda: ask(world, "/v1/hosted-prices", limit=1)["catalog_version"] != before, "the change")


def test_a_price_counts_until_the_next_list_of_its_provider(world):
    rows = ",".join(f"('litellm', 'acme', '{model}', '{day}', {price}, {2 * price}, 'USD', 'https://acme.example/')"
                    for model, day, price in [
                        ("acme/falcon-180b", "2026-01-01", 1), ("acme/falcon-180b", "2026-01-08", 1),
                        ("acme/falcon-180b", "2026-01-15", 3), ("acme/falcon-180b", "2026-02-01", 1),
                        ("acme/other", "2026-01-01", 1), ("acme/other", "2026-01-22", 1), ("acme/other", "2026-02-01", 1)])
    change(world, "insert into hosted_price (feed, provider, model, observed, input_price, output_price, currency, source) "
                  f"values {rows}")
    days = [(row["first_observed_date"], row["last_observed_date"], row["valid_until_date"],
             row["input_price_per_million_tokens"]) for row in prices(world, model="falcon-180b", history=1)]
    assert days == [("2026-01-01", "2026-01-08", "2026-01-15", 1), ("2026-01-15", "2026-01-15", "2026-01-22", 3),
                    ("2026-02-01", "2026-02-01", None, 1)]
    for day, price in (("2025-12-31", None), ("2026-01-10", 1), ("2026-01-16", 3), ("2026-01-25", None), ("2026-03-01", 1)):
        found = [row["input_price_per_million_tokens"] for row in prices(world, model="falcon-180b", as_of=day)]
        assert found == ([] if price is None else [price]), day


def test_names_are_mapped_by_row_and_only_then_by_likeness(world):
    change(world, "insert into hosted_price (feed, provider, model, observed, input_price, output_price, currency, source, hf_id) "
                  "values ('openrouter', 'openrouter', 'x/own-name', '2026-08-01', 1, 1, 'USD', 'https://x.example/', 'tiiuae/falcon-40b'), "
                  "('openrouter', 'openrouter', 'x/gpt-2', '2026-08-01', 1, 1, 'USD', 'https://x.example/', null)")
    by_repository, = prices(world, model="falcon-40b")
    assert "huggingface.co/tiiuae/falcon-40b" in by_repository["evidence"]
    assert prices(world, model="gpt2")[0]["listed_model"] == "x/gpt-2"
    change(world, "insert into hosted_model_name values ('openrouter', 'gpt-2', null, 'a test'), "
                  "('openrouter', 'own-name', 'falcon-7b', 'a test')")
    assert prices(world, model="gpt2") == prices(world, model="falcon-40b") == []
    assert prices(world, model="falcon-7b")[0]["evidence"] == "a test"


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="not run: GPUPLAN_FEEDS names no folder with 2026 in it")
@pytest.mark.parametrize("feed, file, model", [
    ("litellm", "litellm/model_prices_filtered_2026-07-24.json", "glm-5.1"),
    ("genai-prices", "genai_prices/data_slim.json", "gpt-oss-120b")])
def test_a_published_list_takes_the_place_of_the_seed(world, feed, file, model):
    """The whole list, read later: what it has counts from then on, at the prices of the seed made of it."""
    def key(row):
        return [row[name] for name in sorted(row) if name not in ("last_observed_date", "source_url", "stale")]

    def of_feed():
        return sorted((row for row in prices(world, model=model) if row["feed"] == feed), key=lambda row: repr(key(row)))

    before = of_feed()
    done = subprocess.run([BINARY, "import", "--json", "--format", feed, "--observed", "2026-09-01", str(SAMPLES / file)],
                          env=world.database.env, capture_output=True, text=True, timeout=600, check=False)
    assert json.loads(done.stdout)["files"][0]["taken"] > 150, done.stderr
    after = wait_for(lambda: [row for row in of_feed() if row["last_observed_date"] == "2026-09-01"], "the import")
    assert [key(row) for row in after] == [key(row) for row in before]


# --- among the options of a recommendation

ADVICE = dict(workload="serve", model="gpt-oss-120b", daily_users=1000, requests_per_user_per_day=10)


def advise(server, **params):
    answer = ask(server, "/v1/recommendation", **params)
    return answer, [row for row in answer["options"] if row["acquisition"] == "hosted"]


def test_the_hosted_api_is_the_last_option_and_never_the_recommended_one(server):
    answer, (row,) = advise(server, **ADVICE)
    assert row == answer["options"][-1] and row["roles"] == "hosted" and row["gpu"] is None
    assert row["rank"] == len(answer["options"]) != answer["recommended_rank"]
    assert row["total_cost"] == answer["hosted_total_cost"] < answer["recommended_total_cost"]
    assert (row["total_cost_low"], row["total_cost_high"]) == \
        (row["total_cost_cheapest_provider"], row["total_cost_dearest_provider"])
    assert (row["total_cost_cheapest_provider"], row["total_cost_dearest_provider"]) == \
        (answer["hosted_total_cost_low"], answer["hosted_total_cost_high"])
    assert row["payments"] == pytest.approx(36 * answer["hosted_cost_per_month"], abs=0.1)
    assert row["sentence"] == answer["hosted_sentence"] and "sees the data" in row["sentence"]
    assert "hosted_costs_less" in {warning["code"] for warning in answer["warnings"]}
    csv_rows = list(csv.DictReader(io.StringIO(server.get("/v1/recommendation.csv", **ADVICE).text)))
    assert csv_rows[-1]["roles"] == "hosted" and float(csv_rows[-1]["total_cost"]) == row["total_cost"]


def test_left_out_the_rest_stays(server):
    with_it, (_,) = advise(server, **ADVICE)
    without, rows = advise(server, **ADVICE, hosted=0)
    assert not rows and without["hosted_status"] == "left_out" and without["hosted_total_cost"] is None
    assert without["options"] == with_it["options"][:-1]
    assert with_it["recommended_sentence"] == (
        "If your data may go to its provider, the hosted API costs least: "
        f"{with_it['hosted_total_cost']:,.0f} USD over 36 months. If not: {without['recommended_sentence']}")


def test_break_even_and_recommendation_name_a_cheaper_hosted_api_first(server):
    """And where only its cheapest provider costs less than the GPUs, who that is and how much."""
    seen = set()
    for users in (100, 20000, 60000, 150000, 400000, 1000000):
        asked = ADVICE | dict(model="llama-3.1-70b", gpu="h100-sxm5-80gb", daily_users=users, peak_load_ratio_max=1)
        answer, (row,) = advise(server, **asked)
        best = next(row for row in answer["options"] if row["rank"] == answer["recommended_rank"])
        cheaper = row["total_cost"] < best["total_cost"]
        assert answer["recommended_sentence"].startswith("If your data may go to its provider") == cheaper
        by_one = row["total_cost"] >= best["total_cost"] > answer["hosted_total_cost_low"]
        assert ("Its cheapest provider, " in answer["hosted_sentence"]) == by_one
        if by_one:
            assert f"would cost less: {answer['hosted_total_cost_low']:,.0f} USD." in answer["hosted_sentence"]
        seen.add((cheaper, by_one))
        ledger = ask(server, **asked)
        assert ledger["sentence"].startswith("If your data may go to its provider") == (ledger["cheapest_option"] == "hosted")
    assert {(True, False), (False, True)} <= seen, seen


def test_break_even_of_the_recommended_gpu_says_the_same(server):
    for model, users in (("gpt-oss-120b", 1000), ("llama-3.3-70b", 300), ("deepseek-v3", 40000)):
        answer, (row,) = advise(server, **ADVICE | dict(model=model, daily_users=users))
        ledger = ask(server, **ADVICE | dict(model=model, daily_users=users), gpu=answer["recommended_gpu"],
                     purchase_option="on_demand")
        for name in ("total_cost", "cost_per_month", "tokens_per_month", "until_tokens_per_month",
                     "until_daily_users", "until_status"):
            assert answer[f"hosted_{name}"] == ledger[f"hosted_{name}"], (model, name)
        assert row["total_cost"] == ledger["hosted_total_cost"]


def test_a_budget_and_what_trains_nothing(server):
    _, (row,) = advise(server, **ADVICE, budget=3000)
    assert row["within_budget"] is False and advise(server, **ADVICE, budget=4000)[1][0]["within_budget"] is True
    training, rows = advise(server, workload="train,serve", model="tinyllama", tokens=1e9, gpu="h100-sxm5-80gb")
    assert not rows and training["hosted_status"] == "no_service"
    unknown, rows = advise(server, **ADVICE | dict(model="falcon-40b"))
    assert not rows and unknown["hosted_status"] == "no_price" and "No hosted price" in unknown["hosted_sentence"]


def test_where_no_gpu_will_do_the_hosted_api_is_still_said(server):
    answer, (row,) = advise(server, **ADVICE, gpu="t4", budget=1)
    assert answer["recommended_rank"] is None and row["total_cost"] == answer["hosted_total_cost"] > 0
    assert answer["hosted_until_status"] is None


def test_a_growing_load_is_billed_as_it_grows(server):
    steady, _ = advise(server, **ADVICE, cost_of_capital=0)
    growing, (row,) = advise(server, **ADVICE, cost_of_capital=0, growth_ratio_per_month=0.05)
    first = steady["hosted_cost_per_month"]
    assert growing["hosted_cost_per_month"] == first and "in the first month" in growing["hosted_sentence"]
    assert steady["hosted_total_cost"] == pytest.approx(36 * first, abs=0.2)
    assert row["total_cost"] == pytest.approx(first * (1.05 ** 36 - 1) / 0.05, rel=1e-4)


@pytest.mark.parametrize("seed", range(16))
def test_the_hosted_api_is_named_where_nothing_else_keeps_the_budget(server, seed):
    """A buyer whose budget no GPU keeps is told first what does."""
    draw = random.Random(seed)
    asked = dict(workload="serve", model=draw.choice(["llama-3.1-8b", "llama-3.1-70b", "gpt-oss-120b", "deepseek-r1"]),
                 requests_per_minute=round(10 ** draw.uniform(0, 2), 2), horizon_months=draw.choice([12, 36]))
    limit, amount = draw.choice([("budget", 10 ** draw.uniform(2, 5)), ("budget_per_month", 10 ** draw.uniform(1, 4))])
    answer = server.answer("/v1/recommendation", **asked, **{limit: round(amount, 2)}).json
    hosted = answer["options"][-1]
    budget = amount * (asked["horizon_months"] if limit == "budget_per_month" else 1)
    if answer["recommended_rank"] is not None or hosted["acquisition"] != "hosted":
        return
    sentence = answer["recommended_sentence"]
    assert sentence.startswith("If your data may go to its provider, the hosted API keeps the budget: ") == (
        hosted["payments"] <= budget), sentence
    assert "No option" in sentence
