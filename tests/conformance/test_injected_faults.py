"""Faults injected in the emitted Verilog are caught."""

from __future__ import annotations

import pytest

from injected import inject, some, trials
from modmul.blocks import elastic
from modmul.export.hdl import emit
from modmul.multipliers import find
from modmul.toolchain.cache import Cache
from modmul.verification.campaign import CampaignTotals

INTERLEAVED = find("interleaved")(width=9)
CORE = "interleaved_9_core"
EVERY_FAULT = {
    "subtracts only above N": (CORE, r"if \(total_1\[11\]\)", "if (total_1[11] | ~|total_1)", 0),
    "subtracts at most once": (CORE, r"if \(total_2\[11\]\)", "if (1'b1)", 0),
    "adds wrongly": (CORE, r" \+ ", " | ", 0),
    "subtracts wrongly": (CORE, r"(total_0\w*) - (\{2'd0, modulus\};)", r"\1 + \2", 0),
    "stale sum": (CORE, r"total <= 9'd0;", "total <= total;", 0),
    "one step too few": (CORE, r"left <= 4'd9;", "left <= 4'd8;", 0),
    "always ready": (CORE, r"assign operand_ready = .*;", "assign operand_ready = 1'b1;", 0),
    "never ready": (CORE, r"assign operand_ready = .*;", "assign operand_ready = 1'b0;", 0),
    "ready sees valid": (
        CORE,
        r"assign operand_ready = (.*);",
        r"assign operand_ready = (\1) & operand_valid;",
        0,
    ),
    "modulus not waited for": (
        CORE,
        r"assign modulus_ready = .*;",
        "assign modulus_ready = 1'b1;",
        0,
    ),
    "no first": (CORE, r"assign result_first = .*;", "assign result_first = 1'b0;", 0),
    "no last": (CORE, r"assign result_last = .*;", "assign result_last = 1'b0;", 0),
    "no results": (CORE, r"done <= left == 4'd1;", "done <= 1'b0;", 0),
}
FAULTS = some(EVERY_FAULT)


@pytest.fixture(scope="module")
def caught() -> dict[str, CampaignTotals]:
    """What the trials of all faults, and one without, found; all faults are in the core."""
    written = emit(INTERLEAVED)
    faulty = [inject(written, *fault) for fault in FAULTS.values()]
    tallies = trials(INTERLEAVED, [*faulty, written], Cache(), interfaces=["core"])
    return dict(zip((*FAULTS, "none"), tallies, strict=True))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_caught(caught: dict[str, CampaignTotals], fault: str) -> None:
    assert caught[fault].wrong > 0


def test_without_a_fault_nothing_is_caught(caught: dict[str, CampaignTotals]) -> None:
    assert caught["none"].wrong == 0 and caught["none"].products >= 500


ONE_ROW = find("montgomery-1csa")(width=9, adder_word=4)
OF_TABLE = {
    "a modulus is not written": (r"table_writes <= last_beat_taken \| ", "table_writes <= "),
    "Y + M is not written": (r"(table_writes <= .*) \| last_of_table;", r"\1;"),
    "quotient without S and C": (r"quotient <= \(.*;", "quotient <= early;"),
    "the bit dropped from C is lost": (r"c_bit_dropped <= \S+;", "c_bit_dropped <= 1'b0;"),
    "words of S are not joined": (r"s_bit_below <= .*;", "s_bit_below <= 1'b0;"),
    "M is always added at the end": (r"wire add_twice_s = .*;", "wire add_twice_s = !in_sum;"),
}


@pytest.fixture(scope="module")
def caught_in_the_table() -> dict[str, CampaignTotals]:
    written, faults = emit(ONE_ROW), some(OF_TABLE)
    faulty = [inject(written, "montgomery_1csa_9_w4_core", *fault) for fault in faults.values()]
    tallies = trials(ONE_ROW, [*faulty, written], Cache(), interfaces=["core"])
    return dict(zip((*faults, "none"), tallies, strict=True))


