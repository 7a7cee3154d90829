"""The common part of the DSP48 blocks of Xilinx: one multiply-accumulate slice in one block.

Yosys infers the block whole on few families, and nowhere an accumulator that can also load: it is
instantiated, with every register in use.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import ClassVar

from amaranth.hdl import ClockSignal, Const, Instance, Module, Mux, Signal, Value

from modmul.targets.primitives import ONE, ZERO, Link, MacSlice, open_pins

# Codes of the Z multiplexer, which chooses what is added to the product, by (source, shift); the
# DSP48A1 has others.
SHIFTING_Z = {
    ("zero", 0): 0b000,
    ("neighbour", 0): 0b001,  # PCIN
    ("own", 0): 0b010,
    ("addend", 0): 0b011,  # C
    ("neighbour", 17): 0b101,
    ("own", 17): 0b110,
}


class Dsp48(MacSlice):
    """A multiply-accumulate slice on one DSP block: {operation}.

    {pins}"""

    # The held operand is on B, the streamed one on A.  Links that the Z multiplexer has are wires
    # of the block (PCIN, P); the others go through fabric to C, and through its register if they
    # have a delay.
    # cell: the name in netlists.  a_bits: width of port A.  z: codes of the Z multiplexer, by
    # source and shift.  opmode_bits: width of OPMODE; z_at: where the Z code begins in it;
    # product_code: its other bits, which add the product.  op_pins: what OPMODE is called in the
    # names of its enable and reset.  unused: outputs that stay open.
    step_register = 1  # OPMODE has a register
    b_delays = 1  # A1, in front of A2

    cell: ClassVar[str]
    a_bits: ClassVar[int]
    z: ClassVar[Mapping[tuple[str, int], int]] = SHIFTING_Z
    opmode_bits: ClassVar[int] = 7
    z_at: ClassVar[int] = 4
    product_code: ClassVar[int] = 0b0101  # X and Y carry the two halves of the product
    op_pins: ClassVar[str] = "CTRL"
    unused: ClassVar[tuple[str, ...]] = ()

    @property
    def pins(self) -> str:
        """A text that says what is on each port of the block, and what the codes in OPMODE do."""
        config, low = self.config, self.z_at
        registers = int(config.registers >= 2) + config.b_delay
        cycles = config.registers - (not config.p_register)
        high = low + max(self.z.values()).bit_length() - 1
        codes = []
        for link in config.steps:
            term = {"zero": "nothing", "own": "P", "neighbour": "PCIN", "addend": "C"}[link.source]
            if self._through_fabric(link):
                term = "C, which has the shifted sum"
            elif link.shift:
                term = f"{term} >> {link.shift}"
            codes.append(f"{self._z(link):0{high - low + 1}b} adds {term}")
        return (
            f"From a to p it takes {cycles} cycle{'s' * (cycles != 1)}.  "
            f"Port A of the block has b, behind {registers} register{'s' * (registers != 1)}; "
            f"port B has a.  Both are unsigned: their top bits are 0.  OPMODE[{high}:{low}]: "
            f"{', '.join(codes)}; its other bits say that the product is added."
        )

    def pipeline(self, a: int, b: int) -> dict[str, object]:
        """The parameters for `a` registers in front of A and `b` in front of B."""
        return {"p_AREG": a, "p_BREG": b}

    @abc.abstractmethod
    def others(self) -> dict[str, object]:
        """The parameters and pins that only this family's block has."""

    def _z(self, link: Link) -> int:
        fabric = self._through_fabric(link)
        return self.z["addend", 0] if fabric else self.z[link.source, link.shift]

    def _through_fabric(self, link: Link) -> bool:
        """Whether a link goes through fabric; delayed links do, since they wait in C's register."""
        return link.delay > 0 or (link.source, link.shift) not in self.z

    def _c(self, m: Module) -> Value:
        """The value for port C: the addend, or links that the block does not have."""
        config = self.config
        sources = {"own": self.p, "neighbour": self.neighbour}
        c: Value = self.addend
        if config.addend_width and not config.addend_register:
            c = Mux(self.addend_clear, 0, self.addend)
        outside = [k for k, link in enumerate(config.steps) if self._through_fabric(link)]
        for k in outside:
            link = config.steps[k]
            if config.addend_width:
                raise ValueError(f"C is taken: no place for a link shifted by {link.shift}")
            value = sources[link.source][link.shift :]
            if len(outside) > 1:  # else OPMODE alone chooses; `step` comes one cycle earlier
                now: Value = self.step[k]
                if not link.delay:
                    now = Signal(name=f"step_{k}")
                    m.d.sync += now.eq(self.step[k])
                value = Mux(now, value, 0)
            c = value | c if len(c) else value
        return c

    def _opmode(self, m: Module) -> Value:
        steps = self.config.steps
        if len(steps) == 1:
            return Const(self._z(steps[0]) << self.z_at | self.product_code, self.opmode_bits)
        z = Signal(range(max(self.z.values()) + 1), name="opmode_z")
        for k, link in enumerate(steps):
            with m.If(self.step[k]):
                m.d.comb += z.eq(self._z(link))
        code = Signal(self.opmode_bits, name="code")
        m.d.comb += code.eq(z << self.z_at | self.product_code)
        return code

    def elaborate(self, platform: object) -> Module:
        m = Module()
        config = self.config
        inputs = int(config.registers >= 2)
        linked = any(k.source == "neighbour" and not self._through_fabric(k) for k in config.steps)
        late = {link.delay for link in config.steps if self._through_fabric(link)}
        if len(late) > 1:
            raise ValueError("C is registered or not: links through it must have one delay")
        registered = config.addend_register and config.addend_width > 0
        a, b, c, p = Signal(self.a_bits), Signal(18), Signal(48), Signal(48, name="dsp_p")
        m.d.comb += [a.eq(self.b), b.eq(self.a), c.eq(self._c(m)), self.p.eq(p)]
        m.submodules.block = Instance(
            self.cell,
            **self.pipeline(inputs + config.b_delay, inputs),
            p_CREG=int(registered or late == {1}),
            p_MREG=int(config.registers >= 3),
            p_OPMODEREG=int(len(config.steps) > 1),
            p_PREG=int(config.p_register),
            p_CARRYINREG=0,
            **{f"i_CE{name}": ONE for name in ("C", "CARRYIN", "M", "P", self.op_pins)},
            **{f"i_RST{name}": ZERO for name in ("A", "M", "P", self.op_pins)},
            i_RSTB=self.a_clear,
            i_RSTC=self.addend_clear if registered else ZERO,
            i_CLK=ClockSignal(),
            i_A=a,
            i_B=b,
            i_C=c,
            i_OPMODE=self._opmode(m),
            i_CARRYIN=ZERO,
            i_PCIN=self.link_in if linked else Const(0, 48),
            o_P=p,
            **self.others(),
            **(open_pins("PCOUT") if config.last else {"o_PCOUT": self.link_out}),
            **open_pins(*self.unused),
        )
        return m


