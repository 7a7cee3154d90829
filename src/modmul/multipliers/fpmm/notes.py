"""The comments on the core in the emitted text: how it works, section by section and signal by
signal.

`{name}` is a figure of the design (`export/remarks.py`).  Every sentence holds for each design that
it is said of: what depends on parameters is chosen here."""

from __future__ import annotations

from modmul.multipliers.fpmm.build import FpmmBuild
from modmul.multipliers.fpmm.columns_schedule import ColumnsSchedule
from modmul.multipliers.fpmm.schedule import CascadeSchedule

Notes = dict[str, dict[str, str]]

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
    "result_last": "as result_first",
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
U + q*N is c * 2^{word_bits}: zero, but for its carry c into word 1. In its cycle the adders add to
it what is left of the period before, the top word of that. The sum is top + c * 2^{word_bits}; top
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


def theory(p: FpmmBuild) -> str:
    """What stands above the module of the core."""
    figures = {
        "products": f"{p.sigma} independent products in turn"
        if p.sigma > 1
        else "one product at a time",
        "factor_bits": str(p.words * p.word_bits),
        "words": str(p.words),
        "word_bits": str(p.word_bits),
        "last": str(p.words - 1),
        "a_slot": f"each of {p.sigma}" if p.sigma > 1 else "there is one, and it",
        "theta": str(p.theta),
        "last_phase": str(p.theta - 1),
        "alpha": str(p.alpha),
    }
    figures["instead"] = (
        "; in its cycle they put out the top word of the period before"
        if p.latency_reduction
        else ""
    )
    more = p.theta - p.words
    figures["more"], figures["it"] = (
        ("one cycle", "it") if more == 1 else (f"{more} cycles", "them")
    )
    columns, schedule = isinstance(p.schedule, ColumnsSchedule), p.schedule
    figures["cleared"] = "" if columns else "; t_carry and the like become 0 in empty slots alone"
    inside = isinstance(schedule, CascadeSchedule) and schedule.t_in_dsp
    figures["early"] = ", the low word of a_i * b_j + t_j (product_early_*)" if inside else ""
    left = "an earlier operand left"
    figures["stale"] = left if schedule.input_registers else f"{left}, or what was on the pins"
    figures["first_beat"] = "its first beat" if p.modulus_paired else "N'"
    figures["followers"] = (
        ", but for quotient_takes_* and quotient_a_enable, which follow phase by a cycle or two"
        if columns
        else ""
    )
    figures["empty"] = _EMPTY.format(**figures)
    carries = _ISOLATED if p.isolated else _REDUCED if p.latency_reduction else _LONG
    sums = [_CARRY_IDIOM] if columns else []
    last = _DROPPED if p.fixed is None else _NO_MODULUS
    paragraphs = [_LOOP, carries, _table(p), *sums, last]
    return "\n\n".join(paragraphs).format(**figures)


def _table(p: FpmmBuild) -> str:
    """When word j of what is where."""
    rows = [f"  {name:22}{time} + j" for name, time in p.schedule.timetable()]
    rows += [f"  {name:22}{time}" for name, time in p.schedule.digit_timetable()]
    title = "  The cycle in which a signal holds word j, phase[0] of the period being cycle 0;"
    more = "  of T, that is word j of T, and so word j + 1 of U + q*N:"
    return "\n".join([title, more, *rows])


def ports(p: FpmmBuild) -> dict[str, str]:
    """What is said of the ports."""
    if p.fixed is not None:
        return {name: said for name, said in PORTS.items() if not name.startswith("modulus_")}
    return PORTS | (_PAIRED if p.modulus_paired else {})


def sections(p: FpmmBuild) -> Notes:
    """Titles, and under each the signals of a section with what is said of them."""
    datapath = _columns(p) if isinstance(p.schedule, ColumnsSchedule) else _cascade(p)
    return {**_control(p), **datapath}


