"""A flat netlist as it is simulated: which cell drives which pins, the order of evaluation, and
the full adders that are written as gates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from modmul.arithmetic_proof.variables import NoProof
from modmul.timing_proof.netlist import Bit, FlatNetlist, NetlistCell

REGISTERS = frozenset({"$dff"})
MEMORY = "$mem_v2"
_IGNORED = frozenset({"$scopeinfo", "$assert", "$check"})
_GATES = frozenset({"$and", "$or", "$xor"})
_MOST_STEPS = 4  # from a full adder to its operands
_LEAVES = 0b10101010, 0b11001100, 0b11110000  # the truth tables of three operands
_MAJORITY, _PARITY = 0b11101000, 0b10010110


@dataclass(frozen=True)
class Run:
    """Neighbouring bits of a pin: `width` bits of an output from `low` on, or, without one, the
    same constant bit ("0", "1" or "x")."""

    output: int | None
    low: int
    width: int
    bit: str = ""


Pin = tuple[Run, ...]


@dataclass
class CircuitCell:
    """A cell.  outputs: by port, the numbers of its outputs.  adder: of a gate that is the sum (or
    the carry) of a full adder, whose operands these are."""

    cell: NetlistCell
    outputs: Mapping[str, int]
    inputs: dict[str, Pin] = field(default_factory=dict)
    adder: tuple[Pin, ...] = ()
    is_carry: bool = False

    @property
    def name(self) -> str:
        return self.cell.name

    @property
    def type(self) -> str:
        return self.cell.type

    def width(self, port: str) -> int:
        return len(self.cell.pins.get(port, ()))


class Circuit:
    """widths: of each output, by its number.  inputs: of the module, which count as outputs of
    cells.  outputs: of the module.  order: cells without registers, each behind what it needs."""

    def __init__(self, netlist: FlatNetlist):
        self.widths: list[int] = []
        self.drivers: dict[Bit, tuple[int, int]] = {}
        self.inputs = {
            name: self._drive(bits)
            for name, (direction, bits) in netlist.ports.items()
            if direction == "input"
        }
        self.cells: list[CircuitCell] = []
        for cell in netlist.cells:
            if cell.type not in _IGNORED:
                outs = [port for port, way in cell.directions.items() if way == "output"]
                driven = {port: self._drive(cell.pins[port]) for port in outs}
                self.cells.append(CircuitCell(cell, driven))
        for each in self.cells:
            pins = each.cell.pins.items()
            each.inputs = {p: self._pin(bits) for p, bits in pins if p not in each.outputs}
        self.outputs = {
            name: self._pin(bits)
            for name, (direction, bits) in netlist.ports.items()
            if direction == "output"
        }
        self.registers = [each for each in self.cells if each.type in REGISTERS]
        self.memories = [each for each in self.cells if each.type == MEMORY]
        self._check_clocks()
        self._simplify_writes()
        self.order = list(self._ordered())
        _find_adders(self.cells)

    def _check_clocks(self) -> None:
        """Raises NoProof for a register or memory that has another clock than the module."""
        clock = Run(self.inputs["clk"], 0, 1)
        for each in (*self.registers, *self.memories):
            for port, pin in each.inputs.items():
                clocked = each.cell.number(port.replace("CLK", "CLK_ENABLE"), 1)
                falls = not each.cell.number(f"{port}_POLARITY", 1)
                if port.endswith("CLK") and clocked and (falls or set(pin) != {clock}):
                    raise NoProof(f"{each.name} has a clock of its own")

    def _simplify_writes(self) -> None:
        """Yosys gives writes the address `enable ? address : undefined`, and data so too: without
        the enable nothing is written, so that they need no choice."""
        muxes = {each.outputs["Y"]: each for each in self.cells if each.type == "$mux"}

        def choice(pin: Pin, otherwise: str) -> CircuitCell | None:
            """The multiplexer whose whole output a pin is, if the other choice is such bits."""
            mux = muxes.get(pin[0].output) if pin[0].output is not None else None
            if mux is None or pin != (Run(pin[0].output, 0, mux.width("Y")),):
                return None
            return mux if {run.bit for run in mux.inputs["A"]} == {otherwise} else None

        for each in self.memories:
            width, bits = each.cell.number("WIDTH"), each.cell.number("ABITS")
            for name, own in (("WR_ADDR", bits), ("WR_DATA", width)):
                parts: list[Pin] = []
                for port in range(each.cell.number("WR_PORTS")):
                    enable = choice(_part(each.inputs["WR_EN"], port * width, width), "0")
                    pin = _part(each.inputs[name], port * own, own)
                    mux = choice(pin, "x")
                    if mux and enable and mux.inputs["S"] == enable.inputs["S"]:
                        pin = mux.inputs["B"]
                    parts.append(pin)
                each.inputs[name] = tuple(run for part in parts for run in part)

    def _drive(self, bits: Sequence[Bit]) -> int:
        number = len(self.widths)
        self.widths.append(len(bits))
        for place, bit in enumerate(bits):
            if isinstance(bit, int):
                self.drivers[bit] = number, place
        return number

    def _pin(self, bits: Sequence[Bit]) -> Pin:
        runs: list[Run] = []
        for bit in bits:
            if isinstance(bit, str):
                output, low, value = None, 0, bit if bit in "01" else "x"
            else:
                (output, low), value = self.drivers[bit], ""
            last = runs[-1] if runs else None
            same = last is not None and (last.output, last.bit) == (output, value)
            if last and same and (output is None or last.low + last.width == low):
                runs[-1] = Run(output, last.low, last.width + 1, value)
            else:
                runs.append(Run(output, low, 1, value))
        return tuple(runs)

    def _ordered(self) -> Iterator[CircuitCell]:
        """Raises NoProof for a loop."""
        by_output = {out: each for each in self.cells for out in each.outputs.values()}
        state: dict[str, bool] = {}  # False: what it needs is looked at, True: done
        for begin in self.cells:
            stack = [(begin, iter(self._needs(begin, by_output)))]
            if begin.type in REGISTERS or begin.name in state:
                continue
            state[begin.name] = False
            while stack:
                each, needs = stack[-1]
                for other in needs:
                    if other.type in REGISTERS or state.get(other.name):
                        continue
                    if other.name in state:
                        raise NoProof(f"a loop through {other.name}")
                    state[other.name] = False
                    stack.append((other, iter(self._needs(other, by_output))))
                    break
                else:
                    state[each.name] = True
                    stack.pop()
                    yield each

    @staticmethod
    def _needs(each: CircuitCell, by_output: Mapping[int, CircuitCell]) -> Iterator[CircuitCell]:
        """The cells of whose outputs this one's are a function in the same cycle."""
        for port, pin in each.inputs.items():
            if each.type == MEMORY and port != "RD_ADDR":
                continue
            for run in pin:
                if run.output is not None and run.output in by_output:
                    yield by_output[run.output]


