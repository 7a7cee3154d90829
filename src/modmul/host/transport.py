"""How a host asks a processor for operations: by a simulation of its Verilog, by its golden model,
or by a driver of hardware that answers the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from modmul.arithmetic.curves import Curve
from modmul.errors import CheckFailed, SpecError
from modmul.host.encodings import refuse, refuse_secret
from modmul.spec import Spec
from modmul.verification.simulation import simulate
from modmul.verification.simulation.subjects import subject

_SECRET = ("private", "ephemeral", "nonce", "scalar")  # operands that no message may tell


class Fault(CheckFailed):
    """The processor found its own result wrong, or a simulation is not what was declared."""


class Transport(Protocol):
    """A processor with something loaded.  spec: what processor, and what is loaded."""

    @property
    def spec(self) -> Spec: ...
    def ask(self, operation: str, operands: Mapping[str, int]) -> Mapping[str, int]:
        """One operation, with its results by name."""


@dataclass(frozen=True)
class Simulated:
    """The emitted Verilog of a spec, which has a modulus, a curve or a key, in a simulation."""

    spec: Spec

    def ask(self, operation: str, operands: Mapping[str, int]) -> Mapping[str, int]:
        """One operation.  Fault where it differs from the golden model in anything."""
        given = [dict(operands)]
        (outcome,) = simulate(self.spec, given, operation=operation)
        if outcome.faults or outcome.result is None:
            raise Fault("; ".join(outcome.faults) or f"{operation}: no result came")
        return {name: int(value) for name, value in outcome.result.items()  # type: ignore[arg-type]
                }  # fmt: skip


@dataclass(frozen=True)
class Modelled:
    """The golden model of a spec, of a processor that has a modulus, a curve or a key: the same
    answers as those of its simulation, after a second or two, and without a compiler."""

    spec: Spec

    def ask(self, operation: str, operands: Mapping[str, int]) -> Mapping[str, int]:
        """One operation.  SpecError for operands that are refused, as by `Simulated`."""
        asked = subject(self.spec, operation).read(operands)
        results = self.spec.processor.compute(asked.job)
        return {name: int(value) for name, value in results.items()}


def answer(core: Transport, curve: Curve, operation: str, **operands: int) -> Mapping[str, int]:
    """What a processor with that curve answers.  Fault where it found one; SpecError where another
    curve is loaded, and for operands that cannot be, of which secret ones are not told."""
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
    refuse_secret(key, allowed)  # here, so that the message with the value is no part of it
