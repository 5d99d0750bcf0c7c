"""Several kinds of GPU side by side on the page: what /v1/break-even/gpus answers, and links that hold it."""
import csv
import io
import urllib.parse

import pytest
from selenium.webdriver.common.keys import Keys

from browser import readable

ASKED = "gpu=h100-sxm5-80gb&gpu_count=8&utilization=0.7&horizon_months=36"
PART = "details[data-part=compare-gpu-types]"
LOAD = "model=llama-2-70b&requests_per_minute=100&gpu=h100-sxm5-80gb"


def show(server, browser, query=ASKED, **own):
    browser.show(f"{server.url}/break-even?{query}&open=compare-gpu-types&{urllib.parse.urlencode(own)}")
    browser.wait(lambda: browser.find_all(f"{PART} .gpu-types > *"), "the comparison")


def rows(browser):
    return browser.run("""return document.querySelector(`${arguments[0]} table:not(.entries)`)
        .querySelectorAll('tbody tr').values().map((row) => [...row.cells].map((cell) => cell.innerText.trim())).toArray()""", PART)


def csv_link(browser):
    links = [each.get_attribute("href") for each in browser.find_all(f"{PART} .formats a")]
    return next(link for link in links if "gpus.csv" in link)


def reply(server, browser):
    """The API's answer to what the part's own links ask."""
    path, _, query = csv_link(browser).removeprefix(server.url).partition(".csv?")
    answer = server.get(f"{path}.json?{query}")
    assert answer.status == 200 and path == "/v1/break-even/gpus"
    return answer.json, dict(urllib.parse.parse_qsl(query))


@pytest.mark.parametrize("query", [ASKED, LOAD])
def test_the_table_is_the_apis_and_every_link_leads_to_the_same(server, browser, query):
    show(server, browser, query, gpus="h100-sxm5-80gb a100-sxm4-80gb h200-sxm5-141gb")
    answer, asked = reply(server, browser)
    inputs = dict(urllib.parse.parse_qsl(query)) | {"gpu": "h100-sxm5-80gb,a100-sxm4-80gb,h200-sxm5-141gb"}
    assert asked == inputs
    names = {row["gpu"]: row["name"] for row in server.get("/v1/gpus.json").json["rows"]}
    cash = lambda value: f"${value / 1e6:.3g}M" if abs(value) >= 1e6 else f"${value:,.0f}"
    shown = rows(browser)
    assert [row[0] for row in shown] == [names[option["gpu"]] for option in answer["options"]]
    for row, option in zip(shown, answer["options"]):
        assert row[1] == f"{option['gpu_count']:,}" and row[3] == option["verdict"].capitalize()
        assert row[4:6] == [cash(option["buy_total_cost"]), cash(option["rent_total_cost"])]
    assert (len(shown[0]) == 8) is (query == LOAD), "what a million tokens cost where there is a load"
    said = browser.find(f"{PART} .summary").text
    assert cash(answer["best_total_cost"]) in said and names[answer["best_gpu"]] in said
    warnings = [(warning["code"], readable(browser, warning["detail"]).strip(".").lower()) for warning in answer["warnings"]]
    told = [(each.get_attribute("data-code"), each.text.strip(".").lower()) for each in browser.find_all(f"{PART} .warnings li")]
    assert sorted(told) == sorted(warnings)
    assert query == LOAD or told[0][0] == "not_the_same_work"
    image = browser.find(f"{PART} img").get_attribute("src")
    links = [each.get_attribute("href") for each in browser.find_all(f"{PART} a[href*='/v1/']")]
    assert {link.split("?")[1] for link in [*links, image]} == {csv_link(browser).split("?")[1]}
    assert {link.split("?")[0].rsplit(".")[-1] for link in [*links, image]} >= {"csv", "tsv", "json", "xml", "html", "svg"}
    for link in [*links, image]:
        assert server.get(link.removeprefix(server.url)).status == 200, link
    sheet = list(csv.DictReader(io.StringIO(server.get(csv_link(browser).removeprefix(server.url)).text)))
    assert [float(row["least_total_cost"]) for row in sheet] == [option["least_total_cost"] for option in answer["options"]]
    page = browser.find(f"{PART} tbody a").get_attribute("href")
    browser.open(page)
    own = server.get("/v1/break-even.json", **browser.query).json
    assert own["buy_total_cost"] == answer["options"][0]["buy_total_cost"]
    assert browser.complaints() == []


