"""Lattice ECP5: cells of `synth_ecp5`, devices of nextpnr-ecp5, limits of the hard blocks.

Area in LUT4: a CCU2C takes the place of two, a 16 x 4 distributed RAM of four.
Sizes are those of nextpnr's own data; pins are counted in its package tables.
Arcs are without delays: they are there to count LUTs in series, the clock is the router's.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from modmul.targets.arcs import Arc, CellArcs, FamilyArcs, Kind
from modmul.targets.description import CellArea, Device, Limit

BLOCK_RAM_BITS = 18 * 1024

CELLS = {
    "LUT4": CellArea(lut=1),
    "CCU2C": CellArea(lut=2),
    "TRELLIS_DPR16X4": CellArea(lut=4),
    "PFUMX": CellArea(),
    "L6MUX21": CellArea(),
    "TRELLIS_FF": CellArea(ff=1),
    "MULT18X18D": CellArea(dsp=1),
    "DP16KD": CellArea(ram_blocks=1, ram_bits=BLOCK_RAM_BITS),
    "PDPW16KD": CellArea(ram_blocks=1, ram_bits=BLOCK_RAM_BITS),
}

# nextpnr checks none of these limits.  That of the block RAM follows from the smallest pulse width
# of its clock (high and low) in the timing data that nextpnr is built from; 272 MHz is also what
# others quote from the data sheet, which could not be opened.
_SHEET = "data sheet FPGA-DS-02012, quoted from memory"
_PULSE_NS = {"8": 1.842, "7": 1.967, "6": 2.359}
LIMITS = (
    # with fewer registers in use the limit is lower, and not known here
    Limit("MULT18X18D", 225.0, f"{_SHEET}: grade 8, 18x18, all registers", verified=False),
    *(
        Limit(
            cell,
            round(500 / pulse, 1),
            f"Project Trellis, timing/speed_{speed}/cells.json: DP16KD clock width {pulse} ns",
            verified=True,
            speed=speed,
        )
        for cell in ("DP16KD", "PDPW16KD")
        for speed, pulse in _PULSE_NS.items()
    ),
    Limit("clock", 370.0, f"{_SHEET}: grade 8, primary clock net", verified=False),
)

# size: LUTs, multipliers, block RAMs; user pins of each package, largest package first
_SIZES = {"85": (83640, 156, 208), "45": (43848, 72, 108), "25": (24288, 28, 56)}
_PINS = {
    "85": {"CABGA756": 365, "CABGA554": 259, "CABGA381": 205, "CSFBGA285": 118},
    "45": {"CABGA554": 245, "CABGA381": 203, "CABGA256": 197, "CSFBGA285": 118},
    "25": {"CABGA381": 197, "CABGA256": 197, "CSFBGA285": 118},
}
_CODES = {"CABGA": "BG", "CSFBGA": "MG", "TQFP": "TG"}  # packages in the vendor's part numbers
_FAMILIES = {"LFE5U": ("8", "7", "6"), "LFE5UM": ("8", "7", "6"), "LFE5UM5G": ("8",)}


def _part(family: str, size: str, sold_as: str, package: str, pins: int, speed: str) -> Device:
    letters = package.rstrip("0123456789")
    code = _CODES[letters] + package.removeprefix(letters)
    kind = family.removeprefix("LFE5").lower()
    chip = f"--{sold_as}k" if kind == "u" else f"--{kind}-{sold_as}k"
    return Device(
        f"{family}-{sold_as}F-{speed}{code}",
        package,
        speed,
        *_SIZES[size],
        pins,
        (chip, "--package", package, "--speed", speed),
    )


def _devices() -> list[Device]:
    devices = []
    for family, speeds in _FAMILIES.items():
        for size, packages in _PINS.items():
            # the 12F is sold as half of a 25F, and nextpnr lets all of it be used
            sold = (size, "12") if size == "25" and family == "LFE5U" else (size,)
            # the smallest package comes without transceivers only
            small = {"TQFP144": 98} if size != "85" and family == "LFE5U" else {}
            for sold_as in sold:
                for package, pins in {**packages, **small}.items():
                    devices += [
                        _part(family, size, sold_as, package, pins, speed) for speed in speeds
                    ]
    return devices


DEVICES = tuple(_devices())


def _through(
    kind: Kind, inputs: str, output: str, near: Mapping[str, Kind] | None = None
) -> CellArcs:
    """A path from each input to the output.  near: inputs driven inside a slice, by cells of
    one kind."""
    arcs = tuple(Arc(pin, output) for pin in inputs.split())
    return CellArcs(kind, arcs, {pin: (other,) for pin, other in (near or {}).items()})


def _carry() -> CellArcs:
    """The paths of two bits: LUTs and carries of A0 to D0, then of A1 to D1."""
    arcs = []
    for letter in "ABCD":
        arcs += [Arc(f"{letter}0", "S0", bits=1), Arc(f"{letter}1", "S1", bits=1)]
        arcs += [Arc(f"{letter}0", "S1", bits=2), Arc(f"{letter}0", "COUT", bits=2)]
        arcs.append(Arc(f"{letter}1", "COUT", bits=1))
    ends = (("S0", 1), ("S1", 2), ("COUT", 2))
    arcs += [Arc("CIN", output, bits=bits) for output, bits in ends]
    return CellArcs("carry", tuple(arcs), {"CIN": ("carry",)})


def _registered(kind: Kind, inputs: str, outputs: str, near: str = "") -> CellArcs:
    """Arcs of inputs that end paths and of outputs that begin them."""
    arcs = [*(Arc(pin, None) for pin in inputs.split())]
    arcs += [Arc(None, pin) for pin in outputs.split()]
    inside: tuple[Kind, ...] = ("lut", "carry", "mux")
    return CellArcs(kind, tuple(arcs), dict.fromkeys(near.split(), inside))


def _row(name: str, count: int) -> str:
    return " ".join(f"{name}{k}" for k in range(count))


def _multiplier(parameters: Mapping[str, Any]) -> CellArcs:
    """The arcs of a MULT18X18D: an operand has a path to P if no register is on the way."""
    inner = ("PIPELINE", "OUTPUT")
    registers = {k for k in ("INPUTA", "INPUTB", *inner) if _clocked(parameters, k)}
    begins = bool(registers)
    behind = not registers.isdisjoint(inner)
    arcs = [Arc(None, pin) for pin in _row("P", 36).split() if begins]
    for letter in "AB":
        ends = behind or f"INPUT{letter}" in registers
        for pin in _row(letter, 18).split():
            arcs += [Arc(pin, None)] if ends else [Arc(pin, f"P{k}") for k in range(36)]
    arcs += [Arc(pin, None) for pin in (_row("CE", 4) + " " + _row("RST", 4)).split()]
    return CellArcs("dsp", tuple(arcs))


def _clocked(parameters: Mapping[str, Any], register: str) -> bool:
    return str(parameters.get(f"REG_{register}_CLK", "NONE")) != "NONE"


def _block_ram_pins() -> Iterator[tuple[str, str, str]]:
    """Each type of block RAM with its inputs and its outputs."""
    sides = [
        f"{_row(f'AD{side}', 14)} {_row(f'DI{side}', 18)} {_row(f'CS{side}', 3)} CE{side} "
        f"OCE{side} WE{side} RST{side}"
        for side in "AB"
    ]
    yield "DP16KD", " ".join(sides), f"{_row('DOA', 18)} {_row('DOB', 18)}"
    rows = (("DI", 36), ("ADW", 9), ("ADR", 14), ("BE", 4), ("CSW", 3), ("CSR", 3))
    inputs = " ".join(_row(name, count) for name, count in rows)
    yield "PDPW16KD", f"{inputs} CEW CER OCER RST", _row("DO", 36)


ARCS = FamilyArcs(
    cells={
        "LUT4": _through("lut", "A B C D", "Z"),
        "CCU2C": _carry(),
        "PFUMX": _through("mux", "ALUT BLUT C0", "Z", {"ALUT": "lut", "BLUT": "lut"}),
        "L6MUX21": _through("mux", "D0 D1 SD", "Z", {"D0": "mux", "D1": "mux"}),
        "TRELLIS_FF": _registered("register", "DI M CE LSR", "Q", near="DI"),
        "TRELLIS_DPR16X4": CellArcs(
            "lut",
            (Arc("RAD", "DO"), Arc(None, "DO"), *(Arc(pin, None) for pin in ("DI", "WAD", "WRE"))),
        ),
        "MULT18X18D": _multiplier,
        **{name: _registered("ram", ins, outs) for name, ins, outs in _block_ram_pins()},
    },
)
