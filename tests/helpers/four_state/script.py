"""The script of the bench of a four-valued simulation, item by item."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from modmul.design import Interface
from modmul.export.ports import Port, ports
from modmul.export.vectors import Product, product_of
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.operations import OPERATIONS
from modmul.multipliers.setting import Setting
from modmul.multipliers.streamed import core_timing
from modmul.operation import Mode
from modmul.verification import stimuli

CONTROLS = ("reset", "idle", "drain", "knock", "mute", "listen")
_SEED = 4
_TRIES = 20  # to draw another modulus than before


class ScriptItem(NamedTuple):
    """One thing that the bench does.

    kind: an input stream, where a beat is offered until it is taken; `reset` or `idle` for `number`
    cycles; `drain` until `number` beats of results are out; `knock`: a beat is offered for `number`
    cycles and must not be taken; from `mute` to `listen` anything may come out.  lanes: fields of
    the beat."""

    kind: str
    number: int = 0
    lanes: tuple[tuple[str, int], ...] = ()


@dataclass
class BenchScript:
    """inputs: streams.  knocks: the one on which `knock` offers.  items: in order.  beats: of the
    results that must come out, in order.  cycles: more than all of it can take.  results: how many
    come out."""

    inputs: tuple[str, ...]
    knocks: str
    items: list[ScriptItem] = field(default_factory=list)
    beats: list[dict[str, int]] = field(default_factory=list)
    cycles: int = 0
    results: int = 0

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of items, in the order of their codes."""
        return CONTROLS + self.inputs

    def put(self, kind: str, number: int = 0, **lanes: int) -> None:
        self.items.append(ScriptItem(kind, number, tuple(lanes.items())))
        self.cycles += 4 if kind in self.inputs else 1 + number * (kind != "drain")

    def packet(self, stream: str, beats: Sequence[Mapping[str, int]], count: int = 0) -> None:
        """Beats one after the other; the packet has `count`, if it ends early."""
        last = (count or len(beats)) - 1
        for place, beat in enumerate(beats):
            self.put(stream, first=int(place == 0), last=int(place == last), **beat)

    def restart(self, cycles: int) -> None:
        """From the reset on nothing may come out; nothing is offered for so many cycles."""
        self.put("reset", 1)
        self.put("listen")
        self.put("idle", cycles)

    def drain(self, longest: int) -> None:
        self.put("drain", len(self.beats))
        self.cycles += 2 * longest


def script(multiplier: Multiplier, interface: Interface, cycles: int) -> BenchScript:
    """The same for the same arguments; a short one where all of it takes more than `cycles`."""
    writer = _Writer(multiplier, interface)
    writer.write()
    if writer.script.cycles <= cycles:
        return writer.script
    short = _Writer(multiplier, interface)
    short.write_short()
    return short.script


