"""Opens the status page in Chromium and prints what is there, as lines of JSON: status_page.py URL SCENARIO"""

import calendar
import json
import os
import pathlib
import re
import sys
import time
import urllib.parse

from axe_playwright_python.sync_playwright import Axe
from page_states import STATES, history
from playwright.sync_api import expect, sync_playwright

CHROMIUM = "/usr/bin/chromium-headless-shell"
url, scenario = sys.argv[1:]
host = urllib.parse.urlsplit(url).hostname
problems = []
expect.set_options(timeout=30_000)


def say(event, **facts):
    # The page keeps a number and its unit on one line.
    print(json.dumps({"event": event, "at": time.time(), **facts}).replace("\\u00a0", " "), flush=True)


def open_page(browser, width=1280, scheme="light", path=url, **options):
    """A page in a context of its own, whose errors and foreign requests are noted."""
    size = {"width": width, "height": 740 if width < 500 else 900}
    context = browser.new_context(
        # Without motion a colour is the one that it changes to.
        viewport=size, color_scheme=scheme, locale="en-US", ignore_https_errors=True, reduced_motion="reduce", **options
    )
    page = context.new_page()
    page.set_default_timeout(30_000)
    page.on("console", lambda message: message.type in ("error", "warning") and problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: check(request.url))
    page.goto(path)
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


def serious_faults(page):
    """What axe finds, also of WCAG 2.2, which has a rule for the size of what is touched."""
    options = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    return [
        f"{fault['id']}: {[node['target'] for node in fault['nodes']]}"
        for fault in Axe().run(page, options=options).response["violations"]
        if fault["impact"] in ("serious", "critical")
    ]


