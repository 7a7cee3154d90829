"""Writes instances: entities of the same text, and hard blocks as components."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from modmul.export.verilog.declarations import INDENT, filled
from modmul.export.verilog.expressions import COLUMNS, BitLiteral, Name
from modmul.export.verilog.hard_blocks import outputs
from modmul.export.verilog.operations import NetExpressions
from modmul.export.verilog.rtlil import Cell, Signal, Wire, bits_in, width
from modmul.export.verilog.sizes import Formula
from modmul.export.vhdl.expressions import Printer
from modmul.export.vhdl.names import Names
from modmul.export.vhdl.text import alternatives, kind

_TEXTS = "INITVAL_"  # such generics are hexadecimal texts in the libraries of their vendor


class Entity(NamedTuple):
    """An entity that instances name.  public: its ports are `std_logic_vector`.  ports: by the pins
    of instances in RTLIL, each with its name.  generics: their names."""

    name: str
    public: bool
    ports: Mapping[str, tuple[str, Wire]]
    generics: Collection[str]


def value_of(name: str, text: str) -> str:
    """The value of a generic: an integer, a text, or bits: as `bit_vector`, or, for the contents of
    a RAM of Lattice, a text."""
    if text[0] == "$":
        return text[1:]
    if text[0] == '"' or text.lstrip("-").isdecimal():
        return text
    bits = bits_in(text)
    if name.startswith(_TEXTS):
        return f'"0x{int(bits, 2):0{len(bits) // 4}x}"'
    return f'x"{int(bits, 2):0{len(bits) // 4}x}"' if len(bits) % 4 == 0 else f'"{bits}"'


def generic(name: str, text: str) -> str:
    """The declaration of a generic with this default value."""
    if text[0] == '"':
        return f"{name} : string := {text}"
    if text.lstrip("-").isdecimal():
        return f"{name} : integer := {text}"
    value, bits = value_of(name, text), len(bits_in(text))
    if name.startswith(_TEXTS):
        return f"{name} : string := {value}"
    return f"{name} : bit_vector({bits - 1} downto 0) := {value}"


class Instances:
    """The instances of one architecture.

    driven: wires that no instance drives.  components: declarations of hard blocks, by their kinds.
    signals: declarations of signals at pins.  Both grow with the instances."""

    def __init__(
        self,
        operations: NetExpressions,
        printer: Printer,
        names: Names,
        entities: Mapping[str, Entity],
        driven: Collection[str],
    ):
        self.operations, self.printer, self.names = operations, printer, names
        self.entities, self.driven = entities, driven
        self.components: dict[str, list[str]] = {}
        self.signals: list[str] = []

    def lines(self, cell: Cell, label: str) -> list[str]:
        """An instance, and the assignments of the signals at its pins."""
        entity = self.entities.get(cell.kind) or self._block(cell)
        before, pins = list[str](), list[str]()
        for pin, (name, port) in entity.ports.items():
            if pin not in cell.pins:
                continue
            signal = cell.pins[pin]
            formal = name
            if width(signal) == 1 and isinstance(port.width, Formula):
                formal = f"{name}(0)"
            vector = entity.public and width(signal) != 1
            if _is_open(signal):
                pins.append(f"{name} => open")
            elif port.direction == "output":
                pins.append(self._output(signal, formal, vector, f"{label}_{name}", before))
            else:
                pins.append(self._input(signal, formal, vector, f"{label}_{name}", before))
        generics = [f"{name} => {value_of(name, value)}" for name, value in cell.parameters.items()]
        kind_of = entity.name if cell.kind not in self.entities else f"entity work.{entity.name}"
        return [*before, *_joined(f"{label} : {kind_of}", generics, pins)]

    def _input(
        self, signal: Signal, formal: str, vector: bool, name: str, before: list[str]
    ) -> str:
        value, printer = self.operations.of(signal), self.printer
        if isinstance(value, BitLiteral):
            return f"{formal} => {printer.assigned(value)}"
        if isinstance(value, Name):
            text = printer.target(value)
            if vector == printer.is_vector(value) or value.width == 1:
                return f"{formal} => {text}"
            return f"{formal} => {'std_logic_vector' if vector else 'unsigned'}({text})"
        between = self._signal(name, value.width)
        before += alternatives(f"{between} <= ", printer.alternatives(value), INDENT)
        return f"{formal} => {f'std_logic_vector({between})' if vector else between}"

    def _output(
        self, signal: Signal, formal: str, vector: bool, name: str, before: list[str]
    ) -> str:
        value = self.operations.of(signal)
        if isinstance(value, Name):
            target = self.printer.target(value)
            return f"{f'unsigned({formal})' if vector else formal} => {target}"
        between, low = self._signal(name, width(signal)), 0
        for chunk in signal:
            if chunk.wire is not None:
                high = low + chunk.width - 1
                part = f"({low})" if chunk.width == 1 else f"({high} downto {low})"
                target = self.printer.target(self.operations.of((chunk,)))
                before.append(f"{INDENT}{target} <= {between}{part};")
            low += chunk.width
        return f"{f'unsigned({formal})' if vector else formal} => {between}"

    def _default(self, value: str) -> str:
        """The value of a parameter, or that of the parameter of the module that it names."""
        return str(self.operations.netlist.parameters[value[1:]]) if value[0] == "$" else value

    def _signal(self, name: str, size: int) -> str:
        between = self.names.free(name)
        self.signals.append(f"{INDENT}signal {between} : {kind(size)};")
        return between

    def _block(self, cell: Cell) -> Entity:
        """A hard block, which gets a component."""
        driven = outputs(cell.kind)
        ports = {
            pin: (pin, Wire(pin, width(signal), "output" if pin in driven else "input"))
            for pin, signal in cell.pins.items()
        }
        generics = [generic(name, self._default(value)) for name, value in cell.parameters.items()]
        declared = [
            f"{pin} : out {kind(width(signal), vector=True)}"
            if pin in driven
            else f"{pin} : in {kind(width(signal), vector=True)} := {_zero(width(signal))}"
            for pin, signal in cell.pins.items()
        ]
        self.components.setdefault(
            cell.kind,
            [
                f"{INDENT}component {cell.kind} is",
                *(
                    [f"{INDENT * 2}generic (", *_ended(generics), f"{INDENT * 2});"]
                    if generics
                    else []
                ),
                f"{INDENT * 2}port (",
                *_ended(declared),
                f"{INDENT * 2});",
                f"{INDENT}end component;",
            ],
        )
        return Entity(cell.kind, True, ports, frozenset(cell.parameters))


def _is_open(signal: Signal) -> bool:
    return all(chunk.wire is None and set(chunk.bits) == {"z"} for chunk in signal)


def _zero(size: int) -> str:
    """What is at an input that is left open."""
    return "'0'" if size == 1 else "(others => '0')"


def _ended(items: list[str]) -> list[str]:
    return [f"{INDENT * 3}{item}{';' * (item is not items[-1])}" for item in items]


def _joined(head: str, generics: list[str], pins: list[str]) -> list[str]:
    mapped = f" generic map ({', '.join(generics)})" if generics else ""
    line = f"{INDENT}{head}{mapped}"
    begin = [line]
    if generics and len(line) > COLUMNS:
        begin = [f"{INDENT}{head}", f"{INDENT * 2}generic map ("]
        begin += [*filled(generics, INDENT * 3), f"{INDENT * 2})"]
    return [*begin, f"{INDENT * 2}port map (", *_pins(pins), f"{INDENT * 2});"]


def _pins(pins: list[str]) -> list[str]:
    return [f"{INDENT * 3}{pin}{',' * (pin is not pins[-1])}" for pin in pins]
