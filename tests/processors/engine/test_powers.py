"""Powers on the golden machine, and programs of several moduli."""

from __future__ import annotations

import pytest

from known_answers import image, seeded
from modmul import multipliers
from modmul.errors import SpecError
from modmul.processors.engine.assembler import Image, assemble
from modmul.processors.engine.engine import Engine
from modmul.processors.engine.operation import run
from modmul.processors.engine.text import parse


def fives(image: Image, bits: int) -> int:
    """Digits of 5 bits after the first, which has what is left of a register's bits."""
    return -(-(bits - (image.engine.wide % 5 or 5)) // 5)


@pytest.mark.parametrize("architecture", ["fpmm", "fips"])
@pytest.mark.parametrize("program", ["power-ladder", "power-window"])
def test_powers(program: str, architecture: str) -> None:
    assembled, rng = image(program, architecture, 128), seeded(program)
    for modulus in (rng.getrandbits(128) | 1, (1 << 128) - 1, 3):
        some = rng.randrange(modulus), rng.getrandbits(125)
        for base, exponent in (some, (0, 5), (modulus - 1, 1)):
            rounds = 125 if program == "power-ladder" else fives(assembled, 125)
            result = run(assembled, modulus, {"x": base, "e": exponent, "n": rounds})
            assert result.results == (pow(base, exponent, modulus),)
            assert result.outcome.cycles == assembled.cycles([rounds])


def test_what_another_modulus_left_is_not_taken_for_a_residue() -> None:
    text = "constant r2, unit\ninput x\nX = x * r2\nmodulus 1\noutput (X - x) % N"
    for reducing, says in ((True, "bound of operands"), (False, "registers are")):
        engine = Engine(multipliers.find("fpmm")(width=64), reducing=reducing)
        with pytest.raises(SpecError, match=f"line 5: .*{says}"):
            assemble(parse("mixed", text), engine)


def test_a_copy_is_made_with_the_one_of_its_modulus() -> None:
    """S is a sum and has to be moved into the bank of products before the loop."""
    text = (
        "constant one\ninput x\nmodulus 1\nconstant {}r2, unit\nX = x * r2\nS = X + X\n"
        "loop 2:\nS = S ** 2\nend\noutput S * unit % N"
    )
    engine = Engine(multipliers.find("fpmm")(width=64))
    with pytest.raises(SpecError, match="declare `constant one`"):
        assemble(parse("no one", text.format("")), engine)
    paper = assemble(parse("two moduli", text.format("one, ")), engine)
    assert run(paper, (2**64 - 59, 101), {"x": 7}).results == (14**4 % 101,)
