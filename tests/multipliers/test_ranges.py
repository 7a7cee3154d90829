"""What is said of moduli, operands and results is what is checked, and a program can compute it."""

from __future__ import annotations

import ast
import itertools
import random
import re
from typing import Any

import pytest

from instances import for_each
from modmul import multipliers
from modmul.errors import SpecError
from modmul.export import description
from modmul.export.hdl import Hdl
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.fips import Fips
from modmul.multipliers.radix2.fcs_mmm42 import FcsMmm42
from modmul.multipliers.radix2.scs_mm_new import ScsMmNew
from modmul.multipliers.ranges import Bound
from modmul.operation import Mode
from modmul.spec import Spec

INSTANCES = [
    multiplier for entry in multipliers.REGISTRY.values() for multiplier in entry.examples()
]
INSTANCES += [Fips(width=40, word=8), Fips(width=40, word=8, subtraction=False)]
INSTANCES += [ScsMmNew(width=40, iterations="published"), FcsMmm42(width=40)]
MODULAR = [multiplier for multiplier in INSTANCES if multiplier.kind == "modular"]
LOADED = [multiplier for multiplier in MODULAR if multiplier.modulus_at == "run time"]
EMITTED = Hdl("", {"core": "core", "stream": "stream"}, ())
ALL = 8  # bits up to which every modulus is tried
ALLOWED = (
    ast.Expression,
    ast.BinOp,
    ast.Compare,
    ast.Name,
    ast.Load,
    ast.Constant,
    ast.operator,
    ast.cmpop,
)


