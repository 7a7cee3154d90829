"""The page for `make browser`, and the browser, which only that needs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modmul.exploration.store import read
from modmul.reporting.html import page as whole
from modmul.reporting.report import Report, report
from report_examples import RECORDS, SCHEDULES

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

    from browser import Watched


@pytest.fixture(scope="module")
def shown() -> Report:
    """A directory of an exploration named in $BROWSER_DIR, else made-up points of all kinds with
    one real simulation."""
    named = os.environ.get("BROWSER_DIR")
    if named:
        return report(read(Path(named)), Path(named).name)
    return report(RECORDS, "A report & its <parts>", simulated=SCHEDULES)


@pytest.fixture(scope="module")
def path(shown: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("page") / "report.html"
    file.write_text(whole(shown), encoding="utf-8")
    from browser import SHOTS

    SHOTS.mkdir(parents=True, exist_ok=True)
    return file


@pytest.fixture(scope="module")
def browser() -> Iterator[BrowserContext]:
    from browser import started

    with started() as context:
        yield context


@pytest.fixture
def watched(browser: BrowserContext, path: Path) -> Iterator[Watched]:
    from browser import opened

    with opened(browser, path) as page:
        yield page
