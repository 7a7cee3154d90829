"""Standard output: one JSON object, or text for people."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import msgspec
from rich.console import Console, RenderableType
from rich.table import Table

_PIPE_WIDTH = 160  # columns of a table that nobody looks at on a terminal


def show(record: Any, text: Callable[[], RenderableType | str], json: bool) -> None:
    """Print a result record as JSON, or what `text` makes of it."""
    if json:
        encoded = msgspec.json.format(msgspec.json.encode(record, order="deterministic"), indent=2)
        print(encoded.decode())
        return
    rendered = text()
    if isinstance(rendered, str):
        sys.stdout.write(rendered if rendered.endswith("\n") else rendered + "\n")
    else:
        console().print(rendered)


def console() -> Console:
    """Standard output; wide where it is no terminal, so that nothing is cut."""
    return Console(width=None if sys.stdout.isatty() else _PIPE_WIDTH, highlight=False)


def table(title: str, *columns: str) -> Table:
    """An empty table in the style of this program."""
    made = Table(title=title or None, title_justify="left", box=None, pad_edge=False)
    for column in columns:
        made.add_column(column, overflow="fold")
    return made
