"""Every key of a transcription is read, or stands here with what it is for."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from modmul.papers import KEYS, definition, printed
from modmul.papers.needs import Measuring, ReadOnlyCache
from modmul.papers.registry import PAPERS
from modmul.papers.transcribed import transcribed

Path_ = tuple[str, ...]
# For whoever reads the file: where a figure stands in print, how it was checked, and tools.
WORDS = {"meta", "units", "note", "check", "source", "what", "misprints"}
# Others that no table shows, by paper.
UNREAD = {
    "gallin2019": set(),
    "kuang2016": {
        "table_1.*.format_conversion",  # words, in no unit
        "analysis_in_text.*.data_path_delay",  # is that of Table II
        "analysis_in_text.*.data_path_delay_formula",
        "derived_cells.CFA_area",  # sums of Table I, each in a row of Table II
        "derived_cells.SM3_area",
        "derived_cells.SM3_delay",
        "derived_cells.SR_area",
    },
    "amanor2005": {
        "claim",  # sentences: Tables 1 to 3 have their figures
        "table_3_corrected.*.t_res",  # by our arithmetic, which a test compares with the tables'
        "table_3_corrected.*.t_res_crt_one_multiplier",
        "table_3_corrected.*.t_res_crt_two_multipliers",
    },
    "dualfips": {
        # What tests compare circuits and formulas with.
        "formulas.products_square_gfp",
        "formulas.products_square_gf2m",
        "formulas.clocks_single",
        "formulas.clocks_double",
        "formulas.final_subtraction_clocks",
        "clocks_1024_model",
        "clocks_gf2m_model",
        "exponentiation_model",
        "operations.all products.square_simulated_note",
        "widths_bits.multiplier_operand",  # the word
        # Remarks on what is routed.
        "table2_notes.ecp5",
        "table2_notes.dsps",
        "table2_notes.counted",
        "table2_notes.lut4",
        "table2_notes.all",
    },
    "alkhaleel2006": {
        "table_2.*.cells.*.name",  # beside the sizes that are counted
        "text",  # the example of Figures 5 and 6, which table Partitions has
        "table_5_notes",  # remarks on what is counted
    },
}


class Tracked(dict[str, Any]):
    """A table of figures that notes which keys are asked for, however deep."""

    def __init__(self, table: dict[str, Any], path: Path_, seen: set[Path_]):
        super().__init__(
            {key: tracked(figure, (*path, key), seen) for key, figure in table.items()}
        )
        self._path, self._seen = path, seen

    def __getitem__(self, key: str) -> Any:
        self._seen.add((*self._path, key))
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self._seen.add((*self._path, key))
        return super().get(key, default)

    def __iter__(self) -> Iterator[str]:  # else a copy would pass by __getitem__
        return super().__iter__()

    def values(self) -> Any:
        return [self[key] for key in self]

    def items(self) -> Any:
        return [(key, self[key]) for key in self]


def tracked(value: Any, path: Path_, seen: set[Path_]) -> Any:
    if isinstance(value, dict):
        return Tracked(value, path, seen)
    return (
        [tracked(entry, (*path, "*"), seen) for entry in value]
        if isinstance(value, list)
        else value
    )


def keys(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    """All keys, outer ones first."""
    inside: Iterable[tuple[str, Any]] = ()
    if isinstance(value, dict):
        inside = value.items()
        yield from ((*path, key) for key in value)
    elif isinstance(value, list):
        inside = (("*", entry) for entry in value)
    for key, entry in inside:
        yield from keys(entry, (*path, key))


@pytest.mark.parametrize("key", KEYS)
def test_no_key_of_a_transcription_is_unread(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: set[Path_] = set()

    def read(name: str) -> Any:
        figures = transcribed(name)
        return tracked(figures, (), seen) if name == key else figures

    monkeypatch.setattr(definition, "transcribed", read)
    monkeypatch.setattr(printed, "transcribed", read)
    PAPERS[key].paper(Measuring(cache=ReadOnlyCache(tmp_path), widest=PAPERS[key].widest))
    printed.printed_designs.__wrapped__()
    unread = {path for path in keys(transcribed(key)) if path not in seen}
    unread = {path for path in unread if not any(path[:end] in unread for end in range(len(path)))}
    assert {".".join(path) for path in unread if not WORDS & set(path)} == UNREAD[key]
