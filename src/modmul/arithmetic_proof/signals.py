"""What a bundle of wires carries: constants and bits of words, piece by piece, the lowest first."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from modmul.arithmetic_proof.variables import Word


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
                if last.word is piece.word and last.place + last.width == piece.place:
                    pieces[-1] = Piece(width, last.word, last.place)
                    continue
            pieces.append(piece)
    return tuple(pieces)


def bits(signal: Signal, low: int, width: int) -> Signal:
    """So many bits from `low` on."""
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
