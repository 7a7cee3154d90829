"""Xilinx Virtex-II Pro: LUTs of four inputs, two in a slice; MULT18X18 blocks (alkhaleel2006).

Areas and LUTs in series only: nothing places or routes for it, and no source of its delays could be
read.  Yosys infers MULT18X18 from `*`, but never the one with a register: that is instantiated.
"""

from amaranth.hdl import ClockSignal, Const, Instance, Module, Signal

from modmul.targets.description import DspBlock, Target
from modmul.targets.fabric_mac import FabricMac
from modmul.targets.primitives import Multiplier, input_registers
from modmul.targets.tables import xc2vp as tables
from modmul.targets.virtex import synthesis


class Mult18x18s(Multiplier):
    """One MULT18X18S: signed 18 x 18, and one register, behind the product.  All other registers
    are in fabric."""

    def place(self, m: Module) -> None:
        loads = self.a_enable, self.a_clear
        a, b = input_registers(m, self.a, self.b, loads, self.registers, self.name)
        block_a, block_b = (Signal(18, name=f"{self.name}_block_{port}") for port in "ab")
        block_p = Signal(36, name=f"{self.name}_block_p")
        m.d.comb += [block_a.eq(a), block_b.eq(b), self.p.eq(block_p)]
        m.submodules[self.name] = Instance(
            "MULT18X18S",
            i_A=block_a,
            i_B=block_b,
            i_C=ClockSignal(),
            i_CE=Const(1, 1),
            i_R=Const(0, 1),
            o_P=block_p,
        )
        if self.registers >= 3:
            output = Signal(len(self.p), name=f"{self.name}_p_reg", reset_less=True)
            m.d.sync += output.eq(block_p)
            m.d.comb += self.p.eq(output)


class Xc2vpMac(FabricMac):
    """A MULT18X18S, and the adder behind it in fabric."""

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
