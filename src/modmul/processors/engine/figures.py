"""The programs whose periods and totals are compared with what was required of the engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from modmul import multipliers
from modmul.processors.engine import library, stored
from modmul.processors.engine.assembler import Image, assemble
from modmul.processors.engine.engine import Engine, Interconnect
from modmul.processors.engine.machine import Writers
from modmul.processors.engine.schedule import Problem


@dataclass(frozen=True)
class MeasuredProgram:
    """A program on an engine, with the cycles that were required.

    required: cycles of a bit for each scalar; total: cycles of the whole for each scalar, in
    thousands.  counters: passes of its loops, for the total.  width: of the modulus; 0: that of the
    program.  options: of the multiplier."""

    program: str
    multiplier: str = "fpmm"
    width: int = 0  # default: that of the program
    multipliers: int = 1
    ports: int = 1
    required: int | None = None
    total: int | None = None
    counters: tuple[int, ...] = ()
    options: dict[str, str] = field(default_factory=dict)
    interconnect: Interconnect = "word"
    writers: Writers = "each"

    @property
    def engine(self) -> Engine:
        width = self.width or library.entry(self.program).width
        multiplier = multipliers.find(self.multiplier)(width=width, **self.options)
        return Engine(
            multiplier,
            multipliers=self.multipliers,
            ports=self.ports,
            interconnect=self.interconnect,
            writers=self.writers,
        )

    @property
    def scalars(self) -> int:
        """The number of scalar multiplications that run together."""
        return 1 + self.program.endswith(library.TWICE)

    def image(self) -> Image:
        return assemble(library.find(self.program), self.engine, stored.schedule)


CASES = msgspec.toml.decode(
    Path(__file__).with_name("required.toml").read_bytes(), type=dict[str, list[MeasuredProgram]]
)["cases"]


class Row(msgspec.Struct, frozen=True):
    """The figures of one case.

    least: no pass can have fewer cycles, because of what `binds`.  period: cycles of a pass; each:
    the same for each scalar.  total: cycles from the first word to HALT, for each scalar.
    met: the bound that the schedule meets, or what else is known of shorter ones.  use, port_use:
    the parts of the slots of the multipliers, and of the read port, that a pass uses."""

    program: str
    multiplier: str
    products: int
    others: int
    least: int
    binds: str
    period: int
    each: float
    required: int | None
    met: str
    use: float
    port_use: float
    registers: int
    words: int
    total: int
    required_total: int | None

    @property
    def kept(self) -> bool:
        """Whether the program needs no more cycles than required (totals in whole thousands)."""
        period = self.required is None or self.each <= self.required
        total = self.required_total is None or self.total // 1000 <= self.required_total
        return period and total


def row(case: MeasuredProgram) -> Row:
    image = case.image()
    loop, machine = max(image.loops, key=lambda entry: len(entry[0].ops))
    problem = Problem(loop, machine)
    shortest = stored.schedule(loop, machine)
    kinds = [problem.ops[place].op for place in problem.body]
    products = sum(kind in ("MUL", "SQR") for kind in kinds)
    least = problem.least
    return Row(
        program=case.program,
        multiplier=machine.name,
        products=products,
        others=len(kinds) - products,
        least=least.period,
        binds=least.binds,
        period=shortest.period,
        each=shortest.period / case.scalars,
        required=case.required,
        met=meets(problem, shortest.period, stored.find(loop, machine)),
        use=least.slots / shortest.period,
        port_use=least.port / shortest.period,
        registers=len(image.used),
        words=len(image.words),
        total=image.cycles(case.counters) // case.scalars,
        required_total=case.total,
    )


def meets(problem: Problem, period: int, known: stored.Stored | None) -> str:
    """Which bound a period meets, or what is known of shorter ones."""
    least = problem.least
    if period == least.period:
        exact = period == max(least.slots, least.port, least.adder, least.chain)
        return least.binds if exact else f"{least.binds}, on the grid"
    if known is not None and known.refuted >= period:
        return "the shortest there is: others refuted"
    if known is not None and known.refuted > least.period:
        return f"none known; refuted below {known.refuted}"
    return "none known"


def rows() -> list[Row]:
    return [row(case) for case in CASES]
