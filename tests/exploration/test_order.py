"""Pareto fronts against their definition."""

from hypothesis import given
from hypothesis import strategies as st

from example_records import record
from modmul.exploration.estimates import by_layers, front, fronts
from modmul.exploration.names import figure

TABLES = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.tuples(*[st.integers(1, 6)] * width), max_size=30)
)


def dominates(point: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return point != other and all(a <= b for a, b in zip(point, other, strict=True))


@given(TABLES)
def test_the_front_is_what_none_dominates(table: list[tuple[int, ...]]) -> None:
    wanted = [row for row in table if not any(dominates(other, row) for other in table)]
    assert front(table, lambda row: row) == sorted(wanted)


@given(TABLES)
def test_layers_are_fronts_of_what_is_left(table: list[tuple[int, ...]]) -> None:
    places = by_layers(table)
    assert sorted(places) == list(range(len(table)))
    left = list(places)
    while left:
        rows = [table[place] for place in left]
        layer = [row for row in rows if not any(dominates(other, row) for other in rows)]
        assert sorted(table[place] for place in left[: len(layer)]) == sorted(layer)
        left = left[len(layer) :]


def test_what_lacks_a_figure_is_never_on_the_front_and_sorted_last() -> None:
    items = {"a": (1.0, None), "b": (2.0, 2.0), "c": (1.0, 3.0)}
    assert front(items, lambda name: items[name]) == ["c", "b"]
    assert by_layers([[1.0, float("nan")], [2.0, 2.0], [3.0, 3.0]]) == [1, 2, 0]


def test_a_front_for_each_group() -> None:
    items = [("x", 1, 1), ("y", 5, 5), ("x", 2, 2), ("y", 6, 4)]
    front = fronts(items, lambda item: item[1:], lambda item: item[0])
    assert front == [("x", 1, 1), ("y", 5, 5), ("y", 6, 4)]


def test_figures_by_name() -> None:
    made = record({"width": 8, "architecture": "fpmm", "word": 5}, cells={"LUT4": 7}, lut=3)
    names = ("lut", "width", "spec.word", "cells.LUT4", "chip.cells.LUT4")
    assert [figure(made, name) for name in names] == [3.0, 8.0, 5.0, 7.0, 7.0]
    assert figure(made, "time.period") == 5.0
    without = ("title", "spec.squares", "verified.x", "time.none", "nothing", "adapter.lut", "word")
    assert [figure(made, name) for name in without] == [None] * 7
