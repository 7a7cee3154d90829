"""Area and clock of a processor for curves: its multiplier, and what stands around it."""

from __future__ import annotations

from modmul.forecast import Forecast, fabric
from modmul.processors.engine.hardware.build import Build
from modmul.processors.engine.instructions import instruction_set

# Fitted to `implement` with 256 and 384 bits: LUTs with four inputs and with six, flip-flops; of
# sequencer, host and the control of the adder, for each bit of a beat, for each scalar and for
# each bit of its words.
_CONTROL = (350, 190, 440)
_PER_BIT = (10.5, 7.0, 18.0)
_SCALAR = (20, 15, 40)
_SCALAR_BIT = (2.7, 1.5, 1.0)


def of(build: Build) -> Forecast:
    """The multipliers' own forecast, banks of registers, each read twice by each port, constants,
    programs.

    The clock is that of the multiplier."""
    machine, units = build.machine, build.machine.multipliers
    core, chip = build.multiplier.forecast(), fabric(build.multiplier.chip)
    parts = ((_CONTROL, 1), (_PER_BIT, build.word * machine.ports), (_SCALAR, build.scalars),
             (_SCALAR_BIT, build.scalars * build.word))  # fmt: skip
    lut = sum(chip.pick(four, six) * count for (four, six, _), count in parts)
    ff = sum(flip_flops * count for (*_, flip_flops), count in parts)
    memories = [(build.registers(bank) * build.beats, build.word, build.storage)
                for bank in range(machine.banks) for _ in range(2 * machine.ports)]  # fmt: skip
    memories += [(build.store_size, build.word, build.storage),
                 (len(build.rom), instruction_set().word, "block")]  # fmt: skip
    ram = 0
    for depth, bits, storage in memories:
        logic, block = chip.memory(max(2, depth), bits, storage)
        lut, ram = lut + logic, ram + block
    return Forecast(
        lut=round(core.lut * units + lut), ff=round(core.ff * units + ff),
        dsp=core.dsp * units, ram_bits=core.ram_bits * units + ram, mhz=core.mhz,
    )  # fmt: skip
