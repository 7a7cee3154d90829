"""Finds the smallest number of partitions with which a folded multiplier fits a chip.

More partitions build less of an array and take more clock cycles, so the fewest that fit are the
fastest.  Only synthesis shows what fits.  The search begins at an estimate from the declared
structure of a multiplier (see `Foldable`), mostly its pairs of a multiplexer and an adder.  Each
synthesis corrects the estimate.  The answer is a number that fits, while the next smaller one was
synthesised and does not; usually two syntheses are enough.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, Self, TypeGuard, runtime_checkable

from modmul import multipliers, targets
from modmul.errors import SpecError, refusal
from modmul.export import hdl
from modmul.implementation.implement import map_module
from modmul.implementation.result import Attempt
from modmul.multipliers import Multiplier
from modmul.parameters import SHARE
from modmul.processors import Processor
from modmul.spec import Spec
from modmul.targets import CellArea, Device
from modmul.toolchain.cache import Cache
from modmul.toolchain.work import Work

# Four-input LUTs of three-pass on ECP5, within 2 % from 4 partitions up (128 and 256 bits).  Of a
# pair: two for the multiplexer, two for the adder.  Of a bit of width: operands, final additions,
# control.
LUTS_OF_PAIR, LUTS_OF_BIT = 4, 25


class Fit(NamedTuple):
    """The result of the search.  spec: with the number of partitions found.  tried: all numbers
    that were synthesised, in order."""

    spec: Spec
    tried: tuple[Attempt, ...]


def smallest_partitions(spec: Spec, *, share: float = SHARE, work: Work | None = None) -> Fit:
    """`spec`, of a folded multiplier or of a processor on one, with the fewest partitions
    that take at most `share` of its device's LUTs.

    The partitions in `spec` are ignored.  The LUTs are those of what is delivered: the bare core,
    or the core with the adapter, as `interface` says.  Raises SpecError if no number fits, if the
    design has more DSP blocks or RAMs than the device, if the multiplier cannot be folded or its
    target names no devices; ToolFailed or ToolMissing if a tool fails or is missing."""
    if not 0 < share <= 1:
        allowed = "above 0, at most 1"
        raise refusal("share", share, allowed)
    work, device = work or Work(), _device(spec)
    candidates = _candidates(spec.arithmetic)
    counts, estimates = list(candidates), list(candidates.values())
    limit = share * device.luts
    attempts: dict[int, Attempt] = {}
    while (place := _next(estimates, attempts, limit)) is not None:
        step = f"synthesis, partitions = {counts[place]}"
        work.progress(step, 0, 1)
        area = _measure(_folded(spec, counts[place]), work.cache)
        work.progress(step, 1, 1)
        fits = area.lut <= limit
        if fits:  # partitions change nothing about hard blocks
            targets.check_size(spec.design.chip, device, area)
        attempts[place] = Attempt(counts[place], area.lut, round(area.lut / device.luts, 4), fits)
    fitting = [attempt.partitions for attempt in attempts.values() if attempt.fits]
    if not fitting:
        raise _too_small(device, min(attempts.values(), key=lambda attempt: attempt.lut), share)
    return Fit(_folded(spec, min(fitting)), tuple(attempts.values()))


def _next(estimates: Sequence[float], attempts: Mapping[int, Attempt], limit: float) -> int | None:
    """The place to synthesise next; None when a place fits and the one before it does not.

    estimates: LUTs by place, falling.  attempts: the results so far, by place."""
    low = max((place for place, tried in attempts.items() if not tried.fits), default=-1)
    high = min((place for place, tried in attempts.items() if tried.fits), default=len(estimates))
    if high - low == 1:
        return None
    scale = 1.0
    if attempts:
        nearest = min(attempts, key=lambda place: abs(attempts[place].lut - limit))
        scale = attempts[nearest].lut / estimates[nearest]
    fitting = (place for place, estimate in enumerate(estimates) if scale * estimate <= limit)
    return min(max(next(fitting, len(estimates)), low + 1), high - 1)


def _measure(spec: Spec, cache: Cache) -> CellArea:
    """The area of the delivered module in cells of the target."""
    emitted = hdl.emit(spec.design)
    top = emitted.top(spec.interface)
    return map_module(emitted.verilog, top, spec.design.chip, cache).area


def _candidates(multiplier: Multiplier) -> dict[int, int]:
    """The estimated LUTs by the number of partitions, the fewest partitions first."""
    if not _foldable(multiplier):
        names = ", ".join(name for name, cls in multipliers.REGISTRY.items() if _foldable(cls()))
        message = f"fit: {multiplier.title} has no partitions; architectures that have: {names}"
        raise SpecError("fit", True, f"absent, or one of {names}", message)
    estimates = {}
    for count in multiplier.possible_partitions:
        folded = multiplier.folded(count)
        estimates[count] = LUTS_OF_PAIR * folded.pairs + LUTS_OF_BIT * folded.width
    return estimates


def _foldable(multiplier: Multiplier) -> TypeGuard[Foldable]:
    return isinstance(multiplier, Foldable) and bool(multiplier.possible_partitions)


def _folded(spec: Spec, partitions: int) -> Spec:
    multiplier, design = spec.arithmetic, spec.design
    assert isinstance(multiplier, Foldable)
    folded = multiplier.folded(partitions)
    if isinstance(design, Processor):
        return dataclasses.replace(spec, design=dataclasses.replace(design, multiplier=folded))
    return dataclasses.replace(spec, design=folded)


def _device(spec: Spec) -> Device:
    chip = spec.design.chip
    device = targets.find_device(chip, spec.device)
    if device is None:
        allowed = ", ".join(target.name for target in targets.REGISTRY.values() if target.devices)
        message = f"target = {chip.name!r}: names no chips to fit; those that do: {allowed}"
        raise SpecError("target", chip.name, allowed, message)
    return device


def _too_small(device: Device, least: Attempt, share: float) -> SpecError:
    return SpecError(
        "device",
        device.name,
        "a larger chip",
        f"device = {device.name}: too small for any number of partitions: {least.partitions} take "
        f"{least.lut} LUTs of {device.luts}, more than {share:.0%}",
    )


@runtime_checkable
class Foldable(Protocol):
    """A multiplier that is built in part and used several times for one product."""

    @property
    def width(self) -> int:
        """Bits of the modulus."""

    @property
    def possible_partitions(self) -> list[int]:
        """The values that `partitions` can have with the other parameters as they are, fewest
        first; none if these do not allow folding."""

    @property
    def pairs(self) -> int:
        """The number of pairs of a 4:1 multiplexer and a full adder that are built."""

    def folded(self, partitions: int) -> Self:
        """This multiplier with so many partitions."""
