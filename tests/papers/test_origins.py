"""Cells that claim to be about our circuits follow our circuits, not print; what is counted as
printed stands in the transcription, once."""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import pytest

from changed_figures import cells, cells_that_follow_print, changed, not_printed
from modmul import multipliers
from modmul.multipliers.fips import Fips
from modmul.multipliers.fpmm import Fpmm
from modmul.operation import Cycles
from modmul.papers import KEYS, definition
from modmul.papers.gallin2019.designs import figure1_design
from modmul.papers.needs import Measuring, ReadOnlyCache
from modmul.papers.records import MeasuredCell, Origin, Paper, TableCell
from modmul.papers.registry import PAPERS


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Paper]:
    """A paper without anything measured, from printed figures of any kind."""

    def assembled(key: str, figures: dict[str, Any] | None = None) -> Paper:
        with pytest.MonkeyPatch.context() as patch:
            if figures is not None:
                patch.setattr(definition, "transcribed", lambda _: figures)
            return PAPERS[key].paper(
                Measuring(cache=ReadOnlyCache(tmp_path), widest=PAPERS[key].widest)
            )

    return assembled


def printed(key: str) -> Any:
    return PAPERS[key].figures()


@pytest.mark.parametrize("key", KEYS)
def test_no_cell_about_our_circuits_follows_print(make: Callable[..., Paper], key: str) -> None:
    before, after = make(key), make(key, changed(printed(key)))
    assert cells_that_follow_print(before, after) == []
    both = cells(before)
    moved = {place for place, cell in cells(after).items() if cell != both.get(place)}
    assert any(both[place].origin == Origin.ARITHMETIC for place in moved & both.keys())


@pytest.mark.parametrize("key", KEYS)
def test_a_printed_figure_is_transcribed_and_counted_once(
    make: Callable[..., Paper], key: str
) -> None:
    figures = changed(printed(key))
    assert not_printed(make(key, figures), figures) == []


@pytest.mark.parametrize("key", KEYS)
def test_cells_about_our_circuits_follow_them(
    make: Callable[..., Paper], key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy of a printed figure would stay as it is when the designs declare others."""
    before = cells(make(key))
    for entry in multipliers.REGISTRY.values():
        monkeypatch.setattr(entry, "cycles", longer(entry.cycles))
        monkeypatch.setattr(entry, "interval", apart(entry.interval))
    for owner, name in ((Fpmm, "dsps"), (Fpmm, "loop"), (Fips, "accumulator_bits")):
        monkeypatch.setattr(owner, name, one_more(getattr(owner, name)))
    tasks = property(lambda design: (7, 7, 7))
    monkeypatch.setattr(Fpmm, "dsps_by_task", tasks)
    figure1 = figure1_design().width  # others stay: processors would refuse them
    period = property(lambda design: design.theta + (design.width == figure1))
    monkeypatch.setattr(Fpmm, "issue_slot_period", period)
    after = cells(make(key))
    declared = {
        place: cell.computed
        for place, cell in before.items()
        if cell.origin == Origin.CIRCUIT and None not in (cell.published, cell.computed)
    }
    assert [place for place, figure in declared.items() if after[place].computed == figure] == []
    assert bool(declared) == (key in ("gallin2019", "kuang2016", "dualfips"))


def longer(cycles: Callable[..., dict[str, Cycles]]) -> Callable[..., dict[str, Cycles]]:
    """The same terms, each by 1000 cycles longer."""

    def lengthened(*given: Any, **named: Any) -> dict[str, Cycles]:
        terms = cycles(*given, **named)
        return {name: Cycles(*(bound + 1000 for bound in term)) for name, term in terms.items()}

    return lengthened


def apart(interval: Callable[..., Cycles]) -> Callable[..., Cycles]:
    """8 cycles more."""

    def widened(*given: Any, **named: Any) -> Cycles:
        return Cycles(*(bound + 8 for bound in interval(*given, **named)))

    return widened


def one_more(fact: property | cached_property[int]) -> property:
    get = fact.func if isinstance(fact, cached_property) else fact.fget
    assert get is not None
    return property(lambda design: get(design) + 1)


def test_every_cell_says_where_it_is_from() -> None:
    with pytest.raises(TypeError, match="origin"):
        TableCell(1, 1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="origin"):
        MeasuredCell(1)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("kind", "figures", "origin"),
    [
        (TableCell, (1, 1), Origin.PRINT),
        (TableCell, (1, None, 1), Origin.PRINT),
        (TableCell, (1, 1), Origin.MEASURED),
        (TableCell, (1, 1, 1), Origin.ARITHMETIC),
    ],
)
def test_figures_that_an_origin_does_not_allow(
    kind: type[TableCell], figures: tuple[int, ...], origin: Origin
) -> None:
    with pytest.raises(ValueError, match=f"not with origin {origin}"):
        kind(*figures, origin=origin)
    assert MeasuredCell(1, 1, 1, origin=Origin.ARITHMETIC).measured == 1


def test_the_origin_is_in_the_json(make: Callable[..., Paper]) -> None:
    decoded = msgspec.json.decode(msgspec.json.encode(make("kuang2016")))
    (table,) = [table for table in decoded["tables"] if table["id"] == "II"]
    assert {cell["origin"] for row in table["rows"] for cell in row[1:]} == {"arithmetic"}
