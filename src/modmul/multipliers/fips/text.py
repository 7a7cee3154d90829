"""The comments on the core in an emitted text: on signals, ports and the variant that was built."""

from __future__ import annotations

from modmul.multipliers.fips.parameters import FipsParameters

NOTES: dict[str, dict[str, str]] = {
    "the modulus: header (field and length), N[0] ... N[s-1], n0'": {
        "loading": "a modulus has come in partly",
        "header_due": "beats of the header that are still to come",
        "binary_field": "header: 1 for GF(2^m)",
        "last_word": "header: words in use less 1, s-1",
        "modulus_taken": "",
        "modulus_index": "index of the word of N that comes next",
        "n_write": "the beat is a word of N: the header is over, and the last beat is n0'",
        "n0_inverse": "the last beat that came: in the end n0' = -1/N mod 2^{word}, in GF(2^m) 1/N",
        "products_inside": "0 to 2: one may begin while the one before it is unloaded",
        "quiet": "no product inside: a modulus may come",
    },
    "operands: written to RAM as they come": {
        "*write_enable": "the beat is taken",
        "receiving": "an operand has come in partly",
        "*write_address": "index of the word that comes next",
        "operand_at_end": "the beat is the last one of the operand",
        "b_word": "of a square, a is both operands",
        "product_begin": "the first beat of an operand is taken",
        "square": "the product in work is a square",
    },
    "schedule: what the column in work, column 0 of the queue, is doing": {
        "idle": "may take a new product; the end of the last one may still be in the pipeline",
        "filling": "the column queue is filled, one column a cycle",
        "working": "products are issued",
        "run": "products of column 0 are issued",
        "run_ends": "the last product of column 0 is issued, but for m[c]*n[0]",
        "front_ends": "run_ends in a front column, whose quotient word is next",
        "wait_for_sum": "all products of column 0 are issued, not all are added",
        "make_quotient": "V*n0' is issued: it will be m[c]",
        "wait_for_quotient": "the quotient word is in the multiplier",
        "waits_left": "cycles of either wait, less 1",
        "reduce": "m[c]*n[0] is issued",
        "newest": "index of the latest quotient word",
        "next_column_is_spent": "all that column 1 had was issued ahead, as two multipliers "
        "can: it begins with its wait",
        "column_0_index": "c",
        "last_column": "c = 2*s-2",
        "complete": "the last product of the column is issued",
        "advance": "column 1 becomes column 0",
        "product_done": "the last product of all is issued",
        "column_ends": "the bundle issued in the cycle before was the last of its column",
        "column_is_rear": "the column of that bundle makes a result word",
        "finish": "the last column has ended: what V has left is the top of the result",
    },
    "column queue: ab products a[j]*b[k] are left, then mn products m[j]*n[k]": {
        "column_[0-9]_is_ab": "the next product is an ab",
        "column_[0-9]_some": "at least 1 of its products is left",
        "column_[0-9]_several": "at least 2 of its products are left",
        "column_[0-9]_front": "the column makes a quotient word, c < s",
        "column_[0-9]_low": "first j of mn",
        "column_[0-9]_high": "first k of mn",
        "column_[0-9]_middle": "c/2, rounded down",
        "column_[0-9]_j": "j of its next product, counts up",
        "column_[0-9]_k": "k of its next product, counts down: j + k = c",
        "column_[0-9]_ab": "products a*b that are left",
        "column_[0-9]_mn": "products m*n; not m[c]*n[0]: see `reduce`",
        "columns_shift": "every column moves up by one place, a new one comes in at the end",
    },
    "column queue after this cycle: where a product is taken, the next one": {
        "column_*_ab_only*": "without its mn",
        "column_*_mn_only*": "without its ab",
        "column_*_after*_turns": "last ab: j, k go back to low, high",
        "column_*_after*_many": "at least 3 of its products are left",
        "column_*_after*": "",
    },
    "column queue: what comes in at the end": {
        "column_*_next_alone": "a square in GF(2^m): no ab but the square of the middle word; for "
        "column 0 it may still be of the product before, but that column is the same for all",
        "column_*_next_from_middle": "ab begins with j = k = the middle one",
        "column_*_next*": "",
    },
    "limits: the pairs j, k of the column behind the queue": {
        "limits_next_index": "number of the column that limits_next_* are of",
        "limits_next_beyond": "so much it lies beyond the last front column",
        "limits_*exists": "the product has such a column",
        "limits_*front": "the column makes a quotient word",
        "limits_*low": "least j and least k of the column",
        "limits_*high": "greatest j and greatest k of the column",
        "limits_*middle": "half the number of the column, rounded down",
        "limits_*pairs": "pairs j, k of the column: high - low + 1",
        "limits_*odd": "the number of the column is odd",
        "limits_*zero": "the column is column 0",
        "limits_*late": "the column has a product m[c-1]*n[1], issued with `reduce` of column c-1",
    },
    "issue: what each multiplier (lane) begins, to be read from RAM in the next cycle": {
        "lane_*_takes_column_0": "the next product of the column in work",
        "lane_*_takes_column_*": "the next product of that column of the queue, ahead: an ab, or "
        "an mn whose m is known; the last product of a rear column stays, since the column ends "
        "with it",
        "several_words": "s > 1: there is an n[1]",
        "issue_*": "what lane_* takes over at the next edge",
        "lane_*_valid": "there is something to multiply",
        "lane_*_quotient": "it is V*n0'; not added to V",
        "lane_*_mn": "it is m[j]*n[k], else a[j]*b[k]",
        "lane_*_j": "",
        "lane_*_k": "",
        "lane_*_double": "twice: it stands for a[k]*a[j], too",
        "lane_*_left_is_product": "m[j] is just leaving the multiplier",
        "lane_*_left_is_latest": "m[j] is still in quotient_word alone",
        "lane_*_ahead": "columns that it lies ahead of the one in work",
        "lane_*_ride": "the square of a[middle] comes with the product",
        "lane_*_middle": "",
    },
    "read: words from RAM, a copy of it for each read port": {
        "a_for_*_word": "the word of a that is read",
        "b_for_*_word": "the word of b that is read; of a square, of a",
        "m_for_*_word": "the word of m that is read",
        "n_for_*_word": "the word of N that is read",
        "a_for_*": "",
        "b_for_*": "",
        "m_for_*": "quotient words; word i of the result, too: m[i] is used no more by then",
        "n_for_*": "",
        "lane_*_left": "a[j] or m[j]",
        "lane_*_right": "b[k], n[k] or n0'; 0 if there is nothing to multiply",
        "lane_*_ride_word": "a[middle] or 0",
        "lane_*_operand": "left factor: V, m[j] from where it is, or the word that was read",
    },
    "multiply, and keep quotient words": {
        "multiplier_*": "",
        "p*": "2 words and a bit, that of a doubled product",
        "lane_*_quotient_d*": "lane_*_quotient, d1, d2 ... cycles later; in the last, product_* is "
        "a quotient word",
        "quotient_word": "the latest quotient word",
        "quotient_index": "index of the quotient word that is made next",
        "m_write": "a quotient word, or a result word that is kept until all are there",
        "m_index": "which one",
        "m_word": "that quotient or result word",
    },
    "add, and move down by a word where a column ends": {
        "lane_*_adds": "the product is no quotient word: it is to be added",
        "lane_*_ahead_0*": "the product is added at bit 0 of V",
        "lane_*_ahead_[1-9]*": "the product is added so many words of {word} bits up",
        "lane_*_addend*": "",
        "carry_save_*": "sum and carries of accumulator and both addends",
        "accumulator": "V",
        "carries_waiting": "into each word, from the cycle before",
        "sum": "V with the addends",
        "sum_top": "the bit above its lowest word",
        "sum_*": "",
        "accumulator_next": "moved down or not",
        "column_ends_d*": "column_ends, d1, d2 ... cycles later; the last: as it is added",
        "column_is_rear_d*": "column_is_rear, likewise",
        "finish_d*": "finish, likewise",
        "result_word_valid": "the lowest word of the sum is a result word",
    },
    "result words: compared with N as they are made, reduced as they leave": {
        "write_back": "a result word out of the sum is in the register; it is written to the m RAM",
        "write_back_last": "the word that is written is the last of the result",
        "write_back_index": "",
        "result_index": "index of the result word that is made, later of the one that leaves",
        "minuend": "a result word: as it is made, later as it leaves",
        "stored_word": "a result word: as it is made, later as it leaves",
        "subtrahend": "a word of N; 0 while words leave that are below N as they are",
        "difference": "minuend - subtrahend - borrow",
        "borrow": "into the next word",
        "result_top": "the bit above the last word: result >= R > N",
        "subtract_modulus": "the result was not below N: subtract N as words leave",
        "unload": "result words are read from the m RAM, which they leave in time for the next m",
        "unload_*": "",
        "difference_*": "",
        "leaves_*": "a cycle later: it is in the register that it was read to",
        "result_*": "",
    },
}


