"""LUTs and delay of all plain products over the width."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from modmul.implementation.levels import LABEL
from modmul.papers.alkhaleel2006.arrays import USABLE
from modmul.papers.alkhaleel2006.designs import CHIP, PRODUCTS, ROUTED, SCHEMES, TARGETS, WIDTHS
from modmul.papers.alkhaleel2006.measured import Measured, Sized
from modmul.papers.records import Figures, Picture, Series


def pictures(figures: Figures, measured: Measured) -> tuple[Picture, ...]:
    """LUTs on the paper's family, delays on each; markers: printed, of the vendor's tools."""
    sizes = {key[:2]: core.lut for key, core in measured.mapped.items() if key[2] == CHIP}
    drawn = [
        Picture(
            f"luts_{CHIP}", "alkhaleel2006: LUTs on xc4v; markers: printed", "curves",
            "bits of an operand", "LUTs of four inputs",
            tuple(_series(sizes, figures, "luts")), logarithmic=True,
        )
    ]  # fmt: skip
    for target in TARGETS:
        how = USABLE if target == ROUTED else LABEL
        delays = {(d, k): measured.delay(d, k, target) for d in PRODUCTS for k in WIDTHS}
        printed = "; markers: printed" if target == CHIP else ""
        drawn.append(
            Picture(
                f"delay_{target}", f"alkhaleel2006: delay on {target}, {how}{printed}", "curves",
                "bits of an operand", "ns from register to register",
                tuple(_series(delays, figures if printed else None, "path_ns")), logarithmic=True,
            )
        )  # fmt: skip
    return tuple(line for line in drawn if line.series)


def _series(
    values: Mapping[Sized, float | None], figures: Figures | None, what: str
) -> Iterator[Series]:
    """A line for each design that was measured.  figures: printed, beside it; None: none are."""
    schemes = {design: scheme for scheme, design in SCHEMES.items()}
    for design in PRODUCTS:
        points = [(k, value) for k in WIDTHS if (value := values.get((design, k))) is not None]
        if not points:
            continue
        yield Series.curve(design.label, points)
        scheme = schemes.get(design)
        printed = [row for row in figures["table_4"] if scheme in row] if figures else []
        if printed:
            pairs = ((row["k"], row[scheme][what]) for row in printed)
            yield Series.curve("", pairs, joined=False)
