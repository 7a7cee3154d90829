"""Disks that are full or read-only: real ones, of a megabyte, where they may be mounted."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import compiled
from example_records import record
from modmul.exploration.store import Store

PLAIN = ["--architecture", "interleaved", "--width", "5", "--interface", "core"]
SPACE = "architecture = 'interleaved'\nwidth = [4, 5]\ninterface = 'core'\nproducts = 20\n"
Disk = Callable[[str], Path]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """Mounts a file system in memory, of the size or with the options asked for."""
    mounted: list[Path] = []

    def mount(options: str) -> Path:
        place = tmp_path / f"disk{len(mounted)}"
        place.mkdir(exist_ok=True)
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
        if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
            pytest.skip("needs the right to mount a file system")
        mounted.append(place)
        return place

    yield mount
    for place in mounted:
        subprocess.run(["umount", str(place)], check=True)


def modmul(*arguments: str, **places: Path) -> "subprocess.CompletedProcess[str]":
    own = {name: str(place) for name, place in places.items()}
    path = os.pathsep.join(filter(None, sys.path))
    return subprocess.run(
        [sys.executable, "-m", "modmul", *arguments],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": path} | own,
    )


def test_a_cache_on_a_full_disk(disk: Disk) -> None:
    """The compiler finds no room for what is to be kept: it works elsewhere, and is heard."""
    place = disk("size=200m")
    compiled.put_into(place)
    (place / "filler").write_bytes(bytes(shutil.disk_usage(place).free - 100_000))
    done = modmul("verify", *PLAIN, "--products", "20", "--json", MODMUL_CACHE=place)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["passed"] is True
    warned = [line for line in done.stderr.splitlines() if "warning" in line]
    assert len(warned) == 1 and str(place) in warned[0] and "going on without it" in warned[0]


@pytest.mark.long
def test_a_cache_that_is_read_only_is_said_once_in_an_exploration(
    disk: Disk, tmp_path: Path
) -> None:
    place = disk("size=200m")
    compiled.put_into(place)
    subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
    (tmp_path / "space.toml").write_text(SPACE)
    command = ["explore", str(tmp_path / "space.toml"), "-o", str(tmp_path / "found"), "-j2"]
    done = modmul(*command, MODMUL_CACHE=place)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("Read-only file system") == 1
    assert len(list((tmp_path / "found" / "points").iterdir())) == 2


LONG = ("verify", "implement", "explore")


@pytest.mark.parametrize(
    "verb", ["build", *(pytest.param(verb, marks=pytest.mark.long) for verb in LONG)]
)
def test_temporary_files_on_a_full_disk(disk: Disk, tmp_path: Path, verb: str) -> None:
    """One message that names the folder, exit code 74, and nothing half made."""
    place, out = disk("size=60k"), tmp_path / "found"
    (tmp_path / "space.toml").write_text(SPACE)
    arguments = {
        "build": [*PLAIN, "-o", str(out)],
        "explore": [str(tmp_path / "space.toml"), "-o", str(out), "-j1"],
    }.get(verb, PLAIN)
    done = modmul(verb, *arguments, TMPDIR=place, MODMUL_CACHE=tmp_path / "cache")
    assert done.returncode == 74, done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("modmul:")]
    assert len(said) == 1 and str(place) in said[0]
    assert "no room is left" in said[0] or "No space left" in said[0]
    assert "Traceback" not in done.stderr
    assert list(place.iterdir()) == []
    assert not list(out.glob("*.v")) and not list(out.glob("points/*"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["build", *PLAIN, "--no-check", "-o"],
        ["query", "{results}", "SELECT 1", "-o"],
        ["report", "{results}", "--pictures"],
        pytest.param(
            ["verify", *PLAIN, "--products", "9", "--waveform", "-o"], marks=pytest.mark.long
        ),
    ],
    ids=lambda words: words[0],
)
@pytest.mark.short("query")
def test_results_on_a_full_disk(disk: Disk, tmp_path: Path, arguments: list[str]) -> None:
    """One message that names what was asked for and no temporary file, exit code 74."""
    place, results = disk("size=1m"), tmp_path / "found"
    with Store(results).writing(""):
        Store(results).put(record({"architecture": "interleaved", "width": 8, "target": "ecp5"}))
    (place / "filler").write_bytes(bytes(shutil.disk_usage(place).free))
    out = place / ("x.csv" if arguments[0] == "query" else "out")
    words = [argument.format(results=results) for argument in arguments]
    done = modmul(*words, str(out))
    assert done.returncode == 74, done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("modmul:")]
    assert len(said) == 1 and str(out) in said[0] and "modmul-temporary" not in said[0]
    assert "no room is left" in said[0] or "No space left" in said[0]
    assert not [path for path in place.rglob("*") if path.is_file() and path.name != "filler"]
