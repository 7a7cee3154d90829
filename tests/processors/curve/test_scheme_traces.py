"""What can be seen of signatures and key agreement does not depend on keys and nonces: on the
golden machine words and cycles, on the Verilog handshakes and what is written where and when."""

from __future__ import annotations

import random
from functools import cache

import pytest

from modmul import multipliers
from modmul.arithmetic import curves
from modmul.export import signatures
from modmul.operation import Job
from modmul.processors.contract import Load
from modmul.processors.curve import PrimeCurve
from modmul.processors.curve.schemes import TASKS
from modmul.toolchain.cache import Cache
from modmul.verification.streams import compile_streams
from traced_engine import left, ran, traced

SECRETS = ("private", "nonce", "ephemeral")
SECRET = [task.name for task in TASKS.values() if not task.public]


@cache
def processor() -> PrimeCurve:
    return PrimeCurve(multiplier=multipliers.find("fpmm")(width=16))


def jobs(operation: str, count: int) -> list[Job]:
    """With keys and nonces at their ends, and others; everything else is the same."""
    design, rng = processor(), random.Random(operation)
    curve = curves.find({"weierstrass": "toy16", "edwards": "toy16-twisted"}[TASKS[operation].form])
    mode = design.mode(operation, Load.of(curve))
    rules = {rule.name: rule for rule in design.operand_rules(mode, curve.prime)}
    first = signatures.drawn(operation, curve, rules, random.Random(0))
    secret = [name for name in rules if name in SECRETS]
    assert secret
    ends = [
        {**first, name: value}
        for name in secret
        for value in (rules[name].least, (rules[name].below or 0) - 1)
    ]
    more = [
        {
            **first,
            **{name: rng.randrange(rules[name].least, rules[name].below or 0) for name in secret},
        }
        for _ in range(count - len(ends))
    ]
    return [Job(mode, curve.prime, given) for given in [*ends, *more]]


@pytest.mark.parametrize("count", [20, pytest.param(100, marks=pytest.mark.long)])
@pytest.mark.parametrize("operation", SECRET)
def test_traces_of_many_keys_and_nonces(operation: str, count: int) -> None:
    """All the same, with as many cycles as declared; what is computed is not, and all is wiped."""
    design, traces, results = processor(), set(), set()
    for job in jobs(operation, count):
        result = design.run(job)
        traces.add((tuple(result.outcome.trace()), result.outcome.cycles))
        results.add(result.results)
        assert {result.outcome.memory[number] for number in design.image(job.mode).used} == {0}
    assert len(traces) == 1
    assert len(results) > count * 3 // 5


@pytest.mark.parametrize("operation", TASKS)
def test_every_secret_is_named(operation: str) -> None:
    """Keys and nonces are declared as secret where they come in, also as scalars, and nothing of
    them reaches the time; the streams on which they come are secret.  What is verified is not."""
    design, task = processor(), TASKS[operation]
    form = "toy16" if task.form == "weierstrass" else "toy16-twisted"
    curve = curves.find(form)
    image = design.image(design.mode(operation, Load.of(curve)))
    flow, program = image.flow, image.program
    assert flow.timing == "constant" and not flow.leaks
    secret = {source.name for source in program.sources if source.secret}
    named = {task.inputs.get(name, name) for name in task.operands if name in SECRETS}
    assert named <= secret <= flow.secret
    scalars = {source.name for source in program.sources if source.kind == "scalar"}
    assert ("k" in secret) == (not task.public and "k" in scalars)
    if task.public:
        assert secret == set() and flow.released == ()
    else:
        assert named
    streams = {stream.name: stream for stream in design.streams}
    for name in ("operand", "scalar", "random"):
        assert streams[name].secret


@pytest.mark.parametrize(
    ("operations", "count"),
    [(("ecdsa-sign", "eddsa-sign"), 6), pytest.param(SECRET, 10, marks=pytest.mark.long)],
)
@pytest.mark.long
def test_what_the_hardware_shows(operations: list[str], count: int) -> None:
    """Every beat that is written, and the handshakes: times and places are those of all keys, and
    the last that is written anywhere is 0."""
    design = processor()
    build = design.programs.build
    with compile_streams([traced(build, "schemes")], Cache()).start() as session:
        for operation in operations:
            shown, values = set(), set()
            for job in jobs(operation, count):
                number = design.programs.number(design.program_in(job.mode))
                moduli = design.moduli(job.modulus, job.mode.curve)
                observed = ran(
                    session, 0, build, number, moduli, design.values(job), design.lengths(job)
                )
                times = {
                    stream: tuple(map(int, cycles))
                    for stream, cycles in observed.outcome.cycles.items()
                }
                writes = [(beat.cycle, beat.register, beat.place) for beat in observed.writes]
                shown.add(str((times, writes)))
                values.add(str(observed.writes))
                assert set(left([observed.outcome]).values()) == {0}
            assert len(shown) == 1 and len(values) == count, operation
