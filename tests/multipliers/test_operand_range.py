"""Which operands a multiplier takes: in numbers, in the table of the documentation, and no more."""

from __future__ import annotations

import ast
import itertools
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from instances import few, for_each
from modmul import multipliers
from modmul.multipliers import Multiplier
from modmul.multipliers.fips import Fips
from modmul.multipliers.oracle import contradicted
from modmul.multipliers.ranges import largest_product
from modmul.multipliers.setting import Setting
from modmul.verification import stimuli

MODULAR = [
    multiplier
    for entry in multipliers.REGISTRY.values()
    for multiplier in entry.examples()
    if multiplier.kind == "modular"
]
MODULAR += [Fips(width=40, word=8), Fips(width=40, word=8, subtraction=False)]
PAGE = Path(__file__).parents[2] / "docs" / "contracts.md"
FEW, MANY = 1000, 5000  # pairs of operands, up to which all are tried
# By default few show all that the examples of an architecture show.
QUICK = [
    multiplier
    for _, several in itertools.groupby(MODULAR, key=lambda each: each.name)
    for multiplier in few(list(several))
]
KNOWN = (ast.Expression, ast.BinOp, ast.Name, ast.Load, ast.Constant, ast.operator, ast.Call)


def title(multiplier: Multiplier) -> str:
    return f"{multiplier.title}-{MODULAR.index(multiplier)}"


def settings(multiplier: Multiplier) -> Iterator[Setting]:
    """Every mode of `edge_modes`, with all moduli of up to 4 bits, else the edges."""
    if multiplier.fixed_modulus is not None:
        yield multiplier.over(multiplier.fixed_modulus, multiplier.fields_built[0])
        return
    for mode in stimuli.edge_modes(multiplier):
        taken = multiplier.taken_in(mode)
        every = [n for n in range(1 << taken.bits) if taken.holds(n)] if taken.bits <= 4 else None
        for modulus in every or stimuli.edge_moduli(multiplier, mode):
            yield Setting(multiplier, modulus, mode)


def table() -> dict[str, list[str]]:
    """The rows of the page, by architecture."""
    text = PAGE.read_text().partition("| architecture | a below |")[2].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines()[2:]]
    return {name.strip(): cells for first, *cells in rows for name in first.split(", ")}


LISTED = {re.findall(r"`(.*?)`", row)[0] for row in table()}


def label(setting: Setting) -> str:
    """The row that a setting is in."""
    multiplier = setting.multiplier
    if setting.field == "binary":
        return f"`{multiplier.name}` in GF(2^m)"
    if isinstance(multiplier, Fips) and not multiplier.subtraction:
        return f"`{multiplier.name}` without subtraction"
    return f"`{multiplier.name}`"


def value(cell: str, setting: Setting) -> int | None:
    """What a cell says for a setting; None for `any`."""
    if cell == "any":
        return None
    multiplier, modulus = setting.multiplier, setting.modulus
    names = {
        "N": modulus,
        "R": setting.montgomery_factor,
        "k": multiplier.width,
        "min": min,
        "m": modulus.bit_length() - 1,
        "w": multiplier.beat,
        "s": setting.beats,
        "c": 1 if modulus & 3 == 3 else 3,
    }
    if exponent := getattr(multiplier, "exponent", None):
        names |= {"e": exponent, "c": -pow(modulus, -1, 1 << exponent) % (1 << exponent)}
    if "p" in cell:
        names["p"] = multiplier.beat
    tree = ast.parse(cell.strip("`").replace("^", "**"), mode="eval")
    assert all(isinstance(node, KNOWN) for node in ast.walk(tree)), cell
    return int(eval(compile(tree, "", "eval"), {"__builtins__": {}}, names))


def test_the_table_has_every_modular_multiplier_with_a_range_of_its_own() -> None:
    modular = {
        name: architecture
        for name, architecture in multipliers.REGISTRY.items()
        if architecture.kind == "modular"
    }
    own = {name for name, architecture in modular.items() if "operand_range" in vars(architecture)}
    assert own <= LISTED <= modular.keys()


@for_each([multiplier for multiplier in MODULAR if multiplier.name in LISTED])
def test_the_table_is_what_is_declared(multiplier: Multiplier) -> None:
    rows = table()
    for setting in settings(multiplier):
        said = [value(cell, setting) for cell in rows[label(setting)]]
        assert said[:3] == list(setting.operand_range)
        bound = setting.result_bound
        assert said[3] == bound


