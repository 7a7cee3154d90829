"""What people see of a long step where standard error is no terminal."""

import io
import re
import sys
import time

import pytest

from modmul.toolchain import progress


def test_a_line_now_and_then_says_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.05)
    monkeypatch.setattr(sys, "stderr", said := io.StringIO())
    with progress.bar() as report:
        report("build", 1, 5)
        while said.getvalue().count("\n") < 2:
            time.sleep(0.01)
    lines = said.getvalue().splitlines()
    form = r"modmul: build 1 of 5, after 0 min \d\d s"
    assert len(lines) >= 2 and all(re.fullmatch(form, line) for line in lines)


def test_a_short_step_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", said := io.StringIO())
    with progress.bar() as report:
        report("build", 1, 5)
    assert said.getvalue() == ""


def test_nobody_reads_the_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.01)
    closed = io.StringIO()
    monkeypatch.setattr(sys, "stderr", closed)
    with progress.bar() as report:
        closed.close()
        time.sleep(0.05)
        report("build", 1, 5)
