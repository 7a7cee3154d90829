"""What the elastic adapter has to know about a core, and the cycles that it adds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from amaranth.lib import data

from modmul.arithmetic.words import ceil_div
from modmul.blocks.gather import gather_latency, queue_latency

PACKETS = 2  # operands that fit: one comes in while the other goes to the core
_SPARE = 8  # cycles by which a receiver may be late now and then without the core losing cycles


class ModeTiming(NamedTuple):
    """How fast products of one mode go through a core.

    beats: of one operand, and of one result.  latency: the largest number of cycles from the first
    operand beat to the last result beat, both counted.  interval: the smallest number of cycles
    between two products in one slot."""

    beats: int
    latency: int
    interval: int


@dataclass(frozen=True)
class CoreTiming:
    """What the adapter must know about a core.

    operand, result, modulus: layouts of one beat, each with the members `first` and `last` (modulus
    None: none is loaded).  modes: one entry for each kind of product.  modulus_beats: the most
    beats that load a modulus.  slots: products in the core at the same time.  reload: what a new
    modulus does to products in the core."""

    operand: data.StructLayout
    result: data.StructLayout
    modulus: data.StructLayout | None
    modes: tuple[ModeTiming, ...]
    modulus_beats: int
    slots: int
    reload: Literal["stalls", "flushes"]

    @property
    def lengths(self) -> frozenset[int]:
        """The numbers of beats that operands may have; the modulus decides.  It has as many beats
        more for each of them."""
        return frozenset(mode.beats for mode in self.modes)

    @property
    def beats(self) -> int:
        """The number of beats of the longest operand."""
        return max(self.lengths)

    @property
    def most_owed(self) -> int:
        """The number of products that may have begun without their result having left: enough to
        keep every slot busy while results leave at half a beat a cycle, and now and then later."""
        queued = queue_latency(self.beats * 2 * self.slots) + _SPARE
        products = [
            ceil_div(mode.latency + queued + 2 * mode.beats, mode.interval) for mode in self.modes
        ]
        return self.slots * max(2, *products)

    def added_latency(self, beats: int) -> int:
        """The cycles that the adapter adds to the latency of an operand of `beats` beats if
        nobody pauses, for gathering it and for the result queue.  Waiting until the core is ready
        is not included."""
        return gather_latency(self.beats, PACKETS, beats) + queue_latency(
            self.beats * self.most_owed
        )
