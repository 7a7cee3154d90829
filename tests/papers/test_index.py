"""The index of all papers: what it counts, that it measures nothing, and its reasons."""

import dataclasses
import io
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from rich.console import Console

import example_records
from modmul.export import hdl
from modmul.papers import KEYS, agreement_text, implemented, index
from modmul.papers.agreement import (
    CellCounts,
    Index,
    IndexedPaper,
    Kind,
    Tally,
    agrees,
    of_paper,
)
from modmul.papers.alkhaleel2006 import designs
from modmul.papers.needs import Measuring, Needs
from modmul.papers.records import (
    EMPTY,
    Derived,
    Figure,
    MeasuredCell,
    Origin,
    Paper,
    Table,
    TableCell,
)
from modmul.toolchain import cxx
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import Step

STEP = Step("paper-test")
TABLES = {  # printed ones; the others are ours
    "gallin2019": {
        "I",
        "II",
        "III",
        "IV",
        "V",
        "Figure 1",
        "Figure 4",
        "Figure 6",
        "Figure 9",
        "Claims",
    },
    "kuang2016": {"I", "II", "III", "Section IV-A", "Claims"},
    "amanor2005": {"1", "2", "3", "Figure 3", "Claims"},
    "dualfips": {"1", "2", "Figure 10", "Figure 11", "Claims"},
    "alkhaleel2006": {"I", "II", "III", "IV", "V"},
}


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """Nothing was measured, and nothing can be: no text is emitted and no program started, but the
    compiler for its version."""
    cxx.find()

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("the index measures")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hdl, "emit", fail)
        patch.setattr(subprocess, "Popen", fail)
        yield index(cache=Cache(tmp_path_factory.mktemp("empty")))


def entry(papers: Index, key: str) -> IndexedPaper:
    (indexed,) = [paper for paper in papers.papers if paper.key == key]
    return indexed


def adds_up(counts: CellCounts) -> bool:
    compared = counts.arithmetic.cells + counts.mixed.cells + counts.circuits.cells - counts.twice
    waiting = counts.circuits.not_measured <= counts.measured.not_measured
    inside = counts.measured.cells <= counts.circuits.cells and waiting
    return inside and counts.printed == compared + counts.only_printed


def test_every_table_is_there_and_counts_add_up(empty: Index) -> None:
    assert [paper.key for paper in empty.papers] == list(KEYS)
    for paper in empty.papers:
        assert TABLES[paper.key] <= {table.id for table in paper.tables}
        assert all(adds_up(table.counts) for table in paper.tables) and adds_up(paper.counts)
        assert paper.counts == sum((table.counts for table in paper.tables), CellCounts())
        for kind in get_args(Kind):
            listed = sum(kind in difference.kinds for difference in paper.differences)
            assert listed == getattr(paper.counts, kind).differ
        assert sum(group.cells for group in paper.uncompared) == paper.counts.only_printed
        assert paper.command.startswith(f"modmul papers {paper.key}") and paper.waiting > 0
    assert adds_up(empty.counts) and empty.counts.printed > 900
    missing = empty.counts.measured.not_measured
    assert 0 < empty.counts.circuits.not_measured < missing < empty.waiting
    assert entry(empty, "alkhaleel2006").command.endswith("--widest 512")


def test_every_difference_and_every_cell_left_out_has_a_reason(empty: Index) -> None:
    for paper in empty.papers:
        for difference in paper.differences:
            assert difference.reason, difference
        for left in paper.uncompared:
            assert left.reason, left


def test_nothing_is_measured_without_a_measurement(empty: Index) -> None:
    """A copy of print that stands as measured would agree."""
    for paper in empty.papers:
        for table in paper.tables:
            assert table.counts.measured.cells == table.counts.measured.not_measured, table.id


def test_copies_of_print_say_nothing_about_our_circuits(empty: Index) -> None:
    """The cells of the library `normalised`, the sizes of gates, a drawing without figures."""
    for key, id, copies in (("kuang2016", "II", 25), ("alkhaleel2006", "I", 10)):
        (copied,) = [table for table in entry(empty, key).tables if table.id == id]
        assert copied.counts.arithmetic == Tally(exact=copies) and not copied.counts.circuits.cells
    (drawing,) = [table for table in entry(empty, "gallin2019").tables if table.id == "Figure 4"]
    assert drawing.counts == CellCounts()


def test_known_misprints_are_differences(empty: Index) -> None:
    differences = {(p.key, d.table, d.published) for p in empty.papers for d in p.differences}
    assert ("gallin2019", "IV", 0.77) in differences and ("dualfips", "1", 46) in differences
    assert ("amanor2005", "3", 37.5) in differences and ("dualfips", "2", 3.18) in differences


def test_a_kept_figure_is_counted(empty: Index, tmp_path: Path) -> None:
    """Slices and LUTs of one array at 16 bits, as printed."""
    cache = Cache(tmp_path)
    need = implemented.cells(designs.MUX.spec(16, designs.CHIP))
    made = example_records.counted(620, 64, levels=9, estimate_ns=1.0)
    changed = dataclasses.replace(need, make=lambda _: made)
    Measuring(cache=cache).fill(Needs("map", {16: changed}))
    before, after = (entry(papers, "alkhaleel2006") for papers in (empty, index(cache=cache)))
    (old, new) = (indexed.counts.measured for indexed in (before, after))
    assert (new.not_measured, new.differ) == (old.not_measured - 2, old.differ + 2)
    assert after.counts.printed == before.counts.printed and after.waiting < before.waiting
    (luts,) = [d for d in after.differences if (d.table, d.column) == ("IV", "LUTs")]
    assert luts.measured == 620 and luts.reason and "Yosys" in luts.reason
    for key in set(KEYS) - {"alkhaleel2006"}:
        assert entry(empty, key).waiting >= 0


