"""Every state of a view is in its address: a link restores it, the back button goes through it."""
import pytest

RENT = "/break-even?gpu=h100-sxm5-80gb&gpu_count=8&utilization=0.7&horizon_months=36" \
       "&rent_price_per_gpu_hour=6.88&server_price=300000"
OPEN = "return [...document.querySelectorAll('details[open][data-part]')].map((each) => each.dataset.part).sort()"


def opened(browser):
    return browser.run(OPEN)


def fold(browser, part, on=True):
    """Open or fold a part by its heading, as a person does; until the address says it."""
    before = browser.driver.current_url
    browser.wait(lambda: browser.find_all(f"[data-part='{part}']"), part)
    assert browser.run("return document.querySelector(`[data-part='${arguments[0]}']`).open", part) is not on
    browser.run("document.querySelector(`[data-part='${arguments[0]}'] > summary`).click()", part)
    browser.wait(lambda: browser.driver.current_url != before, "the address")


@pytest.mark.parametrize("view, parts", [
    (RENT, ["compare-gpu-types", "inputs-people", "what-turns-the-verdict", "why-buy-total-cost"]),
    ("/training-plan", ["inputs-strategy", "why-days"]),
    ("/inference-sizing", ["inputs-the-design", "lines-at-zero", "why-gpu-count"]),
    ("/recommendation", ["inputs-in-force", "inputs-jobs"])])
def test_what_is_open_is_in_the_address_and_a_link_opens_it(server, browser, view, parts):
    browser.open(server.url + view)
    for part in parts:
        fold(browser, part)
    assert browser.address["open"].split() == parts
    link = browser.find(".stamp a").get_attribute("href")
    asked = browser.query
    browser.open("about:blank", answer=False)
    browser.show(link)
    browser.wait(lambda: opened(browser) == sorted(parts), "what was open")
    assert asked.items() <= browser.query.items() and browser.address["open"].split() == parts
    assert server.get("/v1" + view.split("?")[0], **browser.query).status == 200
    browser.wait(lambda: "Calculating" not in browser.run("return document.querySelector('details.part[open]')?.textContent ?? ''"),
                 "what is open asks the API")
    for part in parts:
        fold(browser, part, on=False)
    assert browser.address.get("open", "nothing") == "nothing"
    assert browser.complaints() == []


def test_a_group_that_holds_something_is_open_unless_the_address_says_otherwise(server, browser):
    browser.open(f"{server.url}{RENT}&staff_fte=1")
    assert opened(browser) == ["inputs-people"] and "open" not in browser.address
    fold(browser, "inputs-people", on=False)
    assert browser.address["open"] == "nothing"
    browser.show(browser.driver.current_url)
    assert opened(browser) == [] and browser.query["staff_fte"] == "1"
    fold(browser, "inputs-people")
    assert "open" not in browser.address, "as usual again"


def test_back_gives_what_was_open_with_what_was_asked(server, browser):
    browser.open(server.url + RENT)
    fold(browser, "what-moves-the-cost")
    browser.enter("gpu_count", "24")
    fold(browser, "inputs-in-force")
    fold(browser, "what-moves-the-cost", on=False)
    browser.driver.back()
    browser.wait(lambda: browser.query["gpu_count"] == "8", "the former question")
    browser.settle()
    browser.wait(lambda: opened(browser) == ["what-moves-the-cost"], "what was open then")
    browser.driver.forward()
    browser.wait(lambda: browser.query["gpu_count"] == "24", "the later question")
    browser.settle()
    browser.wait(lambda: opened(browser) == ["inputs-in-force"], "what was open later")


def test_what_is_chosen_in_a_part_is_in_the_address(server, browser):
    browser.open(f"{server.url}{RENT}&open=what-turns-the-verdict")
    picture = "return document.querySelector('[data-part=what-turns-the-verdict] img')?.src ?? ''"
    browser.wait(lambda: "vary=utilization&vary_2=rent_price_per_gpu_hour" in browser.run(picture), "the picture")
    choose = "const box = document.querySelector(arguments[0]); box.value = arguments[1];" \
             "box.dispatchEvent(new Event('change', { bubbles: true }))"
    browser.run(choose, "[data-part=what-turns-the-verdict] label + label select", "staff_fte")
    browser.run(choose, "#use-field", "buy_saving")
    browser.run(choose, "#use-speech", "de")
    browser.run(choose, "#chart-month", 12)
    chosen = {name: browser.address.get(name) for name in ("vary_2", "field", "speech", "month")}
    assert chosen == {"vary_2": "staff_fte", "field": "buy_saving", "speech": "de", "month": "12"}
    browser.show(browser.driver.current_url)
    assert "vary_2=staff_fte" in browser.run(picture)
    assert "field=buy_saving" in browser.find(".ways").text and "WEBDIENST" in browser.find(".ways").text
    assert browser.find(".reader output").text.startswith("Month 12:")
    assert server.get("/v1/break-even", **browser.query).status == 200


