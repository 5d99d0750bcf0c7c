"""Debian's Chromium under Selenium, with the steps that several tests of the page share."""
import base64
import contextlib
import json
import os
import pathlib
import shutil
import tempfile
import time
import urllib.parse

from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

# For people to look at, taken if SCREENSHOTS is set; no test compares them.
SHOTS = os.environ.get("SCREENSHOTS") and pathlib.Path(__file__).resolve().parents[2] / "build/screenshots"


# Parameters of the address that concern only the page, not the question.
CHOSEN = ("open", "field", "speech", "month", "gpus", "rent_prices", "server_prices", "vary", "vary_2", "sources")

# Whether the view is a start, a reference, or a question that is answered or refused.
SHOWN = """
const kind = document.documentElement.dataset.question;
if (document.readyState !== 'complete' || document.querySelector('[aria-busy]')) return false;
if (document.getElementById('reference')) return Boolean(document.querySelector('#reference table'));
return (kind === 'start' && document.querySelector('.told') && document.querySelector('.fresh')?.textContent) || location.pathname.endsWith('.html') || Boolean(document.querySelector(`${kind ? `#${kind}` : 'main'} .verdict`)?.textContent);
"""

VERDICT = "return document.querySelector('main > section:not(#start) .verdict').textContent"
SETTLED = f"if (document.querySelector('[aria-busy]')) return ''; {VERDICT}"


