"""Rows under their headings, and the remarks that stand in the transcription."""

from pathlib import Path
from typing import Any

import pytest

from modmul.papers import KEYS
from modmul.papers.columns import Row, claims, remarks_of, tabulate, waiting
from modmul.papers.needs import Measuring, ReadOnlyCache
from modmul.papers.records import EMPTY, Derived, Table, TableCell
from modmul.papers.registry import PAPERS


def told(**section: Any) -> dict[str, Any]:
    """Figures of a paper with one table."""
    return {"tables": {"1": {"title": "{bits} bits", **section}}}


def test_a_remark_goes_to_cells_that_have_none() -> None:
    rows = [
        {"bits": 8, "a": TableCell.printed(1), "b": TableCell.printed(2, "own"), "c": EMPTY},
        {
            "bits": 9,
            "a": TableCell.ours(None),
            "b": TableCell.printed(2, ""),
            "c": TableCell.circuit(1, 2),
        },
    ]
    remarks = {"a | b": "both", "c": "third", "bits": "label"}
    table = tabulate(told(remarks=remarks), "1", rows, bits=8)
    shown = [[cell.remark for cell in row if isinstance(cell, TableCell)] for row in table.rows]
    assert shown == [["both", "own", None], ["both", "", "third"]]
    assert [row[0] for row in table.rows] == [8, 9] and table.columns == ("bits", "a", "b", "c")
    assert table.title == "8 bits" and type(table) is Table
    cells = {"one": TableCell.printed(1), "two": TableCell.printed(2)}
    said = claims(told(remarks={"two": "why"}), cells, id="1")
    assert [cell.remark for _, cell in said.rows if isinstance(cell, TableCell)] == [None, "why"]


def test_what_is_said_of_a_table_makes_it() -> None:
    table = tabulate(told(derived=True, headings=["bits", "a"]), "1", [], bits="some")
    assert table == Derived("1", "some bits", ("bits", "a"), ())


def test_rows_have_the_headings_of_the_first() -> None:
    with pytest.raises(ValueError, match="table 1"):
        tabulate(told(), "1", [{"bits": 8, "a": 1}, {"a": 1, "bits": 8}], bits=8)


def test_rows_may_have_some_of_the_headings_of_the_table() -> None:
    figures = told(headings=["bits", "a_x", "a_y"])
    rows: list[Row] = [{"bits": 8}, {"bits": 9, **waiting(figures, "1", "a_")}]
    table = tabulate(figures, "1", rows, bits="some")
    assert table.rows == ((8, EMPTY, EMPTY), (9, TableCell.ours(None), TableCell.ours(None)))
    with pytest.raises(ValueError, match="table 1"):
        tabulate(figures, "1", [{"bits": 8, "b": 1}], bits="some")


@pytest.mark.parametrize("key", KEYS)
def test_every_table_is_told_of_and_every_remark_has_its_place(tmp_path: Path, key: str) -> None:
    paper = PAPERS[key].paper(Measuring(cache=ReadOnlyCache(tmp_path)))
    places = {table.id: {*table.columns, *(row[0] for row in table.rows)} for table in paper.tables}
    figures = PAPERS[key].figures()
    assert figures["tables"].keys() == places.keys()
    for table, known in places.items():
        assert remarks_of(figures, table).keys() <= known, table
