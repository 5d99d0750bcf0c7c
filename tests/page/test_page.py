"""The page in Chromium, as a reader meets it: verdicts, forms, addresses, errors, widths, colours."""
import base64
import gzip
import json
import math
import pathlib
import re
import subprocess
import urllib.parse

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import all_named, load, named, readable
from openapi import inlined

STATIC = pathlib.Path(__file__).resolve().parents[2] / "static"
QUESTIONS = ["training-plan", "inference-sizing", "break-even"]
PAGES = ["", *QUESTIONS, "recommendation", "docs"]
OBJECTS = {"training-plan": "training", "inference-sizing": "inference", "break-even": "breakEven"}
FILES = {"training-plan": "/training.js", "inference-sizing": "/inference.js", "break-even": "/break-even.js"}
DELIVERY = {"width", "format", "field", "fields", "header", "layout", "dialect", "download", "on_error", "nocache"}
RENT = "/break-even?gpu=h100-sxm5-80gb&gpu_count=8&utilization=0.7&horizon_months=36" \
       "&rent_price_per_gpu_hour=6.88&server_price=300000"


def api(server, browser, question):
    """The API's answer to what the page's address says."""
    reply = server.get(f"/v1/{question}.json", **browser.query)
    assert reply.status == 200, reply.text
    return reply.json


def card_value(text):
    """The figure a card shows, in the API's unit."""
    found = re.search(r"([\d,]+(?:\.\d+)?)(?: × 10([⁰¹²³⁴⁵⁶⁷⁸⁹]+))?", text)
    power = "".join(str("⁰¹²³⁴⁵⁶⁷⁸⁹".index(digit)) for digit in found[2] or "⁰")
    value = float(f"{found[1].replace(',', '')}e{power}") * (-1 if text.startswith("-") else 1)
    return value / 100 if "%" in text else value / 1000 if text.endswith(" ms") else value


def cards(browser):
    return dict(browser.run("return [...document.querySelectorAll('.figures .value')].map((card) => "
                            "[card.dataset.field, card.innerText.trim()])"))


def assert_cards_are(browser, answer):
    shown = cards(browser)
    assert len(shown) >= 6
    for name, text in shown.items():
        if answer[name] is None:
            assert text == "unknown" or any(text == answer[key].replace("_", " ").capitalize()
                                            for key in answer if key.endswith("_status") and answer[key]), name
        else:
            assert math.isclose(card_value(text), answer[name], rel_tol=5e-3, abs_tol=5e-5), (name, text, answer[name])


def drawn(browser, path):
    """Whether the API's own picture of that path is on the page and could be shown."""
    return browser.run("return [...document.querySelectorAll('.answer img')].some((each) => "
                       "each.src.includes(arguments[0]) && each.complete && each.naturalWidth > 0 && each.alt)", path)


# ---- Each tab -------------------------------------------------------------------------------

@pytest.mark.parametrize("question", QUESTIONS)
def test_a_tab_answers_its_example_with_the_figures_of_the_api(server, browser, question):
    browser.open(f"{server.url}/{question}")
    answer = api(server, browser, question)
    assert browser.find("nav [aria-current]").get_attribute("href") == f"{server.url}/{question}"
    assert_cards_are(browser, answer)
    assert drawn(browser, f"/v1/{question}") and browser.find_all("table")
    assert len(browser.find_all("main h1")) == 1
    assert browser.complaints() == []


def test_the_verdict_on_buying_says_month_utilization_saving_and_rent(server, browser):
    browser.open(server.url + RENT)
    answer = api(server, browser, "break-even")
    assert answer["verdict"] == "buy"
    for part in (f"{answer['break_even_months']:.3g} months", "at 70%",
                 f"${abs(answer['buy_saving']):,.0f}", f"{answer['break_even_utilization']:.1%}",
                 f"${answer['break_even_rent_price_per_gpu_hour']:.2f} per GPU-hour"):
        assert part in browser.verdict, (part, browser.verdict)


def test_the_verdict_on_renting_says_for_how_long_and_what_would_change_it(server, browser):
    browser.open(server.url + RENT.replace("6.88", "2.5"))
    answer = api(server, browser, "break-even")
    assert answer["verdict"] == "rent" and answer["break_even_months"] is None
    assert f"Renting stays cheaper for all {answer['search_months']:.0f} months" in browser.verdict
    assert f"if rent rose above ${answer['break_even_rent_price_per_gpu_hour']:.2f}" in browser.verdict


def test_a_model_that_only_reads_is_said_to_read(server, browser):
    """Not to write a token a request, for nothing, within the limits of a conversation."""
    browser.open(f"{server.url}/inference-sizing?model=bge-m3&gpu=l40s&requests_per_minute=60000&input_tokens=512")
    answer = api(server, browser, "inference-sizing")
    for part in (" read 512,000 tokens per second", f"${answer['cost_per_million_tokens']:.4f} per million tokens read"):
        assert part in browser.verdict, (part, browser.verdict)
    assert browser.find_all("[data-code=no_latency_limit]") and not browser.find_all(".ways-on button")
    assert answer["time_per_output_token_seconds"] is None and "Time per output token" not in browser.find("main").text
    assert {line["key"] for line in answer["line_items"] if line["group"] == "time"} >= {"prefill_products", "prefill_attention"}


def test_buying_for_a_load_links_its_sizing_and_names_the_hosted_api(server, browser):
    browser.open(server.url + "/break-even?gpu=h100-sxm5-80gb&model=llama-2-13b&tokens_per_day=4e8"
                 "&hosted_input_price_per_million_tokens=1&hosted_output_price_per_million_tokens=3")
    answer = api(server, browser, "break-even")
    link = browser.find(".verdict a")
    assert link.text == "serving plan"
    assert link.get_attribute("href") == server.url + answer["workload_plan"].removeprefix("/v1")
    assert f"{answer['gpu_count']} GPU" in browser.verdict
    assert f"The hosted API costs ${answer['hosted_total_cost']:,.0f}" in browser.verdict
    assert f"Hosted API: ${answer['hosted_total_cost']:,.2f}" in browser.find("main").text
    picture = browser.find(".picture img").get_attribute("src").removeprefix(server.url)
    assert server.get(picture).text.count("<polyline") == 3
    link.click()
    browser.settle()
    assert f"{answer['gpu_count']} GPU" in browser.verdict and "tokens per second" in browser.verdict
    assert browser.complaints() == []


