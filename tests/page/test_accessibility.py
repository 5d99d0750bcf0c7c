"""Whether everybody can use the page: axe-core on every view, in both themes, and with all of it open."""
import hashlib
import pathlib
import re

import pytest
from selenium.webdriver.common.keys import Keys

VENDOR = pathlib.Path(__file__).resolve().parent / "vendor"
STATIC = pathlib.Path(__file__).resolve().parents[2] / "static"
RENT = "break-even?gpu=h100-sxm5-80gb&gpu_count=8&utilization=0.7&horizon_months=36&rent_price_per_gpu_hour=6.88"
VIEWS = ["", "training-plan", "inference-sizing", RENT, "recommendation", "catalogue?list=gpus&compare=a30+a40",
         "catalogue?list=offers&gpu=a100-sxm4-80gb&from_date=2025-01-01&sources=1", "docs",
         "v1/break-even.html?gpu=h100-sxm5-80gb&utilization=7", "v1/break-even/gpus.html?gpu=h100-sxm5-80gb,a30&gpu_count=8"]
RUN = """
const [runOnly, done] = arguments;
axe.run(document, { runOnly, resultTypes: ['violations'], selectors: false })
  .then(({ violations, passes }) => done([passes.length, violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 160)} ${node.any.map((each) => each.message)}`))]))
  .catch((error) => done([0, [String(error)]]));
"""


ALL = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OF_COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}


def violations(browser, rules=ALL):
    if browser.run("return typeof axe === 'undefined'"):
        browser.run((VENDOR / "axe.min.js").read_text())
    passes, found = browser.run_async(RUN, rules)
    assert passes > (10 if rules is ALL else 0), "axe looked at nothing"
    return found


def assert_nothing_found(browser):
    """By any rule in the light theme; in the dark one, which changes colours alone, by the rules of colours."""
    browser.media("light")
    assert violations(browser) == []
    browser.media("dark")
    assert violations(browser, OF_COLOURS) == []


# Takes out what closed parts hide, and says how many elements that is.
HIDDEN = """
const all = document.querySelectorAll('*').length;
document.querySelectorAll('details:not([open]) > :not(summary)').forEach((each) => each.remove());
return all - document.querySelectorAll('*').length;
"""


def test_axe_is_the_file_its_readme_says():
    said = re.search(r"[0-9a-f]{64}", (VENDOR / "README.md").read_text()).group()
    assert hashlib.sha256((VENDOR / "axe.min.js").read_bytes()).hexdigest() == said


def test_the_dark_theme_changes_colours_alone():
    style = (STATIC / "style.css").read_text()
    dark = re.findall(r"@media \(prefers-color-scheme: dark\) \{\s*:root \{([^}]*)\}\s*\}", style)
    assert len(dark) == 1 and re.fullmatch(r"(\s*--[a-z-]+: #[0-9a-f]{6};)+\s*", dark[0])
    assert all(path.read_text().count("prefers-color-scheme") == (path.name == "style.css")
               for path in STATIC.rglob("*") if path.suffix in (".css", ".html", ".js"))


@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing(server, browser, view):
    browser.show(f"{server.url}/{view}")
    if view == "docs":  # it has a hundred parts that are alike; axe would walk through the hidden ones without a check
        browser.unfold(12)
        assert browser.run(HIDDEN) > 10_000
    else:
        browser.unfold()
    assert_nothing_found(browser)


def test_axe_finds_nothing_in_a_refusal(server, browser):
    browser.show(f"{server.url}/{RENT.replace('0.7', '7')}")
    assert_nothing_found(browser)


def test_axe_does_find_what_is_wrong(server, browser):
    browser.show(f"{server.url}/{VIEWS[-1]}")
    browser.run("document.body.append(Object.assign(document.createElement('img'), { src: '/favicon.ico' }))")
    assert any(each.startswith("image-alt") for each in violations(browser))


# ---- With the keys alone --------------------------------------------------------------------------

AT = "const at = document.activeElement; return at.id || at.href || at.textContent.trim()"


