"""Papers whose printed figures are others, to see which figures of ours follow them."""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from modmul.papers.agreement import judged
from modmul.papers.records import Figure, Origin, Paper, TableCell

# What names a design: were it another, so would be the circuit.
LABELS = {"n_bits", "words", "k", "key_size", "bits", "m", "s"}
CHOICES = ("model", "partitions")  # of alkhaleel2006: which circuit is meant
CLAIMS = ("Claims", "II, claims", "IV, claims")  # what is published there may be put in our words


def changed(figures: dict[str, Any]) -> dict[str, Any]:
    """The transcribed figures with every number another one, no two the same, but for labels."""
    used: set[float] = set()
    return _changed(figures, (), used)  # type: ignore[no-any-return]


def _changed(value: Any, path: tuple[str, ...], used: set[float]) -> Any:
    if path == CHOICES or (path and path[-1] in LABELS):
        return value
    if isinstance(value, dict) and {"columns", "rows"} <= value.keys():
        columns = value["columns"]
        rows = [
            [_changed(cell, (*path, name), used) for name, cell in zip(columns, row, strict=True)]
            for row in value["rows"]
        ]
        others = {key: _changed(part, (*path, key), used) for key, part in value.items()}
        return {**others, "columns": columns, "rows": rows}
    if isinstance(value, dict):
        return {key: _changed(part, (*path, key), used) for key, part in value.items()}
    if isinstance(value, list):
        return [_changed(part, path, used) for part in value]
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return value
    step = 1 if isinstance(value, int) else 0.01
    another = value + (value // 3 + 1 if isinstance(value, int) else abs(value) / 4 + step)
    for more in itertools.count():
        candidate = another + more * step
        if isinstance(value, float):
            candidate = round(candidate, 6)
        if candidate not in used:
            used.add(candidate)
            return candidate


def leaves(figures: Any) -> Iterator[Any]:
    """What transcribed figures are made of: numbers, texts and truth values."""
    if isinstance(figures, dict):
        figures = list(figures.values())
    if isinstance(figures, list):
        for part in figures:
            yield from leaves(part)
    else:
        yield figures


def numbers(figures: Any) -> Iterator[float]:
    return (
        leaf
        for leaf in leaves(figures)
        if isinstance(leaf, int | float) and not isinstance(leaf, bool)
    )


def texts(figures: Any) -> Iterator[str]:
    return (leaf for leaf in leaves(figures) if isinstance(leaf, str))


Place = tuple[str, tuple[Figure, ...], str]  # table, labels of the row, column


def cells(paper: Paper) -> dict[Place, TableCell]:
    return {
        (table.id, tuple(label for label in row if not isinstance(label, TableCell)), column): cell
        for table in paper.tables
        for row in table.rows
        for column, cell in zip(table.columns, row, strict=True)
        if isinstance(cell, TableCell)
    }


def ours(cell: TableCell) -> tuple[Figure | None, ...]:
    """What a cell says about our circuits."""
    if cell.origin == Origin.MIXED:
        return ()
    return (cell.computed, cell.measured) if cell.origin == Origin.CIRCUIT else (cell.measured,)


def cells_that_follow_print(before: Paper, after: Paper) -> list[Place]:
    """Cells that claim to be about our circuits, and change when print does.

    ValueError if hardly a cell can be compared."""
    old, new = cells(before), cells(after)
    both = old.keys() & new.keys()
    if len(both) < 0.9 * len(old):
        raise ValueError(f"only {len(both)} of {len(old)} cells are in both")
    return sorted((place for place in both if ours(old[place]) != ours(new[place])), key=str)


def check_ours_do_not_follow_print(
    assemble: Callable[[dict[str, Any], Any], Paper], printed: dict[str, Any], measured: Any
) -> None:
    """With everything measured; some of the figures compared are measured ones."""
    before, after = assemble(printed, measured), assemble(changed(printed), measured)
    wrong = cells_that_follow_print(before, after)
    assert not wrong, wrong
    assert any(cell.measured is not None for cell in cells(before).values())


def not_printed(paper: Paper, figures: dict[str, Any]) -> list[tuple[str, str, str, Figure]]:
    """Cells counted as printed whose figure is not one of the transcribed ones, as it stands there,
    or is compared in another cell, too.  figures: `changed`, and those that the paper was made of:
    no two of them are the same, but for labels."""
    known = Counter(numbers(figures))
    said = set(texts(figures))
    counted = [(table.id, entry) for table in paper.tables for entry in judged(table)]
    seen = Counter(entry.cell.published for _, entry in counted if entry.verdicts)
    wrong = []
    for id, entry in counted:
        figure = entry.cell.published
        assert figure is not None
        if isinstance(figure, str):
            fine = figure in said or id in CLAIMS or _is_formula(id, paper)
        else:
            fine = seen[figure] <= known[figure] and figure in known
        if not fine:
            wrong.append((id, entry.row, entry.column, figure))
    return wrong


def _is_formula(id: str, paper: Paper) -> bool:
    """Transcribed as coefficients, and written out."""
    return (paper.key, id) == ("alkhaleel2006", "II")
