"""A narrow screen: every cell of a table that is stacked says what it is."""
import pytest

from test_accessibility import VIEWS

SAID = """return [document.body.innerText, ...[...document.querySelectorAll('body *')]
    .flatMap((each) => ['::before', '::after'].map((part) => getComputedStyle(each, part).content))].join('\\n');"""


@pytest.mark.parametrize("view", VIEWS)
def test_no_view_shows_an_object(server, browser, view):
    browser.size(375)
    browser.show(f"{server.url}/{view}")
    browser.unfold(12 if view == "docs" else 1000)
    said = browser.run(SAID)
    assert "[object" not in said, said[max(0, said.find("[object") - 80):][:200]


def test_every_amount_of_the_short_list_has_its_label(server, browser):
    browser.size(375)
    browser.open(f"{server.url}/recommendation")
    said = browser.run("""return [...document.querySelectorAll('.answer section:first-child table tbody tr')].map((row) =>
        [...row.querySelectorAll('td')].filter((cell) => cell.textContent).map((cell) => getComputedStyle(cell, '::before').content))""")
    assert len(said) > 1
    for row in said:
        assert row[-2:] == ['"Paid: "', '"Total cost (with capital, less resale): "']
        assert "none" not in row
