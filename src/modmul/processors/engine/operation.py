"""A program done by the golden machine for given numbers: what the host does before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from modmul.errors import SpecError
from modmul.multipliers.setting import Setting
from modmul.processors.engine.assembler import Image
from modmul.processors.engine.golden import Golden, Numbers, Outcome


class Result(NamedTuple):
    """results: what the program put out, in order.  outcome: all that happened."""

    results: tuple[int, ...]
    outcome: Outcome

    @property
    def status(self) -> int:
        return int(self.outcome.status)


def run(image: Image, moduli: int | Sequence[int], values: Mapping[str, int],
        lengths: Mapping[str, int] | None = None, pauses: Sequence[int] = ()) -> Result:
    """The golden machine's run of a program.

    moduli: N, or those that MODULUS chooses from.  values: by name, the residues of constants
    (`one`, `r2`, `r3`, `unit` are known), inputs, scalars and counters.
    lengths: bits of scalars (default: as many as the program takes).
    SpecError for a value that is missing or not below its bound."""
    several = (moduli,) if isinstance(moduli, int) else moduli
    engine, program = image.engine, image.program
    settings = [engine.over(one) for one in several]
    scalars = [(_value(name, values), (lengths or {}).get(name, _bits(image, place, values)))
               for place, name in enumerate(program.of("scalar"))]  # fmt: skip
    counters = [_value(name, values) for name in program.of("counter")]
    numbers = Numbers(engine.machine, settings, engine.limits.register, scalars)
    found = Golden(engine.machine, numbers).run(
        image.words, stream(image, settings, values), counters, pauses=pauses
    )
    return Result(tuple(found.results), found)


def stream(image: Image, settings: Sequence[Setting], values: Mapping[str, int]) -> list[int]:
    """The numbers of the stream operand, in order; constants in the Montgomery domain of the
    modulus that is loaded when they are taken."""
    sources = {one.name: one for one in image.program.sources}
    found, setting = [], settings[0]
    for one in image.program.operations():
        if one.op == "MODULUS":
            setting = settings[one.number or 0]
        if one.op != "IN":
            continue
        source = sources[str(one.dst)]
        factor, modulus = setting.montgomery_factor or 1, setting.modulus
        known = {"one": factor, "r2": factor**2, "r3": factor**3, "unit": 1}
        if source.kind == "constant":
            value = known.get(source.name.partition(".")[0])  # `r2.1` is another r2
            found.append((_value(source.name, values) * factor if value is None else value)
                         % modulus)  # fmt: skip
            continue
        below = {"N": modulus, "2N": 2 * modulus, "R": image.engine.limits.register}[source.below]
        value = _value(source.name, values)
        if not 0 <= value < below:
            raise SpecError(source.name, value, f"below {source.below}",
                            f"{source.name} = {value:#x}: must be below {below:#x}")
        found.append(value)
    return found


def _value(name: str, values: Mapping[str, int]) -> int:
    if name not in values:
        raise SpecError(name, None, "a number", f"{name}: has no value")
    return values[name]


def _bits(image: Image, scalar: int, values: Mapping[str, int]) -> int:
    """Bits that the loops of a program take of a scalar."""
    total = 0
    counters = [values.get(name, 0) for name in image.program.of("counter")]
    for one in image.placed:
        taken = [op for op in one.section.ops if op.op in ("BIT", "DIGIT") and op.number == scalar]
        loops = one.count(counters)
        total += loops * sum(op.width or (1 if loops > 1 else 0) for op in taken)
    return total
