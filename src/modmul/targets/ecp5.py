"""Lattice ECP5: 18 x 18 multipliers whose sums go to fabric.

Yosys leaves the registers of an inferred MULT18X18D in fabric, so that it is instantiated here.
"""

from amaranth.hdl import Cat, ClockSignal, Const, Instance, Module, Signal, Value

from modmul.targets.description import DspBlock, Target
from modmul.targets.fabric_mac import FabricMac
from modmul.targets.primitives import ONE, ZERO, HardMultiplier, open_pins
from modmul.targets.tables import ecp5 as tables

# nextpnr finds no way to these from a constant, and a constant on a clock, an enable or a reset
# that no register looks at costs wires: all stay open.
_UNUSED = (
    *(f"{bus}{k}" for bus in ("C", "SRIA", "SRIB", "SROA", "SROB") for k in range(18)),
    *(f"{bus}{k}" for bus in ("ROA", "ROB", "ROC") for k in range(18)),
    *("CLK1", "CLK2", "CLK3", "RST2", "RST3", "CE2", "CE3", "SIGNEDP"),
)


class Mult18x18d(HardMultiplier):
    """One MULT18X18D; input, pipeline and output registers as `registers` says."""

    def place(
        self, m: Module, a: Value, b: Value, a_enable: Value = ONE, a_clear: Value = ZERO
    ) -> Value:
        product = Signal(len(a) + len(b), name=self.name)
        clock = {True: "CLK0", False: "NONE"}
        inputs = clock[self.registers >= 2]
        pins: dict[str, object] = {}
        for port, value in (("A", a), ("B", b)):
            whole = Cat(value, Const(0, 18 - len(value)))
            pins |= {f"i_{port}{k}": whole[k] for k in range(18)}
        m.submodules[f"{self.name}_block"] = Instance(
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
            i_CE0=ONE,
            i_CE1=a_enable,
            i_RST0=ZERO,
            i_RST1=a_clear,
            **{f"i_{pin}": ZERO for pin in ("SIGNEDA", "SIGNEDB", "SOURCEA", "SOURCEB")},
            **{f"o_P{k}": bit for k, bit in enumerate(product)},
            **pins,
            **open_pins(*_UNUSED, *(f"P{k}" for k in range(len(product), 36))),
        )
        return product


class Ecp5Mac(FabricMac):
    """{operation}: a MULT18X18D, and the adder and the register of p in fabric."""

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
