"""Simulates a circuit cycle by cycle: what steers it are numbers, what it computes with are words.

Registers and memories begin as free words.  Where an address or the enable of a write is not a
number, free words are read, and the whole memory is forgotten."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from modmul.arithmetic_proof import signals
from modmul.arithmetic_proof.circuit import MEMORY, Circuit, CircuitCell, Pin, Run
from modmul.arithmetic_proof.operations import Operations
from modmul.arithmetic_proof.signals import NOTHING, Signal
from modmul.arithmetic_proof.variables import NoProof

_ORDERS = frozenset({"$lt", "$le", "$gt", "$ge"})


@dataclass(frozen=True)
class Held:
    """What registers (by the number of their output) and memories (by name) hold; None: a word
    that is not known."""

    values: Mapping[int, Signal]
    memories: Mapping[str, Sequence[Signal | None]]

    def key(self) -> Hashable:
        """Equal for equal ones."""
        words = (word for stored in self.memories.values() for word in stored)
        keys = (() if word is None else signals.key(word) for word in words)
        return *map(signals.key, self.values.values()), *keys

    def joined(self, other: Held) -> Held:
        """What both hold."""
        return self._each(
            lambda output, mine: signals.common(mine, other.values[output]),
            lambda name, place, mine: _common(mine, other.memories[name][place]),
        )

    def without_words(self) -> Held:
        """The constant bits alone."""
        return self._each(
            lambda _, mine: signals.without_words(mine),
            lambda _, __, mine: mine and signals.without_words(mine),
        )

    def _each(
        self,
        value: Callable[[int, Signal], Signal],
        word: Callable[[str, int, Signal | None], Signal | None],
    ) -> Held:
        values = {output: value(output, mine) for output, mine in self.values.items()}
        return Held(
            values,
            {
                name: [word(name, place, mine) for place, mine in enumerate(stored)]
                for name, stored in self.memories.items()
            },
        )


def _common(left: Signal | None, right: Signal | None) -> Signal | None:
    return signals.common(left, right) if left and right else None


class Simulator:
    """The state of a circuit.  All methods raise NoProof where what steers it depends on data, or a
    cell is not known.

    given: outputs of cells that are not simulated, since `settle` is told what they carry.  held:
    what registers and memories hold at first; else that is free.  values: of each output of a cell.
    memories: the words of each; None: not known yet, and free.  addresses: of the read and the
    write ports of a memory, where they are not those of its pins."""

    def __init__(
        self,
        circuit: Circuit,
        operations: Operations,
        given: Collection[int] = (),
        held: Held | None = None,
    ):
        self.circuit, self.operations = circuit, operations
        self.addresses: dict[str, tuple[Signal, Signal]] = {}
        self._evaluated = [e for e in circuit.order if not set(e.outputs.values()) & set(given)]
        self.registers = [r for r in circuit.registers if r.outputs["Q"] not in given]
        self.values: list[Signal] = [()] * len(circuit.widths)
        self.memories: dict[str, list[Signal | None]] = {}
        for each in circuit.memories:
            self.memories[each.name] = _stored(each)
            read = each.outputs["RD_DATA"]
            self.values[read] = operations.unknown(each.name, circuit.widths[read])
        for each in self.registers:
            self.values[each.outputs["Q"]] = operations.unknown(each.name, each.width("Q"))
        if held is not None:
            self.restore(held)
        self._cells: Mapping[str, Callable[[CircuitCell], Signal]] = {
            MEMORY: self._read,
            "$and": self._bitwise,
            "$or": self._bitwise,
            "$xor": self._bitwise,
            "$not": lambda each: self.operations.inverted(self._operand(each, "A")),
            "$pos": lambda each: self._operand(each, "A"),
            "$buf": lambda each: self._operand(each, "A"),
            "$mux": self._mux,
            "$pmux": self._pmux,
            "$add": self._arithmetic,
            "$sub": self._arithmetic,
            "$mul": self._arithmetic,
            "$logic_not": self._reduce,
            "$reduce_or": self._reduce,
            "$reduce_bool": self._reduce,
            "$reduce_and": self._reduce,
            "$logic_and": self._logic,
            "$logic_or": self._logic,
            "$eq": self._equal,
            "$ne": self._equal,
            **dict.fromkeys(_ORDERS, self._order),
            "$shl": self._shift,
            "$sshl": self._shift,
            "$shr": self._shift,
            "$sshr": self._shift,
        }

    def unknown(self, name: str, width: int) -> Signal:
        return self.operations.unknown(name, width)

    # ---- what is held -----------------------------------------------------------------------

    def held(self) -> Held:
        """What registers and memories hold."""
        clocked = [each.outputs["RD_DATA"] for each in self.circuit.memories]
        outputs = [*(each.outputs["Q"] for each in self.registers), *clocked]
        words = {name: tuple(stored) for name, stored in self.memories.items()}
        return Held({out: self.values[out] for out in outputs}, words)

    def restore(self, held: Held) -> None:
        """From what is held; the parts of it that are not known are free."""
        for output, signal in held.values.items():
            self.values[output] = self._held(signal)
        for name, stored in held.memories.items():
            self.memories[name] = [None if word is None else self._held(word) for word in stored]

    def _held(self, signal: Signal) -> Signal:
        return signals.joined(
            self.operations.unknown("held", piece.width) if piece.word is NOTHING else (piece,)
            for piece in signal
        )

    def on(self, pin: Pin) -> Signal:
        """What a pin carries."""
        if len(pin) == 1:
            run = pin[0]
            if run.output is not None and run.width == self.circuit.widths[run.output]:
                return self.values[run.output]
        return signals.joined(map(self._on, pin))

    def _on(self, run: Run) -> Signal:
        if run.output is not None:
            return signals.bits(self.values[run.output], run.low, run.width)
        if run.bit == "x":
            return self.unknown("undefined", run.width)
        return signals.constant(run.width, -int(run.bit))

    def output(self, name: str) -> Signal:
        return self.on(self.circuit.outputs[name])

    # ---- time -----------------------------------------------------------------------------------

    def settle(
        self, inputs: Mapping[str, Signal], given: Mapping[int, Signal] = MappingProxyType({})
    ) -> None:
        """Evaluate the cells in a cycle with these inputs, and with what is given of outputs.
        Other inputs are free; but clock, reset and `valid` are 0."""
        for name, output in self.circuit.inputs.items():
            width = self.circuit.widths[output]
            if name in inputs:
                self.values[output] = inputs[name]
            elif name in ("clk", "rst") or name.endswith("_valid"):
                self.values[output] = signals.constant(width, 0)
            elif output not in given:
                self.values[output] = self.unknown(name, width)
        for output, signal in given.items():
            self.values[output] = signal
        for each in self._evaluated:
            [output] = each.outputs.values()
            if each.adder:
                pair = self.operations.full_adder([self.on(pin) for pin in each.adder])
                self.values[output] = pair[each.is_carry]
            elif each.type in self._cells:
                self.values[output] = self._cells[each.type](each)
            else:
                raise NoProof(f"a cell {each.type} is not known to the proof")

    def clock(self) -> None:
        """The rising edge after `settle`."""
        changed = {each.outputs["Q"]: self.on(each.inputs["D"]) for each in self.registers}
        for each in self.circuit.memories:
            changed[each.outputs["RD_DATA"]] = self._read_next(each)
        for each in self.circuit.memories:
            self._write(each)
        for output, value in changed.items():
            self.values[output] = value

    # ---- memories -------------------------------------------------------------------------------

    def word(self, each: CircuitCell, place: int) -> Signal:
        words, width = self.memories[each.name], each.cell.number("WIDTH")
        if place >= len(words):
            return self.unknown(f"{each.name} beyond its end", width)
        known = words[place]
        if known is None:
            known = words[place] = self.operations.unknown(f"{each.name}[{place}]", width)
        return known

    def _at(self, each: CircuitCell, port: int) -> Signal:
        """The word at the address of a read port."""
        bits = each.cell.number("ABITS")
        pin = self.addresses[each.name][0] if each.name in self.addresses else None
        address = signals.bits(pin or self.on(each.inputs["RD_ADDR"]), port * bits, bits)
        if signals.is_constant(address):
            return self.word(each, signals.value_of(address))
        return self.unknown(f"read of {each.name}", each.cell.number("WIDTH"))

    def _ports(self, each: CircuitCell) -> list[Signal]:
        """What the read ports show now."""
        width, shown = each.cell.number("WIDTH"), self.values[each.outputs["RD_DATA"]]
        ports = range(each.cell.number("RD_PORTS"))
        return [signals.bits(shown, port * width, width) for port in ports]

    def _read(self, each: CircuitCell) -> Signal:
        clocked = each.cell.number("RD_CLK_ENABLE")
        ports = self._ports(each)
        return signals.joined(
            shown if clocked >> port & 1 else self._at(each, port)
            for port, shown in enumerate(ports)
        )

    def _read_next(self, each: CircuitCell) -> Signal:
        """What the read ports show after the edge, with what was stored before it."""
        clocked, ports = each.cell.number("RD_CLK_ENABLE"), self._ports(each)
        if clocked and each.cell.number("RD_TRANSPARENCY_MASK"):
            raise NoProof(f"{each.name} gives in a cycle what is written in it")
        undefined = each.cell.number("RD_COLLISION_X_MASK") and any(self._writes(each))
        for port in range(len(ports)):
            if not clocked >> port & 1:
                continue
            enable = signals.bits(self.on(each.inputs["RD_EN"]), port, 1)
            if undefined or not signals.is_constant(enable):
                ports[port] = self.unknown(f"read of {each.name}", each.cell.number("WIDTH"))
            elif signals.value_of(enable):
                ports[port] = self._at(each, port)
        return signals.joined(ports)

    def _writes(self, each: CircuitCell) -> Iterator[tuple[Signal, Signal, Signal]]:
        """Enable, address and data of the ports that may write in this cycle."""
        width, bits = each.cell.number("WIDTH"), each.cell.number("ABITS")
        enables, addresses, data = (
            self.on(each.inputs[f"WR_{pin}"]) for pin in ("EN", "ADDR", "DATA")
        )
        if each.name in self.addresses:
            addresses = self.addresses[each.name][1]
        for port in range(each.cell.number("WR_PORTS")):
            enable = signals.bits(enables, port * width, width)
            if enable != signals.constant(width, 0):
                address = signals.bits(addresses, port * bits, bits)
                yield enable, address, signals.bits(data, port * width, width)

    def _write(self, each: CircuitCell) -> None:
        words, written = self.memories[each.name], dict[int, int]()
        for enable, address, data in list(self._writes(each)):
            if not signals.is_constant(enable) or not signals.is_constant(address):
                for place in _possible(address):
                    words[place : place + 1] = [None] * (place < len(words))
                continue
            place, mask = signals.value_of(address), signals.value_of(enable)
            if place < len(words):
                twice = written.get(place, 0) & mask
                words[place] = None if twice else self._masked(each, place, mask, data)
                written[place] = written.get(place, 0) | mask

    def _masked(self, each: CircuitCell, place: int, mask: int, written: Signal) -> Signal:
        width = each.cell.number("WIDTH")
        if mask == (1 << width) - 1:
            return written
        old = self.word(each, place)
        return signals.joined(
            signals.bits(written if mask >> bit & 1 else old, bit, 1) for bit in range(width)
        )

    # ---- cells ----------------------------------------------------------------------------------

    def _signed(self, each: CircuitCell) -> bool:
        if "B_SIGNED" not in each.cell.parameters:
            return bool(each.cell.number("A_SIGNED"))
        return bool(each.cell.number("A_SIGNED") and each.cell.number("B_SIGNED"))

    def _operand(self, each: CircuitCell, port: str, width: int | None = None) -> Signal:
        """What an operand carries, as wide as the output."""
        width = each.width("Y") if width is None else width
        return signals.extended(self.on(each.inputs[port]), width, self._signed(each))

    def _as_wide(self, each: CircuitCell, bit: Signal) -> Signal:
        return signals.joined([bit, signals.constant(each.width("Y") - 1, 0)])

    def _bitwise(self, each: CircuitCell) -> Signal:
        left, right = self._operand(each, "A"), self._operand(each, "B")
        return self.operations.bitwise(each.type[1:], left, right)

    def _arithmetic(self, each: CircuitCell) -> Signal:
        left, right = self.on(each.inputs["A"]), self.on(each.inputs["B"])
        return self.operations.arithmetic(
            each.type, left, right, self._signed(each), each.width("Y")
        )

    def _mux(self, each: CircuitCell) -> Signal:
        select, otherwise, then = (self.on(each.inputs[port]) for port in "SAB")
        return self.operations.chosen(select, otherwise, then)

    def _pmux(self, each: CircuitCell) -> Signal:
        select, width = self.on(each.inputs["S"]), each.width("Y")
        if not signals.is_constant(select):
            raise NoProof(f"{each.name} chooses among several words by data")
        value = signals.value_of(select)
        if value & value - 1:
            raise NoProof(f"{each.name} chooses two words at once")
        if not value:
            return self.on(each.inputs["A"])
        place = value.bit_length() - 1
        return signals.bits(self.on(each.inputs["B"]), place * width, width)

    def _reduce(self, each: CircuitCell) -> Signal:
        operand = self.on(each.inputs["A"])
        if each.type == "$reduce_and":
            return self._as_wide(each, self.operations.all_of(operand))
        bit = self.operations.any_of(operand)
        if each.type == "$logic_not":
            bit = self.operations.inverted(bit)
        return self._as_wide(each, bit)

    def _logic(self, each: CircuitCell) -> Signal:
        left, right = (self.operations.any_of(self.on(each.inputs[port])) for port in "AB")
        return self._as_wide(each, self.operations.bitwise(each.type[7:], left, right))

    def _equal(self, each: CircuitCell) -> Signal:
        width = max(each.width("A"), each.width("B"))
        left, right = (self._operand(each, port, width) for port in "AB")
        bit = self.operations.any_of(self.operations.bitwise("xor", left, right))
        return self._as_wide(each, self.operations.inverted(bit) if each.type == "$eq" else bit)

    def _order(self, each: CircuitCell) -> Signal:
        """a < b where a - b has the sign."""
        left, right = self.on(each.inputs["A"]), self.on(each.inputs["B"])
        if each.type in ("$gt", "$le"):
            left, right = right, left
        width = max(signals.width_of(left), signals.width_of(right)) + 1
        difference = self.operations.arithmetic("$sub", left, right, self._signed(each), width)
        less = signals.bits(difference, width - 1, 1)
        if each.type in ("$le", "$ge"):
            less = self.operations.inverted(less)
        return self._as_wide(each, less)

    def _shift(self, each: CircuitCell) -> Signal:
        amount, width = self.on(each.inputs["B"]), each.width("Y")
        if not signals.is_constant(amount):
            raise NoProof(f"{each.name} shifts by data")
        places = signals.value_of(amount)
        signed = bool(each.cell.number("A_SIGNED"))
        operand = self.on(each.inputs["A"])
        operand = signals.extended(operand, max(width, signals.width_of(operand)), signed)
        if each.type in ("$shl", "$sshl"):
            return signals.bits(signals.joined([signals.constant(places, 0), operand]), 0, width)
        own = signals.width_of(operand)
        kept = signals.bits(operand, places, own - places) if places < own else ()
        arithmetic = signed and each.type == "$sshr"
        if not kept:
            kept = signals.bits(operand, own - 1, 1) if arithmetic else signals.constant(1, 0)
        return signals.extended(kept, width, arithmetic)


def _possible(address: Signal) -> Iterator[int]:
    """The numbers that an address of known and unknown bits can be."""
    width = signals.width_of(address)
    mask = value = 0
    for position in range(width):
        bit = signals.bits(address, position, 1)
        if signals.is_constant(bit):
            mask |= 1 << position
            value |= signals.value_of(bit) << position
    return (place for place in range(1 << width) if place & mask == value)


def _stored(each: CircuitCell) -> list[Signal | None]:
    """The words of a memory before the first cycle: known if nothing can write them."""
    width, size = each.cell.number("WIDTH"), each.cell.number("SIZE")
    stored = each.cell.parameters.get("INIT", "")
    if each.cell.number("WR_PORTS") or set(stored) - {"0", "1"} or len(stored) < width * size:
        return [None] * size
    whole = int(stored, 2)
    return [signals.constant(width, whole >> place * width) for place in range(size)]
