"""Encodes requests to a running simulator and decodes its responses (the structures of bench.h).

A batch begins with a reset; then come runs, each with one modulus and products under it."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO

import numpy as np
from numpy.typing import NDArray

from modmul.arithmetic.words import ceil_div
from modmul.design import Interface
from modmul.multipliers.contract import Multiplier, Operand
from modmul.multipliers.operations import ADD, MULTIPLY, SQUARE, SUBTRACT
from modmul.multipliers.setting import Setting
from modmul.verification.executable import exactly

Product = tuple[Operand, Operand]

_MAGIC = 0x6D6D7631
_REQUEST = struct.Struct("<17IQ")
_RESPONSE = struct.Struct("<6IQ")
_EVENT = np.dtype([("is_modulus", "u1"), ("flags", "u1"), ("beats", "<u2"), ("gap", "<u4")])
_TAKEN = np.dtype([("first", "<u8"), ("last", "<u8")])
_RESULT = np.dtype([("first", "<u8"), ("last", "<u8"), ("beats", "<u4"), ("reserved", "<u4")])
_COMPLAINT = np.dtype([("cycle", "<u8"), ("kind", "<u4"), ("reserved", "<u4")])

_STREAM, _CARRY_OPERANDS, _CARRY_RESULTS, _DROPS, _PROBE, _CONCURRENT, _HOLD = (
    1 << bit for bit in range(7)
)
_QUIET, _SLOTS = 1, 2
_DECLARED = {MULTIPLY: 0, SQUARE: 4, ADD: 8, SUBTRACT: 16}
_STUCK = 1
_ADAPTER = 64  # cycles by which the elastic adapter may delay a result

VIOLATIONS = {
    1: "a later beat of an operand or modulus was refused (ready must stay high)",
    2: "ready of the bare core changed together with valid",
    3: "a result began without `first`",
    4: "`last` missing from a result's last beat, or on another beat",
    5: "a waiting result lost `valid` or changed",
    6: "a protected design reports a fault",
}


@dataclass(frozen=True)
class StimulusProfile:
    """How a batch is driven.  Gaps between products are part of the batch.

    dense: products follow each other as closely as possible, so that their intervals are checked.
    empty_slots: gaps count cycles in which the core is ready, i.e.  slots left empty, else any
    cycles.
    beat_stall: the chance of a pause before a beat, in 1/256 for each cycle (streams only).
    back_pressure: the chance that a result is not accepted, likewise (streams only).
    in_flight: a new modulus does not wait for results.
    concurrent: after the first modulus, moduli and operands come independently of each other
    (streams only); the cycles tell which modulus applies to a product.
    probe: also check that ready of a core does not depend on valid.
    hold: no result is accepted until no input is accepted any more (streams only)."""

    name: str
    interface: Interface
    dense: bool = False
    empty_slots: bool = False
    beat_stall: int = 0
    back_pressure: int = 0
    in_flight: bool = False
    concurrent: bool = False
    probe: bool = False
    hold: bool = False


BACK_TO_BACK = StimulusProfile("back to back", "core", dense=True)


@dataclass
class ModulusRun:
    """One modulus (loaded after `gap` cycles) and products under it, each after its gap.  setting:
    the modulus, with field and words in use.  gaps: None if all are zero.  operations: as which
    operation each product is declared, see `multipliers.operations`; None if all are products."""

    setting: Setting
    products: list[Product]
    gaps: list[int] | None = None
    gap: int = 0
    operations: list[str] | None = None

    @property
    def asked(self) -> list[str]:
        """The operation of each product."""
        return self.operations or [MULTIPLY] * len(self.products)


def starts(runs: Sequence[ModulusRun]) -> Iterator[tuple[ModulusRun, int]]:
    """Every run with the number of its first product."""
    start = 0
    for run in runs:
        yield run, start
        start += len(run.products)


@dataclass(frozen=True)
class CoreRequest:
    """One batch for the design number `design` of the simulator.  seed: of pauses and noise."""

    multiplier: Multiplier
    design: int
    drive: StimulusProfile
    runs: Sequence[ModulusRun]
    seed: int

    @property
    def operand_bytes(self) -> int:
        return ceil_div(self.multiplier.beat * self.multiplier.beats, 8)

    @property
    def result_bytes(self) -> int:
        return ceil_div(self.multiplier.result_beat * self.multiplier.beats, 8)

    @property
    def drops(self) -> bool:
        """Whether products may be in flight when a modulus is loaded, which drops them."""
        drops = self.multiplier.reload == "flushes"
        return drops and self.drive.interface == "core" and self.drive.in_flight

    def encode(self) -> bytes:
        multiplier = self.multiplier
        loads = [run.setting.loads for run in self.runs]
        events = self._events()
        size = ceil_div(multiplier.modulus_beat, 8)
        loaded = b"".join(value.to_bytes(size, "little") for beats in loads for value in beats)
        products = sum(len(run.products) for run in self.runs)
        longest, interval = multiplier.worst("latency"), multiplier.worst("interval")
        longest += interval
        patience = longest + 16 + (_ADAPTER if self.drive.interface == "stream" else 0)
        idle = max((int(gap) for gap in events["gap"]), default=0)
        limit = 16 * patience + idle * (interval if self._slots else 4)
        header = _REQUEST.pack(
            _MAGIC,
            self.design,
            self._flags,
            len(events),
            products,
            sum(map(len, loads)),
            multiplier.beat,
            multiplier.result_beat,
            multiplier.modulus_beat,
            multiplier.beats,
            self.operand_bytes,
            self.result_bytes,
            size,
            self.drive.beat_stall,
            self.drive.back_pressure,
            patience,
            limit,
            self.seed,
        )
        return b"".join((header, events.tobytes(), self._operands(), loaded))

    @property
    def _slots(self) -> int:
        return _SLOTS if self.drive.empty_slots else 0

    @property
    def _flags(self) -> int:
        return (
            (_STREAM if self.drive.interface == "stream" else 0)
            | (_CARRY_OPERANDS if self.multiplier.operand_form == "carry-save" else 0)
            | (_CARRY_RESULTS if self.multiplier.result_form == "carry-save" else 0)
            | (_DROPS if self.drops else 0)
            | (_PROBE if self.drive.probe else 0)
            | (_CONCURRENT if self.drive.concurrent else 0)
            | (_HOLD if self.drive.hold else 0)
        )

    def _events(self) -> NDArray[np.void]:
        parts = []
        for run in self.runs:
            count = len(run.setting.constants)
            part = np.zeros(len(run.products) + bool(count), _EVENT)
            part["flags"] = self._slots
            part["beats"] = run.setting.beats
            if run.operations is not None:
                declared = [_DECLARED[operation] for operation in run.operations]
                part["flags"][bool(count) :] |= np.array(declared, np.uint8)
            if run.gaps is not None:
                part["gap"][bool(count) :] = run.gaps
            if count:
                quiet = 0 if self.drive.in_flight else _QUIET
                part[0] = (1, quiet, count, run.gap)
            parts.append(part)
        return np.concatenate(parts) if parts else np.zeros(0, _EVENT)

    def _operands(self) -> bytes:
        size = self.operand_bytes
        if self.multiplier.operand_form == "carry-save":
            values = [
                pair[vector]  # type: ignore[index]
                for run in self.runs
                for product in run.products
                for vector in (0, 1)
                for pair in product
            ]
        else:
            values = [value for run in self.runs for product in run.products for value in product]
        return b"".join([value.to_bytes(size, "little") for value in values])


@dataclass(frozen=True)
class CoreOutcome:
    """The response of a simulator to a batch.

    cycles: clock cycles simulated.  stuck: nothing moved for long, and the batch was given up.
    taken: the first and last cycle of every product's operand beats; entries from `accepted` on are
    invalid.  loaded: the same for every run's modulus.
    results: the `first` and `last` cycle and the `beats` of every result in order.  values: the
    results themselves, pairs for carry-save.  violations: (cycle, text) of breaches of the
    protocol."""

    cycles: int
    stuck: bool
    accepted: int
    taken: NDArray[np.void]
    loaded: NDArray[np.void]
    results: NDArray[np.void]
    values: list[Operand]
    violations: list[tuple[int, str]]


class Response:
    """Reads a `CoreOutcome`."""

    @staticmethod
    def read(stream: IO[bytes], request: CoreRequest) -> CoreOutcome:
        """Read the outcome of a request.  Raises EOFError if the stream ends early."""
        header = exactly(stream, _RESPONSE.size)
        magic, status, accepted, results, complaints, _, cycles = _RESPONSE.unpack(header)
        if magic != _MAGIC:
            raise EOFError
        loads = request.multiplier.modulus_at == "run time"
        counts = [len(run.products) + loads for run in request.runs]
        taken = np.frombuffer(exactly(stream, sum(counts) * _TAKEN.itemsize), _TAKEN)
        of_results = np.frombuffer(exactly(stream, results * _RESULT.itemsize), _RESULT)
        broken = np.frombuffer(exactly(stream, complaints * _COMPLAINT.itemsize), _COMPLAINT)
        is_load = np.zeros(sum(counts), bool)
        if loads:
            is_load[np.cumsum([0, *counts[:-1]])] = True
        return CoreOutcome(
            cycles=cycles,
            stuck=status == _STUCK,
            accepted=accepted,
            taken=taken[~is_load],
            loaded=taken[is_load],
            results=of_results,
            values=_values(stream, request, results),
            violations=[(int(entry["cycle"]), VIOLATIONS[int(entry["kind"])]) for entry in broken],
        )


def _values(stream: IO[bytes], request: CoreRequest, count: int) -> list[Operand]:
    size = request.result_bytes
    pairs = request.multiplier.result_form == "carry-save"
    data = exactly(stream, count * size * (2 if pairs else 1))
    numbers = [
        int.from_bytes(data[start : start + size], "little") for start in range(0, len(data), size)
    ]
    return list(zip(numbers[::2], numbers[1::2], strict=True)) if pairs else list(numbers)
