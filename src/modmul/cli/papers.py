"""modmul papers KEY."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from modmul.cli.options import Jobs, Json, processors
from modmul.cli.output import show
from modmul.implementation.implement import SEEDS
from modmul.papers import KEYS, papers
from modmul.papers.text import render
from modmul.toolchain import progress


def papers_verb(
    key: Annotated[str, Parameter(name="KEY", help=f"one of {', '.join(KEYS)}")],
    /,
    *,
    seeds: Annotated[int, Parameter(help="place and route with seeds 1 to this")] = SEEDS,
    jobs: Jobs = None,
    json: Json = False,
) -> int:
    """Published tables beside what this tool computes and measures."""
    with progress.bar() as report:
        found = papers(key, seeds=seeds, jobs=jobs or processors(), progress=report)
    show(found, lambda: render(found), json)
    return 0
