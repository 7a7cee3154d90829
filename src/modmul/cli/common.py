"""Options that several verbs have, besides those of a specification."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Annotated

from cyclopts import Parameter, Token

from modmul.errors import quoted

_WHOLE = re.compile(r"[+-]?(0[xX][0-9a-fA-F]{1,1024}|[0-9]{1,1234})")  # to 4096 bits


def whole(hint: object, tokens: Sequence[Token]) -> int:
    """Return the integer in a word, decimal or 0x...; else ValueError: cyclopts would round 8.5."""
    text = tokens[0].value
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"{quoted(text)} is no whole number of at most 4096 bits")
    return int(text, 16 if "x" in text.lower() else 10)


Json = Annotated[
    bool, Parameter(name="--json", negative="", help="one JSON object on standard output")
]
Jobs = Annotated[
    int | None,
    Parameter(
        name=["--jobs", "-j"], converter=whole,
        help="how many processes run at the same time (default: one for each processor)",
    ),
]
Seeds = Annotated[
    int, Parameter(converter=whole, help="place and route with seeds 1 to this number")
]


def processors() -> int:
    """Return the number of processors that this process may use: the default of --jobs."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
