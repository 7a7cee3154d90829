"""What goes over the streams of a processor for curves, and its numbers in the golden machine."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from modmul.arithmetic.curves import Curve
from modmul.arithmetic.words import from_words
from modmul.design import Beat, Beats, Job
from modmul.multipliers.contract import Constant
from modmul.processors.contract import Load
from modmul.processors.curve.programs import Programs
from modmul.processors.engine import operation
from modmul.processors.engine.assembler import Image
from modmul.processors.engine.operation import Result

__all__ = ["Image", "constants", "numbers", "request", "run"]
_DOMAIN = {"one": "R mod N", "r2": "R^2 mod N", "unit": "1", "fermat": "N - 2, bits to be taken",
           "n": "order, its highest bit first"}  # fmt: skip


def constants(programs: Programs, load: Load, names: Sequence[str]) -> list[Constant]:
    """The beats that load a modulus and a curve.  names: of the programs that can be asked for; the
    constants of the others are 0."""
    build, setting = programs.build, programs.engine.over(load.modulus)
    stored = [0] * len(build.constants)
    for name in names:
        image = programs.image(name)
        numbers = operation.store(image, [setting], _facts(load.curve))
        for row in image.rows.values():
            if image.program.of("constant"):
                stored[row] = numbers[row]
    beats = build.store(setting, stored)
    return [Constant(name, beat) for name, beat in zip(_named(programs, load), beats, strict=True)]


def _facts(curve: Curve | None) -> dict[str, int]:
    """What programs call the numbers of a curve."""
    if curve is None:
        return {}
    p, a = curve.prime, curve.a
    if curve.form == "montgomery":
        return {"a24": (a - 2) * pow(4, -1, p) % p}
    return {"a": a, "b": curve.b, "b3": 3 * curve.b % p, "n": curve.order}


def _named(programs: Programs, load: Load) -> Iterator[str]:
    """The names of all beats."""
    build = programs.build
    rows = [f"N * 2^{k}" if k else "N" for k in range(build.multiples)]
    rows += [f"-N * 2^{k} mod 2^{programs.engine.wide}" for k in range(build.negatives)]
    rows += [_DOMAIN.get(name, f"{name} * R mod N") for name in build.constants]
    for row in rows:
        yield from (f"{row}[{place}]" for place in range(build.beats))
    for one in programs.engine.over(load.modulus).constants:
        several = build.beats if programs.engine.whole else 1
        yield from ([one.name] if several == 1 else [f"{one.name}[{i}]" for i in range(several)])


def request(programs: Programs, job: Job) -> Beats:
    """The beats of one operation."""
    name = programs.name(job.mode.operation, job.mode.curve)
    image = programs.image(name)
    setting, values = programs.engine.over(job.modulus), _values(job)
    given = operation.streams(image, [setting], values, _lengths(job))
    operand, scalar, chance = operation.beats(image, given)
    command = {"program": programs.number(name), "count": values["bits"]}
    return {"command": [command], "operand": _train(operand), "scalar": _train(scalar),
            "random": _train(chance)}  # fmt: skip


def run(programs: Programs, job: Job) -> Result:
    """The golden machine's run of an operation."""
    image = programs.image(programs.name(job.mode.operation, job.mode.curve))
    return operation.run(image, job.modulus, _values(job), _lengths(job))


def numbers(programs: Programs, words: Sequence[int]) -> list[int]:
    """The numbers in the beats of a result."""
    count, bits = programs.engine.machine.beats, programs.engine.word
    starts = range(0, len(words), count)
    return [from_words(list(words[start : start + count]), bits) for start in starts]


def _values(job: Job) -> dict[str, int]:
    """By the names of the programs.  The random number follows from the operands: it is for
    simulations, and no result depends on it."""
    of = job.operands
    chance = random.Random(repr(sorted(of.items())))
    found = {"lam": chance.randrange(1, job.modulus), "bits": job.mode.length or 0}
    found |= _facts(job.mode.curve)
    if "value" in of:
        return found | {"x": of["value"]}
    if "u" in of:
        return found | {"u": of["u"] % job.modulus, "k": of["scalar"]}
    return found | {"x": of["x"], "y": of["y"], "k": of.get("scalar", 0)}


def _lengths(job: Job) -> dict[str, int]:
    return {} if job.mode.length is None else {"k": job.mode.length}


def _train(values: Sequence[int]) -> list[Beat]:
    return [{"data": value} for value in values]