def _control(p: FpmmBuild) -> Notes:
    slots = "{sigma} slots, each" if p.sigma > 1 else "one slot,"
    turn, every = (" in turn", "of all slots") if p.sigma > 1 else ("", "written")
    coming = (
        "the slots to come, 0 the next one, the last this one again: each has a product"
        if p.sigma > 1
        else "the slot has a product in its next period"
    )
    return {
        f"schedule: {slots} with a period of {{theta}} cycles{turn}": {
            "phase": "one-hot: the cycle of the period",
            "slot_active": "the slot whose period it is has a product",
            "slot_index": "... and is at this word of a; both hold from phase[1] on",
            "waiting_[0-9]*_active": coming,
            "waiting_[0-9]*_index": "... which is then at this word of a",
            "next_active": "what the slot will be when it comes round again",
            "next_index": "... and at which word of a",
            "last_period": "the product of this slot is at its last word of a",
            "has_t": "T counts: the product is past its first period",
            "slot_free": "first cycle of a slot without a product: an operand may begin",
            "start": "the first beat of an operand is taken",
            "operand_continues": "the other beats of that operand come",
            "has_t_at[0-9]*": "_atN: from N cycles after phase[0] of a slot on, for a period, "
            "the value for that slot",
            "last_period_at[0-9]*": "likewise",
            "slot_active_at[0-9]*": "likewise",
        },
        **_modulus(p),
        "operand memories": {
            "operand_write": "an operand comes"
            if p.schedule.input_registers
            else "the slot had no product: whatever is on the pins is written, an operand or not",
            "write_address": f"counts the words {every}"
            + ": {words} * slot + word" * (p.sigma > 1),
            "b_address": "of b: one word after the other",
            "a_address": "of a: word slot_index of the slot",
            "memory_a": "a",
            "memory_b": "b",
            "a_word": "a_i, for the whole period",
            "b_word": "b_j, one a cycle; 0 in periods of slots without a product",
            "clear_b": "the slot has no product: b becomes 0",
            "b_lo*": "",
            "b_hi*": "",
        },
    }


def _modulus(p: FpmmBuild) -> Notes:
    if p.fixed is not None:
        return {
            "modulus: constants": {
                "n_word": "words of N, one after the other",
                "n_lo": "low halves of the words of N",
                "n_hi": "high halves",
                "n_*_d[0-9]*": "",
                "empty_slots": "periods since the reset, up to those of a turn",
                "turn_was_empty": "operands may begin",
            }
        }
    paired = (
        "N' beside the words of N, in a period of a slot that stays empty"
        if p.modulus_paired
        else "N' in the last cycle of a period, N in the next one"
    )
    return {
        f"modulus: {paired}": {
            "may_load_modulus": "the first beat of a modulus would be taken",
            "load_modulus": "it is: N' is on modulus_data",
            "modulus_continues": "the words of N come",
            "drop_products": "the cycle after "
            + ("its first beat" if p.modulus_paired else "N'")
            + ": empties all slots",
            "n_prime": "N'",
            "n_write_index": "the number of the word on modulus_data, which is that of the phase",
            "n_index": "the number of the word of N to read",
            "n_lo_index": "the number of the word of N whose low half is read",
            "n_hi_index": "likewise, high half",
            "n_word": "words of N, one after the other",
            "n_ring_0": "words of N go round, as many registers as a period has cycles",
            "n_lo_ring_0": "low halves of the words of N go round",
            "n_hi_ring_0": "likewise, high halves",
            "n_ring_*": "",
            "n_*_ring_*": "",
            "memory_n": "N",
            "memory_n_lo": "N, low halves of its words",
            "memory_n_hi": "N, high halves",
        },
    }


