"""The keys that every specification has, in words, and the error for a key that none has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modmul import designs, multipliers
from modmul.arithmetic import moduli
from modmul.design import Design
from modmul.errors import SpecError, quoted, suggestion
from modmul.multipliers import Multiplier
from modmul.parameters import parameters
from modmul.processors import Processor
from modmul.targets import libraries

DEFAULT_ARCHITECTURE = "fpmm"
DEFAULT_MULTIPLIER = "fips"  # of a processor
MULTIPLIER = "multiplier"  # the key that names it
CURVE = "curve"  # of a processor that takes them
KEY_BITS = "key-bits"  # of a processor for RSA: decides the width
KEY_BITS_TEXT = (
    "in the place of the width: bits of the longest RSA key; 2048 gives a width of 1024, for RSA "
    "keys up to 2048 bits by CRT, 1024 without"
)
MULTIPLIERS = "multipliers"  # of some multipliers: how many multipliers of words they have
INTERFACES = ("stream", "core")
LONGEST_NAME = 31  # letters; C tells external names apart by so many
NAMES = (
    f"a name of at most {LONGEST_NAME} letters, digits and single underscores between them that "
    "begins with a letter and is no keyword of Verilog, VHDL or C"
)
_RENAMED = {"insist": "allow-leaks"}  # keys of earlier versions
COMMON = {
    "architecture": f"one of {', '.join(designs.NAMES)} (default {DEFAULT_ARCHITECTURE})",
    "modulus": f"the modulus: {moduli.NOTATIONS}",
    "device": "chip of the target's family (default: that of the product family, or the first one "
    "that `modmul list TARGET` shows)",
    "library": "library of standard cells, for the target cells: "
    f"{libraries.ALLOWED} (default {libraries.DEFAULT})",
    "interface": "stream: the core behind the elastic adapter, so that its streams may pause at "
    "any time (the default); core: the bare core",
    "name": "what the design is called: its modules, files, packages, and the names of its driver "
    f"in C; {NAMES} (default: a name made of its parameters)",
}
# Keys that a file may have for `build`, bus and banks also for `implement`, and their types; other
# verbs ignore them.
DELIVERY: Mapping[str, type] = {
    "bus": str,
    "package": str,
    "banks": int,
    "data-bits": int,
    "reset": str,
    "reset-active": str,
    "clock-enable": bool,
    "no-initial-values": bool,
    "language": str,
}
SUMMARY = "summary"  # a key for readers of a file: what it is for
FIRST = ("architecture", "modulus")  # in lists of keys they stand before the parameters
LAST = tuple(key for key in COMMON if key not in FIRST)


def without_delivery(keys: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that describe a design, without those of its delivery and the summary."""
    return {key: value for key, value in keys.items() if key not in (*DELIVERY, SUMMARY)}


def takes_curves(architecture: type[Design]) -> bool:
    return issubclass(architecture, Processor) and architecture.takes_curves


def takes_keys(architecture: type[Design]) -> bool:
    return issubclass(architecture, Processor) and architecture.takes_keys


def named_count(value: Any) -> SpecError | None:
    """What is wrong where the key `multipliers`, a number, was given the name of a multiplier."""
    if not isinstance(value, str) or value not in multipliers.NAMES:
        return None
    message = (
        f"{MULTIPLIERS} = {quoted(value)}: must be a whole number: how many multipliers of words "
        f"{having_multipliers()} has; the key {MULTIPLIER} names what a processor multiplies with"
    )
    return SpecError(MULTIPLIERS, value, "a whole number", message)


def having_multipliers() -> str:
    return ", ".join(
        name for name, other in designs.REGISTRY.items() if MULTIPLIERS in parameters(other)
    )


def unknown_key(
    key: str, value: Any, architecture: type[Design], built_on: type[Multiplier] | None
) -> SpecError:
    """Why there is no such key: of another architecture, or of none (then the nearest name)."""
    keys = [*FIRST, *parameters(architecture), *LAST]
    name = architecture.name
    if takes_curves(architecture):
        keys.insert(len(FIRST), CURVE)
    if takes_keys(architecture):
        keys.insert(len(FIRST), KEY_BITS)
    if built_on is not None:
        keys[len(FIRST) : len(FIRST)] = [MULTIPLIER, *parameters(built_on)]
        name = f"{name} on {built_on.name}"
    allowed = ", ".join(keys)
    owners = [
        name
        for name, other in designs.REGISTRY.items()
        if key in parameters(other)
        or (key == CURVE and takes_curves(other))
        or (key == KEY_BITS and takes_keys(other))
    ]
    if owners:
        reason = f"architecture {name} has no {key} (it is one of {', '.join(owners)})"
        if key == MULTIPLIERS and built_on is not None:
            reason += f"; {MULTIPLIER} is the key that names what it multiplies with"
    else:
        reason = f"no such key{nearest(key, keys)}"
    return SpecError(key, value, allowed, f"{key} = {quoted(value)}: {reason}; allowed: {allowed}")


def nearest(key: str, keys: list[str]) -> str:
    """The key that may have been meant, as the end of a message; nothing where none is like it."""
    if key in _RENAMED:
        return f", it is {_RENAMED[key]} now"
    return suggestion(key, keys, 1)
