"""Lattice ECP5: cells of `synth_ecp5`, devices of nextpnr-ecp5, limits of the hard blocks.

Area in LUT4: a CCU2C takes the place of two, a 16 x 4 distributed RAM of four.
Sizes are those of nextpnr's own data; pins are counted in its package tables.
"""

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

# nextpnr checks none of these.  The block RAM's follow from the smallest pulse width of its clock
# (high and low) in the timing data that nextpnr is built from; 272 MHz is also what people quote
# from the data sheet, which could not be opened.
_SHEET = "data sheet FPGA-DS-02012, quoted from memory"
_PULSE_NS = {"8": 1.842, "7": 1.967, "6": 2.359}
LIMITS = (
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
_CODES = {"CABGA": "BG", "CSFBGA": "MG", "TQFP": "TG"}  # of the vendor's part numbers
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
    found = []
    for family, speeds in _FAMILIES.items():
        for size, packages in _PINS.items():
            # the 12F is sold as half of a 25F, and nextpnr lets all of it be used
            sold = (size, "12") if size == "25" and family == "LFE5U" else (size,)
            # the smallest package comes without transceivers only
            small = {"TQFP144": 98} if size != "85" and family == "LFE5U" else {}
            for sold_as in sold:
                for package, pins in {**packages, **small}.items():
                    found += [
                        _part(family, size, sold_as, package, pins, speed) for speed in speeds
                    ]
    return found


DEVICES = tuple(_devices())
