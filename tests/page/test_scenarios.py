"""Scenarios by name in the browser, as a file, side by side; and the sheet for those who sign."""
import base64
import json
import re
import subprocess
import urllib.parse

import pytest
from selenium.webdriver.common.by import By

RENT = "/break-even?gpu=h100-sxm5-80gb&gpu_count=8&utilization=0.7&horizon_months=36" \
       "&rent_price_per_gpu_hour=6.88&server_price=300000"


@pytest.fixture(autouse=True)
def empty(server, browser):
    browser.open(f"{server.url}/docs", answer=False)
    browser.run("localStorage.clear()")


def press(browser, name):
    button = browser.driver.find_element(By.XPATH, f"//*[contains(@class, 'scenarios')]//button[.='{name}']")
    browser.run("arguments[0].click()", button)


def save(browser, name):
    box = browser.find("#scenario-name")
    browser.run("arguments[0].value = arguments[1]", box, name)
    press(browser, "Save scenario")
    assert name in browser.find(".scenarios fieldset").text


def tick(browser, *names):
    for row in browser.find_all(".scenarios .pick"):
        if row.text in names:
            browser.run("arguments[0].querySelector('input').click()", row)


def stored(browser):
    return json.loads(browser.run("return localStorage.getItem('gpuplan.scenarios')"))


def test_scenarios_are_kept_by_name_and_compared_side_by_side(server, browser):
    browser.open(server.url + RENT)
    save(browser, "As offered")
    browser.enter("gpu_count", "16")
    save(browser, "Twice")
    browser.enter("utilization", "30")
    save(browser, "Half idle")
    browser.open(server.url + RENT)
    assert [each.text for each in browser.find_all(".scenarios .pick")] == ["As offered", "Twice", "Half idle"]
    tick(browser, "As offered", "Twice", "Half idle")
    table = browser.wait(lambda: browser.find_all("table:has(caption)") and browser.driver.find_elements(
        By.XPATH, "//table[caption='Scenarios side by side']"), "the table")[0]
    assert [each.text for each in table.find_elements(By.CSS_SELECTOR, "thead th")][1:] == ["As offered", "Twice", "Half idle"]
    rows = {row.find_element(By.TAG_NAME, "th").text: [cell.text for cell in row.find_elements(By.TAG_NAME, "td")]
            for row in table.find_elements(By.CSS_SELECTOR, "tbody tr")}
    assert rows["Number of GPUs"] == ["8 GPUs", "16 GPUs", "16 GPUs"] and rows["Utilization"] == ["70%", "70%", "30%"]
    for name, query, shown in zip(("a", "b", "c"), (each["query"] for each in stored(browser)), rows["Total cost of buying"]):
        assert f"${server.get(f'/v1/break-even.json?{query}').json['buy_total_cost']:,.2f}" == shown, name
    tick(browser, "Half idle")
    browser.wait(lambda: browser.find_all(".compare .summary"), "why the two differ, step by step")
    browser.driver.find_element(By.CSS_SELECTOR, "[aria-label='Delete Twice']").click()
    assert [each["name"] for each in stored(browser)] == ["As offered", "Half idle"]
    assert browser.complaints() == []


def test_scenarios_are_taken_out_and_in_as_a_file(server, browser, tmp_path):
    browser.open(server.url + RENT)
    save(browser, "As offered")
    export = browser.find(".scenarios a[download]")
    assert export.get_attribute("download") == "gpuplan-scenarios.json"
    text = urllib.parse.unquote(export.get_attribute("href").partition(",")[2])
    assert json.loads(text) == stored(browser)
    path = tmp_path / "scenarios.json"
    path.write_text(text)
    browser.run("localStorage.clear()")
    browser.open(server.url + RENT)
    assert not browser.find_all(".scenarios .pick")
    browser.find("#scenario-file").send_keys(str(path))
    browser.wait(lambda: browser.find_all(".scenarios .pick"), "the scenario")
    assert [each.text for each in browser.find_all(".scenarios .pick")] == ["As offered"]
    path.write_text('{"not": "a list"}')
    browser.find("#scenario-file").send_keys(str(path))
    browser.wait(lambda: "not a scenario file" in browser.find(".compare").text, "the refusal")
    assert [each["name"] for each in stored(browser)] == ["As offered"]


