"""Transports to processors for curves: the golden model, and the simulated Verilog."""

from __future__ import annotations

from functools import cache
from typing import Any

from modmul.arithmetic import curves
from modmul.host import Modelled, Simulated
from modmul.spec import Spec


@cache
def spec(name: str, **options: Any) -> Spec:
    """As wide as the curve, but 256 for all primes of 224 to 256 bits, so that they share one."""
    curve = curves.find(name)
    if curve.form == "binary":
        own = {"architecture": "binary-curve", "multiplier": "fips", "binary_square": "spread"}
        return Spec.from_options({**own, "curve": curve, **options})
    width = 256 if 224 <= curve.bits <= 256 else curve.bits
    return Spec.from_options({"architecture": "curve", "multiplier": "fpmm", "width": width,
                              "curve": curve, "forms": curve.form, **options})  # fmt: skip


def modelled(name: str, **options: Any) -> Modelled:
    return Modelled(spec(name, **options))


def simulated(name: str, **options: Any) -> Simulated:
    return Simulated(spec(name, **options))


class Faulty:
    """A transport to a processor that finds a fault, or has one that it does not find: it answers
    `wrong` where a result has that name."""

    def __init__(self, core: Modelled, **wrong: int):
        self.core, self.wrong = core, wrong

    def ask(self, operation: str, operands: Any) -> Any:
        if not self.wrong:
            return {"fault": True}
        found = self.core.ask(operation, operands)
        return {**found, **{name: one for name, one in self.wrong.items() if name in found}}
