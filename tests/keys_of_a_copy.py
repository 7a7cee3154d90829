"""Run with a copy of the package before all others: edits its files, and prints which addresses the
edit of each changes, as JSON.

Each argument has beginnings of names of files, with commas between them; without any all files are
edited in turn.  The files of one argument are edited together first, and in turn if that changes
anything."""

import functools
import importlib
import json
import sys
from pathlib import Path
from typing import Any

from modmul.exploration import grid
from modmul.exploration.measure import key_of
from modmul.multipliers.fpmm import Fpmm
from modmul.multipliers.interleaved import Interleaved
from modmul.multipliers.radix2.scs_mm_2 import ScsMm2
from modmul.multipliers.three_pass import ThreePass
from modmul.papers.dualfips.exponentiation import POWERS
from modmul.processors.exponentiation import Exponentiation
from modmul.toolchain import sources
from modmul.toolchain.steps import Step
from modmul.verification.verify import VERDICT

MORE = {
    "verify of fpmm": (VERDICT, Fpmm),
    "verify of scs-mm-2": (VERDICT, ScsMm2),
    "verify of three-pass": (VERDICT, ThreePass),
    "verify of exponentiation": (VERDICT, Exponentiation),
    "power": (POWERS, Exponentiation),
}
RECORDS = {
    "point of cells": {"architecture": "interleaved", "width": 8, "target": "cells"},
    "point of ecp5": {"architecture": "interleaved", "width": 8, "target": "ecp5"},
}


def declared() -> list[Step]:
    """Every step of the package."""
    steps: dict[str, Step] = {}
    for path in sorted(sources.ROOT.rglob("*.py")):
        if " Step(" in path.read_text():
            name = ".".join(path.relative_to(sources.ROOT.parent).with_suffix("").parts)
            module = importlib.import_module(name.removesuffix(".__init__"))
            steps |= {
                value.name: value for value in vars(module).values() if isinstance(value, Step)
            }
    return list(steps.values())


def addressed() -> dict[str, Step]:
    """By name; those that are about designs: about `interleaved`."""
    by_name = {
        step.name: step.of(Interleaved) if sources.closure(step.module).registries else step
        for step in declared()
    }
    return by_name | {name: step.of(design) for name, (step, design) in MORE.items()}


def addresses(steps: dict[str, Step]) -> dict[str, str]:
    by_name = {name: step.address({}) for name, step in steps.items()}
    return by_name | {name: key_of(options, 1, 10) for name, options in points().items()}


@functools.cache
def points() -> dict[str, dict[str, Any]]:
    """Complete options of RECORDS."""
    return {name: grid.make(options, None).options for name, options in RECORDS.items()}


class Modules(dict[str, Any]):
    """In the place of a cached function of a module's name: one can be forgotten."""

    def __init__(self, function: Any):
        self.function = function.__wrapped__

    def __call__(self, name: str) -> Any:
        if name not in self:
            self[name] = self.function(name)
        return self[name]


def edited(paths: list[Path], steps: dict[str, Step], before: dict[str, str]) -> list[str]:
    """Names of the addresses that an edit of these files changes."""
    texts = {path: path.read_bytes() for path in paths}
    for path, text in texts.items():
        path.write_bytes(text + b"\n")
        forget(path)
    after = addresses(steps)
    for path, text in texts.items():
        path.write_bytes(text)
        forget(path)
    return [name for name, address in before.items() if after[name] != address]


def edited_by_file(
    paths: list[Path], steps: dict[str, Step], before: dict[str, str]
) -> dict[Path, list[str]]:
    """The same for each of the files."""
    changed = edited(paths, steps, before)
    if len(paths) == 1 or not changed:
        return dict.fromkeys(paths, changed)
    return {path: edited([path], steps, before) for path in paths}


def forget(path: Path) -> None:
    """What is known of a file."""
    parts = path.relative_to(sources.ROOT.parent).with_suffix("").parts
    name = ".".join(parts).removesuffix(".__init__")
    for known in (sources._module, sources._onwards):
        known.pop(name, None)
    sources._data.clear()
    sources._closure.cache_clear()


def main() -> None:
    for function in ("_module", "_onwards", "_data"):
        setattr(sources, function, Modules(getattr(sources, function)))
    steps = addressed()
    before = addresses(steps)
    files = {
        path.relative_to(sources.ROOT).as_posix(): path
        for path in sorted(sources.ROOT.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    changed: dict[Path, list[str]] = {}
    for starts in sys.argv[1:] or files:
        group = [path for name, path in files.items() if name.startswith(tuple(starts.split(",")))]
        changed |= edited_by_file(group, steps, before)
    assert addresses(steps) == before
    by_name = {name: changed[path] for name, path in files.items() if path in changed}
    print(json.dumps({"names": list(before), "changed": by_name}))


if __name__ == "__main__":
    main()
