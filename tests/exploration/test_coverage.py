"""What a run leaves of what it has not tried, and what is said because of it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from made_records import record, reply
from modmul.cli import main
from modmul.cli.signals import Ended
from modmul.exploration import store
from modmul.exploration.budget import Budget
from modmul.exploration.child import PointRequest, Reply
from modmul.exploration.coverage import UNKNOWN, Coverage, RunSummary, coverage
from modmul.exploration.explore import explore
from modmul.exploration.outcome import Outcome
from modmul.exploration.space import Space, parse
from modmul.exploration.store import Store

module = sys.modules["modmul.exploration.explore"]  # the package shows the function of that name
SPACE = "architecture = 'interleaved'\nseeds = 1\nproducts = 10\nwidth = { from = 8, to = 15 }\n"


@pytest.fixture
def space(monkeypatch: pytest.MonkeyPatch) -> Space:
    monkeypatch.setattr(module, "measure_in_child", reply)
    return parse(SPACE, "s")


def left(directory: Path) -> RunSummary:
    found = Store(directory).summary()
    assert found is not None
    return found


def covered(directory: Path) -> Coverage:
    return store.covered(directory, store.read(directory))


def counts(run: RunSummary) -> tuple[int, int, int, int]:
    return run.done, run.outside, run.failed, run.not_started


def test_a_budget_that_ends_early_is_told(space: Space, tmp_path: Path) -> None:
    explore(space, tmp_path, budget=Budget(points=3))
    run, found = left(tmp_path), covered(tmp_path)
    assert (run.points, counts(run), run.ended) == (8, (3, 0, 0, 5), "budget")
    assert found.complete is False and found.measured == 3
    assert found.front == (
        "front of the 3 points measured so far; 5 of the space s were not tried"
    )
    assert "budget of 3 points used up" in found.words and "every" not in found.words


def test_everything_is_said_only_of_a_run_to_the_end(space: Space, tmp_path: Path) -> None:
    explore(space, tmp_path, budget=Budget(points=3))
    explore(space, tmp_path, budget=Budget(points=5))  # which is all that is left
    run, found = left(tmp_path), covered(tmp_path)
    assert (counts(run), run.ended) == ((8, 0, 0, 0), "complete")
    assert found.complete is True
    assert found.words == "every point of the space s was measured"
    assert found.front == "front of the 8 points measured"


def test_failed_outside_and_impossible_points_are_counted(
    space: Space, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(request: PointRequest) -> Reply:
        width = request.options["width"]
        if width == 13:
            return Reply(None, "took too long")
        return reply(request, **({"status": "outside", "reason": "not lut < 50"}
                                 if width > 13 else {}))  # fmt: skip

    monkeypatch.setattr(module, "measure_in_child", answer)
    explore(parse("where = ['width > 9', 'lut < 50']\n" + SPACE, "s"), tmp_path)
    run, found = left(tmp_path), covered(tmp_path)
    assert counts(run) == (3, 2, 1, 0) and run.dropped == 2
    assert [(one.reason, one.count) for one in run.impossible] == [("width > 9", 2)]
    assert found.complete is True
    assert found.words == "every point of the space s was tried: 2 outside the conditions, 1 failed"


def test_known_points_behind_the_budget_count_as_tried(space: Space, tmp_path: Path) -> None:
    with Store(tmp_path).writing(SPACE):
        Store(tmp_path).put(record({"architecture": "interleaved", "width": 15}))
    explore(space, tmp_path, budget=Budget(points=2), jobs=1)
    assert counts(left(tmp_path)) == (3, 0, 0, 5)


def test_an_interrupt_is_told(space: Space, tmp_path: Path) -> None:
    def watch(outcome: Outcome) -> None:
        if outcome.done >= 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        explore(space, tmp_path, jobs=1, watch=watch)
    run = left(tmp_path)
    assert run.ended == "interrupted" and run.done >= 3
    assert sum(counts(run)) == 8 and run.not_started == 8 - len(store.read(tmp_path))
    assert "Ctrl-C" in covered(tmp_path).words


def test_an_error_is_told(
    space: Space, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "measure_in_child", lambda one: Reply(None, "/x: full", full=True))
    with pytest.raises(Exception, match="full"):
        explore(space, tmp_path)
    assert left(tmp_path).ended == "failed" and not covered(tmp_path).complete


def test_a_run_that_is_killed_never_looks_complete(tmp_path: Path) -> None:
    """Killed while its last point is measured: what was written before says that it runs."""
    code = (
        "import os, sys, signal; sys.path.insert(0, 'tests')\n"
        "from pathlib import Path\n"
        "from made_records import reply\n"
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
    run = left(tmp_path)
    assert run.ended == "running" and run.not_started >= 1
    assert covered(tmp_path).complete is False and "was killed" in covered(tmp_path).words


def test_a_directory_of_an_older_version_is_unknown(tmp_path: Path) -> None:
    with Store(tmp_path).writing(SPACE):
        Store(tmp_path).put(record({"architecture": "interleaved", "width": 8}))
    found = covered(tmp_path)
    assert found.complete is None and found.words == UNKNOWN
    assert "unknown whether complete" in found.front


def test_records_that_went_away_are_missed(space: Space, tmp_path: Path) -> None:
    explore(space, tmp_path)
    next(Store(tmp_path).points.glob("*.json")).unlink()
    found = covered(tmp_path)
    assert found.complete is False
    assert found.words == "not complete: records of 1 points that the run counted are not there"


@pytest.mark.parametrize("name", ["no JSON", "negative", "directory", "FIFO", "long", "link"])
def test_a_damaged_summary_is_unknown(name: str, space: Space, tmp_path: Path) -> None:
    explore(space, tmp_path)
    path = tmp_path / store.RUN
    whole = path.read_text()
    path.unlink()
    if name == "directory":
        path.mkdir()
    elif name == "FIFO":  # would be waited for
        os.mkfifo(path)
    elif name == "link":
        path.symlink_to(path)
    else:
        path.write_text({
            "no JSON": "{",
            "negative": whole.replace('"not_started": 0', '"not_started": -7'),
            "long": whole + " " * (16 << 20),
        }[name])  # fmt: skip
    with pytest.warns(UserWarning, match="run.json: is damaged"):
        assert covered(tmp_path).complete is None


def test_counts_that_do_not_add_up_are_not_complete(space: Space, tmp_path: Path) -> None:
    explore(space, tmp_path)
    forged = msgspec.structs.replace(left(tmp_path), points=9)
    assert forged.ended == "complete" and not forged.not_started
    Store(tmp_path).summarise(forged)
    assert covered(tmp_path).complete is False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_signal_that_ended_a_run_is_told(
    number: signal.Signals, space: Space, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(request: PointRequest) -> Reply:
        raise Ended(number)

    monkeypatch.setattr(module, "measure_in_child", ended)
    with pytest.raises(Ended):
        explore(space, tmp_path)
    run = left(tmp_path)
    assert (run.ended, run.reason) == ("interrupted", f"ended by {number.name}")


def test_a_search_never_claims_everything(tmp_path: Path, space: Space) -> None:
    outcome = explore(space, tmp_path, search=True)
    run = left(tmp_path)
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
    whole = RunSummary(
        space="s", searched=False, points=1, done=1, outside=0, failed=0, not_started=0,
        impossible=[], equal=0, ended="complete", reason="", began="", written="",
    )  # fmt: skip
    one = record({"architecture": "interleaved", "width": 8})
    assert coverage([one], whole).complete is True
    assert coverage([], whole).complete is False
    for ended in ("running", "interrupted", "failed", "budget", "searched"):
        assert not coverage([one], msgspec.structs.replace(whole, ended=ended)).complete
