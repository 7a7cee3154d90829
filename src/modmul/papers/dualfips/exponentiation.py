"""Left to right against the ladder: clocks of the loop by the formulas, and of a processor."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from modmul.arithmetic.words import ceil_div
from modmul.operation import Mode
from modmul.papers.dualfips.designs import ONE_DEFAULT, WORD, clocks, design
from modmul.papers.needs import Need
from modmul.papers.simulated import operations
from modmul.processors.exponentiation import Exponentiation
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import JUDGED, Step
from modmul.verification.processors import Batch

POWERS = Step("paper-exponentiations", JUDGED)
BITS = (256, 512, 1024, 2048)
_SEED = 2020
L_R, ML_ONE, ML_TWO = "L_R", "ML, one multiplier", "ML, two multipliers"
METHODS: dict[str, dict[str, Any]] = {
    L_R: {"method": "left-to-right", "exponent_secrecy": "public"},
    ML_ONE: {"method": "ladder"},
    ML_TWO: {"method": "ladder", "units": 2},
}
COLUMNS = {L_R: "lr_clocks", ML_ONE: "ml_one_unit_clocks", ML_TWO: "ml_two_units_clocks"}


class LoopClocks(NamedTuple):
    """Clocks of one simulated exponentiation.  clocks: of the loop, which is all of them without
    the declared terms for entering and leaving the domain, reduction, loading and unloading. total:
    from command to result."""

    clocks: int
    total: int


Loops = Mapping[tuple[str, int], LoopClocks]  # by method and bits


def processor(method: str, width: int = max(BITS)) -> Exponentiation:
    """The processor of one of METHODS, for moduli up to `width` bits."""
    return Exponentiation(multiplier=design(ONE_DEFAULT, width), **METHODS[method])


def formula(method: str, bits: int) -> int:
    """e*T_q + u*T_m, e*(T_m + T_q) or e*max(T_m, T_q): exponents as long as the modulus, half of
    the bits ones, the accumulator 1 to begin with."""
    multiplier = design(ONE_DEFAULT, max(BITS))  # that of `processor`, at this length
    mode = Mode(words=ceil_div(bits, WORD))
    product, square = clocks(multiplier, mode), clocks(multiplier, mode.square())
    if method == L_R:
        return bits * square + bits // 2 * product
    return bits * (max(product, square) if method == ML_TWO else product + square)


def products(method: str, bits: int) -> int:
    """Products and squares one after the other in the loop."""
    return {L_R: bits + bits // 2, ML_ONE: 2 * bits, ML_TWO: bits}[method]


def exponentiations(method: str, bits: Sequence[int]) -> Need[list[LoopClocks]]:
    """One exponentiation of each length by a method, on a processor for the longest.  CheckFailed
    if a power is wrong, or takes another time than is declared."""
    powers = processor(method, max(bits))
    key = {"spec": Spec(powers).options(), "bits": list(bits)}
    return Need(POWERS, key, list[LoopClocks], lambda run: _simulate(method, bits, run.cache))


def _simulate(method: str, bits: Sequence[int], cache: Cache) -> list[LoopClocks]:
    powers = processor(method, max(bits))
    batches = [_batch(powers, n) for n in bits]
    measured = operations(powers, batches, _SEED, cache)
    loops = []
    for batch, n, total in zip(batches, bits, measured, strict=True):
        terms = powers.cycles(batch.jobs[0].mode, ones=n // 2)
        besides = sum(term.maximum for name, term in terms.items() if name != "loop")
        loops.append(LoopClocks(total - besides, total))
    return loops


def _batch(exponentiation: Exponentiation, bits: int) -> Batch:
    """A random modulus, base and exponent of that many bits; the exponent has half of them ones."""
    rng = random.Random(f"dualfips {bits}")
    modulus = rng.getrandbits(bits) | 1 | 1 << (bits - 1)
    ones = rng.sample(range(bits - 1), bits // 2 - 1)
    exponent = sum(1 << place for place in (*ones, bits - 1))
    base = rng.randrange(modulus)
    return Batch(modulus, [exponentiation.job(base, exponent, modulus, bits=bits)])
