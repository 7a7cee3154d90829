"""A Chromium that may not talk to anybody, and what it says about a page."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from playwright.sync_api import BrowserContext, Page, ViewportSize, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SHOTS = Path(__file__).parents[2] / "build" / "browser"
DESKTOP, PHONE = ViewportSize(width=1280, height=800), ViewportSize(width=360, height=740)
Scheme = Literal["light", "dark"]
_READY = 60_000  # ms until the page has drawn itself, on a slow machine
_SETTLED = 250  # ms until what was asked for is drawn


class WatchedPage:
    """A page, and all that it said or asked for that it should not have."""

    def __init__(self, page: Page):
        self.page = page
        self.wrong: list[str] = []
        page.on(
            "console", lambda message: self.wrong.append(f"console {message.type}: {message.text}")
        )
        page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        page.on("request", lambda request: self._request(request.url))

    def _request(self, url: str) -> None:
        if not url.startswith(("file:", "data:", "blob:")):
            self.wrong.append(f"request: {url}")

    def settle(self) -> None:
        """Wait until what is drawn is what was asked for."""
        self.page.wait_for_timeout(_SETTLED)


@contextlib.contextmanager
def started() -> Iterator[BrowserContext]:
    """The browser of this machine, with an empty profile.  AssertionError if there is none."""
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    assert program, f"no browser: one of {', '.join(_NAMES)} must be installed"
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as profile:
        browser = playwright.chromium.launch_persistent_context(
            profile, executable_path=program, headless=True, args=list(FLAGS), viewport=DESKTOP
        )
        yield browser
        browser.close()


@contextlib.contextmanager
def opened(
    browser: BrowserContext,
    path: Path,
    viewport: ViewportSize = DESKTOP,
    scheme: Scheme = "light",
    *,
    ready: str = "html[data-ready]",
    before: str = "",
) -> Iterator[WatchedPage]:
    """A page from its file.  AssertionError at the end if anything was said on the console, or
    asked of the network.

    ready: what is there once it is drawn; before: a script that runs before those of the page."""
    page = browser.new_page()
    watched = WatchedPage(page)
    page.set_viewport_size(viewport)
    page.emulate_media(color_scheme=scheme)
    page.add_init_script(before)
    page.goto(path.as_uri())
    page.wait_for_selector(ready, timeout=_READY)
    watched.settle()
    yield watched
    page.close()
    assert watched.wrong == []
