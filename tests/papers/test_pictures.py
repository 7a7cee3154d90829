"""Pictures: whole, the same twice, nothing loaded from elsewhere; and the option for them."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import modmul.papers
from modmul.cli import main
from modmul.errors import SpecError
from modmul.papers.pictures import write
from modmul.papers.records import Paper, Picture, PicturePoint, Series

PLANE = Picture(
    "plane",
    "some designs",
    "plane",
    "time, us",
    "area, slices",
    (
        Series("printed", (PicturePoint(1.0, 200.0, "first"), PicturePoint(2.5, 90.0, "second"))),
        Series("here", (PicturePoint(1.2, 180.0, "first"),)),
    ),
)
BARS = Picture(
    "bars",
    "relative",
    "bars",
    "bits",
    "product",
    (
        Series("one", (PicturePoint(0, 1.0, "32"), PicturePoint(1, 2.0, "64"))),
        Series("two", (PicturePoint(0, 1.5, "32"), PicturePoint(1, 1.0, "64"))),
    ),
)
PAPER = Paper("key2000", "title", "source", (), (), (PLANE, BARS))


def test_written_the_same_twice(tmp_path: Path) -> None:
    first, second = (write(PAPER, tmp_path / name) for name in ("a", "b"))
    names = [path.name for path in first]
    assert names == [
        "key2000_plane.svg",
        "key2000_plane.png",
        "key2000_bars.svg",
        "key2000_bars.png",
    ]
    for file, other in zip(first, second, strict=True):
        assert file.read_bytes() == other.read_bytes()
        if file.suffix == ".png":
            assert file.read_bytes().startswith(b"\x89PNG")
            assert b"Software" not in file.read_bytes()
        else:
            ElementTree.fromstring(file.read_text())
            assert not re.search(r"(?:href|src|url)\s*[=(]\s*[\"']?https?:", file.read_text())
            assert "dc:date" not in file.read_text()
    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == sorted(names)


def test_a_directory_that_cannot_be_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SpecError):
        write(PAPER, tmp_path / "file" / "below")
    monkeypatch.setattr(modmul.papers, "papers", None)
    assert main(["papers", "kuang2016", "--pictures", str(tmp_path / "file" / "below")]) == 2


def test_the_option_writes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fake(key: str, **_: Any) -> Paper:
        return PAPER

    monkeypatch.setattr(modmul.papers, "papers", fake)
    assert main(["papers", "kuang2016", "--pictures", str(tmp_path / "new")]) == 0
    assert len(list((tmp_path / "new").iterdir())) == 4
