"""Lattice ECP5: 18 x 18 multipliers whose sums go to fabric, and block RAM.

Yosys leaves the registers of an inferred MULT18X18D in fabric, and the output register of an
inferred block RAM, whose words come 3.5 ns later without it; so both are instantiated here.
"""

from collections.abc import Sequence

from amaranth.hdl import Cat, ClockSignal, Const, Instance, Module, Signal, Value

from modmul.targets.description import DspBlock, Target
from modmul.targets.fabric_mac import FabricMac
from modmul.targets.memories import BlockMemory, MemoryWrite
from modmul.targets.primitives import ONE, ZERO, HardMultiplier, open_pins
from modmul.targets.tables import ecp5 as tables

# These pins stay open: nextpnr cannot route a constant to some of them, and a constant on a clock,
# an enable or a reset that no register uses would cost wires.
_UNUSED = (
    *(f"{bus}{k}" for bus in ("C", "SRIA", "SRIB", "SROA", "SROB") for k in range(18)),
    *(f"{bus}{k}" for bus in ("ROA", "ROB", "ROC") for k in range(18)),
    *("CLK1", "CLK2", "CLK3", "RST2", "RST3", "CE2", "CE3", "SIGNEDP"),
)


class Mult18x18d(HardMultiplier):
    """One MULT18X18D, with input, pipeline and output registers according to `registers`."""

    def place(
        self, m: Module, a: Value, b: Value, a_enable: Value = ONE, a_clear: Value = ZERO
    ) -> Value:
        product = Signal(len(a) + len(b), name=self.name)
        clock = {True: "CLK0", False: "NONE"}
        inputs = clock[self.registers >= 2]
        pins: dict[str, object] = {}
        for port, value in (("A", a), ("B", b)):
            operand = Cat(value, Const(0, 18 - len(value)))
            pins |= {f"i_{port}{k}": operand[k] for k in range(18)}
        m.submodules[f"{self.name}_block"] = Instance(
            "MULT18X18D",
            p_REG_INPUTA_CLK=inputs,
            p_REG_INPUTA_CE="CE1",
            p_REG_INPUTA_RST="RST1",
            p_REG_INPUTB_CLK=inputs,
            **({"p_REG_INPUTB_RST": "RST1"} if self.clears_b else {}),
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


_UNIT = 18  # bits of a unit of the content; a word of 36 bits is two units, the lower one first
_UNITS = 1024
_BYTE = 9  # bits of a byte; two words of four bits or four words of two bits use eight of them
_DEPTHS = {36: 512, 18: 1024, 9: 2048, 4: 4096, 2: 8192}  # words, by the bits of a word read


class Pdpw16kd(BlockMemory):
    """PDPW16KD blocks side by side, each with 36 bits of 512 words.

    A longer memory with constant content takes 18 bits of 1024 words from each block, 9 bits of
    2048, 4 bits of 4096, or 2 bits of 8192.  Other deep memories are left to inference."""

    note = "Where a PDPW16KD reads 36 bits, DO0 to DO17 are the upper half."

    def place(
        self, m: Module, address: Value, write: MemoryWrite | None, advance: Value = ONE
    ) -> Value:
        wide = next((wide for wide, depth in _DEPTHS.items() if self.depth <= depth), 0)
        if not wide or (write is not None and wide < 2 * _UNIT):
            return super().place(m, address, write, advance)
        word = Signal(self.width, name="read_word")
        for low in range(0, self.width, wide):
            part = word[low : low + wide]
            pins = self._reads(address, part, wide, advance)
            pins |= self._writes(write, low) if write else self._content(low, wide)
            m.submodules[f"ram_{low // wide}"] = Instance(
                "PDPW16KD",
                p_DATA_WIDTH_W=2 * _UNIT,
                p_DATA_WIDTH_R=wide,
                p_REGMODE="OUTREG",
                p_RESETMODE="SYNC",
                p_GSR="DISABLED",
                i_CLKW=ClockSignal(),
                i_CLKR=ClockSignal(),
                i_RST=ZERO,
                **{f"i_{select}{k}": ZERO for select in ("CSW", "CSR") for k in range(3)},
                **pins,
            )
        return word

    @staticmethod
    def _reads(address: Value, word: Value, wide: int, advance: Value) -> dict[str, object]:
        """The pins of the read port."""
        first = 14 - (_DEPTHS[wide] - 1).bit_length()
        turned = _UNIT if wide > _UNIT else 0
        bits = {(k + turned) % wide: bit for k, bit in enumerate(word)}
        pins: dict[str, object] = {"i_CER": advance, "i_OCER": advance}
        pins |= {f"i_ADR{k}": ZERO for k in range(14)}
        pins |= {f"i_ADR{first + k}": bit for k, bit in enumerate(address)}
        pins |= {f"o_DO{k}": bit for k, bit in bits.items()}
        return pins | open_pins(*(f"DO{k}" for k in range(2 * _UNIT) if k not in bits))

    @staticmethod
    def _writes(write: MemoryWrite, low: int) -> dict[str, object]:
        data = write.data[low : low + 2 * _UNIT]
        pins: dict[str, object] = {"i_CEW": write.enable}
        pins |= {f"i_BE{k}": ONE for k in range(4)}
        pins |= {
            f"i_ADW{k}": write.address[k] if k < len(write.address) else ZERO for k in range(9)
        }
        return pins | {f"i_DI{k}": data[k] if k < len(data) else ZERO for k in range(2 * _UNIT)}

    def _content(self, low: int, wide: int) -> dict[str, object]:
        """The pins of an unused write port, and the parameters with the block's content."""
        pins: dict[str, object] = {"i_CEW": ZERO}
        for bus, count in (("BE", 4), ("ADW", 9), ("DI", 2 * _UNIT)):
            pins |= {f"i_{bus}{k}": ZERO for k in range(count)}
        return pins | {
            f"p_{name}": Const(value, 320) for name, value in initial(self.init, low, wide).items()
        }


def initial(words: Sequence[int], low: int, wide: int) -> dict[str, int]:
    """The parameters INITVAL of a block with words of `wide` bits, taken from bit `low` of
    the given words on; parameters that are 0 are left out.  A parameter has 16 units of 18 bits,
    each at a multiple of 20 bits."""
    several = _BYTE // wide or 1  # words in a byte, if they are narrower than a byte
    apart = max(wide, _BYTE)
    content = sum(
        (word >> low & (1 << wide) - 1) << apart * (k // several) + wide * (k % several)
        for k, word in enumerate(words)
    )
    count = -(-content.bit_length() // _UNIT)
    units = [content >> _UNIT * k & (1 << _UNIT) - 1 for k in range(count)]
    rows = [units[start : start + 16] for start in range(0, len(units), 16)]
    values = {
        f"INITVAL_{place:02X}": sum(unit << 20 * k for k, unit in enumerate(row))
        for place, row in enumerate(rows)
    }
    return {name: value for name, value in values.items() if value}


class Ecp5Mac(FabricMac):
    """{operation}: a MULT18X18D, and the adder and the register of p in fabric."""

    block = Mult18x18d


# -no-rw-check: no design uses a word that was read in the cycle in which it was written (a test
# makes such reads return garbage).  -nowidelut: the few wide multiplexers cost less in plain LUTs.
# The last phase of synth_ecp5 checks and gives names, which grow with the depth of the logic to
# many kilobytes.  It is left out, but for the second line below.
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
    models=("mult18x18d.v", "pdpw16kd.v"),
    mac_block=Ecp5Mac,
    multiplier_block=Mult18x18d,
    memory_block=Pdpw16kd,
)
