"""Seeds side by side: order, cache, errors that end the others."""

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from modmul.errors import ToolFailed
from modmul.implementation import place_and_route
from modmul.toolchain import child, nextpnr
from modmul.toolchain.cache import Cache, CacheWarning
from modmul.toolchain.work import Work

ROUTER = "nextpnr-ecp5"
CHIP = ("--85k", "--package", "CABGA756", "--speed", "8")


def report(mhz: float) -> dict[str, Any]:
    end = {"cell": "ff", "port": "Q"}
    steps = [{"type": "clk-to-q", "delay": 1.0, "from": end, "to": end}]
    path = {"from": "posedge clk", "to": "posedge clk", "path": steps}
    return {"fmax": {"clk": {"achieved": mhz}}, "critical_paths": [path]}


@pytest.fixture
def netlist(tmp_path: Path) -> Path:
    file = tmp_path / "routable.json"
    file.write_text('{"modules": {"harness": {"cells": {}, "netnames": {}}}}')
    return file


def clocks(netlist: Path, cache: Cache, seeds: list[int], **options: Any) -> list[float]:
    work = Work(cache=cache, **options)
    routes = place_and_route.route_all(netlist, ROUTER, CHIP, seeds, work=work)
    assert [route.seed for route in routes] == seeds
    return [route.mhz for route in routes]


def test_seeds_in_order_and_only_the_missing_ones_run(
    netlist: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[int] = []

    def fake(folder: Path, file: str, chip: tuple[str, ...], *, seed: int, **_: Any) -> dict:
        assert chip == CHIP and (folder / file).is_file()
        ran.append(seed)
        time.sleep(0.05 / seed)  # the first seed is the slowest
        return report(300.0 + seed)

    monkeypatch.setattr(nextpnr, "route", fake)
    cache, seen = Cache(tmp_path / "cache"), []
    assert clocks(netlist, cache, [1, 2, 3]) == [301.0, 302.0, 303.0]
    assert sorted(ran) == [1, 2, 3]
    ran.clear()
    more = clocks(netlist, cache, [1, 2, 3, 4], progress=lambda *what: seen.append(what[1:]))
    assert more == [301.0, 302.0, 303.0, 304.0] and ran == [4]
    assert seen == [(3, 4), (4, 4)]
    entries = list((tmp_path / "cache").rglob("*.json"))
    entries[0].write_text(entries[0].read_text().replace("300", "999").replace("30", "31"))
    ran.clear()
    with pytest.warns(CacheWarning, match="damaged"):
        assert clocks(netlist, cache, [1, 2, 3, 4]) == [301.0, 302.0, 303.0, 304.0]
    assert len(ran) == 1


@pytest.mark.parametrize("error", [ToolFailed("no room"), KeyboardInterrupt()])
def test_an_error_ends_the_other_seeds_and_keeps_what_is_done(
    netlist: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    stopped = []

    def fake(*_: Any, seed: int, stop: threading.Event, **__: Any) -> dict:
        if seed == 1:
            return report(300.0)
        if seed == 2:
            time.sleep(0.2)
            raise error
        stopped.append(stop.wait(20))
        raise child.Stopped

    monkeypatch.setattr(nextpnr, "route", fake)
    cache = Cache(tmp_path / "cache")
    with pytest.raises(type(error)):
        clocks(netlist, cache, [1, 2, 3, 4, 5], jobs=3)
    assert len(stopped) >= 2 and all(stopped)  # told to stop, none waited for
    monkeypatch.setattr(nextpnr, "route", lambda *_, **__: pytest.fail("seed 1 was kept"))
    assert clocks(netlist, cache, [1]) == [300.0]


def test_two_clocks_are_refused() -> None:
    both = {"fmax": {"a": {"achieved": 1.0}, "b": {"achieved": 2.0}}}
    with pytest.raises(ToolFailed, match="2 clocks"):
        place_and_route._mhz(both)


def test_nextpnr_that_fails_says_why(tmp_path: Path) -> None:
    (tmp_path / "routable.json").write_text('{"modules": {}}')
    with pytest.raises(ToolFailed, match="nextpnr"):
        nextpnr.route(tmp_path, "routable.json", CHIP, seed=1, aim_mhz=100)


def test_nextpnr_is_ended_when_told_to(tmp_path: Path) -> None:
    (tmp_path / "routable.json").write_text('{"modules": {}}')
    stop = threading.Event()
    stop.set()
    with pytest.raises(child.Stopped):
        nextpnr.route(tmp_path, "routable.json", CHIP, seed=1, aim_mhz=100, stop=stop)
