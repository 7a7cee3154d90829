"""Writes a case of a campaign to a JSON file from which it can be run again, as
`verification.replay` does for a failing case of `verify`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from modmul import inputs
from modmul.arithmetic.moduli import Modulus
from modmul.errors import SpecError
from modmul.spec import Spec
from modmul.toolchain import files
from modmul.toolchain.work import Work
from modmul.verification import replay
from modmul.verification.faults import Case, FaultsResult, inject_again
from modmul.verification.processors.replay import PlainKey, key_of
from modmul.version import __version__


class _File(msgspec.Struct, kw_only=True):
    """What is read of a file.  power_up: the seed of the simulator."""

    spec: dict[str, Any]
    power_up: replay.Seed
    key: PlainKey | None = None
    fault: Case


def write(folder: Path, result: FaultsResult) -> list[Path]:
    """Write a file for each case of a campaign; return their paths."""
    head = {"format": replay.FORMAT, "modmul": __version__, "spec": result.spec}
    head |= {"key": msgspec.to_builtins(result.key), "power_up": result.seed}
    paths = [folder / f"fault-{number:02}.json" for number in range(1, len(result.cases) + 1)]
    for path, case in zip(paths, result.cases, strict=True):
        record = head | {"fault": msgspec.to_builtins(case)}
        files.write(path, json.dumps(record, indent=1) + "\n")
    return paths


def holds_fault(path: Path) -> bool:
    """Whether a file is one of this module, and not one of `verification.replay`."""
    try:
        content = inputs.from_json(inputs.read(path))
    except ValueError:
        return False
    return isinstance(content, dict) and "fault" in content


def run_again(path: Path, work: Work) -> FaultsResult:
    """Run the case in a file again.  Raises SpecError for a file that no simulation can have;
    CheckFailed, ToolMissing, ToolFailed."""
    try:
        case = msgspec.convert(inputs.from_json(inputs.read(path)), _File)
        replay.check_spec(case.spec)
        spec = Spec.from_options(case.spec)
        if case.key is not None:
            spec = replace(spec, modulus=Modulus(None, key_of(case.key)))
        return inject_again(spec, case.power_up, case.fault, work)
    except (ValueError, SpecError) as error:
        raise replay.refused(path, error) from None
