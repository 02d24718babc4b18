"""Opens the status page in Chromium and prints what is there, as lines of JSON: status_page.py URL SCENARIO"""

import json
import sys
import time
import urllib.parse

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

CHROMIUM = "/usr/bin/chromium-headless-shell"
url, scenario = sys.argv[1:]
host = urllib.parse.urlsplit(url).hostname
problems = []
expect.set_options(timeout=30_000)


def say(event, **facts):
    print(json.dumps({"event": event, "at": time.time(), **facts}), flush=True)


def open_page(browser, width=1280, scheme="light", **options):
    """A page in a context of its own, whose errors and foreign requests are noted."""
    size = {"width": width, "height": 740 if width < 500 else 900}
    context = browser.new_context(
        viewport=size, color_scheme=scheme, locale="en-US", ignore_https_errors=True, **options
    )
    page = context.new_page()
    page.set_default_timeout(30_000)
    page.on("console", lambda message: message.type in ("error", "warning") and problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: check(request.url))
    page.goto(url)
    return page


def check(address):
    parts = urllib.parse.urlsplit(address)
    if parts.scheme != "data" and parts.hostname != host:
        problems.append(f"a request to {address}")


def wait_until_live(page):
    page.wait_for_selector("#live[data-live=yes]")
    page.wait_for_selector("#band:is([data-state=online], [data-state=offline])")
    page.wait_for_selector("#charts figure:nth-child(3) svg")


def text(page, selector):
    return page.inner_text(selector).strip()


def look(browser):
    """The whole page, small and dark, then large and light."""
    for width, scheme in [(360, "dark"), (1280, "light")]:
        page = open_page(browser, width, scheme)
        wait_until_live(page)
        page.click("#ranges button:last-child")
        found = Axe().run(page).response["violations"]
        faults = [
            f"{fault['id']}: {[node['target'] for node in fault['nodes']]}"
            for fault in found
            if fault["impact"] in ("serious", "critical")
        ]
        say(
            "look",
            width=page.evaluate("document.documentElement.scrollWidth"),
            faults=faults,
            word=text(page, "#word"),
            stations=page.locator("#stations li").count(),
            requirements=page.locator("#requirements tbody tr").count(),
            isPressed=page.get_attribute("#ranges button:last-child", "aria-pressed") == "true",
            canTest=page.is_enabled("#test"),
            reason=text(page, "#test-reason"),
        )
    # The last one prints its report.
    page.evaluate("window.print = () => { document.body.dataset.printed = '' }")
    page.click("#print")
    page.wait_for_selector("body[data-printed]")
    page.emulate_media(media="print")
    say("report", title=text(page, "#report h1"), isAlone=not page.is_visible("#band"))
    plain = open_page(browser, java_script_enabled=False)
    say("plain", links=[link.get_attribute("href") for link in plain.locator("ul.links a:visible").all()])


def glance(browser):
    page = open_page(browser)
    wait_until_live(page)
    say("glance", word=text(page, "#word"), live=text(page, "#live"), address=page.evaluate("location.pathname"))


def cable(browser):
    page = open_page(browser)
    page.wait_for_selector("#band[data-state=online]")
    page.wait_for_selector("#live[data-live=yes]")
    say("ready", isShown=page.is_visible("#banner"))
    page.wait_for_selector("#banner", state="visible")
    say("lost", text=text(page, "#banner"))
    page.wait_for_selector("#band[data-state=offline]")
    say("offline", word=text(page, "#word"))
    page.wait_for_selector("#banner", state="hidden")
    say("restored", word=text(page, "#word"), toasts=page.locator("#toasts p").all_inner_texts())


def speedtest(browser):
    page = open_page(browser)
    page.wait_for_selector("#live[data-live=yes]")
    page.click("#test:enabled")
    page.wait_for_selector("#progress:visible")
    expect(page.locator("#progress-text")).to_contain_text("Measuring the download")
    say("progress", text=text(page, "#progress-text"), isEnabled=page.is_enabled("#test"))
    expect(page.locator("#test-result")).not_to_be_empty()
    say("result", text=text(page, "#test-result"))
    expect(page.locator("#speed-note")).to_contain_text("Measured with lab")
    say("done", isShown=page.is_visible("#progress"))


def requests(browser):
    page = open_page(browser)
    page.wait_for_selector("#requests li >> nth=2")
    say("requests", texts=page.locator("#requests .what").all_inner_texts())
    page.get_by_role("button", name="Cancel POST http://198.18.0.1:8080/first").click()
    expect(page.locator("#requests li")).to_have_count(2)
    say("cancelled", texts=page.locator("#requests .what").all_inner_texts())
    page.click("#cancel-all")
    page.click("#confirm button[value=no]")
    page.click("#retry-all")
    expect(page.locator("#requests li")).to_have_count(2)
    page.click("#cancel-all")
    page.click("#confirm button[value=yes]")
    expect(page.locator("#requests li")).to_have_count(0)
    expect(page.locator("#requests-note")).to_have_text("No request waits.")
    say("empty", isShown=page.is_visible("#cancel-all"))


def gone(browser):
    page = open_page(browser)
    wait_until_live(page)
    say("ready")
    page.wait_for_selector("#band[data-state=unreachable]")
    say("gone", word=text(page, "#word"), via=text(page, "#via"), note=text(page, "#stale"))
    page.wait_for_selector("#band:not([data-state=unreachable])")
    page.wait_for_selector("#live[data-live=yes]")
    problems.clear()
    say("back", word=text(page, "#word"), isStale=page.is_visible("#stale"))


with sync_playwright() as playwright:
    options = ["--no-sandbox", "--disable-dev-shm-usage", "--no-proxy-server"]
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
    {"look": look, "glance": glance, "cable": cable, "speedtest": speedtest, "requests": requests, "gone": gone}[scenario](browser)
    say("end", problems=problems)
    browser.close()
