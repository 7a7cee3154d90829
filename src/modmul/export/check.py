"""Runs the emitted testbench: always in Verilator, and in Icarus Verilog if it is installed, there
with as many products as a fixed amount of work allows."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from modmul.errors import CheckFailed, ToolFailed
from modmul.toolchain import child, cxx, icarus, scratch, verilator
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import COMPILER, Step

_TOOLS = (COMPILER, "verilator")
TESTBENCH = Step("testbench", __name__, _TOOLS)
IN_ICARUS = Step("testbench-icarus", __name__, _TOOLS)  # which Icarus it is, is in the key

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
_SHOWN = 16  # lines of what a failing testbench prints: its errors, and where to look
_LIMIT = 3600.0  # seconds, the last resort: the testbench ends by itself long before

# How much Icarus is given to do.  Its time goes with events: 0.4 to 5 microseconds each, more
# where vectors are long (13 with 2048 bits).  So these are half a minute, about.
_EVENTS = 25_000_000
_LONG = 128  # bits of a beat that make an event take twice as long
_GROWTH = 4  # times as many products in the next try, at most
# Nothing is run of a design that is large (characters of Verilog, all instances written out), or
# whose product takes long (the same by cycles): 1 to 400 ns each.
_SIZE = 10_000_000
_PRODUCT = 20_000_000_000


def in_verilator(
    sources: Sequence[Path], top: str, count: int, cache: Cache, *, what: str = "products"
) -> str:
    """Everything that the module `top` (one port, the clock) prints, with +trace.

    count, what: see `verdict`.  Found in the cache if the same files ran before.  CheckFailed if it
    does not pass."""
    key = {"sources": _digest(sources), "top": top}
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
    products: int,
    cycles: int,
    beat: int,
    what: str = "products",
) -> str:
    """Does what `some_in_icarus` does, or finds in the cache that the same files passed before, in
    the same Icarus."""
    amount = {"products": products, "cycles": cycles, "beat": beat}
    others = {} if what == "products" else {"what": what}
    made_of = {"sources": _digest(sources), "top": top, "icarus": icarus.identity()}
    key = {**made_of, "events": _EVENTS, **amount, **others}
    known = cache.get(IN_ICARUS, key)
    if known is None:
        known = {"passed": some_in_icarus(sources, top, what=what, **amount)}
        cache.put(IN_ICARUS, key, known)
    passed: str = known["passed"]
    return passed


def some_in_icarus(
    sources: Sequence[Path],
    top: str,
    *,
    products: int,
    cycles: int,
    beat: int,
    what: str = "products",
) -> str:
    """As many of the testbench's products as a fixed amount of work allows: all, the first ones,
    or none; which, and PASS, in one line.  The same in every run.

    cycles: of all products.  beat: bits of one beat of an operand.  what: they are called, if not
    products.  CheckFailed."""
    size = expanded(sources, top)
    if size > _SIZE or size * (cycles // products) > _PRODUCT:
        return f"not run: one of the {what} is too much work for it"
    budget, count = _EVENTS // (1 + beat // _LONG), 1
    with icarus.compiled(sources, top) as program:
        while True:
            output, events = program.run([f"+{what}={count}"])
            passed = verdict(output, "Icarus Verilog", count, what)
            if count == products:
                return passed
            if events is None:
                return f"{passed}, the first of {products}: it does not tell how much work they are"
            more = min(products, _GROWTH * count, budget * count // max(1, events))
            if more <= count:
                return f"{passed}, the first of {products}: all are too much work for it"
            count = more


def _digest(sources: Sequence[Path]) -> str:
    """A digest of the contents of files, in their order."""
    digest = hashlib.sha256()
    for source in sources:
        digest.update(hashlib.sha256(source.read_bytes()).digest())
    return digest.hexdigest()


def cycles_of(output: str) -> int:
    """How many cycles the testbench took, from what it printed."""
    match = re.search(r"^(\d+) cycles$", output, re.MULTILINE)
    assert match is not None
    return int(match[1])


def expanded(sources: Sequence[Path], top: str) -> int:
    """Characters of the module `top`, with those of all its instances at their places."""
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
    """The module `top` of a testbench as a program in `folder`.  ToolFailed, ToolMissing."""
    files = verilator.verilate([source.resolve() for source in sources], top, "Check", folder)
    # One unit: most of a compile is the same headers.  Not optimised: it runs for a second, if
    # that; not by -O0, with which precompiled headers could not be used.
    main, include = folder / "main.cpp", [f'#include "{file.name}"\n' for file in files]
    main.write_text("".join(['#pragma GCC optimize ("O0")\n', *include, _MAIN]))
    flags = [*verilator.flags(), *verilator.header(cache), "-I", str(folder)]
    objects = cxx.compile_objects([main], folder, flags)
    cxx.link([*objects, *verilator.runtime(cache)], folder / "check")
    return folder / "check"


def _compile_and_run(sources: Sequence[Path], top: str, folder: Path, cache: Cache) -> str:
    program = compile_bench(sources, top, folder, cache)
    try:
        code, output = child.run([str(program), "+trace"], folder=folder, timeout=_LIMIT)
    except child.TimedOut:
        raise ToolFailed(f"the testbench did not finish within {_LIMIT:g} s") from None
    if code != 0:
        raise ToolFailed(f"the testbench ended with {code}\n{output[-2000:]}")
    return output


def verdict(output: str, simulator: str, count: int, what: str = "products") -> str:
    """The line PASS ... of an output: the only one, of so many products (or other things), and no
    line FAIL ...  CheckFailed with what is there instead."""
    lines = [line for line in output.splitlines() if not line.startswith("TRACE")]
    verdicts = [line for line in lines if line.startswith(("PASS", "FAIL"))]
    if verdicts != [f"PASS {count} {what}"]:
        shown = "\n".join(lines[-_SHOWN:])
        raise CheckFailed(
            f"the emitted testbench fails in {simulator}, or not all of {count} {what} were tried:"
            f"\n{shown}"
        )
    return verdicts[0]
