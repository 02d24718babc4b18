"""Takes pictures of a page with Debian's Chromium, over its DevTools protocol: screenshots.py URL PREFIX [CHARTS]

Writes PREFIX-WIDTH-SCHEME.png, of the whole page PREFIX-WIDTH-SCHEME-whole.png, and to the file CHARTS the section of the charts.
"""

import asyncio
import base64
import json
import pathlib
import subprocess
import sys
import tempfile

import websockets

SIZES = [(320, 640), (360, 740), (1280, 800)]


class Page:
    """A tab of the browser, by its WebSocket."""

    def __init__(self, socket):
        self.socket, self.number = socket, 0

    async def call(self, method, **parameters):
        self.number += 1
        await self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = json.loads(await asyncio.wait_for(self.socket.recv(), 30))
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    async def value(self, expression):
        result = await self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        return result["result"].get("value")

    async def settled(self):
        """Waits until the page is loaded and its text has been the same for a second."""
        same, last = 0, None
        while same < 5:
            await asyncio.sleep(0.2)
            text = await self.value("document.readyState === 'complete' ? document.body.innerText : null")
            same, last = (same + 1 if text is not None and text == last else 0), text
            # A clock on the page never stays the same: ten seconds are enough in any case.
            self.waited = getattr(self, "waited", 0) + 1
            if self.waited > 50:
                break
        self.waited = 0

    async def picture(self, path, width, height, **clip):
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        await asyncio.sleep(0.3)
        result = await self.call("Page.captureScreenshot", format="png", captureBeyondViewport=False, **clip)
        pathlib.Path(path).write_bytes(base64.b64decode(result["data"]))


async def take(url, prefix, charts, port):
    list_of_tabs = subprocess.run(
        ["curl", "-sf", f"http://127.0.0.1:{port}/json/list"], capture_output=True, check=True
    ).stdout
    tab = next(tab for tab in json.loads(list_of_tabs) if tab["type"] == "page")
    async with websockets.connect(tab["webSocketDebuggerUrl"], max_size=None) as socket:
        page = Page(socket)
        await page.call("Page.enable")
        for width, height in SIZES:
            for scheme in ["light", "dark"]:
                await page.call(
                    "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}]
                )
                await page.call(
                    "Emulation.setDeviceMetricsOverride",
                    width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
                )
                await page.call("Page.navigate", url=url)
                await page.settled()
                name = f"{prefix}-{width}-{scheme}"
                await page.picture(f"{name}.png", width, height)
                wide = await page.value("document.documentElement.scrollWidth")
                if wide > width:
                    print(f"{name}: {wide} pixels wide", file=sys.stderr)
                whole = await page.value("document.documentElement.scrollHeight")
                await page.picture(f"{name}-whole.png", width, max(height, whole))
                if charts and width == 1280 and scheme == "light":
                    # The window is as high as the page: the box of the section is that of the picture.
                    box = await page.value(
                        "JSON.stringify(document.querySelector('#charts').closest('section').getBoundingClientRect())"
                    )
                    box = {key: value for key, value in json.loads(box).items() if key in ("x", "y", "width", "height")}
                    await page.picture(charts, width, max(height, whole), clip=box | {"scale": 1})


def main(url, prefix, charts=None):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = subprocess.Popen(
            [
                # The command of this name is a shell script, whose end would leave the browser running.
                "/usr/lib/chromium/chromium-headless-shell", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                "--no-proxy-server", "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--hide-scrollbars", "--accept-lang=en-US", f"--user-data-dir={profile}", "--remote-debugging-port=0",
                "about:blank",
            ],
            stderr=subprocess.PIPE, text=True,
        )
        try:
            for line in browser.stderr:
                if "DevTools listening on" in line:
                    break
            else:
                sys.exit("Chromium did not start")
            port = line.rsplit(":", 1)[1].split("/")[0]
            asyncio.run(take(url, prefix, charts, port))
        finally:
            browser.terminate()
            browser.wait()


main(*sys.argv[1:])
