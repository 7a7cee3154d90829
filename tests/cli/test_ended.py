"""Runs that are ended from outside: no tool goes on, nothing half-written stays, and the next run
goes on.

Real processes; those of a run are known by a variable of their environment."""

import os
import random
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

import compiled

PLAIN = ["--architecture", "interleaved", "--width", "6", "--interface", "core"]
WIDE = ["--architecture", "fcs-mmm42", "--width", "2048"]  # takes the tool seconds
ROUTED = ["implement", *PLAIN, "--target", "ecp5", "--seeds", "2"]
SPACE = "architecture = 'interleaved'\nwidth = [6, 7, 8]\ntarget = 'ecp5'\ninterface = 'core'\n"
_LOOK = 0.1  # seconds between looks at all processes, which cost a hundredth each
PATIENCE = 120.0  # seconds until a tool runs, on a machine that may be busy
BOUND = 10.0  # seconds for everything to end
AFTER = 2.0  # seconds in which the tools end after the program
ENDS = {signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGINT: 130, signal.SIGKILL: -9}


class CommandLine:
    """A command line in places of its own, with an empty cache."""

    def __init__(self, root: Path):
        self.root, self.mark = root, uuid.uuid4().hex
        self.scratch, self.cache = root / "scratch", root / "cache"
        self.scratch.mkdir()
        self.environment = os.environ | {
            "MARK": self.mark,
            "TMPDIR": str(self.scratch),
            "MODMUL_CACHE": str(self.cache),
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }

    def start(self, *command: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            command,
            cwd=self.root,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )

    def modmul(self, *arguments: str) -> "subprocess.Popen[str]":
        return self.start(sys.executable, "-m", "modmul", *arguments)

    def processes(self) -> dict[int, str]:
        """Command lines of all that runs for it."""
        running = {}
        for process in psutil.process_iter():
            try:
                if process.environ().get("MARK") == self.mark and process.status() != "zombie":
                    running[process.pid] = " ".join(process.cmdline())
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
        return running

    def wait_for(self, tool: str) -> None:
        end = time.monotonic() + PATIENCE
        while not any(tool in command for command in self.processes().values()):
            assert time.monotonic() < end, f"no {tool}: {self.processes()}"
            time.sleep(_LOOK)

    def wait_for_nothing(self) -> None:
        end = time.monotonic() + AFTER
        while running := self.processes():
            assert time.monotonic() < end, running
            time.sleep(_LOOK)

    def left(self) -> list[str]:
        """Temporary folders, in all places."""
        places = (self.scratch, self.root, *self.cache.glob("*"), *self.root.glob("out/**"))
        folders = [path for place in places for path in place.glob(".modmul-temporary-*")]
        return [str(path) for path in [*folders, *self.scratch.iterdir()]]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[CommandLine]:
    command_line = CommandLine(tmp_path)
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # ignored where nohup runs the tests
    yield command_line
    signal.signal(signal.SIGHUP, before)
    for pid in command_line.processes():
        os.kill(pid, signal.SIGKILL)


def long(*values: Any) -> Any:
    """A case that `make delivery` runs."""
    return pytest.param(*values, marks=pytest.mark.long)


@pytest.mark.parametrize(
    ("arguments", "tool", "sign"),
    [
        long(ROUTED, "yowasp_nextpnr", signal.SIGTERM),
        long(ROUTED, "yowasp_nextpnr", signal.SIGKILL),
        long(ROUTED, "libyosys", signal.SIGHUP),
        (["verify", *PLAIN], "cc1plus", signal.SIGINT),
        (["verify", *PLAIN], "cc1plus", signal.SIGKILL),
        long(["verify", *WIDE], "verilator_bin", signal.SIGTERM),
        long(["build", *PLAIN, "-o", "out"], "libyosys", signal.SIGKILL),
        long(["explore", "space.toml", "-o", "out", "-j2"], "cc1plus", signal.SIGTERM),
        (["explore", "space.toml", "-o", "out", "-j2"], "cc1plus", signal.SIGKILL),
    ],
    ids=lambda value: value.name if isinstance(value, signal.Signals) else None,
)
@pytest.mark.short("arguments4-cc1plus-SIGKILL")
def test_nothing_goes_on(
    run: CommandLine, arguments: list[str], tool: str, sign: signal.Signals
) -> None:
    (run.root / "space.toml").write_text(SPACE)
    begun = run.modmul(*arguments)
    run.wait_for(tool)
    begun.send_signal(sign)
    _, said = begun.communicate(timeout=BOUND)
    run.wait_for_nothing()
    assert begun.returncode == ENDS[sign]
    if sign is signal.SIGKILL:  # temporary folders may stay
        for next_one in (["build", *PLAIN, "-o", "out", "--no-check"], ["cache", "--clear"]):
            after = run.modmul(*next_one)
            _, said = after.communicate(timeout=PATIENCE)
            assert after.returncode == 0, said
    else:
        how = "interrupted" if sign is signal.SIGINT else f"ended by {sign.name}"
        assert f"modmul: {how}\n" in said
        assert "Traceback" not in said and "never used" not in said
        assert run.left() == []


BUILD, VERIFY = ["build", *PLAIN, "-o", "out"], ["verify", *PLAIN, "--products", "2000"]
EXPLORE = ["explore", "space.toml", "-o", "out", "-j2"]


