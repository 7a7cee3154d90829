"""What goes over the streams of a processor for curves, and its numbers in the golden machine."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from modmul.arithmetic.curves import Curve
from modmul.arithmetic.words import from_words
from modmul.design import Beat, Beats, Job
from modmul.multipliers.contract import Constant
from modmul.processors.contract import Load
from modmul.processors.curve.operations import DOUBLE_MULTIPLY, PAIRS
from modmul.processors.curve.programs import LADDER, Programs, annihilator
from modmul.processors.engine import blinding
from modmul.processors.engine import operation as engine
from modmul.processors.engine.assembler import Image
from modmul.processors.engine.hardware.host import SOURCES
from modmul.processors.engine.hardware.streams import sources
from modmul.processors.engine.instructions import STORE
from modmul.processors.engine.operation import Result

__all__ = ["Image", "constants", "lengths", "numbers", "request", "run", "values"]
_DOMAIN = {
    "one": "R mod N", "r2": "R^2 mod N", "unit": "1", "fermat": "N - 2, bits to be taken",
    "n": "order, its highest bit first", "zero": "0", "carry": "what is added for what falls off",
    "top": "what makes blinded scalars equally long",
}  # fmt: skip


def constants(programs: Programs, load: Load, names: Sequence[str]) -> list[Constant]:
    """The beats that load a modulus and a curve.  names: of the programs that can be asked for; the
    constants of the others are 0."""
    build, setting = programs.build, programs.engine.over(load.modulus)
    stored = [0] * len(build.constants)
    for name in names:
        image = programs.image(name)
        numbers = engine.store(image, [setting], _facts(programs, load.curve))
        for row in image.rows.values():
            if image.program.of("constant"):
                stored[row] = numbers[row]
    beats = build.store(setting, stored)
    return [Constant(name, beat) for name, beat in zip(_named(programs, load), beats, strict=True)]


def _facts(programs: Programs, curve: Curve | None) -> dict[str, int]:
    """What programs call the numbers of a curve."""
    if curve is None:
        return {}
    p, a = curve.prime, curve.a
    if curve.form == "montgomery":
        return {"a24": (a - 2) * pow(4, -1, p) % p}
    order, ladder = annihilator(curve), programs.formulas == LADDER and curve.form == "weierstrass"
    blind = blinding.constants(order, programs.blinding, ladder, programs.engine.wide)
    if curve.form == "edwards":
        return {"a": a, "d": curve.d, "d2": 2 * curve.d % p, **blind}
    return {"a": a, "b": curve.b, "b3": 3 * curve.b % p, **blind}


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
    """The beats of one operation, the streams in the order in which its program begins to take
    something from them."""
    name = programs.name(job.mode.operation, job.mode.curve)
    image = programs.image(name)
    setting, given = programs.engine.over(job.modulus), values(programs, job)
    command = {"program": programs.number(name), "count": given["bits"]}
    sent = engine.streams(image, [setting], given, lengths(programs, job))
    operand, scalar, chance = engine.beats(image, sent)
    trains = dict(zip(SOURCES, map(_train, (operand, scalar, chance)), strict=True))
    taken = [SOURCES[word.aux] for word in image.words if word.op == "IN" and word.aux != STORE]
    order = dict.fromkeys([*taken, *sources(programs.build)])
    return {"command": [command], **{name: trains[name] for name in order}}


def run(programs: Programs, job: Job) -> Result:
    """The golden machine's run of an operation."""
    image = programs.image(programs.name(job.mode.operation, job.mode.curve))
    return engine.run(image, job.modulus, values(programs, job), lengths(programs, job))


def numbers(programs: Programs, words: Sequence[int]) -> list[int]:
    """The numbers in the beats of a result."""
    count, bits = programs.engine.machine.beats, programs.engine.word
    starts = range(0, len(words), count)
    return [from_words(list(words[start : start + count]), bits) for start in starts]


def values(programs: Programs, job: Job) -> dict[str, int]:
    """By the names of the programs.  The random numbers follow from the operands: they are for
    simulations, and no result depends on them."""
    of, curve, operation = job.operands, job.mode.curve, job.mode.operation
    chance = random.Random(repr(sorted(of.items())))
    steps = programs.steps(operation, curve)
    found = {"bits": steps} | _facts(programs, curve)
    for copy in ("", "_1", "_2"):
        found[f"lam{copy}"] = chance.randrange(1, job.modulus)
        found[f"blind{copy}"] = chance.getrandbits(programs.engine.wide)
    if "value" in of:
        return found | {"x": of["value"]}
    for name, value in of.items():
        found |= _named_in_programs(operation, name, value, job.modulus, steps)
    return found


def _named_in_programs(
    operation: str, name: str, value: int, modulus: int, steps: int
) -> dict[str, int]:
    """An operand as its program calls it: `k` and `l`, or, of two programs side by side, `k_1` and
    `k_2`; u below the prime; scalars of verification coded."""
    second = name.endswith("2")
    base = name.removesuffix("2")
    if base == "u":
        value %= modulus
    if operation in PAIRS:
        place = f"_{1 + second}"
        return {("k" if base == "scalar" else base) + place: value}
    if base == "scalar":
        coded = operation == DOUBLE_MULTIPLY
        return {"l" if second else "k": engine.coded(value, steps) if coded else value}
    return {name: value}


def lengths(programs: Programs, job: Job) -> dict[str, int]:
    """Bits of scalars."""
    steps = programs.steps(job.mode.operation, job.mode.curve)
    return dict.fromkeys(("k", "l", "k_1", "k_2"), steps)


def _train(values: Sequence[int]) -> list[Beat]:
    return [{"data": value} for value in values]


