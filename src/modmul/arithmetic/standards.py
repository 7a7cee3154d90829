"""Answers that standards publish for operations of processors: standards.toml."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from modmul import inputs
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.keys import Key


class StandardAnswer(NamedTuple):
    """An answer of a standard.  operations: those that the numbers belong to: the results of a
    signature are operands of its verification.  given, result: numbers by their names."""

    source: str
    operations: tuple[str, ...]
    given: Mapping[str, int]
    result: Mapping[str, int]


def find(operation: str, modulus: int, curve: Curve | None) -> StandardAnswer | None:
    """The answer for an operation on a curve, or with a modulus if `curve` is None."""
    about = curve.name if curve else f"{modulus:#x}"
    return next((one for one in answers().get(about, ()) if operation in one.operations), None)


def rsa_keys() -> list[Key]:
    """The RSA keys that are published with their primes, the shortest first."""
    return [Key(*(int(key[name], 16) for name in "pqe")) for key in _file()["key"]]


def rsa_moduli() -> list[int]:
    """The moduli with answers for public operations of RSA, the shortest first."""
    return [int(modulus["name"], 16) for modulus in _file()["modulus"]]


@cache
def answers() -> Mapping[str, list[StandardAnswer]]:
    """All answers, by the names of curves and the hexadecimal digits of moduli."""
    found: dict[str, list[StandardAnswer]] = {}
    for entry in (*_file()["curve"], *_file()["modulus"]):
        given, result = (
            {name: int(number, 16) for name, number in entry[kind].items()}
            for kind in ("given", "result")
        )
        answer = StandardAnswer(entry["source"], tuple(entry["operations"]), given, result)
        found.setdefault(entry["name"], []).append(answer)
    return found


@cache
def _file() -> dict[str, Any]:
    file = resources.files(__package__) / "standards.toml"
    return inputs.toml(file.read_text(encoding="utf-8"))
