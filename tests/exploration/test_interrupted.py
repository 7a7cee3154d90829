"""Real explorations that are killed: nothing lost but what was under way, nothing done twice.

The designs are tiny; their simulators are kept for the whole module in a cache of its own."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest

import compiled
from modmul.exploration import child
from modmul.exploration.child import Child, PointRequest
from modmul.exploration.explore import Outcome, explore
from modmul.exploration.measure import POINT
from modmul.exploration.space import parse
from modmul.exploration.store import read

# By default one point after the other: fewer are under way, and lost, when a run is killed.  Of two
# points the second is under way when the run is interrupted, too.
LONG = bool(os.environ.get("CONFORMANCE"))
JOBS, WIDTHS, RECORDS = (2, [4, 5, 6, 7], (1, 2)) if LONG else (1, [4, 5], (1, 1))
SPACE = (
    f"architecture = 'interleaved'\nwidth = {WIDTHS}\ninterface = 'core'\n"
    "products = 50\nseeds = 1\nobjectives = ['lut', 'cycles.per_product']\n"
)
PATIENCE = 200.0


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Empty but for what takes longest to compile."""
    root = tmp_path_factory.mktemp("cache")
    compiled.put_into(root)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MODMUL_CACHE", str(root))
        yield


def start(directory: Path) -> "subprocess.Popen[bytes]":
    file = directory.parent / "space.toml"
    file.write_text(SPACE)
    command = [sys.executable, "-m", "modmul", "explore", str(file), "-o", str(directory)]
    return subprocess.Popen(
        [*command, f"-j{JOBS}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def records(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (directory / "points").glob("*.json")}


def wait_for_records(run: "subprocess.Popen[bytes]", directory: Path, count: int) -> None:
    end = time.monotonic() + PATIENCE
    while len(records(directory)) < count:
        assert run.poll() is None, run.communicate()
        assert time.monotonic() < end, "no record in time"
        time.sleep(0.05)


def family_of(run: "subprocess.Popen[bytes]") -> list[psutil.Process]:
    """The processes that measure for a run, once there are any: then it is past its start."""
    end = time.monotonic() + PATIENCE
    while not (family := psutil.Process(run.pid).children(recursive=True)):
        assert run.poll() is None, run.communicate()
        assert time.monotonic() < end, "nothing is measured"
        time.sleep(0.05)
    return family


@pytest.mark.long
def test_killed_and_interrupted_runs_go_on(tmp_path: Path) -> None:
    """kill -9, then Ctrl-C, then to the end: every record is written once."""
    directory = tmp_path / "found"
    written: dict[str, bytes] = {}
    for number, sign in zip(RECORDS, (signal.SIGKILL, signal.SIGINT), strict=True):
        run = start(directory)
        # the run before may have left more records than one: this one is to be at work as well
        wait_for_records(run, directory, number)
        family = family_of(run)
        run.send_signal(sign)
        _, errors = run.communicate(timeout=60)
        # whoever measured for it ends too
        _, alive = psutil.wait_procs(family, timeout=30)
        assert not alive
        if sign is signal.SIGINT:
            assert run.returncode == 130
            assert b"interrupted" in errors and b"Traceback" not in errors
        now = records(directory)
        assert number <= len(now) < len(WIDTHS)
        assert written.items() <= now.items()
        written = now
    run = start(directory)
    output, errors = run.communicate(timeout=PATIENCE)
    assert run.returncode == 0, errors
    final = records(directory)
    assert len(final) == len(WIDTHS)
    assert written.items() <= final.items()
    assert f"measured before  {len(written)}" in output.decode()
    for record in read(directory):
        assert record.status == "done", record.reason
        assert record.verified is not None and record.verified.products >= 50
        assert record.timing_proved is True
        assert record.chip and record.chip.lut and record.cycles
        assert 0 < record.seconds.tools <= record.seconds.total


@pytest.mark.long
def test_a_cluster_that_loses_a_worker(tmp_path: Path) -> None:
    """A real scheduler, two workers in processes of their own; one is killed under a point."""
    import distributed

    space = parse(SPACE, "cluster")
    killed: list[int] = []

    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        local_directory=str(tmp_path),
        silence_logs=False,
    ) as cluster:

        def watch(outcome: Outcome) -> None:
            if not killed and outcome.running and outcome.done < 2:
                worker = cluster.workers[0]
                killed.append(worker.pid)
                os.kill(worker.pid, signal.SIGKILL)

        outcome = explore(
            space, tmp_path / "found", scheduler=cluster.scheduler_address, watch=watch
        )
    assert killed
    assert (outcome.done, outcome.failed) == (4, 0)
    assert outcome.place.startswith("workers of tcp://")
    assert {record.status for record in read(tmp_path / "found")} == {"done"}


def request(**changes: Any) -> PointRequest:
    options = {"architecture": "interleaved", "width": 4, "interface": "core"}
    usual = PointRequest(options, 1, 50, (), POINT.sources)
    return msgspec.structs.replace(usual, **changes)


def test_one_process_measures_again_and_again() -> None:
    worker = Child()
    try:
        # what the area tells ends a point before place and route
        options = {"architecture": "interleaved", "width": 4, "target": "ecp5", "interface": "core"}
        reply = worker.ask(request(options=options, where=("lut < 3",)))
        assert reply.error is None and reply.record is not None
        record = reply.record
        assert (record.status, record.reason) == ("outside", "not lut < 3")
        assert record.chip is not None and record.chip.lut > 3
        assert record.verified is not None and record.verified.products >= 50
        tools = record.seconds.by_tool
        assert "yosys" in tools and "nextpnr" not in tools
        assert "another version" in (worker.ask(request(sources="of old")).error or "")
        assert worker.alive
        late = worker.ask(request(options={"architecture": "interleaved", "width": 9}, limit=0.05))
        assert late.error == "took longer than 0.05 s"
        assert not worker.alive
    finally:
        child.end_all()
