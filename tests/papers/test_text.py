"""A paper as text."""

import io

from rich.console import Console

from modmul.papers.records import Paper, Table, TableCell
from modmul.papers.text import render


def test_a_table_without_rows_says_so() -> None:
    """As where everything that it is about is wider than what was asked for."""
    area = TableCell.ours(1.4, published=1.5)
    full = Table("I", "full", ("bits", "area"), ((8, area),))
    empty = Table("II", "empty", ("bits", "area"), ())
    paper = Paper("key", "title", "source", (), (empty, full))
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(render(paper))
    text = console.export_text()
    assert "II: empty" in text and "no rows: nothing of this is printed, or was measured" in text
    assert "1.5 | - | 1.4" in text and text.count("no rows") == 1
