"""What a run leaves of what it has not tried, and what is said because of it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from example_records import record, reply
from modmul.cli import main
from modmul.exploration import store
from modmul.exploration.child import PointRequest, Reply
from modmul.exploration.explore import Outcome, explore
from modmul.exploration.space import Budget, Space, parse
from modmul.exploration.store import UNKNOWN, Coverage, RunSummary, Store, coverage

module = sys.modules["modmul.exploration.explore"]
SPACE = "architecture = 'interleaved'\nseeds = 1\nproducts = 10\nwidth = { from = 8, to = 15 }\n"


@pytest.fixture
def space(monkeypatch: pytest.MonkeyPatch) -> Space:
    monkeypatch.setattr(module, "measure_in_child", reply)
    return parse(SPACE, "s")


def summary_of(directory: Path) -> RunSummary:
    summary = Store(directory).summary()
    assert summary is not None
    return summary


def covered(directory: Path) -> Coverage:
    return coverage(store.read(directory), Store(directory).summary())


def counts(run: RunSummary) -> tuple[int, int, int, int]:
    return run.done, run.outside, run.failed, run.not_started


def test_a_budget_that_ends_early_is_told(space: Space, tmp_path: Path) -> None:
    explore(space, tmp_path, budget=Budget(points=3))
    run, coverage = summary_of(tmp_path), covered(tmp_path)
    assert (run.points, counts(run), run.ended) == (8, (3, 0, 0, 5), "budget")
    assert coverage.complete is False and coverage.measured == 3
    assert coverage.front == (
        "front of the 3 points measured so far; 5 of the space s were not tried"
    )
    assert "budget of 3 points used up" in coverage.words and "every" not in coverage.words


def test_everything_is_said_only_of_a_run_to_the_end(space: Space, tmp_path: Path) -> None:
    explore(space, tmp_path, budget=Budget(points=3))
    explore(space, tmp_path, budget=Budget(points=5))  # which is all that is left
    run, coverage = summary_of(tmp_path), covered(tmp_path)
    assert (counts(run), run.ended) == ((8, 0, 0, 0), "complete")
    assert coverage.complete is True
    assert coverage.words == "every point of the space s was measured"
    assert coverage.front == "front of the 8 points measured"


def test_failed_outside_and_impossible_points_are_counted(
    space: Space, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(request: PointRequest) -> Reply:
        width = request.options["width"]
        if width == 13:
            return Reply(None, "took too long")
        return reply(
            request, **({"status": "outside", "reason": "not lut < 50"} if width > 13 else {})
        )

    monkeypatch.setattr(module, "measure_in_child", answer)
    explore(parse("where = ['width > 9', 'lut < 50']\n" + SPACE, "s"), tmp_path)
    run, coverage = summary_of(tmp_path), covered(tmp_path)
    assert counts(run) == (3, 2, 1, 0) and run.dropped == 2
    assert [(dropped.reason, dropped.count) for dropped in run.impossible] == [("width > 9", 2)]
    assert coverage.complete is True
    assert coverage.words == (
        "every point of the space s was tried: 2 outside the conditions, 1 failed"
    )


def test_known_points_behind_the_budget_count_as_tried(space: Space, tmp_path: Path) -> None:
    with Store(tmp_path).writing(SPACE):
        Store(tmp_path).put(record({"architecture": "interleaved", "width": 15}))
    explore(space, tmp_path, budget=Budget(points=2), jobs=1)
    assert counts(summary_of(tmp_path)) == (3, 0, 0, 5)


def test_an_interrupt_is_told(space: Space, tmp_path: Path) -> None:
    def watch(outcome: Outcome) -> None:
        if outcome.done >= 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        explore(space, tmp_path, jobs=1, watch=watch)
    run = summary_of(tmp_path)
    assert run.ended == "interrupted" and run.done >= 3
    assert sum(counts(run)) == 8 and run.not_started == 8 - len(store.read(tmp_path))
    assert "Ctrl-C" in covered(tmp_path).words


def test_an_error_is_told(space: Space, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = Reply(None, "/x: full", full=True)
    monkeypatch.setattr(module, "measure_in_child", lambda request: full)
    with pytest.raises(Exception, match="full"):
        explore(space, tmp_path)
    assert summary_of(tmp_path).ended == "failed" and not covered(tmp_path).complete


def test_a_run_that_is_killed_never_looks_complete(tmp_path: Path) -> None:
    """Killed while its last point is measured: what was written before says that it runs."""
    code = (
        "import os, sys, signal; sys.path.insert(0, 'tests/helpers')\n"
        "from pathlib import Path\n"
        "from example_records import reply\n"
        "from modmul.exploration.space import parse\n"
        "import modmul.exploration.explore\n"
        "module = sys.modules['modmul.exploration.explore']\n"
        "def last(request):\n"
        "    if request.options['width'] == 15: os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return reply(request)\n"
        "module.measure_in_child = last\n"
        f"module.explore(parse({SPACE!r}, 's'), Path({str(tmp_path)!r}), jobs=1)\n"
    )
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root).returncode == -9
    run = summary_of(tmp_path)
    assert run.ended == "running" and run.not_started >= 1
    assert covered(tmp_path).complete is False and "was killed" in covered(tmp_path).words


def test_a_directory_of_an_older_version_is_unknown(tmp_path: Path) -> None:
    with Store(tmp_path).writing(SPACE):
        Store(tmp_path).put(record({"architecture": "interleaved", "width": 8}))
    coverage = covered(tmp_path)
    assert coverage.complete is None and coverage.words == UNKNOWN
    assert "unknown whether complete" in coverage.front


def test_records_that_went_away_are_missed(space: Space, tmp_path: Path) -> None:
    explore(space, tmp_path)
    next(Store(tmp_path).points.glob("*.json")).unlink()
    coverage = covered(tmp_path)
    assert coverage.complete is False
    assert coverage.words == "not complete: records of 1 points that the run counted are not there"


@pytest.mark.parametrize("name", ["no JSON", "negative", "directory", "FIFO", "long", "link"])
def test_a_damaged_summary_is_unknown(name: str, space: Space, tmp_path: Path) -> None:
    explore(space, tmp_path)
    path = tmp_path / store.RUN
    text = path.read_text()
    path.unlink()
    if name == "directory":
        path.mkdir()
    elif name == "FIFO":  # would be waited for
        os.mkfifo(path)
    elif name == "link":
        path.symlink_to(path)
    else:
        path.write_text(
            {
                "no JSON": "{",
                "negative": text.replace('"not_started": 0', '"not_started": -7'),
                "long": text + " " * (16 << 20),
            }[name]
        )
    with pytest.warns(UserWarning, match="run.json: is damaged"):
        assert covered(tmp_path).complete is None


def test_counts_that_do_not_add_up_are_not_complete(space: Space, tmp_path: Path) -> None:
    explore(space, tmp_path)
    forged = msgspec.structs.replace(summary_of(tmp_path), points=9)
    assert forged.ended == "complete" and not forged.not_started
    Store(tmp_path).summarise(forged)
    assert covered(tmp_path).complete is False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_signal_that_ended_a_run_is_told(
    number: signal.Signals, space: Space, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(request: PointRequest) -> Reply:
        raise KeyboardInterrupt(f"ended by {number.name}")

    monkeypatch.setattr(module, "measure_in_child", ended)
    with pytest.raises(KeyboardInterrupt):
        explore(space, tmp_path)
    run = summary_of(tmp_path)
    assert (run.ended, run.reason) == ("interrupted", f"ended by {number.name}")


def test_a_search_never_claims_everything(tmp_path: Path, space: Space) -> None:
    outcome = explore(space, tmp_path, search=True)
    run = summary_of(tmp_path)
    assert outcome.searched and run.searched and run.ended == "searched"
    assert outcome.ended == "the search found nothing new"
    assert covered(tmp_path).complete is False


def test_query_and_report_say_what_was_not_tried(
    space: Space, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    explore(space, tmp_path, budget=Budget(points=3))
    assert main(["query", str(tmp_path), "SELECT lut FROM points"]) == 0
    assert "5 of the space s were not tried" in capsys.readouterr().out
    assert main(["query", str(tmp_path), "SELECT lut FROM points", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["coverage"]["run"]["not_started"] == 5
    assert main(["report", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "3 measured, 0 outside, 0 failed, 5 not started, 0 impossible" in text
    assert "front of the 3 points measured so far; 5 of the space s were not tried" in text
    assert main(["report", str(tmp_path), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["counts"]["not_started"] == 5 and data["coverage"]["complete"] is False


def test_counts_of_a_summary_alone() -> None:
    """Nothing is complete without an end that says so, whatever the counts."""
    complete = RunSummary(
        space="s",
        searched=False,
        points=1,
        done=1,
        outside=0,
        failed=0,
        not_started=0,
        impossible=[],
        equal=0,
        ended="complete",
        reason="",
        began="",
        written="",
    )
    measured = record({"architecture": "interleaved", "width": 8})
    assert coverage([measured], complete).complete is True
    assert coverage([], complete).complete is False
    for ended in ("running", "interrupted", "failed", "budget", "searched"):
        assert not coverage([measured], msgspec.structs.replace(complete, ended=ended)).complete
