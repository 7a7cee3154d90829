"""Shows the state of an exploration: on a terminal while it runs, and at its end."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.live import Live
from rich.table import Table

from modmul.cli.output import facts, table
from modmul.exploration.explore import Outcome, Watch
from modmul.targets import UNVERIFIED
from modmul.toolchain import progress, terminal
from modmul.toolchain.terminal import Visible

_LINES = 10  # members of the front that are shown while it runs


@contextlib.contextmanager
def display() -> Iterator[Watch]:
    """Yield a `Watch` that shows counts and front on standard error: live on a terminal, else now
    and then a line."""
    console = terminal.console(stderr=True)
    if not console.is_terminal:
        with progress.lines() as say:
            yield lambda outcome: say(counts(outcome))
        return
    with Live(console=console, refresh_per_second=2, transient=True) as live:
        yield lambda outcome: live.update(
            Visible(Group(counts(outcome), "", _front(outcome, _LINES)))
        )


def counts(outcome: Outcome) -> str:
    """Return one line with the points done, failed, cached and running, and the time left."""
    parts = [f"{outcome.done} done"]
    parts += [f"{outcome.outside} outside"] if outcome.outside else []
    parts += [f"{outcome.failed} failed, {outcome.cached} cached, {outcome.running} running"]
    parts += [] if outcome.searched else [f"{outcome.left} left"]
    if outcome.seconds_left is not None and outcome.running:
        parts.append(f"about {_minutes(outcome.seconds_left)} to go")
    parts.append(f"{len(outcome.front)} on the front")
    return f"{outcome.space}: {', '.join(parts)}"


def summary(outcome: Outcome) -> RenderableType:
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
