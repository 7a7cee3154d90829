"""The programs whose periods and totals are compared with what was required of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from modmul import multipliers
from modmul.processors.engine import library, stored
from modmul.processors.engine.assembler import Image, assemble
from modmul.processors.engine.engine import Engine, Interconnect
from modmul.processors.engine.machine import Writers
from modmul.processors.engine.schedule import Problem


@dataclass(frozen=True)
class MeasuredProgram:
    """A program on an engine.

    required: cycles a bit that were asked for, for each scalar; total: thousand cycles for each
    scalar.  counters: how often loops are done, for the total.  options: of the multiplier, by
    name."""

    program: str
    multiplier: str = "fpmm"
    width: int = 0  # default: that of the program
    multipliers: int = 1
    ports: int = 1
    required: int | None = None
    total: int | None = None
    counters: tuple[int, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    interconnect: Interconnect = "word"
    writers: Writers = "each"

    @property
    def engine(self) -> Engine:
        width = self.width or library.entry(self.program).width
        multiplier = multipliers.find(self.multiplier)(width=width, **dict(self.options))
        return Engine(multiplier, multipliers=self.multipliers, ports=self.ports,
                      interconnect=self.interconnect, writers=self.writers)  # fmt: skip

    @property
    def scalars(self) -> int:
        """Scalar multiplications that run together."""
        return 1 + self.program.endswith(library.TWICE)

    def image(self) -> Image:
        return assemble(library.find(self.program), self.engine, stored.schedule)


_SPREAD = (("binary_square", "spread"),)
CASES = (
    MeasuredProgram("x25519", required=704, total=220),
    MeasuredProgram("x25519-twice", required=640, total=185),
    MeasuredProgram("p256-ladder", required=784, total=250),
    MeasuredProgram("p256-ladder-twice", required=712, total=205),
    MeasuredProgram("p256-complete", required=1792, total=510),
    MeasuredProgram("secp256k1-complete", required=1536, total=441),
    MeasuredProgram("brainpoolp256r1-complete", required=2176, total=604),
    MeasuredProgram("kummer", required=544, total=147),
    *(MeasuredProgram("kummer", options=(("target", chip), ("storage", "block")), required=544,
                      total=151, writers="one") for chip in ("generic", "xc6s", "xc7")),
    MeasuredProgram("kummer-twice", required=488, total=128),
    MeasuredProgram("kummer31", required=576),
    MeasuredProgram("kummer", multipliers=2, required=416),
    MeasuredProgram("kummer", multipliers=2, ports=2, required=368, total=103),
    MeasuredProgram("kummer", multipliers=2, ports=2, options=(("target", "xc4v"),), required=500,
                    writers="one"),
    *(MeasuredProgram("kummer", multipliers=2, ports=2, options=(("target", chip),), required=368,
                      writers="two") for chip in ("xc6s", "xc7")),
    MeasuredProgram("kummer", multipliers=2, ports=2, required=414, interconnect="operand"),
    *(MeasuredProgram("kummer", multipliers=2, ports=2, required=414, interconnect="operand",
                      options=(("target", chip), ("storage", "block")))
      for chip in ("xc4v", "xc6s", "xc7")),
    MeasuredProgram("kummer31", multipliers=2, required=432),
    MeasuredProgram("kummer31", multipliers=2, ports=2, required=384),
    MeasuredProgram("p384-ladder", required=1728, total=810),
    MeasuredProgram("p521-ladder", required=2832, total=1650),
    MeasuredProgram("x448", required=2044, total=1130),
    MeasuredProgram("x", total=220, counters=(255,)),
    MeasuredProgram("ladder", total=250, counters=(256,)),
    MeasuredProgram("complete-3", total=510, counters=(256,)),
    MeasuredProgram("ladder", width=384, total=810, counters=(384,)),
    MeasuredProgram("double-3", counters=(256,)),
    MeasuredProgram("double0", counters=(256,)),
    MeasuredProgram("double", counters=(256,)),
    MeasuredProgram("double-twisted", counters=(255,)),
    MeasuredProgram("double-edwards", counters=(448,)),
    MeasuredProgram("ed25519"),
    MeasuredProgram("ed448"),
    MeasuredProgram("power-ladder", width=256, required=160, counters=(256,)),
    MeasuredProgram("power-ladder", width=1024, required=1922, counters=(1024,)),
    MeasuredProgram("power-window", width=1024, required=5766, counters=(204,)),
    MeasuredProgram("power-ladder", "fips", 1024, required=3731, counters=(1024,)),
    MeasuredProgram("x25519", "fips", 255, required=1320, total=370),
    MeasuredProgram("p256-ladder", "fips", 256, required=1493, total=420),
    MeasuredProgram("p256-complete", "fips", 256, required=3669, total=980),
    MeasuredProgram("x25519", "montgomery-lookahead", 255, required=2755, total=780),
    MeasuredProgram("p256-ladder", "montgomery-lookahead", 256, required=3030, total=860),
    MeasuredProgram("p256-complete", "montgomery-lookahead", 256, required=7438, total=1990),
    MeasuredProgram("b163-ladder", "fips", required=700, total=125, options=_SPREAD),
    MeasuredProgram("b233-ladder", "fips", required=1176),
    MeasuredProgram("b283-ladder", "fips", required=1462, total=445, options=_SPREAD),
    MeasuredProgram("b409-ladder", "fips", required=2926),
    MeasuredProgram("b571-ladder", "fips", required=5476, total=3400),
)


class Row(msgspec.Struct, frozen=True):
    """One case: cycles of a pass, and for each scalar; what no pass can be below and why; how it
    was found; cycles of the whole program for each scalar, from the first word to HALT.

    met: the bound that the schedule meets, or what is known above it.  use: share of the slots of
    the multipliers, and of the read port, that a pass uses."""

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
        """Whether it needs no more than was required: of the total, whole thousands."""
        period = self.required is None or self.each <= self.required
        total = self.required_total is None or self.total // 1000 <= self.required_total
        return period and total


def row(case: MeasuredProgram) -> Row:
    """The figures of a case."""
    image = case.image()
    loop, machine = max(image.loops, key=lambda entry: len(entry[0].ops))
    problem = Problem(loop, machine)
    shortest = stored.schedule(loop, machine)
    kinds = [problem.ops[place].op for place in problem.body]
    products = sum(kind in ("MUL", "SQR") for kind in kinds)
    least = problem.least
    return Row(
        program=case.program, multiplier=machine.name, products=products,
        others=len(kinds) - products, least=least.period, binds=least.binds, period=shortest.period,
        each=shortest.period / case.scalars, required=case.required,
        met=meets(problem, shortest.period, stored.find(loop, machine)),
        use=least.slots / shortest.period, port_use=least.port / shortest.period,
        registers=len(image.used), words=len(image.words),
        total=image.cycles(case.counters) // case.scalars, required_total=case.total,
    )  # fmt: skip


def meets(problem: Problem, period: int, known: stored.Stored | None) -> str:
    """Which bound a period meets."""
    least = problem.least
    if period == least.period:
        exact = period == max(least.slots, least.port, least.adder, least.chain)
        return least.binds if exact else f"{least.binds}, on the grid"
    if known is not None and known.refuted >= period:
        return "the shortest there is: others refuted"
    if known is not None and known.refuted > least.period:
        return f"none known; refuted below {known.refuted}"
    return "none known"


def rows(cases: Sequence[MeasuredProgram] = CASES) -> list[Row]:
    """The figures of all cases."""
    return [row(case) for case in cases]
