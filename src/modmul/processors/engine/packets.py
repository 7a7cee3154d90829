"""How the packets of an operation of an engine are made of its operands: see
`modmul.processors.packets`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from modmul.multipliers.setting import Setting
from modmul.processors.engine import operation
from modmul.processors.engine.assembler import Image
from modmul.processors.engine.hardware.host import SOURCES
from modmul.processors.engine.instructions import RANDOM, SCALAR
from modmul.processors.packets import Chance, OperandBits, PacketNumber, Packets, pieces


def packets(
    image: Image,
    command: Mapping[str, int],
    taken: Sequence[PacketNumber],
    said: Callable[[Sequence[int], int], Mapping[str, int]],
    status_bits: int,
) -> Packets:
    """The packets of a program.  command: the fields of its command.  taken: the numbers
    that it takes.  said: returns results and flags from the numbers that the program puts out and
    its status of `status_bits` bits."""
    outputs, size = len(image.program.outputs), image.machine.beats * image.engine.word
    outcomes = tuple(_outcome(said([0] * outputs, status)) for status in range(1 << status_bits))
    right = outcomes.index("")

    def results(values: Sequence[int]) -> dict[str, int]:
        told = said(values, right)
        return {name: value for name, value in told.items() if not isinstance(value, bool)}

    return Packets(
        command,
        "count" if any(number.sized for number in taken) else "",
        tuple(taken),
        tuple(pieces(results, outputs, size)),
        outputs * image.machine.beats + 1,
        outcomes,
    )


def numbers(
    image: Image,
    settings: Sequence[Setting],
    parts: Mapping[str, OperandBits],
    values: Mapping[str, int],
    lengths: Mapping[str, int],
    sized: set[str],
    suffix: str = "",
) -> list[PacketNumber]:
    """The numbers that one engine takes.  parts: those that are parts of operands, by their
    names in the program.  values: all numbers by these names.  sized: operands whose length the
    request chooses.  suffix: of the engine's streams."""
    moduli, taken = operation.moduli_of(image, settings), list[PacketNumber]()
    size = image.machine.beats * image.engine.word
    for place, names in operation.taken(image).items():
        for name in names:
            source, shift = image.program.source(name), 0
            part = parts.get(name)
            if place == SCALAR:
                shift = image.engine.wide - operation.scalar_bits(image, source, values, lengths)
            what: OperandBits | Chance | int = values.get(name, 0) if part is None else part
            if place == RANDOM and part is None:
                below = {"N": operation.residues(moduli[name]), "R": image.engine.limits.register}
                what = Chance(int(source.below == "N"), below[source.below])
            varies = place == SCALAR and part is not None and part.operand in sized
            taken.append(PacketNumber(SOURCES[place] + suffix, what, size, shift, varies))
    return taken


def _outcome(said: Mapping[str, int]) -> str:
    """The flag that replaces the results, or "" if there are results."""
    for name, value in said.items():
        if isinstance(value, bool):
            return "" if value and name == "valid" else "invalid" if name == "valid" else name
    return ""