def test_the_verdict_on_training_says_gpus_days_and_cost(server, browser):
    browser.open(f"{server.url}/training-plan")
    answer = api(server, browser, "training-plan")
    assert answer["fits"] is True
    assert "2,048 GPUs" in browser.verdict
    low, high = (f"{answer[name]:.2g}" for name in ("days_low", "days_high"))
    assert f"{low} to {high} days" in browser.verdict
    assert f"${answer['total_cost'] / 1e6:.3g}M" in browser.verdict


def test_what_does_not_fit_is_said_with_by_how_much(server, browser):
    browser.open(f"{server.url}/training-plan?model=llama-2-70b&method=full&tokens=1e9"
                 "&gpu=rtx-4090&gpu_count=1")
    answer = api(server, browser, "training-plan")
    assert answer["fits"] is False
    assert answer["shortfall_gib"] == pytest.approx(answer["memory_required_gib"] - answer["memory_capacity_gib"], rel=1e-4)
    assert "does not fit" in browser.verdict and answer["nearest_fit"] in browser.verdict
    assert f"{answer['shortfall_gib']:,.0f} GiB short" in browser.verdict
    assert browser.find("[data-tone=bad]")


def test_the_verdict_on_serving_says_gpus_replicas_and_latency(server, browser):
    browser.open(f"{server.url}/inference-sizing")
    answer = api(server, browser, "inference-sizing")
    assert f"{answer['gpu_count']:.0f} GPU" in browser.verdict
    assert f"{answer['replica_count']:.0f} replica" in browser.verdict
    assert f"95% of requests within {answer['latency_p95_seconds_estimate']:.3g} s; your limit is 10 s" in browser.verdict


def test_a_missed_latency_is_said_with_by_how_much(server, browser):
    browser.open(f"{server.url}/inference-sizing?model=llama-2-70b&weight_dtype=fp16&gpu=a100-sxm4-80gb&gpu_count=2"
                 "&tensor_parallel=2&requests_per_minute=1000&input_tokens=512&output_tokens=200&latency_p95_seconds=5"
                 "&input_tokens_cv=0&output_tokens_cv=0")
    answer = api(server, browser, "inference-sizing")
    assert answer["meets_latency"] is False
    assert f"miss your limit by {answer['shortfall']:.3g} s" in browser.verdict
    assert readable(browser, answer["reason"]) in browser.verdict
    assert browser.find("[data-tone=bad]")


# ---- Address, history, links ------------------------------------------------------------------

def test_an_input_changes_answer_and_address_and_back_undoes_it(server, browser):
    browser.open(server.url + RENT)
    first, address = browser.verdict, browser.driver.current_url
    browser.enter("utilization", "35")
    assert browser.query["utilization"] == "0.35"
    second = browser.verdict
    assert second != first
    assert_cards_are(browser, api(server, browser, "break-even"))
    browser.enter("horizon_months", "48")
    browser.driver.back()
    browser.wait(lambda: browser.verdict == second, "the second verdict")
    browser.driver.back()
    browser.wait(lambda: browser.verdict == first, "the first verdict")
    assert browser.driver.current_url == address
    assert browser.find("#utilization").get_attribute("value") == "70"
    browser.driver.forward()
    browser.wait(lambda: browser.verdict == second, "the second verdict again")
    assert browser.complaints() == []


def test_the_answer_follows_while_one_types(server, browser):
    browser.open(server.url + RENT)
    first, entries = browser.verdict, browser.run("return history.length")
    box = browser.find("#gpu_count")
    box.send_keys("0")  # 80, without leaving the field
    browser.wait(lambda: browser.verdict != first, "another verdict")
    assert browser.query["gpu_count"] == "80"
    box.send_keys(Keys.BACKSPACE, Keys.BACKSPACE, "16")
    browser.wait(lambda: browser.query.get("gpu_count") == "16", "16 in the address")
    assert browser.run("return history.length") == entries + 1, "one edit, one entry to go back from"


def test_one_reset_gives_every_default_back(server, browser):
    browser.open(server.url + RENT)
    assert len(browser.find_all("#reset")) == 1 and not browser.find_all("form .reset")
    browser.find("#reset").click()
    browser.wait(lambda: "rent_price_per_gpu_hour" not in browser.query, "the rent out of the address")
    browser.settle()
    assert browser.query == {"gpu": "h100-sxm5-80gb", "gpu_count": "8", "utilization": "0.7", "horizon_months": "36"}
    source = browser.wait(lambda: browser.find("#rent_price_per_gpu_hour-source").text, "the source")
    assert "catalogue" in source
    assert browser.find("#rent_price_per_gpu_hour").get_attribute("placeholder")


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_pinned_link_gives_the_same_page(server, browser, question):
    browser.open(f"{server.url}/{question}")
    verdict, figures = browser.verdict, cards(browser)
    link = browser.find(".ways pre").text
    assert "as_of=" in link and "model_version=" in link
    browser.open(link)
    assert browser.verdict == verdict and cards(browser) == figures
    assert browser.driver.current_url == link


