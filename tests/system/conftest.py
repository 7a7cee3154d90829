"""What `make soc` ran, in its last line."""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

import soc_runs


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, object, object]:
    """One line: what was simulated, tests that passed, and those that were left out."""
    result = yield
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("SOC") and terminal is not None:
        counts = {
            what: len(terminal.stats.get(what, ()))
            for what in ("passed", "failed", "error", "skipped")
        }
        told = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
        terminal.write_line(f"make soc ran: {'; '.join([*soc_runs.RAN, told])}")
    return result
