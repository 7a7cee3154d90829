"""Programs that are started: what they print, how they end, and that they end with the starter."""

import os
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
from modmul.toolchain import child, disk_space, guardian
from modmul.toolchain.child import Stopped, TimedOut

SOURCE = Path(child.__file__).parents[1]
# A shell with a child of its own, which is what a compiler is.
FAMILY = ["sh", "-c", "sleep 1000 & echo begun; wait"]
GRACE = 10.0  # seconds for processes to end


@pytest.fixture(autouse=True)
def reopened() -> Iterator[None]:
    yield
    guardian.reopen()


def gone(pids: list[int]) -> bool:
    """Whether all of them end in time; dead ones that nobody has waited for have ended."""
    end = time.monotonic() + GRACE
    while time.monotonic() < end:
        alive = [pid for pid in pids if psutil.pid_exists(pid)]
        if all(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE for pid in alive):
            return True
        time.sleep(0.02)
    return False


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
    with pytest.raises(FileNotFoundError):
        child.run(["/nowhere/program"])


def test_temporary_files_go_where_they_can_be_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "nowhere"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    assert child.run(["sh", "-c", 'test -d "$TMPDIR"']) == (0, "")


def test_a_time_limit_ends_the_family_and_keeps_the_output() -> None:
    with pytest.raises(TimedOut) as caught:
        child.run(["sh", "-c", "sleep 1000 & echo $!; wait"], timeout=0.5)
    assert gone([int(caught.value.output)])


@pytest.mark.parametrize("attempts", [4, pytest.param(10, marks=pytest.mark.long)])
def test_none_escapes_that_begins_while_the_family_is_ended(attempts: int) -> None:
    script = f"while :; do sleep 1000.{os.getpid()} & done"
    for attempt in range(attempts):
        with pytest.raises(TimedOut):
            child.run(["sh", "-c", script], timeout=0.05 + 0.01 * attempt)
        for process in psutil.process_iter(["cmdline", "status"]):
            if process.info["status"] != psutil.STATUS_ZOMBIE:
                assert f"1000.{os.getpid()}" not in (process.info["cmdline"] or [])


def test_none_stays_suspended_when_its_parent_is_gone_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The guardian may kill a program that is being ended, and another thread wait for it."""
    process = child.start(FAMILY, stdout=subprocess.DEVNULL)
    pids, children = family(process.pid, 2), psutil.Process.children
    calls: list[int] = []

    def killed(self: psutil.Process, recursive: bool = False) -> list[psutil.Process]:
        calls.append(self.pid)
        if len(calls) > 1:
            process.kill()
            process.wait()
            raise psutil.NoSuchProcess(self.pid)
        return children(self, recursive)

    monkeypatch.setattr(psutil.Process, "children", killed)
    child.end(process)
    monkeypatch.undo()
    assert len(calls) == 2 and gone(pids)


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


def test_closing_ends_all_and_lets_none_begin() -> None:
    process = child.start(FAMILY, stdout=subprocess.DEVNULL)
    pids = family(process.pid, 2)
    guardian.close()
    assert gone(pids) and process.wait() == -9
    with pytest.raises(Stopped):
        child.start(["true"])
    guardian.reopen()
    assert child.run(["true"]) == (0, "")


def test_none_escapes_that_begins_while_all_are_ended() -> None:
    """Threads that start programs as fast as they can, and the end in the middle of it."""
    begun: list[subprocess.Popen[bytes]] = []

    def starting() -> None:
        with pytest.raises(Stopped):
            while True:
                begun.append(child.start(["sleep", "1000"]))

    with ThreadPoolExecutor(4) as pool:
        threads = [pool.submit(starting) for _ in range(4)]
        time.sleep(0.3)
        guardian.close()
        for thread in threads:
            thread.result()
    assert len(begun) > 4
    assert gone([process.pid for process in begun])
    assert {process.wait() for process in begun} == {-9}


def test_none_escapes_that_had_its_group_before_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The group is dead when the program joins it, and nobody would kill it again."""
    group, mark = guardian.group, f"1000.{os.getpid()}"

    def closing() -> int:
        old = group()
        guardian.close()
        assert gone([old])
        return old

    monkeypatch.setattr(guardian, "group", closing)
    with pytest.raises(Stopped):
        child.start(["sleep", mark])
    monkeypatch.undo()
    running = psutil.process_iter(["cmdline"])
    assert not [process.pid for process in running if mark in (process.info["cmdline"] or ())]