@for_each(MODULAR)
def test_range_holds_the_usual_operands_and_fits_the_beats(multiplier: Multiplier) -> None:
    for setting in settings(multiplier):
        top, room = setting.operand_bound - 1, 1 << multiplier.beat * setting.beats
        assert setting.takes(top, top) and setting.bounds(top, top)
        assert setting.a_below <= room and setting.b_below <= room
        assert not setting.takes(setting.a_below, 0) and not setting.takes(0, setting.b_below)
        assert not setting.takes(-1, 0)


@pytest.mark.parametrize("most", [FEW, pytest.param(MANY, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "multiplier",
    [
        pytest.param(
            multiplier, marks=() if multiplier in QUICK else pytest.mark.long, id=title(multiplier)
        )
        for multiplier in MODULAR
    ],
)
def test_golden_model_in_the_whole_range(multiplier: Multiplier, most: int) -> None:
    """Right, in its bound where it is to be, in the beats of a result, in the declared time."""
    rng = random.Random(1)
    for setting in settings(multiplier):
        if setting.a_below * setting.b_below <= most:
            every = itertools.product(range(setting.a_below), range(setting.b_below))
            pairs = stimuli.in_form(multiplier, every, rng)
        else:
            drawn = [
                (rng.randrange(setting.a_below), rng.randrange(setting.b_below)) for _ in range(20)
            ]
            pairs = stimuli.in_form(multiplier, drawn, rng)
            pairs += stimuli.wide_products(setting, rng) + stimuli.corners(setting, rng)
        results = [setting.compute(a, b) for a, b in pairs]
        assert contradicted(setting, pairs, results) == []
        room, latency = 1 << multiplier.result_beat * setting.beats, setting.latency()
        for (a, b), result in zip(pairs, results, strict=True):
            assert max(result if isinstance(result, tuple) else (result,)) < room
            assert latency.minimum <= setting.latency_of(a, b) <= latency.maximum


@for_each(MODULAR)
def test_largest_operands_are_among_the_stimuli(multiplier: Multiplier) -> None:
    rng, number = random.Random(2), multiplier.value_of
    for setting in settings(multiplier):
        for pairs in (stimuli.corners(setting, rng), stimuli.wide_products(setting, rng)):
            numbers = [(number(a), number(b)) for a, b in pairs]
            assert all(setting.takes(a, b) for a, b in numbers)
            if max(setting.a_below, setting.b_below) <= setting.operand_bound:
                assert not pairs
                continue
            bounded = [(a, b) for a, b in numbers if setting.bounds(a, b)]
            assert max(a for a, _ in bounded) == setting.a_below - 1
            assert max(b for _, b in bounded) == setting.b_below - 1
            assert any(setting.bounds(a, b) is False for a, b in numbers) == (
                not setting.bounds(setting.a_below - 1, setting.b_below - 1)
            )


@pytest.mark.parametrize(
    ("factor", "modulus", "below", "added", "scale"),
    [(16, 5, 2, 1, 1), (32, 7, 2, 1, 1), (16, 5, 4, 3, 8), (16, 7, 2, 1, 8), (32, 9, 8, 7, 8)],
)
def test_largest_product(factor: int, modulus: int, below: int, added: int, scale: int) -> None:
    """No Q makes the value too large for it, and some Q does for the next product."""
    most = largest_product(factor, modulus, below=below, added=added, scale=scale)
    divisor = scale * factor

    def largest(product: int) -> float:
        return (scale * product + (divisor - 1) * added * modulus) / divisor

    assert largest(most) < below * modulus <= largest(most + 1)


@pytest.mark.parametrize("name", ["fpmm", "fips", "montgomery-radix2", "scs-mm-1"])
def test_next_product_is_too_large(name: str) -> None:
    """Where R*N + N is a product of operands, its result is not in the bound."""
    seen = 0
    for multiplier in multipliers.find(name).examples()[:5]:
        for setting in settings(multiplier):
            if setting.field == "binary" or setting.modulus > 1000:
                continue
            assert setting.product_at_most is not None
            product = setting.product_at_most + 1
            for a in range(1, min(setting.a_below, 3000)):
                b, rest = divmod(product, a)
                if not rest and setting.takes(a, b):
                    assert setting.compute(a, b) >= setting.result_bound
                    seen += 1
    assert seen > 5