def _part(pin: Pin, low: int, width: int) -> Pin:
    """So many bits of a pin from `low` on."""
    parts, position, high = [], 0, low + width
    for run in pin:
        first, last = max(low, position), min(high, position + run.width)
        if first < last:
            skipped = first - position if run.output is not None else 0
            parts.append(Run(run.output, run.low + skipped, last - first, run.bit))
        position += run.width
    return tuple(parts)


# ---- full adders ---------------------------------------------------------------------------------


def _find_adders(cells: Sequence[CircuitCell]) -> None:
    """Find the gates that are the parity or the majority of three pins, by truth tables of all
    expressions of gates that end in three pins.  A parity is taken for a sum with the operands of a
    carry, if there is one."""
    gates = {each.outputs["Y"]: each for each in cells if each.type in _GATES}
    found: dict[frozenset[Pin], bool] = {}
    for root, types, table in (("$or", _GATES, _MAJORITY), ("$xor", {"$xor"}, _PARITY)):
        for each in cells:
            width = each.width("Y")
            if each.type != root or not _is_even(each):
                continue
            pin = (Run(each.outputs["Y"], 0, width),)
            cuts = _cuts(gates, pin, width, types, 0, {})
            good = sorted((cut for cut in cuts if _is(gates, pin, width, cut, table)), key=repr)
            if table == _MAJORITY:
                found |= dict.fromkeys(good, True)
            else:
                good = [cut for cut in good if cut in found] or good
            if good:
                each.adder = tuple(sorted(good[0], key=repr))
                each.is_carry = table == _MAJORITY


def _is(
    gates: Mapping[int, CircuitCell], pin: Pin, width: int, cut: frozenset[Pin], table: int
) -> bool:
    """Whether a pin has this truth table, as a function of three others."""
    if len(cut) != 3:
        return False
    leaves = dict(zip(sorted(cut, key=repr), _LEAVES, strict=True))
    return _table(gates, pin, width, leaves) == table


def _is_even(each: CircuitCell) -> bool:
    """Whether both operands are as wide as the output."""
    return each.width("A") == each.width("B") == each.width("Y")


def _gate(gates: Mapping[int, CircuitCell], pin: Pin, width: int) -> CircuitCell | None:
    """The gate whose whole output a pin is."""
    if len(pin) != 1 or pin[0].output is None or (pin[0].low, pin[0].width) != (0, width):
        return None
    each = gates.get(pin[0].output)
    return each if each and each.width("Y") == width and _is_even(each) else None


def _cuts(
    gates: Mapping[int, CircuitCell],
    pin: Pin,
    width: int,
    types: frozenset[str] | set[str],
    depth: int,
    known: dict[tuple[Pin, int], set[frozenset[Pin]]],
) -> set[frozenset[Pin]]:
    """Sets of at most three pins of which a pin is an expression of such gates."""
    if (pin, depth) not in known:
        cuts = {frozenset([pin])}
        gate = _gate(gates, pin, width)
        if gate and gate.type in types and depth < _MOST_STEPS:
            sides = (
                _cuts(gates, gate.inputs[port], width, types, depth + 1, known) for port in "AB"
            )
            left, right = sides
            cuts |= {x | y for x in left for y in right if len(x | y) <= 3}
        known[pin, depth] = cuts
    return known[pin, depth]


def _table(
    gates: Mapping[int, CircuitCell], pin: Pin, width: int, leaves: Mapping[Pin, int]
) -> int:
    if pin in leaves:
        return leaves[pin]
    gate = _gate(gates, pin, width)
    assert gate is not None
    left, right = (_table(gates, gate.inputs[port], width, leaves) for port in "AB")
    if gate.type == "$and":
        return left & right
    return left | right if gate.type == "$or" else left ^ right
