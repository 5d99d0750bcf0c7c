"""Forms as a newcomer meets them: names for people, choices to choose from, one place to search."""
import json
import re
import urllib.parse

import pytest
from selenium.webdriver.common.keys import Keys

from openapi import inlined

QUESTIONS = ["training-plan", "inference-sizing", "break-even", "recommendation"]
READ = """return [...document.querySelectorAll('main, main *')].filter((each) => each.checkVisibility() && !each.closest('.use'))
    .flatMap((each) => [...each.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ textContent }) => textContent.trim())
        .concat(each.placeholder ?? '')).filter(Boolean)"""


@pytest.mark.parametrize("question", QUESTIONS)
def test_labels_and_hints_are_those_of_the_contract(server, browser, question):
    browser.open(f"{server.url}/{question}")
    contract = inlined(server.get("/openapi.json").json)["paths"][f"/v1/{question}"]["get"]["parameters"]
    known = {each["name"]: each["schema"] for each in contract}
    seen = browser.run("return [...document.querySelectorAll('form .field')].filter((each) => each.querySelector('[name]')).map((each) => "
                       "[each.querySelector('[name]').name, each.querySelector('label, legend').textContent, each.querySelector('p.hint').textContent])")
    assert len(seen) > 30
    for name, label, hint in seen:
        assert label == known[name]["x-label"], name
        assert hint in (known[name]["x-hint"], "Choose one or more"), name


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_input_stands_in_a_group_of_its_subject(server, browser, question):
    """None is left for "Other" but what is deprecated."""
    browser.open(f"{server.url}/{question}")
    assert browser.run("return [...document.querySelectorAll('[data-part=inputs-more] [name]')].map(({ name }) => name)") \
        == (["hosting"] if question == "recommendation" else [])


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_slug_path_or_name_of_a_program_is_seen(server, browser, question):
    browser.open(f"{server.url}/{question}")
    browser.unfold()
    browser.wait(lambda: not browser.run("return document.body.textContent.includes('Calculating...')"), "all parts")
    slugs = {row["gpu"] for row in server.get("/v1/gpus.json").json["rows"]}
    wrong = [each for each in browser.run(READ)
             if re.search(r"\b[a-z0-9]+_[a-z0-9_]+\b|(?<![\w.])/v1\b", each) or slugs & set(re.findall(r"[a-z0-9][\w.-]+", each))]
    assert wrong == []


@pytest.mark.parametrize("typed, wanted", [("h200 nvl", "h200-nvl-141gb"), ("amd 192", "mi300x")])
def test_a_gpu_is_searched_by_what_it_is_and_taken_with_enter(server, browser, typed, wanted):
    browser.open(f"{server.url}/break-even")
    row = next(row for row in server.get("/v1/gpus.json").json["rows"] if row["gpu"] == wanted)
    box = browser.find(".field:has(#gpu) .search")
    box.send_keys(typed)
    found = [each.text for each in browser.find_all("#gpu option")]
    assert any(each and row["name"].endswith(each.rpartition(", ")[0] or each) for each in found) and len(found) < 12
    box.send_keys(Keys.ENTER)
    browser.wait(lambda: browser.query["gpu"] == wanted, "the GPU in the address")
    browser.settle()
    assert len(browser.find_all("#gpu option")) > 50, "all of them again"
    assert str(row["launch_year"]) in browser.find("#gpu-source").text


def test_a_pasted_config_chooses_its_model(server, browser):
    row = next(row for row in server.get("/v1/models.json").json["rows"] if row["model"] == "llama-2-7b")
    config = {"num_hidden_layers": row["layer_count"], "hidden_size": row["hidden_size"], "num_attention_heads": row["head_count"],
              "num_key_value_heads": row["kv_head_count"], "vocab_size": row["vocabulary_size"]}
    browser.open(f"{server.url}/training-plan")

    def paste(text):
        browser.run("arguments[0].value = arguments[1]", browser.find("#model-config"), text)
        browser.run("document.querySelector('.config').open = true; document.querySelector('.config button').click()")
        return browser.find(".config [role=status]").text
    assert "not the config.json" in paste("{") and "not the config.json" in paste('{"a": 1}')
    assert "No model in the catalogue" in paste(json.dumps(config | {"num_hidden_layers": 31}))
    assert paste(json.dumps(config)).startswith("Found ")
    browser.wait(lambda: server.get(f"/v1/models/{browser.query['model']}.json").json["parameters"] == row["parameters"], "the model in the address")
    assert browser.complaints() == []


