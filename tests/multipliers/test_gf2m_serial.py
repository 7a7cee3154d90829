"""The multiplier for one field GF(2^m), where it is not like the others; the suite of all
architectures tests its products and times."""

from __future__ import annotations

import pytest

from modmul.arithmetic import binary
from modmul.errors import SpecError
from modmul.multipliers.gf2m_serial import Gf2mSerial
from modmul.operation import Mode
from modmul.spec import Spec

SQUARE = Mode("square", field="binary")


@pytest.mark.parametrize("digit", [1, 5, 16, 64])
@pytest.mark.parametrize("word", [1, 32, 82, 164])
def test_cycles_follow_from_digit_and_word(digit: int, word: int) -> None:
    """A square takes one clock between its last beat and its first, whatever the digit is."""
    multiplier = Gf2mSerial(digit=digit, word=word)
    beats, steps = -(-164 // word), -(-163 // digit)
    assert (multiplier.beats, multiplier.steps) == (beats, steps)
    assert multiplier.latency().maximum == 2 * beats + steps
    assert multiplier.interval().maximum == beats + steps - 1
    assert multiplier.latency(SQUARE).maximum == 2 * beats + 1
    assert multiplier.interval(SQUARE).maximum == beats


def test_squares_are_products() -> None:
    multiplier = Gf2mSerial(digit=7)
    for value in (0, 1, 2, (1 << 163) - 1, 0x2FE13C0537BBC11ACAA07D793DE4E6D5E5C94EEE8):
        wanted = binary.product(value, value, multiplier.modulus)
        assert multiplier.compute(value, value, multiplier.modulus) == wanted


def test_what_users_meet() -> None:
    spec = Spec.from_options({"architecture": "gf2m-serial", "modulus": "k233"})
    assert spec.multiplier.width == 234 and spec.multiplier.title == "gf2m-serial-233-74-0-d16-w117"
    assert Spec.from_options(spec.options()) == spec
    dense = Spec.from_options({"architecture": "gf2m-serial", "modulus": "x^7+x^5+x^4+x^3+x^2+x+1"})
    assert dense.multiplier.title == "gf2m-serial-7-bf-d7-w4"
    for modulus, says in (
        (None, "name it"),
        ("p192", "polynomials over GF"),
        ("x^8 + x", "the constant term must be 1"),
    ):
        with pytest.raises(SpecError, match=says):
            Spec.from_options({"architecture": "gf2m-serial", "modulus": modulus})
    with pytest.raises(SpecError, match="leave width out"):
        Spec.from_options({"architecture": "gf2m-serial", "modulus": "b163", "width": 200})
    with pytest.raises(SpecError, match="is made for .* alone"):
        spec.multiplier.over(0x2011B, "binary")
