"""Which tests run, and the order of the files where several workers do (`make test`)."""

import os
import sys
from collections import Counter
from collections.abc import Iterator

import pytest
from _pytest.terminal import TerminalReporter

from modmul.export import check
from modmul.toolchain import verilator
from modmul.toolchain.cache import Cache
from modmul.verification import executable

# Byte code is kept also where the environment says otherwise (many containers do): tests start this
# program two hundred times, and each would compile what it imports anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Longest first, measured; with half a minute and more each they would leave one worker idle if
# they came last.  The others follow in the order of their names.
LONGEST = (
    "conformance/test_conformance.py",
    "export/test_accepted.py",
    "test_documentation.py",
    "verification/test_four_state.py",
    "toolchain/test_keys.py",
    "implementation/test_implement.py",
    "implementation/test_exact_area.py",
    "multipliers/test_added.py",
    "cli/test_ended.py",
    "cli/test_nasty_input.py",
    "multipliers/test_fpmm_faults.py",
    "verification/test_netlist.py",
    "verification/test_verify.py",
    "exploration/test_recommend.py",
    "export/test_verilog.py",
    "export/test_build.py",
    "papers/test_gallin2019.py",
    "conformance/test_planted_faults.py",
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sort by file, in each worker alike; a run without workers keeps its order.  Leave out what
    takes long and has a shorter one beside it."""
    if not os.environ.get("CONFORMANCE"):
        left_out = pytest.mark.skip(reason="takes long: make conformance")
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(left_out)
    if hasattr(config, "workerinput"):
        tests = config.rootpath / "tests"
        rank = {tests / name: place for place, name in enumerate(LONGEST)}
        items.sort(key=lambda item: rank.get(item.path, len(LONGEST)))


@pytest.fixture(autouse=True)
def _plain_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables as they are in a file, also where a worker, or whoever starts this, sets a width."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(autouse=True, scope="session")
def _little_in_icarus() -> Iterator[None]:
    """Builds give Icarus three seconds of work in place of thirty."""
    with pytest.MonkeyPatch.context() as patch:
        if not os.environ.get("CONFORMANCE"):
            patch.setattr(check, "_EVENTS", check._EVENTS // 10)
        yield


@pytest.fixture(autouse=True, scope="session")
def _compiled_once() -> Iterator[None]:
    """Verilator's library and headers and the drivers come from the cache of this run, also where
    a test has one of its own: fifteen seconds of compilation each time."""
    runtime, header, driver, kept = (
        verilator.runtime, verilator.header, executable.driver_object, Cache(),
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verilator, "runtime", lambda cache, trace=False: runtime(kept, trace))
        patch.setattr(verilator, "header", lambda cache, trace=False: header(kept, trace))
        patch.setattr(
            executable, "driver_object", lambda one, cache, trace=False: driver(one, kept, trace)
        )
        yield


_SHOWN = 10


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """The files that took longest, seconds of their tests and fixtures together: where to look
    when the suite gets slow."""
    seconds: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid.partition("::")[0]] += report.duration
    if len(seconds) > _SHOWN:
        terminalreporter.section("slowest files")
        for name, taken in seconds.most_common(_SHOWN):
            terminalreporter.write_line(f"{taken:7.1f} s  {name}")
