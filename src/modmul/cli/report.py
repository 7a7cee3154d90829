"""modmul report DIR."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from modmul.cli.common import Json, Output, Whole, no_effect
from modmul.cli.output import show
from modmul.errors import SpecError, printable
from modmul.parameters import SCHEDULES, check_number
from modmul.toolchain import progress
from modmul.toolchain.files import check_file, check_writable

if TYPE_CHECKING:
    from modmul.exploration.store import RunSummary, Store

_MOST_SCHEDULES = 10_000


@no_effect(without={"schedules": "output pictures"})
def report_verb(
    directory: Annotated[Path, Parameter(name="DIR")],
    /,
    *,
    output: Output = None,
    pictures: Path | None = None,
    title: str | None = None,
    schedules: Whole = SCHEDULES,
    json: Json = False,
) -> int:
    """Write the page, the figures and the summary of an exploration.

    Args:
        directory: directory that `modmul explore` has written
        output: write the page to this file: HTML that needs no other
        pictures: write the figures into this directory, as SVG, PNG, PDF and PGF
        title: heading of the page (default: name and summary of the space)
        schedules: how many designs, most of them on the Pareto front, are simulated for the chart
            of slots over time
    """
    from modmul.exploration.store import Store, read  # not for the help

    check_number("schedules", schedules, 0, _MOST_SCHEDULES)
    if output is not None:
        check_file(output)
    if pictures is not None:
        check_writable(pictures)
    records = read(directory)
    if not records:
        allowed = "a directory with at least one point"
        raise SpecError(
            "directory",
            str(directory),
            allowed,
            f"{directory}: no point has been measured there yet",
        )
    from modmul.reporting import text
    from modmul.reporting.report import report
    from modmul.reporting.write import WrittenReport, write

    drawn = output is not None or pictures is not None
    with progress.bar() as bar:
        store = Store(directory)
        run = store.summary()
        content = report(
            records,
            title or printable(_title(directory, store, run)),
            run=run,
            simulated=schedules if drawn else 0,
            progress=bar,
        )
        files = write(content, output, pictures)
    result = WrittenReport.of(content, files)
    show(result, lambda: text.written(result) if drawn else text.summary(content), json)
    return 0


def _title(directory: Path, store: Store, run: RunSummary | None) -> str:
    """Return name and summary of the explored space; without a record of its run, name the
    directory."""
    name, about = run.space if run else directory.resolve().name, store.about()
    return f"{name}: {about}" if about else name
