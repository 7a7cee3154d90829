"""Progress of long steps: a callback for callers of the library, a bar on standard error for
people."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

Report = Callable[[str, int, int], None]  # (name of the work, parts done, parts in all)


def silent(what: str, done: int, total: int) -> None:
    """Show nothing; the default of every function of the library."""


@contextlib.contextmanager
def bar() -> Iterator[Report]:
    """Yield a `Report` that shows a progress bar on standard error, with one line for each kind of
    work.  The bar is removed when the block ends."""
    from rich import progress

    from modmul.toolchain import terminal

    columns = (
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
    )
    console = terminal.console(stderr=True)
    off = not console.is_terminal  # in a file it would only leave an empty line
    with progress.Progress(*columns, console=console, transient=True, disable=off) as shown:
        tasks = {}

        def report(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = shown.add_task(what, total=total)
            shown.update(tasks[what], completed=done, total=total)

        yield report
