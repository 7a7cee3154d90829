"""What the emitted text says of the core above its module, how it works, and of its ports; of its
signals: `signals.py`.

`{name}` is a figure of the design (`export/remarks.py`).  Every sentence holds for each design that
it is said of: what depends on parameters is chosen here."""

from __future__ import annotations

from modmul.multipliers.fpmm.columns_schedule import ColumnsSchedule
from modmul.multipliers.fpmm.parameters import FpmmParameters
from modmul.multipliers.fpmm.schedule import CascadeSchedule

PORTS = {
    "modulus_valid": "the source offers a beat; not looked at after the first",
    "modulus_ready": "first beat: last cycle of a period; the others: the {words} after it",
    "modulus_first": "unused by the core",
    "modulus_last": "unused by the core",
    "modulus_data": "N' = -1/N mod 2^{word_bits}, then N, low word first, without a gap",
    "operand_valid": "the source offers a beat; not looked at after the first",
    "operand_ready": "first beat: first cycle of a free slot's period; {words} cycles in all",
    "operand_first": "unused by the core",
    "operand_last": "unused by the core",
    "operand_a": "a < 2N, low word first, {words} beats without a gap",
    "operand_b": "b < 2N, low word first, beside a",
    "result_valid": "result_data is a result's word, in this cycle only",
    "result_first": "high in every period: means something with result_valid only",
    "result_last": "high in every period: means something with result_valid only",
    "result_data": "a*b/R mod N, < 2N, low word first, {words} beats without a gap",
}

_PAIRED = {
    "modulus_ready": "first beat: first cycle of a period; {words} cycles in all",
    "modulus_data": "N' = -1/N mod 2^{word_bits} above a word of N, low word first, without a gap",
}

_LOOP = """Computes a*b/R mod N for {products}, R = 2^{factor_bits}
({words} words of {word_bits} bits), N odd, 4N < R. For a, b < 2N the result is below 2N and may
be an operand again:

  T <- 0
  for i in 0 .. {last}:
    U <- T + a_i * b             (a_i: word i of a)
    q <- (U * N') mod 2^{word_bits}      (N' = -1/N mod 2^{word_bits}: the low word of U + q*N is 0)
    T <- (U + q*N) / 2^{word_bits}

Every T is below b + N < 3N < R, so {words} words are enough and nothing is subtracted at the end.

Slots: {a_slot} holds one product. It has the pipeline for a period of {theta} cycles, phase[0] to
phase[{last_phase}], and again {alpha} cycles later, {words} times in all. In a period it does one
step of the loop: word i of a, i = slot_index, stays, while the words of b, N and T pass, one in a
cycle, low word first. The T of the last step is the result."""

_REDUCED = """Periods follow each other without a gap, and so do the words of U + q*N. Word 0 of
U + q*N is c * 2^{word_bits}: zero, but for its carry c into word 1. In that cycle the adders also
absorb the top word left over from the period before. The sum is top + c * 2^{word_bits}; top
is below 2^{word_bits} if operands are in range, so what they put out is top, and their carry is c
exactly. Hence no carry has to be cleared between two products{cleared}. q comes from v{early}, to
which no carry of the period before was added, and not from u. {empty}"""

_LONG = """A period has {more} more than there are words. In {it}, seen from wherever a word is,
zeros pass, and the top word of U + q*N leaves the adders. So the words of two periods do not
overlap; word 0 of U + q*N, which is zero but for its carry into word 1, is dropped. q comes from
v{early}, to which no carry of other words was added, and not from u. {empty}"""

_ISOLATED = """Built with isolated: in each period the adders start with the carries of its own
word 0, never with those of the period before, so that an operand out of range spoils its own
product only. Word 0 of U + q*N is known to be zero but for its carry into word 1{instead}. q
comes from v{early}, to which no carry of other words was added, and not from u. {empty}"""

_EMPTY = """A slot without a product takes part like any other, with a = b = T = 0. a and b are
both zeroed: the operand memories hold there what {stale}, and X times 0 is X to a simulator."""

_DROPPED = """Loading a modulus drops all products in flight: in the cycle after {first_beat}
(drop_products) all slots are emptied, and from the next one on no word of a result is valid. The
data run on, but nobody looks at them. Reset: control is reset{followers}; n_prime, data registers
and memories are not. Their initial values are for simulation; no valid, no ready and, after a
modulus, no word of a result depends on them."""

_NO_MODULUS = """N and N' are constants. Reset: control is reset{followers}; data registers and
memories are not. So all slots stay empty for a turn after it (turn_was_empty): the zeros that pass
then absorb what the pipeline held before."""

_CARRY_IDIOM = """Sums are of halves of words, so that no carry chain is longer; a carry out goes to
the next half, a cycle later. {{x, 1'b1}} + {{y, c}} is x + y + c in one carry chain: its lowest bit
is not used."""


def theory(p: FpmmParameters) -> str:
    """The comment above the module of the core."""
    figures = _figures(p)
    figures["empty"] = _EMPTY.format(**figures)
    carries = _ISOLATED if p.isolated else _REDUCED if p.gapless else _LONG
    sums = [_CARRY_IDIOM] if isinstance(p.schedule, ColumnsSchedule) else []
    last = _DROPPED if p.fixed_modulus is None else _NO_MODULUS
    paragraphs = [_LOOP, carries, _table(p), *sums, last]
    return "\n\n".join(paragraphs).format(**figures)


def _figures(p: FpmmParameters) -> dict[str, str]:
    columns, schedule = isinstance(p.schedule, ColumnsSchedule), p.schedule
    inside = isinstance(schedule, CascadeSchedule) and schedule.t_in_dsp
    stale = "" if schedule.input_registers else ", or what was on the pins"
    more = p.theta - p.words
    several = p.sigma > 1
    numbers = {
        "factor_bits": p.words * p.word_bits,
        "words": p.words,
        "word_bits": p.word_bits,
        "last": p.words - 1,
        "theta": p.theta,
        "last_phase": p.theta - 1,
        "alpha": p.alpha,
    }
    return {name: str(value) for name, value in numbers.items()} | {
        "products": f"{p.sigma} independent products in turn"
        if several
        else "one product at a time",
        "a_slot": f"each of {p.sigma}" if several else "there is one, and it",
        "instead": "; in its cycle they put out the top word of the period before" * p.gapless,
        "more": "one cycle" if more == 1 else f"{more} cycles",
        "it": "it" if more == 1 else "them",
        "cleared": "" if columns else "; t_carry and the like become 0 in empty slots alone",
        "early": ", the low word of a_i * b_j + t_j (product_early_*)" * inside,
        "stale": f"an earlier operand left{stale}",
        "first_beat": "its first beat" if p.modulus_paired else "N'",
        "followers": ", but for quotient_takes_* and quotient_a_enable, which follow phase by a "
        "cycle or two" * columns,
    }


def _table(p: FpmmParameters) -> str:
    """A table of the cycles in which signals hold word j."""
    rows = [f"  {name:22}{time} + j" for name, time in p.schedule.timetable()]
    rows += [f"  {name:22}{time}" for name, time in p.schedule.digit_timetable()]
    title = "  The cycle in which a signal holds word j, phase[0] of the period being cycle 0;"
    more = "  of T, that is word j of T, and so word j + 1 of U + q*N:"
    return "\n".join([title, more, *rows])


def ports(p: FpmmParameters) -> dict[str, str]:
    if p.fixed_modulus is not None:
        return {name: said for name, said in PORTS.items() if not name.startswith("modulus_")}
    return PORTS | (_PAIRED if p.modulus_paired else {})
