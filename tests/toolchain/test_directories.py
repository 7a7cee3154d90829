"""Places for results are checked before any work, and nothing is left behind."""

from pathlib import Path

import pytest

from modmul.errors import SpecError
from modmul.toolchain.directories import check_writable


def test_a_directory_that_can_be_made(tmp_path: Path) -> None:
    check_writable(tmp_path / "new" / "below")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    for place in (file, file / "below"):
        with pytest.raises(SpecError, match="is not a directory") as caught:
            check_writable(place)
        assert caught.value.key == "output"


def test_a_place_that_cannot_hold_files() -> None:
    with pytest.raises(SpecError, match="cannot be written"):
        check_writable(Path("/proc/modmul"))
