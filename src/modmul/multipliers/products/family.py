"""What all plain products have in common: two operands of k bits in one beat, their product in one
beat.

The array is combinational.  Between registers at both ends it gives a product in every clock;
without them the core is combinational from stream to stream.  One of several clocks (`partitions`
of array-mux4) has the registers in any case.
"""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from amaranth.hdl import Module, Signal, Value

from modmul.arithmetic.moduli import Field
from modmul.errors import SpecError
from modmul.forecast import Forecast, Logic, fabric
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.core import BareCore, core_of
from modmul.multipliers.ranges import Bound
from modmul.operation import Cycles, Mode, constant_cycles
from modmul.parameters import parameter

FLAT = 512  # bits of the widest operand of an array that is not folded


@dataclass(frozen=True, kw_only=True)
class PlainProduct(Multiplier):
    """Base class.  `array` is the hardware between the registers, `compute` its golden model."""

    width: int = parameter(32, "bits of each operand", minimum=4, maximum=FLAT)
    registers: bool = parameter(
        True, "registers at both ends; without them, the product is combinational"
    )

    kind: ClassVar[Literal["modular", "plain"]] = "plain"
    modulus_at: ClassVar[Literal["run time", "fixed", "none"]] = "none"
    montgomery_factor = None
    even_operands: ClassVar[bool] = False  # whether the operands must have an even number of bits
    beats = 1

    def check(self) -> None:
        if self.even_operands and self.width % 2:
            nearest = self.width + 1 if self.width < FLAT else self.width - 1
            message = f"width = {self.width}: {self.name} takes an even number of bits: {nearest}"
            raise SpecError("width", self.width, f"even, such as {nearest}", message)

    def check_modulus(self, modulus: int, field: Field | None = None) -> None:
        message = f"modulus: {self.name} is a plain product, there is no modulus to be given"
        raise SpecError("modulus", modulus, "absent", message)

    @property
    def operand_limit(self) -> Bound:
        return Bound(1 << self.width, "1")

    @property
    def result_limit(self) -> Bound:
        return Bound(1 << 2 * self.width, "1")

    def constants(self, modulus: int) -> list[Constant]:
        return []

    @property
    def beat(self) -> int:
        return self.width

    @property
    def result_beat(self) -> int:
        return 2 * self.width

    @property
    def core_title(self) -> str:
        """The short name, marked if there are no registers or if rows are library cells."""
        ends = "" if self.registers else "-comb"
        return f"{super().core_title}{ends}{self.chip.title_end}"

    # ---- how long it takes --------------------------------------------------------------------

    @property
    def phases(self) -> dict[str, int]:
        """The phases of one product between the registers, in order, each with its clocks."""
        return {"product": 1}

    @property
    def clocks(self) -> int:
        """The clocks of one product between the registers at the ends."""
        return sum(self.phases.values())

    @property
    def held(self) -> int:
        """The number of clocks, from the first, in which the operands of a product must stay."""
        return self.clocks - self.phases.get("sum", 0)

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        ends = {"load": 1}, {"unload": 1}
        terms = {**ends[0], **self.phases, **ends[1]} if self.registers else self.phases
        return constant_cycles(terms)

    def interval(self, mode: Mode = Mode()) -> Cycles:
        return Cycles.constant(self.held)

    @abc.abstractmethod
    def compute(self, a: int, b: int, modulus: int = 0) -> int:
        """The product (golden model), computed row by row as in the hardware."""

    # ---- the hardware -------------------------------------------------------------------------

    @classmethod
    def examples(cls) -> list[Multiplier]:
        """4 to 6 bits for all inputs, 4 also without registers; and a few more rows."""
        widths = (6, 8) if cls.even_operands else (5, 6, 9)
        return [cls(width=4, registers=False), cls(width=4), *(cls(width=w) for w in widths)]

    @abc.abstractmethod
    def logic(self) -> Logic:
        """The forecast between the registers; ff below 0: hard blocks absorb registers."""

    def core_forecast(self) -> Forecast:
        """`logic` with the 4k + 3 flip-flops around it."""
        inside, ends = self.logic(), 4 * self.width + 3 if self.registers else 0
        return fabric(self.chip).forecast(*inside._replace(ff=max(inside.ff + ends, 0)))

    @abc.abstractmethod
    def array(self) -> Array:
        """The hardware between the registers."""


