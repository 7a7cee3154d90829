"""What is shown beside an implementation: the printed rows of the same width, unchanged."""

from modmul.papers import gallin2019
from modmul.papers.beside import beside
from modmul.spec import Spec


def test_every_row_of_table_two_stands_beside_a_multiplier_of_its_width() -> None:
    printed = gallin2019.figures()["fpmm"]["rows"]
    for width in (128, 256):
        rows = beside(Spec.from_options({"width": width}).multiplier)
        assert [(row.design, row.lut, row.ff, row.mhz, row.latency, row.eight_ns)
                for row in rows] == [
            (row[1], row[4], row[5], row[9], row[10], row[11]) for row in printed if row[0] == width
        ]
    assert rows[-1].chip == "XC7VX690T"
    assert {row.dsp for row in rows} == {9}


def test_nothing_is_shown_where_nothing_was_printed() -> None:
    assert beside(Spec.from_options({"width": 100}).multiplier) == []
    plain = {"architecture": "interleaved", "width": 128}
    assert beside(Spec.from_options(plain).multiplier) == []
