"""The programs of a processor for curves: which there are, and which one does an operation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from modmul.arithmetic.curves import Curve
from modmul.processors.engine import library, stored
from modmul.processors.engine.assembler import Image, assemble
from modmul.processors.engine.hardware.build import Build, Storage
from modmul.processors.engine.machine import Engine
from modmul.processors.engine.text import parse

LADDER, COMPLETE = "ladder", "complete"
_OTHERS = {"x-multiply": "x", "point-check": "on-curve", "invert": "inverse"}
_MULTIPLYING = {LADDER: ("ladder",), COMPLETE: ("complete-3", "complete0", "complete")}


@dataclass(frozen=True)
class Programs:
    """formulas, randomise, storage: parameters of the processor."""

    engine: Engine
    formulas: str
    randomise: bool
    storage: str

    @property
    def names(self) -> tuple[str, ...]:
        """In the order of their numbers."""
        return (*_MULTIPLYING[self.formulas], *_OTHERS.values())

    def name(self, operation: str, curve: Curve | None) -> str:
        """The program that does an operation; of those for points the one for the curve's `a`."""
        if operation in _OTHERS:
            return _OTHERS[operation]
        if self.formulas == LADDER or curve is None:
            return _MULTIPLYING[self.formulas][0]
        of_a = {curve.prime - 3: "complete-3", 0: "complete0"}
        return of_a.get(curve.a, "complete")

    def number(self, name: str) -> int:
        """What a command calls it."""
        return self.names.index(name)

    def image(self, name: str) -> Image:
        """The program of that name in words."""
        return self.images[name]

    @cached_property
    def images(self) -> dict[str, Image]:
        """All programs; the numbers of their constants in the store are of all together."""
        parsed = {name: parse(name, self._text(name)) for name in self.names}
        constants = dict.fromkeys(one for each in parsed.values() for one in each.of("constant"))
        rows = {name: place for place, name in enumerate(constants)}
        return {name: assemble(one, self.engine, stored.schedule, rows)
                for name, one in parsed.items()}  # fmt: skip

    @cached_property
    def build(self) -> Build:
        """What the hardware is made of."""
        images = tuple(self.images[name] for name in self.names)
        constants = dict.fromkeys(one for each in images for one in each.rows)
        storage: Storage = "block" if self.storage == "block" else "distributed"
        return Build(self.engine, images, tuple(constants), storage)

    def _text(self, name: str) -> str:
        """Without random numbers where there are to be none: 1 in their place."""
        found = library.text(library.entry(name))
        if self.randomise:
            return found
        return found.replace("random lam\n", "").replace("lam * r2", "one")
