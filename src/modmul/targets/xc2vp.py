"""Xilinx Virtex-II Pro: LUTs of four inputs, two in a slice; MULT18X18 blocks (alkhaleel2006).

There are areas and LUTs in series only: no tool here places or routes it, and no source of its
delays was available.  Yosys infers MULT18X18 from `*`, but never with a register: so it is
instantiated.
"""

from amaranth.hdl import Cat, ClockSignal, Const, Instance, Module, Signal, Value

from modmul.targets.description import DspBlock, Target
from modmul.targets.fabric_mac import FabricMac
from modmul.targets.primitives import ONE, ZERO, HardMultiplier
from modmul.targets.tables import xc2vp as tables
from modmul.targets.virtex import synthesis


class Mult18x18s(HardMultiplier):
    """One MULT18X18S: signed 18 x 18 bits, with one register, behind the product.  All other
    registers are in fabric."""

    def place(
        self, m: Module, a: Value, b: Value, a_enable: Value = ONE, a_clear: Value = ZERO
    ) -> Value:
        a, b = self.inputs(m, a, b, (a_enable, a_clear))
        product = Signal(36, name=f"{self.name}_m" if self.registers >= 3 else self.name)
        m.submodules[f"{self.name}_block"] = Instance(
            "MULT18X18S",
            i_A=Cat(a, Const(0, 18 - len(a))),
            i_B=Cat(b, Const(0, 18 - len(b))),
            i_C=ClockSignal(),
            i_CE=ONE,
            i_R=ZERO,
            o_P=product,
        )
        if self.registers < 3:
            return product[: len(a) + len(b)]
        output = Signal(len(a) + len(b), name=self.name, reset_less=True)
        m.d.sync += output.eq(product)
        return output


class Xc2vpMac(FabricMac):
    """{operation}: a MULT18X18S, and the adder and the register of p in fabric."""

    block = Mult18x18s


TARGET = Target(
    name="xc2vp",
    summary="Xilinx Virtex-II Pro",
    dsp=DspBlock(cell="MULT18X18S", wide=17, narrow=17, accumulator=None),
    synthesis=synthesis("xc2vp"),
    cells=tables.CELLS,
    arcs=tables.ARCS,
    cell_models=("xilinx/cells_sim.v",),
    devices=tables.DEVICES,
    constraints=("sdc", "ucf"),
    models=("mult18x18s.v",),
    mac_block=Xc2vpMac,
    multiplier_block=Mult18x18s,
)
