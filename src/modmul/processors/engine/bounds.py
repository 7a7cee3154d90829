"""The proof that nothing overflows: a bound for every value, and shifts of N that follow from it.

Values are below their bound for the largest modulus, and so, in multiples of N, for every smaller
one.  Additions do not reduce: a + b is below the sum of the bounds, a - b + 2^k*N below a's bound
and 2^k*N, which is at least b's.  A product of operands within the multiplier's rule is below its
bound of results.  In loops bounds are raised until they hold for what goes round.  What does not
fit is an error; nothing is inserted.

Of a number that another modulus left nothing is known but what it is below, in bits and not in
multiples of N: it counts as one as long as a register.  Where a multiplier does not take that as
operand a, it takes the number as long as it is below the bound of operands for the largest modulus.

With a reducing adder every sum is below the bound of operands, c*N, again.

Modulo a polynomial of degree m values are below 2^m, and so are sums, which are differences, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, NoReturn

import msgspec

from modmul.errors import SpecError
from modmul.processors.engine.engine import Limits
from modmul.processors.engine.program import (
    Loop,
    Operation,
    Program,
    Section,
    Source,
    changed,
)

_COMPUTES = {"prime": "modulo numbers", "binary": "in GF(2^m)"}
_ROUNDS = 64  # rounds after which the bounds of a loop are taken to grow without end


class Bounds(NamedTuple):
    """The proof for a program, with shifts of N in it.  below: a bound of each name, for the
    largest modulus.  largest: that among sums and selections of residues.  product: the largest
    product of two bounds that are multiplied."""

    program: Program
    below: Mapping[str, int]
    largest: int
    product: int


def prove(program: Program, limits: Limits, binary: Limits | None = None) -> Bounds:
    """Prove bounds of all values.  binary: the limits while the modulus is a polynomial.  Raises
    SpecError, with the line, for an operation that may overflow."""
    proof = _Proof(program, limits, binary)
    sections = tuple(proof.section(section) for section in program.sections)
    proved = msgspec.structs.replace(program, sections=sections)
    return Bounds(proved, proof.below, proof.largest, proof.product)


class _Proof:
    def __init__(self, program: Program, limits: Limits, binary: Limits | None):
        self.program, self.limits = program, limits
        self.of_field = {"prime": limits if limits.field == "prime" else None, "binary": binary}
        self.sources = {source.name: source for source in program.sources}
        self.below: dict[str, int] = {source.name: self.size(source) for source in program.sources}
        self.defined: set[str] = set()
        # The bounds of numbers that otherwise count as large as a register: of those declared
        # `below W`, and of those that are left from another modulus.
        self.known = {
            source.name: limits.plain for source in program.sources if source.below == "W"
        }
        whole = [source for source in program.sources if source.form in ("aligned", "whole")]
        self.plain = {source.name for source in whole} | {*program.of("scalar")}
        self.largest = self.product = 0

    def size(self, source: Source) -> int:
        """The bound of a number from outside, with the modulus that is loaded."""
        modulus, register = self.limits.modulus, self.limits.register
        return {"N": modulus, "2N": min(2 * modulus, register), "W": register, "R": register}[
            source.below
        ]

    def section(self, section: Section) -> Section:
        if not isinstance(section, Loop):
            steps = (new for operation in section.ops for new in self.step(operation))
            return changed(section, tuple(steps))
        for _ in range(_ROUNDS):
            if loop := self.round(section):
                return loop
        self.refuse(
            section.ops[0],
            "its bounds grow without end",
            "a loop whose values come back to their size, by a product or % N",
        )

    def round(self, loop: Loop) -> Loop | None:
        """The loop if the bounds at its beginning hold at its end; else None, with raised
        bounds."""
        for carry in loop.carried:
            self.below[carry.begin] = max(self.below.get(carry.begin, 0), self.below[carry.before])
        ops = tuple(new for operation in loop.ops for new in self.step(operation))
        if all(self.below[carry.end] <= self.below[carry.begin] for carry in loop.carried):
            return msgspec.structs.replace(loop, ops=ops)
        for carry in loop.carried:
            self.below[carry.begin] = max(self.below[carry.begin], self.below[carry.end])
        return None

    def refuse(self, operation: Operation, why: str, allowed: str) -> NoReturn:
        place = f"{self.program.name}, line {operation.line}: {operation}"
        raise SpecError("program", str(operation), allowed, f"{place}: {why}: must be {allowed}")

    def step(self, operation: Operation) -> list[Operation]:
        """The operation with its shift; for a residue as many as it takes."""
        if operation.op == "MODULUS":
            self.load(operation)
        if operation.dst:
            self.defined.add(operation.dst)
        if operation.op == "IN" and operation.dst:
            self.below[operation.dst] = self.size(self.sources[operation.dst])
        if operation.op == "RED":
            return self.residue(operation)
        if operation.op == "SUB" and self.limits.field == "binary":
            operation = msgspec.structs.replace(operation, op="ADD")
        with_shift = operation
        bounds = [self.below[name] for name in operation.reads]
        if operation.product and operation.op != "MODULUS":
            a = self.as_operand(operation.reads[0], bounds[-1])
            self.set(operation, self.multiplied(operation, a, bounds[-1]))
        elif operation.op in ("ADD", "SUB"):
            shift = None if operation.op == "ADD" else self.shift(bounds[1])
            with_shift = msgspec.structs.replace(operation, number=shift)
            self.set(operation, self.summed(operation, bounds, shift))
        elif operation.op in ("SEL", "SCAN", "WRAP"):
            if operation.dst and self.plain.issuperset(operation.reads):
                self.plain.add(operation.dst)
            self.set(operation, self.limits.register if operation.op == "WRAP" else max(bounds))
        return [with_shift]

    def load(self, operation: Operation) -> None:
        """Change to another modulus.  It may be smaller than the one before by any amount, unless
        it is `near`: then it is at least half of it."""
        before, limits = self.limits.field, self.of_field[operation.field]
        if limits is None:
            others = {"prime": "modulo polynomials", "binary": "modulo numbers"}[operation.field]
            allowed = f"on a multiplier that computes {_COMPUTES[operation.field]}, too"
            self.refuse(operation, f"the multiplier computes {others} alone", allowed)
        if operation.near and "binary" in (before, operation.field):
            self.refuse(operation, "one of two moduli is a polynomial", "without `near`")
        self.limits = limits
        for name in self.defined:
            self.known.setdefault(name, self.below[name])
            below = 2 * self.below[name] if operation.near else limits.register
            self.below[name] = min(below, limits.register)

    def set(self, operation: Operation, below: int) -> None:
        if below > self.limits.register:
            self.refuse(
                operation,
                f"a value of {(below - 1).bit_length()} bits",
                f"below 2^{self.limits.register.bit_length() - 1}, as registers are",
            )
        assert operation.dst is not None
        self.below[operation.dst] = below
        plain = operation.op == "WRAP" or operation.dst in self.plain  # fills a register
        if not operation.product and not plain:
            self.largest = max(self.largest, below)

    def shift(self, below: int) -> int:
        """The least k for which 2^k*N is at least the bound."""
        limits = self.limits
        least = limits.operand_below if limits.reducing else below
        return (-(-least // limits.modulus) - 1).bit_length()

    def summed(self, operation: Operation, bounds: list[int], shift: int | None) -> int:
        limits = self.limits
        if limits.field == "binary":
            return 1 << (max(bounds) - 1).bit_length()
        other = bounds[1] if shift is None else limits.modulus << shift
        if not limits.reducing:
            return bounds[0] + other
        if max(bounds) > limits.operand_below:
            self.refuse(
                operation,
                "an operand above the bound of operands",
                "sums of residues and products, as the adder reduces once",
            )
        return limits.operand_below

    def as_operand(self, name: str, b: int) -> int:
        """The bound of operand a of a product.  If it counts as large as a register, which
        the multiplier may not take, that is the bound known from before.  A number below the bound
        of operands for the largest modulus is taken with every modulus: in comparison with N its
        product with another operand is at most as large as that of two operands with the largest
        modulus."""
        limits, below = self.limits, self.below[name]
        known = self.known.get(name, below)
        fits = max(known, b) <= limits.operand_below
        return known if below > limits.a_below and fits else below

    def multiplied(self, operation: Operation, a: int, b: int) -> int:
        limits = self.limits
        self.product = max(self.product, a * b)
        most = limits.product_at_most
        largest = (a - 1) * (b - 1)
        if limits.field == "binary":  # degrees add up
            largest = 1 << (a - 1).bit_length() + (b - 1).bit_length() - 2
        if a > limits.a_below or b > limits.b_below or (most and largest > most):
            operands = " and ".join(f"{-(-bound // limits.modulus)} N" for bound in (a, b))
            allowed = (
                f"operands below {limits.a_below // limits.modulus} N and "
                f"{limits.b_below // limits.modulus} N"
            )
            if limits.product_at_most:
                most = limits.product_at_most // limits.modulus**2
                allowed += f", whose product is at most {most} N^2"
            self.refuse(
                operation,
                f"operands below {operands}",
                f"{allowed}: a multiplier with more bits to spare, or a reducing adder",
            )
        return limits.product_below

    def residue(self, operation: Operation) -> list[Operation]:
        """Subtractions of 2^k*N, from the largest k that can matter down to 0."""
        modulus, below = self.limits.modulus, self.below[operation.reads[0]]
        if self.limits.field == "binary" and below > modulus:
            self.refuse(
                operation,
                "its degree may be that of the modulus or above",
                "a product first, which is reduced",
            )
        shift = (-(-below // modulus) - 1).bit_length()
        assert operation.dst is not None
        steps, name = [], operation.reads[0]
        for place in reversed(range(max(1, shift))):
            result = operation.dst if place == 0 else f"{operation.dst}%{place}"
            reads = (name,)
            steps.append(msgspec.structs.replace(operation, dst=result, reads=reads, number=place))
            self.below[result] = modulus << place
            name = result
        return steps


def needed(bounds: Bounds, limits: Limits) -> tuple[int, int]:
    """The largest value in multiples of N, rounded up, and the R / N for the products."""
    return -(-bounds.largest // limits.modulus), -(-bounds.product // limits.modulus**2)