def test_a_workload_is_ticked(server, browser):
    browser.open(f"{server.url}/recommendation")
    boxes = {each.get_attribute("value"): each for each in browser.find_all(".boxes:has(#workload) input[type=checkbox]")}
    assert {name: each.is_selected() for name, each in boxes.items()} == {"train": True, "finetune": False, "serve": True}
    boxes["train"].click()
    browser.wait(lambda: browser.query["workload"] == "serve", "the address")
    browser.settle()
    assert "Serve on" in browser.verdict and "Train on" not in browser.verdict
    browser.driver.back()
    browser.wait(lambda: boxes["train"].is_selected(), "what was ticked")


def test_advanced_inputs_are_found_by_what_they_are_called(server, browser):
    browser.open(f"{server.url}/break-even")
    box = browser.find("#find-input")
    box.send_keys("electricity")
    shown = [each.text for each in browser.find_all("details.group .field > label") if each.is_displayed()]
    assert "Electricity price" in shown and "Cost of capital" not in shown
    assert len(shown) == int(re.match(r"\d+", browser.find(".finder [role=status]").text).group())
    address = browser.driver.current_url
    box.send_keys(Keys.CONTROL, "a", Keys.DELETE)
    assert browser.driver.current_url == address
    assert all(not each.get_attribute("hidden") for each in browser.find_all("details.group"))


def test_too_slow_is_an_answer_with_buttons_to_what_works(server, browser):
    browser.open(f"{server.url}/inference-sizing?model=llama-2-70b&gpu=l4&requests_per_minute=1000&input_tokens=512"
                 "&output_tokens=200&latency_p95_seconds=4")
    assert "too slow for your limit" in browser.verdict and "your limit is 4 s" in browser.verdict
    buttons = browser.wait(lambda: browser.find_all(".ways-on button"), "what works")
    name = re.match(r"Use (\d+) × ([^,]+), ", buttons[0].text)
    buttons[0].click()
    browser.wait(lambda: browser.query["gpu"] != "l4", "the address")
    assert f"{name.group(1)} GPU" in browser.settle() and browser.find("[data-tone=plain]")
    chosen = browser.run("return document.querySelector('#gpu').selectedOptions[0].textContent")
    assert name.group(2).endswith(chosen.split(", $")[0]), "the list leaves the maker out"


def test_too_big_is_an_answer_with_a_button_to_what_fits(server, browser):
    browser.open(f"{server.url}/training-plan?model=llama-2-70b&method=full&tokens=1e9&gpu=a100-sxm4-80gb&gpu_count=1")
    assert "does not fit" in browser.verdict
    button = browser.find(".ways-on button")
    count = re.search(r"[\d,]+", button.text).group().replace(",", "")
    button.click()
    browser.wait(lambda: browser.query.get("gpu_count") == count, "the address")
    browser.settle()
    assert browser.find("[data-tone=plain]")
    browser.driver.back()
    browser.wait(lambda: browser.query["gpu_count"] == "1", "the way back")


def test_the_recommendation_says_its_trade_in_words(server, browser):
    browser.open(f"{server.url}/recommendation")
    answer = server.get("/v1/recommendation.json", **browser.query).json
    best = next(each for each in answer["options"] if each["rank"] == answer["recommended_rank"])
    faster = min((each for each in answer["options"] if each["days"] and each["days"] < 0.9 * best["days"]
                  and each["total_cost"] > best["total_cost"] and re.search("fastest|best_value", each["roles"])),
                 key=lambda each: each["total_cost"])
    days = best["days"] - faster["days"]
    saved = round(days) if days >= 100 else float(f"{days:.2g}")
    assert f"Paying ${faster['total_cost'] - best['total_cost']:,.0f} more saves {saved:,g} days" in browser.verdict


