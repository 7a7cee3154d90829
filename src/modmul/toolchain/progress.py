"""Progress of long steps: a callback for callers of the library, a bar on standard error for
people."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from modmul.toolchain import terminal

Report = Callable[[str, int, int], None]  # (name of the work, parts done, parts in all)


def silent(what: str, done: int, total: int) -> None:
    """Show nothing; the default of every function of the library."""


@contextlib.contextmanager
def bar() -> Iterator[Report]:
    """Yield a `Report` that shows a progress bar on standard error, with one line for each kind of
    work.  The bar is removed when the block ends."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    console = terminal.console(stderr=True)
    off = not console.is_terminal  # in a file it would only leave an empty line
    with Progress(*columns, console=console, transient=True, disable=off) as progress:
        tasks = {}

        def report(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = progress.add_task(what, total=total)
            progress.update(tasks[what], completed=done, total=total)

        yield report
