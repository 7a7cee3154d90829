"""The FIPS multiplier in the fields that are used, at every word width, in one circuit each; by
default at 16 bits.

Words of 64 bits take minutes to compile: with the environment variable WIDTH only (`make
conformance`)."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from modmul.arithmetic import binary, moduli
from modmul.export.hdl import emit
from modmul.multipliers.fips import Fips
from modmul.toolchain.cache import Cache
from modmul.verification import plan, stimuli
from modmul.verification.judge import judge
from modmul.verification.products import designs
from modmul.verification.protocol import CoreRequest, ModulusRun
from modmul.verification.simulator import Session, Simulator, compile_simulator

INSTANCES = [Fips(width=576, word=16, multipliers=2)]
if os.environ.get("CONFORMANCE") or os.environ.get("WIDTH"):
    INSTANCES += [Fips(width=576, word=8, stages=2), Fips(width=576, word=32)]
if os.environ.get("WIDTH"):
    INSTANCES.append(Fips(width=577, word=64, lookahead=2, stages=3, binary_square="spread"))
PRIMES = ("p192", "p224", "p256", "p384", "p521", "secp256k1", "sm2", "curve25519", "bls12-381")
POLYNOMIALS = ("b163", "b233", "b283", "b409", "b571")
MULTIPLES = (64, 160, 192, 256, 512)  # degrees that are whole words: one word more for x^m
PRODUCTS = 10  # each with every modulus


@pytest.fixture(scope="module")
def simulator() -> Simulator:
    with ThreadPoolExecutor(2) as pool:
        written = list(pool.map(emit, INSTANCES))
    cores = [designs(*pair)[0] for pair in zip(INSTANCES, written, strict=True)]
    return compile_simulator(cores, Cache())


@pytest.fixture
def session(simulator: Simulator) -> Iterator[Session]:
    with simulator.start() as running:
        yield running


def loads(rng: random.Random) -> list[moduli.Modulus]:
    """Fields of both kinds and many lengths, shuffled: the next one differs in all of them."""
    fields = [moduli.find(name) for name in PRIMES + POLYNOMIALS]
    fields += [moduli.Modulus(None, odd_polynomial(m, rng), field="binary") for m in MULTIPLES]
    degrees = [rng.randrange(2, 200) for _ in range(4)]
    irreducible = [binary.random_irreducible(m, rng) for m in degrees]
    fields += [moduli.Modulus(None, value, field="binary") for value in irreducible]
    rng.shuffle(fields)
    return fields


def odd_polynomial(degree: int, rng: random.Random) -> int:
    return 1 << degree | rng.getrandbits(degree) | 1


@pytest.mark.parametrize("number", range(len(INSTANCES)), ids=lambda i: f"w{INSTANCES[i].word}")
@pytest.mark.parametrize("in_flight", [False, True])
@pytest.mark.long
def test_field_length_and_modulus_change_between_products(
    number: int, in_flight: bool, session: Session
) -> None:
    multiplier, rng = INSTANCES[number], random.Random(number)
    runs = []
    for modulus in loads(rng):
        setting = multiplier.over(modulus.value, modulus.field)
        products = stimuli.random_products(setting, PRODUCTS, rng)
        top = setting.operand_bound - 1
        products += [(top, top), (0, top), (1, top)]
        operations = [rng.choice(multiplier.operations) for _ in products]
        runs.append(ModulusRun(setting, products, operations=operations))
    drive = plan.CORE[3] if in_flight else plan.CORE[0]
    request = CoreRequest(multiplier, number, drive, runs, 1)
    verdict = judge(request, session.run(request))
    assert not verdict.mismatches, [mismatch.message for mismatch in verdict.mismatches[:3]]
    assert verdict.products == sum(len(run.products) for run in runs)
