"""The cache: what is put is found, damage is noticed, a disk that refuses never breaks a run."""

import errno
import os
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modmul.errors import NoRoom
from modmul.toolchain import scratch
from modmul.toolchain.cache import Cache, CacheWarning, default_root
from modmul.toolchain.steps import Step, canonical

KEY = {"width": 128, "target": "ecp5", "tools": {"yosys": "0.70"}}
IMPLEMENT, VERIFY, SIMULATOR = (Step(name) for name in ("implement", "verify", "simulator"))
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def hello(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "hello.txt").write_text("hello")


def test_a_record_is_found_again_in_another_process_object(cache: Cache) -> None:
    assert cache.get(IMPLEMENT, KEY) is None
    record = {"lut": 600, "mhz": [328.0, 1 / 3], "modulus": 2**4096 - 1, "none": None}
    cache.put(IMPLEMENT, KEY, record)
    assert Cache(cache.root).get(IMPLEMENT, dict(reversed(KEY.items()))) == record
    assert cache.get(VERIFY, KEY) is None
    assert cache.get(IMPLEMENT, KEY | {"width": 129}) is None


@pytest.mark.parametrize("examples", [25, pytest.param(100, marks=pytest.mark.long)])
def test_canonical_text_does_not_depend_on_the_order_of_keys(examples: int) -> None:
    @settings(max_examples=examples)
    @given(st.dictionaries(st.text(), json_values))
    def same(value: dict) -> None:
        assert canonical(value) == canonical(dict(reversed(value.items())))
        assert VERIFY.address(value) == VERIFY.address(dict(reversed(value.items())))

    same()


def test_the_last_record_put_counts(cache: Cache) -> None:
    cache.put(VERIFY, KEY, {"wrong": 1})
    cache.put(VERIFY, KEY, {"wrong": 0})
    assert cache.get(VERIFY, KEY) == {"wrong": 0}


@pytest.mark.parametrize("damage", ["", "{", "[]", "null", '{"record": {}}', "\ud800"])
def test_a_damaged_record_is_reported_and_removed(cache: Cache, damage: str) -> None:
    cache.put(VERIFY, KEY, {"wrong": 0})
    (path,) = [entry.path for entry in cache.entries()]
    path.write_bytes(damage.encode("utf-8", "surrogatepass"))
    with pytest.warns(CacheWarning, match="made again"):
        assert cache.get(VERIFY, KEY) is None
    assert cache.entries() == []
    cache.put(VERIFY, KEY, {"wrong": 0})
    assert cache.get(VERIFY, KEY) == {"wrong": 0}


def test_a_single_changed_figure_is_noticed(cache: Cache) -> None:
    cache.put(IMPLEMENT, KEY, {"lut": 600})
    (path,) = [entry.path for entry in cache.entries()]
    path.write_text(path.read_text().replace("600", "500"))
    with pytest.warns(CacheWarning, match="damaged"):
        assert cache.get(IMPLEMENT, KEY) is None


def test_a_folder_is_made_once(cache: Cache) -> None:
    folders = []

    def make(folder: Path) -> None:
        folders.append(folder)
        hello(folder)

    first = cache.folder(SIMULATOR, KEY, make)
    assert cache.folder(SIMULATOR, KEY, make) == first
    assert len(folders) == 1
    assert folders[0] != first and not folders[0].exists()
    assert (first / "sub" / "hello.txt").read_text() == "hello"


def test_a_failing_make_leaves_nothing(cache: Cache) -> None:
    def fails(folder: Path) -> None:
        hello(folder)
        raise FileNotFoundError("no compiler")

    with pytest.raises(FileNotFoundError, match="no compiler"):
        cache.folder(SIMULATOR, KEY, fails)
    assert [path for path in cache.root.rglob("*") if path.is_file()] == []


def test_threads_that_make_the_same_folder_all_get_a_whole_one(cache: Cache) -> None:
    def slowly(folder: Path) -> None:
        hello(folder)
        time.sleep(0.05)

    with ThreadPoolExecutor(8) as pool:
        paths = list(pool.map(lambda _: cache.folder(SIMULATOR, KEY, slowly), range(8)))
    assert set(paths) == {cache.root / "simulator" / SIMULATOR.address(KEY)}
    assert [entry.path for entry in cache.entries()] == paths[:1]
    assert len(list((cache.root / "simulator").iterdir())) == 1


