"""A batch as a JSON file that can be run again: spec, drive, moduli, products, what went wrong."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import modmul
from modmul.errors import SpecError
from modmul.multipliers.contract import Mode, Operand
from modmul.spec import Spec
from modmul.toolchain import scratch
from modmul.verification.protocol import Drive, Request, Run
from modmul.verification.verdict import Verdict

_FORMAT = 2


@dataclasses.dataclass(frozen=True)
class Replay:
    """What such a file says.  seed: of pauses; power_up: of undefined power-up values."""

    spec: Spec
    netlist: bool
    drive: Drive
    runs: list[Run]
    seed: int
    power_up: int

    def request(self, design: int) -> Request:
        """The batch, for a simulator's design number `design`."""
        return Request(self.spec.multiplier, design, self.drive, self.runs, self.seed)


def write(
    path: Path, spec: Spec, netlist: bool, request: Request, verdict: Verdict, power_up: int
) -> None:
    """Write the batch to `path`, whole or not at all."""
    record = {
        "format": _FORMAT,
        "modmul": modmul.__version__,
        "spec": spec.options(),
        "netlist": netlist,
        "drive": dataclasses.asdict(request.drive),
        "seed": request.seed,
        "power_up": power_up,
        "faults": [fault.message for fault in verdict.faults],
        "runs": [_plain_run(run) for run in request.runs],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with scratch.folder(path.parent) as folder:
        part = folder / path.name
        part.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        part.replace(path)


def read(path: Path) -> Replay:
    """SpecError for a file that is not of this kind."""
    allowed = "a file that `modmul verify` wrote for a failing case"
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["format"] != _FORMAT:
            raise ValueError(f"format {record['format']!r}")
        options, drive = record["spec"], Drive(**record["drive"])
        runs = [_run(plain) for plain in record["runs"]]
        netlist, seed = bool(record["netlist"]), int(record["seed"])
        power_up = int(record["power_up"])
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        message = f"replay = {path}: must be {allowed} ({error})"
        raise SpecError("replay", str(path), allowed, message) from None
    return Replay(Spec.from_options(options), netlist, drive, runs, seed, power_up)


def _plain_run(run: Run) -> dict[str, Any]:
    gaps = run.gaps or [0] * len(run.products)
    squares = run.squares or [False] * len(run.products)
    products = [
        {"a": _plain(a), "b": _plain(b), "gap": gap, "square": square}
        for (a, b), gap, square in zip(run.products, gaps, squares, strict=True)
    ]
    mode = {"field": run.mode.field, "words": run.mode.words}
    return {"modulus": hex(run.modulus), "mode": mode, "gap": run.gap, "products": products}


def _run(plain: dict[str, Any]) -> Run:
    products = [(_operand(item["a"]), _operand(item["b"])) for item in plain["products"]]
    gaps = [int(item["gap"]) for item in plain["products"]]
    squares = [bool(item["square"]) for item in plain["products"]]
    mode = Mode(field=plain["mode"]["field"], words=plain["mode"]["words"])
    return Run(int(plain["modulus"], 16), products, gaps, int(plain["gap"]), mode, squares)


def _plain(operand: Operand) -> str | list[str]:
    return hex(operand) if isinstance(operand, int) else [hex(vector) for vector in operand]


def _operand(plain: str | list[str]) -> Operand:
    if isinstance(plain, str):
        return int(plain, 16)
    total, carry = plain
    return int(total, 16), int(carry, 16)