def test_kinds_are_added_priced_and_left_out_with_the_keys_and_a_link_holds_them(server, browser):
    show(server, browser, gpus="h100-sxm5-80gb a100-sxm4-80gb")
    add = browser.find(f"{PART} select")
    add.send_keys("Instinct MI210")
    add.send_keys(Keys.TAB)
    assert browser.address["gpus"] == "h100-sxm5-80gb a100-sxm4-80gb", "nothing is added on the way there"
    browser.press(Keys.ENTER)
    browser.wait(lambda: browser.address["gpus"] == "h100-sxm5-80gb a100-sxm4-80gb mi210", "the address")
    browser.wait(lambda: len(rows(browser)) == 3, "three kinds")
    assert "MI210" in "".join(row[0] for row in rows(browser)) and "a price is unknown" in str(rows(browser))
    box = next(each for each in browser.find_all(f"{PART} input") if each.get_attribute("aria-label").startswith("Rent per GPU-hour of AMD"))
    assert box.get_attribute("placeholder") == "unknown"
    box.send_keys("1.99", Keys.ENTER)
    browser.wait(lambda: browser.address.get("rent_prices") == "mi210:1.99", "the price in the address")
    browser.wait(lambda: "a price is unknown" not in str(rows(browser)), "its verdict")
    answer, asked = reply(server, browser)
    assert asked["rent_prices"] == "mi210:1.99"
    assert {option["gpu"]: option["rent_price_per_gpu_hour"] for option in answer["options"]}["mi210"] == 1.99
    assert browser.run("return document.activeElement.getAttribute('aria-label')").startswith("Rent per GPU-hour of AMD")
    shown = rows(browser)
    browser.show(browser.driver.current_url)
    browser.wait(lambda: rows(browser) == shown, "the same again")
    leave = next(each for each in browser.find_all(f"{PART} button") if "A100" in each.get_attribute("aria-label"))
    leave.send_keys(Keys.SPACE)
    browser.wait(lambda: len(rows(browser)) == 2, "two kinds")
    browser.driver.back()
    browser.wait(lambda: len(browser.find_all(f"{PART} tbody")) and browser.address["gpus"].count(" ") == 2, "back")
    browser.wait(lambda: rows(browser) == shown, "three again")


def test_prices_of_the_form_are_those_of_its_gpu_and_what_is_of_one_kind_stays_out(server, browser):
    show(server, browser, f"{ASKED}&rent_price_per_gpu_hour=6.88&server_price=250000&gpu_tdp_w=650")
    _, asked = reply(server, browser)
    assert asked["rent_prices"] == "h100-sxm5-80gb:6.88" and asked["server_prices"] == "h100-sxm5-80gb:250000"
    assert "gpu_tdp_w" not in asked and "rent_price_per_gpu_hour" not in asked
    assert asked["gpu"].split(",")[0] == "h100-sxm5-80gb" and len(rows(browser)) >= 4


def test_a_price_that_is_none_is_refused_in_place(server, browser):
    show(server, browser, gpus="h100-sxm5-80gb a30", rent_prices="a30:cheap")
    assert "No comparison" in browser.find(f"{PART} .error").text
    assert browser.find_all(f"{PART} input"), "it can be corrected there"


def test_the_cheapest_gpu_on_derived_rents_says_so(server, browser):
    show(server, browser, "gpu=h100-sxm5-80gb&gpu_count=8&utilization=0.9", gpus="h100-sxm5-80gb b200-sxm")
    told = browser.find(f"{PART} .summary").text
    assert "H100" in told and told.endswith("ask for a quote first."), told
