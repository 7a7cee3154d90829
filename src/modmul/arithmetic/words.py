"""Splitting integers into words, least significant first."""


def ceil_div(a: int, b: int) -> int:
    """A / b rounded up, for a >= 0 and b > 0."""
    return -(-a // b)


def is_power_of_two(count: int) -> bool:
    """Whether `count`, above 0, is a power of two."""
    return count.bit_count() == 1


def to_words(value: int, bits: int, count: int) -> list[int]:
    """The `count` words of `bits` bits of `value` (below 2^(bits*count)), lowest first."""
    mask = (1 << bits) - 1
    return [value >> (bits * j) & mask for j in range(count)]


def from_words(words: list[int], bits: int) -> int:
    """The integer with these words of `bits` bits, the inverse of `to_words`."""
    return sum(word << (bits * j) for j, word in enumerate(words))
