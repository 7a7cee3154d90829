"""What the emitted text says of the signals of the core, section by section.

`{name}` is a figure of the design (`export/remarks.py`); "" says nothing of signals that their
neighbours explain."""

from __future__ import annotations

from modmul.multipliers.fpmm.columns_schedule import ColumnsSchedule
from modmul.multipliers.fpmm.parameters import FpmmParameters
from modmul.multipliers.fpmm.schedule import CascadeSchedule

Notes = dict[str, dict[str, str]]

_CONSTANTS = {
    "modulus: constants": {
        "n_word": "words of N, one after the other",
        "n_lo": "low halves of the words of N",
        "n_hi": "high halves",
        "n_*_d[0-9]*": "",
        "empty_slots": "periods since the reset, up to those of a turn",
        "turn_was_empty": "operands may begin",
    }
}
# Notes on the datapath in halves of words.
_PRODUCT = {
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
        "v1": "v1_partial + cross_lo; no carry out of v of the word before is in the word (v1, v0)",
        "v2": "cross_hi + low half of ab11 + v1_partial_carry",
        "v3": "high half of ab11, and two carries; none leaves it, as a_i * b_j + t_j + 1 < "
        "2^{product_bits}",
        "u0": "U: the word (v1, v0) + the high word (v3, v2) and v1_carry of the word before",
        "u1": "its high half",
        "u1_carry": "is added to the next word, later, in acc00_lo",
        "v[0123]_*": "",
        "cross_*": "",
        "u[01]_sum": "",
        "u0_carry": "",
        "multiplier_ab*": "",
    },
}
_QUOTIENT = {
    "quotient digit: q = (v1, v0) * N' mod 2^{word_bits}, from word 0 alone": {
        "quotient_takes_n_hi": "registered copy of a bit of phase, to limit fan-out",
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
}
_REDUCTION = {
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
}
_RESULT = {
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


def sections(p: FpmmParameters) -> Notes:
    in_columns = isinstance(p.schedule, ColumnsSchedule)
    datapath = _PRODUCT | _QUOTIENT | _REDUCTION | _RESULT if in_columns else _cascade(p)
    return {**_control(p), **datapath}


def _control(p: FpmmParameters) -> Notes:
    slots = "{sigma} slots, each" if p.sigma > 1 else "one slot,"
    turn = " in turn" if p.sigma > 1 else ""
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
            "has_t": "T is valid: the product is past its first period",
            "slot_free": "first cycle of a slot without a product: an operand may begin",
            "start": "the first beat of an operand is taken",
            "operand_continues": "the other beats of that operand come",
            "has_t_at[0-9]*": "_atN: from N cycles after phase[0] of a slot on, for a period, "
            "the value for that slot",
            "last_period_at[0-9]*": "likewise",
            "slot_active_at[0-9]*": "likewise",
        },
        **_modulus(p),
        "operand memories": _operands(p),
    }


def _operands(p: FpmmParameters) -> dict[str, str]:
    every = "of all slots" if p.sigma > 1 else "written"
    return {
        "operand_write": "an operand comes"
        if p.schedule.input_registers
        else "the slot had no product: whatever is on the pins is written, an operand or not",
        "write_address": f"counts the words {every}" + ": {words} * slot + word" * (p.sigma > 1),
        "b_address": "of b: one word after the other",
        "a_address": "of a: word slot_index of the slot",
        "memory_a": "a",
        "memory_b": "b",
        "a_word": "a_i, for the whole period",
        "b_word": "b_j, one a cycle; 0 in periods of slots without a product",
        "clear_b": "the slot has no product: b becomes 0",
        "b_lo*": "",
        "b_hi*": "",
    }


def _modulus(p: FpmmParameters) -> Notes:
    if p.fixed_modulus is not None:
        return _CONSTANTS
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


def _cascade(p: FpmmParameters) -> Notes:
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
            "v_*_held_later": "the same piece, for a block whose turn is later",
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
