"""modmul papers [KEY]."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from modmul.cli.common import PROCESSORS, Jobs, Json, Seeds, Whole
from modmul.cli.output import show
from modmul.errors import refusal
from modmul.papers.registry import KEYS
from modmul.parameters import SEEDS
from modmul.toolchain import progress
from modmul.toolchain.files import check_writable


def papers_verb(
    key: Annotated[
        str | None,
        Parameter(
            name="KEY",
            help=f"one of {', '.join(KEYS)}; without KEY: an index of all papers, which says "
            "what agrees with print, what differs, and why; nothing is measured for it",
        ),
    ] = None,
    /,
    *,
    seeds: Seeds = SEEDS,
    pictures: Path | None = None,
    widest: Whole | None = None,
    jobs: Jobs = PROCESSORS,
    json: Json = False,
) -> int:
    """Published tables beside what this tool computes and measures.

    Args:
        pictures: write pictures of area and time into this directory, as SVG and PNG
        widest: measure only designs of at most so many bits (alkhaleel2006 goes up to 512)
    """
    if key is None:
        from modmul.papers import agreement_text, index  # not for the help

        for name, value in (("pictures", pictures), ("widest", widest)):
            if value is not None:
                why = "the index of all papers measures and draws nothing"
                raise refusal(name, str(value), f"with one of {', '.join(KEYS)}", why)
        overview = index(seeds=seeds, jobs=jobs)
        show(overview, lambda: agreement_text.render(overview), json)
        return 0
    from modmul.papers import papers
    from modmul.papers.pictures import write
    from modmul.papers.text import render

    if pictures is not None:
        check_writable(pictures)
    with progress.bar() as report:
        paper = papers(key, seeds=seeds, jobs=jobs, progress=report, widest=widest)
    if pictures is not None:
        write(paper, pictures)
    show(paper, lambda: render(paper), json)
    return 0