def test_a_page_whose_link_was_copied_is_shown_by_the_next_formulas_too(pair, browser, tmp_path):
    database, server = pair
    browser.open(f"{server.url}/break-even")
    verdict, link = browser.verdict, browser.find(".ways pre").text
    assert database.query("select count(*) from archived_reply") == "0"
    browser.find("[aria-label='Copy: Link to this page, pinned to the day']").click()
    browser.wait(lambda: database.query("select count(*) from archived_reply") == "2", "answer and curves")
    later = type(server)(database.env, tmp_path)
    later.binary = server.binary.parent / "next" / server.binary.name
    later.start()
    try:
        browser.open(link.replace(server.url, later.url))
        assert browser.verdict == verdict
    finally:
        assert later.stop() == 0


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_panel_gives_addresses_that_hold_the_figure(server, browser, question):
    browser.open(f"{server.url}/{question}")
    field = browser.find("#use-field").get_attribute("value")
    ways = dict(zip((each.text for each in browser.find_all(".ways dt")),
                    (each.text for each in browser.find_all(".ways pre"))))
    text = re.search(r'WEBSERVICE\("([^"]+)"\)', ways["Excel (Windows)"]).group(1)
    assert ways["Excel (Windows)"] == f'=NUMBERVALUE(WEBSERVICE("{text}"),".",",")'
    assert ways["LibreOffice"] == f'=NUMBERVALUE(WEBSERVICE("{text}");".";",")'
    assert len(text) < 2048, "Excel's limit"
    cell = server.get(text.removeprefix(server.url)).text
    sheet = re.search(r'IMPORTDATA\("([^"]+)"\)', ways["Google Sheets"]).group(1)
    assert server.get(sheet.removeprefix(server.url)).text.strip() == cell
    answer = api(server, browser, question)[field]
    assert math.isclose(float(cell), answer, rel_tol=1e-5)
    typed = subprocess.run(["bash", "-c", ways["curl"]], capture_output=True, text=True, timeout=600)
    assert (typed.returncode, typed.stdout) == (0, cell), typed.stderr


def test_an_answer_is_compared_with_the_next(server, browser):
    browser.open(server.url + RENT)

    def press(name):
        browser.driver.find_element(By.XPATH, f"//button[.='{name}']").click()
    press("Save as scenario A")
    browser.enter("gpu_count", "16")
    summary = browser.wait(lambda: browser.find_all(".summary"), "the comparison")[0].text
    a, b = (f"/v1/break-even{RENT.removeprefix('/break-even').replace('gpu_count=8', count)}"
            for count in ("gpu_count=8", "gpu_count=16"))
    reply = server.get("/v1/compare", a=a, b=b).json
    assert summary.startswith(f"{named(browser, reply['figure'])}: ") and summary.endswith(f"than in A. Main cause: {named(browser, reply['main_cause'])}.")
    assert len(reply["why"]) == 1
    shown = browser.driver.find_element(By.XPATH, "//table[caption='Step by step']/tbody").text
    assert readable(browser, reply["why"][0]["sentence"]) in shown
    lines = browser.driver.find_element(By.XPATH, "//table[caption='Lines that differ']/tbody").find_elements(By.TAG_NAME, "tr")
    assert len(lines) == len(reply["line_items"]) > 5
    browser.show(browser.driver.current_url)
    assert browser.wait(lambda: browser.find_all(".summary"), "the comparison of the link")[0].text == summary
    press("Remove A")
    assert not browser.find_all(".summary") and "a" not in browser.query and browser.complaints() == []


# ---- Errors -----------------------------------------------------------------------------------

def test_an_error_is_shown_at_its_field_and_in_a_summary_that_leads_there(server, browser):
    browser.open(server.url + RENT)
    browser.enter("utilization", "170")
    box = browser.find("#utilization")
    assert box.get_attribute("aria-invalid") == "true"
    assert "utilization-error" in box.get_attribute("aria-describedby")
    assert "must be between 0% and 100%" in browser.find("#utilization-error").text
    assert browser.verdict == "Please fix 1 input."
    browser.enter("pue", "0.5")
    assert len(browser.find_all("#problems li")) == 2
    browser.run("document.querySelectorAll('details.group').forEach((each) => { each.open = false; })")
    browser.run("scrollTo(0, 0)")
    browser.find("#problems a[href='#pue']").click()
    assert browser.run("return document.activeElement.id") == "pue"
    browser.enter("pue", "1.2")
    browser.enter("utilization", "70")
    assert not browser.find_all("[aria-invalid]") and not browser.find("#problems").is_displayed()


def test_an_unknown_parameter_of_the_address_is_said_and_can_be_removed(server, browser):
    browser.open(server.url + RENT + "&utilisation=0.5")
    assert "did you mean utilization?" in browser.find("#problems").text
    browser.find("#problems button").click()
    browser.wait(lambda: "Buying is cheaper" in browser.verdict, "the answer")
    assert "utilisation" not in browser.query


def test_an_unknown_gpu_of_the_address_is_said(server, browser):
    browser.open(server.url + RENT.replace("h100-sxm5-80gb", "h100-sxm5-80gbb"))
    assert "NVIDIA H100 SXM5 80GB" in browser.find("#gpu-error").text


# ---- In another language ------------------------------------------------------------------------------

def test_in_german_the_page_writes_commas_and_the_address_dots(server, german):
    german.open(server.url + RENT)
    assert german.run("return navigator.language") == "de-DE"
    german.enter("utilization", "62,5")
    assert german.query["utilization"] == "0.625"
    answer = api(server, german, "break-even")
    assert f"{answer['break_even_utilization'] * 100:.1f}".replace(".", ",") in german.verdict
    drawing = urllib.parse.urlsplit(german.run("return document.querySelector('figure img').currentSrc"))
    drawn = server.get(f"{drawing.path}?{drawing.query}").text
    assert re.search(r">\d,\d M<", drawn) and not re.search(r">\d\.\d M<", drawn)
    excel = german.find_all(".ways pre")[2].text
    assert excel.startswith("=ZAHLENWERT(WEBDIENST(") and excel.endswith('");".";",")')
    assert german.complaints() == []


# ---- Forms and names -------------------------------------------------------------------------------

