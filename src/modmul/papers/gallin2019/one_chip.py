"""All compared designs on one ECP5, in one flow, next to what print says of two on one chip.

The paper compares designs of different papers, chips and tools.  Here each of them, as far as it is
built, and the FPMM of the same width are placed and routed on the same chip with the same seeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from modmul.implementation.result import ImplementResult
from modmul.multipliers import Multiplier
from modmul.papers.columns import Row, tabulate, waiting
from modmul.papers.gallin2019.designs import (
    ON_ECP5,
    ONE_CHIP,
    WITHOUT,
    Measured,
    Name,
    design,
    on_one_chip,
)
from modmul.papers.implemented import at_usable, clock
from modmul.papers.printed import fastest, literature
from modmul.papers.records import Figures, Table, TableCell, rounded


def table(figures: Figures, measured: Measured) -> Table:
    """By width, the FPMM first."""
    rows = [row for fpmm in ON_ECP5 for row in _of_width(fpmm, figures, measured)]
    return tabulate(figures, "One chip", rows)


def _of_width(fpmm: Name, figures: Figures, measured: Measured) -> Iterator[Row]:
    base = measured.ecp5.get(fpmm)
    yield _row(fpmm, design(*fpmm, ONE_CHIP), base, base, {}, figures)
    for name, spec in on_one_chip().items():
        if name[0] == fpmm[0]:
            printed, core = _printed(name, figures), measured.ecp5.get(name)
            yield _row(name, spec.multiplier, core, base, printed, figures)


def _row(
    name: Name, multiplier: Multiplier, core: ImplementResult | None,
    base: ImplementResult | None, printed: Mapping[str, float], figures: Figures,
) -> Row:  # fmt: skip
    declared: dict[str, int | str | TableCell] = {
        "n_bits": name[0],
        "ref": name[1],
        "design": TableCell.circuit(None, multiplier.title),
        "latency_cc": TableCell.circuit(None, multiplier.latency().maximum),
        "cycles_per_product": TableCell.circuit(None, rounded(multiplier.cycles_per_product())),
    }
    if core is None or base is None:
        rest = waiting(figures, "One chip", "")
        return {**rest, **declared}
    mhz, other, fpmm = clock(core), at_usable(core), at_usable(base)
    ours = {
        "time8": other.eight_ns / fpmm.eight_ns,
        "luts": core.lut / base.lut,
        "dsps": core.dsp / base.dsp if base.dsp else None,
        "rate": other.products_per_second / fpmm.products_per_second,
    }
    return {
        **declared,
        "luts": TableCell.seen(core.lut),
        "ffs": TableCell.seen(core.ff),
        "dsps": TableCell.seen(core.dsp),
        "routed_mhz": TableCell.seen(mhz.median, f"median over seeds: {len(mhz.seeds)}"),
        "usable_mhz": TableCell.seen(mhz.usable, mhz.limited_by),
        "time8_ns": TableCell.seen(rounded(other.eight_ns)),
        "products_m": TableCell.seen(rounded(other.products_per_second / 1e6, 4)),
        "per_dsp_k": TableCell.seen(rounded(other.per_dsp and other.per_dsp / 1e3, 4)),
        "per_lut_k": TableCell.seen(rounded(other.per_lut and other.per_lut / 1e3, 4)),
        **{
            f"{key}_over_fpmm": TableCell.arithmetic(
                None, rounded(printed.get(key), 3), measured=rounded(figure, 3)
            )
            for key, figure in ours.items()
        },
    }


def _printed(name: Name, figures: Figures) -> dict[str, float]:
    """A compared design over the fastest FPMM of its width on the same family, as printed; nothing
    where there is no such pair."""
    label = name[0], name[1].removesuffix(WITHOUT)
    rows = [row for row in literature(figures) if (row.width, row.design) == label]
    pairs = [(row, fastest(figures, row)) for row in rows]
    built = [(row, best) for row, best in pairs if best is not None]
    if not built:
        return {}
    row, best = built[-1]  # Virtex-7 where there are several
    counts = {"luts": (row.lut, best.lut), "dsps": (row.dsp, best.dsp)}
    ratios = {key: a / b for key, (a, b) in counts.items() if a and b}
    rate = best.ns_of(design(best.width, best.design).cycles_per_product())
    assert row.eight_ns and best.eight_ns and row.per_product
    return {
        **ratios,
        "time8": row.eight_ns / best.eight_ns,
        "rate": rate / row.ns_of(row.per_product),
    }
