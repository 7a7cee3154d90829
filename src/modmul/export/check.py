"""Runs the emitted testbench: always in Verilator, and in Icarus Verilog if it is installed, there
with as many products as a fixed amount of work allows."""

from __future__ import annotations

import bisect
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from modmul.errors import CheckFailed
from modmul.toolchain import child, cxx, icarus, scratch, verilator
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report, silent
from modmul.toolchain.steps import COMPILER, Step

_TOOLS = (COMPILER, "verilator")
TESTBENCH = Step("testbench", _TOOLS, (__name__, cxx.__name__, verilator.__name__))
IN_ICARUS = Step(
    "testbench-icarus", (), (__name__, icarus.__name__)
)  # the key names the Icarus installation

_MAIN = """
#include "Check.h"

int main(int argc, char** argv) {
    VerilatedContext context;
    context.commandArgs(argc, argv);
    Check check(&context);
    while (!context.gotFinish()) {
        check.clk = 0;
        check.eval();
        context.timeInc(1);
        check.clk = 1;
        check.eval();
        context.timeInc(1);
    }
    check.final();
}
"""
_DONE = re.compile(r"^TRACE done after (\d+)$", re.MULTILINE)  # a line for each product or access
_SHOWN = 16  # the last lines of a failing testbench's output that are shown
_LIMIT = 3600.0  # seconds, the last resort: the testbench ends by itself long before

# The amount of work for Icarus.  An event takes 0.4 to 5 microseconds, more if vectors are long (13
# with 2048 bits), so this number of events takes about half a minute.
_EVENTS = 25_000_000
_LONG = 128  # bits of a beat that make an event take twice as long
_GROWTH = 4  # the next try has at most so many times as many cycles, or one product more
# Designs above these limits are not run: their size (characters of Verilog, all instances written
# out), and the work for a product (size times cycles), of which each unit takes 1 to 400 ns.
_SIZE = 10_000_000
_PRODUCT = 20_000_000_000


def simulated(
    sources: Sequence[Path],
    name: str,
    count: int,
    cache: Cache,
    *,
    beat: int,
    what: str = "products",
    about: str = "",
    progress: Report = silent,
) -> tuple[str, dict[str, str | None]]:
    """Run a testbench, modules `<name>_check` and `<name>_tb`.  Return its output in Verilator, and
    the verdict of each simulator; None for one that is not installed.

    count, what: see `verdict`.  beat: see `some_in_icarus`.  about: what it tests besides the
    design alone.  Raises CheckFailed."""
    suffix = f", {about}" if about else ""
    step = f"testbench{suffix}, in Verilator"
    progress(step, 0, 1)
    try:
        output = in_verilator(sources, f"{name}_check", count, cache, what=what)
    except CheckFailed as error:
        raise CheckFailed(f"{about}: {error}" if about else str(error)) from None
    progress(step, 1, 1)
    verdicts: dict[str, str | None] = {
        f"verilator{suffix}": verdict(output, "Verilator", count, what),
        f"icarus{suffix}": None,
    }
    if icarus.installed():
        step = f"testbench{suffix}, in Icarus Verilog"
        progress(step, 0, 1)
        verdicts[f"icarus{suffix}"] = in_icarus(
            sources, f"{name}_tb", cache, cycles=cycles_of(output, count), beat=beat, what=what
        )
        progress(step, 1, 1)
    return output, verdicts


def in_verilator(
    sources: Sequence[Path], top: str, count: int, cache: Cache, *, what: str = "products"
) -> str:
    """Everything that the module `top` (its only port is the clock) prints, with +trace.

    count, what: see `verdict`.  The output is read from the cache if the same files ran before.
    Raises CheckFailed if the testbench does not pass."""
    key = {"sources": digest(sources), "top": top}
    known = cache.get(TESTBENCH, key)
    if known is None:
        with scratch.folder() as folder:
            known = {"output": _compile_and_run(sources, top, folder, cache)}
        verdict(known["output"], "Verilator", count, what)
        cache.put(TESTBENCH, key, known)
    output: str = known["output"]
    return output


def in_icarus(
    sources: Sequence[Path],
    top: str,
    cache: Cache,
    *,
    cycles: Sequence[int],
    beat: int,
    what: str = "products",
) -> str:
    """The result of `some_in_icarus`, from the cache if the same files passed before in the
    same Icarus."""
    made_of = {"sources": digest(sources), "top": top, "icarus": icarus.identity()}
    key = {**made_of, "events": _EVENTS, "products": len(cycles), "beat": beat, "what": what}
    known = cache.get(IN_ICARUS, key)
    if known is None:
        known = {"passed": some_in_icarus(sources, top, cycles=cycles, beat=beat, what=what)}
        cache.put(IN_ICARUS, key, known)
    passed: str = known["passed"]
    return passed


