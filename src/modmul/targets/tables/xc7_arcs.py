"""Xilinx 7 series: timing arcs of the cells of `synth_xilinx -family xc7`.

Delays in ps as in the `specify` blocks of Yosys' models of these cells (share/xilinx/cells_sim.v,
Yosys 0.70), which quote the maxima of Project X-Ray for an xc7a50t-1.  `known=False`: the models
say nothing, and a like cell's is taken.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from modmul.targets.arcs import Arc, ArcDelays, CellArcs, FamilyArcs, Kind, number, register

DELAYS = ArcDelays(
    source="Yosys 0.70, xilinx/cells_sim.v (Project X-Ray, maxima of Artix-7)",
    speed="1",
    net_ns=0.5,
    net_source="FloPoCo, src/Targets/Kintex7.hpp and Zynq7000.hpp: typicalLocalRoutingDelay",
)

_LUT6 = (642, 631, 472, 407, 238, 127)  # from I0 to I5; a smaller LUT has the last of these

# Delays to each output: from CI, from CYINIT, from each DI, from each S.
_CARRY4 = {
    "O[0]": (222, 482, (), (223,)),
    "O[1]": (334, 598, (407,), (400, 205)),
    "O[2]": (239, 584, (556, 537), (523, 558, 226)),
    "O[3]": (313, 642, (615, 596, 438), (582, 618, 330, 227)),
    "CO[0]": (271, 536, (379,), (340,)),
    "CO[1]": (157, 494, (465, 445), (433, 469)),
    "CO[2]": (228, 592, (540, 520, 356), (512, 548, 292)),
    "CO[3]": (114, 580, (526, 507, 398, 385), (508, 528, 378, 380)),
}

# Distributed RAM: setup of write addresses (a smaller memory has the last of these), data, enable
_WRITE, _DATA, _ENABLE = (616, 362, 245, 208, 147, 68, 66), 453, 654
_WRITTEN = 1153  # from the clock to an output that shows the word written
_SINGLE = (642, 632, 472, 407, 238, 127)  # from SPO's read address; other outputs are as a LUT's
# What multiplexers behind the LUTs add after writing and after reading; delays from their selects
_PLAIN = (0, 0)
_F7A, _F7B = (217 + 175, 193 + 175, 276 + 175), (223 + 174, 223 + 174, 296 + 174)
_F8 = (223 + 104 + 192, 223 + 104 + 192, 296 + 104 + 192, 273 + 192)
_QUAD: dict[str, dict[str, tuple[int, ...]]] = {
    "RAM32M": {
        "A": (453, 384, 1153, 1188),
        "B": (461, 354, 1161, 1187),
        "C": (457, 375, 1158, 1180),
        "D": (310, 334, 1163, 1190),
    },
    "RAM64M": {"A": (384, 1153), "B": (354, 1161), "C": (375, 1158), "D": (310, 1163)},
}


def _ps(start: str | None, end: str | None, ps: int, bits: int = 0, known: bool = True) -> Arc:
    return Arc(start, end, ps / 1000, bits, known)


def _lut(inputs: int) -> CellArcs:
    pins = enumerate(_LUT6[-inputs:])
    return CellArcs("lut", tuple(_ps(f"I{k}", "O", ps) for k, ps in pins))


def _carry4() -> CellArcs:
    arcs = []
    for output, (carry, first, data, select) in _CARRY4.items():
        bits = int(output[-2]) + 1
        arcs += [_ps("CI", output, carry, bits), _ps("CYINIT", output, first, bits)]
        for pin, delays in (("DI", data), ("S", select)):
            arcs += [_ps(f"{pin}[{k}]", output, ps, bits - k) for k, ps in enumerate(delays)]
    return CellArcs("carry", tuple(arcs), {"CI": ("carry",), "S": ("lut",)})


def _mux(from_0: int, from_1: int, select: int, near: Kind) -> CellArcs:
    arcs = (_ps("I0", "O", from_0), _ps("I1", "O", from_1), _ps("S", "O", select))
    return CellArcs("mux", arcs, {"I0": (near,), "I1": (near,)})


def _flip_flop(reset: str) -> CellArcs:
    return register("Q", {"D": 0.0, "CE": 0.109, reset: 0.404}, 0.303, near=("D",))


def _shifter(address: Sequence[str], outputs: Mapping[str, int], enable_known: bool) -> CellArcs:
    arcs = [_ps("D", None, 173), _ps("CE", None, 109, known=enable_known)]
    arcs += [_ps(None, output, ps) for output, ps in outputs.items()]
    reads = zip(address, _LUT6[-1 - len(address) : -1], strict=True)
    return CellArcs("lut", (*arcs, *(_ps(pin, "Q", ps) for pin, ps in reads)))


def _quad(name: str, bits: int) -> CellArcs:
    """Arcs of four memories of 32 x 2 or 64 x 1 bits, written at the last one's address."""
    write = zip((f"ADDRD[{k}]" for k in range(bits)), _WRITE[-bits:], strict=True)
    arcs = [_ps("WE", None, _ENABLE), *(_ps(pin, None, ps) for pin, ps in write)]
    for port, figures in _QUAD[name].items():
        width = len(figures) // 2
        for k in range(width):
            index = f"[{k}]" if width > 1 else ""
            arcs += [_ps(f"DI{port}{index}", None, figures[k])]
            arcs += [_ps(None, f"DO{port}{index}", figures[width + k])]
        for k in range(bits):  # the models leave out the sixth address bit
            arcs.append(_ps(f"ADDR{port}[{k}]", f"DO{port}", _LUT6[k], known=k < 5))
    return CellArcs("lut", tuple(arcs))


