"""What a bundle of wires carries: constants and bits of words, piece by piece, the lowest first."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from modmul.arithmetic_proof.variables import Variables, Word

NOTHING = Word(
    Variables(), {}, 0, 0, (), -1, ("not known",), 0
)  # of bits of which nothing is known


class Piece(NamedTuple):
    """`width` bits of a word from the bit `place` on; or, without a word, the number `place`."""

    width: int
    word: Word | None
    place: int


Signal = tuple[Piece, ...]


def constant(width: int, value: int) -> Signal:
    """The lowest bits of a number, which may be negative."""
    return (Piece(width, None, value & (1 << width) - 1),) if width else ()


def width_of(signal: Signal) -> int:
    return sum(piece.width for piece in signal)


def joined(parts: Iterable[Signal]) -> Signal:
    """Signals side by side, the lowest first."""
    pieces: list[Piece] = []
    for part in parts:
        for piece in part:
            if not piece.width:
                continue
            if pieces:
                last = pieces[-1]
                width = last.width + piece.width
                if last.word is None and piece.word is None:
                    pieces[-1] = Piece(width, None, last.place | piece.place << last.width)
                    continue
                if last.word is NOTHING and piece.word is NOTHING:
                    pieces[-1] = Piece(width, NOTHING, 0)
                    continue
                if last.word is piece.word and last.place + last.width == piece.place:
                    pieces[-1] = Piece(width, last.word, last.place)
                    continue
            pieces.append(piece)
    return tuple(pieces)


def bits(signal: Signal, low: int, width: int) -> Signal:
    """So many bits from `low` on."""
    if len(signal) == 1:
        own, word, place = signal[0]
        if width == own or not width:
            return signal if width else ()
        if word is None:
            return (Piece(width, None, place >> low & (1 << width) - 1),)
        return (Piece(width, word, 0 if word is NOTHING else place + low),)
    if low == 0 and width == width_of(signal):
        return signal
    pieces, position, high = [], 0, low + width
    for piece in signal:
        first, last = max(low, position), min(high, position + piece.width)
        if first < last:
            skipped, taken = first - position, last - first
            place = piece.place + skipped
            if piece.word is None:
                place = piece.place >> skipped & (1 << taken) - 1
            pieces.append(Piece(taken, piece.word, place))
        position += piece.width
        if position >= high:
            break
    return joined([tuple(pieces)])


def is_constant(signal: Signal) -> bool:
    return all(piece.word is None for piece in signal)


def value_of(signal: Signal) -> int:
    """The number that a constant signal is."""
    value = position = 0
    for piece in signal:
        value |= piece.place << position
        position += piece.width
    return value


def known_value(signal: Signal) -> int | None:
    """The number that a signal is, if it is constant."""
    return value_of(signal) if is_constant(signal) else None


def sample_of(signal: Signal, place: int) -> int:
    value = position = 0
    for width, word, at in signal:
        value |= (at if word is None else word.samples[place] >> at & (1 << width) - 1) << position
        position += width
    return value


def key(signal: Signal) -> tuple[Hashable, ...]:
    """Equal for equal signals, and ordered."""
    return tuple((width, word.number if word else 0, place) for width, word, place in signal)


def repeated(signal: Signal) -> Piece | None:
    """The bit of a word that all of the signal is, if there is one."""
    first = signal[0]
    if first.width != 1 or first.word is None:
        return None
    return first if all(piece == first for piece in signal) else None


def without_zeros(signal: Signal) -> Signal:
    """Without constant zeros at the top."""
    while signal and signal[-1].word is None:
        width, _, value = signal[-1]
        length = value.bit_length()
        if length == width:
            return signal
        signal = signal[:-1]
        if length:
            return (*signal, Piece(length, None, value))
    return signal or constant(1, 0)


def without_signs(signal: Signal) -> Signal:
    """Without repetitions of the highest bit."""
    while (width := width_of(signal)) > 1:
        if key(bits(signal, width - 1, 1)) != key(bits(signal, width - 2, 1)):
            break
        signal = bits(signal, 0, width - 1)
    return signal


def extended(signal: Signal, width: int, signed: bool) -> Signal:
    """As wide, by cutting or by zeros or the sign."""
    own = width_of(signal)
    if own >= width:
        return bits(signal, 0, width)
    if not signed or not own:
        return joined([signal, constant(width - own, 0)])
    top = bits(signal, own - 1, 1)
    if is_constant(top):
        return joined([signal, constant(width - own, -value_of(top))])
    return signal + top * (width - own)


def is_known(*operands: Signal) -> bool:
    """Whether all bits are."""
    return all(piece.word is not NOTHING for signal in operands for piece in signal)


def has_known(signal: Signal) -> bool:
    """Whether any bit is."""
    return any(piece.word is not NOTHING for piece in signal)


def nothing(width: int) -> Signal:
    return (Piece(width, NOTHING, 0),) if width else ()


def common(left: Signal, right: Signal) -> Signal:
    """The bits that are known to be the same in both."""
    if left == right:
        return left
    for signal in (left, right):
        if len(signal) == 1 and signal[0].word is NOTHING:
            return signal
    cuts = set[int]()
    for signal in (left, right):
        position = 0
        for piece in signal:
            cuts.add(position)
            position += piece.width
    parts = list[Signal]()
    for low, high in pairwise(sorted({*cuts, width_of(left)})):
        [one], [two] = (bits(each, low, high - low) for each in (left, right))
        if one == two:
            parts.append((one,))
        elif one.word is None and two.word is None:  # they may agree in some bits
            parts += _agreeing(high - low, one.place, two.place)
        else:
            parts.append(nothing(high - low))
    return joined(parts)


def _agreeing(width: int, left: int, right: int) -> Iterator[Signal]:
    """The bits of two numbers that are the same, in runs."""
    for differs, run in itertools.groupby(range(width), lambda bit: (left ^ right) >> bit & 1):
        places = list(run)
        own = len(places)
        yield nothing(own) if differs else constant(own, left >> places[0])


def without_words(signal: Signal) -> Signal:
    """The constant bits."""
    return joined((p,) if p.word is None else nothing(p.width) for p in signal)
