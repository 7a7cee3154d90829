"""The directory of an exploration: whole records or none, one writer, the newest of each spec."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from made_records import record
from modmul.errors import SpecError
from modmul.exploration import store
from modmul.exploration.store import Store
from modmul.toolchain.files import PREFIX

OPTIONS = {"architecture": "interleaved", "width": 8}


def test_a_record_comes_back_as_it_was_put(tmp_path: Path) -> None:
    one, kept = record(OPTIONS), Store(tmp_path)
    with kept.writing("width = 8\n"):
        kept.put(one)
    assert kept.get(one.key) == one
    assert store.read(tmp_path) == [one]
    assert (tmp_path / "space.toml").read_text() == "width = 8\n"


def test_a_damaged_record_is_none(tmp_path: Path) -> None:
    one, kept = record(OPTIONS), Store(tmp_path)
    with kept.writing(""):
        kept.put(one)
    path = kept.points / f"{one.key}.json"
    path.write_bytes(path.read_bytes()[:100])
    assert kept.get(one.key) is None
    with pytest.warns(UserWarning, match="is damaged"):
        assert store.read(tmp_path) == []


def test_what_was_left_half_written_goes(tmp_path: Path) -> None:
    kept = Store(tmp_path)
    with kept.writing(""):
        left = kept.points / f"{PREFIX}left"
        left.mkdir()
        (left / "part.json").write_text("{")
    with kept.writing(""):
        assert list(kept.points.iterdir()) == []


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Store(tmp_path)

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with kept.writing(""):
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            kept.put(record(OPTIONS))
        assert list(kept.points.iterdir()) == []


def test_the_newest_of_each_spec_and_options(tmp_path: Path) -> None:
    old, kept = record(OPTIONS), Store(tmp_path)
    new = msgspec.structs.replace(old, key="f" * 64, finished="2999-01-01T00:00:00+00:00")
    other = record(OPTIONS | {"width": 9})
    with kept.writing(""):
        for one in (new, old, other):
            kept.put(one)
    assert sorted(one.key for one in store.read(tmp_path)) == sorted([new.key, other.key])
    assert len(kept.records()) == 3


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c",
         "import sys; from pathlib import Path; from modmul.exploration.store import Store\n"
         f"with Store(Path({str(tmp_path)!r})).writing(''): print('held', flush=True);"
         " sys.stdin.read()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(SpecError, match="another exploration is writing"), Store(tmp_path).writing(
        ""
    ):
        pass
    holder.kill()  # a lock goes with its process
    holder.communicate()
    with Store(tmp_path).writing(""):
        pass


def test_no_exploration_there(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no exploration is there"):
        store.read(tmp_path / "none")