def paper(*cells: TableCell, kind: type[Table] = Table) -> Paper:
    """One table, whose rows have one cell and another column without print."""
    rows = tuple((number, cell, EMPTY) for number, cell in enumerate(cells))
    return Paper("key", "title", "source", (), (kind("1", "title", ("row", "a", "b"), rows),))


def circuit(*figures: Figure | None, remark: str | None = None) -> TableCell:
    return MeasuredCell(*figures, remark=remark, origin=Origin.CIRCUIT)


def recomputed(*figures: Figure | None) -> TableCell:
    return TableCell(*figures, origin=Origin.ARITHMETIC)


def test_a_cell_is_judged_by_all_its_figures() -> None:
    exact, near, off = circuit(1.25, 1.25), circuit(1.3, 1.302, 1.3), circuit(2, 3)
    one_off = circuit(2, 2, 3, remark="why")
    waiting = circuit(5, remark="later")
    only = TableCell(5, remark="never", origin=Origin.PRINT)
    agreement = of_paper(paper(exact, near, off, one_off, waiting, only, circuit(None, 1)), "")
    assert agreement.counts == CellCounts(
        printed=6, circuits=Tally(1, 1, 2, 1), measured=Tally(1, 0, 1, 3), only_printed=1
    )
    assert agreement.waiting == 4
    first, second = agreement.differences
    assert (first.reason, second.reason) == (None, "why")
    assert (first.kinds, second.kinds) == (("circuits",), ("circuits", "measured"))
    assert [(group.cells, group.reason) for group in agreement.uncompared] == [(1, "never")]
    assert of_paper(paper(off, kind=Derived), "").counts == CellCounts()


def test_kinds_of_figures_are_not_added_up() -> None:
    """What follows from print agrees, and our circuit does not: neither hides the other."""
    both = MeasuredCell(2, 2, 3, "why", origin=Origin.ARITHMETIC)
    mixed = MeasuredCell(5, 5, 5, origin=Origin.MIXED)
    copy, alone = recomputed(7, 7), MeasuredCell(9, None, 9, origin=Origin.MEASURED)
    declared = TableCell(4, 4, origin=Origin.CIRCUIT)
    counts = of_paper(paper(both, mixed, copy, alone, declared), "").counts
    assert counts == CellCounts(
        printed=5,
        arithmetic=Tally(exact=2),
        mixed=Tally(exact=1),
        circuits=Tally(exact=2, differ=1),
        measured=Tally(exact=1, differ=1),
        twice=1,
    )
    assert adds_up(counts) and (counts.circuits.agree, counts.circuits.cells) == (2, 3)


def test_a_figure_agrees_with_what_the_paper_says_of_it() -> None:
    """741 is "about 740", and 256 is "more than 200"."""
    for said, published, agreeing, differing in (
        ("about", 740, 741, 850),
        ("similar", 1, 1.09, 1.16),
        ("more than", 200, 256, 200),
        ("at least", 50, 50, 49),
        ("at most", 1.5, 1.48, 1.6),
        ("below", 10, 9.9, 10.1),
    ):
        for figure, verdict in ((agreeing, Tally(rounded=1)), (differing, Tally(differ=1))):
            cell = recomputed(published, figure).as_said(said)
            claimed = Table("C", "", ("claim", "figure"), (("x", cell),))
            counts = of_paper(Paper("key", "", "", (), (claimed,)), "").counts
            assert counts.arithmetic == verdict, (said, figure)


def test_the_tolerance_is_half_of_the_last_digit() -> None:
    assert agrees(1.25, 1.3, 1) and agrees(1.35, 1.3, 1) and not agrees(1.3501, 1.3, 1)
    assert agrees(7.5, 8, 0) and not agrees(7.4, 8, 0)
    assert agrees("free", "free", 0) and not agrees("8", 8, 0)
    far, equal = recomputed(3.2, 3.24), recomputed(3.25, 3.25)  # 3.20, as the other has two
    assert of_paper(paper(far, equal), "").counts.arithmetic == Tally(exact=1, differ=1)
    claimed = (("x", recomputed(5, 5.11)), ("y", recomputed(1.25, 1.25)))
    claims = Table("C", "", ("claim", "figure"), claimed)
    alone = of_paper(Paper("key", "", "", (), (claims,)), "")
    assert alone.counts.arithmetic == Tally(exact=1, rounded=1)


def test_as_text_and_as_json(empty: Index) -> None:
    console = Console(width=160, file=io.StringIO())
    console.print(agreement_text.render(empty))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "46 | 48" in text and "misprint" in text and "modmul papers kuang2016 measures" in text
    assert "word width [arithmetic on print]: 46 | 48" in text
    assert "cycles [our circuits]: 1072 | 1060" in text
    *_, line = [line for line in text.splitlines() if line.startswith("all ")]
    total = empty.counts
    tallies = total.arithmetic, total.mixed, total.circuits
    pairs = [(tally.agree, tally.differ) for tally in tallies]
    figures = [total.printed, *(number for pair in pairs for number in pair), "-", "-"]
    figures += [total.measured.not_measured, total.only_printed]
    assert line.split() == ["all", *map(str, figures)]
    assert msgspec.json.decode(msgspec.json.encode(empty), type=Index) == empty
