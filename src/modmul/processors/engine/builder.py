"""Collects what the text of a program says, section by section: values and their names, loops,
inversions, recoded scalars."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import msgspec

from modmul.arithmetic.moduli import Field
from modmul.errors import SpecError
from modmul.processors.engine import chains
from modmul.processors.engine.instructions import SCALAR
from modmul.processors.engine.program import (
    WIDTH,
    Carried,
    HostSection,
    Loop,
    Operation,
    Section,
    Source,
    Straight,
)

LONGEST = 20_000  # the most operations of a program
FERMAT = "fermat"  # the constant with the bits of N - 2
OWN = "bits of fermat"  # the scalar that is made of this constant


class Builder:
    """A program that grows.  env: the name of the present value of each variable."""

    def __init__(self, name: str):
        self.name, self.line = name, 0
        self.sources: dict[str, Source] = {}
        self.sections: list[Section] = []
        self.outputs: list[str] = []
        self.prime: int | None = None
        self.degree: int | None = None
        self.field: Field = "prime"  # of the modulus that is loaded
        self.ops: list[Operation] = []
        self.host: list[Operation] = []
        self.env: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.size = 0
        self.loop: tuple[int | None, int | None] | None = None
        self.before: dict[str, str] = {}

    def refuse(self, what: str, allowed: str) -> NoReturn:
        message = f"{self.name}, line {self.line}: {what[:80]!r}: must be {allowed}"
        raise SpecError("program", what, allowed, message)

    # ---- loops --------------------------------------------------------------------------------

    def end(self) -> None:
        if self.loop is None:
            self.refuse("end", "one that closes a loop")
        count, counter = self.loop
        ops, self.ops, self.loop = self.ops, [], None
        if not ops:
            self.refuse("end", "a loop with operations in it")
        changed = {
            name: now for name, now in self.env.items() if now != f"{self.before.get(name)}@"
        }
        begins = {f"{self.before[name]}@": name for name in changed if name in self.before}
        used = {name for operation in ops for name in operation.reads}
        used |= {now for now in changed.values() if now.endswith("@")}
        carried = [
            Carried(self.before[name], begin, self.env[name])
            for begin, name in begins.items()
            if begin in used
        ]
        kept = {carry.begin for carry in carried}

        def outside(name: str) -> str:
            return name if name in kept or not name.endswith("@") else name[:-1]

        ops = [_renamed(op, outside) for op in ops]
        carried = [carry._replace(end=outside(carry.end)) for carry in carried]
        self.env = {name: outside(now) for name, now in self.env.items()}
        self.sections.append(Loop(tuple(ops), tuple(carried), count, counter))

    # ---- operations ---------------------------------------------------------------------------

    def emit(self, operation: Operation) -> None:
        self.size += 1
        if self.size > LONGEST:
            self.refuse("the program", f"of at most {LONGEST} operations")
        on_host = operation.instruction.alone and self.loop is None
        if operation.instruction.alone and not on_host and operation.op != "WRAP":
            self.refuse(operation.op, "outside loops")
        if on_host and self.ops:
            self.flush()
        if not on_host and self.host:
            self.flush()
        (self.host if on_host else self.ops).append(operation)

    def flush(self) -> None:
        """Turn the operations collected so far into a section."""
        if self.host:
            self.sections.append(HostSection(tuple(self.host)))
        if self.ops:
            self.sections.append(Straight(tuple(self.ops)))
        self.host, self.ops = [], []

    def named(self, variable: str) -> str:
        """A new name for the next value of a variable."""
        self.versions[variable] = self.versions.get(variable, -1) + 1
        version = self.versions[variable]
        self.env[variable] = f"{variable}.{version}" if version else variable
        return self.env[variable]

    def operation(
        self, op: str, reads: tuple[str, ...], target: str | None, number: int | None = None
    ) -> str:
        name = self.named(target or "_")
        self.emit(Operation(op, name, reads, number, line=self.line))
        return name

    # ---- scalars ------------------------------------------------------------------------------

    def whole(self, name: str, number: int) -> None:
        """Add scalar `number`, which comes from the host as long as a register."""
        self.versions[name], self.env[name] = 0, name
        self.emit(Operation("IN", name, (), SCALAR, line=self.line))
        self.made(name, "", number)

    def recoded(self, name: str, order: str, number: int) -> None:
        """Add scalar `number`, made of k and n, both shifted left until they fill a register."""
        self.versions[name], self.env[name] = 0, name
        self.emit(Operation("IN", name, (), SCALAR, line=self.line))
        self.made(name, order, number)

    def made(self, name: str, order: str, number: int) -> None:
        """Begin scalar `number` with a number that came in or, if it has an order, with the low
        bits of k + n or k + 2n, whichever has one bit more than n.  That bit falls off."""
        if not order:
            self.emit(Operation("SCALAR", None, (name,), number, line=self.line))
            return

        def wrapped(a: str, b: str) -> str:
            target = self.named("_")
            self.emit(Operation("WRAP", target, (a, b), number, line=self.line))
            return target

        twice = wrapped(name, wrapped(order, order))
        once = wrapped(name, order)
        chosen = self.operation("SEL", (twice, once), None, number)
        self.emit(Operation("SCALAR", None, (chosen,), number, line=self.line))

    # ---- inversions ---------------------------------------------------------------------------

    def inverted(self, value: str, target: str | None) -> str:
        """1 / value by Fermat, value^(N-2), in GF(2^m) value^(2^m - 2): along an addition
        chain if the prime or the degree is known, else by the constant `fermat`."""
        binary = self.field == "binary"
        chained = (self.degree if binary else self.prime) is not None
        known = chained or {"one", FERMAT} <= self.env.keys()
        if not known or self.loop is not None:
            line = "degree NUMBER" if binary else "prime NAME"
            self.refuse(
                "1 / ...",
                f"outside loops, after a line `{line}` or with constants one and {FERMAT}",
            )
        if not chained:
            inverse = self.by_bits(value)
        else:
            inverse = self.by_squares(value) if binary else self.chained(value)
        if target is not None:
            self.env[target] = inverse
        return inverse

    def chained(self, value: str) -> str:
        """Value^(prime-2), along an addition chain."""
        assert self.prime is not None
        built = {1: value}
        for step in chains.of(self.prime - 2):
            start = self.power_of_two(built[step.start], step.squares)
            if step.times:
                start = self.operation("MUL", (start, built[step.times]), None)
            built[step.result] = start
        return start

    def by_squares(self, value: str) -> str:
        """Value^(2^m - 2) in GF(2^m) (Itoh, Tsujii, 1988): value^(2^k - 1) for growing k up
        to m - 1, and a square; m - 1 squares and at most two products for each bit of m - 1."""
        assert self.degree is not None
        power, ones = value, 1
        for bit in bin(self.degree - 1)[3:]:
            power = self.operation("MUL", (self.power_of_two(power, ones), power), None)
            ones *= 2
            if bit == "1":
                power = self.operation("MUL", (self.power_of_two(power, 1), value), None)
                ones += 1
        return self.power_of_two(power, 1)

    def power_of_two(self, value: str, squares: int) -> str:
        """The value after `squares` squarings, most of them in a loop."""
        for _ in range(min(squares, 2)):
            value = self.operation("SQR", (value,), None)
        return self.squared(value, squares - 2) if squares > 2 else value

    def by_bits(self, value: str) -> str:
        """Value^(N-2), from the lowest bit of the exponent on: a product and a square for
        each of as many bits as the largest modulus has."""
        self.sources.setdefault(OWN, Source(OWN, "scalar", form="own"))
        scalars = [source.name for source in self.sources.values() if source.kind == "scalar"]
        number, one, line = scalars.index(OWN), self.env["one"], self.line
        self.emit(Operation("SCALAR", None, (self.env[FERMAT],), number, line=line))
        self.flush()
        power, factor, product = (self.named("_") for _ in range(3))
        around = f"{power}@", f"{product}@"
        ops = (
            Operation("BIT", None, (), number, line=line),
            Operation("SEL", factor, (one, around[0]), number, line=line),
            Operation("MUL", product, (around[1], factor), line=line),
            Operation("SQR", power, (around[0],), line=line),
        )
        self.size += len(ops)
        carried = Carried(value, around[0], power), Carried(one, around[1], product)
        self.sections.append(Loop(ops, carried, WIDTH))
        return product

    def squared(self, value: str, count: int) -> str:
        """The value after `count` squarings in a loop."""
        self.flush()
        begin, end = f"{value}@", self.named("_")
        square = Operation("SQR", end, (begin,), line=self.line)
        self.size += 1
        self.sections.append(Loop((square,), (Carried(value, begin, end),), count))
        return end


def _renamed(operation: Operation, outside: Callable[[str], str]) -> Operation:
    return msgspec.structs.replace(operation, reads=tuple(map(outside, operation.reads)))
