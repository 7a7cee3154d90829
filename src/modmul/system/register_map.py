"""The registers of a design: one description, from which block, RDL, driver and pages are made.

Names, addresses and fields of registers stand nowhere else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Literal

from modmul.design import Design
from modmul.errors import SpecError
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.operations import ADD, OPERATIONS, SUBTRACT
from modmul.system.channels import FAULT, Channel, chains, channels
from modmul.system.registers import (
    BEATS,
    MOST_BANKS,
    Access,
    BitField,
    Register,
    RegisterMap,
    Window,
)

ID = 0x4C4D444D  # "MDML", its first letter in the lowest byte
VERSION = 0x0001_0000  # version of this layout: major and minor, 16 bits each
_SENDS = 0x40  # address of the first SEND register
_LEAST_UNIT = 0x80  # bytes of the registers, and of a window at least
_SUMS = {ADD: 18, SUBTRACT: 19}  # bits of a SEND register
_FEWER = 12  # bits of a number of beats in a SEND register that also names banks


def register_map(design: Design, longest: Mapping[str, int], banks: int = 0) -> RegisterMap:
    """The registers and windows of a design.  longest: see `channels`.  banks: how many keep
    operands and results, 0 to MOST_BANKS.  Raises SpecError if the design can have none."""
    streams = channels(design, longest)
    chained = chains(design)
    if banks:
        _check_banks(design, streams, chained, banks)
    sizes = [1 << (4 * channel.words - 1).bit_length() for channel in streams]
    unit = max(_LEAST_UNIT, *sizes)
    windows = tuple(_windows(streams, unit, banks))
    digest = _digest(design, tuple(_registers(design, streams, chained, banks, 0)), windows)
    registers = tuple(_registers(design, streams, chained, banks, digest))
    return RegisterMap(design.title, streams, registers, windows, unit, chained, banks)


def _digest(design: Design, registers: tuple[Register, ...], windows: tuple[Window, ...]) -> int:
    """32 bits that tell a design and the layout of its registers from others: no words about
    them, and not the bus.  Designs of different hardware have different titles."""
    fields = [
        [register.name, register.address, bits.name, bits.low, bits.width, bits.access, bits.value]
        for register in registers
        for bits in register.fields
    ]
    places = [
        [window.name, window.address, window.words, window.access, window.bank]
        for window in windows
    ]
    identity = json.dumps([design.title, fields, places])
    return int(hashlib.sha256(identity.encode()).hexdigest()[:8], 16)


def _check_banks(design: Design, streams: tuple[Channel, ...], chained: bool, banks: int) -> None:
    """Raise SpecError if a design cannot have this many banks."""
    if not 0 <= banks <= MOST_BANKS:
        allowed = f"0 to {MOST_BANKS}"
        raise SpecError("banks", banks, allowed, f"banks = {banks}: must be {allowed}")
    why = ""
    if not isinstance(design, Multiplier):
        why = "a processor has registers of its own"
    elif not chained:
        why = f"a result of {design.name} cannot be an operand as it is"
    elif streams[-2].beats >= (1 << _FEWER) - 1:
        why = f"an operand has {streams[-2].beats} beats, which leaves no bits to name a bank"
    if why:
        raise SpecError("banks", banks, "0", f"banks = {banks}: must be 0: {why}")


def _windows(streams: tuple[Channel, ...], unit: int, banks: int) -> Iterator[Window]:
    lanes = ((channel, lane) for channel in streams for lane in channel.lanes)
    place = 0
    for place, (channel, lane) in enumerate(lanes, 1):
        access: Literal["read", "write"] = "write" if channel.direction == "input" else "read"
        yield Window(
            lane.name,
            place * unit,
            channel.words,
            access,
            lane.meaning,
            channel.name,
            channel.secret,
        )
    if banks:
        operand, result = streams[-2:]
        secret = operand.secret or result.secret
        for bank in range(1, banks + 1):
            for lane in result.lanes:
                place += 1
                name = f"bank{bank}{lane.name.removeprefix(result.name)}"
                said = f"an operand, or a result that was sent there: {lane.meaning}"
                yield Window(
                    name, place * unit, operand.words, "write", said, operand.name, secret, bank
                )


def _registers(
    design: Design, streams: tuple[Channel, ...], chained: bool, banks: int, digest: int
) -> Iterator[Register]:
    inputs = [stream for stream in streams if stream.direction == "input"]
    yield Register(
        "id",
        0x00,
        "what this is",
        (BitField("id", 0, 32, "read", "the letters MDML, the first in the lowest byte", ID),),
    )
    yield Register(
        "version",
        0x04,
        "version of the layout of these registers",
        (
            BitField("minor", 0, 16, "read", "further registers", VERSION & 0xFFFF),
            BitField("major", 16, 16, "read", "another layout", VERSION >> 16),
        ),
    )
    yield Register(
        "design",
        0x08,
        "which design this is",
        (
            BitField(
                "digest",
                0,
                32,
                "read",
                "first bits of the SHA-256 of the title, and of names, "
                "places and widths of registers and windows: a driver made for others is refused",
                digest,
            ),
        ),
    )
    yield Register(
        "capabilities", 0x0C, "what the design can do", _capabilities(design, chained, banks)
    )
    yield Register("status", 0x10, "what it does now", tuple(_status(streams, banks)))
    yield Register(
        "control",
        0x14,
        "actions; write 1",
        (
            BitField("take", 0, 1, "pulse", "the result was read: the next one may come"),
            BitField(
                "wipe",
                1,
                1,
                "pulse",
                "reset the core, end what is being sent, and zero all "
                "windows and all registers that held data",
            ),
        ),
    )
    happened, raising = _events(streams, "clear"), _events(streams, "read-write")
    yield Register("events", 0x18, "what has happened; write 1 to clear", tuple(happened))
    yield Register("enables", 0x1C, "events that raise the interrupt", tuple(raising))
    most = f"beats of the result, at most {streams[-1].beats}"
    yield Register(
        "result_beats",
        0x20,
        most,
        (BitField("beats", 0, BEATS, "read", "that have come; all of them with status.result"),),
    )
    for place, channel in enumerate(inputs):
        sends = f"send a packet of {channel.name}"
        fields = tuple(_send(channel, chained, banks))
        yield Register(f"{channel.name}_send", _SENDS + 4 * place, sends, fields)


def _status(streams: tuple[Channel, ...], banks: int) -> Iterator[BitField]:
    yield BitField("result", 0, 1, "read", "a whole result is in the windows of the result")
    yield BitField("wiping", 1, 1, "read", "windows are being zeroed")
    if banks:
        yield BitField(
            "computing",
            2,
            1,
            "read",
            "a product was sent, whose result has not come: "
            "operand_send takes nothing, nor does a bank that it goes to",
        )
    if FAULT in streams[-1].flags:
        yield BitField("fault", 3, 1, "read", "a fault was detected: results are 0 until a wipe")
    for place, channel in enumerate(streams[:-1]):
        sent = f"a packet of {channel.name} is being sent: its windows and its SEND take nothing"
        yield BitField(f"{channel.name}_busy", 8 + place, 1, "read", sent)


def _capabilities(design: Design, chained: bool, banks: int) -> tuple[BitField, ...]:
    multiplies = isinstance(design, Multiplier)
    sums = isinstance(design, Multiplier) and ADD in design.operations
    kept = "banks that keep operands and results"
    return (
        BitField(
            "loads",
            0,
            1,
            "read",
            "a modulus is loaded before anything is computed",
            int(design.modulus_at == "run time"),
        ),
        BitField(
            "operands", 1, 1, "read", "operands stay in their windows; squares", int(multiplies)
        ),
        BitField("chains", 2, 1, "read", "a result can be an operand", int(chained)),
        BitField("processor", 3, 1, "read", "whole operations, not products", int(not multiplies)),
        *([BitField("sums", 4, 1, "read", "adds and subtracts, too", 1)] if sums else []),
        *([BitField("banks", 8, 4, "read", kept, banks)] if banks else []),
        BitField("width", 16, 16, "read", "bits of a modulus", design.width),
    )


def _events(streams: tuple[Channel, ...], access: Access) -> Iterator[BitField]:
    yield BitField("result", 0, 1, access, "a whole result has come")
    refused = "something was written that could not be done; it was not"
    yield BitField("error", 1, 1, access, refused)
    yield BitField("wiped", 2, 1, access, "windows are zeroed")
    if FAULT in streams[-1].flags:
        yield BitField("fault", 3, 1, access, "status.fault is 1")
    for place, channel in enumerate(streams[:-1]):
        name = channel.name
        yield BitField(f"{name}_sent", 8 + place, 1, access, f"a packet of {name} was taken")


def _send(channel: Channel, chained: bool, banks: int) -> Iterator[BitField]:
    pairs = len(channel.lanes) > 1 and channel.name == "operand"
    many = f"how many, from the window's beginning on: 1 to {channel.beats}; 0 sends nothing"
    yield BitField("beats", 0, _FEWER if pairs and banks else BEATS, "pulse", many)
    if pairs and banks:
        yield BitField(
            "result_bank",
            _FEWER,
            4,
            "pulse",
            f"1 to {banks}: the bank that the result goes to, too; 0: to none",
        )
    yield BitField("first", 16, 1, "pulse", "they begin a packet")
    yield BitField("last", 17, 1, "pulse", "they end it")
    if not pairs:
        return
    for name, place in _SUMS.items():
        if name in channel.flags:
            said = f"{OPERATIONS[name].declared}, instead of the product"
            yield BitField(name, place, 1, "pulse", said)
    yield BitField("square", 20, 1, "pulse", "b is a: the window of b is not used")
    if chained:
        yield BitField("a_result", 21, 1, "pulse", "a is the result that is there")
        yield BitField("b_result", 22, 1, "pulse", "b is the result that is there")
        used = "then the result has been used: the next one may come"
        yield BitField("take", 23, 1, "pulse", used)
    for place, letter in enumerate("ab" if banks else ""):
        held = f"1 to {banks}: {letter} is what this bank holds; 0: see {letter}_result"
        yield BitField(f"{letter}_bank", 24 + 4 * place, 4, "pulse", held)
