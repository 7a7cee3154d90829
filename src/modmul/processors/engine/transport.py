"""The beats on the streams of a processor that is an engine with programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from modmul.arithmetic.words import from_words
from modmul.design import Beat, Beats
from modmul.multipliers.contract import Constant
from modmul.multipliers.setting import Setting
from modmul.processors.engine import operation
from modmul.processors.engine.hardware.host import SOURCES
from modmul.processors.engine.hardware.streams import sources
from modmul.processors.engine.instructions import STORE
from modmul.processors.engine.program_set import ProgramSet

_DOMAIN = {
    "one": "R mod N",
    "r2": "R^2 mod N",
    "unit": "1",
    "fermat": "N - 2, bits to be taken",
    "n": "order, its highest bit first",
    "zero": "0",
    "carry": "what is added for what falls off",
    "top": "what makes blinded scalars equally long",
    "rest": "the rest of that",
    "above": "the same for scalars that are computed",
    "rest_above": "the rest of that",
    "order": "the order",
    "carry_complete": "what is added for what falls off",
    "r2x": "s * R^2 mod N, s^2 = a",
    "unitx": "1 / s mod N",
}


def constants(
    programs: ProgramSet, moduli: Sequence[int], facts: Mapping[str, int], names: Sequence[str]
) -> list[Constant]:
    """The beats that load moduli, a curve or a key.  facts: the constants of a curve or key,
    by their names in programs.  names: the programs that can be asked for; constants that only
    others use are 0."""
    build, settings = programs.build, programs.settings(moduli, names)
    values = [0] * len(build.constants)
    for name in names:
        image = programs.image(name)
        numbers = operation.store(image, settings, facts)
        for row in image.rows.values():
            if image.program.of("constant"):
                values[row] = numbers[row]
    beats = build.store(settings, values)
    named = _named(programs, settings[0])
    return [Constant(name, beat) for name, beat in zip(named, beats, strict=True)]


def _named(programs: ProgramSet, setting: Setting) -> Iterator[str]:
    build = programs.build
    rows: list[str] = []
    for place in range(build.sets):
        modulus_name = f"N_{place}" if build.sets > 1 else "N"
        rows += [f"{modulus_name} * 2^{k}" if k else modulus_name for k in range(build.multiples)]
        rows += [
            f"-{modulus_name} * 2^{k} mod 2^{programs.engine.wide}" for k in range(build.negatives)
        ]
    rows += [_DOMAIN.get(name, f"{name} * R mod N") for name in build.constants]
    for row in rows:
        yield from (f"{row}[{place}]" for place in range(build.beats))
    for place in range(build.sets):
        for constant in setting.constants:
            name = f"{constant.name} of N_{place}" if build.sets > 1 else constant.name
            several = build.beats if programs.engine.whole else 1
            yield from ([name] if several == 1 else [f"{name}[{i}]" for i in range(several)])


def request(
    programs: ProgramSet,
    name: str,
    moduli: Sequence[int],
    values: Mapping[str, int],
    lengths: Mapping[str, int],
    count: int,
) -> Beats:
    """The beats of one run of a program, by stream in the order in which it first reads
    them.  values, lengths: as for `operation.run`.  count: passes of its loops."""
    image, settings = programs.image(name), programs.settings(moduli, [name])
    command = {"program": programs.number(name), "count": count}
    sent = operation.streams(image, settings, values, lengths)
    packets = dict(zip(SOURCES, map(_packet, operation.beats(image, sent)), strict=True))
    taken = [SOURCES[word.aux] for word in image.words if word.op == "IN" and word.aux != STORE]
    order = dict.fromkeys([*taken, *sources(programs.build)])
    return {"command": [command], **{name: packets[name] for name in order}}


def numbers(programs: ProgramSet, words: Sequence[int]) -> list[int]:
    """The numbers in the beats of a result."""
    count, bits = programs.engine.machine.beats, programs.engine.word
    starts = range(0, len(words), count)
    return [from_words(list(words[start : start + count]), bits) for start in starts]


def _packet(values: Sequence[int]) -> list[Beat]:
    return [{"data": value} for value in values]
