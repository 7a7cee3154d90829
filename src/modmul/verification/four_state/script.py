"""What the bench of a four-valued simulation does, item by item."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from modmul.export.ports import Interface, Port, ports
from modmul.export.vectors import Product, Turn, load_beats, product_of
from modmul.multipliers.contract import Mode, Multiplier
from modmul.multipliers.streamed import traffic
from modmul.verification import stimuli

KINDS = ("modulus", "operand", "reset", "idle", "drain", "knock", "mute", "listen")
_SEED = 4


class Item(NamedTuple):
    """One thing that the bench does.

    kind: `modulus` or `operand`, a beat that is offered until it is taken; `reset` or `idle` for
    `number` cycles; `drain` until `number` beats of results are out; `knock`: a beat of an operand
    is offered for `number` cycles and must not be taken; from `mute` to `listen` anything may come
    out.  lanes: fields of the beat."""

    kind: str
    number: int = 0
    lanes: tuple[tuple[str, int], ...] = ()


@dataclass
class Script:
    """items: in order.  beats: of the results that must come out, in order.  cycles: more than
    all of it can take.  results: products that come out."""

    items: list[Item] = field(default_factory=list)
    beats: list[dict[str, int]] = field(default_factory=list)
    cycles: int = 0
    results: int = 0


def script(multiplier: Multiplier, interface: Interface, cycles: int) -> Script:
    """The same for the same arguments; a short one where all of it takes more than `cycles`."""
    whole = _Writer(multiplier, interface)
    whole.write()
    if whole.script.cycles <= cycles:
        return whole.script
    short = _Writer(multiplier, interface)
    short.write_short()
    return short.script


class _Writer:
    """Writes the script of a multiplier."""

    def __init__(self, multiplier: Multiplier, interface: Interface):
        self.multiplier, self.interface = multiplier, interface
        self.rng = random.Random(_SEED)
        self.script = Script(cycles=100)
        self.loaded = multiplier.modulus_at == "run time"
        self.longest = multiplier.worst("latency") + multiplier.worst("interval")
        if interface == "stream":
            self.longest += traffic(multiplier).adapter_latency
        self.turns = self._turns()

    def write(self) -> None:
        """Everything."""
        last, products = self.turns[-1], 2 * self.multiplier.slots + 2
        self._restart()
        self._early()
        for turn in self.turns:
            self._load(turn)
            self._products(turn, products)
            self._drain()
        self._products(last, 2, gap=self.longest // 3)
        self._drain()
        self._interrupted(self.turns[0], self.longest // 2)
        self._interrupted(self.turns[0], 3 + self.multiplier.beats)
        if self.loaded:
            beats = load_beats(self.multiplier, last)
            self._beats("modulus", beats[: max(1, len(beats) // 2)], len(beats))
            self._restart()
        self._load(last)
        self._products(last, 3)
        self._drain()
        self._idle("idle", self.longest)

    def write_short(self) -> None:
        """A product, a reset in the middle of one, and a product under another modulus."""
        first, last = self.turns[0], self.turns[-1]
        self._idle("reset", 1)
        self._load(first)
        self._products(first, 1)
        self._drain()
        self._idle("mute", 0)
        self._products(first, 1, expected=False)
        self._idle("idle", self.longest // 3)
        self._idle("reset", 1)
        self._idle("listen", 0)
        self._load(last)
        self._products(last, 2)
        self._drain()

    def _turns(self) -> list[Turn]:
        """One modulus a mode: every field, at the longest and the shortest length."""
        multiplier, found = self.multiplier, []
        lengths: Iterable[int | None] = dict.fromkeys(reversed(multiplier.lengths or (None,)))
        modes = [Mode(field=one, words=n) for n in lengths for one in multiplier.fields_built]
        for mode in modes:
            modulus = stimuli.random_modulus(multiplier.at(mode), None, self.rng)
            found.append(Turn(modulus, mode, 0))
        return found if len(found) > 1 else 2 * found

    def _early(self) -> None:
        """An operand before any modulus: behind the adapter it must wait; a core takes it, and has
        to be reset then."""
        if not self.loaded:
            return
        lanes = dict.fromkeys(self._fields("operand"), 0) | {"first": 1}
        knock = Item("knock", self.longest, tuple(lanes.items()))
        if self.interface == "stream":
            self._put(knock)
            return
        self._idle("mute", 0)
        self._put(knock)
        self._restart()

    def _fields(self, stream: str) -> list[str]:
        found = ports(self.multiplier, self.interface)
        return [port.field or "" for port in found if is_lane(port, stream)]

    def _load(self, turn: Turn) -> None:
        if self.loaded:
            beats = load_beats(self.multiplier, turn)
            self._beats("modulus", beats, len(beats))

    def _beats(self, kind: str, beats: Sequence[int], count: int) -> None:
        for place, value in enumerate(beats):
            lanes = (("first", place == 0), ("last", place == count - 1), ("data", value))
            self._put(Item(kind, 0, lanes))

    def _products(self, turn: Turn, count: int, gap: int = 0, expected: bool = True) -> None:
        chosen = self.multiplier.at(turn.mode)
        modulus = turn.modulus
        bound = chosen.operand_bound(modulus)
        for number in range(count):
            a, b = (self.rng.randrange(bound) for _ in range(2))
            if number == 0:
                a, b = bound - 1, bound - 1
            product = product_of(chosen, turn, a, b, self.rng)
            self._operand(chosen, product)
            if expected:
                self.script.beats += self._result(chosen, product)
                self.script.results += 1
            if gap:
                self._idle("idle", gap)

    def _operand(self, chosen: Multiplier, product: Product) -> None:
        for place in range(chosen.beats):
            lanes = {"first": int(place == 0), "last": int(place == chosen.beats - 1)}
            for name, value in product.operand.items():
                shift = 0 if name == "square" else place * chosen.beat
                lanes[name] = value >> shift & ((1 << chosen.beat) - 1)
            self._put(Item("operand", 0, tuple(lanes.items())))

    def _result(self, chosen: Multiplier, product: Product) -> list[dict[str, int]]:
        mask = (1 << chosen.result_beat) - 1
        return [
            {"first": place == 0, "last": place == chosen.beats - 1}
            | {name: value >> place * chosen.result_beat & mask
               for name, value in product.result.items()}
            for place in range(chosen.beats)
        ]  # fmt: skip

    def _interrupted(self, turn: Turn, after: int) -> None:
        """A reset in the middle of a product, `after` cycles after it went in."""
        self._load(turn)
        self._idle("mute", 0)
        self._products(turn, 1, expected=False)
        self._idle("idle", after)
        self._restart()
        self._early()

    def _restart(self) -> None:
        """From the reset on nothing may come out."""
        self._idle("reset", 1)
        self._idle("listen", 0)
        self._idle("idle", self.longest)

    def _drain(self) -> None:
        self._put(Item("drain", len(self.script.beats)))

    def _idle(self, kind: str, count: int) -> None:
        self._put(Item(kind, count))

    def _put(self, item: Item) -> None:
        self.script.items.append(item)
        if item.kind in ("operand", "modulus"):
            interval = self.multiplier.worst("interval") / self.multiplier.beats
            self.script.cycles += 4 + math.ceil(1.5 * interval / self.multiplier.slots)
        elif item.kind == "drain":
            self.script.cycles += 2 * self.longest
        else:
            self.script.cycles += 1 + item.number


def is_lane(port: Port, stream: str) -> bool:
    return port.stream == stream and port.field not in ("valid", "ready")
