"""Keys and signatures of NIST's CAVP on the emitted Verilog, 1024 to 4096 bits, in the long run.

By default the golden model computes them (test_rsa.py), and the Verilog computes with a random key
(test_simulated.py).

`make rsa` runs all of them; what was measured stands in docs/rsa.md."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from typing import Any

import pytest

from known_answers import load
from modmul.arithmetic.keys import Key
from modmul.arithmetic.moduli import Modulus
from modmul.processors.contract import Load
from modmul.spec import Spec
from modmul.verification.simulation import simulate

pytestmark = [pytest.mark.long, pytest.mark.timeout(14400)]  # a machine that may be busy
FPMM = {"architecture": "rsa", "multiplier": "fpmm"}
BLINDED = {"base_blinding": True, "exponent_blinding": 64, "modulus_blinding": 32}
CASES: list[tuple[int, int, dict[str, Any]]] = [
    (1024, 512, {}),
    (1024, 1024, {}),
    (1024, 544, BLINDED),
    (1024, 512, {"method": "ladder"}),
    (2048, 1024, {}),
    (2048, 1024, {"units": 2}),
    (2048, 1056, BLINDED),
    (2048, 2048, {}),
    (2048, 1024, {"multiplier": "montgomery-lookahead"}),
    (3072, 1536, {}),
    (3072, 1536, {"units": 2}),
    (4096, 2048, {}),
    (4096, 2048, {"units": 2}),
]


def key_of(bits: int) -> Key:
    given = next(key for key in load("rsa")["keys"] if key["bits"] == bits)
    return Key(*(int(given[name], 16) for name in "pqe"))


@pytest.mark.parametrize("bits, width, options", CASES)
def test_private_keys(bits: int, width: int, options: dict[str, Any]) -> None:
    """The result is that of the key's own d, in as many cycles as are declared."""
    given = next(key for key in load("rsa")["keys"] if key["bits"] == bits)
    key, d = key_of(bits), int(given["d"], 16)
    spec = replace(
        Spec.from_options({**FPMM, "width": width, **options}), modulus=Modulus(None, key)
    )
    x, begun = random.Random(bits).randrange(int(key)), time.monotonic()
    (outcome,) = simulate(spec, [{"x": x}], operation="private")
    assert outcome.faults == [] and outcome.result is not None
    assert int(outcome.result["y"]) == pow(x, d, int(key))  # type: ignore[arg-type]
    mode = spec.processor.mode("private", Load(key))
    assert outcome.cycles == spec.processor.latency(mode).maximum
    chosen = " ".join(f"{name}={value}" for name, value in options.items())
    print(
        f"{bits} bits, width {width} {chosen}: {outcome.cycles:,} cycles, "
        f"{time.monotonic() - begun:.0f} s",
        flush=True,
    )


@pytest.mark.parametrize("given", load("rsa")["signatures"], ids=lambda known: str(known["bits"]))
def test_signatures(given: dict[str, str]) -> None:
    """By the public operation on a multiplier as wide as n."""
    n, e, s = (int(given[name], 16) for name in "nes")
    spec = Spec.from_options({**FPMM, "width": n.bit_length(), "modulus": n})
    (outcome,) = simulate(spec, [{"x": s, "e": e}], operation="public")
    assert outcome.faults == [] and outcome.result is not None
    assert int(outcome.result["y"]) == pow(s, e, n)  # type: ignore[arg-type]
    print(f"{n.bit_length()} bits, public, e of {e.bit_length()} bits: {outcome.cycles:,} cycles")
