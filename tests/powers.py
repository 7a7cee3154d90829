"""Batches of exponentiations for the tests of processors."""

from __future__ import annotations

import random
from collections.abc import Sequence

from modmul.arithmetic.moduli import Field
from modmul.processors.exponentiation import Exponentiation
from modmul.verification.processors import Batch


def batch_of(
    processor: Exponentiation,
    modulus: int,
    lengths: Sequence[int],
    rng: random.Random,
    field: Field = "prime",
) -> Batch:
    """A few edges, and random exponentiations with exponents of these lengths."""
    bound = processor.chosen(modulus, field).operand_bound(modulus)
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
