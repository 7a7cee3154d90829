"""Analyses emitted VHDL in GHDL, if it is installed, and runs its testbench there, with as many
products as a fixed number of cycles allows."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from pathlib import Path

from modmul.errors import CheckFailed, ToolFailed
from modmul.export import check
from modmul.toolchain import ghdl, scratch
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import Step

IN_GHDL = Step("testbench-ghdl", (), (__name__, ghdl.__name__))  # the key names the installation
# The amount of work for GHDL, in cycles times characters of VHDL: about half a minute.
_WORK = 50_000_000_000


def verdict(
    files: Sequence[Path],
    top: str,
    cache: Cache,
    *,
    cycles: Sequence[int],
    what: str,
    missing: Sequence[str] = (),
) -> str | None:
    """What GHDL says about the files of VHDL, of which the last one has the steps; None if it is
    not installed.

    cycles: see `check.some_in_icarus`.  what: the word for products.  missing: models that there
    are in Verilog only, without which nothing is run.  Raises CheckFailed."""
    if not ghdl.installed():
        return None
    made_of = {"sources": check.digest(files), "ghdl": ghdl.identity()}
    key = {**made_of, "top": top, "work": _WORK, "what": what, "missing": list(missing)}
    known = cache.get(IN_GHDL, key)
    if known is None:
        known = {"passed": _tried(files, top, cycles, what, missing)}
        cache.put(IN_GHDL, key, known)
    passed: str = known["passed"]
    return passed


def _tried(
    files: Sequence[Path],
    top: str,
    cycles: Sequence[int],
    what: str,
    missing: Sequence[str],
) -> str:
    *sources, steps = files
    try:
        for standard in ghdl.STANDARDS:
            with scratch.folder() as folder:
                ghdl.analyse(sources, standard, folder)
        analysed = "analysed as VHDL-93 and VHDL-2008"
        if missing:
            return f"{analysed}; not run: no model in VHDL for {', '.join(missing)}"
        size = sum(source.stat().st_size for source in sources)
        count = bisect.bisect_right(cycles, _WORK // size)
        if not count:
            return f"{analysed}; not run: one of the {what} is too much work for it"
        output = ghdl.simulate(sources, top, {"COUNT": count, "STEPS": steps.resolve()})
    except ToolFailed as error:
        raise CheckFailed(f"the emitted VHDL fails in GHDL: {error}") from None
    passed = check.verdict(output, "GHDL", count, what)
    first = f", the first of {len(cycles)}" if count < len(cycles) else ""
    return f"{passed}{first}; {analysed}"
