# SPDX-License-Identifier: Apache-2.0

"""A headless Chromium with a page of `weir report --html` in it."""

import json
import shutil

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service


class Browser:
    """Opens one page; close() fails when it wrote errors or asked the network for anything."""

    def __init__(self, page, width=1400, height=1000, dark=False, calm=True):
        options = Options()
        options.binary_location = shutil.which("chromium") or shutil.which("chromium-browser")
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars",
                         f"--window-size={width},{height}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.driver.set_script_timeout(120)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                    {"name": "prefers-reduced-motion", "value": "reduce" if calm else "no-preference"}]
        self.cdp("Emulation.setEmulatedMedia", features=features)
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.page = page.resolve().as_uri()
        self.driver.get(self.page)
        self.run("for (let i = 0; i < 600 && !(window.weirReport && window.weirReport.openMs); i++)"
                 " await new Promise((done) => setTimeout(done, 50));")
        if not self.value("!!(window.weirReport && window.weirReport.openMs)"):
            raise AssertionError("the page did not open: " + self.value("document.getElementById('loading').textContent"))

    def cdp(self, command, **arguments):
        return self.driver.execute_cdp_cmd(command, arguments)

    def run(self, script):
        """Runs the body of an async function in the page, returns what it returns."""
        outcome = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "(async () => {" + script + "})().then((value) => done({value}), (error) => done({error: String(error)}));")
        if "error" in outcome:
            raise AssertionError(outcome["error"])
        return outcome["value"]

    def value(self, expression):
        return self.run("return " + expression + ";")

    def settle(self):
        """Until what was asked for is drawn."""
        self.run("for (let i = 0; i < 3; i++) await new Promise((done) => requestAnimationFrame(done));")

    def screenshot(self, path, whole=False):
        self.settle()
        if whole:
            height = self.value("document.documentElement.scrollHeight")
            width = self.value("innerWidth")
            self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
            self.run("await new Promise((done) => setTimeout(done, 400));")
        self.driver.save_screenshot(str(path))

    def complaints(self):
        """Errors and warnings of the console, and requests for anything but the page itself."""
        found = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] != "Network.requestWillBeSent":
                continue
            url = message["params"]["request"]["url"]
            if url != self.page and not url.startswith(("data:", "blob:", "chrome:")):
                found.append("asked for " + url)
        return found

    def close(self):
        complaints = self.complaints()
        self.driver.quit()
        if complaints:
            raise AssertionError("the page complained: " + "; ".join(complaints))
