"""Exponentiations that take minutes: `make exponentiation`.

Every multiplier of the registry with every method; 512 to 4096 bits; faults injected into the
emitted Verilog.  Skipped unless the environment variable EXPONENTIATION is set."""

from __future__ import annotations

import dataclasses
import os
import random
import re
from typing import Any

import pytest

from modmul import multipliers
from modmul.arithmetic import moduli
from modmul.export.hdl import emit
from modmul.processors.exponentiation import Exponentiation
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.verification.processors import Batch, check, design_of
from modmul.verification.processors.trial import OperationTrial
from modmul.verification.streams import compile_streams
from powers import batch_of, tally_of

pytestmark = [
    pytest.mark.timeout(7200),
    pytest.mark.skipif("EXPONENTIATION" not in os.environ, reason="make exponentiation"),
]

METHODS = {
    "ladder": {},
    "two units": {"units": 2},
    "left to right": {"method": "left-to-right"},
}
PAUSES = {"modulus": 60, "command": 200, "operand": 128, "exponent": 230, "result": 128}
MULTIPLIERS = [
    name
    for name, entry in multipliers.REGISTRY.items()
    if entry().montgomery_factor is not None and entry().modulus_at == "run time"
]
# (multiplier, bits, bits of the exponent); half a minute each, at about a million cycles a second
# for multipliers that work on words, 150,000 for those of 4096 bits in parallel.
LONG = [
    *(("fpmm", width, width) for width in (512, 1024, 2048)),
    ("fpmm", 4096, 1024),
    *(("montgomery-lookahead", width, width) for width in (512, 1024)),
    *(("montgomery-lookahead", width, 128) for width in (2048, 4096)),
    *(("fips", width, width) for width in (512, 1024)),
    *(("fips", width, 128) for width in (2048, 4096)),
    *(("interleaved", 512, 512), ("interleaved", 4096, 32)),
    *(("three-pass", 128, 128), ("three-pass", 256, 64)),
    *(("fcs-mm-1", 512, 512), ("fcs-mm-1", 4096, 64)),
]


def processor(name: str, options: dict[str, Any], **of_multiplier: Any) -> Exponentiation:
    multiplier = multipliers.find(name)(**of_multiplier)
    return Exponentiation(multiplier=multiplier, allow_leaks=True, **options)


def every_kind(name: str, **of_multiplier: Any) -> list[Exponentiation]:
    return [processor(name, options, **of_multiplier) for options in METHODS.values()]


@pytest.mark.parametrize("name", MULTIPLIERS)
def test_every_multiplier_with_every_method(name: str) -> None:
    rng = random.Random(name)
    processors = every_kind(name, width=64, **({"word": 8} if name == "fips" else {}))
    simulator = compile_streams([design_of(processor) for processor in processors], Cache())
    with simulator.start() as session:
        for number, processor in enumerate(processors):
            moduli = [rng.getrandbits(61) << 3 | 1 << 63 | low for low in (1, 3, 5, 7)]
            batches = [batch_of(processor, modulus, (20, 64, 100), rng) for modulus in moduli]
            assert check(processor, session, number, batches).mismatches == []
            for seed in (1, 2, 3):
                verdict = check(processor, session, number, batches, pauses=PAUSES, seed=seed)
                assert verdict.mismatches == []


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("name", "width", "bits"), LONG)
def test_long_numbers(name: str, width: int, bits: int, method: str) -> None:
    rng = random.Random(f"{name} {width}")
    design = processor(name, METHODS[method], width=width)
    modulus = rng.getrandbits(width) | 1 << width - 1 | 1
    job = design.job(rng.randrange(modulus), rng.getrandbits(bits), modulus, bits=bits)
    with compile_streams([design_of(design)], Cache()).start() as session:
        assert check(design, session, 0, [Batch(modulus, [job])]).mismatches == []


@pytest.mark.parametrize(
    "name", [modulus.name for modulus in moduli.MODULI if modulus.field == "binary"]
)
def test_named_binary_fields(name: str) -> None:
    """a^(2^m - 1) = 1, and random powers, with exponents as long as the field."""
    modulus = moduli.find(name)
    rng = random.Random(name)
    processors = every_kind("fips", width=modulus.bits + 1)
    degree = modulus.value.bit_length() - 1
    asked = [
        (rng.getrandbits(degree) | 1, (1 << degree) - 1),
        (rng.getrandbits(degree), rng.getrandbits(degree)),
    ]
    simulator = compile_streams([design_of(processor) for processor in processors], Cache())
    with simulator.start() as session:
        for number, processor in enumerate(processors):
            jobs = [
                processor.job(*both, modulus.value, bits=degree, field="binary") for both in asked
            ]
            batch = Batch(modulus.value, jobs, "binary")
            verdict = check(processor, session, number, [batch])
            assert verdict.mismatches == []
            words = processor.facts.words_in(processor.over(modulus.value, "binary").mode)
            assert verdict.outcome is not None
            beats = verdict.outcome.beats["result"][:words]
            assert processor.reply(jobs[0].mode, beats) == {"power": 1}


FAULTS = {
    "no square": (r"wire squaring = .*;", "wire squaring = 1'b0;"),
    "results to X0 only": (r"(wire x1_load = )", r"\1 1'b0 & "),
    "targets in the wrong order": (
        r"(multiplier_0_present_target =\s+.*\s+\? )(\w+)",
        r"\1~\2",
    ),
    "subtraction never kept": (r"holder \^ reduce_carry_out", "holder"),
    "subtraction always kept": (r"holder \^ reduce_carry_out", "~holder"),
    "begins before the result": (
        r"wire arrived =[^;]*;",
        "wire arrived = 1'b1;",
    ),
    "leaves the loop too early": (
        r"wire finished =[^;]*;",
        "wire finished = arrived;",
    ),
    "wrong bit": (r"exponent_word_reg >> exponent_index", "exponent_word_reg >> ~exponent_index"),
    "a bit too few": (r"<= (command_gate_sink_bits);", r"<= \1 - 1'b1;"),
    "exponent always taken": (r"\.sink_ready\(exponent_word_ready\)", ".sink_ready(1'b1)"),
    "no last": (r"assign result_last = .*;", "assign result_last = 1'b0;"),
    "no first": (r"assign result_first = .*;", "assign result_first = 1'b0;"),
    "stored a word too late": (r"reducing \? index_before : index;", "index;"),
    "result not held": (
        r"assign result_valid = (.*);",
        r"assign result_valid = (\1) & ~command_valid;",
    ),
    "a cycle more for a zero": (
        r"exponent_bit_valid & arrived",
        "exponent_bit_valid & arrived & (exponent_bit | (multiplier_0_unfinished == 2'd0))",
    ),
}


def test_injected_faults_are_caught() -> None:
    """By the plan of `verify`, edges alone."""
    spec = Spec(processor("fpmm", {}, width=9, word=4, tile="2x2"))
    written = emit(spec.design)
    designs = [design_of(spec.processor, written)]
    for pattern, replacement in FAULTS.values():
        verilog = re.sub(pattern, replacement, written.verilog)
        assert verilog != written.verilog, pattern
        designs.append(design_of(spec.processor, dataclasses.replace(written, verilog=verilog)))
    simulator = compile_streams(designs, Cache())
    for number, name in enumerate(["none", *FAULTS]):
        tally = tally_of(OperationTrial(spec, written), simulator, number)
        assert bool(tally.wrong) == (name != "none"), name
