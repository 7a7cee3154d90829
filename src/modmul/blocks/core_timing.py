"""What the elastic adapter has to know about a core, and the cycles that it adds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from amaranth.lib import data

from modmul.arithmetic.words import ceil_div
from modmul.blocks.gather import gather_latency, queue_latency

PACKETS = 2  # operands that wait: one comes in while the other goes on
_SPARE = 8  # cycles that a result may be late now and then, without the core losing any


class ModeTiming(NamedTuple):
    """How fast products of one kind go through a core.

    beats: of one operand and of one result.  latency: cycles, first operand beat in to last result
    beat out, both counted (the largest).  interval: cycles between two products of one slot (the
    smallest)."""

    beats: int
    latency: int
    interval: int


@dataclass(frozen=True)
class CoreTiming:
    """What the adapter must know of a core.

    operand, result, modulus: layouts of one beat, each with members `first` and `last`
    (modulus None: none is loaded).  modes: of the kinds of products that there are.
    modulus_beats: beats that load a modulus, at most.  slots: products the core works on at once.
    reload: what a new modulus does to products in flight in the core."""

    operand: data.StructLayout
    result: data.StructLayout
    modulus: data.StructLayout | None
    modes: tuple[ModeTiming, ...]
    modulus_beats: int
    slots: int
    reload: Literal["stalls", "flushes"]

    @property
    def beats(self) -> int:
        """Beats of the longest operand."""
        return max(mode.beats for mode in self.modes)

    @property
    def most_owed(self) -> int:
        """Results owed, of products that have begun and whose results have not left, that keep
        every slot busy while results leave at half a beat a cycle, and now and then later."""
        queued = queue_latency(self.beats * 2 * self.slots) + _SPARE
        products = [
            ceil_div(mode.latency + queued + 2 * mode.beats, mode.interval) for mode in self.modes
        ]
        return self.slots * max(2, *products)

    def added_latency(self, beats: int) -> int:
        """Cycles that the adapter adds to the latency of an operand of `beats` beats when nobody
        pauses, apart from the wait for the core to be ready: gathering it, and the result queue."""
        return gather_latency(self.beats, PACKETS, beats) + queue_latency(
            self.beats * self.most_owed
        )
