"""Files in a directory of the user's: whose they are, and what an interruption leaves."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from modmul.errors import SpecError
from modmul.export import hdl
from modmul.export.build import build
from modmul.export.deliver import check_places, deliver, sealed, sha
from modmul.spec import Spec
from modmul.toolchain.cache import Cache


def description(texts: dict[str, str]) -> str:
    files = {file: {"sha256": sha(text)} for file, text in texts.items()}
    return sealed({"modmul": "0", "files": files})


def delivery(content: str, *files: str) -> dict[str, str]:
    """Files with that content, and their description."""
    texts = dict.fromkeys(files, content)
    return texts | {"a.json": description(texts)}


def contents(folder: Path) -> dict[str, str]:
    """All files and what is in them."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_text() for path in files}


def test_a_new_delivery_replaces_the_one_before(tmp_path: Path) -> None:
    first = {"a.v": "1", "sim/b.v": "1"}
    deliver(first | {"a.json": description(first)}, tmp_path)
    second = {"a.v": "2", "sim/b.v": "2"}
    deliver(second | {"a.json": description(second)}, tmp_path)
    assert (tmp_path / "sim" / "b.v").read_text() == "2"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "a.v", "sim"]


def test_what_is_no_longer_delivered_goes(tmp_path: Path) -> None:
    """Unless it was changed, another design has it, or it is not below the directory."""
    names = ("old_tb.v", "edited.v", "shared.v", "new.v")
    out = tmp_path / "out"
    first = dict.fromkeys(names, "1")
    deliver(first | {"a.json": description(first | {"../outside.v": "1"})}, out)
    (out / "b.json").write_text(description({"shared.v": "1"}))
    (out / "edited.v").write_text("2")
    (tmp_path / "outside.v").write_text("1")
    deliver({"new.v": "2", "a.json": description({"new.v": "2"})}, out)
    left = sorted(path.name for path in out.iterdir())
    assert left == ["a.json", "b.json", "edited.v", "new.v", "shared.v"]
    assert (tmp_path / "outside.v").exists()


@pytest.mark.parametrize("place", ["a.v", "sim/b.v"])
def test_a_file_of_the_users_stays(place: str, tmp_path: Path) -> None:
    texts = {"a.v": "1", "sim/b.v": "1", "a.json": "{}"}
    (tmp_path / "sim").mkdir()
    (tmp_path / place).write_text("mine")
    with pytest.raises(SpecError, match="is not what modmul wrote there") as error:
        deliver(texts, tmp_path)
    assert error.value.key == "output"
    assert [str(path) for path in tmp_path.rglob("*") if path.is_file()] == [str(tmp_path / place)]


def test_a_file_changed_since_stays(tmp_path: Path) -> None:
    texts = {"a.v": "1"}
    deliver(texts | {"a.json": description(texts)}, tmp_path)
    (tmp_path / "a.v").write_text("changed by hand")
    with pytest.raises(SpecError, match="is not what modmul wrote there"):
        check_places({"a.v": "2"}, tmp_path)
    check_places({"a.v": "changed by hand"}, tmp_path)


def test_what_is_no_file_stays(tmp_path: Path) -> None:
    (tmp_path / "a.v").mkdir()
    (tmp_path / "sim").write_text("")
    for file, why in (("a.v", "is no plain file"), ("sim/b.v", "is not a directory")):
        with pytest.raises(SpecError, match=why):
            check_places({file: ""}, tmp_path)