def _memory(
    write: Sequence[str],
    reads: Mapping[str, tuple[Sequence[str], Sequence[int], tuple[int, ...]]],
    known: bool = True,
) -> CellArcs:
    """The arcs of a memory of one bit a word.

    reads: for each output its address from bit 0, the delays from the first six bits, and what the
    multiplexers behind the LUTs add (as _F7A)."""
    arcs = [_ps("D", None, _DATA, known=known), _ps("WE", None, _ENABLE, known=known)]
    setups = zip(reversed(write), (*reversed(_WRITE), _WRITE[0]), strict=False)
    arcs += [_ps(pin, None, ps, known=known) for pin, ps in setups]
    for output, (address, delays, (late, behind, *selects)) in reads.items():
        arcs.append(_ps(None, output, _WRITTEN + late, known=known))
        lut = [ps + behind for ps in delays[: min(len(address), 6)]]
        by_pin = zip(address, [*lut, *selects], strict=True)
        arcs += [_ps(pin, output, ps, known=known) for pin, ps in by_pin]
    return CellArcs("lut", tuple(arcs))


def _pins(name: str, count: int) -> list[str]:
    return [f"{name}{k}" for k in range(count)]


def _bits(name: str, count: int) -> list[str]:
    return [f"{name}[{k}]" for k in range(count)]


def _dual(bits: int) -> CellArcs:
    a, b = _pins("A", bits), _pins("DPRA", bits)
    return _memory(a, {"SPO": (a, _SINGLE, _PLAIN), "DPO": (b, _LUT6, _PLAIN)})


def _single(address: list[str], *behind: int) -> CellArcs:
    """The arcs of a memory with one port.  The models have no delays for it: those of one
    port of two are taken."""
    return _memory(address, {"O": (address, _LUT6, behind or _PLAIN)}, known=False)


def _dsp48e1(parameters: Mapping[str, Any]) -> CellArcs:
    """Paths of a multiplier, with or without C, without pre-adder and pattern detector."""
    a, b, c, m, p = (number(parameters.get(f"{name}REG", 1)) for name in "ABCMP")
    arcs = [
        *_entry("A", ((a, 254), (m, 1416), (p, 2739)), 2823, 2970),
        *_entry("B", ((b, 324), (m, 1285), (p, 2608)), 2690, 2838),
        *_entry("C", ((c, 168), (p, 1244)), 1325, 1474),
        *_entry("PCIN", ((p, 1025),), 1107, 1255),
    ]
    starts = ((p, 329, 435), (c, 1687, 1835), (m, 1671, 1819), (a, 2952, 3098), (b, 2813, 2960))
    for stages, to_p, to_cascade in starts:
        if stages:
            arcs += [_ps(None, "P", to_p), _ps(None, "PCOUT", to_cascade)]
            break
    return CellArcs("dsp", (*arcs, *_controls(_DSP_CONTROLS)), {"PCIN": ("dsp",)})