def look(browser):
    """The whole page, small and dark, then large and light."""
    for width, scheme in [(360, "dark"), (1280, "light")]:
        page = open_page(browser, width, scheme)
        wait_until_live(page)
        page.click("#ranges button:last-child")
        say(
            "look",
            width=page.evaluate("document.documentElement.scrollWidth"),
            faults=serious_faults(page),
            word=text(page, "#word"),
            stations=page.locator("#stations li").count(),
            requirements=page.locator("#requirements li[data-pass]").count(),
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


# Elements, and what is drawn before them, that have the colour of "good" in either scheme.
GOOD = """() => {
    const good = ["#157347", "#43a775", "#146c43", "#2f8f61"].map((hex) => `rgb(${hex.match(/\\w\\w/g).map((one) => parseInt(one, 16)).join(", ")})`);
    const names = ["color", "backgroundColor", "backgroundImage", "fill", "stroke", "borderTopColor"];
    const found = [...document.querySelectorAll("body, body *")].filter((one) => [null, "::before", "::after"].some((part) => {
        const style = getComputedStyle(one, part);
        return names.some((name) => good.some((colour) => style[name].includes(colour)));
    })).map((one) => one.id || one.getAttribute("class") || one.tagName);
    return [...new Set(found)].concat(document.querySelector("link[rel=icon]").href.includes("157347") ? ["icon"] : []);
}"""

# Texts that are drawn over another one.
OVERLAPS = """() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) {
        const node = walker.currentNode;
        const isShown = node.textContent.trim() && node.parentElement.checkVisibility() && !node.parentElement.closest(".hidden, script, style, .skip, h1, #stations-title, svg");
        if (!isShown) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const box of range.getClientRects()) texts.push({ box, text: node.textContent });
    }
    const overlaps = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
    return texts.flatMap((one, index) => texts.slice(index + 1).filter((other) => overlaps(one.box, other.box)).map((other) => `${one.text} | ${other.text}`));
}"""


# Labels of charts that end outside of them.
CUT = """() => [...document.querySelectorAll(".charts svg text")].filter((one) => {
    const [box, chart] = [one.getBoundingClientRect(), one.ownerSVGElement.getBoundingClientRect()];
    return box.left < chart.left - 1 || box.right > chart.right + 1;
}).map((one) => `cut: ${one.textContent}`)"""


def open_states(browser, names, width=360, scheme="light"):
    """The name and the page of each of these states of the network."""
    page = open_page(browser, width, scheme, path="about:blank")
    shown = []
    page.route("**/api/v1/status", lambda route: route.fulfill(json=STATES[shown[-1]]()))
    page.route("**/api/v1/history?*", lambda route: route.fulfill(json=history(re.search("kind=([a-z]+)", route.request.url)[1])))
    # An event of the real state would take the place of the one that is shown.
    page.route("**/api/v1/stream", lambda route: route.fulfill(body=": state\n\n", content_type="text/event-stream"))
    for name in names:
        shown.append(name)
        page.goto(url)
        page.wait_for_selector("#charts figure:nth-child(3) svg")
        page.wait_for_selector("#good .chip")
        yield name, page
        page.set_viewport_size({"width": width, "height": 740 if width < 500 else 900})


def open_state(browser, name):
    return next(open_states(browser, [name]))[1]


def states(browser):
    """Each state on phones; with `NHE_PAGE_PICTURES`, a folder, its pictures at three widths, light and dark."""
    pictures = os.environ.get("NHE_PAGE_PICTURES")
    for name, page in open_states(browser, STATES):
        height, good = page.evaluate("document.documentElement.scrollHeight"), page.evaluate(GOOD)
        page.set_viewport_size({"width": 320, "height": 740})
        say(
            "state",
            title=name,
            bottom=height,
            width=page.evaluate("document.documentElement.scrollWidth"),
            faults=page.evaluate(OVERLAPS) + page.evaluate(CUT),
            word=text(page, "#word"),
            texts=good,
            via=page.get_attribute("#stations [data-station=internet]", "data-state"),
            marked=page.locator("#stations [data-way]").evaluate_all("all => all.map((one) => one.dataset.station)"),
            wrong=page.locator("#faults > li:visible summary").all_inner_texts(),
            text=text(page, "#summary"),
            note=text(page, "#speed-note"),
            reason=text(page, "#advice"),
            links=page.locator("#good .chip").evaluate_all("all => all.map((one) => one.dataset.pass)"),
        )
    for width in [320, 360, 1280] if pictures else []:
        for scheme in ["light", "dark"]:
            for name, page in open_states(browser, STATES, width, scheme):
                page.screenshot(path=pathlib.Path(pictures) / f"{name}-{width}-{scheme}.png", full_page=True)


def details(browser):
    """What opens, what runs, and what is old."""
    page = open_state(browser, "waiting")
    first = text(page, "#test-reason")
    expect(page.locator("#test-reason")).not_to_have_text(first)
    say("counter", text=first, reason=text(page, "#test-reason"), note=text(page, "#speed-note"))
    page = open_state(browser, "target_down")
    say("targets", texts=page.locator("#targets-down li:visible").all_inner_texts(), text=text(page, "#targets-word"))
    page.click("#targets-word")
    say("folded", texts=page.locator("#targets-up li:visible").all_inner_texts(), links=page.locator("#targets-up [data-old] strong").all_inner_texts())
    say("one uplink", isShown=page.is_visible("#uplinks-card"))
    page = open_state(browser, "uplinks")
    rows = page.locator("#uplinks li:visible")
    say("uplinks", texts=rows.all_inner_texts(), links=rows.evaluate_all("all => all.map((one) => one.dataset.pass)"), faults=serious_faults(page))
    page = open_state(browser, "access")
    evidence = page.locator("#faults details li:visible")
    closed = evidence.all_inner_texts()
    page.click("#faults summary")
    say("why", texts=evidence.all_inner_texts(), links=closed)
    page = open_state(browser, "names")
    say("old", text=text(page, "[data-station=internet][data-old] .about"))
    page.click("#good")
    page.click("#advice summary")
    say("opened", texts=page.locator("#requirements li[data-pass]:visible").all_inner_texts(), links=page.locator("#advice p:visible").all_inner_texts())
    page = open_state(browser, "fresh")
    page.click("#good")
    page.click("#advice summary")
    # What was opened stays open when the requirements are drawn again.
    later = STATES["fresh"]()
    later["requirements"][0]["limits"]["minDownloadMbps"] = 61
    page.route("**/api/v1/status", lambda route: route.fulfill(json=later))
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("#requirements")).to_contain_text("61 Mbit/s down")
    say("offer", texts=page.locator("#advice summary").all_inner_texts(), text=text(page, "#advice p"), note=text(page, "main"))
    height = lambda cause: float(page.get_attribute(f"#days rect[data-cause={cause}] >> nth=-1", "height"))
    say("short day", isShown=0 < height("no_internet") < height("ok"))


