"""Area and clock of an exponentiation processor: its multipliers, and what stands around them."""

from __future__ import annotations

from modmul.forecast import Forecast, fabric
from modmul.processors.exponentiation.facts import ExponentiationFacts


def of(facts: ExponentiationFacts) -> Forecast:
    """The forecast: that of the multipliers, two numbers, constants, exponent, reduction and
    control.  The clock is that of the multiplier: the control has less to do in a cycle."""
    multiplier, chip = facts.multiplier, fabric(facts.multiplier.chip)
    core, word = multiplier.forecast(), facts.word
    vectors = 2 if multiplier.operand_form == "carry-save" else 1
    sections = 2 * facts.enters_domain + bool(facts.subtractions) + 3 * facts.checked
    if facts.in_words:
        number, bits = chip.memory(facts.words, word)
        stored = facts.core_constants + sections * facts.words
        constants, more = chip.memory(max(2, stored), word)
        lut = 2 * vectors * (number + 1.5 * word) + constants
        ff, ram = 0.0, 2 * vectors * bits + more
    else:
        whole = word * facts.words
        constants, more = chip.memory(max(2, sections * facts.words), word)
        own, wide = (
            chip.memory(facts.core_constants, multiplier.modulus_beat)
            if facts.core_constants > 1
            else (0.0, 0)
        )
        lut = vectors * whole * (2 * 1.1 + 0.9 * facts.units) + constants + own
        ff, ram = 2.0 * vectors * whole, more + wide
    if facts.passes:
        lut, ff = lut + 3.0 * word, ff + 2.0 * word
    kept = max(0, facts.halvings - 1)  # bits of N, for its multiples, which are shifted
    lut, ff = lut + (word + kept / 2) * kept.bit_length(), ff + kept
    lut += 0.6 * facts.exponent_word + 110
    ff += facts.exponent_word + 2 * facts.longest_exponent.bit_length() + 40
    if facts.checked:  # the choice of words, comparison and parity; counters and flags
        lut, ff = lut + 6.0 * word + 170, ff + 20
    units = facts.units
    return Forecast(
        lut=round(units * core.lut + lut),
        ff=round(units * core.ff + ff),
        dsp=units * core.dsp,
        ram_bits=units * core.ram_bits + ram,
        mhz=core.mhz,
    )
