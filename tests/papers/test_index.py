"""The index of all papers: what it counts, that it measures nothing, and its reasons."""

import io
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from modmul.export import hdl
from modmul.papers import KEYS, agreement_text, index
from modmul.papers.agreement import Counts, Index, IndexedPaper, agrees, of_paper
from modmul.papers.alkhaleel2006 import designs, measured
from modmul.papers.alkhaleel2006.measured import Netlist
from modmul.papers.kept import OnlyKept, kept
from modmul.papers.records import Cell, Derived, Measurable, Paper, Table
from modmul.toolchain import cxx
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import Step

STEP = Step("paper-test", "modmul.papers.kept")
TABLES = {  # printed ones; the others are ours
    "gallin2019": {"I", "II", "III", "IV", "V", "Figure 1", "Figure 4", "Figure 7"},
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


def entry(found: Index, key: str) -> IndexedPaper:
    (one,) = [paper for paper in found.papers if paper.key == key]
    return one


def adds_up(counts: Counts) -> bool:
    parts = (counts.exact, counts.rounded, counts.differ, counts.not_measured, counts.only_printed)
    return counts.printed == sum(parts)


def test_every_table_is_there_and_counts_add_up(empty: Index) -> None:
    assert [paper.key for paper in empty.papers] == list(KEYS)
    for paper in empty.papers:
        assert TABLES[paper.key] <= {table.id for table in paper.tables}
        assert all(adds_up(table.counts) for table in paper.tables) and adds_up(paper.counts)
        assert paper.counts == sum((table.counts for table in paper.tables), Counts())
        assert len(paper.differences) == paper.counts.differ
        assert sum(one.cells for one in paper.uncompared) == paper.counts.only_printed
        assert paper.command.startswith(f"modmul papers {paper.key}") and paper.waiting > 0
    assert adds_up(empty.counts) and empty.counts.printed > 1000
    assert empty.counts.not_measured > 0 and empty.waiting > empty.counts.not_measured
    assert entry(empty, "alkhaleel2006").command.endswith("--widest 512")


def test_every_difference_and_every_cell_left_out_has_a_reason(empty: Index) -> None:
    for paper in empty.papers:
        for difference in paper.differences:
            assert difference.reason, difference
        for left in paper.uncompared:
            assert left.reason, left


def test_known_misprints_are_differences(empty: Index) -> None:
    found = {(p.key, d.table, d.published) for p in empty.papers for d in p.differences}
    assert ("gallin2019", "IV", 0.77) in found and ("dualfips", "1", 46) in found
    assert ("amanor2005", "3", 37.5) in found and ("dualfips", "2", 3.18) in found


def test_a_kept_figure_is_counted(
    empty: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slices and LUTs of one array at 16 bits, as printed."""
    cache = Cache(tmp_path)
    made = Netlist(lut=620, ff=64, dsp=0, levels=9, estimate_ns=1.0, path="a -> b", routable=None)
    monkeypatch.setattr(measured, "_map", lambda *_: made)
    measured._mapped((designs.MUX, 16, designs.CHIP), cache)
    before, after = (entry(found, "alkhaleel2006") for found in (empty, index(cache=cache)))
    assert after.counts.not_measured == before.counts.not_measured - 2
    assert after.counts.printed == before.counts.printed and after.waiting < before.waiting
    (luts,) = [d for d in after.differences if (d.table, d.column) == ("IV", "LUTs")]
    assert luts.measured == 620 and luts.reason and "Yosys" in luts.reason
    for key in set(KEYS) - {"alkhaleel2006"}:
        assert entry(empty, key).waiting >= 0


def paper(*cells: Cell, kind: type[Table] = Table) -> Paper:
    """One table, whose rows have one cell and another column without print."""
    rows = tuple((number, cell, Cell()) for number, cell in enumerate(cells))
    return Paper("key", "title", "source", (), (kind("1", "title", ("row", "a", "b"), rows),))


def test_a_cell_is_judged_by_all_its_figures() -> None:
    exact, near, off, one_off = Cell(1.25, 1.25), Cell(1.3, 1.302), Cell(2, 3), Cell(2, 2, 3, "why")
    waiting, only = Measurable(5, remark="later"), Cell(5, remark="never")
    found = of_paper(paper(exact, near, off, one_off, waiting, only, Cell(None, 1)), "")
    assert found.counts == Counts(6, 1, 1, 2, 1, 1) and found.waiting == 1
    assert [one.reason for one in found.differences] == [None, "why"]
    assert [(one.cells, one.reason) for one in found.uncompared] == [(1, "never")]
    assert of_paper(paper(off, kind=Derived), "").counts == Counts()


def test_the_tolerance_is_half_of_the_last_digit() -> None:
    assert agrees(1.25, 1.3, 1) and agrees(1.35, 1.3, 1) and not agrees(1.3501, 1.3, 1)
    assert agrees(7.5, 8, 0) and not agrees(7.4, 8, 0)
    assert agrees("free", "free", 0) and not agrees("8", 8, 0)
    wide = of_paper(paper(Cell(3.2, 3.24), Cell(3.25, 3.25)), "")  # 3.20, as the other has two
    assert (wide.counts.exact, wide.counts.rounded, wide.counts.differ) == (1, 0, 1)
    claims = Table("C", "", ("claim", "figure"), (("x", Cell(5, 5.11)), ("y", Cell(1.25, 1.25))))
    alone = of_paper(Paper("key", "", "", (), (claims,)), "")
    assert (alone.counts.exact, alone.counts.rounded, alone.counts.differ) == (1, 1, 0)


def test_what_only_reads_makes_nothing(tmp_path: Path) -> None:
    only = OnlyKept(tmp_path)
    assert kept(only, STEP, {"bits": 8}, int, lambda: 1) is None
    assert kept(Cache(tmp_path), STEP, {"bits": 8}, int, lambda: 2) == 2
    assert kept(only, STEP, {"bits": 8}, int, lambda: 3) == 2
    with pytest.raises(AssertionError, match="only read"):
        only.folder(STEP, {}, lambda path: None)
    with pytest.raises(AssertionError, match="only read"):
        only.put(STEP, {}, {})


def test_as_text_and_as_json(empty: Index) -> None:
    console = Console(width=160, file=io.StringIO())
    console.print(agreement_text.render(empty))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "46 | 48" in text and "misprint" in text and "modmul papers kuang2016 measures" in text
    assert msgspec.json.decode(msgspec.json.encode(empty), type=Index) == empty