def tab_to(browser, wanted, most=60):
    """Tab until something is reached that `wanted` says yes to; on the way everything shows its focus."""
    for _ in range(most):
        browser.tab()
        at = browser.run(AT)
        if wanted(at):
            return at
        assert browser.run("return getComputedStyle(document.activeElement).outlineStyle") != "none", at
    raise AssertionError(f"not reached, last at {at}")


@pytest.mark.parametrize("question, name, typed, sent", [
    ("training-plan", "tokens", "1T", "1000000000000"), ("inference-sizing", "requests_per_minute", "300", "300"),
    ("break-even", "horizon_months", "48", "48")])
def test_a_question_is_answered_with_the_keys_alone(server, browser, question, name, typed, sent):
    """From the start: to the question, its answer, another input, its default, why, and the link."""
    browser.show(f"{server.url}/")
    assert tab_to(browser, lambda at: True).startswith("Skip") or browser.run(AT).endswith("#main")
    tab_to(browser, lambda at: at.endswith(f"/{question}"))
    browser.press(Keys.ENTER)
    browser.wait(lambda: browser.driver.current_url.startswith(f"{server.url}/{question}?"), "the question")
    first = browser.settle()
    tab_to(browser, lambda at: at == name)
    browser.press(Keys.CONTROL, "a")
    browser.press(typed, Keys.TAB)
    browser.wait(lambda: browser.query.get(name) == sent, "the input in the address")
    assert browser.settle() != first
    browser.press(Keys.SHIFT, Keys.TAB)
    browser.press(Keys.NULL)
    assert browser.run(AT) == name
    browser.press(Keys.CONTROL, "a")
    browser.press(Keys.DELETE, Keys.TAB)
    browser.wait(lambda: name not in browser.query, "the default")
    browser.settle()
    browser.driver.back()
    browser.wait(lambda: browser.query.get(name) == sent, "what was typed")
    browser.settle()
    browser.wait(lambda: browser.find_all(".figures .why"), "the reasons")
    tab_to(browser, lambda at: at.startswith("Why"), 120)
    browser.press(Keys.ENTER)
    assert browser.run("return document.activeElement.parentNode.open")
    tab_to(browser, lambda at: at == "Save as scenario A", 160)
    browser.press(Keys.SPACE)
    browser.wait(lambda: "a" in browser.query, "A in the address")
    assert browser.complaints() == []


# ---- What it weighs ---------------------------------------------------------------------------------

LIMIT_BYTES = 130_000
FIRST = """
const [page] = performance.getEntriesByType('navigation'), rest = performance.getEntriesByType('resource');
const sum = (list) => list.reduce((total, each) => total + each.transferSize, page.transferSize);
return [sum(rest.filter((each) => !new URL(each.name).pathname.startsWith('/v1/'))), sum(rest), rest.length + 1,
        rest.filter((each) => !each.name.startsWith(location.origin)).length];
"""


@pytest.mark.parametrize("view", ["training-plan", "inference-sizing", RENT, "recommendation", "catalogue"])
def test_a_view_is_light(server, browser, view, capsys):
    """Bytes over the wire of a first visit, compressed: of the page, and with the answers. The time is told,
    never judged."""
    browser.run_cdp("Network.enable")
    browser.run_cdp("Network.setCacheDisabled", cacheDisabled=True)
    try:
        browser.driver.get("about:blank")
        browser.show(f"{server.url}/{view}")
        weight, whole, requests, foreign = browser.run(FIRST)
        answered = browser.run("return performance.getEntriesByName('answered')[0]?.startTime")
    finally:
        browser.run_cdp("Network.setCacheDisabled", cacheDisabled=False)
    with capsys.disabled():
        print(f"\n{view.split('?')[0]}: {weight / 1000:.1f} kB, with the answers {whole / 1000:.1f} kB, "
              f"{requests} requests, first answer after {answered:.0f} ms")
    assert foreign == 0
    assert 10_000 < weight < LIMIT_BYTES
