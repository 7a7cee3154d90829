"""Rows under their headings, and the remarks that stand in the transcription."""

from pathlib import Path
from typing import Any

import pytest

from modmul.papers import KEYS
from modmul.papers.columns import Row, Rows, claims, remarks_of, table, tabulate, waiting
from modmul.papers.needs import Measuring, ReadOnlyCache
from modmul.papers.records import EMPTY, Derived, Figures, Table, TableCell
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
    made = tabulate(told(remarks=remarks), "1", rows, bits=8)
    shown = [[cell.remark for cell in row if isinstance(cell, TableCell)] for row in made.rows]
    assert shown == [["both", "own", None], ["both", "", "third"]]
    assert [row[0] for row in made.rows] == [8, 9] and made.columns == ("bits", "a", "b", "c")
    assert made.title == "8 bits" and type(made) is Table
    cells = {"one": TableCell.printed(1), "two": TableCell.printed(2)}
    said = claims("1")(lambda figures, measured: cells)(told(remarks={"two": "why"}), None)
    assert [cell.remark for _, cell in said.rows if isinstance(cell, TableCell)] == [None, "why"]


def test_what_is_said_of_a_table_makes_it() -> None:
    made = tabulate(told(derived=True, headings=["bits", "a"]), "1", [], bits="some")
    assert made == Derived("1", "some bits", ("bits", "a"), ())


def test_a_function_that_yields_rows_is_a_table() -> None:
    @table("1", bits=8)
    def rows(figures: Figures, measured: dict[int, int]) -> Rows:
        for bits in (8, 9):
            yield {"bits": bits, "a": TableCell.ours(measured.get(bits))}

    made = rows(told(), {9: 3})
    assert made == tabulate(
        told(),
        "1",
        [{"bits": 8, "a": TableCell.ours(None)}, {"bits": 9, "a": TableCell.ours(3)}],
        bits=8,
    )


def test_rows_have_the_headings_of_the_first() -> None:
    with pytest.raises(ValueError, match="table 1"):
        tabulate(told(), "1", [{"bits": 8, "a": 1}, {"a": 1, "bits": 8}], bits=8)


def test_rows_may_have_some_of_the_headings_of_the_table() -> None:
    figures = told(headings=["bits", "a_x", "a_y"])
    rows: list[Row] = [{"bits": 8}, {"bits": 9, **waiting(figures, "1", "a_")}]
    made = tabulate(figures, "1", rows, bits="some")
    assert made.rows == ((8, EMPTY, EMPTY), (9, TableCell.ours(None), TableCell.ours(None)))
    with pytest.raises(ValueError, match="table 1"):
        tabulate(figures, "1", [{"bits": 8, "b": 1}], bits="some")


@pytest.mark.parametrize("key", KEYS)
def test_every_table_is_told_of_and_every_remark_has_its_place(tmp_path: Path, key: str) -> None:
    paper = PAPERS[key].paper(Measuring(cache=ReadOnlyCache(tmp_path)))
    places = {table.id: {*table.columns, *(row[0] for row in table.rows)} for table in paper.tables}
    figures = PAPERS[key].figures()
    assert figures["tables"].keys() == places.keys()
    for id, known in places.items():
        assert remarks_of(figures, id).keys() <= known, id