def test_a_little_time_for_much_money_is_no_trade(server, browser):
    """The fewest GPUs for DeepSeek-R1 end two hours sooner and cost four times as much: they are listed for their number."""
    asked = dict(workload="finetune", model="deepseek-r1", method="full", tokens=1e9)
    answer = server.get("/v1/recommendation.json", **asked).json
    best = answer["options"][answer["recommended_rank"] - 1]
    few, = (each for each in answer["options"] if each["roles"] == "smallest")
    assert few["days"] < 0.9 * best["days"] and few["total_cost"] > 2 * best["total_cost"]
    browser.open(f"{server.url}/recommendation?{urllib.parse.urlencode(asked)}")
    assert "You would pay" in browser.verdict and "saves" not in browser.verdict


def test_the_catalogue_says_how_many_rows_there_are_and_shows_the_next(server, browser):
    total = server.get("/v1/assumptions.json", count=1).json["count"]
    browser.show(f"{server.url}/catalogue?list=assumptions&limit=200")
    assert browser.find(".verdict").text.startswith(f"Showing the first 200 of {total}")
    browser.find("button.more").click()
    browser.wait(lambda: f"first 400 of {total}" in browser.find(".verdict").text, "the next rows")
    assert len(browser.find_all(".answer tbody tr")) == 400


def test_an_input_that_moves_the_answer_has_a_slider(server, browser):
    browser.open(f"{server.url}/break-even?gpu=h100-sxm5-80gb&gpu_count=8&utilization=0.7")
    slider = browser.wait(lambda: browser.find_all(".field:has(#rent_price_per_gpu_hour) [type=range]"), "the slider")[0]
    row = next(each for each in server.get("/v1/break-even/sensitivity", gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7).json["effects"]
               if each["input"] == "rent_price_per_gpu_hour")
    assert [float(slider.get_attribute(name)) for name in ("min", "max", "value")] == [row["low"], row["high"], row["value"]]
    slider.send_keys(Keys.END)
    browser.wait(lambda: browser.query.get("rent_price_per_gpu_hour"), "the address")
    assert float(browser.query["rent_price_per_gpu_hour"]) == float(f"{row['high']:.3g}")
    browser.wait(lambda: "Buying is cheaper" in browser.settle(), "the verdict")
    assert browser.run("return document.activeElement === arguments[0]", slider), "it can be moved on"
    assert browser.find_all(".field:has(#gpu) [type=range]") == []


# How wide the texts of a list are, and how much of one can be seen.
WIDTHS = """
const pick = document.getElementById('gpu'), style = getComputedStyle(pick), pen = document.createElement('canvas').getContext('2d');
pen.font = style.font;
const arrow = 22, room = pick.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - arrow;
return { room, widths: [...pick.options].map((each) => [each.text, pen.measureText(each.text).width]) };
"""


@pytest.mark.parametrize("view", ["break-even", "catalogue?list=offers&gpu=h100-sxm5-80gb"])
@pytest.mark.parametrize("width", [1280, 375])
def test_the_price_of_a_gpu_can_be_read(browser, server, view, width):
    browser.size(width)
    browser.show(f"{server.url}/{view}")
    seen = browser.run(WIDTHS)
    priced = [(text, wide) for text, wide in seen["widths"] if text.endswith("/h")]
    cut = [text for text, wide in priced if wide > seen["room"]]
    assert len(priced) > 30 and not [text for text in cut if "RTX PRO 6000" not in text and "(" not in text]
    if view == "break-even":
        price = browser.run("return document.querySelector('#gpu option:checked').text").split(", ")[1].removesuffix("/h")
        assert f"{price} an hour on demand" in browser.find("#gpu-source").text, "in full, whatever the length of the name"


def test_a_service_without_limits_is_offered_those_of_a_conversation(server, browser):
    browser.open(f"{server.url}/recommendation?workload=serve&model=llama-3.1-70b&requests_per_minute=300")
    rows = server.get("/v1/assumptions", scope="conversation").json["rows"]
    button = browser.wait(lambda: browser.find_all(".ways-on button"), "the usual limits")[0]
    assert all(f"{row['default']:g}" in button.text for row in rows) and len(rows) == 2
    button.click()
    for row in rows:
        browser.wait(lambda key=row["key"]: browser.query.get(key) == f"{row['default']:g}", "the address")
    browser.settle()
    assert not browser.find_all("[data-code=no_latency_limit], .ways-on button")