def some_in_icarus(
    sources: Sequence[Path],
    top: str,
    *,
    cycles: Sequence[int],
    beat: int,
    what: str = "products",
) -> str:
    """Run as many of the testbench's products as a fixed amount of work allows: all, the first
    ones, or none.  Return PASS and this number in one line, which is the same in every run.

    cycles: of the first product, of the first two, ... of all.  beat: the bits of one beat of an
    operand.  what: the word for products.  Raises CheckFailed."""
    if expanded(sources, top) * cycles[0] > _PRODUCT:
        return f"not run: one of the {what} is too much work for it"
    products = len(cycles)
    budget, count = _EVENTS // (1 + beat // _LONG), 1
    with icarus.compiled(sources, top) as simulate:
        while True:
            output, events = simulate([f"+{what}={count}"])
            passed = verdict(output, "Icarus Verilog", count, what)
            if count == products:
                return passed
            if events is None:
                return f"{passed}, the first of {products}: it does not tell how much work they are"
            done = cycles[count - 1]
            most = budget * done // max(1, events)  # as if all cycles were as much work
            more = bisect.bisect_right(cycles, min(most, _GROWTH * done))
            if more <= count and cycles[count] <= most:
                more = count + 1
            if more <= count:
                return f"{passed}, the first of {products}: all are too much work for it"
            count = more


def digest(sources: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for source in sources:
        digest.update(hashlib.sha256(source.read_bytes()).digest())
    return digest.hexdigest()


def cycles_of(output: str, count: int) -> list[int]:
    """The cycles after which the first product, the first two, ... and all were done, from
    the output of the testbench.  Where it does not say, all products take equally many."""
    done = [int(cycle) for cycle in _DONE.findall(output)]
    if done:
        return done
    match = re.search(r"^(\d+) cycles$", output, re.MULTILINE)
    assert match is not None
    return [int(match[1]) * number // count for number in range(1, count + 1)]


def expanded(sources: Sequence[Path], top: str) -> int:
    """The number of characters of the module `top` with all its instances written out."""
    text = "".join(source.read_text(encoding="utf-8") for source in sources)
    bodies = dict(re.findall(r"^module (\w+)(.*?)^endmodule", text, re.MULTILINE | re.DOTALL))
    sizes: dict[str, int] = {}

    def size(module: str) -> int:
        if module not in sizes:
            below = re.findall(r"^  (\w+) (?:#\(|\w+ \()", bodies[module], re.MULTILINE)
            inner = sum(size(name) for name in below if name in bodies)
            sizes[module] = len(bodies[module]) + inner
        return sizes[module]

    return size(top)


def compile_bench(sources: Sequence[Path], top: str, folder: Path, cache: Cache) -> Path:
    """Compile the module `top` of a testbench to a program in `folder`.  Raises ToolFailed,
    ToolMissing."""
    files = verilator.verilate([source.resolve() for source in sources], top, "Check", folder)
    # One unit, since most of a compilation is reading headers.  Not optimised, since it runs for at
    # most a second; a pragma does that, as -O0 would rule out precompiled headers.
    main, include = folder / "main.cpp", [f'#include "{file.name}"\n' for file in files]
    main.write_text("".join(['#pragma GCC optimize ("O0")\n', *include, _MAIN]))
    flags = [*verilator.flags(), *verilator.header(cache), "-I", str(folder)]
    objects = cxx.compile_objects([main], folder, flags)
    cxx.link([*objects, *verilator.runtime(cache)], folder / "check")
    return folder / "check"


def _compile_and_run(sources: Sequence[Path], top: str, folder: Path, cache: Cache) -> str:
    program = compile_bench(sources, top, folder, cache)
    command = [str(program), "+trace"]
    return child.call("the testbench", command, folder=folder, timeout=_LIMIT)


def verdict(output: str, simulator: str, count: int, what: str = "products") -> str:
    """The line PASS ... of an output.  It must be the only verdict and name `count` products
    (or other things).  Raises CheckFailed with the end of the output if it is not."""
    lines = [line for line in output.splitlines() if not line.startswith("TRACE")]
    verdicts = [line for line in lines if line.startswith(("PASS", "FAIL"))]
    if verdicts != [f"PASS {count} {what}"]:
        shown = "\n".join(lines[-_SHOWN:])
        raise CheckFailed(
            f"the emitted testbench fails in {simulator}, or not all of {count} {what} were tried:"
            f"\n{shown}"
        )
    return verdicts[0]
