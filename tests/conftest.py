"""Which tests run, and what they share."""

import atexit
import fcntl
import functools
import gc
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from _pytest.terminal import TerminalReporter
from hypothesis import HealthCheck, settings

from loaded_yosys import LoadedYosys
from modmul.export import check, hdl
from modmul.processors.engine import stored
from modmul.system import on_bus, text
from modmul.toolchain import cxx, progress, verilator, yosys
from modmul.toolchain.cache import Cache
from modmul.verification import executable

# Byte code is kept also where the environment says otherwise (many containers do): tests start this
# program two hundred times, and each would compile what it imports anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# No test waits for a line of progress, and on a busy machine one would come among what is compared.
progress.EVERY = 3600.0

# A busy machine is no fault of a test.
settings.register_profile("any", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any")

Made = TypeVar("Made")


def pytest_report_header() -> str:
    """Why cases are missing, also where one of them is asked for by its name."""
    told = {None: "left out; CONFORMANCE=1 runs them", "long": "run, and few others"}
    return "long cases: " + told.get(os.environ.get("CONFORMANCE"), "run")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what takes long and has a shorter one beside it; or with CONFORMANCE=long, what the
    default run has."""
    if os.environ.get("CONFORMANCE") == "long":
        items[:] = [item for item in items if _takes_long(item) or _has_more_cases(item.path)]
    elif not os.environ.get("CONFORMANCE"):
        _check_names(config, items)
        config.hook.pytest_deselected(items=[item for item in items if _takes_long(item)])
        items[:] = [item for item in items if not _takes_long(item)]


def _takes_long(item: pytest.Item) -> bool:
    """Whether a case runs in the long runs only."""
    short = item.get_closest_marker("short")
    return bool(item.get_closest_marker("long") or (short and _name(item) not in short.args))


@functools.cache
def _has_more_cases(path: Path) -> bool:
    """Whether a file looks itself at how much it has to try."""
    return "CONFORMANCE" in path.read_text()


def _name(item: pytest.Item) -> str:
    """The parameters of a case, as they stand behind the name of its test."""
    return item.name.partition("[")[2].removesuffix("]")


def _check_names(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A name in `short` that no case has would leave out a test whole."""
    if any("::" in str(place) for place in config.args):
        return  # not all cases of a test are there
    cases = {(item.path, item.name.partition("[")[0], _name(item)) for item in items}
    for item in items:
        short, test = item.get_closest_marker("short"), item.name.partition("[")[0]
        for name in short.args if short else ():
            if (item.path, test, name) not in cases:
                raise pytest.UsageError(f"{item.path}: {test} has no case {name!r}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Iterator[None]:
    """Nobody reads the keywords of a test once it has run, and a worker sends them with three
    reports of each: half of what it sends."""
    report = yield
    report.keywords = {}
    return report


def pytest_collection_finish() -> None:
    """Thousands of tests stay for the whole run: the garbage collector need not look at them."""
    gc.freeze()
    atexit.register(gc.unfreeze)  # libraries that count what is left complain of what is frozen


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
def _short_searches() -> Iterator[None]:
    """A schedule that nobody has stored is searched with a tenth of the attempts: a longer one
    will do for programs that are only run."""
    with pytest.MonkeyPatch.context() as patch:
        if not os.environ.get("CONFORMANCE"):
            patch.setattr(stored, "ATTEMPTS", stored.ATTEMPTS // 10)
        yield


MANY = 8  # designs that one C++ file is too much for, where several workers are


def _alone(make: Callable[..., Made], cache: Cache) -> Callable[..., Made]:
    """`make`, of one worker at a time: what it makes is then there for the others."""
    cache.root.mkdir(parents=True, exist_ok=True)
    place = cache.root / f".making-{make.__name__}"

    def locked(*given: Any) -> Made:
        with place.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return make(*given)

    return locked


@pytest.fixture(autouse=True, scope="session")
def _compiled_once() -> Iterator[None]:
    """Verilator's library and headers and the drivers come from the cache of this run, also where
    a test has one of its own: fifteen seconds of compilation each time.  Of several workers, one
    compiles them; and a pair of designs goes into one C++ file, since the other processor has work
    already, and to read the headers takes half a second."""
    shared = Cache()
    driver = _alone(executable.driver_object, shared)

    def once(make: Callable[[Cache, bool], Made]) -> Callable[..., Made]:
        """For each compiler: to compare them with their checksums takes a tenth of a second."""
        alone = _alone(make, shared)
        kept = functools.cache(lambda trace, compiler: alone(shared, trace))
        return lambda cache, trace=False: kept(trace, cxx.find())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verilator, "runtime", once(verilator.runtime))
        patch.setattr(verilator, "header", once(verilator.header))
        patch.setattr(
            executable,
            "driver_object",
            lambda text, cache, trace=False: driver(text, shared, trace),
        )
        if "PYTEST_XDIST_WORKER" in os.environ:
            patch.setattr(executable, "_units", lambda designs: 1 + (designs > MANY))
        yield


@pytest.fixture(autouse=True, scope="session")
def _yosys_is_loaded_once() -> Iterator[None]:
    """By default, where several workers are: it runs six hundred times."""
    if "PYTEST_XDIST_WORKER" not in os.environ or os.environ.get("CONFORMANCE"):
        yield
        return
    with LoadedYosys() as loaded, pytest.MonkeyPatch.context() as patch:
        patch.setattr(yosys, "run", loaded.run)
        yield


@pytest.fixture(autouse=True, scope="session")
def _emitted_as_it_is() -> Iterator[None]:
    """A design is emitted once in each worker, but anew while a test has something patched: a fault
    that is injected into the generator has to be in the text, and in no text afterwards."""
    set_, undo = pytest.MonkeyPatch.setattr, pytest.MonkeyPatch.undo
    changing = set[int]()  # those that have set something

    def sets(patch: pytest.MonkeyPatch, *given: Any, **options: Any) -> None:
        set_(patch, *given, **options)
        changing.add(id(patch))
        hdl.forget()

    def undoes(patch: pytest.MonkeyPatch) -> None:
        undo(patch)
        if id(patch) in changing:
            changing.remove(id(patch))
            hdl.forget()

    def once(few: Callable[..., Made]) -> Callable[..., Made]:
        every = functools.cache(few.__wrapped__)  # type: ignore[attr-defined]
        return lambda *given: few(*given) if changing else every(*given)

    with pytest.MonkeyPatch.context() as patch:
        for module, name in ((hdl, "_emitted"), (text, "_on_bus"), (on_bus, "_streamed")):
            patch.setattr(module, name, once(getattr(module, name)))
        patch.setattr(pytest.MonkeyPatch, "setattr", sets)
        patch.setattr(pytest.MonkeyPatch, "undo", undoes)
        yield


_SHOWN = 10


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """What skipped tests need that is not here, such as Icarus Verilog; and the files that took
    longest, seconds of their tests and fixtures together: where to look when it gets slow."""
    needs = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", ())
        if isinstance(report.longrepr, tuple)
    )
    for reason, count in sorted(needs.items()):
        if re.match("needs|could not import|.* is not installed", reason):
            terminalreporter.write_line(f"{count} skipped: {reason}")
    seconds: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid.partition("::")[0]] += report.duration
    if len(seconds) > _SHOWN:
        terminalreporter.section("slowest files")
        for name, taken in seconds.most_common(_SHOWN):
            terminalreporter.write_line(f"{taken:7.1f} s  {name}")