def modes(multiplier: Multiplier) -> list[Mode]:
    """Every field, at every length of a short one, at three of a long one."""
    low, high = multiplier.lengths or (None, None)
    lengths: list[Any] = [None]
    if low is not None and high is not None:
        lengths = sorted({low, low + (high > low), (low + high) // 2, high})
    return [Mode(field=field, words=s) for s in lengths for field in multiplier.fields_built]


def takes(multiplier: Multiplier, modulus: int) -> bool:
    try:
        multiplier.check_modulus(modulus)
    except SpecError:
        return False
    return True


def candidates(bits: int) -> list[int]:
    """All up to a little beyond the largest; of many bits, the edges and random ones."""
    top = 1 << bits
    if bits <= ALL:
        return list(range(2 * top + 2))
    chance = random.Random(bits)
    edges = [place + d for place in (0, 2, top >> 1, top, 2 * top) for d in (-2, -1, 0, 1, 2, 3)]
    numbers = [*edges, *(chance.randrange(top) >> chance.randrange(bits) for _ in range(200))]
    return [n for n in numbers if n >= 0]


def evaluated(expression: str | None, modulus: int) -> int:
    """What a program makes of it: integers, N, m and operators that C, Python and Verilog share."""
    if expression is None:
        return 1
    tree = ast.parse(expression, mode="eval")
    assert all(isinstance(node, ALLOWED) for node in ast.walk(tree)), expression
    assert "^" not in expression and "**" not in expression
    known = {"N": modulus, "m": modulus.bit_length() - 1}
    return int(eval(compile(tree, "", "eval"), {"__builtins__": {}}, known))


def computed(bound: dict[str, Any], modulus: int) -> int:
    """The rule of a description, for a modulus."""
    for case in bound["cases"]:
        if evaluated(case["when"], modulus):
            return evaluated(case["below"], modulus)
    raise AssertionError("no case holds")


def described(multiplier: Multiplier) -> dict[str, Any]:
    record: dict[str, Any] = description.describe(Spec(multiplier), EMITTED, "x")
    return record


@for_each(INSTANCES)
def test_bounds_can_be_computed(multiplier: Multiplier) -> None:
    arithmetic = described(multiplier)["arithmetic"]
    by_field = {entry["field"]: entry for entry in arithmetic["ranges"]}
    assert set(by_field) == set(multiplier.fields_built)
    for mode in modes(multiplier):
        in_mode = multiplier.at(mode)
        rules = by_field[in_mode.field_in_use]
        moduli = [n for n in candidates(in_mode.modulus_bits) if takes(in_mode, n)]
        for modulus in moduli if in_mode.kind == "modular" else [0]:
            assert computed(rules["operand_below"], modulus) == in_mode.operand_bound(modulus)
            assert computed(rules["result_below"], modulus) == in_mode.result_bound(modulus)
        if moduli:
            fits = all(in_mode.result_bound(n) <= in_mode.operand_bound(n) for n in moduli)
            assert not rules["chainable"] or fits
            assert rules["chainable"] or not fits or in_mode.modulus_bits < 3


@for_each(LOADED)
def test_the_moduli_described_are_those_taken(multiplier: Multiplier) -> None:
    rules = {rule["field"]: rule for rule in described(multiplier)["arithmetic"]["taken"]}
    assert set(rules) == set(multiplier.fields_built)
    for mode in modes(multiplier):
        in_mode = multiplier.at(mode)
        rule = rules[in_mode.field_in_use]
        most = rule["bits"]
        if mode.words is not None:
            most = min(most, mode.words * rule["word"] - rule["spare"])
        for n in candidates(in_mode.modulus_bits):
            said = n >= int(rule["least"], 16) and n.bit_length() <= most
            assert (said and (n % 2 == 1 or not rule["odd"])) == takes(in_mode, n), (mode, n)


@for_each(LOADED)
def test_the_moduli_in_words_are_those_taken(multiplier: Multiplier) -> None:
    """At the whole length: the datasheet's line, read by its numbers."""
    parts = multiplier.moduli.split("; ")
    for field, text in zip(multiplier.fields_built, parts, strict=True):
        in_field = multiplier.in_field(field)
        if field == "binary":
            match = re.fullmatch(r"GF\(2\^m\): constant term 1, (\d+) <= m <= (\d+)", text)
            assert match is not None, text
            low, high = 1 << int(match[1]), 2 << int(match[2])
            odd = True
        else:
            match = re.fullmatch(
                r"(?:GF\(p\): )?(odd|odd or even), (2\^)?(\d+) <= N < 2\^(\d+)", text
            )
            assert match is not None, text
            low = 1 << int(match[3]) if match[2] else int(match[3])
            high, odd = 1 << int(match[4]), match[1] == "odd"
        for n in candidates(in_field.modulus_bits):
            assert (low <= n < high and (n % 2 == 1 or not odd)) == takes(in_field, n), (field, n)


@for_each(MODULAR)
def test_what_is_in_range_has_room_in_its_beats(multiplier: Multiplier) -> None:
    for mode in modes(multiplier):
        in_mode = multiplier.at(mode)
        taken = [n for n in candidates(in_mode.modulus_bits) if takes(in_mode, n)]
        for n in taken[-50:]:
            assert (in_mode.operand_bound(n) - 1).bit_length() <= in_mode.beat * in_mode.beats
            assert (in_mode.result_bound(n) - 1).bit_length() <= in_mode.result_beat * in_mode.beats
            assert all(0 <= c.value < 1 << in_mode.modulus_beat for c in in_mode.constants(n))


@for_each(INSTANCES)
def test_cycles_of_every_length_and_of_any_number_of_products(multiplier: Multiplier) -> None:
    record = described(multiplier)
    for entry in record["cycles_by_length"]:
        assert multiplier.lengths is not None
        for place, words in enumerate(range(multiplier.lengths[0], multiplier.lengths[1] + 1)):
            mode = Mode(entry["operation"], entry["field"], words)
            assert entry["from"] + place == words
            assert entry["latency"][place] == multiplier.latency(mode).maximum
            assert entry["interval"][place] == multiplier.interval(mode).maximum
    assert bool(record["cycles_by_length"]) == (multiplier.lengths is not None)
    if multiplier.timing != "constant":
        return
    for mode, count in itertools.product(multiplier.modes, (1, 2, 5, 8, 13)):
        entry, slots = record["cycles"][mode.name], record["slots"]
        turns, rest = divmod(count - 1, slots)
        interval, latency = entry["interval"][1], entry["latency"][1]
        assert multiplier.cycles_for(count, mode) == round(
            interval * turns + entry["next_slot"] * rest + latency
        )


def test_too_many_lengths_are_not_listed() -> None:
    assert described(Fips(width=1030, word=4, field="prime"))["cycles_by_length"] is None


@pytest.mark.parametrize("design", [ScsMmNew(width=40), FcsMmm42(width=40)])
def test_a_bound_that_depends_on_n_modulo_4(design: Multiplier) -> None:
    rule = described(design)["arithmetic"]["result_below"]
    assert rule["formula"] == "4 * N if N mod 4 = 1, else 2 * N"
    assert [computed(rule, n) for n in (5, 7, 9, 11)] == [20, 14, 36, 22]


def test_own_modulus_decides_whether_results_are_operands() -> None:
    for modulus, chainable in ((0xFFFB, True), (0xFFFD, False)):
        spec = Spec.from_options(
            {"architecture": "scs-mm-new", "iterations": "published", "modulus": modulus}
        )
        arithmetic = description.describe(spec, EMITTED, "x")["arithmetic"]
        assert arithmetic["chainable"] is chainable
        assert int(arithmetic["result_below"]["value"], 16) == spec.multiplier.result_bound(modulus)


def test_a_bound_in_other_units() -> None:
    assert Bound(1, "2^m").cases() == [{"when": None, "below": "1 << m"}]
    assert (Bound(1 << 9, "1").formula, Bound(1 << 9, "1").at(0)) == ("2^9", 512)
    assert Bound(12, "1").formula == "12" and Bound(12, "1").cases()[0]["below"] == "12"
    assert not Bound(2, if_one=4).fits(Bound(2)) and Bound(2).fits(Bound(2, if_one=4))


def test_refusals_name_what_is_taken() -> None:
    for multiplier, modulus, says in (
        (Fips(width=8, word=4).at(Mode(field="binary", words=1)), 2, "of degree 1 or more"),
        (Fips(width=8, word=4).at(Mode(words=1)), 17, "takes at most 4 bits"),
        (multipliers.find("interleaved-redundant")(width=8), 5, "exactly 8 bits; take width = 3"),
        (multipliers.find("interleaved")(width=8), 2, "a number from 3"),
    ):
        with pytest.raises(SpecError, match=says):
            multiplier.check_modulus(modulus)
