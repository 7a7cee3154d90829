"""Packets of a wrong number of beats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from modmul.design import Beat
from modmul.verification.streams import Offer


def packet(beats: Sequence[Beat], *, ends: bool = True, gap: int = 0) -> list[Offer]:
    """The beats, with `first`, and with `last` if it `ends`."""
    last = len(beats) - 1
    return [
        Offer(beat | {"first": int(i == 0), "last": int(i == last and ends)}, gap if i == 0 else 0)
        for i, beat in enumerate(beats)
    ]


def wait(offers: list[Offer], stream: str, beats: int) -> list[Offer]:
    """These beats, the first of them when so many have gone over on a stream."""
    first, *others = offers
    return [replace(first, after=stream, beats=beats) if beats else first, *others]


DISTURBED: dict[str, Callable[[Sequence[Beat]], list[Offer]]] = {
    "one beat short": lambda beats: packet(beats[:-1]),
    "one beat alone": lambda beats: packet(beats[:1]),
    "one beat long": lambda beats: packet([*beats, beats[0]]),
    "very long": lambda beats: packet([*beats, *beats, *beats, beats[0]]),
    "interrupted": lambda beats: packet(beats[:-1], ends=False),
    "long and interrupted": lambda beats: packet([*beats, beats[0]], ends=False),
    "interrupted twice": lambda beats: packet(beats[:1], ends=False) * 2,
}
