"""Sums of long numbers whose words come one a clock, lowest first: a short adder and its carry.

What a word-serial multiplier is made of behind its hard multiplier: words of a row a_i*B from the
products of words, and the sum of that row with another number.  In a clock whose word is not
`active` an adder keeps its carry, so that words may pause."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Signal, Value


def chained_sum(
    m: Module, left: Value, right: Value, name: str, active: Value, last: Value
) -> Signal:
    """The register of left + right + carry, as wide as `left`.  The carry out is kept for
    the next active word; that of a number's last word is dropped."""
    width = len(left)
    total = Signal(width, name=name, reset_less=True)
    word = Signal(width, name=f"{name}_word")
    carry_out = Signal(name=f"{name}_carry_out")
    carry = Signal(name=f"{name}_carry")  # has a reset, since an X in it would stay
    m.d.comb += Cat(word, carry_out).eq(left + right + carry)
    m.d.sync += total.eq(word)
    with m.If(active):
        m.d.sync += carry.eq(carry_out & ~last)
    return total


def sum_notes(name: str, word: str) -> dict[str, str]:
    """Notes on the signals of `chained_sum`.  word: what its register holds."""
    return {
        name: word,
        f"{name}_word_sum": "the next word, with the carry out on top",
        f"{name}_word": "the next word",
        f"{name}_carry_out": "the carry out of the next word",
        f"{name}_carry": "the carry into the next word",
    }


def row_notes(name: str, word: str) -> dict[str, str]:
    """Notes on the signals of `row`.  word: what its register holds."""
    high = {f"{name}_high": "high half of the product before, added to the low half of this one"}
    return high | sum_notes(name, word)


def row(m: Module, product: Value, word: int, name: str, active: Value, last: Value) -> Signal:
    """Words of x*Y, a clock later, from products x*y_j: low_j + high_(j-1) + carry.

    active, last: for the clock in which the product is there.  Y needs one word more, a product of
    0: it ends the row and leaves nothing for the next one."""
    high = Signal(word, name=f"{name}_high")  # has a reset, as the carry
    with m.If(active):
        m.d.sync += high.eq(product[word:])
    return chained_sum(m, product[:word], high, name, active, last)
