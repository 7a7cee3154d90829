"""Xilinx Virtex-4 (LX): cells of `synth_xilinx -family xc4v`, their delays, devices, limits.

Area in LUTs of four inputs, two of them in a slice: a RAM16X1D takes two, a RAM32X1S two, a
RAM64X1S four, a shift register one.  Carry cells and wide multiplexers stand beside the LUTs.
"""

from collections.abc import Mapping
from typing import Any

from modmul.targets.arcs import Arc, ArcDelays, CellArcs, FamilyArcs, Kind, number, register
from modmul.targets.description import CellArea, Device, Limit
from modmul.targets.tables.dsp48_arcs import DspPaths

BLOCK_RAM_BITS = 18 * 1024

_LUT, _FF = CellArea(lut=1), CellArea(ff=1)
_RESETS = {"FDRE": "R", "FDSE": "S", "FDCE": "CLR", "FDPE": "PRE"}
_FLIP_FLOPS = {f"{name}{edge}": pin for name, pin in _RESETS.items() for edge in ("", "_1")}
_MUXES = ("MUXF5", "MUXF6", "MUXF7", "MUXF8")
CELLS = {
    **{f"LUT{inputs}": _LUT for inputs in range(1, 5)},
    "INV": _LUT,
    **dict.fromkeys(("SRL16", "SRL16E"), _LUT),
    "RAM16X1S": _LUT,
    **dict.fromkeys(("RAM16X1D", "RAM32X1S"), CellArea(lut=2)),
    "RAM64X1S": CellArea(lut=4),
    **dict.fromkeys(_FLIP_FLOPS, _FF),
    **dict.fromkeys(("MUXCY", "XORCY", *_MUXES), CellArea()),
    "DSP48": CellArea(dsp=1),
    "RAMB16": CellArea(ram_blocks=1, ram_bits=BLOCK_RAM_BITS),
}

_SHEET = "data sheet DS302, quoted from memory"
_PAPER = "gallin2019 (doi 10.1109/TC.2019.2920352), Table I, for the XC4VLX100"
LIMITS = (
    Limit("DSP48", 500.0, _PAPER, verified=True, speed="12"),
    *(
        Limit(block, mhz, f"{_SHEET}: grade {speed}", verified=False, speed=speed)
        for block in ("RAMB16", "clock")
        for speed, mhz in (("12", 500.0), ("11", 450.0), ("10", 400.0))
    ),
)

# Rows of clock regions, columns of CLBs and of block RAMs, grades, user pins of each package.
# All but the pins are the layout of the bitstream in BYU RapidSmith (V4PartLibrary.java); a region
# has 16 CLBs of 8 LUTs in a column, 4 block RAMs in a column, 8 DSP48 in the only such column.  The
# sums are those of data sheet DS112, and so are the pins: from memory.
_PARTS = {
    "200": (12, 116, 7, "11 10", {"FF1513": 960}),
    "160": (12, 88, 6, "12 11 10", {"FF1513": 960, "FF1148": 768}),
    "100": (12, 64, 5, "12 11 10", {"FF1513": 960, "FF1148": 768}),
    "80": (10, 56, 5, "12 11 10", {"FF1148": 768}),
    "60": (8, 52, 5, "12 11 10", {"FF1148": 640, "FF668": 448}),
    "40": (8, 36, 3, "12 11 10", {"FF1148": 640, "FF668": 448}),
    "25": (6, 28, 3, "12 11 10", {"FF668": 448, "FF676": 448, "SF363": 240}),
    "15": (4, 24, 3, "12 11 10", {"FF668": 320, "FF676": 320, "SF363": 240}),
}
DEVICES = tuple(
    Device(
        f"XC4VLX{size}-{speed}{package}",
        package,
        speed,
        luts=rows * columns * 16 * 8,
        dsps=rows * 8,
        ram_blocks=rows * memories * 4,
        pins=pins,
        ffs=rows * columns * 16 * 8,
        slices=rows * columns * 16 * 4,
    )
    for size, (rows, columns, memories, speeds, packages) in _PARTS.items()
    for speed in speeds.split()
    for package, pins in packages.items()
)

# In ns, grade 12.  The first line is from FloPoCo; the others are DS302's, from memory, rounded.
_LUT_NS, _CARRY_IN, _CARRY_BIT, _SUM, _MUX, _CLOCK_TO_Q, _SETUP = (
    0.147,
    0.278,
    0.034,
    0.273,
    0.291,
    0.272,
    0.017,
)
_ENABLE, _RESET, _WRITE, _WRITTEN = 0.4, 0.55, 0.4, 1.5
_BLOCK_SETUP, _BLOCK_SLOW, _BLOCK_FAST = 0.35, 1.65, 0.7

