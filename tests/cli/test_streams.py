"""Standard output and standard error that are full, closed, or read by nobody."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import modmul

MODMUL = f"{sys.executable} -m modmul"
WRITERS = ["--version", "--help", "list", "list --json", "list fpmm", "schema", "verify --help"]
pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")


def shell(script: str) -> "subprocess.CompletedProcess[str]":
    path = os.pathsep.join(filter(None, sys.path))
    return subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"PYTHONPATH": path},
    )


@pytest.mark.parametrize("arguments", WRITERS)
@pytest.mark.short("--version", "list --json")
def test_output_that_is_full(arguments: str) -> None:
    done = shell(f"{MODMUL} {arguments} > /dev/full")
    assert done.returncode == 74
    assert done.stderr == "modmul: standard output: No space left on device\n"


@pytest.mark.parametrize("arguments", ["--version", "list --json"])
def test_output_that_is_closed(arguments: str) -> None:
    done = shell(f"{MODMUL} {arguments} >&-")
    assert done.returncode == 74
    assert done.stderr == "modmul: standard output is closed: give it a file, or /dev/null\n"


@pytest.mark.parametrize("arguments", WRITERS)
@pytest.mark.short("--help", "list")
def test_output_that_nobody_reads_any_more(arguments: str) -> None:
    done = shell(f"{MODMUL} {arguments} | true; echo ${{PIPESTATUS[0]}}")
    assert (done.stdout, done.stderr) == ("0\n", "")


@pytest.mark.parametrize("closed", ["2>/dev/full", "2>&-"])
def test_errors_that_cannot_be_said(closed: str) -> None:
    assert shell(f"{MODMUL} --version {closed}").stdout == f"{modmul.__version__}\n"
    assert shell(f"{MODMUL} nonsense {closed}").returncode == 2
    told = shell(f"{MODMUL} nonsense --json {closed}")
    assert told.returncode == 2 and told.stdout.startswith("{")


def test_a_warning_that_cannot_be_said_costs_no_result(tmp_path: Path) -> None:
    """Exit code 74, since something was lost; the result is whole."""
    program = (
        "import sys, warnings; from modmul import catalogue, cli; whole = catalogue.list_designs;"
        " catalogue.list_designs = lambda *a: (warnings.warn('lost'), whole(*a))[1];"
        " sys.exit(cli.main(['list', '--json']))"
    )
    done = shell(f'{sys.executable} -c "{program}" 2>/dev/full')
    assert done.returncode == 74
    assert done.stdout == shell(f"{MODMUL} list --json").stdout


@pytest.mark.parametrize("place", ["> /dev/full", "| true"])
def test_an_error_as_json_that_nobody_gets_is_said(place: str) -> None:
    done = shell(f"{MODMUL} nonsense --json {place}; exit ${{PIPESTATUS[0]}}")
    assert done.returncode == 2
    assert done.stderr.startswith("modmul: verb = 'nonsense'") and done.stderr.count("\n") == 1


def test_files_do_not_get_the_numbers_of_closed_streams(tmp_path: Path) -> None:
    out = tmp_path / "out"
    plain = f"build --architecture interleaved --width 4 --no-check -o {out}"
    assert shell(f"{MODMUL} {plain} <&- 2>&-").returncode == 0
    text = (out / "interleaved_4.v").read_text()
    assert text.splitlines()[0].startswith("// NOT VERIFIED")
    assert text.endswith("endmodule\n\n`default_nettype wire\n")
