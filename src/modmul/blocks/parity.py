"""The code of words in memories: two parity bits, each of every second bit of the word."""

from __future__ import annotations

from amaranth.hdl import Cat, Value

CODE_BITS = 2


def coded(word: Value) -> Value:
    """A word with its code above it.  One flipped bit and two neighbouring ones are found,
    also where a bit of the code is one of them."""
    even, odd = word[::2].xor(), word[1::2].xor()
    return Cat(word, odd, even) if len(word) % 2 else Cat(word, even, odd)


def is_damaged(word: Value) -> Value:
    """Whether a word, with its code, was changed."""
    return word[::2].xor() | word[1::2].xor()


def marked(word: Value, mark: Value) -> Value:
    """A word whose code is inverted, and one bit of it again by `mark`.  Marked in the same
    way again it is the word as it was; marked in another way it counts as damaged, and so does a
    word of zeros, as a memory holds it where nothing was written."""
    return Cat(word[:-CODE_BITS], ~word[-CODE_BITS:-1], word[-1] ^ ~mark)


def with_parity(number: Value) -> Value:
    """A number with its parity above it."""
    return Cat(number, number.xor())


def coded_number(word: int, bits: int) -> int:
    """The same as `coded` for a number of so many bits."""
    even, odd = (sum(word >> k & 1 for k in range(start, bits, 2)) & 1 for start in (0, 1))
    code = odd | even << 1 if bits % 2 else even | odd << 1
    return word | code << bits
