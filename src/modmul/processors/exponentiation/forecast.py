"""Area and clock of an exponentiation processor: its multipliers, and what stands around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modmul.forecast import Forecast, fabric

if TYPE_CHECKING:
    from modmul.processors.exponentiation import Exponentiation


def of(processor: Exponentiation) -> Forecast:
    """The multipliers' own forecasts, two numbers, constants, exponent, reduction and control.

    The clock is that of the multiplier: the control has less to do in a cycle."""
    multiplier, chip = processor.multiplier, fabric(processor.chip)
    core, word = multiplier.forecast(), processor.word
    vectors = 2 if multiplier.operand_form == "carry-save" else 1
    sections = 2 * processor.enters_domain + bool(processor.subtractions)
    if processor.in_words:
        number, bits = chip.memory(processor.words, word)
        stored = processor.core_constants + sections * processor.words
        constants, more = chip.memory(max(2, stored), word)
        lut = 2 * vectors * (number + 1.5 * word) + constants
        ff, ram = 0.0, 2 * vectors * bits + more
    else:
        whole = word * processor.words
        constants, more = chip.memory(max(2, sections * processor.words), word)
        own, wide = (
            chip.memory(processor.core_constants, multiplier.modulus_beat)
            if processor.core_constants > 1
            else (0.0, 0)
        )
        lut = vectors * whole * (2 * 1.1 + 0.9 * processor.units) + constants + own
        ff, ram = 2.0 * vectors * whole, more + wide
    if processor.passes:
        lut, ff = lut + 3.0 * word, ff + 2.0 * word
    lut += 0.6 * processor.exponent_word + 110
    ff += processor.exponent_word + 2 * processor.longest_exponent.bit_length() + 40
    units = processor.units
    return Forecast(
        lut=round(units * core.lut + lut),
        ff=round(units * core.ff + ff),
        dsp=units * core.dsp,
        ram_bits=units * core.ram_bits + ram,
        mhz=core.mhz,
    )
