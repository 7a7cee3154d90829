"""Xilinx 7 series: DSP48E1 with a post-adder and a cascade that shifts by 17.

Yosys infers the block, but neither a cascade whose first member adds a value on C nor an
accumulator that can also load: it is instantiated here, with every register in use.
"""

from amaranth.hdl import ClockSignal, Const, Instance, Module, Mux, Signal, Value

from modmul.targets.description import DspBlock, Target
from modmul.targets.primitives import Link, MacSlice
from modmul.targets.tables import xc7 as tables
from modmul.targets.tables.xc7_arcs import ARCS

# Z multiplexer: what joins the product (X and Y carry its two halves), by (source, shift)
_Z = {
    ("zero", 0): 0b000,
    ("neighbour", 0): 0b001,  # PCIN
    ("own", 0): 0b010,
    ("addend", 0): 0b011,  # C
    ("neighbour", 17): 0b101,
    ("own", 17): 0b110,
}
_PRODUCT = 0b0101


class Dsp48e1(MacSlice):
    """One DSP48E1.  The held operand is on B, the streamed one on A; links of shift 0 and 17 are
    the block's own (PCIN, P), other shifts go through fabric to C."""

    step_register = 1  # OPMODE has a register
    b_delays = 1  # A1, in front of A2

    def _z(self, link: Link) -> int:
        return _Z.get((link.source, link.shift), _Z["addend", 0])

    def _through_fabric(self, link: Link) -> bool:
        return (link.source, link.shift) not in _Z

    def _c(self, m: Module) -> Value:
        """What is on C: the addend, or links that the block does not have."""
        config = self.config
        sources = {"own": self.p, "neighbour": self.neighbour}
        c: Value = self.addend
        if config.addend_width and not config.addend_register:
            c = Mux(self.addend_clear, 0, self.addend)
        for k, link in enumerate(config.steps):
            if not self._through_fabric(link):
                continue
            if config.addend_width:
                raise ValueError(f"C is taken: no place for a link shifted by {link.shift}")
            value = sources[link.source][link.shift :]
            if len(config.steps) > 1:  # `step` comes one cycle before the addition
                now = Signal(name=f"step_{k}")
                m.d.sync += now.eq(self.step[k])
                value = Mux(now, value, 0)
            c = value | c if len(c) else value
        return c

    def _opmode(self, m: Module) -> Value:
        steps = self.config.steps
        if len(steps) == 1:
            return Const(self._z(steps[0]) << 4 | _PRODUCT, 7)
        z = Signal(3, name="z")
        for k, link in enumerate(steps):
            with m.If(self.step[k]):
                m.d.comb += z.eq(self._z(link))
        return (z << 4 | _PRODUCT)[:7]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        config = self.config
        inputs, products = int(config.registers >= 2), int(config.registers >= 3)
        linked = any(k.source == "neighbour" and not self._through_fabric(k) for k in config.steps)
        a, b, c, p = Signal(30), Signal(18), Signal(48), Signal(48)
        m.d.comb += [a.eq(self.b), b.eq(self.a), c.eq(self._c(m)), self.p.eq(p)]
        one, zero = Const(1, 1), Const(0, 1)
        enables = {f"i_CE{name}": zero for name in ("B1", "AD", "ALUMODE", "D", "INMODE")}
        enables |= {f"i_CE{name}": one for name in ("A1", "A2", "C", "CARRYIN", "CTRL", "M", "P")}
        resets = ("A", "ALLCARRYIN", "ALUMODE", "B", "CTRL", "D", "INMODE", "M", "P")
        m.submodules.block = Instance(
            "DSP48E1",
            **{f"p_{name}REG": inputs + config.b_delay for name in ("A", "ACASC")},
            **{f"p_{name}REG": inputs for name in ("B", "BCASC")},
            **{f"p_{name}REG": 0 for name in ("AD", "ALUMODE", "CARRYIN", "CARRYINSEL")},
            **{f"p_{name}REG": 0 for name in ("D", "INMODE")},
            p_CREG=int(config.addend_register and config.addend_width > 0),
            p_MREG=products,
            p_OPMODEREG=int(len(config.steps) > 1),
            p_PREG=int(config.p_register),
            p_USE_DPORT="FALSE",
            p_USE_MULT="MULTIPLY",
            **enables,
            **{f"i_RST{name}": zero for name in resets},
            i_RSTC=self.addend_clear if config.addend_register else zero,
            i_CEB2=self.a_enable,
            i_CLK=ClockSignal(),
            i_A=a,
            i_B=b,
            i_C=c,
            i_D=Const(0, 25),
            i_OPMODE=self._opmode(m),
            i_ALUMODE=Const(0, 4),
            i_CARRYIN=zero,
            i_CARRYINSEL=Const(0, 3),
            i_INMODE=Const(0, 5),
            i_PCIN=self.link_in if linked else Const(0, 48),
            o_P=p,
            o_PCOUT=self.link_out,
        )
        return m


# The pass xilinx_dsp takes a block that was instantiated for one that it made itself, without
# registers: it removes two registers in front of A and adds one.  So such blocks are hidden.
SYNTHESIS = """
synth_xilinx -family xc7 -flatten -noiopad -noclkbuf -top {top} -run begin:map_dsp
chtype -set $__block t:DSP48E1
synth_xilinx -family xc7 -flatten -noiopad -noclkbuf -top {top} -run map_dsp:coarse
chtype -set DSP48E1 t:$__block
synth_xilinx -family xc7 -flatten -noiopad -noclkbuf -top {top} -run coarse:
"""

TARGET = Target(
    name="xc7",
    summary="Xilinx 7 series (Artix-7, Kintex-7, Virtex-7, Zynq-7000)",
    dsp=DspBlock(cell="DSP48E1", wide=24, narrow=17, accumulator=48),
    synthesis=SYNTHESIS,
    cells=tables.CELLS,
    arcs=ARCS,
    cell_models=("xilinx/cells_sim.v",),
    limits=tables.LIMITS,
    devices=tables.DEVICES,
    constraints=("sdc", "xdc"),
    models=("dsp48e1.v",),
    mac=Dsp48e1,
)
