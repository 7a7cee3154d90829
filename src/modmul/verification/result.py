"""The record that `verify` returns."""

from __future__ import annotations

from typing import Any

import msgspec


class CycleRange(msgspec.Struct, frozen=True):
    """Clock cycles, each as [smallest, largest].  measured, mean: None if nothing was measured."""

    declared: tuple[int, int]
    measured: tuple[int, int] | None
    mean: float | None


class ModeCycles(msgspec.Struct, frozen=True):
    """Latency and interval of one mode (operation, field, words in use, length)."""

    mode: str
    latency: CycleRange
    interval: CycleRange


class DriveCount(msgspec.Struct, frozen=True):
    """One way of driving: results checked, results wrong, products dropped as declared."""

    interface: str
    drive: str
    products: int
    wrong: int
    dropped: int


class Failure(msgspec.Struct, frozen=True):
    """The failing case, reduced.  replay: the file for --replay.  waveform: its VCD file."""

    messages: tuple[str, ...]
    interface: str
    drive: str
    products: int
    moduli: int
    replay: str | None
    waveform: str | None


class VerifyResult(msgspec.Struct, frozen=True):
    """The results of a verification.

    For a processor, products are operations, latency and interval those of the headline; an
    operation of any length has to take the cycles declared for it wherever nothing pauses.
    products: results compared with the integers, one by one.
    wrong: mismatches (wrong, lost or unasked results, cycles other than declared, violations of the
    protocol), up to the first batch with one.
    dropped: products ended by a new modulus in the bare core, as declared.
    golden: results also compared, bit for bit, with the golden model: all edges (of a processor
    those at full speed) and a sample of the others.
    latency, interval: at the bare core, of every product (interval: driven back to back).
    by_mode: the same for each of the design's modes, if it has several, those of the spec's modulus
    first.
    cycles_per_product: measured in the first mode.  checked_per_second: without compiling.
    netlist: the core was the netlist after synthesis.  waveforms: files written."""

    spec: dict[str, Any]
    title: str
    passed: bool
    products: int
    wrong: int
    dropped: int
    golden: int
    latency: CycleRange
    interval: CycleRange
    cycles_per_product: float | None
    cycles: int
    seconds: float
    checked_per_second: float
    compile_seconds: float
    seed: int
    netlist: bool
    by_mode: tuple[ModeCycles, ...]
    drives: tuple[DriveCount, ...]
    failure: Failure | None = None
    waveforms: tuple[str, ...] = ()