def full(browser):
    """A phone with as much to show as there can be; this machine's processor limited the last speed test."""

    def fill(route):
        status = route.fetch().json()
        # From the time of the status, which is the page's clock: a second may begin while it is fetched.
        now = calendar.timegm(time.strptime(status["snapshot"]["timestamp"][:19], "%Y-%m-%dT%H:%M:%S"))
        at = lambda ago: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now - ago))
        rate = lambda speed, limits: {"speedMbps": speed, "loadedLatencySeconds": 0.222, "limitedBy": limits}
        outage = {"cause": "no_internet", "startedAt": at(9e6), "endedAt": at(8.9e6), "seconds": 100000}
        count = lambda speed, ago, bound: {"speedMbps": speed, "measuredAt": at(ago), "isLowerBound": bound}
        test = {"server": "lab", "startedAt": at(30), "durationSeconds": 18, "error": None}
        status["speedTest"] |= {
            "last": test | {"download": rate(2.88, ["cpu"]), "upload": rate(19.3, ["cpu"])},
            "counted": {"download": count(48.2, 300, False), "upload": count(19.3, 12, True)},
            "servers": ["lab"],
            "nextAt": at(-9000),
        }
        used = {f"{period}{kind}Bytes": 4_000_000_000 for period in ("day", "month") for kind in ("Used", "Limit")}
        ongoing = outage | {"startedAt": at(90), "endedAt": None, "seconds": 5}
        days = [{"date": at(86400 * day)[:10], "monitoredSeconds": 86400, "offlineSeconds": {}} for day in range(89, -1, -1)]
        status |= {
            "outages": [ongoing] + [outage] * 4,
            "days": days,
            "budget": used | {"resetsAt": at(-86400 * 9)},
            "estimate": "about 8 GB a month at this line's speed",
            "cause": "no_internet",
            "since": at(90),
            "summary": "Your provider, not your network: its first router is reached, and nothing behind it.",
            "faults": STATES["provider"]()["faults"][:1],
        }
        status["snapshot"]["online"] = False
        # As the summary says, the router and the provider answer.
        status["stations"] = STATES["provider"]()["stations"]
        route.fulfill(json=status)

    page = open_page(browser, 360, path="about:blank")
    page.route("**/api/v1/status", fill)
    # An event of the real state, which is online, would take the place of this one until the next answer; the page stays live.
    page.add_init_script("EventSource.prototype.addEventListener = () => {}")
    page.goto(url)
    page.wait_for_selector("#outages li:nth-child(5)")
    # Before what takes seconds: the outage lasts longer by each of them.
    via, length = text(page, "#via"), text(page, "#outages .length >> nth=0")
    say(
        "full",
        width=page.evaluate("document.documentElement.scrollWidth"),
        bottom=page.evaluate("Math.ceil(document.querySelector('#outages').getBoundingClientRect().bottom)"),
        faults=serious_faults(page),
        texts=page.locator("#speed dd").all_inner_texts(),
        note=text(page, "#speed-note"),
        via=via,
        text=length,
    )


def glance(browser):
    page = open_page(browser)
    wait_until_live(page)
    say("glance", word=text(page, "#word"), live=text(page, "#live"), address=page.evaluate("location.pathname"))


# When the page shows and hides its banner, by its own clock: this program hears of it as late as other programs let it.
BANNER = """() => {
    const banner = document.querySelector("#banner");
    window.bannerChanges = [];
    new MutationObserver(() => window.bannerChanges.push({ isShown: !banner.hidden, at: Date.now() / 1000 })).observe(banner, { attributeFilter: ["hidden"] });
}"""
BANNER_AT = """(isShown) => {
    const all = window.bannerChanges;
    return all.slice(all.findIndex((one) => one.isShown)).find((one) => one.isShown === isShown).at;
}"""


def cable(browser):
    page = open_page(browser)
    page.wait_for_selector("#band[data-state=online]")
    page.wait_for_selector("#live[data-live=yes]")
    page.evaluate(BANNER)
    say("ready", isShown=page.is_visible("#banner"))
    page.wait_for_selector("#banner", state="visible")
    say("lost", text=text(page, "#banner"), at=page.evaluate(BANNER_AT, True))
    page.wait_for_selector("#band[data-state=offline]")
    # Before the next answer, too, nothing of the time online is left.
    say("offline", word=text(page, "#word"), faults=page.evaluate(GOOD), links=page.locator("#good [data-pass=yes]").all_inner_texts())
    page.wait_for_selector("#banner", state="hidden")
    toasts = page.locator("#toasts p").all_inner_texts()
    say("restored", word=text(page, "#word"), toasts=toasts, at=page.evaluate(BANNER_AT, False))


def speedtest(browser):
    page = open_page(browser)
    page.wait_for_selector("#live[data-live=yes]")
    page.click("#test:enabled")
    page.wait_for_selector("#progress:visible")
    expect(page.locator("#progress-text")).to_contain_text("Measuring the download")
    say("progress", text=text(page, "#progress-text"), isEnabled=page.is_enabled("#test"))
    expect(page.locator("#test-result")).not_to_be_empty()
    say("result", text=text(page, "#test-result"))
    expect(page.locator("#speed-note")).to_contain_text("lab, ")
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


