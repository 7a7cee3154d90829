"""Faults in the emitted Verilog: a bit of the sequencer, of the status or of the count of tests is
another one for once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from glitches import Glitches, RegisterBit
from modmul import multipliers
from modmul.arithmetic.keys import Key
from modmul.export.hdl import emit
from modmul.operation import Job
from modmul.processors.contract import Load
from modmul.processors.rsa import Rsa
from modmul.toolchain.cache import Cache
from modmul.verification.processors import Batch, design_of
from modmul.verification.processors.exchange import FULL_SPEED, StreamRequest
from modmul.verification.streams import compile_streams

pytestmark = pytest.mark.timeout(7200)  # compiles, and simulates for long
STATUS = [
    *(RegisterBit("", "status", bit) for bit in range(4)),
    *(RegisterBit("", "tests_done", bit) for bit in range(3)),
]
COUNTS = [
    RegisterBit("_sequencer", name, bit)
    for name, bits in (("address_reg", 9), ("passes_left", 8), ("loop_start", 8), ("left", 7))
    for bit in range(bits)
]
SINGLE = [
    RegisterBit("_sequencer", name, 0)
    for name in (
        "ends_now",
        "waiting_valid",
        "address_valid",
        "fetched_valid",
        "one_pass_left",
        "at_end",
        "waiting_is_halt",
        "waiting_is_loop",
        "last_pass",
        "first_pass",
        "arrived",
        "issue",
        "extra_pass",
        "waits_for_host",
    )
]
WORD = [
    RegisterBit("_sequencer", f"word_{name}", bit)
    for name, bits in (("b", 6), ("a", 6), ("dst", 6), ("aux", 4))
    for bit in range(bits)
]


@pytest.mark.parametrize(
    "sites, step",
    [(STATUS + COUNTS[:9], 450), (STATUS + COUNTS + SINGLE + WORD, 67)],
    ids=["some", "all"],
)
@pytest.mark.long
def test_sequencer_and_status(sites: list[RegisterBit], step: int) -> None:
    """At times all over an operation: the result is right, or a fault is told, or the packet of the
    result does not end.  Nothing wrong leaves under a status of 0."""
    processor = Rsa(multiplier=multipliers.find("fpmm")(width=32), method="ladder")
    key = Key.of_bits(32, 7 << 25, e=11)
    job = Job(processor.mode("private", Load(key)), key, {"x": 0x1234567890ABCDEF % int(key)})
    right = {"y": pow(job.operands["x"], key.d, int(key))}
    begin, total = processor.programs.build.store_beats, processor.latency(job.mode).maximum
    glitches = Glitches(sites, range(begin, begin + total + 40, step))
    asked = StreamRequest(processor, 0, FULL_SPEED, [Batch(key, [job])]).exchange()
    asked = replace(asked, patience=200, limit=4 * total)
    written = emit(processor)
    design = replace(design_of(processor, written), verilog=glitches.injected(written.verilog))
    seen: Counter[str] = Counter()
    with compile_streams([design], Cache()).start() as session:
        for site in sites:
            for time in glitches.times:
                beats = session.run(0, asked).beats["result"]
                if len(beats) != processor.reply_beats(job.mode, key):
                    seen["no packet"] += 1
                    continue
                said = processor.reply(job.mode, beats)
                assert said in (right, {"fault": True}), (site, time)
                seen["right" if said == right else "fault"] += 1
        assert processor.reply(job.mode, session.run(0, asked).beats["result"]) == right
    print(f"{len(sites)} bits, {len(glitches.times)} times: {dict(seen)}")
    assert seen["fault"] > 20 and seen["right"] > 20