@pytest.mark.parametrize("question", QUESTIONS)
def test_the_form_has_every_input_of_the_contract_once_and_labelled(server, browser, question):
    browser.open(f"{server.url}/{question}")
    contract = inlined(server.get("/openapi.json").json)
    names = {each["name"] for each in contract["paths"][f"/v1/{question}"]["get"]["parameters"]}
    form = browser.run("return [...document.querySelectorAll('form [name]')].map((each) => "
                       "[each.name, each.labels.length, each.labels[0]?.textContent, each.type])")
    assert sorted(name for name, *_ in form) == sorted(names - DELIVERY)
    assert all(labels == 1 and text for _, labels, text, _ in form)
    assert not [name for name, _, _, kind in form if kind == "number"]
    assert len(browser.find_all("fieldset.basic [name]")) <= 6


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_name_the_page_knows_is_in_the_contract(server, browser, question):
    browser.open(f"{server.url}/{question}")
    known = browser.run_async(load(FILES[question], f"""({{
        inputs: [...module.{OBJECTS[question]}.basic, ...Object.keys(module.{OBJECTS[question]}.start),
                 ...module.{OBJECTS[question]}.groups.flatMap((group) => group.names.split(/\\s+/))],
        figures: [module.{OBJECTS[question]}.figure, ...module.{OBJECTS[question]}.figures]}})"""))
    on_page = {each.get_attribute("name") for each in browser.find_all("form [name]")}
    for name in known["inputs"]:
        assert name in on_page or name.endswith("*") and any(each.startswith(name[:-1]) for each in on_page), name
    assert set(known["figures"]) <= set(api(server, browser, question))


@pytest.mark.parametrize("question", [*QUESTIONS, "recommendation"])
def test_without_scripts_the_form_shows_the_answer(server, browser, question):
    browser.scripts(False)
    try:
        browser.open(f"{server.url}/{question}", answer=False)
        browser.find(f"form[action='/v1/{question}.html'] button").click()
        browser.wait(lambda: f"/v1/{question}.html?" in browser.driver.current_url, "the answer")
        asked = {name: value for name, value in browser.query.items() if value}
        shown = browser.run("return [...document.querySelectorAll('table:first-of-type tr')].slice(1).map((row) => "
                            "[...row.querySelectorAll('th, td')].slice(0, 2).map((cell) => cell.innerText.trim()))")
        browser.shoot(f"{question}-1280-no-script")
    finally:
        browser.scripts(True)
    answer = server.get(f"/v1/{question}.json", **asked).json
    figures = {name.replace(" ", "_"): value for name, value in shown}
    assert len(figures) > 10
    for name, value in figures.items():
        if isinstance(answer[name], float):
            assert float(value) == answer[name], name
        elif answer[name] is None:
            assert value == "unknown", name
    assert browser.complaints() == []


# ---- Keyboard, screens, paper ------------------------------------------------------------------------