def test_faults_of_a_table_in_memory_are_caught(
    caught_in_the_table: dict[str, CampaignTotals],
) -> None:
    wrong = {fault: tally.wrong for fault, tally in caught_in_the_table.items()}
    assert wrong.pop("none") == 0
    assert all(wrong.values()), wrong


OF_SUMS = {
    "cios": {
        "the carry is not asked": (r"total\[0\] \| !last_pass", "1'b1"),
        "2N is never subtracted": (r"total\[0\] \| !last_pass", "total[0] & last_pass"),
        "nothing is inverted": (r" \^ \{3\{inverted_d3\}\}", ""),
        "a + b inverts a": (r"summing & \(row_2 \| last_pass\)", "summing"),
        "a is not added": (r"a_added_d3 \? a_word : t_word", "t_word"),
        "a - b is a + b": (r"last_pass <= operand_subtract;", "last_pass <= 1'b0;"),
        "a + b is a product": (r"operand_add \| operand_subtract", "operand_subtract"),
        "a row is too early": (r"pass_ends_d5 <= pass_ends_d4;", "pass_ends_d5 <= pass_ends_d3;"),
        "the last words are of products": (
            r"summing \? row_2 & word_ends : row_2_ends;",
            "row_2_ends;",
        ),
        "the carry is kept": (r"summing \? row_ends : ", ""),
        "a quotient in a sum": (r"quotient <= starts_d5 & !summing", "quotient <= starts_d5"),
    },
    "fios": {
        "the carry is not asked": (r"two <= t_sum\[0\];", "two <= 1'b1;"),
        "2N is never subtracted": (r"two <= !subtracting;", "two <= 1'b0;"),
        "the carry is one of products": (
            r"pass_ends_d5 <= pass_ends_d4",
            "pass_ends_d5 <= ends_2_d4",
        ),
        "U is not inverted": (r" \^ \{3\{inverted_2_d3\}\}", ""),
        "a is not inverted": (r" \^ \{3\{inverted_1_d3\}\}", ""),
        "a is not added": (r"a_added_d3 \? a_word : t_word", "t_word"),
        "a - b is a + b": (r"subtracting <= operand_subtract;", "subtracting <= 1'b0;"),
        "b is added twice": (r"\{2'd0, !last_pass\}", "3'd1"),
        "a step too many": (r"last_pass <= 1'b1;", "last_pass <= last_pass;"),
        "the lowest word is lost": (r"summing_2 \? row_2 : ", ""),
    },
}


@pytest.mark.parametrize("name", OF_SUMS)
@pytest.mark.long
def test_faults_of_sums_are_caught(name: str) -> None:
    adder, faults = find(name)(width=20, word=3, adder=True), some(OF_SUMS[name])
    written = emit(adder)
    faulty = [inject(written, f"{name}_20_w3_adder_core", *fault) for fault in faults.values()]
    tallies = trials(adder, [*faulty, written], Cache(), interfaces=["core"])
    wrong = dict(zip((*faults, "none"), (tally.wrong for tally in tallies), strict=True))
    assert wrong.pop("none") == 0
    assert all(wrong.values()), wrong


def test_a_fault_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="0 matches"):
        inject(emit(INTERLEAVED), CORE, "no such text", "")


def test_more_products_than_places_for_results_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen only where a slow core meets a full queue of results: they have to be held back long."""
    slow = find("fcs-mmm42")(width=32)
    right = emit(slow)
    original = elastic.queue
    monkeypatch.setattr(elastic, "queue", lambda width, depth: original(width, depth - 1))
    texts = [emit(slow), right]
    short, full = trials(slow, texts, Cache(), products=200, interfaces=["stream"])
    assert full.wrong == 0
    assert short.wrong > 0
    assert short.failed is not None
    assert short.failed[0].drive.hold
