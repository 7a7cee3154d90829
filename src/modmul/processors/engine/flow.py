"""Where secrets go: computed from what is declared secret and from the flows of isa.toml.

Every value knows whether a secret is in it.  A secret that reaches the time, the path of the
program or an address is refused.  What leaves, by `output` or `test`, is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from modmul.errors import SpecError
from modmul.multipliers.contract import Multiplier
from modmul.processors.engine.instructions import InstructionSet, instruction_set
from modmul.processors.engine.program import Loop, Operation, Program

FORBIDDEN = ("time", "path", "address")


class Flow(msgspec.Struct, frozen=True):
    """Where the secrets of a program go.  secret: names of values that contain a secret.  released:
    outputs and tests that tell something of a secret, one sentence each.  leaks: what the time
    tells of secrets."""

    secret: frozenset[str]
    released: tuple[str, ...]
    leaks: tuple[str, ...]

    @property
    def timing(self) -> Literal["constant", "data-dependent"]:
        return "data-dependent" if self.leaks else "constant"


def follow(program: Program, multiplier: Multiplier) -> Flow:
    """Raises SpecError if a secret reaches the time, the path or an address."""
    outcome = trace(program, multiplier)
    if outcome.leaks:
        raise SpecError(
            "program",
            program.name,
            "one whose time tells no secret",
            f"{program.name}: {outcome.leaks[0]}",
        )
    return outcome


def trace(program: Program, multiplier: Multiplier, isa: InstructionSet | None = None) -> Flow:
    """Follow the secrets as `follow` does, but list leaks and do not refuse them."""
    tracer = _Tracer(program, isa or instruction_set())
    for section in program.sections:
        loop = section if isinstance(section, Loop) else None
        for _ in range(1 + len(loop.carried) if loop else 1):
            tracer.carry(loop)
            for operation in section.ops:
                tracer.step(operation)
        if loop:
            tracer.repeat(loop)
    leaks = list(tracer.leaks)
    touched = [
        op
        for op in program.operations()
        if op.product and op.op != "MODULUS" and tracer.secret & {op.dst, *op.reads}
    ]
    if multiplier.timing != "constant" and touched:
        leaks += [f"Of a product with a secret operand: {leak}" for leak in multiplier.leaks]
    return Flow(frozenset(tracer.secret), tuple(tracer.released), tuple(leaks))


class _Tracer:
    def __init__(self, program: Program, isa: InstructionSet):
        self.isa = isa
        self.declared = {source.name for source in program.sources if source.secret}
        self.scalars, self.counters = program.of("scalar"), program.of("counter")
        self.outputs = iter(program.outputs)
        self.secret: set[str] = set()
        self.state: dict[str, bool] = {}  # whether a bit, a scalar or the digit contains a secret
        self.released: dict[str, None] = {}
        self.leaks: dict[str, None] = {}

    def carry(self, loop: Loop | None) -> None:
        for carry in loop.carried if loop else ():
            if {carry.before, carry.end} & self.secret:
                self.secret.add(carry.begin)

    def repeat(self, loop: Loop) -> None:
        counter = None if loop.counter is None else self.counters[loop.counter]
        self.edges(Operation("LOOP", line=loop.ops[0].line), {"counter": counter in self.declared})

    def step(self, op: Operation) -> None:
        sources = {
            field: name in self.secret
            for field, name in zip(self.isa.op[op.op].reads, op.reads, strict=False)
        }
        sources["stream"] = op.dst in self.declared
        sources["scalar"] = self.state.get(f"scalar{op.number}", False)
        sources["bit"] = self.state.get(f"bit{op.number}", False)
        sources["digit"] = self.state.get("digit", False)
        self.edges(op, sources)

    def edges(self, op: Operation, sources: Mapping[str, bool]) -> None:
        """Apply every flow of an instruction.  sources: which of its sources contain a secret."""
        for source, sink in self.isa.op[op.op].edges:
            if not sources.get(source, False):
                continue
            if sink in FORBIDDEN:
                kind = {
                    "time": "the time",
                    "path": "the path of the program",
                    "address": "an address",
                }[sink]
                self.leaks[f"line {op.line}: {op.op}: a secret ({source}) reaches {kind}"] = None
            elif sink == "dst":
                assert op.dst is not None
                self.secret.add(op.dst)
            elif sink in ("bit", "scalar", "digit"):
                self.state["digit" if sink == "digit" else f"{sink}{op.number}"] = True
            else:
                self.released[f"line {op.line}: {op.op} tells of a secret: {sink}"] = None
