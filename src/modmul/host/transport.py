"""How a host asks a processor for operations: by a simulation of its Verilog, by its golden model,
or by a driver of hardware that answers the same."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from modmul.arithmetic.curves import Curve
from modmul.errors import CheckFailed, SpecError
from modmul.host.encodings import refuse, refuse_secret
from modmul.processors.oracle import contradicted
from modmul.spec import Spec
from modmul.verification.simulation import simulate
from modmul.verification.simulation.subjects import subject

_NONCES = 100
_SECRET = ("private", "ephemeral", "nonce", "scalar")  # operands that no message may show


class Fault(CheckFailed):
    """The processor found its result wrong, or a simulation differs from what is declared."""


class Transport(Protocol):
    """A way to reach a processor.  spec: the processor, and the curve, key or modulus in it."""

    @property
    def spec(self) -> Spec: ...
    def ask(self, operation: str, operands: Mapping[str, int]) -> Mapping[str, int]:
        """Compute one operation, and return its results by name."""


@dataclass(frozen=True)
class Simulated:
    """Simulates the emitted Verilog of a spec, which must have a modulus, a curve or a key."""

    spec: Spec

    def ask(self, operation: str, operands: Mapping[str, int]) -> Mapping[str, int]:
        """Simulate one operation.  Raises Fault if `simulate` finds a fault."""
        given = [dict(operands)]
        (outcome,) = simulate(self.spec, given, operation=operation)
        if outcome.faults or outcome.result is None:
            raise Fault("; ".join(outcome.faults) or f"{operation}: no result came")
        return {
            name: int(value)  # type: ignore[arg-type]
            for name, value in outcome.result.items()
        }


@dataclass(frozen=True)
class Modelled:
    """Computes with the golden model of a processor whose spec has a modulus, a curve or a key.
    The answers are those of its simulation, but take a second or two and need no compiler."""

    spec: Spec

    def ask(self, operation: str, operands: Mapping[str, int]) -> Mapping[str, int]:
        """Compute one operation.  Raises SpecError for the operands that `Simulated` refuses, Fault
        if the golden model is wrong."""
        job = subject(self.spec, operation).read(operands).job
        results = self.spec.processor.compute(job)
        if contradicted(self.spec.processor, job, results) is not None:
            raise Fault(f"{operation}: the golden model is wrong")
        return {name: int(value) for name, value in results.items()}


def answer(core: Transport, curve: Curve, operation: str, **operands: int) -> Mapping[str, int]:
    """Ask a processor for an operation on a curve, and return its results by name.  Raises Fault if
    the processor found a fault, and SpecError if another curve is loaded or an operand is out of
    range.  The message does not show operands that are secret."""
    if core.spec.curve != curve:
        refuse("curve", str(curve), f"{core.spec.curve}, which is loaded")
    try:
        answers = core.ask(operation, operands)
    except SpecError as error:
        key, allowed = error.key, error.allowed
        if key not in _SECRET or allowed is None:
            raise
    else:
        if answers.get("fault"):
            raise Fault(f"{operation}: the processor found a fault, and gave no result")
        return answers
    refuse_secret(key, allowed)  # outside `except`: no traceback shows the error with the value


def ask_signature(
    core: Transport, curve: Curve, operation: str, nonces: Iterator[int], **operands: int
) -> tuple[int, int]:
    """Ask a processor for a signature by the first of some nonces that gives one; return r and s.
    Raises Fault as `answer` does, and if none of a hundred does: on a curve of 8 bits, one in a
    hundred does not."""
    for nonce in itertools.islice(nonces, _NONCES):
        answers = answer(core, curve, operation, nonce=nonce, **operands)
        if "r" in answers:
            return answers["r"], answers["s"]
    raise Fault(f"{operation}: the processor refuses {_NONCES} nonces")