def _columns(p: FpmmBuild) -> Notes:
    return {
        "a*b + t, in halves of words, of which 0 is the low one": {
            "clear_a_at[0-9]*": "a slot without a product: a becomes 0 in multipliers loaded now",
            "clear_a_b_at[0-9]*": "no product, or no word: a and b become 0 in the multipliers",
            "ab00": "ab_hg: half h of a_i times half g of b_j",
            "ab*": "",
            "t0_in": "low half of T as it comes back, 0 in the first period of a product",
            "t1_in": "high half, likewise",
            "t_pending_in": "the carry into t0_in that T was left with",
            "v0": "low half of ab00 + t0_in + t_pending_in; for one j together: {v3, v2, v1, v0} + "
            "v1_carry * 2^{word_bits} = a_i * b_j + t_j + t_pending_in",
            "v1_partial": "high half of ab00 + t1_in + v0_carry",
            "cross_lo": "low halves of ab01 + ab10",
            "cross_hi": "high halves of ab01 + ab10, + cross_lo_carry",
            "v1": "v1_partial + cross_lo; no carry out of v of the word before is in the word "
            "(v1, v0)",
            "v2": "cross_hi + low half of ab11 + v1_partial_carry",
            "v3": "high half of ab11, and two carries; none leaves it, as a_i * b_j + t_j + 1 < "
            f"2^{2 * p.word_bits}",
            "u0": "U: the word (v1, v0) + the high word (v3, v2) and v1_carry of the word "
            "before",
            "u1": "its high half",
            "u1_carry": "is added to the next word, later, in acc00_lo",
            "v[0123]_*": "",
            "cross_*": "",
            "u[01]_sum": "",
            "u0_carry": "",
            "multiplier_ab*": "",
        },
        "quotient digit: q = (v1, v0) * N' mod 2^{word_bits}, from word 0 alone": {
            "quotient_takes_n_hi": "a bit of phase, in a register of its own: much hangs on it",
            "quotient_takes_v1": "likewise",
            "quotient_a_enable": "the multiplier takes v0, kept for two products, then v1",
            "quotient_a": "v0, v0, v1",
            "quotient_b": "low, high, low half of N'",
            "vn": "their products",
            "q1_partial": "high half of v0 * N'_lo + low half of v0 * N'_hi; carries drop: "
            "mod 2^{word_bits}",
            "q1": "... + low half of v1 * N'_lo: high half of q; low half: that of v0 * N'_lo",
            "q0_held": "low half of q for multiplier_qn01; multiplier_qn00 takes that of vn",
            "q1_held": "high half of q for multiplier_qn11; multiplier_qn10 takes q1",
            "quotient_*": "",
            "vn*": "",
            "multiplier_vn": "",
        },
        "+ q*N: T = (U + q*N) / 2^{word_bits}, by dropping word 0": {
            "n_lo": "low halves of the words of N",
            "n_hi": "high halves of the words of N",
            "n_*_d[0-9]*": "",
            "qn00": "qn_hg: half h of q times half g of n_j",
            "qn*": "",
            "u*_d[0-9]*": "",
            "acc00_lo": "U + qn00, low half of word j, + u1_carry of word j - 1",
            "acc00_hi": "high half of word j, a cycle later",
            "acc00_*": "",
            "acc01_lo": "... + high half of qn01 and acc00_hi_carry, both of word j - 1",
            "acc01_hi": "... + low half of qn01 of word j",
            "acc01_*": "",
            "acc10_lo": "... + high half of qn10 and acc01_hi_carry, both of word j - 1",
            "acc10_hi": "... + low half of qn10 of word j",
            "acc10_*": "",
            "t0": "... + low half of qn11 and acc10_hi_carry of word j - 1: low half of T",
            "t1": "... + high half of qn11 of word j - 1: high half of T, a cycle later",
            "t0_carry": "",
            "t[01]_sum": "",
            "t_pending": "the carry out of t1, which is left for the next word",
            "t[01]_d[0-9]*": "",
            "t_pending_d[0-9]*": "",
            "multiplier_qn*": "",
        },
        "result: the words of T with the pending carries added": {
            "t0_low_ones": "the bits of the low part of t0 are all ones; and so on",
            "t[01]_*_ones": "",
            "t[01]_ones*": "",
            "result_carry": "into the word of T that follows; a product's top word leaves none, as "
            "result < R: so it needs no clearing",
            "result_lo": "no carry goes from here to result_hi, which takes it from t0_ones",
            "result_hi": "with the carry of the low half, which is one only if that is all ones",
            "result_*_sum": "",
        },
    }


def _cascade(p: FpmmBuild) -> Notes:
    schedule = p.schedule
    assert isinstance(schedule, CascadeSchedule)
    inside = schedule.t_in_dsp
    return {
        "a*b + t, and U = T + a_i * b": {
            "clear_a_at[0-9]*": "a slot without a product: a is 0 in the multiplier loaded now",
            "product": "a_i * b_j" + (" + t_j" if inside else ""),
            "product_low": "its low word",
            "product_high": "its high word, which goes to the next word of U",
            "ab": "words of a_i * b",
            "u": "words of U = T + a_i * b"
            + ", each with its carry on top, which goes into reduction with it" * inside,
            "v": "product_low + t_in: word 0 gives q, for no carry of another word is in it",
            "t_in": "T as it comes back, 0 in the first period of a product",
            "product_low_d[0-9]*": "",
            "product_high_d[0-9]*": "",
            "t_in_d[0-9]*": "",
            "t_d[0-9]*": "",
        },
        "quotient digit: q = v * N' mod 2^{word_bits}, piece by piece": {
            "v_*_held": "a piece of v that is still to be multiplied",
            "quotient*_a": "the piece of v",
            "quotient*_b": "the piece of N'",
            "q_*_held": "a piece of q for the multipliers that take it later",
            "step": "one-hot: what the slice adds to its product",
            "p": "what the slice has added up: its low bits are the piece of q that is complete",
            "quotient*": "",
        },
        "+ q*N: T = (U + q*N) / 2^{word_bits}, by dropping word 0": {
            "n_*_d[0-9]*": "",
            "u_d[0-9]*": "",
            "reduction": "q * n_j" + (" + u_j" if schedule.u_in_dsp else ""),
            "reduction_low": "its low word",
            "reduction_high": "its high word, which goes to the next word",
            "qn": "words of q * N",
            "t": "words of U + q*N; its word j is word j - 1 of T",
            "t_carry": "runs on from word to word; "
            + ("each period begins with its own" if p.isolated else "0 in slots without product"),
        },
    }
