"""Times, sizes and cycles as people read them."""

import pytest

from modmul.toolchain.quantities import cycle_words, size_words, time_words


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (11_309_351.1, "ns", "11.3 ms"),
        (953_457.8, "ns", "953 us"),
        (999_600.0, "ns", "1 ms"),
        (284.4, "ns", "284 ns"),
        (0.25, "ns", "250 ps"),
        (0.0, "ns", "0 ns"),
        (3.2e9, "ns", "3.2 s"),
        (7.2e12, "ns", "7,200 s"),
        (123.4, "full adders", "123.4 full adders"),
        (12345.6, "full adders", "12,346 full adders"),
    ],
)
def test_times_in_a_unit_that_suits_them(value: float, unit: str, words: str) -> None:
    assert time_words(value, unit) == words


@pytest.mark.parametrize(
    ("count", "words"),
    [(999, "999 bytes"), (252_372, "252 kB"), (999_999, "1 MB"), (3 << 30, "3.22 GB")],
)
def test_sizes_in_a_unit_that_suits_them(count: int, words: str) -> None:
    assert size_words(count) == words


@pytest.mark.parametrize(
    ("cycles", "words"),
    [(2_545_809, "2545809"), (1_094_100.0, "1094100"), (64.0, "64"), (259.4375, "259.44")],
)
def test_cycles_are_exact(cycles: float, words: str) -> None:
    assert cycle_words(cycles) == words
