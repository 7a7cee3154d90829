"""Prints results on standard output: one JSON object, or text for people."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from modmul.errors import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.console import RenderableType as RenderableType
    from rich.table import Table
else:
    RenderableType = Any  # for annotations of the verbs: rich takes long to load

T = TypeVar("T")
_PIPE_WIDTH = 160  # columns of a table that is not printed on a terminal
_WIDEST = 10_000  # the most columns that COLUMNS can set


def show(
    record: Any, text: Callable[[], RenderableType | list[RenderableType]], as_json: bool
) -> None:
    """Print a result record as JSON, or else the parts that `text` returns, one below the other:
    strings as they are, without line breaks of ours, and renderables fitted to the terminal."""
    if as_json:
        print(_json(record))
        return
    parts = text()
    for part in parts if isinstance(parts, list) else [parts]:
        if isinstance(part, str):
            sys.stdout.write(visible(part if part.endswith("\n") else part + "\n"))
        else:
            from modmul.toolchain.terminal import Visible

            _print(Visible(part))


def _json(record: Any) -> str:
    import msgspec

    try:
        encoded = msgspec.json.encode(record, order="deterministic")
    except UnicodeEncodeError:  # a path of the environment in bytes that are no text
        return json.dumps(msgspec.to_builtins(record), indent=2)
    return msgspec.json.format(encoded, indent=2).decode()


def console() -> Console:
    """Return a console for standard output.  If that is no terminal, it is as wide as COLUMNS says,
    or else so wide that few lines are broken."""
    from modmul.toolchain import terminal

    return terminal.console(None if sys.stdout.isatty() else _pipe_width())


def _pipe_width() -> int:
    setting = os.environ.get("COLUMNS", "")
    columns = int(setting) if re.fullmatch("[0-9]{1,5}", setting) else 0
    return min(columns, _WIDEST) or _PIPE_WIDTH


def _print(part: RenderableType) -> None:
    """Print; if the output is no terminal, without the spaces that fill the lines of a table."""
    shown = console()
    if sys.stdout.isatty():
        shown.print(part)
        return
    with shown.capture() as caught:
        shown.print(part)
    sys.stdout.write("\n".join(line.rstrip(" ") for line in caught.get().split("\n")))


def group(*parts: RenderableType) -> RenderableType:
    """Return these parts as one, each below the one before."""
    from rich.console import Group

    return Group(*parts)


def table(title: str, *columns: str) -> Table:
    """Return an empty table in the style of this program."""
    from rich.table import Table

    listing = Table(title=title or None, title_justify="left", box=None, pad_edge=False)
    for column in columns:
        listing.add_column(column, overflow="fold")
    return listing


def rows(title: str, items: Iterable[T], columns: Mapping[str, Callable[[T], object]]) -> Table:
    """Return a table with a row for each item.  columns: by heading, the cell of an item; None is
    shown as a hyphen."""
    listing = table(title, *columns)
    for item in items:
        cells = (cell(item) for cell in columns.values())
        listing.add_row(*("-" if value is None else str(value) for value in cells))
    return listing


def facts(title: str, *rows: tuple[str, object], heads: bool = True) -> RenderableType:
    """Return a table of facts and their values, without the rows whose value is None.  The title
    may be wider than the table, as names of designs are."""
    from rich.text import Text

    listing = table("", *(("what", "value") if heads else ("", "")))
    for what, value in rows:
        if value is not None:
            listing.add_row(what, str(value))
    return group(Text(title, style="table.title"), listing) if title else listing
