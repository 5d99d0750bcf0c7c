"""Browsers that all tests share: to start one costs more than most tests."""
import pytest

from browser import Browser


@pytest.fixture(scope="session")
def browsers(server):
    """Gives the browser of a language as if it had never been used; started when first asked for."""
    started = {}

    def fresh(locale):
        if locale not in started:
            started[locale] = Browser(locale)
        started[locale].forget(server.url)
        return started[locale]

    yield fresh
    for each in started.values():
        each.close()


@pytest.fixture(scope="module")
def chromium(browsers):
    return browsers("en-US")


@pytest.fixture(scope="module")
def german(browsers):
    return browsers("de-DE")


@pytest.fixture
def browser(chromium):
    chromium.ready()
    return chromium