def port_notes(beats: int, word: int, bits: int) -> dict[str, str]:
    """The notes on ports.  beats: of the header.  bits: of the number of words less 1."""
    length = f", bits {bits}:1 the words in use less 1 (s-1)" if bits else ""
    if bits > 1 or not bits:
        header = f"bit 0 is 1 for GF(2^m), 0 for GF(p){length}"
    else:
        header = "bit 0 is 1 for GF(2^m), 0 for GF(p), bit 1 the words in use less 1 (s-1)"
    first = "first beat" if beats == 1 else f"first {beats} beats, {word} bits each, low one first"
    ends = "not used: the length is that of the header"
    return {
        "modulus_valid": "a beat is offered; may be low between beats",
        "modulus_ready": "no product is inside, or a modulus has come in partly",
        "modulus_first": "not used",
        "modulus_data": f"{first}: {header}, other bits ignored; then N[0] ... N[s-1]; last beat: "
        f"n0' = -1/N mod 2^{word}, in GF(2^m) 1/N mod x^{word}",
        "operand_valid": "a beat is offered; consecutive cycles: once the first beat is taken, "
        "valid must stay high until the last; not before the first modulus, nor together with "
        "a modulus",
        "operand_first": ends,
        "operand_last": ends,
        "result_valid": "a word of the result; no back-pressure: s words in consecutive cycles",
    }


