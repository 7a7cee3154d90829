"""modmul explore SPACE.toml -o DIR."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from modmul.cli.common import PROCESSORS, Jobs, Json, no_effect
from modmul.cli.output import show
from modmul.exploration import shipped


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
    from modmul.cli import live  # not for the help
    from modmul.exploration.explore import explore
    from modmul.exploration.space import Budget, read_space

    read = read_space(space)
    if full:
        read = read._replace(budget=None)
    try:
        with live.display() as watch:
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
    show(outcome, lambda: live.summary(outcome), json)
    return 0
