"""Area and clock of a processor for curves: its multiplier, and what stands around it."""

from __future__ import annotations

from modmul.forecast import Forecast, fabric
from modmul.processors.engine.hardware.build import EngineBuild
from modmul.processors.engine.instructions import instruction_set

# LUTs of four inputs, LUTs of six inputs, and flip-flops, fitted to `implement` with 256 and 384
# bits: of sequencer, host and the control of the adder together, of each bit of a beat, of each
# scalar, and of each bit of a scalar's words.
_CONTROL = (350, 190, 440)
_PER_BIT = (10.5, 7.0, 18.0)
_SCALAR = (20, 15, 40)
_SCALAR_BIT = (2.7, 1.5, 1.0)
# The same of converters, if the interconnect has whole operands: of each bit of a beat that is
# read, of a number that is written, and of the numbers that are gathered.
_SPLIT, _GATHERED, _GATHERS = (3, 2, 4), (2, 1, 0), (0, 0, 1)


def of(build: EngineBuild) -> Forecast:
    """The forecast: that of the multipliers, banks of registers with two copies for each
    port, constants, and programs.  The clock is that of the multiplier."""
    machine, units = build.machine, build.machine.multipliers
    core, chip = build.multiplier.forecast(), fabric(build.multiplier.chip)
    parts = [
        (_CONTROL, 1),
        (_PER_BIT, build.word * machine.ports),
        (_SCALAR, build.scalars),
        (_SCALAR_BIT, build.scalars * build.word),
    ]
    if machine.gathers:
        parts += [
            (_SPLIT, 2 * machine.ports * build.word),
            (_GATHERED, build.word * build.beats),
            (_GATHERS, machine.banks * build.word * build.beats),
        ]
    lut = sum(chip.by_lut_inputs(four, six) * count for (four, six, _), count in parts)
    ff = sum(flip_flops * count for (*_, flip_flops), count in parts)
    memories = [
        (depth, build.word * beats, build.storage)
        for depth, beats, copies in _registers(build)
        for _ in range(copies)
    ]
    memories += [
        (build.store_size, build.word, build.storage),
        (len(build.rom), instruction_set().word, "block"),
    ]
    ram = 0
    for depth, bits, storage in memories:
        logic, block = chip.memory(max(2, depth), bits, storage)
        lut, ram = lut + logic, ram + block
    return Forecast(
        lut=round(core.lut * units + lut),
        ff=round(core.ff * units + ff),
        dsp=core.dsp * units,
        ram_bits=core.ram_bits * units + ram,
        mhz=core.mhz,
    )


def _registers(build: EngineBuild) -> list[tuple[int, int, int]]:
    """The memories of registers: words, beats of a word, and the number of copies."""
    machine = build.machine
    if machine.gathers:
        return [(machine.banks * machine.bank_size, build.beats, 2)]
    return [
        (build.registers(bank) * build.beats, 1, 2 * machine.ports) for bank in range(machine.banks)
    ]
