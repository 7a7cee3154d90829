"""Temporary folders: those of processes that are gone go, and no others."""

import fcntl
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from modmul.toolchain import scratch
from modmul.toolchain.scratch import Scratch

KILLED = """
import os, sys
from pathlib import Path
from modmul.toolchain.scratch import Scratch
made = Scratch(Path(sys.argv[1]))
(made.path / "below").mkdir()
(made.path / "below" / "file").write_text("half")
print(made.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def unseen() -> None:
    scratch._sweep_once.cache_clear()


def process(directory: Path) -> tuple["subprocess.Popen[str]", Path]:
    """Another process with a folder in a directory."""
    began = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(directory)],
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(Path(scratch.__file__).parents[2])},
    )
    assert began.stdout is not None
    return began, Path(began.stdout.readline().strip())


def test_a_folder_is_gone_when_its_block_ends(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), scratch.folder(tmp_path) as folder:
        (folder / "file").write_text("")
        assert folder.parent == tmp_path and folder.name.startswith(".")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_goes_and_what_a_living_one_has_stays(tmp_path: Path) -> None:
    dead, left = process(tmp_path)
    living, held = process(tmp_path)
    dead.kill(), dead.communicate()
    assert left.is_dir() and held.is_dir()
    with scratch.folder(tmp_path):
        assert not left.exists()
        assert (held / "below" / "file").read_text() == "half"
    living.kill(), living.communicate()
    scratch.sweep(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_nothing_else_is_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file").write_text("precious")
    place = tmp_path / "place"
    place.mkdir()
    (place / ".modmul-scratch-link").symlink_to(elsewhere)
    (place / ".modmul-scratch-file").write_text("")
    for name in (".modmul-old", "modmul-p256-x1", ".tmp-1", "notes"):
        (place / name).mkdir()
    before = sorted(place.iterdir())
    scratch.sweep(place)
    assert sorted(place.iterdir()) == before
    assert (elsewhere / "file").read_text() == "precious"
    (place / ".modmul-scratch-theirs").mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    scratch.sweep(place)
    assert (place / ".modmul-scratch-theirs").exists()


def test_where_there_are_no_locks_nothing_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", none)
    with scratch.folder(tmp_path) as folder:
        scratch.sweep(tmp_path)
        assert folder.exists()
    assert list(tmp_path.iterdir()) == []


def test_makers_and_removers_at_the_same_time(tmp_path: Path) -> None:
    """Nobody loses a folder that is in use."""

    def make(number: int) -> bool:
        with scratch.folder(tmp_path) as folder:
            (folder / "file").write_text(str(number))
            scratch.sweep(tmp_path)
            return (folder / "file").read_text() == str(number)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(make, range(400)))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_was_renamed_stays(tmp_path: Path) -> None:
    folder = Scratch(tmp_path)
    (folder.path / "file").write_text("")
    os.rename(folder.path, tmp_path / "kept")
    folder.release()
    scratch.sweep(tmp_path)
    assert [path.name for path in tmp_path.rglob("*")] == ["kept", "file"]


def test_messages_name_a_directory_that_stays(tmp_path: Path) -> None:
    with scratch.folder(tmp_path) as folder:
        assert scratch.outside(folder / "below") == tmp_path
    assert scratch.outside(tmp_path) == tmp_path


def test_temporary_folders_are_made_here_alone() -> None:
    """What another way makes is left behind by a process that is killed.  `build` keeps the files
    of a testbench that failed, and says where."""
    package = Path(scratch.__file__).parents[1]
    creation = re.compile(r"\b(mkdtemp|mkstemp|TemporaryDirectory|NamedTemporaryFile)\(")
    users = {
        str(file.relative_to(package))
        for file in package.rglob("*.py")
        if creation.search(file.read_text())
    }
    assert users == {"toolchain/scratch.py", "export/contents.py"}