def retry(browser):
    page = open_page(browser)
    expect(page.locator("#requests .note")).to_have_text([re.compile("last answer 503")] * 2)
    say("waiting", texts=page.locator("#requests .what").all_inner_texts())
    page.get_by_role("button", name="Retry POST http://198.18.0.1:8080/503-600/second").click()
    second = page.locator("#requests li:has-text('/second') .note")
    expect(second).to_contain_text("2 failed tries")
    say("retried", texts=page.locator("#requests .note").all_inner_texts())


FOCUS = """() => {
    const one = document.activeElement, style = getComputedStyle(one), box = one.getBoundingClientRect();
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + Math.min(box.height / 2, 12));
    return {
        name: (one.id || one.getAttribute("aria-label") || one.textContent).trim(),
        seen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 && one.contains(top),
    };
}"""
CONTROLS = "a[href], button:enabled, summary, input, [tabindex='0']"


def keyboard(browser):
    """By keys alone: Tab comes to each control in the order of the page, and each shows that it has the focus."""
    page = open_page(browser)
    wait_until_live(page)
    page.wait_for_selector("#test:enabled")
    page.wait_for_selector("#requests li >> nth=1")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    controls = [
        one.evaluate("one => (one.id || one.getAttribute('aria-label') || one.textContent).trim()")
        for one in page.locator(CONTROLS).all()
        # The link that skips to the details is there once it has the focus.
        if one.is_visible()
    ]
    reached, unseen = [], []
    for _ in controls:
        page.keyboard.press("Tab")
        focus = page.evaluate(FOCUS)
        reached.append(focus["name"])
        if not focus["seen"]:
            unseen.append(focus["name"])
    say("tabs", texts=reached, links=controls, faults=unseen)

    page.goto(url)
    wait_until_live(page)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    focused = lambda: page.evaluate("document.activeElement.id")
    skipped = focused()
    page.focus("#days-box summary")
    page.keyboard.press("Enter")
    expect(page.locator("#days-table")).to_be_visible()
    page.focus("#ranges button:last-child")
    page.keyboard.press("Space")
    expect(page.locator("#ranges button:last-child")).to_have_attribute("aria-pressed", "true")
    page.wait_for_selector("#requests li >> nth=1")
    page.focus("#cancel-all")
    page.keyboard.press("Space")
    expect(page.locator("#confirm")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#confirm")).to_be_hidden()
    back = focused()
    page.get_by_role("button", name="Cancel POST http://198.18.0.1:8080/503-600/first").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#requests li")).to_have_count(1)
    # The button is gone: the focus stays near it instead of at the top of the page.
    say("keys", texts=[skipped, back, focused()])
    page.focus("#test")
    page.keyboard.press("Space")
    expect(page.locator("#test-result")).to_contain_text("The speed test failed")
    say("started", text=text(page, "#test-result"))


def charts(browser):
    """The readouts, and how many pixels of the chart the line of the median takes, for each range."""
    page = open_page(browser)
    wait_until_live(page)
    # A line that is level has no height, and does not count as visible.
    page.wait_for_selector("#charts path.s0 >> nth=0", state="attached")
    for name in ["Hour", "Day", "Week"]:
        page.get_by_role("button", name=name, exact=True).click()
        words = f"the last {name.lower()}"
        expect(page.locator("#charts .readout")).to_have_text([re.compile(words)] * 3)
        say(
            "range",
            texts=page.locator("#charts .readout").all_inner_texts(),
            width=round(page.evaluate("document.querySelector('#charts path.s0').getBBox().width")),
            stations=page.locator("#charts figure:nth-child(2) circle.s0").count(),
        )


def gone(browser):
    page = open_page(browser)
    wait_until_live(page)
    say("ready", faults=page.evaluate(GOOD))
    page.wait_for_selector("#band[data-state=unreachable]")
    say("gone", word=text(page, "#word"), via=text(page, "#via"), note=text(page, "#stale"), faults=page.evaluate(GOOD))
    page.wait_for_selector("#band:not([data-state=unreachable])")
    page.wait_for_selector("#live[data-live=yes]")
    problems.clear()
    say("back", word=text(page, "#word"), isStale=page.is_visible("#stale"))


with sync_playwright() as playwright:
    options = ["--no-sandbox", "--disable-dev-shm-usage", "--no-proxy-server"]
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
    scenarios = [look, states, details, full, glance, cable, speedtest, requests, retry, keyboard, charts, gone]
    next(one for one in scenarios if one.__name__ == scenario)(browser)
    say("end", problems=problems)
    browser.close()
