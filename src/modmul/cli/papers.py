"""modmul papers KEY."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from modmul.cli.options import Jobs, Json, processors
from modmul.cli.output import show
from modmul.implementation.implement import SEEDS
from modmul.papers import KEYS, papers
from modmul.papers.pictures import write
from modmul.papers.text import render
from modmul.toolchain import progress
from modmul.toolchain.directories import check_writable


def papers_verb(
    key: Annotated[str, Parameter(name="KEY", help=f"one of {', '.join(KEYS)}")],
    /,
    *,
    seeds: Annotated[int, Parameter(help="place and route with seeds 1 to this")] = SEEDS,
    pictures: Annotated[
        Path | None, Parameter(help="directory for area-time pictures, SVG and PNG")
    ] = None,
    widest: Annotated[
        int | None,
        Parameter(help="measure up to so many bits, nothing above (alkhaleel2006; all: 512)"),
    ] = None,
    jobs: Jobs = None,
    json: Json = False,
) -> int:
    """Published tables beside what this tool computes and measures."""
    if pictures is not None:
        check_writable(pictures)
    with progress.bar() as report:
        found = papers(key, seeds=seeds, jobs=jobs or processors(), progress=report, widest=widest)
    if pictures is not None:
        write(found, pictures)
    show(found, lambda: render(found), json)
    return 0