DELAYS = ArcDelays(
    source="FloPoCo, src/Targets/Virtex4.hpp; what is not there: DS302 from memory",
    speed="12",
    net_ns=0.436,
    net_source="FloPoCo, src/Targets/Virtex4.hpp: slice2sliceDelay",
)


def _through(kind: Kind, pins: str, ns: float, known: bool = True) -> CellArcs:
    """A path from each pin to O."""
    return CellArcs(kind, tuple(Arc(pin, "O", ns, verified=known) for pin in pins.split()))


def _mux(near: Kind, known: bool) -> CellArcs:
    arcs = tuple(Arc(pin, "O", _MUX, verified=known and pin != "S") for pin in ("I0", "I1", "S"))
    return CellArcs("mux", arcs, {"I0": (near,), "I1": (near,)})


def _memory(outputs: Mapping[str, str], address: str, data: str) -> CellArcs:
    """Arcs of distributed RAM or a shift register.  outputs: each with its read address."""
    arcs = [Arc(pin, None, _WRITE, verified=False) for pin in f"{address} {data}".split()]
    for output, reads in outputs.items():
        arcs.append(Arc(None, output, _WRITTEN, verified=False))
        arcs += [Arc(pin, output, _LUT_NS, verified=False) for pin in reads.split()]
    return CellArcs("lut", tuple(arcs))


def _block_ram(parameters: Mapping[str, Any]) -> CellArcs:
    arcs = []
    for port in "AB":
        inputs = f"ADDR{port} DI{port} DIP{port} EN{port} WE{port} SSR{port} REGCE{port}"
        arcs += [Arc(pin, None, _BLOCK_SETUP, verified=False) for pin in inputs.split()]
        ns = _BLOCK_FAST if number(parameters.get(f"DO{port}_REG", 0)) else _BLOCK_SLOW
        for output in (f"DO{port}", f"DOP{port}", f"CASCADEOUT{port}"):
            arcs.append(Arc(None, output, ns, verified=False))
        arcs.append(Arc(f"CASCADEIN{port}", None, _BLOCK_SETUP, verified=False))
    return CellArcs("ram", tuple(arcs))


_A4, _D4 = "A0 A1 A2 A3", "DPRA0 DPRA1 DPRA2 DPRA3"
_A5, _A6 = f"{_A4} A4", f"{_A4} A4 A5"
_DSP_CONTROLS = (
    "BCIN CARRYIN CARRYINSEL CEA CEB CEC CECARRYIN CECINSUB CECTRL CEM CEP OPMODE RSTA RSTB RSTC "
    "RSTCARRYIN RSTCTRL RSTM RSTP SUBTRACT"
)
# FloPoCo's DSPMultiplierDelay and DSPAdderDelay; setup and clock to P are DS302's, from memory
_DSP = DspPaths(
    _DSP_CONTROLS, multiply=2.954, add=1.82, setup=0.3, out=0.63, known=("multiply", "add")
)
ARCS = FamilyArcs(
    cells={
        **{
            f"LUT{inputs}": _through("lut", " ".join(f"I{k}" for k in range(inputs)), _LUT_NS)
            for inputs in range(1, 5)
        },
        "INV": _through("lut", "I", _LUT_NS),
        "MUXCY": CellArcs(
            "carry",
            (
                Arc("CI", "O", _CARRY_BIT, bits=1),
                Arc("S", "O", _CARRY_IN, bits=1),
                Arc("DI", "O", _CARRY_IN, bits=1, verified=False),  # taken as from S
            ),
            {"CI": ("carry",), "S": ("lut",)},
        ),
        "XORCY": CellArcs(
            "carry",
            (
                Arc("CI", "O", _SUM, bits=1),
                Arc("LI", "O", _SUM, bits=1, verified=False),  # taken as from CI
            ),
            {"CI": ("carry",), "LI": ("lut",)},
        ),
        "MUXF5": _mux("lut", known=True),
        **{name: _mux("mux", known=False) for name in _MUXES[1:]},  # taken as MUXF5
        **{
            name: register(
                "Q",
                {"D": _SETUP, "CE": _ENABLE, reset: _RESET},
                _CLOCK_TO_Q,
                near=("D",),
                guessed=f"CE {reset}",
            )
            for name, reset in _FLIP_FLOPS.items()
        },
        "SRL16": _memory({"Q": _A4}, "", "D"),
        "SRL16E": _memory({"Q": _A4}, "", "D CE"),
        "RAM16X1S": _memory({"O": _A4}, _A4, "D WE"),
        "RAM32X1S": _memory({"O": _A5}, _A5, "D WE"),
        "RAM64X1S": _memory({"O": _A6}, _A6, "D WE"),
        "RAM16X1D": _memory({"SPO": _A4, "DPO": _D4}, _A4, "D WE"),
        "RAMB16": _block_ram,
        "DSP48": _DSP,
    },
    delays=DELAYS,
)
