"""Simulates a flat netlist, as Yosys writes it in JSON, by the results that a certificate gives.

What a cell gives for operands that are no numbers is looked up in the results.  If it is not there,
or the cell is not known, it is an unknown: new bits, of which nothing can be proved."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from modmul.arithmetic_proof.checker.operations import Operations
from modmul.arithmetic_proof.checker.words import (
    BITWISE,
    Signal,
    as_int,
    bits_from,
    bits_of,
    expect,
)

Nets = tuple[Any, ...]  # numbers of nets, or "0", "1", "x"
_FIRST_UNKNOWN = 1 << 40  # words of a certificate have smaller numbers
_GATES = {"$and": "and", "$or": "or", "$xor": "xor"}
_SUMS = {"$add": "add", "$sub": "sub", "$mul": "mul"}
_LEAVES = 0b10101010, 0b11001100, 0b11110000  # truth tables
_ADDER = {"majority": 0b11101000, "parity": 0b10010110}


class Cell:
    """A cell of a netlist.  adder: what the certificate says that it is of three pins."""

    def __init__(self, name: str, cell: Mapping[str, Any]):
        self.name, self.type, self.parameters = name, str(cell["type"]), cell["parameters"]
        self.pins = {port: tuple(nets) for port, nets in cell["connections"].items()}
        self.directions = cell["port_directions"]
        self.adder: tuple[str, list[Nets]] | None = None

    def nets(self, direction: str) -> Nets:
        pins = self.pins.items()
        return tuple(n for port, nets in pins if self.directions[port] == direction for n in nets)

    def number(self, parameter: str) -> int:
        return int(self.parameters.get(parameter, "0"), 2)

    @property
    def is_signed(self) -> bool:
        both = "B_SIGNED" not in self.parameters or self.number("B_SIGNED")
        return bool(self.number("A_SIGNED") and both)


class Circuit:
    """registers: the words that registers hold at first, by the name of the cell."""

    def __init__(
        self,
        module: Mapping[str, Any],
        operations: Operations,
        adders: Mapping[str, Sequence[Any]],
        registers: Mapping[str, Signal],
    ):
        self.operations = operations
        self._unknowns = itertools.count(_FIRST_UNKNOWN)
        self.ports = {name: tuple(port["bits"]) for name, port in module["ports"].items()}
        self.inputs = [n for n, port in module["ports"].items() if port["direction"] == "input"]
        self.cells = [Cell(name, cell) for name, cell in module["cells"].items()]
        self._gates = {each.pins["Y"]: each for each in self.cells if each.type in _GATES}
        for each in self.cells:
            if each.name in adders:
                name, *leaves = adders[each.name]
                each.adder = name, [tuple(leaf) for leaf in leaves]
                expect("x" not in sum(each.adder[1], ()), f"{each.name} has undefined operands")
                expect(self._is_adder(each), f"{each.name} is no full adder")
        driven = [n for name in self.inputs for n in self.ports[name]]
        driven += [net for each in self.cells for net in each.nets("output")]
        expect(len(set(driven)) == len(driven), "a net has several drivers")
        self.values: dict[Any, int] = {"0": 0, "1": 1}
        self.registers = [each for each in self.cells if self._is_register(each)]
        for each in self.registers:
            start = registers.get(each.name, ())
            nets = each.pins["Q"]
            self._drive(nets, start if len(start) == len(nets) else None)
        self.memories = {each.name: _stored(each) for each in self.cells if each.type == "$mem_v2"}
        self._order = list(self._ordered())

    def _is_register(self, each: Cell) -> bool:
        clocked = each.type == "$dff" and each.number("CLK_POLARITY") == 1
        return clocked and each.pins["CLK"] == self.ports["clk"]

    def _is_adder(self, each: Cell) -> bool:
        """By the truth table of the gates between a cell and three pins."""
        assert each.adder is not None
        name, leaves = each.adder
        known = dict(zip(leaves, _LEAVES, strict=True))

        def table(pin: Nets) -> int:
            if pin not in known:
                gate = self._gates.get(pin)
                expect(gate is not None and len(set(map(len, gate.pins.values()))) == 1, each.name)
                assert gate is not None
                left, right = table(gate.pins["A"]), table(gate.pins["B"])
                known[pin] = BITWISE[_GATES[gate.type]](left, right)
            return known[pin]

        return len(leaves) == 3 and table(each.pins["Y"]) == _ADDER.get(name)

    def _ordered(self) -> Iterator[Cell]:
        """All cells but registers, each behind those whose outputs it needs in the same cycle."""
        drivers = {net: each for each in self.cells for net in each.nets("output")}
        state: dict[str, bool] = {each.name: True for each in self.registers}
        for begin in self.cells:
            stack = [] if begin.name in state else [(begin, iter(self._needs(begin)))]
            state.setdefault(begin.name, False)
            while stack:
                each, needs = stack[-1]
                for net in needs:
                    other = drivers.get(net)
                    if other is None or state.get(other.name):
                        continue
                    expect(other.name not in state, f"a loop through {other.name}")
                    state[other.name] = False
                    stack.append((other, iter(self._needs(other))))
                    break
                else:
                    state[each.name] = True
                    stack.pop()
                    yield each

    @staticmethod
    def _needs(each: Cell) -> Nets:
        return each.pins["RD_ADDR"] if each.type == "$mem_v2" else each.nets("input")

    # ---- signals --------------------------------------------------------------------------------

    def unknown(self, width: int) -> Signal:
        return bits_from(next(self._unknowns), 0, width)

    def on(self, nets: Nets) -> Signal:
        if "x" in nets or "z" in nets:
            return tuple(self.unknown(1)[0] if n in ("x", "z") else self.values[n] for n in nets)
        return tuple([self.values[net] for net in nets])

    def _drive(self, nets: Nets, signal: Signal | None) -> None:
        for net, value in zip(nets, signal or self.unknown(len(nets)), strict=True):
            self.values[net] = value

    # ---- time -----------------------------------------------------------------------------------

    def settle(self, inputs: Mapping[str, Signal]) -> None:
        """A cycle with these inputs.  Reset and `valid` are 0 else, others are unknown: the clock,
        too, for cells that take it as data."""
        for name in self.inputs:
            nets = self.ports[name]
            idle = name == "rst" or name.endswith("_valid")
            self._drive(nets, inputs.get(name, bits_of(0, len(nets)) if idle else None))
        for each in self._order:
            if each.type == "$mem_v2":
                self._drive(each.pins["RD_DATA"], self._read(each))
            elif each.adder:
                name, leaves = each.adder
                operands = sorted(map(self.on, leaves))
                self._drive(each.pins["Y"], self.operations.bitwise(name, *operands))
            elif set(each.pins) <= {"A", "B", "S", "Y"} and "Y" in each.pins:
                self._drive(each.pins["Y"], self._result(each))
            else:
                self._drive(each.nets("output"), None)

    def clock(self) -> None:
        after = [(each.pins["Q"], self.on(each.pins["D"])) for each in self.registers]
        for each in self.cells:
            if each.type == "$mem_v2":
                self._write(each)
        for nets, signal in after:
            self._drive(nets, signal)

    # ---- memories -------------------------------------------------------------------------------

    def _read(self, each: Cell) -> Signal | None:
        width, size = each.number("WIDTH"), each.number("ABITS")
        words = self.memories[each.name]
        wide = each.number("RD_WIDE_CONTINUATION") or each.number("WR_WIDE_CONTINUATION")
        if each.number("RD_CLK_ENABLE") or wide or not self._is_written_by_clock(each):
            return None
        read: Signal = ()
        addresses = self.on(each.pins["RD_ADDR"])
        for port in range(each.number("RD_PORTS")):
            address = as_int(addresses[port * size : (port + 1) * size])
            if address is None or address >= len(words):
                read += self.unknown(width)
                continue
            known = words[address]
            if known is None:
                known = words[address] = self.unknown(width)
            read += known
        return read

    def _write(self, each: Cell) -> None:
        width, size = each.number("WIDTH"), each.number("ABITS")
        words, written = self.memories[each.name], set[int]()
        enables, addresses, data = (self.on(each.pins[f"WR_{p}"]) for p in ("EN", "ADDR", "DATA"))
        sure = True
        for port in range(each.number("WR_PORTS")):
            enable = enables[port * width : (port + 1) * width]
            if not any(enable):
                continue
            address = as_int(addresses[port * size : (port + 1) * size])
            mask, value = as_int(enable), data[port * width : (port + 1) * width]
            if address is None or mask is None:
                sure = False
            elif address < len(words):
                old = words[address] or self.unknown(width)
                mixed = tuple(v if e else o for v, e, o in zip(value, enable, old, strict=True))
                words[address] = None if address in written else mixed
                written.add(address)
        if not sure:
            words[:] = [None] * len(words)

    def _is_written_by_clock(self, each: Cell) -> bool:
        ones = (1 << each.number("WR_PORTS")) - 1
        edges = each.number("WR_CLK_ENABLE") & each.number("WR_CLK_POLARITY") & ones
        clocks = set(each.pins["WR_CLK"]) <= set(self.ports["clk"])
        return not ones or (edges == ones and clocks)

    # ---- cells ----------------------------------------------------------------------------------

    def _result(self, each: Cell) -> Signal | None:
        """What a cell gives; None: not known."""
        width, kind, signed = len(each.pins["Y"]), each.type, each.is_signed
        a, b = (self.on(each.pins.get(port, ())) for port in "AB")
        if kind in _SUMS:
            return self.operations.arithmetic(_SUMS[kind], a, b, signed, width)
        if kind in _GATES:
            both = (_extended(x, width, signed) for x in (a, b))
            return self.operations.bitwise(_GATES[kind], *both)
        if kind in ("$not", "$pos", "$buf"):
            a = _extended(a, width, signed)
            return self.operations.bitwise("not", a) if kind == "$not" else a
        if kind == "$mux":
            return self.operations.chosen(self.on(each.pins["S"]), a, b)
        if kind == "$pmux":
            return self._one_of(as_int(self.on(each.pins["S"])), a, b, width)
        if kind in ("$shl", "$sshl", "$shr", "$sshr"):
            return _shifted(kind, a, as_int(b), width, bool(each.number("A_SIGNED")))
        found = self._bit(kind, a, b, signed)
        return None if found is None else found + bits_of(0, width - 1)

    @staticmethod
    def _one_of(select: int | None, a: Signal, b: Signal, width: int) -> Signal | None:
        if select is None or select & select - 1:
            return None
        place = (select.bit_length() - 1) * width
        return b[place : place + width] if select else a

    def _bit(self, kind: str, a: Signal, b: Signal, signed: bool) -> Signal | None:
        """Cells whose result is one bit."""
        do = self.operations
        if kind in ("$reduce_and", "$reduce_or", "$reduce_bool"):
            return do.reduced("all" if kind == "$reduce_and" else "any", a)
        if kind == "$logic_not":
            return self._then_not(do.reduced("any", a), True)
        if kind in ("$logic_and", "$logic_or"):
            one, two = do.reduced("any", a), do.reduced("any", b)
            return do.bitwise(kind[7:], one, two) if one and two else None
        if kind in ("$eq", "$ne"):
            width = max(len(a), len(b))
            differ = do.bitwise("xor", *(_extended(x, width, signed) for x in (a, b)))
            return self._then_not(differ and do.reduced("any", differ), kind == "$eq")
        if kind in ("$lt", "$le", "$gt", "$ge"):
            left, right = (b, a) if kind in ("$gt", "$le") else (a, b)
            width = max(len(a), len(b)) + 1
            less = do.arithmetic("sub", left, right, signed, width)
            return self._then_not(less and less[-1:], kind in ("$le", "$ge"))
        return None

    def _then_not(self, signal: Signal | None, inverts: bool) -> Signal | None:
        return self.operations.bitwise("not", signal) if signal and inverts else signal


def _stored(each: Cell) -> list[Signal | None]:
    """The words of a memory before the first cycle: known if nothing can write them."""
    width, size = each.number("WIDTH"), each.number("SIZE")
    text = str(each.parameters.get("INIT", ""))
    expect(not each.number("OFFSET"), f"{each.name} does not begin at 0")
    if each.number("WR_PORTS") or set(text) - {"0", "1"} or len(text) < width * size:
        return [None] * size
    return [bits_of(int(text, 2) >> place * width, width) for place in range(size)]


def _extended(signal: Signal, width: int, signed: bool) -> Signal:
    top = signal[-1] if signed and signal else 0
    return (signal + (top,) * (width - len(signal)))[:width]


def _shifted(kind: str, a: Signal, places: int | None, width: int, signed: bool) -> Signal | None:
    if places is None:
        return None
    a = _extended(a, max(width, len(a)), signed)
    if kind in ("$shl", "$sshl"):
        return (bits_of(0, places) + a)[:width]
    if signed and kind == "$sshr":
        return _extended(a[places:] or a[-1:], width, True)
    return _extended(a[places:], width, False)
