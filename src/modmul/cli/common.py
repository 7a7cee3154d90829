"""Options that several verbs have, besides those of a specification."""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter, Token

from modmul.errors import SpecError, quoted
from modmul.parameters import option_name

_WHOLE = re.compile(r"[+-]?(0[xX][0-9a-fA-F]{1,1024}|[0-9]{1,1234})")  # to 4096 bits


def whole(hint: object, tokens: Sequence[Token]) -> int:
    """Return the integer in a word, decimal or 0x...; else ValueError: cyclopts would round 8.5."""
    text = tokens[0].value
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"{quoted(text)} is no whole number of at most 4096 bits")
    return int(text, 16 if "x" in text.lower() else 10)


Whole = Annotated[int, Parameter(converter=whole)]
Output = Annotated[Path | None, Parameter(name=["-o", "--output"])]
Json = Annotated[bool, Parameter(name="--json", help="one JSON object on standard output")]
Jobs = Annotated[
    Whole,
    Parameter(
        name=["--jobs", "-j"],
        help="how many processes run at the same time (default: one for each processor)",
        show_default=False,
    ),
]
# The number of processors that this process may use: the default of --jobs.
PROCESSORS = (
    len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
)
Seeds = Annotated[Whole, Parameter(help="place and route with seeds 1 to this number")]


def no_effect(
    *, beside: Mapping[str, str] | None = None, without: Mapping[str, str] | None = None
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """A decorator for a verb, which refuses options that would have no effect.  One whose value
    asks for nothing, such as 0, is no such option.

    beside: for an option, the options that have no effect beside it.  without: for an option, those
    of which it needs one."""

    def decorate(verb: Callable[..., int]) -> Callable[..., int]:
        signature = inspect.signature(verb)

        @functools.wraps(verb)
        def checked(*args: Any, **options: Any) -> int:
            given = {
                name: str(value) if isinstance(value, Path) else value
                for name, value in signature.bind(*args, **options).arguments.items()
                if value
            }
            for name, unused in (beside or {}).items():
                for other in unused.split():
                    if name in given and other in given:
                        raise exclusive(
                            _option(signature, other), given[other], _option(signature, name)
                        )
            for name, needed in (without or {}).items():
                if name in given and given.keys().isdisjoint(needed.split()):
                    options_needed = " or ".join(_option(signature, key) for key in needed.split())
                    raise requires(_option(signature, name), given[name], options_needed)
            return verb(*args, **options)

        return checked

    return decorate


def exclusive(option: str, value: object, other: str, why: str = "") -> SpecError:
    """Return the SpecError for an option, as it stands on the command line, that has no effect
    beside another."""
    reason = f": {why}" if why else ""
    message = f"{option} and {other} are mutually exclusive{reason}"
    return SpecError(option.lstrip("-"), value, f"absent with {other}", message)


def requires(option: str, value: object, others: str) -> SpecError:
    """Return the SpecError for an option that has no effect without others."""
    return SpecError(option.lstrip("-"), value, f"with {others}", f"{option} requires {others}")


def _option(signature: inspect.Signature, name: str) -> str:
    """Return an argument as it stands on the command line."""
    if signature.parameters[name].kind is inspect.Parameter.POSITIONAL_ONLY:
        return name.upper()
    return f"--{option_name(name).strip('-')}"
