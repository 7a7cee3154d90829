"""Table III: the designs that the paper compares itself with, each beside ours of that name.

Ours are reconstructed from the few figures in print: the module of each architecture says which
these are.  Cells are counted on the family of the printed chip; clocks of these chips are not ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from modmul.multipliers import Multiplier
from modmul.multipliers.cios import Cios
from modmul.multipliers.fios import Fios
from modmul.multipliers.iddmm import Iddmm
from modmul.multipliers.orup import Orup
from modmul.multipliers.systolic_cios import SystolicCios
from modmul.papers.columns import Row, tabulate
from modmul.papers.implemented import Counted
from modmul.papers.printed import PrintedDesign, literature
from modmul.papers.records import Figures, Table, TableCell, rounded
from modmul.spec import Spec
from modmul.verification.observed import ProductSchedule

Label = tuple[str, int]  # name in print, and width

ONLY_PUBLISHED = "a compared design: published only"
ROUNDED_CLOCK = "that clock is printed in whole MHz"
AT_CLOCK = f"{ONLY_PUBLISHED}; computed: its printed cycles at its printed clock; {ROUNDED_CLOCK}"


class Built(NamedTuple):
    """A design of print as it is built here.  make: on a target.  cycles, dsps, area: why ours have
    other ones than print; empty where they have not.  elsewhere: the target on which cells are
    counted where the family in print has none.  alone: the same without what it does besides, whose
    cells are told, too."""

    make: Callable[[str], Multiplier]
    cycles: str = ""
    dsps: str = ""
    area: str = ""
    elsewhere: str = ""
    alone: Callable[[str], Multiplier] | None = None


_MULTIPLYING = " multiplying alone"
_READ = "in print until the result is in its memory; here with the beats that read it"
_CELLS = "ours have a multiplier for each three words; which others print has, it does not tell"
_DIGITS = "two products of digits; what print has one more for, it does not tell"
_UNIT = "print does not tell from where to where; here with the beats that load and read"
_SUMS = "IGLOO 2 has no target here; adder and subtracter modulo N are in it, as in print"

BUILT: Mapping[Label, Built] = {
    ("MA16", 128): Built(lambda target: Orup(width=128, target=target)),
    ("MA16", 256): Built(lambda target: Orup(width=256, target=target)),
    ("MR8", 128): Built(
        lambda target: SystolicCios(width=128, words=8, target=target), dsps=_CELLS
    ),
    ("MR8", 256): Built(
        lambda target: SystolicCios(width=256, words=8, target=target), dsps=_CELLS
    ),
    ("MR16", 256): Built(
        lambda target: SystolicCios(width=256, words=16, output_register=True, target=target),
        dsps=_CELLS,
    ),
    ("MO64", 256): Built(
        lambda target: Iddmm(width=256, word=64, stages=1, target=target), _READ, _DIGITS
    ),
    ("AM32", 256): Built(
        lambda target: Iddmm(
            width=256, word=32, stages=4, u_register=True, iteration=13, target=target
        ),
        _READ, _DIGITS,
    ),
    ("AM64", 256): Built(
        lambda target: Iddmm(
            width=256, word=64, stages=6, u_register=True, iteration=17, target=target
        ),
        _READ,
    ),
    ("MAS1", 256): Built(
        lambda target: Cios(width=256, word=17, adder=True, target=target),
        _UNIT, area=_SUMS, elsewhere="ecp5",
        alone=lambda target: Cios(width=256, word=17, target=target),
    ),
    ("MAS2", 256): Built(
        lambda target: Fios(width=256, word=17, dsp_registers=2, adder=True, target=target),
        _UNIT, area=_SUMS, elsewhere="ecp5",
        alone=lambda target: Fios(width=256, word=17, dsp_registers=2, target=target),
    ),
}  # fmt: skip


class Compared(NamedTuple):
    """cycles: simulated, of every design, on `generic`.  cells: of each on the chips of print, by
    design and target, of some also alone.  Missing: not measured."""

    cycles: Mapping[Label, ProductSchedule]
    cells: Mapping[tuple[Label, str], Counted]


def designs() -> list[Multiplier]:
    """The designs of which cycles are simulated."""
    return [entry.make("generic") for entry in BUILT.values()]


def on_chips(figures: Figures) -> Iterator[tuple[Label, str]]:
    """Design and target of each row that is built, and of the same alone."""
    for row in literature(figures):
        if target := _target(row):
            label = row.design, row.width
            yield label, target
            if BUILT[label].alone is not None:
                yield _alone(label), target


def _alone(label: Label) -> Label:
    """The name of a design without what it does besides."""
    return f"{label[0]}{_MULTIPLYING}", label[1]


def _target(row: PrintedDesign) -> str:
    """The target on which the design of a row is counted; empty where none is built."""
    built = BUILT.get((row.design, row.width))
    return (row.target or built.elsewhere) if built else ""


def spec(label: Label, target: str) -> Spec:
    """What is counted."""
    name, width = label
    built = BUILT[name.removesuffix(_MULTIPLYING), width]
    make = built.alone if name.endswith(_MULTIPLYING) and built.alone else built.make
    return Spec(make(target), interface="core")


def table3(figures: Figures, compared: Compared) -> Table:
    """Multipliers from the literature."""
    return tabulate(figures, "III", (_row(row, compared) for row in literature(figures)))


def _row(row: PrintedDesign, compared: Compared) -> Row:
    estimate = "the paper multiplied one latency by eight" if row.estimated else ""
    remark = "; ".join(filter(None, (AT_CLOCK, estimate)))
    ours = _ours(row, compared) if _target(row) else _printed(row)
    return {
        "n_bits": row.width,
        "ref": row.design,
        "fpga": row.fpga,
        "slices": TableCell.printed(row.slices),
        "bram_kbit": TableCell.printed(row.ram_kbit),
        "freq_mhz": TableCell.printed(row.mhz),
        **ours,
        "time8_ns": TableCell.arithmetic(
            row.eight_ns, rounded(row.ns_of(row.cycles_for(8))), remark
        ),
    }


def _printed(design: PrintedDesign) -> Row:
    figures = {
        "luts": design.lut, "ffs": design.ff, "brams": design.ram_blocks, "dsps": design.dsp,
        "latency_cc": design.latency, "interval_cc": design.interval, "time8_cc": None,
    }  # fmt: skip
    cells = {key: TableCell.printed(figure, ONLY_PUBLISHED) for key, figure in figures.items()}
    return {"design": TableCell.printed(None), **cells}


def _first(printed_design: PrintedDesign) -> bool:
    """Whether what print says once of all chips is said in this row: MA16 was put on four."""
    return printed_design.design != "MA16" or printed_design.fpga == "V4"


def _ours(design: PrintedDesign, compared: Compared) -> Row:
    """Cells of the design on the family of the printed chip, or on another; cycles are those of
    all."""
    label, target = (design.design, design.width), _target(design)
    built, cells = BUILT[label], compared.cells.get((label, target))
    alone = compared.cells.get((_alone(label), target))
    multiplier, run = built.make(target), compared.cycles.get(label)
    counted = f"Yosys for {target}, the core alone, before placement"
    said = f"multiplying alone {alone.lut} LUTs, {alone.ff} flip-flops" if alone else ""
    counted = "; ".join(filter(None, (built.area, said, counted)))
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
            cells and cells.dsp, built.dsps or counted, published=told.get("dsps")
        ),
        "latency_cc": TableCell.circuit(
            told.get("latency"), latency, built.cycles or None, measured=run and run.latency
        ),
        "interval_cc": TableCell.circuit(
            told.get("interval"), interval, measured=run and run.interval
        ),
        "time8_cc": TableCell.circuit(
            None, multiplier.cycles_for(8), measured=run and run.cycles_for(8)
        ),
    }  # fmt: skip