@pytest.mark.parametrize("question", ["training-plan", "inference-sizing", "break-even", "recommendation"])
def test_the_brief_is_a_sheet_with_assumptions_and_their_sources(server, browser, question):
    browser.open(f"{server.url}/{question}?open=brief" if question != "break-even" else server.url + RENT + "&open=brief")
    browser.run("window.print = () => {}")
    browser.run("document.querySelector('[data-part=brief] button').click()")
    pdf = base64.b64decode(browser.run_cdp("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, preferCSSPageSize=True)["data"])
    words = subprocess.run(["pdftotext", "-layout", "-", "-"], input=pdf, capture_output=True, check=True).stdout.decode()
    pages = words.split("\f")[:-1]
    assert len(pages) == (1 if question == "break-even" else len(pages)) <= 2
    for part in ("Assumptions", "Sources", "Approved by", "[1]", "as_of="):
        assert part in words.replace("\n", "").replace(" ", "") or part in words, part
    assert "Full breakdown" not in words and "Your inputs" not in words


def test_two_scenarios_have_a_waterfall_of_why(server, browser):
    a, b = ("/v1/break-even?gpu=h100-sxm5-80gb&gpu_count=8&utilization=0.7", "/v1/break-even?gpu=h100-sxm5-80gb&gpu_count=8&utilization=0.9&horizon_months=48")
    why = server.get("/v1/compare", a=a, b=b).json
    browser.open(f"{server.url}{b.removeprefix('/v1')}&a={urllib.parse.quote(a, safe='')}")
    browser.wait(lambda: browser.find_all("svg.waterfall"), "the waterfall")
    bars = browser.run("return [...document.querySelectorAll('.waterfall rect')].map((each) => [each.getAttribute('class'), each.getBBox().width])")
    assert [kind for kind, _ in bars] == ["whole", *("more" if step["effect"] > 0 else "less" for step in why["why"]), "whole"]
    scale = bars[0][1] / abs(why["a"])
    for (_, width), amount in zip(bars[1:-1], (step["effect"] for step in why["why"])):
        assert abs(width - abs(amount) * scale) < 1.5


def test_what_differs_fits_beside_its_name(browser, server):
    """A sentence among the figures made the table four times as wide as the view."""
    browser.size(1280)
    a = urllib.parse.quote("/v1/break-even?gpu=h100-sxm5-80gb&gpu_count=8&utilization=0.7", safe="")
    browser.show(f"{server.url}/break-even?a={a}&gpu=h100-sxm5-80gb&gpu_count=16&utilization=0.8")
    table = "[...document.querySelectorAll('caption')].find((each) => each.textContent === '{}')?.closest('table')"
    browser.wait(lambda: browser.run(f"return {table.format('Figures that differ')}"), "the comparison")
    for caption in ("Figures that differ", "Lines that differ", "Step by step"):
        wide, room = browser.run(f"const found = {table.format(caption)}; return [found.offsetWidth, found.closest('.result, main').clientWidth]")
        assert wide <= room, caption
    steps = browser.run(f"return {table.format('Step by step')}.textContent")
    assert "“Utilization” 0.8 instead of 0.7" in steps and re.search(r"rises by \$[\d,]+ to \$[\d.,]+M?", steps)


def test_a_verdict_on_derived_rents_is_not_signed_unwarned(server, browser):
    """Published rents alone say the contrary: the headline and the sheet for sign-off both say what to do first."""
    asked = "/break-even?gpu=h100-sxm5-80gb&gpu_count=8&horizon_months=36&open=brief&utilization="
    told = "This rests on rents derived from on-demand prices: ask for a quote first."
    for utilization, said in (("0.9", True), ("0.7", False)):
        browser.open(server.url + asked + utilization)
        assert (told in browser.verdict) is said
        assert (told in browser.run("return document.querySelector('[data-part=brief]').textContent")) is said
