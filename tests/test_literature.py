"""Papers are named in one place, from which files, tables and pages have them."""

import re
from pathlib import Path

import pytest

import modmul
from modmul import multipliers, processors
from modmul.export.hdl import header
from modmul.literature import REFERENCES, Reference, reference
from modmul.multipliers.interleaved import Interleaved
from modmul.papers.definition import Definition
from modmul.papers.registry import KEYS
from modmul.papers.transcribed import transcribed

SOURCE = Path(modmul.__file__).parent
README = Path(__file__).parents[1] / "README.md"
OWN = {"title", "authors", "year", "venue", "published", "doi"}
DOI = re.compile(r"\b10\.\d{4,5}/[A-Za-z0-9.]*[A-Za-z0-9]")


def test_every_source_of_a_design_is_known() -> None:
    designs = [*multipliers.REGISTRY.values(), *processors.REGISTRY.values()]
    assert {key for design in designs for key in design.sources} <= set(REFERENCES)
    assert set(KEYS) <= set(REFERENCES)
    assert all(key == reference.key for key, reference in REFERENCES.items())


def test_one_without_a_record_is_named_by_its_key() -> None:
    assert reference("another2026") == "another2026"


@pytest.mark.parametrize("key", KEYS)
def test_what_is_printed_does_not_say_it_again(key: str) -> None:
    meta = transcribed(key)["meta"]
    assert meta["key"] == key
    assert not OWN & meta.keys()


@pytest.mark.parametrize("key", KEYS)
def test_a_table_and_the_readme_name_the_paper(key: str) -> None:
    told = REFERENCES[key]
    empty = Definition(key, lambda *_: None, ())
    paper = empty.assemble({"meta": {"notes": []}}, None)
    assert (paper.title, paper.source) == (told.title, told.source)
    line = next(line for line in README.read_text().splitlines() if line.startswith(f"- `{key}`: "))
    for part in (told.title, *told.authors, told.published, told.doi or ""):
        assert part in line
    assert ("doi.org" in line) == (told.doi is not None)


def test_the_header_of_a_file_names_the_paper() -> None:
    text = " ".join(header(Interleaved(width=8), "//").replace("//", " ").split())
    assert f"Source: {REFERENCES['amanor2005']}." in text


def test_a_doi_is_said_where_it_is_known() -> None:
    known = Reference("a2026", "Title", ("A. One", "B. Two"), "Journal 1, 2026", "10.1000/1")
    unknown = Reference("b2026", "Title", ("A. One", "B. Two", "C. Three"), "Journal 1, 2026")
    assert known.source == "A. One and B. Two, Journal 1, 2026, doi 10.1000/1"
    assert str(known) == "a2026: A. One, B. Two: Title. Journal 1, 2026. DOI 10.1000/1"
    assert unknown.source == "A. One, B. Two, C. Three, Journal 1, 2026"
    assert str(unknown) == "b2026: A. One, B. Two, C. Three: Title. Journal 1, 2026"


def test_no_other_doi_stands_in_the_program() -> None:
    known = {reference.doi for reference in REFERENCES.values()}
    files = [path for end in ("py", "toml") for path in SOURCE.rglob(f"*.{end}")]
    dois = {doi for path in files for doi in DOI.findall(path.read_text())}
    assert dois == known - {None}
