"""Eight tasks of a newcomer, each from an empty profile and the first view: what it takes in clicks and fields, and how
long it took here, which is printed and not judged."""
import base64
import re
import subprocess
import time

import pytest
from selenium.webdriver.common.keys import Keys


class Hand:
    """A person at the page, whose clicks and fields filled in are counted."""

    def __init__(self, browser):
        self.browser, self.clicks, self.fields = browser, 0, 0

    def click(self, selector):
        self.clicks += 1
        found = self.browser.wait(lambda: self.browser.find_all(selector), selector)[0]
        self.browser.run("arguments[0].scrollIntoView({ block: 'center' })", found)
        found.click()

    def fill(self, selector, *keys):
        self.fields += 1
        box = self.browser.wait(lambda: self.browser.find_all(selector), selector)[0]
        self.browser.run("arguments[0].scrollIntoView({ block: 'center' })", box)
        box.send_keys(Keys.CONTROL, "a")
        box.send_keys(*keys)

    def answered(self, **inputs):
        self.browser.wait(lambda: inputs.items() <= self.browser.query.items(), str(inputs))
        return self.browser.settle()


@pytest.fixture
def hand(server, browsers):
    browser = browsers("en-US")
    browser.show(f"{server.url}/")
    yield Hand(browser)
    assert not [each for each in browser.complaints() if "422" not in each]


def read_what_eight_gpus_should_be(hand):
    assert re.match(r"(Buy|Rent): it saves \$", hand.browser.find(".stories li:nth-child(3) .told").text)


def train_a_70b_on_512_gpus(hand):
    hand.fill("#ask", "train llama 70b on 2T tokens with 512 H100", Keys.ENTER)
    assert "512 GPUs" in hand.answered(gpu_count="512")


def serve_a_thousand_people(hand):
    hand.click(".stories li:nth-child(2) a")
    assert "95% of requests within" in hand.answered(daily_users="1000")


def take_another_gpu(hand):
    hand.click(".stories li:nth-child(3) a")
    hand.answered(gpu="h100-sxm5-80gb")
    hand.fill(".field:has(#gpu) .search", "h200 sxm", Keys.ENTER)
    hand.answered(gpu="h200-sxm5-141gb")


def change_the_price_of_electricity(hand):
    hand.click(".stories li:nth-child(3) a")
    hand.answered(gpu="h100-sxm5-80gb")
    hand.fill("#find-input", "electricity price")
    hand.fill("#electricity_price_per_kwh", "0.3", Keys.TAB)
    hand.answered(electricity_price_per_kwh="0.3")


def get_from_too_slow_to_what_works(hand):
    hand.fill("#ask", "serve llama 2 70b on l4 at 1000 requests per minute within 4 seconds", Keys.ENTER)
    assert "too slow" in hand.answered(gpu="l4")
    hand.click(".ways-on button")
    hand.browser.wait(lambda: hand.browser.query["gpu"] != "l4", "another GPU")
    hand.browser.settle()
    assert hand.browser.find("[data-tone=plain]")


def compare_two_sizes(hand):
    hand.click(".stories li:nth-child(3) a")
    hand.answered(gpu_count="8")
    hand.click(".scenarios .entry button")
    hand.fill("#gpu_count", "16", Keys.TAB)
    hand.answered(gpu_count="16")
    hand.click(".scenarios .entry button")
    hand.click(".scenarios .pick input")
    hand.click(".scenarios fieldset div:nth-of-type(2) .pick input")
    hand.browser.wait(lambda: "8 GPUs 16 GPUs" in hand.browser.find(".compare").text, "both side by side")


def print_a_brief(hand):
    hand.click(".stories li:nth-child(3) a")
    hand.answered(gpu_count="8")
    hand.browser.run("window.print = () => {}")
    hand.click("[data-part=brief] > summary")
    hand.click("[data-part=brief] button")
    for width, height in (8.27, 11.69), (8.5, 11):  # A4 and Letter, in inches
        hand.browser.run("document.documentElement.dataset.paper = 'brief'")  # which the print before has taken away
        pdf = base64.b64decode(hand.browser.run_cdp("Page.printToPDF", paperWidth=width, paperHeight=height)["data"])
        said = subprocess.run(["pdftotext", "-", "-"], input=pdf, capture_output=True, check=True).stdout.decode()
        assert "Approved by" in said and said.count("\f") == 1, "one page"


@pytest.mark.parametrize("task, clicks, fields", [
    (read_what_eight_gpus_should_be, 0, 0), (train_a_70b_on_512_gpus, 0, 1), (serve_a_thousand_people, 1, 0), (take_another_gpu, 1, 1),
    (change_the_price_of_electricity, 1, 2), (get_from_too_slow_to_what_works, 1, 1), (compare_two_sizes, 5, 1), (print_a_brief, 3, 0)])
def test_a_newcomers_task_takes_few_steps(hand, capsys, task, clicks, fields):
    began = time.monotonic()
    task(hand)
    seconds = time.monotonic() - began
    with capsys.disabled():
        print(f"\n{task.__name__.replace('_', ' ')}: {hand.clicks} clicks, {hand.fields} fields, {seconds:.1f} s")
    assert (hand.clicks, hand.fields) == (clicks, fields)
