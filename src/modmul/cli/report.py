"""modmul report DIR."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from modmul.cli.options import Json
from modmul.cli.output import show
from modmul.errors import SpecError
from modmul.exploration.store import Store, read
from modmul.reporting import text
from modmul.reporting.report import SCHEDULES, report
from modmul.reporting.write import Written, check_page, write
from modmul.toolchain import progress
from modmul.toolchain.directories import check_writable


def report_verb(
    directory: Annotated[Path, Parameter(name="DIR", help="what `modmul explore` has written")],
    /,
    *,
    output: Annotated[
        Path | None,
        Parameter(name=["-o", "--output"], help="the page: one HTML file that needs no other"),
    ] = None,
    pictures: Annotated[
        Path | None, Parameter(help="directory for the figures as SVG and PNG")
    ] = None,
    title: Annotated[
        str | None, Parameter(help="heading of the page (default: the name of DIR)")
    ] = None,
    schedules: Annotated[
        int, Parameter(help="so many designs, mostly of the front, are simulated for the chart of "
                            "slots over time")
    ] = SCHEDULES,
    json: Json = False,
) -> int:
    """The page, figures and summary of an exploration."""
    if schedules < 0:
        allowed = "a whole number from 0"
        message = f"schedules = {schedules}: must be {allowed}"
        raise SpecError("schedules", schedules, allowed, message)
    if output is not None:
        check_page(output)
    if pictures is not None:
        check_writable(pictures)
    records = read(directory)
    if not records:
        allowed = "a directory with at least one point"
        raise SpecError("directory", str(directory), allowed,
                        f"{directory}: no point has been measured there yet")
    drawn = output is not None or pictures is not None
    with progress.bar() as bar:
        made = report(records, title or directory.resolve().name,
                      run=Store(directory).summary(), simulated=schedules if drawn else 0,
                      progress=bar)
        files = write(made, output, pictures)
    result = Written.of(made, files)
    show(result, lambda: text.written(result) if drawn else text.summary(made), json)
    return 0
