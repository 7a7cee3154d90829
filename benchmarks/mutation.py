"""How many injected faults the delivered testbench of each architecture catches, and `verify`.

python -m benchmarks.mutation [--mutants N] [--seed S] [ARCHITECTURE ...]: a row of a Markdown table
for each design as it is done, then the faults that only `verify` catches (the command then ends
with 1), those that nobody does, and those that a simulator gave no answer about.  All take a
quarter of an hour on two idle cores."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from benchmarks.mutation_score import score
from modmul.spec import Spec
from modmul.toolchain.cache import Cache

RADIX2 = (
    "interleaved-redundant",
    "montgomery-radix2",
    "montgomery-2csa",
    "montgomery-1csa",
    "scs-mm-1",
    "scs-mm-2",
    "mscs-mm",
    "scs-mm-new",
    "fcs-mm-1",
    "fcs-mm-2",
    "fcs-mmm42",
)
PLAIN = (
    "array-iterative",
    "array-5counter",
    "array-booth",
    "array-mux",
    "array-mux4",
    "tree-dadda",
    "inferred",
)
DESIGNS: tuple[dict[str, Any], ...] = (
    {"architecture": "fips", "width": 128},
    {"architecture": "fips", "width": 32, "word": 8, "multipliers": 2, "stages": 2},
    {"architecture": "fips", "modulus": "x^31+x^3+1", "word": 16, "interface": "core"},
    {"architecture": "fpmm", "width": 64, "word": 16},
    {"architecture": "fpmm", "width": 64, "target": "ecp5"},
    {"architecture": "interleaved", "width": 32},
    {"architecture": "interleaved", "modulus": 65521},
    {"architecture": "interleaved", "modulus": 65521, "interface": "core"},
    *({"architecture": name, "width": 32} for name in RADIX2),
    {"architecture": "montgomery-lookahead", "width": 40},
    {"architecture": "three-pass", "width": 16},
    *({"architecture": name, "width": 16} for name in PLAIN),
)


def main() -> int:
    """One run; 1 if a testbench misses what `verify` catches."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutation", description=__doc__)
    parser.add_argument("--mutants", type=int, default=60, help="injected into each design")
    parser.add_argument("--seed", type=int, default=1, help="which")
    parser.add_argument("architectures", nargs="*", help="default: all")
    given = parser.parse_args()
    print("| design | interface | products | faults | testbench | verify | only verify | nobody |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    notes = []
    missed = 0
    for options in DESIGNS:
        if given.architectures and options["architecture"] not in given.architectures:
            continue
        row, lines = _measure(options, given.mutants, given.seed)
        print(row, flush=True)
        notes += lines
        missed += sum(note.startswith("only verify") for note in lines)
    print("\n" + "\n".join(notes))
    return 1 if missed else 0


def _measure(options: dict[str, Any], mutants: int, seed: int) -> tuple[str, list[str]]:
    """The row of a design, and a line for each fault that its testbench does not catch."""
    spec, began = Spec.from_options(options), time.monotonic()
    scored = score(spec, mutants, Cache(), seed=seed, complete=True)
    title = f"{spec.multiplier.title}{f', N = {spec.modulus}' if spec.modulus else ''}"
    figures = (
        title,
        spec.interface,
        scored.products,
        len(scored.mutants),
        scored.by_testbench,
        scored.by_verify,
        len(scored.missed),
        len(scored.silent),
    )
    print(f"{title}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    notes = [f"only verify: {fault}" for fault in scored.missed]
    notes += [f"nobody: {fault}" for fault in scored.silent]
    notes += [f"no answer from a simulator: {fault}" for fault in scored.broken]
    return f"| {' | '.join(map(str, figures))} |", notes


if __name__ == "__main__":
    sys.exit(main())