def ranges(p: FipsParameters) -> str:
    """Which values operands and results have, as sentences."""
    sentences = []
    if p.prime and p.subtract:
        sentences.append(
            "In GF(p) a, b < N and the result is < N: V ends below 2*N, and N is subtracted where "
            "it is not below N, always in the same time."
        )
    elif p.prime:
        sentences.append(
            "In GF(p) a, b < 2*N with 4*N < R, and the result is < 2*N: nothing is subtracted."
        )
    if p.binary:
        sentences.append("In GF(2^m) operands and result have degrees below that of N.")
    return " ".join(sentences)


def squares(p: FipsParameters) -> str:
    """Which products are made for a square, as a sentence."""
    if not p.shape.squares:
        return "There is no shorter way for squares."
    prime = "the products a[j]*a[k] with j < k are made once and doubled"
    binary = {
        "zero": "they are made, and made zero, since a sum with itself is 0",
        "skip": "they are left out, since a sum with itself is 0",
        "spread": "they are left out, since a sum with itself is 0, and a[j]*a[j], bits with zeros "
        "between them, comes from wires beside a product m*n (`ride`)",
    }[p.shape.binary]
    said = [f"in GF(p) {prime}"] * p.prime + [f"in GF(2^m) {binary}"] * p.binary
    if not p.prime:
        said = [f"the products a[j]*a[k] with j < k: {binary}"]
    return f"Squares: {'; '.join(said)}."


def order(p: FipsParameters) -> str:
    """In which order products are made, as sentences."""
    schedule = p.schedule
    if schedule.paired:
        return (
            "Multiplier 0 makes the products a*b of a column, multiplier 1 those m*n and the "
            "quotient words, strictly column by column."
        )
    free = "The multipliers take" if schedule.multipliers == 2 else "The multiplier takes"
    if not schedule.lookahead:
        return f"{free} the products strictly column by column, a*b before m*n."
    columns = f"next {schedule.lookahead} columns" if schedule.lookahead > 1 else "next column"
    late = " With m[c]*n[0] goes m[c]*n[1] of column c+1." if schedule.late else ""
    none = "has none left, or " if schedule.multipliers > 1 else ""
    return (
        f"{free} the products of the column in work, a*b before m*n; while it {none}waits for its "
        f"quotient word, those of the {columns} whose m is known; they are added one word higher "
        f"for every column.{late}"
    )


def pipeline(p: FipsParameters) -> str:
    """A table that says in which cycle what happens to a word product."""
    schedule = p.schedule
    first = "    cycle {:>3}  {}".format
    ends = schedule.stages
    multiplied = "1" if ends == 1 else f"1-{ends}"
    lines = [
        first(-1, "issue_*: it is chosen from the column queue"),
        first(0, "lane_*: its words are read from RAM"),
        first(multiplied, "lane_*_left, lane_*_right: its factors are multiplied"),
    ]
    if schedule.addend_register:
        lines.append(first(ends + 1, "lane_*_addend: it is moved to its place"))
    lines.append(first(schedule.added, "sum, accumulator: it is added"))
    return "\n".join(lines)


def course(p: FipsParameters) -> str:
    """In which cycles the steps of a whole product are, as sentences."""
    begin, end = p.schedule.fill + 1, p.schedule.added + 2
    words = end + 3 + p.subtract
    return (
        f"A product of operands: product_begin in cycle t, run first in t+{begin}. Its last word "
        f"product is issued in some cycle u (product_done); then finish is high in u+2, finish_d"
        f"{p.schedule.added} in u+{end}, unload from u+{end + 2} on, and the s words of the "
        f"result leave from u+{words} to u+{words - 1}+s."
    )
