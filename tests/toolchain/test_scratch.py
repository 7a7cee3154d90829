"""Temporary folders: they go with their block, and what killed runs left goes on request."""

import os
import re
from pathlib import Path

import pytest

from modmul.toolchain import scratch


def test_a_folder_is_gone_when_its_block_ends(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), scratch.folder(tmp_path) as folder:
        (folder / "file").write_text("")
        assert folder.parent == tmp_path and folder.name.startswith(".")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_folder_may_be_renamed_or_removed_in_its_block(tmp_path: Path) -> None:
    with scratch.folder(tmp_path) as folder:
        (folder / "file").write_text("")
        os.rename(folder, tmp_path / "kept")
    assert [path.name for path in tmp_path.rglob("*")] == ["kept", "file"]


def test_a_sweep_removes_what_killed_runs_left_and_nothing_else(tmp_path: Path) -> None:
    elsewhere, place = tmp_path / "elsewhere", tmp_path / "place"
    elsewhere.mkdir(), place.mkdir()
    (elsewhere / "file").write_text("precious")
    (place / ".modmul-temporary-link").symlink_to(elsewhere)
    (place / ".modmul-temporary-file").write_text("")
    for name in (".modmul-old", "modmul-p256-x1", ".tmp-1", "notes"):
        (place / name).mkdir()
    before = sorted(place.iterdir())
    (place / ".modmul-temporary-new" / "below").mkdir(parents=True)
    (place / ".modmul-temporary-old" / "below").mkdir(parents=True)
    os.utime(place / ".modmul-temporary-old", (0, 0))
    scratch.sweep(place, 3600.0)
    assert sorted(place.iterdir()) == sorted([*before, place / ".modmul-temporary-new"])
    scratch.sweep(place)
    assert sorted(place.iterdir()) == before
    assert (elsewhere / "file").read_text() == "precious"
    scratch.sweep(tmp_path / "nowhere")


def test_messages_name_a_directory_that_stays(tmp_path: Path) -> None:
    with scratch.folder(tmp_path) as folder, scratch.folder(folder) as inner:
        assert scratch.outside(inner / "below") == tmp_path
    assert scratch.outside(tmp_path) == tmp_path


def test_temporary_folders_are_made_here_alone() -> None:
    """So all have the prefix.  `build` keeps the files of a testbench that failed, and says
    where."""
    package = Path(scratch.__file__).parents[1]
    creation = re.compile(r"\b(mkdtemp|mkstemp|TemporaryDirectory|NamedTemporaryFile)\(")
    users = {
        str(file.relative_to(package))
        for file in package.rglob("*.py")
        if creation.search(file.read_text())
    }
    assert users == {"toolchain/scratch.py", "export/contents.py"}
