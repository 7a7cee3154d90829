"""Where results go: every verb that writes, and places at which nothing may be written."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from example_records import record
from modmul.cli import main
from modmul.errors import SpecError
from modmul.exploration.store import Store
from modmul.export.build import build
from modmul.papers.pictures import drawing, save
from modmul.spec import Spec
from modmul.verification import shown
from modmul.verification.verify import verify

Capture = pytest.CaptureFixture[str]
SPEC = Spec.from_options({"architecture": "interleaved", "modulus": 0x1F3, "interface": "core"})
QUERY, REPORT = ("query", "{}", "SELECT lut FROM points"), ("report", "{}", "--schedules", "0")


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0o027)
    yield
    os.umask(before)


@pytest.fixture
def exploration(tmp_path: Path) -> Path:
    """The directory of an exploration."""
    results = Store(tmp_path / "found")
    with results.writing(""):
        results.put(record({"architecture": "interleaved", "width": 8}))
    return results.root


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def put(place: Path, kind: str) -> None:
    """A device, a FIFO or a link that leads nowhere."""
    if kind == "fifo":
        os.mkfifo(place)
    else:
        place.symlink_to("/dev/null" if kind == "device" else "nowhere")


@pytest.mark.parametrize("kind", ["device", "fifo", "link"])
@pytest.mark.parametrize("words", [QUERY, REPORT], ids=lambda words: words[0])
def test_verbs_refuse_what_is_no_regular_file(
    words: tuple[str, ...], kind: str, exploration: Path, capsys: Capture
) -> None:
    place = exploration.parent / f"{kind}.csv"
    put(place, kind)
    before = place.lstat().st_ino
    assert main([word.format(exploration) for word in words] + ["-o", str(place)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("modmul: output = ") and err.count("\n") == 1
    assert place.lstat().st_ino == before and not place.is_file()


@pytest.mark.parametrize("words", [QUERY, REPORT], ids=lambda words: words[0])
def test_verbs_write_through_links_and_keep_permissions(
    words: tuple[str, ...], exploration: Path, umask: None
) -> None:
    names = ("kept.csv", "link.csv", "fresh's [a].csv")
    regular, link, fresh = (exploration.parent / name for name in names)
    regular.write_text("old")
    regular.chmod(0o600)
    link.symlink_to(regular)
    for place in (link, fresh):
        assert main([word.format(exploration) for word in words] + ["-o", str(place)]) == 0
        assert "lut" in place.read_text().lower()
    assert link.is_symlink() and permissions(regular) == 0o600
    assert permissions(fresh) == 0o640


@pytest.mark.parametrize(
    "words", [REPORT, ("explore", "p256-ecp5"), ("build",), ("verify",)], ids=lambda words: words[0]
)
def test_a_hyphen_is_no_place(
    words: tuple[str, ...], exploration: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(exploration.parent)
    assert main([word.format(exploration) for word in words] + ["--output=-"]) == 2
    assert "standard output" in capsys.readouterr().err
    assert [path.name for path in exploration.parent.iterdir()] == ["found"]


def test_pictures_refuse_devices(tmp_path: Path) -> None:
    put(tmp_path / "a.png", "device")
    with drawing((1, 1)) as figure, pytest.raises(SpecError, match="it is a device"):
        save(figure, tmp_path / "a")
    assert (tmp_path / "a.png").is_char_device()


def test_waveforms_refuse_devices_before_any_work(tmp_path: Path) -> None:
    for name in ("interleaved_9_core.vcd", "interleaved_9_failure.json"):
        place = tmp_path / name.partition(".")[0] / name
        place.parent.mkdir()
        put(place, "fifo")
        with pytest.raises(SpecError, match="it is a FIFO"):
            verify(SPEC, products=0, waveform=True, output=place.parent)
    assert shown.Files(tmp_path, "a", None).case == tmp_path / "a_failure.json"  # type: ignore[arg-type]


def test_an_exploration_keeps_what_its_lock_leads_to(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("somebody's")
    (tmp_path / "found").mkdir()
    (tmp_path / "found" / "lock").symlink_to(other)
    with Store(tmp_path / "found").writing(""):
        pass
    assert other.read_text() == "somebody's"
    (tmp_path / "found" / "lock").unlink()
    os.mkfifo(tmp_path / "found" / "lock")
    with pytest.raises(SpecError, match="FIFO"), Store(tmp_path / "found").writing(""):
        pass


# ---- where nothing was said ---------------------------------------------------------------------

NAME = "interleaved_9"


def test_build_makes_a_directory_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.v").write_text("")
    words = ["build", "--architecture", "interleaved", "--modulus", "0x1f3", "--no-check"]
    assert main(words) == main(words) == 0  # an earlier delivery is replaced
    assert sorted(path.name for path in tmp_path.iterdir()) == [NAME, "mine.v"]
    assert (tmp_path / NAME / f"{NAME}.v").is_file()


@pytest.mark.parametrize("edited", [False, True])
def test_build_leaves_a_directory_that_is_not_its_own(
    edited: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / NAME).mkdir()
    build(SPEC, simulate=False)  # an empty one will do
    for path in (tmp_path / NAME).iterdir():
        if path.is_file() and not edited:
            path.unlink()
    (tmp_path / NAME / f"{NAME}.json").write_text("{}")
    before = sorted(tmp_path.rglob("*"))
    words = ["build", "--architecture", "interleaved", "--modulus", "0x1f3", "--no-check"]
    assert main(words) == 2
    told = f"{NAME} exists and was not created by modmul; choose a directory with -o DIR"
    assert told in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before


def test_build_replaces_no_delivery_of_another_specification(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Whose design has the same name, unless the user names the directory."""
    monkeypatch.chdir(tmp_path)
    words = ["build", "--architecture", "interleaved", "--no-check", "--modulus"]
    assert main([*words, "0x1f3"]) == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert main([*words, "0x1f1"]) == 2
    told = capsys.readouterr().err
    assert f"{NAME} was built with another modulus, 0x1f3; choose a directory with -o DIR" in told
    assert {path: path.read_bytes() for path in before} == before
    assert main([*words, "0x1f1", "-o", NAME]) == 0
    assert main([*words, "0x1f1"]) == 0
    for others in (["--bus", "native"], ["--interface", "core"]):
        assert main([*words, "0x1f1", *others]) == 0
    folders = [NAME, f"{NAME}_core", f"{NAME}_native"]
    assert sorted(path.name for path in tmp_path.iterdir()) == folders


def test_build_keeps_permissions(tmp_path: Path, umask: None) -> None:
    build(SPEC, tmp_path, simulate=False)
    file = tmp_path / f"{NAME}.v"
    assert permissions(file) == 0o640
    file.chmod(0o644)
    build(SPEC, tmp_path, simulate=False)
    assert permissions(file) == 0o644


@pytest.mark.long
def test_verify_makes_a_directory_only_for_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    verify(SPEC, products=0)
    assert list(tmp_path.iterdir()) == []
    verify(SPEC, products=0, waveform=True)
    assert [path.name for path in tmp_path.iterdir()] == [f"{NAME}_verify"]
