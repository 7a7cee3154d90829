"""For the tests of processors: batches of exponentiations, and the plan of `verify` on one of many
designs in a simulator."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from typing import Any

from modmul.arithmetic.moduli import Field
from modmul.processors.exponentiation import Exponentiation
from modmul.spec import Spec
from modmul.verification.campaign import CampaignTotals, conduct
from modmul.verification.processors import Batch
from modmul.verification.processors.trial import OperationTrial
from modmul.verification.streams import StreamSimulator

# Small processors, compiled in seconds: one with whole numbers, one with both fields, one whose
# time depends on the exponent.
WORDS = {"architecture": "exponentiation", "exponent_word": 8, "longest_exponent": 40}
OPTIONS: dict[str, Any] = {**WORDS, "multiplier": "interleaved", "width": 6, "beat": 4}
SPEC = Spec.from_options(OPTIONS)
BOTH_FIELDS = Spec.from_options({**WORDS, "multiplier": "fips", "width": 8, "word": 4})
ONES_TELL = Spec.from_options(
    {**OPTIONS, "method": "left-to-right", "exponent_secrecy": "public", "modulus": 0x2B}
)


def batch_of(
    processor: Exponentiation,
    modulus: int,
    lengths: Sequence[int],
    rng: random.Random,
    field: Field = "prime",
) -> Batch:
    """A few edges, and random exponentiations with exponents of these lengths."""
    bound = processor.over(modulus, field).operand_bound
    word = processor.exponent_word
    edges = [
        (0, 0, 0),
        (bound - 1, 0, 3),
        (0, 1, 1),
        (1, (1 << word) - 1, word),
        (bound - 1, 1 << word, word + 1),
        (2 % bound, 3, word - 1),
    ]
    if bound > modulus:  # the only residue that is left unreduced when R is divided off
        edges.append((modulus, 5, 4))
    drawn = [(rng.randrange(bound), rng.getrandbits(bits), bits) for bits in lengths]
    jobs = [
        processor.job(base, exponent, modulus, bits=bits, field=field)
        for base, exponent, bits in edges + drawn
    ]
    return Batch(modulus, jobs, field)


def tally_of(
    trial: OperationTrial, simulator: StreamSimulator, design: int, products: int = 0
) -> CampaignTotals:
    """What `verify` finds wrong with the design number `design`."""
    return conduct(
        trial.tasks(products),
        simulator.start,
        lambda task: dataclasses.replace(trial.request(1, task), design=design),
        trial.answered,
        trial.judged,
    )
