"""The first view: answers at once, a question in plain words, and what the catalogue holds."""
import re

import pytest
from selenium.webdriver.common.keys import Keys


def links(browser):
    return [each.get_attribute("href") for each in browser.find_all(".stories a")]


def test_three_worked_stories_have_the_apis_figures_of_today(server, browser):
    browser.show(f"{server.url}/")
    train, serve, buy = (server.get(link.removeprefix(server.url).replace("/", "/v1/", 1).replace("?", ".json?")).json for link in links(browser))
    told = [each.text for each in browser.find_all(".told")]
    assert f"{train['gpu_count']:,.0f} GPUs" in told[0] and f"${train['total_cost'] / 1e6:.3g}M" in told[0]
    assert f"{serve['gpu_count']:.0f} GPU" in told[1] and f"{serve['latency_p95_seconds_estimate']:.3g} s" in told[1]
    assert told[2].startswith(buy["verdict"].capitalize()) and f"${abs(buy['buy_saving']):,.0f}" in told[2]
    assert browser.complaints() == []
    browser.find(".stories a").click()
    assert f"{train['gpu_count']:,.0f} GPUs" in browser.settle()


def test_it_says_what_the_catalogue_holds_and_how_fresh_it_is(server, browser):
    browser.show(f"{server.url}/")
    held, prices = server.get("/v1.json").json, server.get("/v1/price-summary.json").json["rows"]
    fresh = browser.find(".fresh").text
    for count, what in (("gpu", "GPUs"), ("model", "models"), ("offer", "rental prices"), ("assumption", "assumptions")):
        assert f"{held[f'{count}_count']:,} {what}" in fresh
    listed = server.get("/v1/offers.csv", limit=5000).text.count("\n") - 1
    assert "rental prices, today’s and former ones, " in fresh and held["offer_count"] > listed
    newest = max(row["newest_observed_date"] for row in prices if row["newest_observed_date"])
    assert newest[:4] in fresh and re.search(rf"\b{int(newest[8:])}\b", fresh)
    stale = len({row["gpu"] for row in prices if row["stale"]})
    assert (f"for {stale} of {held['gpu_count']} GPUs" in fresh) if stale else "No rental price" in fresh


@pytest.mark.parametrize("sentence, question, inputs", [
    ("train llama 70b on 2T tokens with 512 H100", "training-plan",
     {"tokens": "2000000000000", "gpu": "h100-sxm5-80gb", "gpu_count": "512"}),
    ("Pretrain Llama-2-70B on 2 trillion tokens, 2,048 x A100 80GB", "training-plan",
     {"model": "llama-2-70b", "tokens": "2000000000000", "gpu": "a100-sxm4-80gb", "gpu_count": "2048"}),
    ("fine-tune mistral 7b with qlora", "training-plan", {"method": "qlora"}),
    ("serve llama 3 70b to 1,000 people within 10 seconds", "inference-sizing",
     {"model": "meta-llama-3-70b", "daily_users": "1000", "latency_p95_seconds": "10"}),
    ("Should we buy or rent eight H100 for three years at 60% utilization?", "break-even",
     {"gpu": "h100-sxm5-80gb", "gpu_count": "8", "horizon_months": "36", "utilization": "0.6"}),
    ("Which GPUs to train and serve llama 2 13b for 50k users with $2M?", "recommendation",
     {"model": "llama-2-13b", "daily_users": "50000", "budget": "2000000", "workload": "train,serve"}),
    ("buy or rent 8 h100 at 50% utilization in the Netherlands", "break-even",
     {"gpu": "h100-sxm5-80gb", "utilization": "0.5", "country": "NL"}),
    ("LoRA llama 3.1 8b on one 4090", "training-plan",
     {"model": "llama-3.1-8b", "method": "lora", "gpu": "rtx-4090", "gpu_count": "1"}),
    ("how much VRAM for qwen 72b?", "inference-sizing", {"model": "qwen2.5-72b"}),
    ("500k budget for serving mixtral 8x7b", "recommendation",
     {"model": "mixtral-8x7b-v0.1", "budget": "500000", "workload": "serve"}),
    ("is it cheaper to use an API for 1 billion tokens per month of llama 3.3 70b", "recommendation",
     {"model": "llama-3.3-70b-instruct", "tokens_per_day": "32854209", "workload": "serve"}),
    ("embed 2,000 prompt tokens with qwen3-embedding-8b at 50 requests per second", "inference-sizing",
     {"model": "qwen3-embedding-8b", "input_tokens": "2000", "output_tokens": "0", "requests_per_minute": "3000"})])
def test_a_question_in_plain_words_leads_to_a_filled_form(server, browser, sentence, question, inputs):
    browser.show(f"{server.url}/")
    box = browser.find("#ask")
    box.send_keys(sentence)
    said = browser.wait(lambda: browser.find(".ask output").text, "what was understood")
    assert said.startswith("Understood: ") and not re.search(r"[a-z]_[a-z]|\b[a-z0-9]+-[a-z0-9]+-", said), said
    box.send_keys(Keys.ENTER)
    browser.wait(lambda: f"/{question}?" in browser.driver.current_url, "the question")
    browser.settle()
    assert inputs.items() <= browser.query.items()
    for name, value in inputs.items():
        assert browser.find(f"#{name}").get_attribute("value"), name
    assert browser.complaints() == []


def test_what_nobody_said_is_marked_and_nothing_is_guessed_from_nothing(server, browser):
    browser.show(f"{server.url}/")
    browser.find("#ask").send_keys("train a 70b model")
    said = browser.wait(lambda: browser.find(".ask output").text, "what was understood")
    assert "(assumed)" in said and "train a model" in said
    browser.find("#ask").send_keys(Keys.CONTROL, "a")
    browser.find("#ask").send_keys("hello there")
    browser.wait(lambda: "Name a model" in browser.find(".ask output").text, "that nothing was understood")
    assert not browser.find_all(".ask .go")


@pytest.mark.parametrize("asked", ["model=llama-3.1-8b&requests_per_minute=60", "parameters=8e9&requests_per_minute=60"])
def test_a_question_of_the_api_is_one_of_the_page(server, browser, asked):
    """The API does not need workload where the load says what the GPUs are for, and page and API differ only in the path."""
    browser.show(f"{server.url}/recommendation?{asked}")
    assert browser.settle().startswith("Serve on ") and browser.complaints() == []
    assert browser.run("return document.querySelector('main figure img').naturalWidth") > 0


def test_a_budget_alone_is_answered_by_what_it_pays_for(server, browser):
    """Not by "nothing meets your limits", nor by a chart that there is none of."""
    browser.show(f"{server.url}/recommendation?budget=2000000")
    answer = server.get("/v1/recommendation", budget=2000000).json
    shown = browser.settle()
    assert f"{answer['recommended_gpu_count']:.0f} × " in shown and "Nothing meets" not in shown
    assert "the most compute that the budget pays for" in shown
    first = browser.find("main table tbody tr").text
    assert first.startswith(f"{answer['recommended_gpu_count']:.0f} × ") and "not confirmed" not in first
    browser.show(f"{server.url}/recommendation?budget=3000")
    assert "the least it takes is" in browser.settle() and browser.complaints() == []


def test_servers_that_must_outlive_their_life_are_not_cheaper_from_the_start(server, browser):
    browser.show(f"{server.url}/break-even?gpu=h100-sxm5-80gb&gpu_count=8&utilization=0.6&horizon_months=84&server_price=300000")
    assert "Buying is cheaper only after 60 months, if the servers last" in browser.settle()
