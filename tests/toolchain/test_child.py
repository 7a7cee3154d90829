"""Programs that are started: what they print, how they end, and that they end with the starter."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from modmul.errors import NoRoom
from modmul.toolchain import child, scratch
from modmul.toolchain.child import Stopped, TimedOut, Tool

SOURCE = Path(child.__file__).parents[1]
# A shell with a child of its own, which is what a compiler is.
FAMILY = ["sh", "-c", "sleep 1000 & echo begun; wait"]
GRACE = 10.0  # seconds for processes to end


@pytest.fixture(autouse=True)
def reopened() -> Iterator[None]:
    yield
    child.reopen()


def gone(pids: list[int]) -> bool:
    """Whether all of them end in time; dead ones that nobody has waited for have ended."""
    end = time.monotonic() + GRACE
    while time.monotonic() < end:
        if not any(map(alive, pids)):
            return True
        time.sleep(0.02)
    return False


def alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def named(mark: str) -> list[int]:
    """The processes with this word in their command lines."""
    running = psutil.process_iter(["cmdline"])
    return [process.pid for process in running if mark in (process.info["cmdline"] or ())]


def family(pid: int, size: int) -> list[int]:
    """A process and what it started, as soon as that is so many."""
    pids: list[int] = []
    end = time.monotonic() + GRACE
    while len(pids) < size and time.monotonic() < end:
        pids = [pid, *(process.pid for process in psutil.Process(pid).children(recursive=True))]
    assert len(pids) >= size
    return pids


def test_output_and_exit_code(tmp_path: Path) -> None:
    script = "echo out; echo err >&2; pwd; echo $TMPDIR $OWN; exit 3"
    code, output = child.run(["sh", "-c", script], cwd=tmp_path, env={"OWN": "own"})
    assert (code, output) == (3, f"out\nerr\n{tmp_path}\n{tmp_path} own\n")
    assert child.run(["sh", "-c", "echo out; echo err >&2"], errors=False) == (0, "out\n")
    assert child.run([sys.executable, "-c", r"import os; os.write(1, b'\xff')"]) == (0, "\ufffd")
    assert child.run(["sh", "-c", "kill -9 $$"]) == (-9, "")
    with pytest.raises(FileNotFoundError):
        child.run(["/nowhere/program"])


def test_temporary_files_go_where_they_can_be_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "nowhere"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    assert child.run(["sh", "-c", 'test -d "$TMPDIR"']) == (0, "")


def test_nothing_stays_when_a_tool_has_ended() -> None:
    def children() -> set[int]:
        return {process.pid for process in psutil.Process().children(recursive=True)}

    before = children()
    left = child.run(["sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!"])[1]
    assert gone([int(left)]) and children() <= before
    with pytest.raises(FileNotFoundError):
        child.run(["/nowhere/program"])
    assert children() <= before
    with Tool(FAMILY, stdout=subprocess.PIPE) as tool:
        assert tool.stdout and tool.stdout.readline() == b"begun\n"
    assert tool.returncode == -9 and children() <= before


def test_a_time_limit_ends_the_family_and_keeps_the_output() -> None:
    with pytest.raises(TimedOut) as caught:
        child.run(["sh", "-c", "sleep 1000 & echo $!; wait"], timeout=0.5)
    assert gone([int(caught.value.output)])


@pytest.mark.parametrize("attempts", [4, pytest.param(10, marks=pytest.mark.long)])
def test_none_escapes_that_begins_while_the_family_is_ended(attempts: int) -> None:
    mark = f"1000.{os.getpid()}"
    for attempt in range(attempts):
        with pytest.raises(TimedOut):
            child.run(
                ["sh", "-c", f"while :; do sleep {mark} & done"], timeout=0.05 + 0.01 * attempt
            )
        assert gone(named(mark))


def test_a_program_that_leaves_a_process_behind_does_not_hold_the_caller_up() -> None:
    begun = time.monotonic()
    with pytest.raises(TimedOut):  # the pipe stays open
        child.run(["sh", "-c", "sleep 1000 & exit 0"], timeout=0.5)
    assert time.monotonic() - begun < GRACE


def test_stopped_from_another_thread() -> None:
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    begun = time.monotonic()
    with pytest.raises(Stopped):
        child.run(FAMILY, stop=stop)
    assert time.monotonic() - begun < GRACE


def test_stopping_ends_all_and_lets_none_begin() -> None:
    tool = Tool(FAMILY, stdout=subprocess.DEVNULL)
    pids = family(tool.pid, 2)
    child.stop_all()
    assert gone(pids) and tool.wait() == -9
    tool.kill()
    with pytest.raises(Stopped):
        Tool(["true"])
    child.reopen()
    assert child.run(["true"]) == (0, "")


def test_none_escapes_that_begins_while_all_are_ended() -> None:
    """Threads that start programs as fast as they can, and the end in the middle of it."""
    begun: list[Tool] = []

    def begin() -> None:
        while True:
            begun.append(Tool(["sleep", "1000"]))

    with ThreadPoolExecutor(4) as pool:
        threads = [pool.submit(begin) for _ in range(4)]
        time.sleep(0.3)
        child.stop_all()
        assert {type(thread.exception()) for thread in threads} == {Stopped}
    assert len(begun) > 4
    assert gone([tool.pid for tool in begun])
    for tool in begun:
        tool.kill()
        assert tool.returncode == -9


@pytest.mark.parametrize("last", ["os.kill(os.getpid(), 9)", "os._exit(0)", "sys.exit()"])
def test_what_was_started_ends_with_the_starter(last: str) -> None:
    """Also what was started by a thread that has ended, and what ignores signals."""
    program = f"""
