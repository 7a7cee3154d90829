"""The directory of an exploration: whole records or none, one writer, the newest of each spec."""

import json
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from example_records import record
from modmul.errors import SpecError
from modmul.exploration import store
from modmul.exploration.database import query
from modmul.exploration.store import Store

OPTIONS = {"architecture": "interleaved", "width": 8}


def test_a_record_comes_back_as_it_was_put(tmp_path: Path) -> None:
    point, results = record(OPTIONS), Store(tmp_path)
    with results.writing("width = 8\n"):
        results.put(point)
    assert results.get(point.key) == point
    assert store.read(tmp_path) == [point]
    assert (tmp_path / "space.toml").read_text() == "width = 8\n"


def changed(**more: object) -> Callable[[Path], None]:
    """A record with other values; of a structure, those of its parts."""

    def change(path: Path) -> None:
        data = json.loads(path.read_bytes())
        for key, value in more.items():
            data[key] = data[key] | value if isinstance(value, dict) else value
        path.write_text(json.dumps(data))

    return change


def text(old: bytes, new: bytes) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        assert old in path.read_bytes()
        path.write_bytes(path.read_bytes().replace(old, new))

    return change


def replaced(make: Callable[[Path], object]) -> Callable[[Path], None]:
    """Something else of the same name."""

    def change(path: Path) -> None:
        path.unlink()
        make(path)

    return change


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "truncated": (lambda path: os.truncate(path, 100), "truncated"),
    "empty": (lambda path: path.write_bytes(b""), "truncated"),
    "a list": (lambda path: path.write_bytes(b"[]"), "Expected `object`"),
    "another type": (changed(width="8"), "Expected `int`"),
    "a field missing": (text(b'"sources"', b'"source"'), "missing required field"),
    "no UTF-8": (text(b'"interleaved', b'"\xff\xfe'), "utf-8"),
    "half a pair": (text(b'"interleaved', b'"\\ud800'), "surrogate"),
    "nested": (text(b'"key"', b'"more":' + b"[" * 9999 + b"]" * 9999 + b',"key"'), "recursion"),
    "another key": (changed(key="f" * 64), "that of another file"),
    "a word for a number": (changed(spec={"width": "abc"}), "spec.width is no int"),
    "a list in the spec": (changed(spec={"modulus": [1]}), "spec.modulus is no str"),
    "an object in the spec": (changed(spec={"new": {}}), "spec.new is no int or bool or str"),
    "a large number in the spec": (changed(spec={"slots": 1 << 64}), "more than 64 bits"),
    "a file": (changed(spec={"modulus": "@/dev/zero"}), "spec.modulus names a file"),
    "a curve in a file": (changed(spec={"curve": " @/dev/zero"}), "spec.curve names a file"),
    "a large number": (changed(chip={"lut": 10**15 + 1}), "lut = 1e\\+15"),
    "less than nothing": (changed(area={"value": -1.0}), "area.value = -1"),
    "no time": (changed(time={"period": 0}), "time.period = 0"),
    "a directory": (replaced(Path.mkdir), "no file"),
    "a pipe": (replaced(os.mkfifo), "no file"),
    "a device": (replaced(lambda path: path.symlink_to("/dev/zero")), "no file"),
    "a link to nothing": (replaced(lambda path: path.symlink_to("nothing")), "no file"),
    "too large": (lambda path: os.truncate(path, 1 << 40), "more than 16 MiB"),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.short(
    "truncated",
    "a field missing",
    "no UTF-8",
    "another key",
    "a word for a number",
    "an object in the spec",
    "a curve in a file",
    "a large number",
    "a pipe",
    "a device",
    "too large",
)
def test_a_damaged_record_is_none(tmp_path: Path, damage: str) -> None:
    """And is named; nothing is waited for, and the others are read."""
    first, other, results = record(OPTIONS), record(OPTIONS | {"width": 9}), Store(tmp_path)
    with results.writing(""):
        results.put(first)
        results.put(other)
    path = results.points / f"{first.key}.json"
    change, message = DAMAGES[damage]
    change(path)
    named = re.escape(f"{path}: is damaged")
    with pytest.warns(UserWarning, match=f"{named}.*{message}.*measured again"):
        assert results.get(first.key) is None
    with pytest.warns(UserWarning, match=f"{named}.*{message}.*left out"):
        assert store.read(tmp_path) == [other]
    with pytest.warns(UserWarning, match=named) as told:
        assert query(tmp_path, "SELECT width FROM points").rows == [(9,)]
    assert len(told) == 1


def test_records_in_another_shape_are_told_and_left_out(tmp_path: Path) -> None:
    """As those of shape 1, which had the figures themselves and did not say their shape."""
    results, records = Store(tmp_path), [record(OPTIONS | {"width": width}) for width in (8, 9, 10)]
    with results.writing(""):
        for point in records:
            results.put(point)
    for point, shape in zip(records, ({}, {"shape": 2}, {"shape": 3}), strict=True):
        path = results.points / f"{point.key}.json"
        fields = json.loads(path.read_bytes())
        del fields["shape"]
        path.write_text(json.dumps({"lut": 5} | fields | shape))
    with pytest.warns(UserWarning, match="2 records are of another version of modmul") as told:
        assert store.read(tmp_path) == records[2:]
    assert len(told) == 1


def test_a_record_that_is_not_there_is_none_without_a_word(tmp_path: Path) -> None:
    with warnings.catch_warnings(action="error"):
        assert Store(tmp_path).get("0" * 64) is None


def test_a_lock_that_is_a_link_harms_nothing(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("mine")
    results = Store(tmp_path / "found")
    results.root.mkdir()
    (results.root / store.LOCK).symlink_to(mine)
    with results.writing(""):
        pass
    assert mine.read_text() == "mine"


def test_what_was_left_half_written_goes(tmp_path: Path) -> None:
    results = Store(tmp_path)
    with results.writing(""):
        left = results.points / ".modmul-temporary-left"
        left.mkdir()
        (left / "part.json").write_text("{")
    with results.writing(""):
        assert list(results.points.iterdir()) == []


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = Store(tmp_path)

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with results.writing(""):
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            results.put(record(OPTIONS))
        assert list(results.points.iterdir()) == []


def test_the_newest_of_each_spec_and_options(tmp_path: Path) -> None:
    old, results = record(OPTIONS), Store(tmp_path)
    new = msgspec.structs.replace(old, key="f" * 64, finished="2999-01-01T00:00:00+00:00")
    other = record(OPTIONS | {"width": 9})
    with results.writing(""):
        for point in (new, old, other):
            results.put(point)
    assert sorted(point.key for point in store.read(tmp_path)) == sorted([new.key, other.key])
    assert len(results.records()) == 3


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from pathlib import Path; from modmul.exploration.store import Store\n"
            f"with Store(Path({str(tmp_path)!r})).writing(''): print('held', flush=True);"
            " sys.stdin.read()",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with (
        pytest.raises(SpecError, match="another exploration is writing"),
        Store(tmp_path).writing(""),
    ):
        pass
    holder.kill()  # a lock goes with its process
    holder.communicate()
    with Store(tmp_path).writing(""):
        pass


def test_no_exploration_there(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no exploration is there"):
        store.read(tmp_path / "none")
