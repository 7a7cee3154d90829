"""Adds the copies that a program needs before values can share a register: for values that go from
pass to pass of a loop, and for those that a SCAN leaves as they are.

Results of multipliers are in a bank of their own, those of adders and what comes from outside in
another one.  A value is moved into the bank of the
adders by a SEL of itself, and into that of the multipliers by a product with `one`, R mod N."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec

from modmul.errors import SpecError
from modmul.processors.engine.program import (
    Carried,
    Loop,
    Operation,
    Program,
    Section,
    Straight,
    changed,
)

ONE = "one"


def settled(program: Program) -> Program:
    """The program with copies of values that do not fit the register they must share."""
    return _Mover(program).moved()


class _Mover:
    def __init__(self, program: Program):
        self.program = program
        self.by: dict[str, Operation] = {}
        self.uses: Counter[str] = Counter()
        for section in program.sections:
            self.by |= {operation.dst: operation for operation in section.ops if operation.dst}
            self.uses.update(name for op in section.ops for name in op.reads)
            if isinstance(section, Loop):
                for carry in section.carried:
                    self.uses.update((carry.before, carry.end))
        self.ones = {
            source.name
            for source in program.sources
            if source.kind == "constant" and source.name.partition(".")[0] == ONE
        }
        self.one: str | None = None  # the name of `one` for the modulus that is loaded
        self.count = 0

    def moved(self) -> Program:
        sections: list[Section] = []
        for section in self.program.sections:
            for operation in section.ops:
                if operation.dst in self.ones:
                    self.one = operation.dst
                elif operation.op == "MODULUS":
                    self.one = None
            if isinstance(section, Loop):
                moves, section = self.carried(section)
                if moves and sections and isinstance(sections[-1], Straight):
                    sections[-1] = self.replaced(sections[-1], moves)
                elif moves:
                    sections.append(Straight(tuple(moves)))
            sections.append(changed(section, tuple(self.scans(section.ops))))
        return msgspec.structs.replace(self.program, sections=tuple(sections))

    def replaced(self, section: Straight, moves: list[Operation]) -> Straight:
        """The section with the moves appended; a copy that only a move reads becomes it."""
        ops = list(section.ops)
        for move in moves:
            source = move.reads[0]
            copied = self.by[source]
            alone = copied.op == "SEL" and self.uses[source] == 1 and copied in ops
            if alone and copied.reads[0] == copied.reads[1]:
                ops.remove(copied)
                again = (copied.reads[0], *move.reads[1:])
                move = msgspec.structs.replace(move, reads=again)
            ops.append(move)
        return Straight(tuple(ops))

    def move(self, name: str, product: bool, line: int) -> Operation:
        self.count += 1
        if not product:
            return Operation("SEL", f"{name}'{self.count}", (name, name), 0, line=line)
        if self.one is None:
            raise SpecError(
                "program",
                name,
                "constant one",
                f"{self.program.name}, line {line}: {name} goes round in the bank "
                "of the multiplier: declare `constant one`, by which it is moved there",
            )
        return Operation("MUL", f"{name}'{self.count}", (name, self.one), line=line)

    def carried(self, loop: Loop) -> tuple[list[Operation], Loop]:
        """The moves before the loop, and the loop with the names that these define.

        A value that a loop carries must be computed in the loop, by one operation of its own; and
        its first value must come from the same bank, and must not be read elsewhere."""
        moves, inside, kept = [], list(loop.ops), []
        local = {operation.dst for operation in loop.ops}
        ends = Counter(carry.end for carry in loop.carried)
        for carry in loop.carried:
            before, end = carry.before, carry.end
            if end not in local or ends[end] > 1:
                copy = self.move(end, False, loop.ops[0].line)
                ends[end] -= 1
                inside.append(copy)
                end = str(copy.dst)
                self.by[end] = copy
            product, source = self.by[end].product, self.by[before]
            if source.product != product or self.uses[before] > 1:
                moved = self.move(before, product, loop.ops[0].line)
                moves.append(moved)
                before = str(moved.dst)
                self.by[before] = moved
            kept.append(Carried(before, carry.begin, end))
        return moves, msgspec.structs.replace(loop, ops=tuple(inside), carried=tuple(kept))

    def scans(self, ops: tuple[Operation, ...]) -> Iterator[Operation]:
        """The operations, with a copy before a SCAN if the value it keeps needs one."""
        for operation in ops:
            if operation.op == "SCAN":
                kept = operation.reads[1]
                source = self.by.get(kept)
                mine = source is not None and source.dst == kept and source in ops
                if not mine or source is None or source.product or self.uses[kept] > 1:
                    copy = self.move(kept, False, operation.line)
                    self.by[str(copy.dst)] = copy
                    yield copy
                    reads = (operation.reads[0], str(copy.dst))
                    operation = msgspec.structs.replace(operation, reads=reads)
            yield operation


def shared(program: Program) -> dict[str, str]:
    """Return, by name, the name whose register a value has.  Names that share none are missing."""
    first: dict[str, str] = {}

    def root(name: str) -> str:
        while name in first:
            name = first[name]
        return name

    for section in program.sections:
        pairs = [(op.dst, op.reads[1]) for op in section.ops if op.op == "SCAN" and op.dst]
        if isinstance(section, Loop):
            pairs += [(carry.begin, carry.before) for carry in section.carried]
            pairs += [(carry.end, carry.begin) for carry in section.carried]
        for name, other in pairs:
            if root(name) != root(other):
                first[root(name)] = root(other)
    return {name: root(name) for name in first}