import os, sys, threading, time
from modmul.toolchain.child import Tool

tools = []
def begin():
    for script in ("sleep 1000 & wait", "trap '' TERM HUP INT; while :; do sleep 1000; done"):
        tools.append(Tool(["sh", "-c", script], stdout=2))
        print(tools[-1].pid, flush=True)

thread = threading.Thread(target=begin)
thread.start()
thread.join()
sys.stdin.readline()
{last}
"""
    with subprocess.Popen(
        [sys.executable, "-c", program],
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(SOURCE.parent)},
    ) as starter:
        assert starter.stdin is not None and starter.stdout is not None
        first, second = (int(starter.stdout.readline()) for _ in range(2))
        pids = [*family(first, 2), *family(second, 2), os.getpgid(first)]
        time.sleep(0.2)
        assert all(map(alive, pids))  # though their thread has ended
        starter.stdin.write("\n")
        starter.stdin.flush()
    assert gone(pids)


@pytest.mark.parametrize("attempts", [5, pytest.param(50, marks=pytest.mark.long)])
def test_no_tool_escapes_a_kill_at_any_instant(attempts: int) -> None:
    """Of a program that starts tools as fast as it can."""
    mark = f"2000.{os.getpid()}"
    program = f"""
from modmul.toolchain.child import Tool
tools = []
print(flush=True)
while True:
    tools.append(Tool(["sleep", "{mark}"]))
    if len(tools) > 9:
        tools.pop(0).kill()
"""
    for attempt in range(attempts):
        with subprocess.Popen(
            [sys.executable, "-c", program],
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(SOURCE.parent)},
        ) as starter:
            assert starter.stdout and starter.stdout.readline()
            time.sleep(0.03 * (attempt + 1) % 0.5)
            starter.send_signal(signal.SIGKILL)
        time.sleep(0.1)
        assert gone(named(mark))


def test_a_full_disk_is_known_by_what_is_said_and_by_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails = ["sh", "-c", "echo error; exit 1"]
    assert child.run(fails, folder=tmp_path) == (1, "error\n")
    with pytest.raises(NoRoom, match=f"{tmp_path}: no room is left"):
        child.run(["sh", "-c", "echo ld: no space left on device; exit 1"], folder=tmp_path)
    monkeypatch.setattr(scratch, "_NEEDED", 1 << 62)
    with pytest.raises(NoRoom, match=f"{tmp_path}: no room is left"):
        child.run(fails, folder=tmp_path)
    assert child.run(["true"], folder=tmp_path) == (0, "")
    monkeypatch.setattr(scratch.is_full, "__defaults__", (1 << 62,))
    with pytest.raises(NoRoom):  # what it wrote may be half of it
        child.run(["true"], folder=tmp_path)
