"""LUTs and delay of all plain products over the width."""

from __future__ import annotations

from collections.abc import Iterator

from modmul.implementation.levels import LABEL
from modmul.papers.alkhaleel2006.arrays import USABLE
from modmul.papers.alkhaleel2006.designs import (
    CHIP,
    PRODUCTS,
    ROUTED,
    SCHEMES,
    TARGETS,
    WIDTHS,
    Circuit,
)
from modmul.papers.alkhaleel2006.measured import Measured
from modmul.papers.records import Figures, Picture, PicturePoint, Series


def pictures(figures: Figures, measured: Measured) -> tuple[Picture, ...]:
    """LUTs on the paper's family, delays on each; markers: printed, of the vendor's tools."""
    drawn = [
        Picture(
            f"luts_{CHIP}", "alkhaleel2006: LUTs on xc4v; markers: printed", "curves",
            "bits of an operand", "LUTs of four inputs",
            tuple(_series(figures, measured, CHIP, "luts")), logarithmic=True,
        )
    ]  # fmt: skip
    for target in TARGETS:
        how = USABLE if target == ROUTED else LABEL
        printed = "; markers: printed" if target == CHIP else ""
        drawn.append(
            Picture(
                f"delay_{target}", f"alkhaleel2006: delay on {target}, {how}{printed}", "curves",
                "bits of an operand", "ns from register to register",
                tuple(_series(figures, measured, target, "path_ns")), logarithmic=True,
            )
        )  # fmt: skip
    return tuple(one for one in drawn if one.series)


def _series(figures: Figures, measured: Measured, target: str, what: str) -> Iterator[Series]:
    schemes = {design: scheme for scheme, design in SCHEMES.items()}
    for design in PRODUCTS:
        points = [
            PicturePoint(k, value, "")
            for k in WIDTHS
            if (value := _value(measured, design, k, target, what)) is not None
        ]
        if not points:
            continue
        yield Series(design.label, tuple(points), "line")
        rows = [row for row in figures["table_4"] if schemes.get(design) in row]
        if target == CHIP and rows:
            printed = (PicturePoint(row["k"], row[schemes[design]][what], "") for row in rows)
            yield Series("", tuple(printed), "marker")


def _value(measured: Measured, design: Circuit, k: int, target: str, what: str) -> float | None:
    if what == "path_ns":
        return measured.delay(design, k, target)
    netlist = measured.mapped.get((design, k, target))
    return netlist.lut if netlist else None
