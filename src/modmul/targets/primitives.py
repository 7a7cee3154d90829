"""Multiplier and multiply-accumulate slice: ports, behaviour in plain HDL.

A chip with a hard block of its own derives from `MacSlice` and overrides `elaborate`; what a slice
computes, and when, is the same everywhere and stated here:

    M <- A * B
    P <- M + addend           addend chosen by `steps` (see `Link`)

`registers` = 3: A, B, then M, then P; 2: A, B and P; 1: P alone.  P is always there, except in
the slice of the `small` variant (`p_register` False), whose sum leaves it combinationally.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

ONE, ZERO = Const(1, 1), Const(0, 1)


def open_pins(*names: str) -> dict[str, Const]:
    """Connections for pins of a hard block, inputs or outputs, that stay open: the instance
    names them with nothing between the brackets (RTLIL knows no direction of a pin)."""
    return {f"i_{name}": Const(0, 0) for name in names}


class HardMultiplier:
    """a * b, unsigned, after `registers` cycles: registers for inputs, product and output (3), for
    inputs and output (2), or for the output (1).

    name: of the product, and of the hard block if there is one.  clears_b: the signal that zeroes
    the input register of a zeroes that of b, too."""

    def __init__(self, registers: int, name: str, clears_b: bool = False):
        self.registers, self.name, self.clears_b = registers, name, clears_b

    def place(
        self, m: Module, a: Value, b: Value, a_enable: Value = ONE, a_clear: Value = ZERO
    ) -> Value:
        """Add the logic to `m` and return the product.

        a_enable loads the input register of a (if there is one); a_clear zeroes it, whatever
        a_enable is."""
        a, b = self.inputs(m, a, b, (a_enable, a_clear))
        product = Signal(len(a) + len(b), name=f"{self.name}_product")
        m.d.comb += product.eq(a * b)
        for name in ("m_reg", "p_reg")[self.registers < 3 :]:
            stage = Signal(len(product), name=f"{self.name}_{name}", reset_less=True)
            m.d.sync += stage.eq(product)
            product = stage
        named = Signal(len(product), name=self.name)
        m.d.comb += named.eq(product)
        return named

    def inputs(
        self, m: Module, a: Value, b: Value, a_loads: tuple[Value, Value]
    ) -> tuple[Value, Value]:
        """A and b behind input registers in fabric."""
        return input_registers(m, a, b, a_loads, self.registers, self.name, self.clears_b)


def input_registers(
    m: Module,
    a: Value,
    b: Value,
    a_loads: tuple[Value, Value],
    registers: int,
    name: str,
    clears_b: bool = False,
) -> tuple[Value, Value]:
    """A and b behind the A and B registers of a block of `registers` stages (none for one
    stage).

    a_loads: enable and clear of the A register.  clears_b: this clear also zeroes the B
    register."""
    if registers < 2:
        return a, b
    a_held = Signal(len(a), name=f"{name}_a_reg", reset_less=True)
    b_held = Signal(len(b), name=f"{name}_b_reg", reset_less=True)
    enable, clear = a_loads
    with m.If(enable):
        m.d.sync += a_held.eq(a)
    with m.If(clear):
        m.d.sync += a_held.eq(0)
    m.d.sync += b_held.eq(b)
    if clears_b:
        with m.If(clear):
            m.d.sync += b_held.eq(0)
    return a_held, b_held


class Link(NamedTuple):
    """What is added to the product: the slice's own P, the neighbour's, or the addend, shifted
    right.

    source: 'zero', 'own', 'neighbour' or 'addend'.  shift: bits dropped at the low end.  delay: the
    cycles (0 or 1) by which P reaches the adder later than over a direct wire."""

    source: str
    shift: int = 0
    delay: int = 0


@dataclass(frozen=True)
class MacConfig:
    """The parameters of one slice.  Widths are in bits, unsigned.

    steps: what can be added; if there are several, the port `step` chooses (one-hot, at the time of
    the addition).  hold: the A register has an enable, and the port `a_clear` zeroes it.
    addend_register: the addend is registered inside.  The port `addend_clear` zeroes it (before the
    register).  b_delay: further registers in front of B, at most the block's `b_delays`. last: no
    slice behind it reads the link."""

    a_width: int
    b_width: int
    p_width: int
    steps: tuple[Link, ...] = (Link("zero"),)
    registers: int = 3
    p_register: bool = True
    hold: bool = False
    addend_width: int = 0
    addend_register: bool = False
    neighbour_width: int = 0
    b_delay: int = 0
    last: bool = False


LINK_WIDTH = 48  # bits of the direct link between neighbours


class MacSlice(wiring.Component):
    """A multiply-accumulate slice: {operation}."""

    # Ports: a, b, p; a_enable, a_clear (hold), addend, neighbour (P of the slice before), step.
    # link_in, link_out: the direct wire between hard blocks; unused in plain HDL.
    # step_register: by how many cycles `step` must precede the addition.  b_delays: spare registers
    # of the block in front of B, which can delay the streamed operand.
    step_register = 0
    b_delays = 0

    @classmethod
    def link_delay(cls, shift: int) -> int:
        """The `delay` of a link with that shift, from the slice's or the neighbour's P."""
        return 0

    def __init__(self, config: MacConfig):
        self.config = config
        members = {
            "a": In(config.a_width),
            "b": In(config.b_width),
            "p": Out(config.p_width),
            "a_enable": In(1, init=1),
            "a_clear": In(1),
            "addend": In(config.addend_width),
            "addend_clear": In(1),
            "neighbour": In(config.neighbour_width),
            "step": In(len(config.steps)),
            "link_in": In(LINK_WIDTH),
            "link_out": Out(LINK_WIDTH),
        }
        super().__init__(members)

    @property
    def operation(self) -> str:
        """What the slice computes, as a text."""
        config = self.config
        terms = [self._term(link) for link in config.steps]
        hold = "; a stays in its register until a_enable" if config.hold else ""
        if len(terms) == 1:
            return f"p {'<=' if config.p_register else '='} a*b{terms[0]}{hold}"
        each = ", ".join(f"a*b{term} if step[{k}]" for k, term in enumerate(terms) if term)
        return f"p <= {each}, else a*b{hold}"

    def _term(self, link: Link) -> str:
        if link.source == "zero":
            return ""
        name = {"own": "p", "neighbour": "p of the slice before", "addend": "addend"}[link.source]
        return f" + ({name} >> {link.shift})" if link.shift else f" + {name}"

    def elaborate(self, platform: object) -> Module:
        m = Module()
        config = self.config
        b_in: Value = self.b
        for k in range(config.b_delay):
            stage = Signal(config.b_width, name=f"b_delay_{k}", reset_less=True)
            m.d.sync += stage.eq(b_in)
            b_in = stage
        loads = self.a_enable, self.a_clear
        a, b = input_registers(m, self.a, b_in, loads, config.registers, "mac")
        product = Signal(config.a_width + config.b_width, name="product")
        product_reg = Signal.like(product, name="m_reg", reset_less=True)
        m.d.comb += product.eq(a * b)
        if config.registers >= 3:
            m.d.sync += product_reg.eq(product)
            product = product_reg
        self.accumulate(m, product)
        return m

    def accumulate(self, m: Module, product: Value) -> None:
        """Add the adder behind the product, and its register, in plain HDL."""
        config = self.config
        total = Signal(config.p_width, name="p_reg", reset_less=True)
        sources: dict[str, Value] = {"own": total, "neighbour": self.neighbour}
        if config.addend_width:
            addend = Signal(config.addend_width, name="c_reg", reset_less=True)
            cleared = Mux(self.addend_clear, 0, self.addend)
            if config.addend_register:
                m.d.sync += addend.eq(cleared)
            else:
                m.d.comb += addend.eq(cleared)
            sources["addend"] = addend
        chosen: Value | None = None
        for index, (source, shift, late) in enumerate(config.steps):
            if source == "zero":
                continue
            value = sources[source][shift:]
            if late:
                register = Signal(len(value), name=f"link_{index}", reset_less=True)
                m.d.sync += register.eq(value)
                value = register
            if len(config.steps) > 1:
                value = Mux(self.step[index], value, 0)
            chosen = value if chosen is None else chosen | value
        sum_ = product if chosen is None else product + chosen
        if config.p_register:
            m.d.sync += total.eq(sum_)
        else:
            m.d.comb += total.eq(sum_)
        m.d.comb += self.p.eq(total)
