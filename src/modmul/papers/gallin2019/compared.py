"""Table III: the designs that the paper compares itself with, each beside ours of that name.

Ours are reconstructed from the few figures in print: the module of each architecture says which
these are.  Cells are counted on the family of the printed chip; clocks of these chips are not ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from modmul.implementation.result import ImplementResult
from modmul.multipliers import Multiplier
from modmul.papers.columns import Row, tabulate
from modmul.papers.printed import PrintedDesign, literature
from modmul.papers.records import Figures, Table, TableCell, rounded
from modmul.spec import Spec
from modmul.verification.observed import ProductSchedule

Label = tuple[str, int]  # name in print, and width

ONLY_PUBLISHED = "a compared design: published only"
ROUNDED_CLOCK = "that clock is printed in whole MHz"
AT_CLOCK = f"{ONLY_PUBLISHED}; computed: its printed cycles at its printed clock; {ROUNDED_CLOCK}"


# Designs of print as they are built here: options of the architecture.  What print does not tell is
# chosen as the notes beside its figures say.
BUILT: Mapping[Label, Mapping[str, Any]] = {
    ("MA16", 128): {"architecture": "orup"},
    ("MA16", 256): {"architecture": "orup"},
    ("MR8", 128): {"architecture": "systolic-cios", "words": 8},
    ("MR8", 256): {"architecture": "systolic-cios", "words": 8},
    ("MR16", 256): {"architecture": "systolic-cios", "words": 16, "output-register": True},
    ("MO64", 256): {"architecture": "iddmm", "word": 64, "stages": 1},
    ("AM32", 256): {
        "architecture": "iddmm", "word": 32, "stages": 4, "u-register": True, "iteration": 13,
    },
    ("AM64", 256): {
        "architecture": "iddmm", "word": 64, "stages": 6, "u-register": True, "iteration": 17,
    },
    ("MAS1", 256): {"architecture": "cios", "word": 17, "adder": True},
    ("MAS2", 256): {"architecture": "fios", "word": 17, "dsp-registers": 2, "adder": True},
}  # fmt: skip
MULTIPLYING = " multiplying alone"  # the same options, but for the adder
ONE_CHIP = "ecp5"  # all are routed on it; cells of families without a target here are counted on it
WITHOUT = " without adder"
# Routed beside them: for MAS1 and MAS2 their architectures with default options, which have no
# adder, and an architecture of ours that is not in the paper.
OTHERS: Mapping[Label, Mapping[str, Any]] = {
    (f"MAS1{WITHOUT}", 256): {"architecture": "cios"},
    (f"MAS2{WITHOUT}", 256): {"architecture": "fios"},
    ("fios-array", 128): {"architecture": "fios-array"},
    ("fios-array", 256): {"architecture": "fios-array"},
}


def spec(label: Label, target: str) -> Spec:
    """The bare core of a compared design, or of the same multiplying alone."""
    name, width = label
    options = {**BUILT, **OTHERS}[name.removesuffix(MULTIPLYING), width]
    if name.endswith(MULTIPLYING):
        options = {**options, "adder": False}
    common = {"width": width, "target": target, "interface": "core"}
    return Spec.from_options({**options, **common})


def on_one_chip() -> dict[Label, Multiplier]:
    """Those that are routed on one chip: what multiplies alone, of both."""
    labels = [label for label in BUILT if not _adds(label)]
    return {label: spec(label, ONE_CHIP).multiplier for label in [*labels, *OTHERS]}


def _adds(label: Label) -> bool:
    return bool(BUILT[label].get("adder"))


class Compared(NamedTuple):
    """cycles: simulated, of every design, on `generic`.  cells: of each on the chips of print, by
    design and target, of some also alone.  Missing: not measured."""

    cycles: Mapping[Label, ProductSchedule]
    cells: Mapping[tuple[Label, str], ImplementResult]


def designs() -> list[Multiplier]:
    """The designs of which cycles are simulated."""
    return [spec(label, "generic").multiplier for label in BUILT]


def on_chips(figures: Figures) -> Iterator[tuple[Label, str]]:
    """Design and target of each row, and of the same alone."""
    for row in literature(figures):
        label = row.design, row.width
        yield label, _target(row)
        if _adds(label):
            yield _alone(label), _target(row)


def _alone(label: Label) -> Label:
    """The name of a design without what it does besides."""
    return f"{label[0]}{MULTIPLYING}", label[1]


def _target(row: PrintedDesign) -> str:
    """The target on which the design of a row is counted."""
    return row.target or ONE_CHIP


def table3(figures: Figures, compared: Compared) -> Table:
    """Multipliers from the literature."""
    return tabulate(figures, "III", (_row(row, compared) for row in literature(figures)))


def _row(row: PrintedDesign, compared: Compared) -> Row:
    estimate = "the paper multiplied one latency by eight" if row.estimated else ""
    remark = "; ".join(filter(None, (AT_CLOCK, estimate)))
    return {
        "n_bits": row.width,
        "ref": row.design,
        "fpga": row.fpga,
        "slices": TableCell.printed(row.slices),
        "bram_kbit": TableCell.printed(row.ram_kbit),
        "freq_mhz": TableCell.printed(row.mhz),
        **_ours(row, compared),
        "time8_ns": TableCell.arithmetic(
            row.eight_ns, rounded(row.ns_of(row.cycles_for(8))), remark
        ),
    }


def _first(printed_design: PrintedDesign) -> bool:
    """Whether what print says once of all chips is said in this row: MA16 was put on four."""
    return printed_design.design != "MA16" or printed_design.fpga == "V4"


def _ours(design: PrintedDesign, compared: Compared) -> Row:
    """Cells of the design on the family of the printed chip, or on another; cycles are those of
    all."""
    label, target = (design.design, design.width), _target(design)
    cells, alone = (compared.cells.get((one, target)) for one in (label, _alone(label)))
    multiplier, run = spec(label, target).multiplier, compared.cycles.get(label)
    counted = f"Yosys for {target}, the core alone, before placement"
    said = f"multiplying alone {alone.lut} LUTs, {alone.ff} flip-flops" if alone else ""
    counted = "; ".join(filter(None, (design.notes.get("area"), said, counted)))
    latency, interval = multiplier.latency().mean, multiplier.interval().mean
    printed = {"dsps": design.dsp, "latency": design.latency, "interval": design.interval}
    told = printed if _first(design) else {}  # once for all chips
    return {
        "design": TableCell.circuit(None, f"{multiplier.title}, target {target}"),
        "luts": TableCell.ours(cells and cells.lut, counted, published=design.lut),
        "ffs": TableCell.ours(cells and cells.ff, counted, published=design.ff),
        "brams": TableCell.ours(
            cells and cells.ram_blocks, f"operands are in registers or LUTs; {counted}",
            published=design.ram_blocks,
        ),
        "dsps": TableCell.ours(
            cells and cells.dsp, design.notes.get("dsps", counted), published=told.get("dsps")
        ),
        "latency_cc": TableCell.circuit(
            told.get("latency"), latency, design.notes.get("cycles"), measured=run and run.latency
        ),
        "interval_cc": TableCell.circuit(
            told.get("interval"), interval, measured=run and run.interval
        ),
        "time8_cc": TableCell.circuit(
            None, multiplier.cycles_for(8), measured=run and run.cycles_for(8)
        ),
    }  # fmt: skip
