"""Standard output: one JSON object, or text for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from modmul.toolchain.visible import visible

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

_PIPE_WIDTH = 160  # columns of a table that nobody looks at on a terminal


def show(
    record: Any, text: Callable[[], RenderableType | list[RenderableType]], as_json: bool
) -> None:
    """Print a result record as JSON, or what `text` makes of it: a text as it is, without ends of
    lines of ours, or what fits the terminal, or several of them one below the other."""
    if as_json:
        print(_json(record))
        return
    made = text()
    for part in made if isinstance(made, list) else [made]:
        if isinstance(part, str):
            sys.stdout.write(visible(part if part.endswith("\n") else part + "\n"))
        else:
            from modmul.toolchain.terminal import Visible

            console().print(Visible(part))


def _json(record: Any) -> str:
    import msgspec

    try:
        encoded = msgspec.json.encode(record, order="deterministic")
    except UnicodeEncodeError:  # a path of the environment in bytes that are no text
        return json.dumps(msgspec.to_builtins(record), indent=2)
    return msgspec.json.format(encoded, indent=2).decode()


def console() -> Console:
    """Standard output; wide where it is no terminal, so that nothing is cut."""
    from modmul.toolchain import terminal

    return terminal.console(None if sys.stdout.isatty() else _PIPE_WIDTH)


def table(title: str, *columns: str) -> Table:
    """An empty table in the style of this program."""
    from rich.table import Table

    made = Table(title=title or None, title_justify="left", box=None, pad_edge=False)
    for column in columns:
        made.add_column(column, overflow="fold")
    return made