def _entry(pin: str, registers: Sequence[tuple[int, int]], to_p: int, to_cascade: int) -> list[Arc]:
    """The arcs of a data pin: setup at the first register in use, or ways to the outputs."""
    for stages, setup in registers:
        if stages:
            return [_ps(pin, None, setup)]
    return [_ps(pin, "P", to_p), _ps(pin, "PCOUT", to_cascade)]


def _block_ram(parameters: Mapping[str, Any]) -> CellArcs:
    arcs = [_ps(pin, None, ps) for pin, ps in _BLOCK_RAM_SETUP.items()]
    for port in "AB":
        ps = 882 if number(parameters.get(f"DO{port}_REG", 0)) else 2454
        arcs += [_ps(None, f"DO{port}DO", ps), _ps(None, f"DOP{port}DOP", ps)]
    return CellArcs("ram", (*arcs, *_controls("ENARDEN ENBWREN RSTRAMARSTRAM RSTRAMB")))


def _controls(pins: str) -> list[Arc]:
    """Arcs for pins without a setup time in the models, which counts as 0."""
    return [_ps(pin, None, 0, known=False) for pin in pins.split()]


_DSP_CONTROLS = (
    "D OPMODE ALUMODE INMODE CARRYIN CARRYINSEL CEA1 CEA2 CEAD CEALUMODE CEB1 CEB2 CEC CECARRYIN "
    "CECTRL CED CEINMODE CEM CEP RSTA RSTALLCARRYIN RSTALUMODE RSTB RSTC RSTCTRL RSTD RSTINMODE "
    "RSTM RSTP"
)
_BLOCK_RAM_SETUP = {
    **dict.fromkeys(("ADDRARDADDR", "ADDRBWRADDR"), 566),
    **dict.fromkeys(("WEA", "WEBWE"), 532),
    **dict.fromkeys(("DIADI", "DIBDI", "DIPADIP", "DIPBDIP"), 737),
    **dict.fromkeys(("REGCEAREGCE", "REGCEB"), 360),
    **dict.fromkeys(("RSTREGARSTREG", "RSTREGB"), 342),
}
_RAM128 = {
    "SPO": (_bits("A", 7), _LUT6, _F7A),
    "DPO": (_bits("DPRA", 7), _LUT6, _F7B),
}
_RESETS = {"FDRE": "R", "FDSE": "S", "FDCE": "CLR", "FDPE": "PRE"}

ARCS = FamilyArcs(
    cells={
        **{f"LUT{inputs}": _lut(inputs) for inputs in range(1, 7)},
        "INV": CellArcs("lut", (_ps("I", "O", _LUT6[-1]),)),
        "CARRY4": _carry4(),
        "MUXF7": _mux(217, 223, 296, "lut"),
        "MUXF8": _mux(104, 94, 273, "mux"),
        **{
            f"{name}{edge}": _flip_flop(reset)
            for name, reset in _RESETS.items()
            for edge in ("", "_1")
        },
        "SRL16E": _shifter(_pins("A", 4), {"Q": 1472}, enable_known=False),
        "SRLC32E": _shifter(_bits("A", 5), {"Q": 1472, "Q31": 1114}, enable_known=True),
        "RAM32M": _quad("RAM32M", 5),
        "RAM64M": _quad("RAM64M", 6),
        "RAM32X1D": _dual(5),
        "RAM64X1D": _dual(6),
        "RAM128X1D": _memory(_bits("A", 7), _RAM128),
        "RAM32X1S": _single(_pins("A", 5)),
        "RAM64X1S": _single(_pins("A", 6)),
        "RAM128X1S": _single(_pins("A", 7), *_F7B),
        "RAM256X1S": _single(_bits("A", 8), *_F8),
        "DSP48E1": _dsp48e1,
        "RAMB18E1": _block_ram,
        "RAMB36E1": _block_ram,
    },
    delays=DELAYS,
)
