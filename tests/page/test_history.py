"""Prices over time: the days one chooses by button, date or drag are those the API draws and lists."""
import datetime

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import worded

VIEW = "/catalogue?list=offers&gpu=h100-sxm5-80gb&purchase_option=on_demand"
FILTERS = dict(gpu="h100-sxm5-80gb", purchase_option="on_demand")
LINES = "return [...document.querySelectorAll('.history tbody tr')].map((row) => [row.cells[0].textContent, row.cells[1].textContent])"


def assert_shows(server, browser, **days):
    """The picture, its links and the table are of those days."""
    browser.wait(lambda: browser.run("return !document.querySelector('.history [role=status]')"), "the observations")
    wanted = server.get("/v1/offers/history.json", sort="-observed_date", **FILTERS, **days).json["rows"]
    providers = worded(browser, [row["provider"] for row in wanted])
    assert browser.run(LINES) == [[row["observed_date"] or "undated", provider] for row, provider in zip(wanted, providers)]
    if not wanted:
        assert "No price was seen" in browser.find(".history").text
    query = "&".join(f"{name}={value}" for name, value in (FILTERS | days).items())
    assert browser.find(".history img").get_attribute("src") == f"{server.url}/v1/offers/history.svg?{query}"
    assert [each.get_attribute("href").removeprefix(server.url) for each in browser.find_all(".history figcaption a")] \
        == [f"/v1/offers/history.{format}?{query}" for format in ("svg", "csv")]
    shown = {name: value for name, value in browser.query.items() if name.endswith("_date")}
    assert shown == days


def today(server):
    return datetime.date.fromisoformat(server.get("/v1/offers.json", limit=1).json["as_of"])


@pytest.mark.parametrize("button, months", [("1 month", 1), ("3 months", 3), ("1 year", 12)])
def test_a_button_shows_the_last_months_and_back_all_again(server, browser, button, months):
    browser.show(server.url + VIEW)
    assert_shows(server, browser)
    chosen = next(each for each in browser.find_all(".spans button") if each.text == button)
    chosen.send_keys(Keys.ENTER)
    day, index = today(server), today(server).year * 12 + today(server).month - 1 - months
    first = datetime.date(index // 12, index % 12 + 1, 1)
    last = (first.replace(day=28) + datetime.timedelta(4)).replace(day=1) - datetime.timedelta(1)
    assert_shows(server, browser, from_date=str(first.replace(day=min(day.day, last.day))))
    assert [each.text for each in browser.find_all(".spans [aria-pressed=true]")] == [button]
    assert browser.run("return document.activeElement.textContent") == button, "the focus stays"
    browser.show(browser.driver.current_url)
    assert [each.text for each in browser.find_all(".spans [aria-pressed=true]")] == [button], "a link restores it"
    browser.driver.back()
    browser.wait(lambda: "from_date" not in browser.query, "back")
    browser.wait(lambda: [each.text for each in browser.find_all(".spans [aria-pressed=true]")] == ["All"], "all")
    assert_shows(server, browser)
    assert browser.complaints() == []


def test_dates_are_entered_with_the_keys(server, browser):
    browser.show(server.url + VIEW)
    browser.find("#history-from").send_keys("03012025")
    browser.wait(lambda: browser.query.get("from_date") == "2025-03-01", "from")
    browser.find("#history-to").send_keys("12312025")
    browser.wait(lambda: browser.query.get("to_date") == "2025-12-31", "to")
    assert_shows(server, browser, from_date="2025-03-01", to_date="2025-12-31")


def test_days_are_dragged_out_of_the_picture(server, browser):
    browser.show(f"{server.url}{VIEW}&from_date=2025-01-01&to_date=2025-12-31")
    layer = browser.wait(lambda: browser.find_all(".history .layer[viewBox]"), "the layer")[0]
    browser.run("arguments[0].scrollIntoView({ block: 'center' })", layer)
    left, width = browser.run("const box = arguments[0].getBoundingClientRect(); return [box.left, box.width]", layer)
    middle = width / 2
    at = lambda share: (78 + share * (720 - 96 - 78)) / 720 * width - middle
    ActionChains(browser.driver).move_to_element_with_offset(layer, round(at(0.25)), 0).click_and_hold() \
        .move_to_element_with_offset(layer, round(at(0.75)), 10).release().perform()
    browser.wait(lambda: browser.query["from_date"] != "2025-01-01", "the days dragged")
    days = [datetime.date.fromisoformat(browser.query[name]) for name in ("from_date", "to_date")]
    wanted = [datetime.date(2025, 1, 1) + datetime.timedelta(364 * share) for share in (0.25, 0.75)]
    assert all(abs((day - want).days) <= 2 for day, want in zip(days, wanted)), days
    assert_shows(server, browser, from_date=str(days[0]), to_date=str(days[1]))


def test_without_a_gpu_there_is_no_history_and_a_wrong_day_is_said(server, browser):
    browser.show(f"{server.url}/catalogue?list=offers")
    assert not browser.find_all(".history")
    browser.show(f"{server.url}{VIEW}&from_date=2026-02-01&to_date=2026-01-01")
    browser.wait(lambda: browser.find_all(".history .error"), "what is wrong")
    assert "before from_date" in browser.find(".history").text