def test_the_keyboard_reaches_and_works_everything(server, browser):
    browser.open(server.url + RENT)
    seen = []
    for _ in range(25):
        browser.tab()
        seen.append(browser.run("const at = document.activeElement; return at.id || at.tagName + ' ' + at.textContent"))
        if seen[-1] == "horizon_months":
            break
    assert seen[0].endswith("Skip to the content")
    assert [name for name in seen if name in ("gpu", "gpu_count", "utilization", "horizon_months")] == \
        ["gpu", "gpu_count", "utilization", "horizon_months"]
    before = browser.verdict
    browser.press(Keys.CONTROL, "a")
    browser.press("60", Keys.TAB)
    browser.wait(lambda: browser.verdict != before, "another verdict")
    outline = browser.run("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    folded = browser.find("details.group summary")
    browser.run("arguments[0].focus()", folded)
    folded.send_keys(Keys.ENTER)
    assert browser.find("details.group").get_attribute("open") is not None


def test_the_curves_are_read_off_with_the_arrow_keys(server, browser):
    browser.open(server.url + RENT)
    slider = browser.find("#chart-month")
    at = int(slider.get_attribute("value"))
    slider.send_keys(Keys.ARROW_LEFT)
    month = at - 1
    points = server.get("/v1/break-even/series.json" + RENT[RENT.index("?"):]).json["series"]
    point = next(each for each in points if each["month"] == month)
    picture = server.get("/v1/break-even/series.svg" + RENT[RENT.index("?"):]).text
    places = re.search(r'<polyline[^>]* points="([^"]+)"', picture).group(1).split()
    assert browser.find(".cursor").get_attribute("x1") == str(float(places[month].split(",")[0])).removesuffix(".0")
    text = browser.find(".reader output").text
    assert text.startswith(f"Month {month}: buying ${point['buy_cumulative_cost']:,.2f}, "
                           f"renting ${point['rent_cumulative_cost']:,.2f}")


def formula(browser, sentence):
    return readable(browser, sentence).replace(" * ", " × ").replace(" - ", " − ")


def open_part(browser, title):
    """The folded part called so, opened and answered."""
    browser.run("""[...document.querySelectorAll('.answer details.part')].forEach((each) => {
        if (each.querySelector('h2').textContent === arguments[0]) each.open = true; })""", title)
    browser.wait(lambda: browser.run("""return [...document.querySelectorAll('.answer details.part[open] img')]
        .some((each) => each.complete && each.naturalWidth > 0)"""), title)


def linked(browser):
    """The text of the first link of each row of the open part's table."""
    return browser.run("""return [...document.querySelectorAll('details.part[open] table tbody tr')].map((row) =>
        row.querySelector('a')?.innerText)""")


def test_other_gpus_are_ranked_and_lead_to_their_plans(server, browser):
    browser.open(f"{server.url}/training-plan?model=llama-3-8b&tokens=1e11&gpu=h100-sxm5-80gb&gpu_count=64&budget=50000")
    open_part(browser, "On other GPUs")
    rows = server.get("/v1/training-plan/options.json", model="llama-3-8b", tokens=1e11, budget=50000).json["options"]
    assert linked(browser)[:len(rows)] == all_named(browser, [row["gpu"] for row in rows])
    first = browser.find("details.part[open] table tbody tr a")
    assert first.get_attribute("href").endswith(rows[0]["plan"].replace("/v1", ""))
    first.click()
    browser.settle()
    assert api(server, browser, "training-plan")["total_cost"] == rows[0]["total_cost"]


def test_other_gpus_are_to_be_as_fast_as_the_plan(server, browser):
    browser.open(f"{server.url}/training-plan?model=llama-3-8b&tokens=1e11&gpu=h100-sxm5-80gb&gpu_count=64")
    days = math.ceil(api(server, browser, "training-plan")["days"])
    open_part(browser, "On other GPUs")
    assert f"deadline_days={days}" in browser.find("details.part[open] img").get_attribute("src")


def test_designs_on_other_gpus_lead_to_their_sizing(server, browser):
    load = "model=llama-3-70b&requests_per_minute=600&input_tokens=512&output_tokens=200&latency_p95_seconds=10"
    browser.open(f"{server.url}/inference-sizing?{load}&gpu=h100-sxm5-80gb")
    open_part(browser, "On other GPUs")
    rows = server.get(f"/v1/inference-sizing/options.json?{load}").json["options"]
    assert linked(browser)[:len(rows)] == all_named(browser, [row["gpu"] for row in rows])
    browser.find("details.part[open] table tbody tr a").click()
    browser.settle()
    assert api(server, browser, "inference-sizing")["cost_per_hour"] == rows[0]["cost_per_hour"]


def test_below_the_verdict_stands_how_sure_it_is(server, browser):
    browser.open(server.url + RENT)
    said = lambda: browser.find(".doubt").text
    browser.wait(said, "how sure it is")
    risk = server.get("/v1/break-even/risk.json", **browser.query).json
    assert f"cheaper in {round(100 * risk['probability_buy_cheaper'], 1):g}% of simulations" in said()
    cash = lambda value: f"${value / 1e6:.3g}M" if value >= 1e6 else f"${value:,.0f}"
    assert f"from renting saving {cash(-risk['buy_saving_p05'])} to buying saving {cash(risk['buy_saving_p95'])}" in said()
    assert "The biggest factor: Staff." in said()  # the rent is entered, and certain
    browser.enter("rent_price_per_gpu_hour", "1")
    browser.wait(lambda: "fewer than 0.1% of simulations" in said(), "the new answer's")
    open_part(browser, "How certain is this?")
    assert "/v1/break-even/risk.svg?" in browser.find("details.part[open] img").get_attribute("src")
    assert browser.complaints() == []


@pytest.mark.parametrize("question", [
    "training-plan?model=llama-3-8b&tokens=100000000000&gpu=h100-sxm5-80gb&gpu_count=64",
    "inference-sizing?model=llama-3-8b&gpu=h100-sxm5-80gb&requests_per_minute=100",
    "break-even?gpu=h100-sxm5-80gb&utilization=0.7"])
def test_what_moves_the_cost_is_drawn(server, browser, question):
    browser.open(f"{server.url}/{question}")
    open_part(browser, "What affects the result most")
    source = browser.find("details.part[open] img").get_attribute("src")
    assert f"/v1/{question.replace('?', '/sensitivity.svg?')}" in source


def test_what_turns_the_verdict_is_told_and_drawn(server, browser):
    asked = dict(gpu="h100-sxm5-80gb", utilization=0.7, rent_price_per_gpu_hour=4)
    browser.open(f"{server.url}/break-even?{urllib.parse.urlencode(asked)}")
    open_part(browser, "What would change the answer")
    rows = {row.find_element(By.TAG_NAME, "th").text: [cell.text for cell in row.find_elements(By.TAG_NAME, "td")]
            for row in browser.find_all("details.part[open] tbody tr")}
    point = server.get("/v1/break-even/sensitivity.json", **asked, vary="rent_price_per_gpu_hour").json
    standing, turning, verdict = rows["Rent per GPU-hour"]
    assert standing == "$4.00 per GPU-hour" and verdict == "Buy above it" and point["turning_verdict"] == "buy"
    assert float(turning.strip("$").split()[0]) == pytest.approx(point["turning_point"], abs=0.006)
    source = browser.find("details.part[open] img").get_attribute("src")
    assert "vary=utilization&vary_2=rent_price_per_gpu_hour" in source
    second = browser.find_all("details.part[open] select")[1]
    second.find_element(By.CSS_SELECTOR, "option[value=server_price]").click()
    open_part(browser, "What would change the answer")
    assert "vary_2=server_price" in browser.find("details.part[open] img").get_attribute("src")


@pytest.mark.parametrize("question", [
    "training-plan?model=llama-3-8b&tokens=100000000000&gpu=h100-sxm5-80gb&gpu_count=64",
    "inference-sizing?model=llama-3-8b&gpu=h100-sxm5-80gb&requests_per_minute=100"])
def test_each_figure_says_how_it_came_about(server, browser, question):
    browser.open(f"{server.url}/{question}")
    browser.run("""[...document.querySelectorAll('.answer details.part')].forEach((each) => {
        each.open = each.querySelector('h2').textContent === 'How each figure is calculated'; })""")
    browser.wait(lambda: browser.find_all("details.part[open] table tbody tr"), "the formulas")
    path, _, query = question.partition("?")
    rows = server.get(f"/v1/{path}/explanations.json?{query}").json["explanations"]
    shown = browser.run("""return [...document.querySelectorAll('details.part[open] table tbody tr')].map((row) =>
        [row.querySelector('th').innerText, row.innerText])""")
    assert [name for name, _ in shown] == all_named(browser, [row["key"] for row in rows])
    for (_, text), why in list(zip(shown, rows))[:5]:
        assert formula(browser, why["formula"]) in text
        assert formula(browser, why["substitution"] or why["inputs"]) in text
    first = browser.find("details.part[open] td a")
    assert server.get(first.get_attribute("href").removeprefix(server.url)).status == 200


CONTRAST = """
const rgb = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map(Number);
const light = (colour) => { const [r, g, b] = rgb(colour).map((c) => c / 255)
  .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const back = (node) => { for (let at = node; at; at = at.parentElement) {
  const colour = getComputedStyle(at).backgroundColor;
  if (!/, 0\\)$|transparent/.test(colour)) return colour; } return 'rgb(255, 255, 255)'; };
const low = [];
for (const node of document.querySelectorAll('body *')) {
  if (![...node.childNodes].some((each) => each.nodeType === 3 && each.textContent.trim())) continue;
  if (!node.checkVisibility() || node.closest('noscript')) continue;
  const style = getComputedStyle(node);
  const front = node.closest('svg') ? style.fill : style.color;
  const [a, b] = [light(front), light(back(node))].sort((x, y) => y - x);
  if ((a + 0.05) / (b + 0.05) < 4.5) low.push([front, back(node), node.outerHTML.slice(0, 100)]);
}
return low;
"""


@pytest.fixture(scope="module", params=[(page, width) for page in PAGES for width in (320, 768, 1280)],
                ids=lambda each: f"{each[0] or 'start'}-{each[1]}")
def screen(request, server, chromium):
    """A page loaded once at a width, for all that is asked of it there."""
    page, width = request.param
    chromium.ready()
    chromium.size(width)
    chromium.open(f"{server.url}/{page}", answer=page in QUESTIONS)
    if page == "docs":
        chromium.wait(lambda: chromium.find_all("#reference table"), "the reference")
    return chromium


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_screenshots_and_contrast(screen, request, scheme):
    screen.media(scheme)
    screen.shoot(request.node.callspec.id)
    assert screen.run(CONTRAST) == []
    assert screen.complaints() == []
    screen.media()


def test_no_page_scrolls_sideways(screen):
    screen.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    wide = screen.run("return [...document.querySelectorAll('body *')].filter((each) => "
                      "each.getBoundingClientRect().right > innerWidth + 1 && !each.closest('.scroll, pre, svg') "
                      "&& !each.matches('.skip')).map((each) => each.outerHTML.slice(0, 120))")
    assert wide == []
    assert screen.run("return document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_refusal_has_contrast_too(server, browser, scheme):
    browser.media(scheme)
    browser.open(server.url + RENT.replace("0.7", "7"))
    browser.shoot(f"refused-1280-{scheme}")
    assert browser.run(CONTRAST) == []


def test_forced_colours_keep_the_picture_and_its_cursor(server, browser):
    browser.media(forced="active")
    browser.open(server.url + RENT)
    browser.shoot("break-even-1280-forced")
    assert drawn(browser, "/v1/break-even/series.svg")
    stroke, back = browser.run("const style = (each) => getComputedStyle(document.querySelector(each));"
                               "return [style('.cursor').stroke, style('body').backgroundColor]")
    assert stroke != back


def test_paper_has_the_answer_and_its_address_without_the_controls(server, browser):
    browser.open(server.url + RENT)
    browser.media(media="print")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert not browser.find("form").is_displayed()
    assert browser.find(".verdict").is_displayed() and browser.find(".picture img").is_displayed()
    assert "as_of=" in browser.find(".stamp .printed").text
    assert browser.find("p.printed").text.startswith("Inputs: GPU NVIDIA H100 SXM5 80GB, Number of GPUs 8 GPUs, Utilization 70%, ")
    assert browser.run("return [...document.querySelectorAll('.answer details')].every((each) => each.open"
                       " || getComputedStyle(each).display === 'none')")
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert browser.run("return [...document.querySelectorAll('.answer details')].some((each) => !each.open)")


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_pdf_can_be_handed_on(server, browser, question):
    """A4, each page numbered, what was asked and its address on the first; no control among the figures."""
    browser.open(f"{server.url}/{question}?" + ("gpu=h100-sxm5-80gb&gpu_count=8&utilization=0.7&open=compare-gpu-types" if question == "break-even" else ""))
    if question == "break-even":
        browser.wait(lambda: browser.find_all(".gpu-types table"), "the comparison")
    pdf = base64.b64decode(browser.run_cdp("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, preferCSSPageSize=True)["data"])
    read = lambda *options: subprocess.run(["pdftotext", "-layout", *options, "-", "-"], input=pdf, capture_output=True, check=True).stdout.decode()
    pages = read().split("\f")[:-1]
    assert 3 <= len(pages) <= 12
    for number, page in enumerate(pages, 1):
        assert f"{number} of {len(pages)}" in page
        last = [line for line in page.splitlines() if line.strip()][-2].strip()
        assert last not in ("Key figures", "Full breakdown", "Summary", "All inputs used", "Prices used", "Compare GPU types"), "a heading alone"
    assert "Inputs: " in pages[0] and "as_of=" in pages[0].replace("\n", "")
    words = " ".join(pages)
    for control in ("Remove", "Reset", "Copy", "Save", "Rules of thumb", "Use this result", "Calculating"):
        assert control not in words, control
    assert "All inputs used" in words and "Prices used" in words or question == "break-even"


# ---- What is served ------------------------------------------------------------------------------

def test_the_policy_lets_nothing_foreign_or_inline_in(server, browser):
    for page in PAGES:
        policy = server.get(f"/{page}").headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
    browser.open(server.url + RENT)
    origins = browser.run("return performance.getEntriesByType('resource').map((each) => new URL(each.name).origin)")
    assert set(origins) == {server.url}
    assert not browser.find_all("[style], style, script:not([src]), [onclick], [oninput]")


def test_the_reference_lists_every_path_under_its_subject(server, browser):
    browser.show(f"{server.url}/docs")
    contract = server.get("/openapi.json").json
    for tag in contract["tags"]:
        below = browser.find(f"#{re.sub(r'[^a-z0-9]+', '-', tag['name'].lower())}")
        assert below.find_element(By.TAG_NAME, "h2").text == tag["name"]
        assert [each.text for each in below.find_elements(By.CSS_SELECTOR, "h3 code")] \
            == [path for path, each in contract["paths"].items() if tag["name"] in each["get"]["tags"]]
    links = {each.get_attribute("href").removeprefix(server.url)
             for each in browser.find_all("#reference .path > p a")}
    assert len(links) >= 6 * sum("{id}" not in path for path in contract["paths"])
    failed = [(link, status) for link in sorted(links) if (status := server.get(link).status) != 200]
    assert failed == []
    assert browser.complaints() == []


def test_every_path_of_the_reference_has_a_curl_line_that_works(server, browser):
    browser.show(f"{server.url}/docs")
    lines = {part.get_attribute("id"): part.find_elements(By.TAG_NAME, "pre")[0].text for part in browser.find_all(".path") if part.find_elements(By.TAG_NAME, "pre")}
    assert set(lines) == {re.sub(r"\W+", "-", path[1:]) for path in server.get("/openapi.json").json["paths"] if "{id}" not in path}
    for line in lines.values():
        done = subprocess.run(["bash", "-c", f"{line} --silent --fail --output /dev/null"], capture_output=True, text=True)
        assert done.returncode == 0, line


def test_the_reference_shows_the_published_replies(server, browser):
    examples = pathlib.Path(__file__).resolve().parents[2] / "api/examples"
    browser.show(f"{server.url}/docs")
    part = browser.find("#v1-break-even")
    sample = next(each for each in part.find_elements(By.CSS_SELECTOR, "details") if "Buy or rent eight H100" in each.text)
    sample.find_element(By.TAG_NAME, "summary").click()
    shown = json.loads(browser.wait(lambda: sample.find_elements(By.TAG_NAME, "pre"), "the reply")[-1].text)
    published = json.loads((examples / "break-even.reply").read_text().split("\n\n", 1)[1])
    assert published.items() and all(shown[name] == value for name, value in published.items() if not isinstance(value, (dict, list)))


def test_the_reference_is_searched(server, browser):
    browser.show(f"{server.url}/docs")
    browser.find("#find").send_keys("electricity price")
    paths = [each.text for each in browser.find_all(".path:not([hidden]) h3")]
    assert "/v1/electricity-prices" in paths and "/v1/break-even" in paths and "/v1/gpus" not in paths
    assert browser.find("#reference [role=status]").text == f"{len(paths)} paths"
    assert {each.text for each in browser.find_all(".contents li a") if each.is_displayed()} == set(paths)
    browser.find("#find").send_keys(" zzz")
    assert browser.find("#reference [role=status]").text == "Nothing matches." and not browser.find_all(".path:not([hidden])")


def test_the_page_is_small(server):
    files = [path for path in STATIC.iterdir() if path.is_file()]
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) < 100_000


def test_the_short_list_leads_to_its_plans(server, browser):
    browser.open(f"{server.url}/recommendation")
    answer = api(server, browser, "recommendation")
    first = next(each for each in answer["options"] if each["rank"] == answer["recommended_rank"])
    for part in (f"{first['train_gpu_count']:,.0f} × {named(browser, first['train_gpu'])}", f"You would pay ${first['payments']:,.0f} over",
                 f"${first['total_cost']:,.0f} including cost of capital"):
        assert part in browser.verdict, part
    assert len(browser.find_all("fieldset.basic [name]")) <= 6
    rows = browser.find_all(".answer section:first-child table tbody tr")
    assert len(rows) == len(answer["options"])
    for row, option in zip(rows, answer["options"]):
        links = [link.get_attribute("href") for link in row.find_elements(By.TAG_NAME, "a")]
        assert links[0].endswith(option["train_plan"].replace("/v1/", "/"))
        assert links[-1].endswith(option["break_even"].replace("/v1/", "/"))
    assert browser.complaints() == []
    browser.enter("budget", "1")
    browser.wait(lambda: "Nothing meets all your limits" in browser.verdict, "the refusal")


@pytest.mark.parametrize("question, figure, said", [
    ("training-plan", "total_cost", "costs"), ("inference-sizing", "cost_per_hour", "an hour"),
    ("break-even", "buy_saving", "saves")])
def test_each_input_says_how_it_moves_the_answer(server, browser, question, figure, said):
    browser.open(f"{server.url}/{question}")
    effects = server.get(f"/v1/{question}/sensitivity.json", **browser.query).json["effects"]
    moved = browser.wait(lambda: browser.run("return Object.fromEntries([...document.querySelectorAll('.moves')]"
                                             ".filter((each) => each.textContent)"
                                             ".map((each) => [each.id.replace('-moves', ''), each.textContent]))"), "the moves")
    on_page = {each.get_attribute("name") for each in browser.find_all("form [name]")}
    known = {row["input"]: row for row in effects
             if row["input"] in on_page and None not in (row[f"{figure}_at_low"], row[f"{figure}_at_high"])}
    assert moved.keys() == known.keys() and len(moved) >= 4
    for name, row in known.items():
        if "No effect" in moved[name]:
            assert row[f"{figure}_at_low"] == pytest.approx(row[f"{figure}_at_high"], rel=5e-3)
            continue
        for end, words in zip(("low", "high"), moved[name].split(". ")):
            amount = re.findall(r"[$][\d,.]+[KMB]?", words)[-1].rstrip(".")
            size = float(amount.strip("$KMB").replace(",", "")) * {"M": 1e6, "B": 1e9}.get(amount[-1], 1)
            assert said in words and math.isclose(size, abs(row[f"{figure}_at_{end}"]), rel_tol=5e-3, abs_tol=0.6), (name, words)


def test_the_answer_stands_until_the_next_one_is_there(server, browser):
    browser.open(server.url + RENT)
    browser.run("""window.empty = 0; const body = [...document.querySelectorAll('.answer')].at(-1); // the first is for phones
        new MutationObserver(() => { window.empty += !body.children.length || !document.querySelector('.verdict').textContent; })
            .observe(document.querySelector('main'), { childList: true, subtree: true });""")
    first = browser.verdict
    browser.enter("gpu_count", "24")
    assert browser.verdict != first and browser.run("return window.empty") == 0


def test_an_opened_part_stays_open_and_is_there_with_the_next_answer(server, browser):
    browser.open(server.url + RENT)
    open_part(browser, "What affects the result most")
    old = browser.find("details.part[open] tbody").text
    browser.run("""window.waited = 0;
        new MutationObserver(() => { window.waited += document.querySelector('details.part[open]')?.textContent.includes('Calculating') ?? 1; })
            .observe(document.querySelector('main'), { childList: true, subtree: true });""")
    browser.enter("gpu_count", "24")
    assert browser.find("details.part[open] tbody").text != old
    assert browser.run("return window.waited") == 0


@pytest.mark.parametrize("question", ["training-plan", "inference-sizing"])
def test_a_figure_says_in_place_how_it_came_about(server, browser, question):
    browser.open(f"{server.url}/{question}")
    browser.wait(lambda: browser.find_all(".figures .why"), "the reasons")
    rows = {row["key"]: row for row in server.get(f"/v1/{question}/explanations.json", **browser.query).json["explanations"]}
    seen = 0
    for card in browser.find_all(".figures > div"):
        name = card.find_element(By.CLASS_NAME, "value").get_attribute("data-field")
        for reason in card.find_elements(By.CLASS_NAME, "why"):
            reason.find_element(By.TAG_NAME, "summary").click()
            assert formula(browser, rows[name]["formula"]) in reason.text
            assert formula(browser, rows[name]["substitution"] or rows[name]["inputs"]) in reason.text
            seen += 1
    assert seen >= 8


def test_the_sums_of_buy_or_rent_say_what_they_are_made_of(server, browser):
    browser.open(server.url + RENT)
    answer = api(server, browser, "break-even")
    formulas = {card.find_element(By.CLASS_NAME, "value").get_attribute("data-field"):
                [part.get_attribute("textContent") for part in card.find_elements(By.CSS_SELECTOR, ".why p")]
                for card in browser.find_all(".figures > div")}
    called = {f"“{text}”": name for name, text in zip(answer, all_named(browser, list(answer)))}
    in_code = lambda line: re.sub("“[^”]+”", lambda found: called[found.group()], line).replace("−", "-")
    worked_out = {name: eval(in_code(lines[0]), {"__builtins__": {}}, answer) for name, lines in formulas.items() if lines}
    assert len(worked_out) == 5
    assert worked_out == {name: pytest.approx(answer[name], rel=1e-5) for name in worked_out}


@pytest.mark.parametrize("title, path", [("What affects the result most", "sensitivity"), ("How certain is this?", "risk")])
def test_beside_a_picture_stand_its_figures(server, browser, title, path):
    browser.open(server.url + RENT)
    open_part(browser, title)
    reply = server.get(f"/v1/break-even/{path}.json", **browser.query).json
    shown = browser.wait(lambda: [row.text for row in browser.find_all("details.part[open] tbody tr")], "the table")
    if path == "risk":
        assert f"${reply['buy_saving_p50']:,.2f}".replace("$-", "-$") in shown[1]
        assert len(shown) == 3 + len(reply["drawn_inputs"])
    else:
        assert len(shown) == len(reply["effects"])
        first = reply["effects"][0]
        assert all(f"${abs(first[f'buy_saving_at_{end}']):,.2f}" in shown[0] for end in ("low", "high"))


def test_a_sizing_says_which_side_of_the_ridge_it_works_on(server, browser):
    browser.open(f"{server.url}/inference-sizing")
    open_part(browser, "Limited by memory or by compute")
    answer = api(server, browser, "inference-sizing")
    assert drawn(browser, f"/v1/gpus/{answer['inputs']['gpu']['value']}.svg")
    shown = browser.find("details.part[open] tbody").text
    assert f"{answer['ridge_point_flop_per_byte']:.1f} FLOP/byte" in shown and answer["bound"].capitalize() in shown


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_picture_and_the_table_beside_it_call_the_inputs_the_same(server, browser, question):
    browser.open(f"{server.url}/{question}?open=what-moves-the-cost")
    title = browser.wait(lambda: browser.find_all("details[data-part=what-moves-the-cost] img"), "the picture")[0]
    names = re.findall(r'text-anchor="end">([^<]+)<', server.get(title.get_attribute("src").removeprefix(server.url)).text)
    table = browser.run("return [...document.querySelectorAll('[data-part=what-moves-the-cost] tbody th')]"
                        ".map((each) => each.textContent)")
    assert 5 < len(names) <= 20 and names == table[:len(names)]
    assert not any("_" in name for name in names)


def test_a_heading_says_its_unit_once(server, browser):
    browser.show(f"{server.url}/catalogue?list=gpus")
    heads = [each.text for each in browser.find_all(".answer thead th")]
    assert "Compute per 1,000 USD TFLOP/s" in heads and "Memory GiB" in heads
    browser.open(server.url + RENT)
    fields = browser.run("return [...document.querySelectorAll('.entry .unit')].map((each) => "
                         "[document.querySelector(`label[for=${each.id.replace('-unit', '')}]`).textContent, each.textContent])")
    assert [["Rent per GPU-hour", "USD per GPU-hour"], ["Electricity price", "USD per kWh"], ["Utilization", "%"],
            ["Lead time", "months"]] == sorted((each for each in fields if each[0] in (
                "Rent per GPU-hour", "Electricity price", "Utilization", "Lead time")), key=lambda each: "REUL".index(each[0][0]))


def test_the_hosted_api_is_in_both_verdicts_and_in_the_list(server, browser):
    load = "model=gpt-oss-120b&daily_users=1000&requests_per_user_per_day=10"
    browser.open(f"{server.url}/recommendation?workload=serve&{load}")
    answer = api(server, browser, "recommendation")
    assert f"The hosted API costs ${answer['hosted_total_cost']:,.0f}" in browser.verdict
    assert f"median of {answer['hosted_provider_count']} providers" in browser.verdict
    assert f"({answer['hosted_until_daily_users']:,.0f} users a day)" in browser.verdict
    last = browser.find_all(".answer section:first-child table tbody tr")[-1]
    assert "Hosted API" in last.text and f"${answer['hosted_total_cost']:,.0f}" in last.text
    link = last.find_element("css selector", "a")
    assert link.text == f"{answer['hosted_provider_count']} providers" and "hosted-prices" in link.get_attribute("href")
    browser.open(f"{server.url}/break-even?{load}&gpu={answer['recommended_gpu']}")
    assert api(server, browser, "break-even")["hosted_total_cost"] == answer["hosted_total_cost"]
    assert f"The hosted API costs ${answer['hosted_total_cost']:,.0f}" in browser.verdict
    assert "Its provider sees your data" in browser.verdict
    browser.open(f"{server.url}/break-even?{load}&gpu={answer['recommended_gpu']}&hosted=0")
    assert "hosted API" not in browser.verdict
    assert browser.complaints() == []


def test_what_does_not_fit_names_the_format_that_would(server, browser):
    browser.show(f"{server.url}/inference-sizing?model=llama-3.3-70b&gpu=rtx-4090&gpu_count=2&concurrent_requests=1")
    assert "The smallest setup that works: 8 GPUs. With “Weight format: INT4” it fits as stated." in browser.settle()