class _Writer:
    """Writes the script of a multiplier."""

    def __init__(self, multiplier: Multiplier, interface: Interface):
        self.multiplier, self.interface = multiplier, interface
        self.rng = random.Random(_SEED)
        self.loaded = multiplier.modulus_at == "run time"
        inputs = ("modulus", "operand") if self.loaded else ("operand",)
        self.script = BenchScript(inputs, "operand", cycles=100)
        self.longest = multiplier.worst("latency") + multiplier.worst("interval")
        if interface == "stream":
            timing = core_timing(multiplier)
            self.longest += timing.added_latency(timing.beats)
        self.settings = self._settings()

    def write(self) -> None:
        last, products = self.settings[-1], 2 * self.multiplier.slots + 2
        self.script.restart(self.longest)
        self._early()
        for setting in self.settings:
            self._load(setting)
            self._products(setting, products)
            self.script.drain(self.longest)
        self._products(last, 2, gap=self.longest // 3)
        self.script.drain(self.longest)
        self._interrupted(self.settings[0], self.longest // 2)
        self._interrupted(self.settings[0], 3 + self.multiplier.beats)
        if self.loaded:
            beats = last.loads
            self._modulus(beats[: max(1, len(beats) // 2)], len(beats))
            self.script.restart(self.longest)
        self._load(last)
        self._products(last, 3)
        self.script.drain(self.longest)
        self.script.put("idle", self.longest)

    def write_short(self) -> None:
        """A product, a reset in the middle of one, and two products under another modulus."""
        first, last = self.settings[0], self.settings[-1]
        self.script.put("reset", 1)
        self._load(first)
        self._products(first, 1)
        self.script.drain(self.longest)
        self.script.put("mute")
        self._products(first, 1, expected=False)
        self.script.put("idle", self.longest // 3)
        self.script.restart(1)
        self._load(last)
        self._products(last, 2)
        self.script.drain(self.longest)
        self.script.put("idle", self.longest)

    def _settings(self) -> list[Setting]:
        """One modulus a mode, two where there is one mode: every field, at the longest and the
        shortest length."""
        multiplier = self.multiplier
        lengths: Iterable[int | None] = dict.fromkeys(reversed(multiplier.lengths or (None,)))
        modes = [Mode(field=field, words=n) for n in lengths for field in multiplier.fields_built]
        settings: list[Setting] = []
        for mode in modes if len(modes) > 1 else 2 * modes:
            earlier = {setting.modulus for setting in settings}
            drawn = [stimuli.random_setting(multiplier, mode, self.rng) for _ in range(_TRIES)]
            settings.append(next((new for new in drawn if new.modulus not in earlier), drawn[0]))
        return settings

    def _early(self) -> None:
        """An operand before any modulus: behind the adapter it must wait; a core takes it, and has
        to be reset then."""
        if not self.loaded:
            return
        lanes = {
            port.field or "": int(port.field == "first")
            for port in ports(self.multiplier, self.interface)
            if is_lane(port, "operand")
        }
        if self.interface == "core":
            self.script.put("mute")
        self.script.put("knock", self.longest, **lanes)
        if self.interface == "core":
            self.script.restart(self.longest)

    def _load(self, setting: Setting) -> None:
        if self.loaded:
            self._modulus(setting.loads, len(setting.loads))

    def _modulus(self, beats: Sequence[int], count: int) -> None:
        self.script.packet("modulus", [{"data": value} for value in beats], count)

    def _products(self, setting: Setting, count: int, gap: int = 0, expected: bool = True) -> None:
        multiplier, script, bound = self.multiplier, self.script, setting.operand_bound
        pairs = [(self.rng.randrange(bound), self.rng.randrange(bound)) for _ in range(count)]
        for a, b in [(bound - 1, bound - 1), *pairs[1:]]:
            product = product_of(setting, a, b, self.rng)
            script.packet("operand", _operand(setting, product))
            script.cycles += math.ceil(1.5 * multiplier.worst("interval") / multiplier.slots)
            if expected:
                script.beats += _result(setting, product)
                script.results += 1
            if gap:
                script.put("idle", gap)

    def _interrupted(self, setting: Setting, after: int) -> None:
        """A reset in the middle of a product, `after` cycles after it went in."""
        self._load(setting)
        self.script.put("mute")
        self._products(setting, 1, expected=False)
        self.script.put("idle", after)
        self.script.restart(self.longest)
        self._early()


def _operand(setting: Setting, product: Product) -> list[dict[str, int]]:
    """The beats of the operands of a product."""
    beat = setting.multiplier.beat
    mask = (1 << beat) - 1
    return [
        {
            name: value if name in OPERATIONS else value >> place * beat & mask
            for name, value in product.operand.items()
        }
        for place in range(setting.beats)
    ]


def _result(setting: Setting, product: Product) -> list[dict[str, int]]:
    """The beats of the result of a product, with `first` and `last`."""
    beat, last = setting.multiplier.result_beat, setting.beats - 1
    mask = (1 << beat) - 1
    return [
        {"first": int(place == 0), "last": int(place == last), "fault": 0}
        | {name: value >> place * beat & mask for name, value in product.result.items()}
        for place in range(setting.beats)
    ]


def is_lane(port: Port, stream: str) -> bool:
    return port.stream == stream and port.field not in ("valid", "ready")
