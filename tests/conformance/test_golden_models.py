"""Golden models of every architecture against gmpy2, by property tests: no hardware."""

from __future__ import annotations

import os
import random
import sys
from typing import Any

import gmpy2
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from instances import for_each, instances, of_width
from modmul import multipliers
from modmul.arithmetic.binary_congruence import congruent
from modmul.multipliers import Multiplier
from modmul.multipliers.setting import Setting
from modmul.verification import stimuli

RNG = random.Random(1)
WIDE = (512, 521)  # bits; plain products have at most 512
INSTANCES = [
    multiplier
    for architecture in multipliers.REGISTRY.values()
    for multiplier in [
        *instances(architecture, 8),
        *(of_width(architecture, WIDE[1]) or of_width(architecture, WIDE[0])),
    ]
]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Setting, int, int]:
    """A multiplier under a modulus, operands that it takes, edges often among them."""
    multiplier = draw(st.sampled_from(INSTANCES))
    mode = draw(st.sampled_from(stimuli.edge_modes(multiplier)))
    modulus = multiplier.fixed_modulus or 0
    if multiplier.modulus_at == "run time":
        taken = multiplier.taken_in(mode)
        modulus = draw(st.integers(1, (1 << taken.bits) - 1)) | 1
        assume(taken.holds(modulus))
    setting = Setting(multiplier, modulus, mode)
    edges = st.sampled_from(stimuli.edge_values(setting))
    usual = edges | st.integers(0, setting.operand_bound - 1)
    a_top, b_top = setting.a_below - 1, setting.b_below - 1
    a = draw(usual | st.integers(0, a_top) | st.just(a_top))
    b = draw(usual | st.integers(0, b_top) | st.just(b_top))
    return setting, a, b


@settings(max_examples=600 if os.environ.get("CONFORMANCE") else 200)
@given(cases(), st.randoms(use_true_random=False))
def test_golden_model_is_the_product(
    case: tuple[Setting, int, int], rng: stimuli.random.Random
) -> None:
    setting, a, b = case
    multiplier, modulus = setting.multiplier, setting.modulus
    ((left, right),) = stimuli.in_form(multiplier, [(a, b)], rng)
    result = setting.compute(left, right)
    value = gmpy2.mpz(result if isinstance(result, int) else sum(result))
    product = gmpy2.mpz(a) * gmpy2.mpz(b)
    if multiplier.kind == "plain":
        assert value == product
        return
    assert setting.montgomery_factor is not None
    assert value >= 0
    if setting.bounds(a, b):
        assert value < setting.result_bound
    if setting.field == "binary":
        exponent = setting.montgomery_factor.bit_length() - 1
        assert congruent(int(value), exponent, a, b, modulus)
        return
    inverse = gmpy2.invert(setting.montgomery_factor, modulus) if modulus > 1 else 0
    assert gmpy2.f_mod(value, modulus) == gmpy2.f_mod(product * inverse, modulus)


@for_each([multiplier for multiplier in INSTANCES if multiplier.kind == "modular"])
def test_work_follows_the_cycles(multiplier: Multiplier) -> None:
    """Plans bound batches by the cycles of the hardware.  A power takes millions of products, and
    whoever verifies it waits for the golden model of each."""
    setting = next(iter(stimuli.edge_settings(multiplier, None)))
    ((a, b),) = stimuli.in_form(multiplier, [(setting.a_below - 1, setting.b_below - 1)], RNG)
    setting.compute(a, b)  # whatever is kept from the first product
    lines = 0

    def count(frame: object, event: str, given: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    setting.compute(a, b)
    sys.settrace(before)
    assert lines <= 200 * multiplier.interval(setting.mode).minimum


@for_each(INSTANCES)
def test_cycles_add_up(multiplier: Multiplier) -> None:
    for mode in multiplier.modes:
        terms = multiplier.cycles(mode).values()
        latency, interval = multiplier.latency(mode), multiplier.interval(mode)
        assert sum(term.minimum for term in terms) == latency.minimum
        assert sum(term.maximum for term in terms) == latency.maximum
        assert latency.minimum <= latency.mean <= latency.maximum
        assert interval.minimum <= interval.mean <= interval.maximum
        if multiplier.timing == "constant":
            assert latency.minimum == latency.maximum
        assert multiplier.cycles_for(1, mode) == round(latency.mean)