def test_a_guardian_that_was_killed_is_replaced() -> None:
    child.run(["true"])
    before = guardian.group()
    os.kill(before, 9)
    assert gone([before])
    assert child.run(["echo", "again"]) == (0, "again\n")
    assert guardian.group() != before


def test_a_guardian_that_was_told_to_end_gets_no_more_tools(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Though it has not ended yet: it kills those that are in its group when it is told, and none
    that come later."""
    child.run(["true"])
    before, watcher = guardian.group(), guardian._guardian
    assert watcher is not None
    guardian.close()
    guardian.reopen()
    monkeypatch.setattr(guardian, "_ended", lambda watcher, options=0: False)
    monkeypatch.setattr(guardian, "_PATIENCE", 0.01)
    assert guardian.group() != before
    watcher.wait()


def test_a_guardian_is_replaced_also_after_a_signal_in_the_middle_of_poll() -> None:
    """An exception from a signal's handler can leave the lock that `Popen.poll` takes locked."""
    child.run(["true"])
    before, watcher = guardian.group(), guardian._guardian
    assert watcher is not None
    watcher._waitpid_lock.acquire()  # type: ignore[attr-defined]
    guardian.close()
    assert gone([before])
    guardian.reopen()
    assert guardian.group() != before


@pytest.mark.parametrize("last", ["os.kill(os.getpid(), 9)", "os._exit(0)", "sys.exit()"])
def test_what_was_started_ends_with_the_starter(last: str) -> None:
    """Also what was started by a thread that has ended, and what ignores signals."""
    program = f"""
import os, sys, threading, time
from modmul.toolchain import child

def begin():
    for script in ("sleep 1000 & wait", "trap '' TERM HUP INT; while :; do sleep 1000; done"):
        print(child.start(["sh", "-c", script], stdout=2).pid, flush=True)

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
        assert all(psutil.pid_exists(pid) for pid in pids)  # though their thread has ended
        starter.stdin.write("\n")
        starter.stdin.flush()
    assert gone(pids)


def test_a_fork_has_tools_of_its_own() -> None:
    """Neither ends those of the other, and the pipe is not held open."""
    program = """
import os
from modmul.toolchain import child
tool = child.start(["sleep", "1000"])
if os.fork() == 0:
    child.run(["true"])
    os._exit(0)
os.wait()
assert tool.poll() is None
print(tool.pid, flush=True)
if os.fork() == 0:
    os.close(1)
    os.read(0, 1)
os._exit(0)
"""
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(SOURCE.parent)},
    ) as starter:
        assert starter.stdout is not None
        assert gone([int(starter.stdout.read())])


def test_a_full_disk_is_known_by_what_is_said_and_by_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails = ["sh", "-c", "echo error; exit 1"]
    assert child.run(fails, folder=tmp_path) == (1, "error\n")
    with pytest.raises(NoRoom, match=f"{tmp_path}: no room is left"):
        child.run(["sh", "-c", "echo ld: no space left on device; exit 1"], folder=tmp_path)
    monkeypatch.setattr(disk_space, "_NEEDED", 1 << 62)
    with pytest.raises(NoRoom, match=f"{tmp_path}: no room is left"):
        child.run(fails, folder=tmp_path)
    assert child.run(["true"], folder=tmp_path) == (0, "")
    monkeypatch.setattr(disk_space, "_NOTHING", 1 << 62)
    with pytest.raises(NoRoom):  # what it wrote may be half of it
        child.run(["true"], folder=tmp_path)