class Dsp48e(Dsp48):
    """DSP48E and its successors: an ALU mode, two enables for each operand, cascades of both."""

    a_bits = 30
    unused: ClassVar[tuple[str, ...]] = (
        *("ACOUT", "BCOUT", "CARRYCASCOUT", "CARRYOUT", "MULTSIGNOUT"),
        *("OVERFLOW", "PATTERNBDETECT", "PATTERNDETECT", "UNDERFLOW"),
    )

    def pipeline(self, a: int, b: int) -> dict[str, object]:
        return {
            **super().pipeline(a, b),
            "p_ACASCREG": a,
            "p_BCASCREG": b,
            "p_A_INPUT": "DIRECT",
            "p_B_INPUT": "DIRECT",
            "p_ALUMODEREG": 0,
            "p_CARRYINSELREG": 0,
        }

    def others(self) -> dict[str, object]:
        return {
            **{f"i_CE{name}": ONE for name in ("A1", "A2")},
            **{f"i_CE{name}": ZERO for name in ("B1", "ALUMODE")},
            "i_CEB2": self.a_enable,
            **{f"i_RST{name}": ZERO for name in ("ALLCARRYIN", "ALUMODE")},
            "p_USE_SIMD": "ONE48",
            "i_ACIN": Const(0, 30),
            "i_BCIN": Const(0, 18),
            "i_ALUMODE": Const(0, 4),
            "i_CARRYCASCIN": ZERO,
            "i_CARRYINSEL": Const(0, 3),
            "i_MULTSIGNIN": ZERO,
        }


def with_pre_adder(d_bits: int) -> dict[str, object]:
    """The pins of the unused pre-adder of DSP48E1 and DSP48E2.  d_bits: width of port D."""
    names = ("AD", "D", "INMODE")
    return {
        **{f"p_{name}REG": 0 for name in names},
        **{f"i_CE{name}": ZERO for name in names},
        **{f"i_RST{name}": ZERO for name in names[1:]},
        "i_D": Const(0, d_bits),
        "i_INMODE": Const(0, 5),
    }


# The pass xilinx_dsp mistakes an instantiated block for one of its own without registers: it
# removes two registers in front of A and adds one.  Therefore these blocks are hidden from it.
_HIDDEN = """
synth_xilinx -family {family} {options} -top {{top}} -run begin:map_dsp
chtype -set $__block t:{cell}
synth_xilinx -family {family} {options} -top {{top}} -run map_dsp:coarse
chtype -set {cell} t:$__block
synth_xilinx -family {family} {options} -top {{top}} -run coarse:map_cells
{between}
synth_xilinx -family {family} {options} -top {{top}} -run map_cells:
"""


def synthesis(family: str, cell: str, options: str = "", between: str = "") -> str:
    """Yosys commands for a family whose blocks are `cell`: the core alone, out of context.

    between: commands before fine-grained cells are mapped to those of the chip."""
    options = f"-flatten -noiopad -noclkbuf {options}".strip()
    return _HIDDEN.format(family=family, cell=cell, options=options, between=between)
