"""Lattice ECP5: 18 x 18 multipliers whose sums go to fabric.

Yosys leaves the registers of an inferred MULT18X18D in fabric, so that it is instantiated here.
"""

from amaranth.hdl import ClockSignal, Const, Instance, Module, Signal

from modmul.targets.description import DspBlock, Target
from modmul.targets.fabric_mac import FabricMac
from modmul.targets.primitives import Multiplier, open_pins
from modmul.targets.tables import ecp5 as tables

# nextpnr finds no way to these from a constant, and a constant on a clock, an enable or a reset
# that no register looks at costs wires: all stay open.
_UNUSED = (
    *(f"{bus}{k}" for bus in ("C", "SRIA", "SRIB", "SROA", "SROB") for k in range(18)),
    *(f"{bus}{k}" for bus in ("ROA", "ROB", "ROC") for k in range(18)),
    *("CLK1", "CLK2", "CLK3", "RST2", "RST3", "CE2", "CE3", "SIGNEDP"),
)


class Mult18x18d(Multiplier):
    """One MULT18X18D; input, pipeline and output registers as `registers` says."""

    def place(self, m: Module) -> None:
        a, b = Signal(18, name=f"{self.name}_block_a"), Signal(18, name=f"{self.name}_block_b")
        p = Signal(36, name=f"{self.name}_block_p")
        m.d.comb += [a.eq(self.a), b.eq(self.b), self.p.eq(p)]
        clock = {True: "CLK0", False: "NONE"}
        inputs = clock[self.registers >= 2]
        pins: dict[str, object] = {f"i_A{k}": a[k] for k in range(18)}
        pins |= {f"i_B{k}": b[k] for k in range(18)}
        pins |= {f"o_P{k}": p[k] for k in range(36)}
        one, zero = Const(1, 1), Const(0, 1)
        m.submodules[self.name] = Instance(
            "MULT18X18D",
            p_REG_INPUTA_CLK=inputs,
            p_REG_INPUTA_CE="CE1",
            p_REG_INPUTA_RST="RST1",
            p_REG_INPUTB_CLK=inputs,
            p_REG_PIPELINE_CLK=clock[self.registers >= 3],
            p_REG_OUTPUT_CLK="CLK0",
            p_MULT_BYPASS="DISABLED",
            p_RESETMODE="SYNC",
            p_GSR="DISABLED",
            i_CLK0=ClockSignal(),
            i_CE0=one,
            i_CE1=self.a_enable,
            i_RST0=zero,
            i_RST1=self.a_clear,
            i_SIGNEDA=zero,
            i_SIGNEDB=zero,
            i_SOURCEA=zero,
            i_SOURCEB=zero,
            **pins,
            **open_pins(*_UNUSED),
        )


class Ecp5Mac(FabricMac):
    """A MULT18X18D, and the adder behind it in fabric."""

    block = Mult18x18d


# -no-rw-check: no word of a block RAM is read in the cycle in which it is written and then used (a
# test makes such reads return garbage).  -nowidelut: the few wide multiplexers cost less without.
# The last phase of synth_ecp5 only checks and gives names: it is left out, since its names grow
# with the depth of the logic to many kilobytes.  What else it does is the second line.
SYNTHESIS = """
synth_ecp5 -top {top} -no-rw-check -nowidelut -run begin:check
blackbox =A:whitebox
"""

TARGET = Target(
    name="ecp5",
    summary="Lattice ECP5 and ECP5-5G",
    dsp=DspBlock(cell="MULT18X18D", wide=18, narrow=18, accumulator=None),
    synthesis=SYNTHESIS,
    cells=tables.CELLS,
    arcs=tables.ARCS,
    cell_models=("ecp5/cells_sim.v",),
    limits=tables.LIMITS,
    devices=tables.DEVICES,
    router="nextpnr-ecp5",
    constraints=("sdc", "lpf"),
    models=("mult18x18d.v",),
    mac_block=Ecp5Mac,
    multiplier_block=Mult18x18d,
)
