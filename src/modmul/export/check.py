"""Running the emitted testbench: in Verilator always, in Icarus where it is installed."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from modmul.errors import CheckFailed, Inconclusive, ToolFailed
from modmul.toolchain import cxx, icarus, verilator
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import COMPILER, Step

TESTBENCH = Step("testbench", __name__, (COMPILER, "verilator"))

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
_LIMIT = 600.0  # seconds for Verilator's program: the testbench ends by itself long before
_PATIENCE = 300.0  # seconds for Icarus


def in_verilator(sources: Sequence[Path], top: str, cache: Cache) -> str:
    """Everything that the module `top` (one port, the clock) prints, with +trace.

    Found in the cache if the same files ran before.  CheckFailed if it does not pass."""
    digest = hashlib.sha256()
    for source in sources:
        digest.update(hashlib.sha256(source.read_bytes()).digest())
    key = {"sources": digest.hexdigest(), "top": top}
    known = cache.get(TESTBENCH, key)
    if known is None:
        with tempfile.TemporaryDirectory(prefix="modmul-") as folder:
            known = {"output": _compile_and_run(sources, top, Path(folder), cache)}
        verdict(known["output"], "Verilator")
        cache.put(TESTBENCH, key, known)
    output: str = known["output"]
    return output


def in_icarus(sources: Sequence[Path], top: str) -> str:
    """The line PASS ... that Icarus printed, or that it took too long: it is slow, and Verilator
    has passed.  CheckFailed if it does not pass."""
    try:
        return verdict(icarus.simulate(sources, top, timeout=_PATIENCE), "Icarus Verilog")
    except Inconclusive as error:
        return str(error)


def compile_bench(sources: Sequence[Path], top: str, folder: Path, cache: Cache) -> Path:
    """The module `top` of a testbench as a program in `folder`.  ToolFailed, ToolMissing."""
    files = verilator.verilate([source.resolve() for source in sources], top, "Check", folder)
    # One unit: most of a compile is the same headers.  -O0: it runs for a second, if that.
    main = folder / "main.cpp"
    main.write_text("".join(f'#include "{file.name}"\n' for file in files) + _MAIN)
    flags = [*verilator.flags(), "-O0", "-I", str(folder)]
    objects = cxx.compile_objects([main], folder, flags)
    cxx.link([*objects, *verilator.runtime(cache)], folder / "check")
    return folder / "check"


def _compile_and_run(sources: Sequence[Path], top: str, folder: Path, cache: Cache) -> str:
    program = compile_bench(sources, top, folder, cache)
    try:
        done = subprocess.run(
            [str(program), "+trace"], capture_output=True, text=True, timeout=_LIMIT
        )
    except subprocess.TimeoutExpired:
        raise ToolFailed(f"the testbench did not finish within {_LIMIT:g} s") from None
    if done.returncode != 0:
        raise ToolFailed(f"the testbench ended with {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def verdict(output: str, simulator: str) -> str:
    """The line PASS ... of an output.  CheckFailed with what is there instead."""
    lines = [line for line in output.splitlines() if not line.startswith("TRACE")]
    passed = [line for line in lines if line.startswith("PASS ")]
    if not passed:
        shown = "\n".join(lines[-12:])
        raise CheckFailed(f"the emitted testbench fails in {simulator}:\n{shown}")
    return passed[0]
