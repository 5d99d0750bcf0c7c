"""Browsers that the tests of a module share."""
import pytest

from browser import Browser


def started(locale):
    browser = Browser(locale)
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def chromium():
    yield from started("en-US")


@pytest.fixture(scope="module")
def german():
    yield from started("de-DE")


@pytest.fixture
def browser(chromium):
    chromium.size(1280)
    chromium.media()
    chromium.complaints()
    return chromium