def test_the_catalogue_keeps_its_opened_sources(server, browser):
    browser.show(f"{server.url}/catalogue?list=gpus&q=a30")
    browser.find(".answer tbody button").click()
    browser.wait(lambda: browser.address.get("sources") == "a30", "the address")
    browser.show(browser.driver.current_url)
    browser.wait(lambda: browser.find_all(".behind tbody tr"), "the sources")
    browser.find(".answer tbody button").click()
    browser.wait(lambda: "sources" not in browser.address, "the address")
    assert not browser.find_all(".behind")


def test_the_reference_opens_where_a_link_says(server, browser):
    browser.show(f"{server.url}/docs")
    fold(browser, "-v1-break-even-parameters")
    browser.show(browser.driver.current_url + "#v1-break-even")
    assert opened(browser) == ["-v1-break-even-parameters"]
    assert abs(browser.run("return document.getElementById('v1-break-even').getBoundingClientRect().top")) < 200


# ---- The verdict while inputs are changed -----------------------------------------------------------

UNCOVERED = """
const box = document.activeElement.getBoundingClientRect(), brief = document.querySelector('.brief');
const bar = getComputedStyle(brief).display === 'none' ? null : brief.getBoundingClientRect();
const verdict = document.querySelector('.verdict').getBoundingClientRect();
const large = box.height > innerHeight / 2; // of a wide table's region its start may be out of sight
const covered = bar && bar.bottom > box.top + 1 && (large ? box.bottom < bar.bottom + 20 : box.bottom > bar.top);
return (bar !== null || verdict.bottom > 0) && !covered ? [bar?.height ?? 0] : null
"""
AFTER_TWO_FRAMES = f"requestAnimationFrame(() => requestAnimationFrame(() => arguments[0]((() => {{ {UNCOVERED} }})())))"


@pytest.mark.parametrize("question", ["training-plan", "inference-sizing", "break-even", "recommendation"])
@pytest.mark.parametrize("width, height", [(320, 568), (414, 736), (640, 360)])
def test_on_a_phone_the_verdict_stays_in_sight_and_covers_no_focus(server, browser, question, width, height):
    browser.size(width, height)
    browser.open(f"{server.url}/{question}")
    shown = 0
    for back in (False, True):
        for i in range(30):
            browser.tab(back)
            # On a busy machine the browser notices late that the verdict has scrolled out of sight.
            (tall,) = browser.wait(lambda: browser.run_async(AFTER_TWO_FRAMES), f"verdict and focus in sight, {back=} {i=}", 10)
            shown += tall > 0
            assert tall < 60, "a line, not half of the screen"
    assert shown > 20
    assert browser.run("return document.querySelector('.brief').textContent.trim().length") > 10
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")


def test_the_short_verdict_follows_the_answer_and_stays_off_a_wide_screen_and_paper(server, browser):
    browser.size(375, 667)
    browser.open(server.url + RENT)
    browser.run("document.getElementById('server_price').scrollIntoView()")
    brief = lambda: browser.find(".brief").text
    answer = server.get("/v1/break-even.json", **browser.query).json
    browser.wait(lambda: f"Buy: saves ${answer['buy_saving']:,.0f}" in brief(), "the short verdict")
    browser.enter("server_price", "3000000")
    browser.wait(lambda: brief().startswith("Rent: saves"), "the next one")
    browser.enter("server_price", "-1")
    browser.wait(lambda: brief().startswith("Please fix"), "that there is none")
    for width, media in ((1440, ""), (375, "print")):
        browser.size(width)
        browser.media(media=media)
        browser.open(server.url + RENT)
        browser.run("scrollTo(0, 900)")
        browser.run_async("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
        assert not browser.find(".brief").is_displayed()


@pytest.mark.parametrize("view", [f"{RENT}&open=compare-gpu-types", "/catalogue?list=offers&gpu=h100-sxm5-80gb&from_date=2025-01-01",
                                  "/v1/break-even.html?gpu=h100-sxm5-80gb&utilization=7"])
@pytest.mark.parametrize("width", [320, 3840])
@pytest.mark.parametrize("forced", ["none", "active"])
def test_new_parts_fit_the_narrowest_and_the_widest_screen(server, browser, view, width, forced):
    browser.size(width)
    browser.media(forced=forced)
    browser.show(server.url + view)
    browser.wait(lambda: browser.run("return [...document.images].every((each) => each.complete)"), "the pictures")
    browser.shoot(f"new-{'gpus' if 'open' in view else 'refusal' if 'html' in view else 'history'}-{width}-{forced}")
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    size = browser.run("return parseFloat(getComputedStyle(document.querySelector('h1')).fontSize)")
    assert size > (40 if width > 3000 else 20)
