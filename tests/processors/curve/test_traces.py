"""What can be seen of operations does not depend on scalars: on the golden machine words, their
registers and cycles, on the Verilog handshakes and what is written where and when."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest

from modmul import multipliers
from modmul.arithmetic import curves
from modmul.operation import Job
from modmul.processors.contract import Load
from modmul.processors.curve import PrimeCurve
from modmul.processors.curve.operations import POINT_MULTIPLY, X_MULTIPLY
from modmul.toolchain.cache import Cache
from modmul.verification.streams import compile_streams
from traced_engine import ran, traced

CASES = (
    ("toy16", POINT_MULTIPLY),
    ("toy16-montgomery", X_MULTIPLY),
    ("toy16-twisted", POINT_MULTIPLY),
)


@cache
def processor(**options: Any) -> PrimeCurve:
    return PrimeCurve(multiplier=multipliers.find("fpmm")(width=16), verification=False, **options)


def jobs(design: PrimeCurve, name: str, operation: str, count: int) -> list[Job]:
    curve, rng = curves.find(name), random.Random(name)
    point = {"u": curve.x} if operation == X_MULTIPLY else {"x": curve.x, "y": curve.y}
    mode = design.mode(operation, Load.of(curve))
    below = next(rule.below for rule in design.operand_rules(mode, curve.prime))
    assert below is not None
    scalars = [0, 1, below - 1, *(rng.randrange(below) for _ in range(count - 3))]
    return [Job(mode, curve.prime, {"scalar": k, **point}) for k in scalars]


@pytest.mark.parametrize("count", [30, pytest.param(100, marks=pytest.mark.long)])
@pytest.mark.parametrize("options", [{}, {"formulas": "complete"}, {"blinding": 9}], ids=str)
@pytest.mark.parametrize(("name", "operation"), CASES)
def test_traces_of_many_scalars(
    name: str, operation: str, options: dict[str, Any], count: int
) -> None:
    """All the same; what is computed is not."""
    design = processor(**options)
    traces, results = set(), set()
    for job in jobs(design, name, operation, count):
        result = design.run(job)
        traces.add(tuple(result.outcome.trace()))
        results.add((result.results, result.status))
    assert len(traces) == 1
    assert len(results) > count * 3 // 5


@pytest.mark.long  # by default signatures show it (test_scheme_traces.py)
def test_what_the_hardware_shows() -> None:
    design = processor(blinding=9)
    build = design.programs.build
    with compile_streams([traced(build, "curve")], Cache()).start() as session:
        for name, operation in CASES:
            shown, values = set(), set()
            for job in jobs(design, name, operation, 8):
                program = design.programs.name(operation, job.mode.curve)
                observed = ran(
                    session,
                    0,
                    build,
                    design.programs.number(program),
                    job.modulus,
                    design.values(job),
                    design.lengths(job),
                )
                times = {
                    stream: tuple(map(int, cycles))
                    for stream, cycles in observed.outcome.cycles.items()
                }
                writes = [(beat.cycle, beat.register, beat.place) for beat in observed.writes]
                shown.add(str((times, writes)))
                values.add(str(observed.writes))
            assert len(shown) == 1
            assert len(values) == 8
