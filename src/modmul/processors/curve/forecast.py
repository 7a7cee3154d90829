"""Area and clock of a processor for curves: its multiplier, and what stands around it."""

from __future__ import annotations

from modmul.forecast import Forecast, fabric
from modmul.processors.engine.hardware.build import Build
from modmul.processors.engine.instructions import instruction_set

_CONTROL = 300  # LUTs of sequencer, host and scalars
_PER_BIT = 5.0  # LUTs of adder, selection and ports for each bit of a beat
_FLIP_FLOPS = 260


def of(build: Build) -> Forecast:
    """The multiplier's own forecast, two banks of registers read twice, constants, programs.

    The clock is that of the multiplier."""
    core, chip = build.multiplier.forecast(), fabric(build.multiplier.chip)
    lut, ram = _CONTROL + _PER_BIT * build.word, 0.0
    memories = [(build.registers(bank) * build.beats, build.word)
                for bank in range(2) for _ in range(2)]  # fmt: skip
    memories += [(build.store_beats, build.word), (len(build.rom), instruction_set().word)]
    for depth, bits in memories:
        logic, block = chip.memory(max(2, depth), bits)
        lut, ram = lut + logic, ram + block
    return Forecast(
        lut=round(core.lut + lut), ff=round(core.ff + _FLIP_FLOPS + 6 * build.word),
        dsp=core.dsp, ram_bits=core.ram_bits + round(ram), mhz=core.mhz,
    )  # fmt: skip
