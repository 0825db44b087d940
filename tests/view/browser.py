"""A real browser, without a network, for the tests of pages."""

import shutil
import sys
import time
from contextlib import contextmanager

import pytest
from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox")
PATIENCE = 120_000
"""Milliseconds: WebGL in software on a busy machine is slow."""


@contextmanager
def browser(offline=True):
    """Give a page of a new browser; errors of its scripts are collected in ``page.errors``."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None and sys.platform != "linux":
        pytest.skip("no Chromium here")
    assert path, "there is no Chromium; scripts/install-tools installs it"
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=FLAGS, timeout=PATIENCE)
        context = started.new_context(viewport={"width": 480, "height": 360}, offline=offline, reduced_motion="reduce")
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.errors, page.asked = [], []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on("console", lambda said: page.errors.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: page.asked.append(request.url))
        yield page
        started.close()


def wait(page, condition):
    """Wait until an expression is true; the page's policy forbids Playwright to do so inside the page."""
    end = time.monotonic() + PATIENCE / 1000
    while not page.evaluate(f"Boolean({condition})"):
        assert time.monotonic() < end, f"{condition}: not after {PATIENCE / 1000:g} s; {page.errors}"
        page.wait_for_timeout(50)


def shown(page):
    """Wait until the page has drawn what it knows, and return the matrices of the links."""
    wait(page, "window.tauforge && tauforge.painted > 0")
    before = page.evaluate("tauforge.render() || tauforge.painted")
    wait(page, f"tauforge.painted > {before}")
    return page.evaluate("tauforge.matrices()")
