"""Ports, adapter and testbench for what no architecture of today has: carry-save, no modulus."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring

from modmul.errors import SpecError
from modmul.export import check, description, hdl, protocol, vectors
from modmul.export import testbench as writer
from modmul.export.ports import ports
from modmul.forecast import Forecast
from modmul.multipliers.contract import Constant, Multiplier
from modmul.multipliers.ranges import Bound
from modmul.multipliers.signature import core_signature
from modmul.operation import Cycles, Mode
from modmul.spec import Spec
from modmul.toolchain import icarus


@dataclass(frozen=True, kw_only=True)
class CarrySave(Multiplier):
    """(a + a_carry) * (b + b_carry), as the product's even and odd bits; two beats of each."""

    name = "carry-save-product"
    summary = "a product in carry-save form"
    kind = "plain"
    modulus_at = "none"
    operand_form = "carry-save"
    result_form = "carry-save"
    radix = 2
    montgomery_factor = None
    beats = 2

    @property
    def beat(self) -> int:
        return self.width // 2

    @property
    def result_beat(self) -> int:
        return self.width

    @property
    def stripes(self) -> int:
        return sum(1 << i for i in range(0, 2 * self.width, 2))

    @property
    def operand_limit(self) -> Bound:
        return Bound(1 << self.width, "1")

    @property
    def result_limit(self) -> Bound:
        return Bound(1 << 2 * self.width, "1")

    def constants(self, modulus: int) -> list[Constant]:
        raise AssertionError("nothing is loaded")

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        return {"load": Cycles.constant(2), "unload": Cycles.constant(2)}

    def interval(self, mode: Mode = Mode()) -> Cycles:
        return Cycles.constant(2)

    def compute(self, a: Any, b: Any, modulus: int) -> Any:
        product = sum(a) * sum(b)
        return product & self.stripes, product & ~self.stripes

    def core_forecast(self) -> Forecast:
        return Forecast(lut=0, ff=0, dsp=0, ram_bits=0, mhz=None)

    def create(self) -> wiring.Component:
        return _Core(self)


class _Core(wiring.Component):
    """Always ready; the result's beats follow the operands' at once."""

    def __init__(self, parameters: CarrySave):
        self.parameters = parameters
        super().__init__(core_signature(parameters))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        n, beat = self.parameters.width, self.parameters.beat
        given, result = self.operand.p, self.result.p
        low = Signal(2 * beat + 2)
        high = Signal(2 * n)
        second = Signal()
        m.d.comb += self.operand.ready.eq(1)
        a, b = given.a + given.a_carry, given.b + given.b_carry
        m.d.sync += [self.result.valid.eq(0), second.eq(0)]
        with m.If(self.operand.valid & given.first):
            m.d.sync += low.eq(a | b << (beat + 1))
        with m.If(self.operand.valid & given.last):
            whole_a = low[: beat + 1] + (a << beat)
            whole_b = low[beat + 1 :] + (b << beat)
            product = Signal(2 * n)
            m.d.comb += product.eq(whole_a * whole_b)
            m.d.sync += [
                self.result.valid.eq(1),
                second.eq(1),
                high.eq(product >> n),
                result.first.eq(1),
                result.last.eq(0),
                result.data.eq(product & self.parameters.stripes),
                result.carry.eq(product & ~self.parameters.stripes),
            ]
        with m.If(second):
            m.d.sync += [
                self.result.valid.eq(1),
                result.first.eq(0),
                result.last.eq(1),
                result.data.eq(high & self.parameters.stripes),
                result.carry.eq(high & ~self.parameters.stripes),
            ]
        return m


def test_ports_of_carry_save_without_modulus() -> None:
    widths = {port.name: port.width for port in ports(CarrySave(width=8), "stream")}
    assert widths["operand_a_carry"] == 4 and widths["operand_b_carry"] == 4
    assert widths["result_carry"] == widths["result_data"] == 8
    assert not [name for name in widths if name.startswith("modulus")]


@pytest.mark.parametrize("interface", ["core", "stream"])
@pytest.mark.skipif(not icarus.installed(), reason="Icarus Verilog is not installed")
def test_testbench_of_carry_save_without_modulus(interface: Any, tmp_path: Path) -> None:
    spec = Spec(CarrySave(width=8), interface=interface)
    emitted, planned = hdl.emit(spec.multiplier), vectors.plan(spec)
    sources = [tmp_path / "x.v", tmp_path / "x_tb.v"]
    sources[0].write_text(emitted.verilog)
    sources[1].write_text(writer.testbench(spec, emitted, "x", planned, "x.f"))
    output = icarus.simulate(sources, "x_tb")
    check.verdict(output, "Icarus Verilog", len(planned.products))
    described = description.describe(spec, emitted, "x")
    assert described["arithmetic"]["formula"] == "a * b" and "modulus" not in described["streams"]
    traced = icarus.simulate(sources, "x_tb", arguments=["+trace"])
    svg = protocol.diagram(spec, planned, traced)
    assert ">ac0.1</text>" in svg and ">rc2.1</text>" in svg


def test_a_modulus_fixed_in_hardware_must_be_named() -> None:
    with pytest.raises(SpecError, match="name it"):
        Spec.from_options({"architecture": "pseudo-mersenne"})
    spec = Spec.from_options({"architecture": "pseudo-mersenne", "modulus": 2**31 - 1})
    assert {setting.modulus for setting in vectors.plan(spec).settings} == {2**31 - 1}
