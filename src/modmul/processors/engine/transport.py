"""What goes over the streams of a processor that is an engine with programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from modmul.arithmetic.words import from_words
from modmul.design import Beat, Beats
from modmul.multipliers.contract import Constant
from modmul.processors.engine import operation
from modmul.processors.engine.hardware.host import SOURCES
from modmul.processors.engine.hardware.streams import sources
from modmul.processors.engine.instructions import STORE
from modmul.processors.engine.program_set import ProgramSet

_DOMAIN = {
    "one": "R mod N", "r2": "R^2 mod N", "unit": "1", "fermat": "N - 2, bits to be taken",
    "n": "order, its highest bit first", "zero": "0", "carry": "what is added for what falls off",
    "top": "what makes blinded scalars equally long",
}  # fmt: skip


def constants(programs: ProgramSet, modulus: int, facts: Mapping[str, int],
              names: Sequence[str]) -> list[Constant]:  # fmt: skip
    """The beats that load a modulus and a curve.  facts: what programs call the numbers of a curve;
    names: of the programs that can be asked for; the constants of the others are 0."""
    build, setting = programs.build, programs.engine.over(modulus)
    values = [0] * len(build.constants)
    for name in names:
        image = programs.image(name)
        numbers = operation.store(image, [setting], facts)
        for row in image.rows.values():
            if image.program.of("constant"):
                values[row] = numbers[row]
    beats = build.store(setting, values)
    named = _named(programs, modulus)
    return [Constant(name, beat) for name, beat in zip(named, beats, strict=True)]


def _named(programs: ProgramSet, modulus: int) -> Iterator[str]:
    """The names of all beats."""
    build = programs.build
    rows = [f"N * 2^{k}" if k else "N" for k in range(build.multiples)]
    rows += [f"-N * 2^{k} mod 2^{programs.engine.wide}" for k in range(build.negatives)]
    rows += [_DOMAIN.get(name, f"{name} * R mod N") for name in build.constants]
    for row in rows:
        yield from (f"{row}[{place}]" for place in range(build.beats))
    for one in programs.engine.over(modulus).constants:
        several = build.beats if programs.engine.whole else 1
        yield from ([one.name] if several == 1 else [f"{one.name}[{i}]" for i in range(several)])


def request(programs: ProgramSet, name: str, modulus: int, values: Mapping[str, int],
            lengths: Mapping[str, int], count: int) -> Beats:  # fmt: skip
    """The beats of one run of a program, the streams in the order in which it begins to take
    something from them.  values, lengths: as for `operation.run`; count: passes of its loops."""
    image, setting = programs.image(name), programs.engine.over(modulus)
    command = {"program": programs.number(name), "count": count}
    sent = operation.streams(image, [setting], values, lengths)
    trains = dict(zip(SOURCES, map(_train, operation.beats(image, sent)), strict=True))
    taken = [SOURCES[word.aux] for word in image.words if word.op == "IN" and word.aux != STORE]
    order = dict.fromkeys([*taken, *sources(programs.build)])
    return {"command": [command], **{name: trains[name] for name in order}}


def numbers(programs: ProgramSet, words: Sequence[int]) -> list[int]:
    """The numbers in the beats of a result."""
    count, bits = programs.engine.machine.beats, programs.engine.word
    starts = range(0, len(words), count)
    return [from_words(list(words[start : start + count]), bits) for start in starts]


def _train(values: Sequence[int]) -> list[Beat]:
    return [{"data": value} for value in values]
