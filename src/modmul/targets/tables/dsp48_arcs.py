"""Paths through a DSP48 block: they begin at its last register in use and end at its first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from modmul.targets.arcs import Arc, CellArcs, number

# Data pins with the parameters of their registers before the product (A, B) or the sum (C).
_STAGES = {
    "A": ("AREG", "A0REG", "A1REG"),
    "B": ("BREG", "B0REG", "B1REG"),
    "C": ("CREG",),
    "PCIN": (),
}


@dataclass(frozen=True)
class DspPaths:
    """Arcs of one family's block, from its parameters.  All delays are 0 if the family has none.

    pairs: the registers are called A0REG, A1REG (DSP48A1), not AREG.  controls: pins that only end
    paths.  In ns: multiply, from a register of A or B to M; add, from M, C or PCIN to P; setup, at
    A, B and C; out, from the clock to P.  known: those of them that were read in a source."""

    controls: str
    pairs: bool = False
    multiply: float = 0.0
    add: float = 0.0
    setup: float = 0.0
    out: float = 0.0
    known: tuple[str, ...] = ()

    def __call__(self, parameters: Mapping[str, Any]) -> CellArcs:
        used = {
            pin: any(self._register(parameters, name) for name in names)
            for pin, names in _STAGES.items()
        }
        m, p = (self._register(parameters, name) for name in ("MREG", "PREG"))
        arcs = []
        for pin in _STAGES:
            parts = ["multiply", "add"] if pin in "AB" else ["add"]
            if used[pin]:
                arcs.append(self._arc(pin, None, ["setup"]))
            elif m and pin in "AB":
                arcs.append(self._arc(pin, None, ["multiply"]))
            elif p:
                arcs.append(self._arc(pin, None, parts))
            else:
                arcs += [self._arc(pin, output, parts) for output in ("P", "PCOUT")]
        begins = None
        if p:
            begins = ["out"]
        elif m or used["C"]:
            begins = ["out", "add"]
        if not p and not m and (used["A"] or used["B"]):
            begins = ["out", "multiply", "add"]
        if begins is not None:
            arcs += [self._arc(None, output, begins) for output in ("P", "PCOUT")]
        ends = (Arc(pin, None, 0.0, verified=False) for pin in self.controls.split())
        return CellArcs("dsp", (*arcs, *ends), {"PCIN": ("dsp",)})

    def _register(self, parameters: Mapping[str, Any], name: str) -> bool:
        """Whether a register is in use.  The defaults are those of the vendor's models."""
        if name in parameters:
            return number(parameters[name]) > 0
        if name in ("A0REG", "B0REG"):
            return False
        if name in ("A1REG", "B1REG"):
            return self.pairs
        return not (self.pairs and name in ("AREG", "BREG"))

    def _arc(self, start: str | None, end: str | None, parts: list[str]) -> Arc:
        ns = round(sum(getattr(self, part) for part in parts), 3)
        return Arc(start, end, ns, verified=all(part in self.known for part in parts))
