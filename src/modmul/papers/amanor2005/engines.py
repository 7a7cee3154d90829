"""Private operations of RSA-1024 on the processor `rsa`, with each multiplier of the paper,
simulated."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from modmul.arithmetic.keys import Key
from modmul.multipliers import Multiplier
from modmul.operation import Job
from modmul.papers.needs import Need
from modmul.papers.simulated import operations
from modmul.processors.contract import Load
from modmul.processors.rsa import Rsa
from modmul.processors.rsa.operations import PRIVATE
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import JUDGED, Step
from modmul.verification.processors import Batch

POWERS = Step("paper-rsa", JUDGED)
BITS = 1024
WAYS: dict[str, tuple[int, dict[str, Any]]] = {  # width of the multiplier, and what else
    "T": (BITS, {}),
    "T_CRT": (BITS // 2, {"units": 2}),
    "T_CRT_one": (BITS // 2, {}),
}
_SEED = 2005


def private_operation(multiplier_of: Callable[[int], Multiplier], method: str) -> Need[int]:
    """Cycles of one, with e = 65537 and a check of the result, from command to status.
    multiplier_of: by width.  CheckFailed if it is wrong, or takes another time than is declared."""
    width, options = WAYS[method]
    return of_engine(Rsa(multiplier=multiplier_of(width), **options), BITS)


def of_engine(rsa: Rsa, bits: int) -> Need[int]:
    """Cycles of a private operation on a processor, with a key of so many bits."""
    what = {"spec": Spec(rsa).options(), "bits": bits}
    return Need(POWERS, what, int, lambda run: _simulate(rsa, bits, run.cache))


def _simulate(rsa: Rsa, bits: int, cache: Cache) -> int:
    half = bits // 2
    key, rng = Key.of_bits(half, 61 << half - 6), random.Random(_SEED)
    job = Job(rsa.mode(PRIVATE, Load(key)), key, {"x": rng.randrange(key)})
    return operations(rsa, [Batch(key, [job])], _SEED, cache)[0]
