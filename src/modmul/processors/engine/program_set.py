"""The programs of a processor: all of them in one ROM, with one store of constants."""

from __future__ import annotations

import abc
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from modmul.multipliers.setting import Setting
from modmul.processors.engine import stored
from modmul.processors.engine.assembler import Image, assemble
from modmul.processors.engine.engine import Engine
from modmul.processors.engine.hardware.build import EngineBuild, Storage
from modmul.processors.engine.operation import settings_of
from modmul.processors.engine.program import Program


@dataclass(frozen=True, kw_only=True)
class ProgramSet(abc.ABC):
    """The programs of a processor.  engine: the one that runs them.  storage: of its registers."""

    engine: Engine
    storage: str

    @property
    @abc.abstractmethod
    def names(self) -> tuple[str, ...]:
        """The names of the programs, in the order of their numbers."""

    @abc.abstractmethod
    def written(self, name: str) -> Program:
        """The program of this name, not yet assembled."""

    def number(self, name: str) -> int:
        """The number of a program in a command."""
        return self.names.index(name)

    def image(self, name: str) -> Image:
        """The program of this name, assembled when it is first asked for."""
        if name not in self._known:
            program, place = self.parsed[name], self.constants.index
            rows = tuple((it, place(row)) for it, row in stored_as(program).items())
            self._known[name] = _assembled(program, self.engine, stored.attempts(), rows)
        return self._known[name]

    @cached_property
    def _known(self) -> dict[str, Image]:
        """The programs that were asked for, by name."""
        return {}

    @cached_property
    def images(self) -> dict[str, Image]:
        """All programs, assembled.  They share one store of constants."""
        return {name: self.image(name) for name in self.names}

    @cached_property
    def constants(self) -> tuple[str, ...]:
        """The constants in the order of the store, such as `r2`, or `r2 of N_1` for modulus 1."""
        every = self.parsed.values()
        return tuple(dict.fromkeys(row for program in every for row in stored_as(program).values()))

    @cached_property
    def parsed(self) -> dict[str, Program]:
        """All programs, not yet assembled."""
        return {name: self.written(name) for name in self.names}

    def settings(self, moduli: Sequence[int], names: Sequence[str]) -> list[Setting]:
        """The multiplier with moduli that these programs choose from."""
        fields = {
            place: field for name in names for place, field in self.parsed[name].fields.items()
        }
        return settings_of(self.engine, moduli, fields)

    @cached_property
    def build(self) -> EngineBuild:
        """What the hardware is made from."""
        images = tuple(self.images[name] for name in self.names)
        storage: Storage = "distributed" if self.storage == "distributed" else "block"
        return EngineBuild(self.engine, images, self.constants, storage)


@dataclass(frozen=True, kw_only=True)
class CurveProgramSet(ProgramSet):
    """The programs of a processor for curves.  randomise: whether coordinates and private keys are
    masked by random numbers."""

    randomise: bool

    @abc.abstractmethod
    def operations(self, form: str | None) -> tuple[str, ...]:
        """The operations on curves of a form (None: without a curve), the headline first."""

    def plain(self, text: str) -> str:
        """The text with 1 for every random number, unless `randomise` is set."""
        if self.randomise:
            return text
        text = text.replace("random lam\n", "").replace("random mask\n", "")
        text = text.replace("lam * r2", "one").replace("mask * r2", "one")
        return text.replace("L = lam\n", "L = one\n")


@functools.lru_cache(maxsize=128)
def _assembled(
    program: Program, engine: Engine, attempts: int, rows: tuple[tuple[str, int], ...]
) -> Image:
    """The image of a program, which processors share if they differ only in other things.
    attempts: of the search for schedules; a forecast makes fewer, and has images of its own."""
    schedules = functools.partial(stored.schedule_within, attempts=attempts)
    return assemble(program, engine, schedules, dict(rows))


def stored_as(program: Program) -> dict[str, str]:
    """Return, for each constant of a program, its name in the store, which has it once for each
    modulus for which it is used."""
    names, place, known = dict[str, str](), 0, set(program.of("constant"))
    for operation in program.operations():
        if operation.op == "MODULUS":
            place = operation.number or 0
        elif operation.op == "IN" and operation.dst in known:
            name = operation.dst.partition(".")[0]  # `r2.1` is another r2
            names[operation.dst] = f"{name} of N_{place}" if place else name
    return names
