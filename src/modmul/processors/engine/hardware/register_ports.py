"""What is read from the registers, and written into them: ports and layouts."""

from __future__ import annotations

from collections.abc import Sequence

from amaranth.hdl import Mux, Value
from amaranth.lib.wiring import In, Out, Signature

from modmul.blocks.memory import bits_of
from modmul.processors.engine.hardware.build import EngineBuild
from modmul.processors.engine.instructions import instruction_set

OPERANDS = ("a", "b")


def write_signature(build: EngineBuild, banks: int = 1) -> Signature:
    """The ports of a beat that is written into a bank, or into one of consecutive banks."""
    return Signature(
        {
            "enable": Out(1),
            "register": Out(bits_of(build.machine.bank_size * banks)),
            "place": Out(bits_of(build.beats)),
            "data": Out(build.stored),
        }
    )


def read_ports(build: EngineBuild) -> dict[str, In | Out]:
    """The ports that read: an address, and a beat two cycles later.  If there are several
    ports, each has these, with its suffix."""
    number = (instruction_set().registers - 1).bit_length()
    reads = [f"{operand}{port}" for port in build.port_names for operand in OPERANDS]
    return {
        **{f"place{port}": In(bits_of(build.beats)) for port in build.port_names},
        **{f"register_{operand}": In(number) for operand in reads},
        **{operand: Out(build.stored) for operand in reads},
    }


def chosen(values: Sequence[Value], which: Value) -> Value:
    """The value that `which` selects.  There must be a power of two of them."""
    left = list(values)
    for bit in which:
        pairs = zip(left[::2], left[1::2], strict=True)
        left = [Mux(bit, high, low) for low, high in pairs]
    return left[0]
