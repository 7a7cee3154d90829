"""The reader of Liberty's syntax."""

from __future__ import annotations

import pytest

from modmul.targets.libraries.syntax import parse

TEXT = r"""
/* a comment : with { braces } */
library (one) {   // another
  time_unit : "1ns" ;
  capacitive_load_unit (1, pf);
  area_without_semicolon : 2.5
  define ("own", "cell", "string");
  cell (A) { area : 1.0 * 2; pin (X, Y) { function : "(A B)'"; values ("1, 2", \
     "3, \
4"); } }
  cell ("B") { }
}
"""


def test_groups_attributes_and_lists() -> None:
    (library,) = parse(TEXT)
    assert (library.kind, library.arguments) == ("library", ["one"])
    assert library.values["time_unit"] == ["1ns"]
    assert library.values["capacitive_load_unit"] == [["1", "pf"]]
    assert library.values["area_without_semicolon"] == ["2.5"]
    first, second = library.of_kind("cell")
    assert first.values["area"] == ["1.0 * 2"]
    (pin,) = first.of_kind("pin")
    assert pin.arguments == ["X", "Y"]
    assert pin.values["function"] == ["(A B)'"]
    (rows,) = pin.values["values"]
    assert [row.split() for row in rows] == [["1,", "2"], ["3,", "4"]]
    assert (second.arguments, second.values, second.groups) == (["B"], {}, [])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("library (a) { cell (b) {", "ends early"),
        ("library (a) }", "'}'"),
        ("library { }", "'{'"),
        ("library (a { })", "'{'"),
        ('library (a) { x : "open ; }', "'\"'"),
    ],
)
def test_what_is_no_liberty_file(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse(text)
