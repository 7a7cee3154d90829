"""Progress of long steps: a callback for callers of the library; for people a bar on standard
error, or a line each half minute where that is no terminal."""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
import time
from collections.abc import Callable, Iterator

from modmul.errors import visible

Report = Callable[[str, int, int], None]  # (name of the work, parts done, parts in all)
EVERY = 30.0  # seconds between two lines in a file or pipe


def silent(what: str, done: int, total: int) -> None:
    """Show nothing; the default of every function of the library."""


@contextlib.contextmanager
def bar() -> Iterator[Report]:
    """Yield a `Report` that shows a progress bar on standard error, with one line for each kind of
    work.  The bar is removed when the block ends.  If standard error is no terminal, a line every
    half minute says what is being done."""
    from rich import progress

    from modmul.toolchain import terminal

    console = terminal.console(stderr=True)
    if not console.is_terminal:
        with lines() as say:
            yield lambda what, done, total: say(f"{what} {done} of {total}")
        return
    columns = (
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
    )
    with progress.Progress(*columns, console=console, transient=True) as shown:
        tasks = {}

        def report(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = shown.add_task(what, total=total)
            shown.update(tasks[what], completed=done, total=total)

        yield report


@contextlib.contextmanager
def lines() -> Iterator[Callable[[str], None]]:
    """Yield a function that takes the state of the work, and print the last one each half
    minute."""
    last, ended, begun = ["working"], threading.Event(), time.monotonic()

    def write() -> None:
        while not ended.wait(EVERY):
            minutes, seconds = divmod(round(time.monotonic() - begun), 60)
            with contextlib.suppress(OSError, ValueError):  # nobody reads it any more
                line = f"modmul: {visible(last[0])}, after {minutes} min {seconds:02} s\n"
                sys.stderr.write(line)
                sys.stderr.flush()

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        yield functools.partial(last.__setitem__, 0)
    finally:
        ended.set()
        writer.join()
