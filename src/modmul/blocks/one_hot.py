"""Multiplexers with one select signal for each input: AND gates and a balanced OR tree."""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Const, Module, Signal, Value


def choose(selects: Value, words: Sequence[Value]) -> Value:
    """Words[j] where bit j of `selects` is set (at most one is), 0 where none is."""
    width = max(len(word) for word in words)
    terms = [
        word & selects[j].replicate(len(word)) for j, word in enumerate(words) if len(word) > 0
    ]
    return any_of(terms) if terms else Const(0, width)


def choose_registered(m: Module, selects: Value, words: Sequence[Value], name: str) -> Value:
    """What `choose` returns, a cycle later, with registers behind pairs of words."""
    pairs = []
    for j in range(0, len(words), 2):
        chosen = choose(selects[j : j + 2], words[j : j + 2])
        pair = Signal(len(chosen), name=f"{name}_{j}", reset_less=True)
        m.d.sync += pair.eq(chosen)
        pairs.append(pair)
    return any_of(pairs)


def any_of(terms: Sequence[Value]) -> Value:
    """The OR of all terms, as a balanced tree."""
    while len(terms) > 1:
        halves = [terms[k : k + 2] for k in range(0, len(terms), 2)]
        terms = [half[0] | half[1] if len(half) == 2 else half[0] for half in halves]
    return terms[0]
