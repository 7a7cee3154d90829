"""Files of results: whole or not at all, and only where a regular file stands or nothing."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from modmul.errors import SpecError
from modmul.toolchain import files


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0o027)
    yield
    os.umask(before)


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def make(path: Path, kind: str) -> None:
    """Put something there that is no regular file."""
    if kind == "directory":
        path.mkdir()
    elif kind == "FIFO":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
    elif kind == "link that leads nowhere":
        path.symlink_to("nowhere")
    elif kind == "symbolic links":  # that lead to each other
        path.symlink_to(path.with_name("other"))
        path.with_name("other").symlink_to(path)
    else:
        path.symlink_to("/dev/null")


KINDS = ("directory", "FIFO", "socket", "link that leads nowhere", "symbolic links", "device")


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_regular_file_stays(kind: str, tmp_path: Path) -> None:
    place = tmp_path / "x.html"
    make(place, kind)
    before = {path: path.lstat().st_ino for path in tmp_path.iterdir()}
    with pytest.raises(SpecError, match=kind) as caught:
        files.write(place, "text")
    assert caught.value.key == "output" and caught.value.exit_code == 2
    assert {path: path.lstat().st_ino for path in tmp_path.iterdir()} == before


def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path, umask: None) -> None:
    page, link = tmp_path / "kept" / "page.html", tmp_path / "link.html"
    page.parent.mkdir()
    page.write_text("old")
    page.chmod(0o604)
    link.symlink_to("kept/page.html")
    files.write(link, "new\n")
    assert link.is_symlink() and page.read_bytes() == b"new\n"
    assert permissions(page) == 0o604
    assert [path.name for path in page.parent.iterdir()] == ["page.html"]


def test_a_new_file_has_the_permissions_of_the_umask(tmp_path: Path, umask: None) -> None:
    files.write(tmp_path / "new" / "x", b"bytes")
    assert permissions(tmp_path / "new" / "x") == 0o640


def test_what_is_interrupted_leaves_the_old_file(tmp_path: Path) -> None:
    place = tmp_path / "x"
    place.write_text("old")
    with pytest.raises(KeyboardInterrupt), files.replacing(place) as part:
        part.write_text("half")
        raise KeyboardInterrupt
    assert place.read_text() == "old" and list(tmp_path.iterdir()) == [place]


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1", "a\0b", "x" * 300, "\ud800"])
def test_what_is_no_name_of_a_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SpecError, match="output = "):
        files.check_file(Path(name))
    with pytest.raises(SpecError, match="output = "):
        files.write(Path(name), "")
    assert list(tmp_path.iterdir()) == []


def test_where_standard_output_goes_already(tmp_path: Path) -> None:
    """`modmul report DIR -o x > x`: the file would go while it is written to."""
    with (tmp_path / "x").open("w") as file:
        before = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            with pytest.raises(SpecError, match="output of this program"):
                files.check_file(tmp_path / "x")
        finally:
            os.dup2(before, 1)
            os.close(before)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_is_write_protected(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("old")
    (tmp_path / "x").chmod(0o444)
    with pytest.raises(SpecError, match="write-protected"):
        files.write(tmp_path / "x", "new")


def test_a_directory_that_can_be_made(tmp_path: Path) -> None:
    files.check_writable(tmp_path / "new" / "below")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    for place in (file, file / "below"):
        with pytest.raises(SpecError, match="is not a directory") as caught:
            files.check_writable(place)
        assert caught.value.key == "output"


def test_a_place_that_cannot_hold_files() -> None:
    with pytest.raises(SpecError, match="cannot be written"):
        files.check_writable(Path("/proc/modmul"))
