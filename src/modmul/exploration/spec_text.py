"""Finds the fewest options that specify a design, and writes them as a command line or as TOML
text."""

from __future__ import annotations

import functools
import json
import shlex
from collections.abc import Mapping
from typing import Any

from modmul.errors import ModmulError
from modmul.spec import Spec
from modmul.spec.keys import CURVE

# These are listed before the others.
FIRST = ("architecture", "multiplier", "modulus", "width", "target", "device", "library")
_ALWAYS = ("architecture", "modulus", "target")  # listed even if they have their defaults


def minimal_options(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a complete specification (`Spec.options`) that are needed to make it
    again; all options if this version of the program cannot make it."""
    options = {key: value for key, value in spec.items() if value is not None}
    ordered = {key: options[key] for key in (*FIRST, *options) if key in options}
    frame = tuple((key, ordered[key]) for key in FIRST if key in ordered)
    defaults = _defaults(frame)
    short = {
        key: value for key, value in ordered.items() if key in FIRST or defaults.get(key) != value
    }
    if not _same(short, spec):  # a default that follows from another option
        short = dict(ordered)
    if not _same(short, spec):
        return ordered
    always = [key for key in _ALWAYS if key != "modulus" or CURVE not in short]
    for key in [key for key in short if key not in always]:
        without = {name: value for name, value in short.items() if name != key}
        short = without if _same(without, spec) else short
    return {key: short[key] for key in (*FIRST, *defaults) if key in short}


def command(verb: str, options: Mapping[str, Any], *others: str) -> str:
    words = ["modmul", verb]
    for key, value in options.items():
        if isinstance(value, bool):
            words.append(f"--{key}" if value else f"--no-{key}")
        else:
            words += [f"--{key}", str(value)]
    return shlex.join([*words, *others])


def toml(options: Mapping[str, Any]) -> str:
    return "".join(f"{key} = {written(value, quoted=True)}\n" for key, value in options.items())


def written(value: Any, quoted: bool = False) -> str:
    """Return a value of an option as people write it."""
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value, ensure_ascii=False) if quoted else str(value)


@functools.lru_cache(maxsize=4096)
def _defaults(frame: tuple[tuple[str, Any], ...]) -> Mapping[str, Any]:
    """Complete these options with defaults; return an empty mapping if that is impossible."""
    try:
        return Spec.from_options(dict(frame)).options()
    except ModmulError:
        return {}


def _same(options: Mapping[str, Any], spec: Mapping[str, Any]) -> bool:
    try:
        return Spec.from_options(options).options() == dict(spec)
    except ModmulError:
        return False