@pytest.mark.parametrize("name", ["{}/outside.v", "../outside.v", "sub/../../outside.v", "link.v"])
def test_what_is_outside_is_neither_read_nor_deleted(name: str, tmp_path: Path) -> None:
    """Though a description names it, with its digest."""
    out, outside = tmp_path / "out", tmp_path / "outside.v"
    outside.write_text("1")
    named = name.format(tmp_path)
    deliver({"a.json": description({named: "1"})}, out)
    (out / "link.v").symlink_to(outside)
    deliver({"a.json": description({"b.v": "1"}), "b.v": "1"}, out)
    assert outside.read_text() == "1" and (out / "link.v").is_symlink()


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"files": {"a.v": {"sha256": sha("mine")}}}),
        json.dumps({"modmul": "0", "files": {"a.v": {"sha256": sha("mine")}}}),
        sealed({"modmul": 1, "files": {"a.v": {"sha256": sha("mine")}}}),
        sealed({"modmul": "0", "files": ["a.v"]}),
        "[]",
    ],
)
def test_only_a_description_of_ours_vouches(text: str, tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text(text)
    (tmp_path / "a.v").write_text("mine")
    with pytest.raises(SpecError, match="is not what modmul wrote there"):
        check_places({"a.v": "1"}, tmp_path)
    with pytest.raises(SpecError, match="is not what modmul wrote there"):
        check_places({"package.json": "1"}, tmp_path)


@pytest.mark.parametrize("change", [("0", "1"), ("  ", "   ")])
def test_an_edited_description_stays(change: tuple[str, str], tmp_path: Path) -> None:
    deliver(delivery("1", "a.v"), tmp_path)
    edited = (tmp_path / "a.json").read_text().replace(*change, 1)
    (tmp_path / "a.json").write_text(edited)
    with pytest.raises(SpecError, match=r"a\.json is not what modmul wrote there"):
        deliver(delivery("1", "a.v") | {"a.json": description({"a.v": "1", "b": ""})}, tmp_path)
    assert (tmp_path / "a.json").read_text() == edited


def test_a_link_to_a_directory_is_not_written_through(tmp_path: Path) -> None:
    out, mine = tmp_path / "out", tmp_path / "mine"
    out.mkdir(), mine.mkdir()
    (out / "sim").symlink_to(mine)
    with pytest.raises(SpecError, match="sim is a symbolic link"):
        deliver(delivery("1", "sim/b.v"), out)
    assert not list(mine.iterdir())
    (tmp_path / "link").symlink_to(out)  # the directory itself may be one
    deliver(delivery("1", "a.v"), tmp_path / "link")
    deliver(delivery("2", "a.v"), tmp_path / "link")
    assert (out / "a.v").read_text() == "2"


@pytest.mark.parametrize("suffix", [".md", ".html", ".json", "_timing.svg", "_blocks.svg"])
def test_a_name_that_is_taken_is_refused_before_any_work(
    suffix: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def emit(*given: Any) -> None:
        raise AssertionError("work")

    monkeypatch.setattr(hdl, "emit", emit)
    (tmp_path / f"interleaved_8{suffix}").write_text("mine")
    spec = Spec.from_options({"architecture": "interleaved", "width": 8})
    with pytest.raises(SpecError, match="is not what modmul wrote there"):
        build(spec, tmp_path, cache=Cache(tmp_path / "cache"))


# ---- interrupted --------------------------------------------------------------------------------

FIRST = delivery("1", "a.v", "old.v", "sim/b.v")
SECOND = delivery("2", "a.v", "sim/b.v", "sim/new.v")


def interrupted(texts: dict[str, str], folder: Path, after: int) -> None:
    """`deliver`, ended after it put so many files in their places."""
    calls, right = 0, os.replace

    def some(source: Path, place: Path) -> None:
        nonlocal calls
        if calls == after:
            raise KeyboardInterrupt
        calls += 1
        right(source, place)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "replace", some)
        with pytest.raises(KeyboardInterrupt):
            deliver(texts, folder)


@pytest.mark.parametrize("then", [FIRST, SECOND, delivery("3", "a.v", "third.v")])
@pytest.mark.parametrize("before", [{}, FIRST])
@pytest.mark.parametrize("after", range(5))
def test_an_interrupted_delivery_can_be_followed_by_any(
    after: int, before: dict[str, str], then: dict[str, str], tmp_path: Path
) -> None:
    deliver(before, tmp_path)
    interrupted(SECOND, tmp_path, after)
    deliver(then, tmp_path)
    assert contents(tmp_path) == then


def test_another_design_between_does_not_matter(tmp_path: Path) -> None:
    deliver(FIRST, tmp_path)
    interrupted(SECOND, tmp_path, 3)
    other = {"c.v": "1", "c.json": description({"c.v": "1"})}
    deliver(other, tmp_path)
    deliver(FIRST, tmp_path)
    assert contents(tmp_path) == FIRST | other


def test_a_file_changed_after_an_interruption_stays(tmp_path: Path) -> None:
    interrupted(SECOND, tmp_path, 3)
    (tmp_path / "a.v").write_text("changed by hand")
    with pytest.raises(SpecError, match="is not what modmul wrote there"):
        deliver(FIRST, tmp_path)
