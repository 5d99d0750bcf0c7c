"""A narrow screen: every cell of a table that is stacked says what it is."""
import pytest

from test_accessibility import VIEWS

SAID = """return [document.body.innerText, ...[...document.querySelectorAll('body *')]
    .flatMap((each) => ['::before', '::after'].map((part) => getComputedStyle(each, part).content))].join('\\n');"""


PICTURED = ["training-plan", "inference-sizing", "break-even", "recommendation"]


@pytest.fixture(scope="module", params=[*VIEWS, "catalogue?list=models", "break-even", "catalogue?list=offers&gpu=a100-sxm4-80gb"])
def phone(request, server, chromium):
    """A view loaded once with all of it open, for all that is asked of it: its address and the browser."""
    chromium.ready()
    chromium.size(375)
    chromium.show(f"{server.url}/{request.param}")
    chromium.unfold(12 if request.param == "docs" else 1000)
    return request.param, chromium


def test_no_view_shows_an_object(phone):
    said = phone[1].run(SAID)
    assert "[object" not in said, said[max(0, said.find("[object") - 80):][:200]


def test_no_table_is_moved_sideways(phone):
    """Every column is on the screen, and each cell of a row that is a block says what it is."""
    _, browser = phone
    assert browser.run("""return [...document.querySelectorAll('.scroll')].filter((each) => each.scrollWidth > each.clientWidth + 1)
        .map((each) => each.getAttribute('aria-label'))""") == []
    assert browser.run("""return [...document.querySelectorAll('table.stack td:not([colspan])')].filter((each) => each.offsetWidth
        && each.textContent && !each.dataset.head && !each.matches(':last-child:not(.number)')).map((each) => each.textContent).slice(0, 5)""") == []


def test_every_control_is_large_enough_for_a_finger(phone):
    """WCAG 2.5.8: 24 by 24 CSS pixels, apart from links in a text and boxes to tick, whose labels can be tapped."""
    assert phone[1].run("""return [...document.querySelectorAll('button, select, summary, input:not([type=checkbox], [type=radio])')]
        .map((each) => [each, each.getBoundingClientRect()]).filter(([, { width, height }]) => width && Math.min(width, height) < 24)
        .map(([each, { width, height }]) => [each.outerHTML.slice(0, 80), width, height])""") == []


def test_every_amount_of_the_short_list_has_its_label(server, browser):
    browser.size(375)
    browser.open(f"{server.url}/recommendation")
    said = browser.run("""return [...document.querySelectorAll('.answer section:first-child table tbody tr')].map((row) =>
        [...row.querySelectorAll('td')].filter((cell) => cell.textContent).map((cell) => getComputedStyle(cell, '::before').content))""")
    assert len(said) > 1
    for row in said:
        assert row[-2:] == ['"Paid: "', '"Total cost (with capital, less resale): "']
        assert "none" not in row


# The letters of a picture in pixels of the screen, and the words that reach beyond its edges.
LETTERS = """
const [address, wide, done] = arguments;
fetch(address).then((reply) => reply.text()).then((text) => {
  const box = document.createElement('div');
  box.style.cssText = `position:absolute;left:0;top:0;width:${wide}px`;
  box.innerHTML = text;
  document.body.append(box);
  const drawing = box.querySelector('svg'), edge = drawing.getBoundingClientRect();
  const size = (each) => parseFloat(getComputedStyle(each).fontSize) * edge.width / drawing.viewBox.baseVal.width;
  const words = [...drawing.querySelectorAll('text')].filter((each) => each.textContent);
  done([Math.min(...words.map(size)), words.filter((each) => {
    const { left, right, top, bottom } = each.getBoundingClientRect();
    return left < edge.left - 1 || right > edge.right + 1 || top < edge.top - 1 || bottom > edge.bottom + 1;
  }).map((each) => each.textContent)]);
  box.remove();
});
"""


def test_a_picture_is_drawn_for_the_phone(phone):
    """Letters of at least 11 pixels, nothing cut off or to be moved sideways, and no form before it."""
    view, browser = phone
    pictures = browser.run("""return [...document.querySelectorAll('.picture img')].filter((each) => each.offsetWidth).map((each) => {
        const { left, right } = each.getBoundingClientRect();
        return [each.currentSrc, each.offsetWidth, left >= 0 && right <= innerWidth, Boolean(each.closest('.scroll'))]; })""")
    assert bool(pictures) == (view.split("?")[0] in PICTURED or "gpu=a100" in view)
    for address, width, inside, scrolls in pictures:
        assert inside and not scrolls, address
        smallest, cut = browser.run_async(LETTERS, address, width)
        assert (smallest >= 11, cut) == (True, []), (address, smallest)
    if view.split("?")[0] in PICTURED:
        assert browser.run("""const [image, form] = ['.picture img', 'main > section:not([hidden]):not(#start) form'].map((each) =>
            [...document.querySelectorAll(each)].find((found) => found.offsetWidth)); return image.getBoundingClientRect().top < form.getBoundingClientRect().top""")
