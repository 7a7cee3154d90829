"""modmul explore SPACE.toml -o DIR."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from rich.console import Group, RenderableType
from rich.live import Live
from rich.table import Table

from modmul.cli.common import PROCESSORS, Jobs, Json, no_effect
from modmul.cli.output import facts, show, table
from modmul.exploration import shipped
from modmul.targets import UNVERIFIED
from modmul.toolchain import progress, terminal
from modmul.toolchain.terminal import Visible

if TYPE_CHECKING:
    from modmul.exploration.explore import Outcome, Watch

_SHOWN = 10  # members of the front that are shown while it runs


@no_effect(beside={"full": "budget", "scheduler": "jobs"})
def explore_verb(
    space: Annotated[
        str,
        Parameter(
            name="SPACE.toml",
            help=f"a file with a space of specifications, or one of {', '.join(shipped())}; its "
            "conditions (where) use the names that `modmul query` prints",
        ),
    ],
    /,
    *,
    output: Annotated[Path, Parameter(name=["-o", "--output"])],
    budget: str | None = None,
    full: bool = False,
    scheduler: str | None = None,
    search: Annotated[bool | None, Parameter(negative="--grid")] = None,
    retry: bool = False,
    jobs: Jobs = PROCESSORS,
    json: Json = False,
) -> int:
    """Measure a whole space of specs: likely front first, each point verified before.

    Args:
        output: directory of the records; a run continues with what is there
        budget: how much this run measures: a number of points, such as 200, or a time, such as "45
            min" (default: the budget of the space)
        full: measure everything, without a budget
        scheduler: address of a dask.distributed scheduler, whose workers measure
        search: search for the best designs (the Pareto front), or measure every point of the grid
            (default: search only if the grid is too large)
        retry: measure failed points again
    """
    from modmul.exploration.explore import explore  # not for the help
    from modmul.exploration.space import Budget, read_space

    read = read_space(space)
    if full:
        read = read._replace(budget=None)
    try:
        with _display() as watch:
            outcome = explore(
                read,
                output,
                budget=None if budget is None else Budget.of(budget),
                jobs=jobs,
                scheduler=scheduler,
                search=search,
                retry=retry,
                watch=watch,
            )
    except KeyboardInterrupt:
        print(
            f"modmul: {output} keeps every finished point; the same command goes on",
            file=sys.stderr,
        )
        raise
    show(outcome, lambda: _summary(outcome), json)
    return 0


@contextlib.contextmanager
def _display() -> Iterator[Watch]:
    """Yield a `Watch` that shows counts and front on standard error: live on a terminal, else now
    and then a line."""
    console = terminal.console(stderr=True)
    if not console.is_terminal:
        with progress.lines() as say:
            yield lambda outcome: say(_counts(outcome))
        return
    with Live(console=console, refresh_per_second=2, transient=True) as live:
        yield lambda outcome: live.update(
            Visible(Group(_counts(outcome), "", _front(outcome, _SHOWN)))
        )


def _counts(outcome: Outcome) -> str:
    """Return one line with the points done, failed, cached and running, and the time left."""
    parts = [f"{outcome.done} done"]
    parts += [f"{outcome.outside} outside"] if outcome.outside else []
    parts += [f"{outcome.failed} failed, {outcome.cached} cached, {outcome.running} running"]
    parts += [] if outcome.searched else [f"{outcome.left} left"]
    if outcome.seconds_left is not None and outcome.running:
        parts.append(f"about {_minutes(outcome.seconds_left)} to go")
    parts.append(f"{len(outcome.front)} on the front")
    return f"{outcome.space}: {', '.join(parts)}"


def _summary(outcome: Outcome) -> RenderableType:
    """Return the tables for the end of a run."""
    kind = "combinations, searched" if outcome.searched else "points"
    equal = f" ({outcome.equal} more were equal to one of them)" if outcome.equal else ""
    share = 1 - outcome.tool_seconds / outcome.point_seconds if outcome.point_seconds else None
    about = facts(
        f"Exploration of {outcome.space}",
        ("about", outcome.summary or None),
        ("space", f"{outcome.points} {kind}{equal}"),
        *(
            ("impossible", f"{case.count} of {case.architecture}, such as: {case.reason}")
            for case in outcome.impossible
        ),
        (
            "this run",
            f"{outcome.done} done, {outcome.outside} outside the conditions, "
            f"{outcome.failed} failed, on {outcome.place}",
        ),
        ("measured before", outcome.cached),
        ("not started", None if outcome.searched else outcome.left + outcome.running),
        ("time", _minutes(outcome.seconds) + _rate(outcome)),
        ("not tools", None if share is None else f"{share:.1%} of the points' time"),
        ("ended", outcome.ended),
    )
    return Group(about, "", _front(outcome, len(outcome.front)))


def _front(outcome: Outcome, most: int) -> Table:
    """Return a table of the front: each design and its figures."""
    hidden = len(outcome.front) - most
    more = f" ({hidden} more)" if hidden > 0 else ""
    listing = table(f"Pareto front{more} {_of(outcome)}", "design", "on", *outcome.objectives)
    for point in outcome.front[:most]:
        doubt = ", estimated clock" if point.estimated else ""
        doubt += f", clock limit {UNVERIFIED}" if point.unverified else ""
        figures = (f"{value:,.1f}" for value in point.figures.values())
        listing.add_row(point.title, f"{point.technology}{doubt}", *figures)
    if any(name.startswith("area") for name in outcome.objectives):
        units = dict.fromkeys(f"{point.technology}: {point.area_unit}" for point in outcome.front)
        listing.caption = f"area, core alone, on {'; '.join(units)}" if units else None
    return listing


def _of(outcome: Outcome) -> str:
    """Return the words that follow "front" and say which points it was found among."""
    most = "up to " if outcome.searched else ""
    untried = outcome.left + outcome.running
    if untried:
        return f"of the points measured so far; {most}{untried} of the space were not tried"
    return "of all points measured"


def _rate(outcome: Outcome) -> str:
    if not outcome.seconds or not outcome.measured:
        return ""
    return f", {outcome.measured / outcome.seconds * 3600:,.0f} points an hour"


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
