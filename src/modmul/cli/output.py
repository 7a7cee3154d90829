"""Standard output: one JSON object, or text for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import msgspec
from rich.console import Console, RenderableType
from rich.table import Table

_PIPE_WIDTH = 160  # columns of a table that nobody looks at on a terminal


def show(record: Any, text: Callable[[], RenderableType | str], as_json: bool) -> None:
    """Print a result record as JSON, or what `text` makes of it."""
    if as_json:
        print(_json(record))
        return
    rendered = text()
    if isinstance(rendered, str):
        sys.stdout.write(rendered if rendered.endswith("\n") else rendered + "\n")
    else:
        console().print(rendered)


def _json(record: Any) -> str:
    try:
        encoded = msgspec.json.encode(record, order="deterministic")
    except UnicodeEncodeError:  # a path of the environment in bytes that are no text
        return json.dumps(msgspec.to_builtins(record), indent=2)
    return msgspec.json.format(encoded, indent=2).decode()


def console() -> Console:
    """Standard output; wide where it is no terminal, so that nothing is cut."""
    width = None if sys.stdout.isatty() else _PIPE_WIDTH
    return Console(width=width, highlight=False, markup=False, emoji=False)


def table(title: str, *columns: str) -> Table:
    """An empty table in the style of this program."""
    made = Table(title=title or None, title_justify="left", box=None, pad_edge=False)
    for column in columns:
        made.add_column(column, overflow="fold")
    return made
