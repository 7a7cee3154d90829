"""The options of a specification, generated from the parameters of all architectures."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import os
import re
import typing
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Group, Parameter, Token

from modmul import multipliers
from modmul.errors import quoted
from modmul.parameters import allowed_values, option_name, parameters
from modmul.spec import COMMON, FIRST, LAST, Spec

_WHOLE = re.compile(r"[+-]?(0[xX][0-9a-fA-F]{1,1024}|[0-9]{1,1234})")  # to 4096 bits


def whole(hint: object, tokens: Sequence[Token]) -> int:
    """The integer in a word, decimal or 0x...; else ValueError: cyclopts itself would round 8.5."""
    text = tokens[0].value
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"{quoted(text)} is no whole number of at most 4096 bits")
    return int(text, 16 if "x" in text.lower() else 10)


Json = Annotated[
    bool, Parameter(name="--json", negative="", help="one JSON object on standard output")
]
Jobs = Annotated[
    int | None,
    Parameter(name=["--jobs", "-j"], converter=whole, help="processes side by side"),
]
Seeds = Annotated[
    int, Parameter(converter=whole, help="place and route with seeds 1 to this")
]
_GROUP = Group("Specification", sort_key=2)


def read_spec(file: Path | None, options: dict[str, Any], others: dict[str, Any]) -> Spec:
    """The specification of a file and of options, which win.  others: what the verb is given."""
    return Spec.from_options(options) if file is None else Spec.from_file(file, options)


def takes_spec(
    verb: Callable[..., int],
    read: Callable[[Path | None, dict[str, Any], dict[str, Any]], Spec] = read_spec,
) -> Callable[..., int]:
    """Give `verb(spec: Spec, **others)` the argument SPEC.toml and one option for each key.

    read: see `read_spec`."""
    keys = _options()

    @functools.wraps(verb)
    def wrapped(file: Path | None = None, **given: Any) -> int:
        options = {name: given.pop(name) for name in keys if name in given}
        return verb(read(file, options, given), **given)

    own = list(inspect.signature(verb, eval_str=True).parameters.values())[1:]
    positional = inspect.Parameter(
        "file", inspect.Parameter.POSITIONAL_ONLY, default=None,
        annotation=Annotated[Path | None, Parameter(name="SPEC.toml", help="keys = options")],
    )  # fmt: skip
    every = [positional, *own, *keys.values()]
    wrapped.__signature__ = inspect.Signature(every, return_annotation=int)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {one.name: one.annotation for one in every} | {"return": int}
    return wrapped


def _options() -> dict[str, inspect.Parameter]:
    """One keyword for each key, by its Python name: the union over all architectures."""
    found = {key: _keyword(key, str, COMMON[key]) for key in FIRST}
    for architecture in multipliers.REGISTRY.values():
        hints = typing.get_type_hints(architecture)
        for key, field in parameters(architecture).items():
            if field.name not in found:
                kind = _kind(hints[field.name])
                found[field.name] = _keyword(field.name, kind, _help(key, kind))
    for key in LAST:
        found[key] = _keyword(key, str, COMMON[key])
    return found


def _kind(hint: Any) -> type:
    """bool, int or str: what the command line has to know; Spec does the checking."""
    members = set(typing.get_args(hint)) or {hint}
    if bool in members:
        return bool
    return int if int in members else str


def _keyword(name: str, kind: type, help: str) -> inspect.Parameter:
    option = f"--{option_name(name)}"
    converter = whole if kind is int else None
    parameter = Parameter(
        name=option, converter=converter, help=help, group=_GROUP, show_default=False
    )
    annotation = Annotated[kind | None, parameter]  # type: ignore[valid-type]
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
    )


def _help(key: str, kind: type) -> str:
    """What it is, what it may be, and whose it is; where architectures differ, for each of them."""
    owners: dict[str, list[str]] = {}
    for name, one in multipliers.REGISTRY.items():
        if key in parameters(one):
            owners.setdefault(_described(parameters(one)[key], kind), []).append(name)
    if len(owners) == 1 and sum(map(len, owners.values())) == len(multipliers.REGISTRY):
        return next(iter(owners))
    return "; ".join(f"{', '.join(names)}: {text}" for text, names in owners.items())


def _described(field: dataclasses.Field[Any], kind: type) -> str:
    notes = [] if kind is bool else [allowed_values(field)]
    if field.default is not None:  # else the help says how it is derived
        shown = {"True": "yes", "False": "no"} if kind is bool else {}
        notes.append(f"default {shown.get(str(field.default), field.default)}")
    noted = f" ({'; '.join(notes)})" if notes else ""
    return f"{field.metadata['help']}{noted}"


def processors() -> int:
    """Processors that this process may use: the default of --jobs."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
