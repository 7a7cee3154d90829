"""Writes a batch to a JSON file from which it can be run again: specification, way of driving,
moduli, products or operations, and the mismatches."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from modmul import inputs
from modmul.arithmetic import moduli
from modmul.arithmetic.moduli import Field
from modmul.errors import SpecError, quoted
from modmul.export.pins import USUAL, Pins
from modmul.multipliers.contract import Multiplier, Operand
from modmul.multipliers.setting import Setting
from modmul.operation import Mode
from modmul.processors import Processor
from modmul.spec import Spec
from modmul.toolchain import files
from modmul.verification import processors
from modmul.verification.processors import replay as of_processors
from modmul.verification.protocol import CoreRequest, ModulusRun, Product, StimulusProfile
from modmul.verification.verdict import Verdict
from modmul.version import __version__

FORMAT = 4
_LONGEST = 300  # the most characters of a reason, which may contain long numbers


@dataclasses.dataclass(frozen=True)
class Replay:
    """The content of a replay file.  batch: of a multiplier or a processor.  power_up: the seed of
    undefined power-up values.  clock_enable: the design has one, which pauses it."""

    spec: Spec
    netlist: bool
    batch: CoreRequest | processors.StreamRequest
    power_up: int
    clock_enable: bool

    @property
    def drive(self) -> StimulusProfile | processors.StreamProfile:
        return self.batch.drive

    def request(self, design: int) -> Any:
        return dataclasses.replace(self.batch, design=design)


def write(
    path: Path,
    spec: Spec,
    netlist: bool,
    request: CoreRequest | processors.StreamRequest,
    verdict: Verdict,
    power_up: int,
    pins: Pins = USUAL,
) -> None:
    """Write the batch to `path`, whole or not at all.  pins: of the simulated design."""
    if isinstance(request, processors.StreamRequest):
        batch = of_processors.plain(request)
    else:
        batch = _plain_request(request)
    record = {
        "format": FORMAT,
        "modmul": __version__,
        "spec": spec.options() | pins.options,
        "netlist": netlist,
        "drive": batch["drive"],
        "seed": batch["seed"],
        "power_up": power_up,
        "faults": [mismatch.message for mismatch in verdict.mismatches],
        "runs": batch["runs"],
    }
    files.write(path, json.dumps(record, indent=1) + "\n")


def read(path: Path) -> Replay:
    """Read a replay file.  Raises SpecError for another kind of file, or for values that no
    simulation can have."""
    try:
        content = inputs.from_json(inputs.read(path))
        head = msgspec.convert(content, _Head)
        check_spec(head.spec)
        spec = Spec.from_options(head.spec)
        if isinstance(spec.design, Processor):
            batch: CoreRequest | processors.StreamRequest = of_processors.read(content, spec.design)
        else:
            batch = _request(content, spec.multiplier)
    except (ValueError, SpecError) as error:
        raise refused(path, error) from None
    clock_enable = head.spec.get("clock-enable") is True
    return Replay(spec, head.netlist, batch, head.power_up, clock_enable)


def refused(path: Path, error: Exception) -> SpecError:
    allowed = "a file that `modmul verify` wrote for a failing case"
    message = f"replay = {path}: must be {allowed} ({str(error)[:_LONGEST]})"
    return SpecError("replay", str(path), allowed, message)


# ---- the file -----------------------------------------------------------------------------------

_Hexadecimal = Annotated[str, msgspec.Meta(pattern="^0x[0-9a-f]{1,1100}$")]
Seed = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class _PlainMode(msgspec.Struct):
    field: Field
    words: int | None


class _PlainProduct(msgspec.Struct):
    """A product.  a, b: a number, or the two vectors of one in carry-save form."""

    a: _Hexadecimal | tuple[_Hexadecimal, _Hexadecimal]
    b: _Hexadecimal | tuple[_Hexadecimal, _Hexadecimal]
    gap: int
    operation: str


class _PlainRun(msgspec.Struct):
    modulus: _Hexadecimal
    mode: _PlainMode
    gap: int
    products: list[_PlainProduct]


class _Head(msgspec.Struct):
    """The part that is read of every file.  `write` adds the version of the program and the
    mismatches."""

    format: Literal[4]
    spec: dict[str, Any]
    netlist: bool
    power_up: Seed


class _Case(msgspec.Struct):
    """The part of a replay file that is read for a multiplier."""

    drive: StimulusProfile
    seed: Seed
    runs: Annotated[list[_PlainRun], msgspec.Meta(min_length=1)]


def _request(content: object, multiplier: Multiplier) -> CoreRequest:
    """The request in the content of a file, for design number 0."""
    case = msgspec.convert(content, _Case)
    _check_drive(case.drive, multiplier)
    runs = [_run(plain, multiplier) for plain in case.runs]
    return CoreRequest(multiplier, 0, case.drive, runs, case.seed)


def _plain_request(request: CoreRequest) -> dict[str, Any]:
    runs = [_plain_run(run) for run in request.runs]
    return {"drive": dataclasses.asdict(request.drive), "seed": request.seed, "runs": runs}


def _plain_run(run: ModulusRun) -> dict[str, Any]:
    gaps = run.gaps or [0] * len(run.products)
    products = [
        {"a": _plain(a), "b": _plain(b), "gap": gap, "operation": operation}
        for (a, b), gap, operation in zip(run.products, gaps, run.asked, strict=True)
    ]
    modulus, mode = run.setting.modulus, run.setting.mode
    chosen = {"field": mode.field, "words": mode.words}
    return {"modulus": hex(modulus), "mode": chosen, "gap": run.gap, "products": products}


def _plain(operand: Operand) -> str | list[str]:
    return hex(operand) if isinstance(operand, int) else [hex(vector) for vector in operand]


def check_spec(options: dict[str, Any]) -> None:
    """Raise ValueError if modulus or curve name a file: a replay must not read other files, and
    `write` never names one."""
    for key in ("modulus", "curve"):
        if moduli.in_a_file(str(options.get(key))):
            raise ValueError(f"spec.{key} names a file")


def _check_drive(drive: StimulusProfile, multiplier: Multiplier) -> None:
    """Raise ValueError for a drive that is impossible at its interface, or with the multiplier."""
    if not (0 <= drive.beat_stall < 256 and 0 <= drive.back_pressure < 256):
        raise ValueError("pauses are chances from 0 to 255 in 256")
    of_streams = drive.beat_stall or drive.back_pressure or drive.concurrent or drive.hold
    if drive.interface == "core" and of_streams:
        raise ValueError("a bare core takes everything at once")
    if drive.interface == "stream" and (drive.empty_slots or drive.probe):
        raise ValueError("only a bare core has slots to be left empty, or to be probed")
    if (drive.in_flight or drive.concurrent) and multiplier.modulus_at != "run time":
        raise ValueError(f"{multiplier.title} loads no modulus")


def _run(plain: _PlainRun, multiplier: Multiplier) -> ModulusRun:
    """Raises ValueError or SpecError if the multiplier does not take it."""
    mode = Mode(field=plain.mode.field, words=plain.mode.words)
    setting = Setting(multiplier, int(plain.modulus, 16), mode)
    longest = multiplier.worst("latency") + multiplier.worst("interval") + multiplier.slots
    if any(
        not 0 <= gap <= longest for gap in (plain.gap, *(product.gap for product in plain.products))
    ):
        raise ValueError(f"a gap is not from 0 to {longest} cycles")
    gaps, operations = (
        [product.gap for product in plain.products],
        [product.operation for product in plain.products],
    )
    if unknown := set(operations) - set(multiplier.operations):
        raise ValueError(f"{multiplier.title} has no operation {quoted(min(unknown))}")
    products = [_product(product, setting) for product in plain.products]
    return ModulusRun(setting, products, gaps, plain.gap, operations)


def _product(plain: _PlainProduct, setting: Setting) -> Product:
    """A product.  Raises ValueError for operands out of range; the second operand of a
    square is ignored."""
    a, b = (_operand(operand, setting) for operand in (plain.a, plain.b))
    first, second = map(setting.multiplier.value_of, (a, b))
    if not setting.takes(first, second, plain.operation):
        limits = f"{setting.a_below:#x} or {setting.b_below:#x}"
        raise ValueError(f"an operand is not below {limits}")
    return a, b


def _operand(plain: str | tuple[str, str], setting: Setting) -> Operand:
    """An operand.  Raises ValueError if it has another form than the multiplier's, or more
    bits than its beats."""
    multiplier, beats = setting.multiplier, setting.beats
    vectors = [int(text, 16) for text in ([plain] if isinstance(plain, str) else plain)]
    if len(vectors) != (2 if multiplier.operand_form == "carry-save" else 1):
        raise ValueError(f"operands must be {multiplier.operand_form}")
    if max(vectors).bit_length() > multiplier.beat * beats:
        raise ValueError(f"an operand is not below {1 << multiplier.beat * beats:#x}")
    return vectors[0] if len(vectors) == 1 else (vectors[0], vectors[1])