NO_ROOM = OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES])
@pytest.mark.parametrize("call", ["mkdir", "replace", "rename"])
def test_what_cannot_be_kept_is_made_once_and_said_once(
    cache: Cache, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    """Where directories, files or names cannot be made: the result is there, and one warning."""

    def refuse(path: Path, *_: object, **__: object) -> None:
        if cache.root in Path(path).parents or Path(path) == cache.root:
            raise OSError(number, os.strerror(number), str(path))
        original(path, *_, **__)

    original, folders = getattr(os, call), []

    def make(folder: Path) -> None:
        folders.append(folder)
        hello(folder)

    monkeypatch.setattr(os, call, refuse)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for step in (SIMULATOR, VERIFY):
            path = cache.folder(step, KEY, make)
            assert (path / "sub" / "hello.txt").read_text() == "hello"
            cache.put(step, KEY, {"wrong": 0})
    assert len(folders) == 2  # what took its time was done once for each
    assert [warning.category for warning in said] == [CacheWarning]
    assert os.strerror(number) in str(said[0].message)


def test_a_tool_that_finds_the_disk_of_the_cache_full_works_elsewhere(cache: Cache) -> None:
    folders = []

    def make(folder: Path) -> None:
        folders.append(folder)
        hello(folder)
        if cache.root in folder.parents:
            raise NoRoom("full", folder)

    with pytest.warns(CacheWarning, match="no room is left"):
        path = cache.folder(SIMULATOR, KEY, make)
    assert (path / "sub" / "hello.txt").read_text() == "hello"
    assert cache.root not in path.parents and not folders[0].exists()

    def full(folder: Path) -> None:
        raise NoRoom("full", folder.parents[1])

    with pytest.raises(NoRoom):  # not of the cache: nothing is tried twice
        cache.folder(VERIFY, KEY, full)


def test_a_folder_that_cannot_be_made_is_none_of_the_cache(cache: Cache) -> None:
    attempts = []

    def full(folder: Path) -> None:
        attempts.append(folder)
        raise NO_ROOM

    with pytest.warns(CacheWarning, match="No space left"), pytest.raises(OSError, match="No sp"):
        cache.folder(SIMULATOR, KEY, full)
    assert len(attempts) == 2 and not any(folder.exists() for folder in attempts)


def test_a_root_that_cannot_be_a_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = Cache(tmp_path / "file" / "cache")
    with pytest.warns(CacheWarning, match="going on without"):
        cache.put(VERIFY, KEY, {"wrong": 0})
        assert (cache.folder(SIMULATOR, KEY, hello) / "sub" / "hello.txt").is_file()
    assert cache.entries() == [] and cache.clear() == 0


def test_a_root_that_cannot_be_looked_at_has_nothing(tmp_path: Path) -> None:
    assert Cache(tmp_path / ("x" * 300)).get(VERIFY, KEY) is None  # longer than a name may be


def test_size_and_clear_touch_entries_only(cache: Cache) -> None:
    cache.put(VERIFY, KEY, {"wrong": 0})
    cache.folder(SIMULATOR, KEY, hello)
    mine = cache.root / "simulator" / "notes.txt"
    mine.write_text("not an entry")
    running = scratch.directory(cache.root / "verify")
    stale = Path(f"{running.name}-of-a-killed-run")
    stale.mkdir()
    (stale / "part").write_text("{")
    os.utime(stale, (0, 0))
    steps, sizes = zip(*((entry.step, entry.size) for entry in cache.entries()), strict=True)
    assert steps == ("simulator", "verify")
    assert cache.clear() == sum(sizes) > 100
    assert cache.entries() == []
    assert mine.exists() and Path(running.name).exists() and not stale.exists()
    running.cleanup()


def test_root_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MODMUL_CACHE", str(tmp_path))
    assert Cache().root == tmp_path
    monkeypatch.delenv("MODMUL_CACHE")
    assert default_root().name == "modmul"


def test_names_of_steps_cannot_leave_the_root(cache: Cache) -> None:
    with pytest.raises(ValueError, match="name of a step"):
        cache.put(Step("../verify"), KEY, {})