class Browser:
    def __init__(self, locale):
        self.profile = tempfile.mkdtemp(prefix="chromium.")
        options = webdriver.ChromeOptions()
        options.binary_location = str(pathlib.Path(__file__).resolve().parent / "shell.sh")
        # No sandbox: it does not work as root or in containers, and only our own pages are opened.
        for argument in ("no-sandbox", "disable-gpu", "disable-quic", "no-first-run",
                         "disable-background-networking", "disable-component-update", "disable-sync",
                         "disable-dev-shm-usage", "hide-scrollbars",
                         # No spare process for another site, as none is opened. "disable-threaded-compositing" would
                         # save a third of the processor, but then requestAnimationFrame() is never called back.
                         "disable-features=SpareRendererForSitePerProcess", f"lang={locale}", f"accept-lang={locale}",
                         f"user-data-dir={self.profile}"):
            options.add_argument(f"--{argument}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        # Chromium takes its language on Linux from the environment, not from --lang alone.
        self.driver = webdriver.Chrome(
            service=Service("/usr/bin/chromedriver", env=dict(os.environ) | {"LANGUAGE": locale.replace("-", "_")}),
            options=options)
        self.driver.set_script_timeout(600)

    def close(self):
        self.driver.quit()
        shutil.rmtree(self.profile, ignore_errors=True)

    def run_cdp(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def size(self, width, height=900):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def media(self, scheme="light", media="", forced="none"):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": [
            {"name": "prefers-color-scheme", "value": scheme}, {"name": "forced-colors", "value": forced}]})

    def scripts(self, on):
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not on})

    def ready(self):
        self.run_cdp("Page.resetNavigationHistory")  # Chromium counts at most 50 entries
        self.size(1280)
        self.media()
        self.complaints()

    def forget(self, origin):
        """As if it had never been used: nothing stored by the pages there, an empty cache."""
        self.driver.get("about:blank")
        self.run_cdp("Storage.clearDataForOrigin", origin=origin, storageTypes="all")
        self.run_cdp("Network.clearBrowserCache")
        self.run_cdp("Network.clearBrowserCookies")
        self.ready()

    def open(self, url, answer=True):
        self.driver.get(url)
        if answer:
            self.settle()

    def wait(self, condition, what, seconds=180):
        """Poll until the condition holds, less often the longer it takes: each look costs the browser milliseconds."""
        deadline, pause = time.monotonic() + seconds, 0.02
        while True:
            with contextlib.suppress(NoSuchElementException):
                value = condition()
                if value:
                    return value
            assert time.monotonic() < deadline, f"timed out waiting for {what}"
            time.sleep(pause)
            pause = min(1.5 * pause, 0.25)

    def settle(self):
        """Until the question on the page is answered or refused."""
        return self.wait(lambda: self.run(SETTLED), "the verdict")

    def show(self, url):
        """Open a view and wait until all of it is there, whatever kind it is."""
        self.open(url, answer=False)
        self.wait(lambda: self.run(SHOWN), "the view")

    def unfold(self, most=1000):
        """Open what is folded, and wait for what it asks the API."""
        self.run("[...document.querySelectorAll('details')].slice(0, arguments[0]).forEach((each) => { each.open = true; })",
                 most)
        self.wait(lambda: self.run("return ![...document.querySelectorAll('[role=status]')].some((each) => "
                                   "each.textContent === 'Calculating...') && [...document.images].every((each) => "
                                   "each.complete)"), "what was folded")

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def find_all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def press(self, *keys):
        """Keys for what has the focus; if the page draws that anew meanwhile, it is looked up again."""
        return WebDriverWait(self.driver, 10, 0.05, [StaleElementReferenceException]).until(
            lambda driver: driver.switch_to.active_element.send_keys(*keys) or True)

    def tab(self, back=False):
        """The Tab key, with Shift to go back, as a keyboard sends it. The driver's send_keys examines the element
        first, which takes several times as long."""
        for kind in "rawKeyDown", "keyUp":
            self.run_cdp("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9,
                         modifiers=8 if back else 0)

    @property
    def verdict(self):
        return self.run(VERDICT)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def run_async(self, script, *arguments):
        return self.driver.execute_async_script(script, *arguments)

    @property
    def address(self):
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.driver.current_url).query))

    @property
    def query(self):
        """What the address asks, without what is open and chosen on the page."""
        return {name: value for name, value in self.address.items() if name not in CHOSEN}

    def type(self, name, text):
        """Type into an input as a person does, and leave it."""
        box = self.find(f"#{name}")
        self.run("arguments[0].closest('details')?.setAttribute('open', '')", box)
        if box.tag_name == "select":
            box.find_element(By.CSS_SELECTOR, f'option[value="{text}"]').click()
        else:
            box.send_keys(Keys.CONTROL, "a")
            box.send_keys(text)
            self.run("arguments[0].blur()", box)

    def paste(self, name, text):
        """Fill in all at once and leave it, so that nothing is asked on the way."""
        self.run("""const [box, text] = arguments; box.closest('details')?.setAttribute('open', ''); box.value = text;
            for (const name of ['input', 'change']) box.dispatchEvent(new Event(name, { bubbles: true }));""",
                 self.find(f"#{name}"), text)

    def enter(self, name, text):
        """Type, then wait until the address says so and it is answered."""
        before = self.driver.current_url
        self.type(name, text)
        self.wait(lambda: self.driver.current_url != before and self.query.get(name), f"{name} in the address")
        self.settle()

    def complaints(self):
        """What the console holds since last asked: errors, refused requests, breaches of the policy."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] != "INFO"]

    def shoot(self, name):
        if not SHOTS:
            return
        SHOTS.mkdir(parents=True, exist_ok=True)
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "format": "png"})
        (SHOTS / f"{name}.png").write_bytes(base64.b64decode(shot["data"]))


def readable(browser, sentence):
    """A sentence of the API as the page says it: names for people in place of those for programs."""
    return browser.run_async("const [sentence, done] = arguments; import('/words.js').then((module) => done(module.readable(sentence)))",
                             sentence)


def all_named(browser, names):
    """What the page calls inputs, figures, GPUs or models."""
    return browser.run_async("const [names, done] = arguments; import('/words.js').then(({ label, named }) => "
                             "done(names.map((name) => (named(name) === name ? label(name) : named(name)))))", names)


def named(browser, name):
    """What the page calls this one."""
    return all_named(browser, [name])[0]


def worded(browser, texts):
    """Texts of the catalogue, such as providers, as the page says them."""
    return browser.run_async("const [texts, done] = arguments; import('/words.js').then(({ word }) => done(texts.map(word)))", texts)


def load(module, expression):
    """A script that imports a module of the page and gives back an expression over it."""
    return (f"const done = arguments[arguments.length - 1]; import({json.dumps(module)})"
            f".then((module) => done({expression}))")
