"""The finely-pipelined multiplier for one fixed modulus: no stream and no registers for N and N'.

Arithmetic, slots and datapath are those of `fpmm`.  The words of N come from logic, by the phase of
the slot, and N' is a constant.  After a reset all slots stay empty for one turn: the zeros that
pass absorb what the pipeline held before.
With `quotient-slices = "each"` and without latency reduction this is the first version that the
authors published before (w = 34, 11 DSP blocks, slots of s + 1 cycles).
Source: gallin2019, section III-D.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from modmul.errors import SpecError
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.facts import abbreviated
from modmul.multipliers.fpmm import Fpmm
from modmul.parameters import parameter

USUAL = 2**127 - 1
_EXAMPLES: list[dict[str, Any]] = [
    {"modulus": 29, "word": 4, "tile": "2x2"},
    {
        "modulus": 61,
        "word": 4,
        "tile": "2x2",
        "target": "xc7",
        "quotient_slices": "each",
        "latency_reduction": False,
    },
    {"modulus": 509, "word": 4, "tile": "2x2", "target": "ecp5"},
    {
        "modulus": (1 << 40) - 87,
        "word": 8,
        "tile": "4x4",
        "target": "ecp5",
        "storage": "block",
        "latency_reduction": False,
    },
    {"modulus": (1 << 66) - 5, "word": 17, "slots": 1, "bubbles": True},
]


@dataclass(frozen=True, kw_only=True)
class FpmmFixed(Fpmm):
    """The parameters of `fpmm`, and the modulus (the key `modulus`), from which the width
    follows."""

    name = "fpmm-fixed"
    summary = "finely-pipelined multiplier as fpmm, for one fixed modulus"
    reload = "stalls"
    drop_latency = 0
    modulus_at: ClassVar[Literal["run time", "fixed", "none"]] = "fixed"

    width: int = parameter(127, "bits of the modulus", minimum=3, maximum=4096)
    modulus: int = USUAL

    def check(self) -> None:
        if self.modulus.bit_length() != self.width:
            bits = self.modulus.bit_length()
            message = f"width = {self.width}: the modulus has {bits} bits: leave width out"
            raise SpecError("width", self.width, str(bits), message)
        if self.modulus % 2 == 0:
            message = f"modulus = {self.modulus:#x}: must be odd for {self.name}"
            raise SpecError("modulus", hex(self.modulus), "an odd number", message)
        for key, usual in (("modulus_port", "own"), ("modulus_storage", "distributed")):
            option = key.replace("_", "-")
            if getattr(self, key) != usual:
                message = f"{option} = {getattr(self, key)}: no modulus is loaded; leave it out"
                raise SpecError(option, getattr(self, key), usual, message)
        super().check()

    @property
    def fixed_modulus(self) -> int:
        return self.modulus

    @property
    def core_title(self) -> str:
        """The short name, like that of `fpmm`, with the modulus."""
        return f"{super().core_title}_fixed_{abbreviated(self.modulus)}"

    def constants(self, modulus: int) -> list[Constant]:
        return []

    @classmethod
    def examples(cls) -> list[Multiplier]:
        """The datapaths, both kinds of slot, the first version, block RAM and bubbles."""
        return [cls(width=example["modulus"].bit_length(), **example) for example in _EXAMPLES]