@pytest.mark.parametrize(
    ("arguments", "sign"),
    [
        (BUILD, signal.SIGKILL),
        (VERIFY, signal.SIGTERM),
        long(EXPLORE, signal.SIGKILL),
        long(BUILD, signal.SIGINT),
        long(BUILD, signal.SIGTERM),
        long(VERIFY, signal.SIGINT),
        long(VERIFY, signal.SIGKILL),
        long(EXPLORE, signal.SIGINT),
        long(EXPLORE, signal.SIGTERM),
    ],
    ids=lambda value: value.name if isinstance(value, signal.Signals) else value[0],
)
def test_a_run_ended_at_any_instant(
    run: CommandLine, arguments: list[str], sign: signal.Signals
) -> None:
    (run.root / "space.toml").write_text(SPACE)
    compiled.put_into(run.cache)
    instants = random.Random(f"{arguments[0]} {sign.name}")
    written: dict[Path, bytes] = {}
    for _ in range(10 if os.environ.get("CONFORMANCE") else 2):
        begun = run.modmul(*arguments)
        time.sleep(instants.uniform(0.0, 8.0))
        begun.send_signal(sign)
        begun.communicate(timeout=BOUND)
        run.wait_for_nothing()
        # before it handles signals, Python's own handlers end it
        assert begun.returncode in (0, ENDS[sign], -sign, 1)
        written |= {file: file.read_bytes() for file in results(run.root / "out")}
    after = run.modmul(*arguments)
    _, said = after.communicate(timeout=PATIENCE)
    assert after.returncode == 0, said
    assert {
        file: file.read_bytes() for file in results(run.root / "out")
    }.items() >= written.items()


def results(directory: Path) -> list[Path]:
    """The files of a delivery, or the records of an exploration."""
    files = [*directory.glob("interleaved_6*"), *directory.glob("points/*.json")]
    return [file for file in files if file.is_file()]


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGKILL], ids=lambda sign: sign.name)
@pytest.mark.short("SIGKILL")
def test_a_simulator_at_work(run: CommandLine, sign: signal.Signals) -> None:
    compiled.put_into(run.cache)
    begun = run.modmul("verify", *PLAIN, "--products", "100000000")
    run.wait_for("/simulator/")
    begun.send_signal(sign)
    begun.communicate(timeout=BOUND)
    run.wait_for_nothing()
    assert begun.returncode == ENDS[sign]


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM], ids=lambda sign: sign.name)
@pytest.mark.short("SIGTERM")
def test_a_golden_model_that_takes_long(run: CommandLine, sign: signal.Signals) -> None:
    compiled.put_into(run.cache)
    program = f"""
import pathlib, sys
from modmul import cli
from modmul.multipliers.interleaved import Interleaved

def compute(*given):
    pathlib.Path("judging").touch()
    while True:
        pass

Interleaved.compute = compute
sys.exit(cli.main(["verify", *{PLAIN}]))
"""
    begun = run.start(sys.executable, "-c", program)
    end = time.monotonic() + PATIENCE
    while not (run.root / "judging").exists():
        assert begun.poll() is None and time.monotonic() < end
        time.sleep(_LOOK)
    begun.send_signal(sign)
    begun.communicate(timeout=BOUND)
    run.wait_for_nothing()
    assert begun.returncode == ENDS[sign]


def test_a_terminal_that_is_closed(run: CommandLine) -> None:
    """What shows the terminal is killed, so the system hangs it up."""
    show = "import pty, sys; pty.spawn(sys.argv[1:])"
    terminal = run.start(
        sys.executable, "-c", show, sys.executable, "-m", "modmul", "verify", *PLAIN
    )
    run.wait_for("cc1plus")
    terminal.kill()
    terminal.communicate()
    run.wait_for_nothing()
    assert run.left() == []


@pytest.mark.long
def test_a_run_without_a_hangup(run: CommandLine) -> None:
    """As under `nohup`: a signal that was ignored before stays so."""
    command = f"trap '' HUP; exec {sys.executable} -m modmul verify {' '.join(PLAIN)}"
    begun = run.start("sh", "-c", command)
    run.wait_for("cc1plus")
    begun.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    assert begun.poll() is None
    begun.send_signal(signal.SIGTERM)
    begun.communicate(timeout=BOUND)
    assert begun.returncode == 143
    run.wait_for_nothing()


def test_an_interrupt_in_elaboration_says_nothing_of_halves(run: CommandLine) -> None:
    """A design of which parts are made but not yet used."""
    program = """
import os, signal, sys
from amaranth.hdl import Elaboratable, Fragment, Module
from modmul import catalogue, cli

class Half(Elaboratable):
    def elaborate(self, platform):
        return Module()

def interrupted():
    Fragment.get(Half(), None)  # from then on Amaranth tells what is never used
    half = Half()
    os.kill(os.getpid(), signal.SIGINT)
    while True:
        pass

catalogue.list_designs = interrupted
sys.exit(cli.main(["list"]))
"""
    begun = run.start(sys.executable, "-c", program)
    _, said = begun.communicate(timeout=PATIENCE)
    assert (begun.returncode, said) == (130, "modmul: interrupted\n")


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM], ids=lambda sign: sign.name)
def test_a_signal_while_objects_are_deleted(run: CommandLine, sign: signal.Signals) -> None:
    """Python drops what is raised there; the run ends where it would start a tool."""
    program = f"""
import os, sys
from modmul import catalogue, cli
from modmul.toolchain import child

class Last:
    def __del__(self):
        os.kill(os.getpid(), {int(sign)})
        for _ in range(1000):
            pass

def slow():
    last = Last()
    del last
    child.run(["sleep", "100"])

catalogue.list_designs = slow
sys.exit(cli.main(["list"]))
"""
    begun = run.start(sys.executable, "-c", program)
    _, said = begun.communicate(timeout=PATIENCE)
    how = "interrupted" if sign is signal.SIGINT else "ended by SIGTERM"
    assert begun.returncode == ENDS[sign] and said.endswith(f"\nmodmul: {how}\n")
