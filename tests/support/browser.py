"""A real headless Chromium for tests, by selenium: Debian's ``chromium`` and ``chromium-driver``.

``chromium`` is a fixture of the whole session, in ``conftest.py``; EDGEDP_CHROMIUM and EDGEDP_CHROMEDRIVER name others.
A page is opened with `opened`; it tells the errors of its console, and what it asked the network for.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait

__all__ = ["PATIENCE", "Page", "opened", "started"]

PATIENCE = 120
"""Seconds until a page that does not get ready counts as broken; no measure of speed."""

_MISSING = "needs a browser: apt-get install chromium chromium-driver"


@dataclass
class Page:
    """What a page did since it was opened.

    Attributes
    ----------
    driver : WebDriver
    requests : list of str
        Addresses that were asked for beyond the page itself; ``data:`` and ``blob:`` are none.
    errors : list of str
        Of the console.
    """

    driver: Any
    address: str
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def settled(self) -> Page:
        """Read what happened up to now."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if not url.startswith(("data:", "blob:")) and url.partition("#")[0] != self.address:
                    self.requests.append(url)
        for entry in self.driver.get_log("browser"):
            if entry["level"] == "SEVERE":
                self.errors.append(entry["message"])
        return self

    def run(self, script: str, *arguments: Any) -> Any:
        """Run JavaScript and return what it returns."""
        return self.driver.execute_script(script, *arguments)

    def wait(self, script: str) -> None:
        """Wait until JavaScript returns something true."""
        WebDriverWait(self.driver, PATIENCE).until(lambda driver: driver.execute_script(script))


@contextmanager
def started() -> Iterator[WebDriver]:
    """Start a browser; without one a test is skipped and says so."""
    browser = os.environ.get("EDGEDP_CHROMIUM") or shutil.which("chromium")
    driver = os.environ.get("EDGEDP_CHROMEDRIVER") or shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip(_MISSING)
    options = Options()
    options.binary_location = browser
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    for argument in ("--disable-background-networking", "--no-first-run", "--window-size=1280,1600"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chromium = webdriver.Chrome(options=options, service=Service(driver))
    chromium.set_page_load_timeout(PATIENCE)
    chromium.set_script_timeout(PATIENCE)
    try:
        yield chromium
    finally:
        chromium.quit()


def opened(driver: Any, address: str) -> Page:
    """Open an address; what earlier pages did is forgotten."""
    for kind in ("performance", "browser"):
        driver.get_log(kind)
    driver.get(address)
    return Page(driver, address)
