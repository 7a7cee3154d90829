"""Overwrites what programs leave: at the end of each program, and after a program that was
interrupted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from modmul.processors.engine.instructions import Word, in_words
from modmul.processors.engine.machine import Machine


def program(used: Sequence[int], scalars: Sequence[int], machine: Machine) -> tuple[Word, ...]:
    """A program that only overwrites these registers and scalars, both in rising order.  It
    is run after a reset has interrupted a program."""
    first = -(-machine.busy("MODULUS") // machine.turn) * machine.turn
    words = epilogue(first, used, scalars, machine)
    return in_words([(0, Word("MODULUS")), *words])


def epilogue(
    time: int, used: Sequence[int], scalars: Sequence[int], machine: Machine
) -> Iterator[tuple[int, Word]]:
    """The words that end a program, each with its cycle; `time` is one in which the first
    slot begins.

    Zeros overwrite the registers of sums and the scalars that were used, and products of zeros
    those of products, with at least one product in every slot, so that the multipliers keep
    nothing.  A RED of zero overwrites the memories of each adder.  HALT comes last."""
    first = machine.bank_size * machine.ports  # of sums
    zero = next((number for number in used if machine.sums(number)), first)
    for number in sorted({zero, *filter(machine.sums, used)}):
        yield time, Word("WIPE", dst=number)
        time += machine.beats
    time += machine.first("WIPE")
    for start, word in _products(time, [n for n in used if not machine.sums(n)], zero, machine):
        time = start
        yield time, word
    time += machine.busy("MUL")
    for port in range(machine.ports):
        while machine.port(time) != port:
            time += 1
        yield time, Word("RED", dst=machine.bank("RED", port) * machine.bank_size, a=zero)
        time += max(machine.beats, machine.align) if machine.writers != "each" else 1
    time += machine.busy("RED")
    for bank in range(machine.ports, machine.banks):  # the registers that these words wrote
        yield time, Word("WIPE", dst=bank * machine.bank_size)
        time += machine.beats
    time += machine.first("WIPE")
    for number in scalars:
        yield time, Word("SCALAR", aux=number, a=zero)
        time += machine.busy("SCALAR")
    yield time, Word("HALT")


def _products(
    time: int, used: Sequence[int], zero: int, machine: Machine
) -> Iterator[tuple[int, Word]]:
    """Products of zero into these registers, at least one in each slot of each multiplier."""
    slots = [(unit, slot) for unit in range(machine.multipliers) for slot in range(machine.slots)]
    left = set(slots)
    waiting = {
        port: [number for number in used if number // machine.bank_size == port]
        for port in range(machine.ports)
    }
    free = [time] * machine.ports
    busy: dict[tuple[int, int], int] = {}
    while left or any(waiting.values()):
        port, slot = machine.port(time), machine.slot(time)
        if port is not None and free[port] <= time:
            units = [
                unit
                for unit in range(port, machine.multipliers, machine.ports)
                if busy.get((unit, slot), time) <= time
            ]
            units.sort(key=lambda unit: (unit, slot) not in left)
            fresh = bool(units) and (units[0], slot) in left
            if units and (waiting[port] or fresh):
                dst = waiting[port].pop(0) if waiting[port] else port * machine.bank_size
                yield time, Word("MUL", dst=dst, a=zero, b=zero, aux=units[0])
                left.discard((units[0], slot))
                busy[units[0], slot] = time + machine.duration("MUL")
                writers = (port,) if machine.writers == "each" else range(machine.ports)
                for other in writers:
                    free[other] = time + max(machine.beats, machine.align)
        soonest = min(busy.get(key, time) for key in slots)
        time = max(time + 1, soonest)  # no product can begin before
