"""The parameters of `three-pass`, and the large multiplier that follows from them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from modmul.errors import SpecError
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.products import PRODUCTS
from modmul.multipliers.products.array_mux4 import ArrayMux4
from modmul.multipliers.products.family import FLAT, PlainProduct
from modmul.parameters import BOTH, parameter

FOLDED = ArrayMux4.name


@dataclass(frozen=True, kw_only=True)
class ThreePassParameters(Multiplier):
    """The parameters: the multiplier, and how it is folded."""

    width: int = parameter(128, "bits of the modulus", minimum=8, maximum=2048)
    product: str = parameter(
        FOLDED,
        "architecture of the large multiplier, which does all three passes",
        choices=tuple(PRODUCTS),
    )
    partitions: int = parameter(
        1,
        f"folds {FOLDED}: it is built as one of so many bands of rows, which computes all bands "
        "one after the other; 1: not folded",
        minimum=1,
        maximum=1024,
    )
    prep: bool | None = parameter(
        None,
        f"compute X + Y of {FOLDED} in a clock of its own (default: only if partitions is above 1)",
        choices=BOTH,
    )
    sum_clock: bool | None = parameter(
        None,
        f"do the final additions of {FOLDED} in a clock of their own (default: only if partitions "
        "is above 1)",
        choices=BOTH,
    )

    def check(self) -> None:
        if self.product == FOLDED:
            self.unit  # noqa: B018  (raises for partitions that cannot be)
            return
        asked = {"partitions": self.partitions != 1, "prep": self.prep, "sum-clock": self.sum_clock}
        for key, is_asked in asked.items():
            if is_asked:
                message = f"{key}: {self.product} is not folded; only {FOLDED} has it"
                raise SpecError(key, getattr(self, key.replace("-", "_")), "absent", message)
        if self.width > FLAT:
            message = (
                f"width = {self.width}: {self.product} is built whole, of at most {FLAT} bits; "
                f"{FOLDED} with partitions takes more"
            )
            raise SpecError("width", self.width, f"at most {FLAT}, or {FOLDED}", message)

    @cached_property
    def unit(self) -> PlainProduct:
        kind = PRODUCTS[self.product]
        options: dict[str, Any] = {"width": self.width, "target": self.target}
        if kind.even_operands:
            options["width"] += self.width % 2
        if self.product == FOLDED:
            folding = ("partitions", "prep", "sum_clock")
            options |= {name: getattr(self, name) for name in folding}
        return kind(**options)

    @property
    def possible_partitions(self) -> list[int]:
        """The values that `partitions` can have, fewest first; none if it is not folded."""
        return self.unit.possible_partitions if isinstance(self.unit, ArrayMux4) else []

    def folded(self, partitions: int) -> Self:
        return dataclasses.replace(self, partitions=partitions)

    @property
    def pairs(self) -> int:
        """The number of pairs of a multiplexer and an adder in a folded multiplier."""
        return self.unit.pairs if isinstance(self.unit, ArrayMux4) else 0