class Array(abc.ABC):
    """The hardware of a product without the registers at the ends; `place` adds it to a module of
    the caller.

    a, b: k bits each, which must stay for the first `held` clocks.  start: high in the first clock.
    product: 2k bits, valid when `done` is high, in the last clock.  free: high in the last clock in
    which the operands must stay.  With one clock, done and free are `start`; an array of several
    clocks overrides `control`."""

    def __init__(self, parameters: Any):
        self.parameters = parameters
        self.chip = parameters.chip
        self.width = k = parameters.width
        self.a, self.b = Signal(k, name="a"), Signal(k, name="b")
        self.start = Signal(name="start")
        self.product = Signal(2 * k, name="product")
        self.done, self.free = Signal(name="done"), Signal(name="free")

    def place(self, m: Module) -> None:
        self.control(m)
        m.d.comb += self.product.eq(self.datapath(m))

    def control(self, m: Module) -> None:
        """Drive `done` and `free`."""
        self.done = self.free = self.start

    @abc.abstractmethod
    def datapath(self, m: Module) -> Value:
        """The product, of 2k bits."""

    @property
    def notes(self) -> dict[str, dict[str, str]]:
        """Notes on what it places: sections as in `NOTES` of a component (`export.remarks`)."""
        return {}


@core_of(PlainProduct)
class Core(BareCore):
    """{theory}

    The array, of k = {width} bits, is combinational. If `registers` is true it stands between the
    registers a_reg, b_reg and product_reg, else directly between the ports."""

    parameters: PlainProduct

    _BEFORE: ClassVar[dict[str, dict[str, str]]] = {
        "operands": {
            "running": "a_reg and b_reg hold the operands of a product",
            "first": "the first clock of that product",
            "a_reg": "x (X), until the array no longer reads it",
            "b_reg": "y (Y), likewise",
        },
    }
    _AFTER: ClassVar[dict[str, dict[str, str]]] = {
        "result": {
            "product": "output of the array: a*b in the last clock of a product",
            "product_reg": "a*b, while valid is high",
            "valid": "for one clock: there is no result_ready",
        },
    }

    @property
    def NOTES(self) -> dict[str, dict[str, str]]:
        return self._BEFORE | self.parameters.array().notes | self._AFTER

    def elaborate(self, platform: object) -> Module:
        m = Module()
        array = self.parameters.array()
        m.d.comb += [self.result.p.first.eq(1), self.result.p.last.eq(1)]
        if self.parameters.registers:
            self._registered(m, array)
        else:
            m.d.comb += [
                array.a.eq(self.operand.p.a),
                array.b.eq(self.operand.p.b),
                array.start.eq(self.operand.valid),
            ]
            array.place(m)
            m.d.comb += [
                self.operand.ready.eq(1),
                self.result.valid.eq(array.done),
                self.result.p.data.eq(array.product),
            ]
        return m

    def _registered(self, m: Module, array: Array) -> None:
        array.a = a = Signal(array.width, name="a_reg", reset_less=True)
        array.b = b = Signal(array.width, name="b_reg", reset_less=True)
        product = Signal(2 * array.width, name="product_reg", reset_less=True)
        running = Signal(name="running")  # the operand registers belong to a product
        array.start = first = Signal(name="first")  # in its first clock
        valid = Signal(name="valid")
        array.place(m)
        m.d.comb += [
            self.operand.ready.eq(~running | array.free),
            self.result.valid.eq(valid),
            self.result.p.data.eq(product),
        ]
        m.d.sync += [
            first.eq(self.operand.valid & self.operand.ready),
            valid.eq(array.done),
            product.eq(array.product),
        ]
        with m.If(self.operand.ready):
            m.d.sync += running.eq(self.operand.valid)
            m.d.sync += [a.eq(self.operand.p.a), b.eq(self.operand.p.b)]
