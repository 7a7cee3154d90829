"""The generic stream driver, on small modules that keep the protocol or break it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest

from modmul.export.ports import Port
from modmul.toolchain.cache import Cache
from modmul.verification.streams import (
    Exchange,
    Offer,
    StreamDesign,
    StreamSession,
    compile_streams,
)

# One beat is kept, x + 1 goes out.  `behaviour`: what happens while it waits.
MODULE = """
module {name}(input clk, input rst,
  input in_valid, output in_ready, input [{top}:0] in_data, input in_flag,
  output out_valid, input out_ready, output [{top}:0] out_data, output out_flag);
  reg full; reg [{top}:0] kept; reg flag; reg toggle;
  assign in_ready = ~full | (out_valid & out_ready & {leaves});
  assign out_valid = full & {valid};
  assign out_data = kept + 1'b1 + {change};
  assign out_flag = flag;
  always @(posedge clk) begin
    toggle <= rst ? 1'b0 : ~toggle;
    if (rst) full <= 0;
    else if (in_valid & in_ready) begin full <= 1; kept <= in_data; flag <= in_flag; end
    else if (out_valid & out_ready & {leaves}) full <= 0;
  end
endmodule
"""
GOOD = {"valid": "1'b1", "change": "1'b0", "leaves": "1'b1"}
MODULES = {
    "echo": GOOD,
    "wide": GOOD,
    "withdraws": GOOD | {"valid": "toggle"},
    "changes": GOOD | {"change": "toggle"},
    "repeats": GOOD | {"leaves": "toggle"},
    "silent": GOOD | {"valid": "1'b0"},
    "steady": GOOD,
}
WIDTHS = {name: 130 if name == "wide" else 5 for name in MODULES}


def design(name: str) -> StreamDesign:
    width = WIDTHS[name]
    ports = [Port("clk", 1, "input", ""), Port("rst", 1, "input", "")]
    both: tuple[tuple[str, Literal["input", "output"], Literal["input", "output"]], ...] = (
        ("in", "input", "output"),
        ("out", "output", "input"),
    )
    for stream, forward, back in both:
        ports.append(Port(f"{stream}_valid", 1, forward, "", stream, "valid"))
        if (name, stream) != ("steady", "out"):
            ports.append(Port(f"{stream}_ready", 1, back, "", stream, "ready"))
        ports.append(Port(f"{stream}_data", width, forward, "", stream, "data"))
        ports.append(Port(f"{stream}_flag", 1, forward, "", stream, "flag"))
    text = MODULE.format(name=name, top=width - 1, **MODULES[name])
    if name == "steady":
        text = text.replace("input out_ready, ", "").replace("out_ready", "1'b1")
    return StreamDesign(text, name, tuple(ports))


@pytest.fixture(scope="module")
def session() -> Iterator[StreamSession]:
    with compile_streams([design(name) for name in MODULES], Cache()).start() as running:
        yield running


def number(name: str) -> int:
    return list(MODULES).index(name)


def offers(count: int) -> list[Offer]:
    return [Offer({"data": 7 * i % 32, "flag": i % 2}) for i in range(count)]


@pytest.mark.parametrize("pauses", [{}, {"in": 128}, {"out": 200}, {"in": 200, "out": 100}])
def test_beats_go_through_in_order(session: StreamSession, pauses: dict[str, int]) -> None:
    count = 100
    outcome = session.run(number("echo"), Exchange({"in": offers(count)}, {"out": count}, pauses))
    assert outcome.status == "done" and outcome.violations == []
    assert outcome.beats["out"] == [{"data": (7 * i + 1) % 32, "flag": i % 2} for i in range(count)]
    cycles = outcome.cycles
    assert all(cycles["out"] > cycles["in"])
    spans = cycles["out"][-1] - cycles["in"][0]
    assert spans == count if not pauses else spans > count
    again = session.run(number("echo"), Exchange({"in": offers(count)}, {"out": count}, pauses))
    assert (again.cycles["out"] == cycles["out"]).all()


def test_an_output_without_ready_is_always_taken(session: StreamSession) -> None:
    """As those of a bare core."""
    count = 20
    outcome = session.run(number("steady"), Exchange({"in": offers(count)}, {"out": count}))
    assert outcome.status == "done" and outcome.violations == []
    assert [beat["data"] for beat in outcome.beats["out"]] == [
        (7 * i + 1) % 32 for i in range(count)
    ]
    assert (outcome.cycles["out"] == outcome.cycles["in"] + 1).all()
    with pytest.raises(ValueError, match="out cannot pause: there is no ready"):
        session.run(number("steady"), Exchange({}, {}, {"out": 1}))


def test_wide_beats(session: StreamSession) -> None:
    values = [0, 1, (1 << 130) - 1, 0xDEADBEEF << 97, 1 << 64]
    inputs = {"in": [Offer({"data": value}) for value in values]}
    outcome = session.run(number("wide"), Exchange(inputs, {"out": len(values)}))
    assert [beat["data"] for beat in outcome.beats["out"]] == [(v + 1) % (1 << 130) for v in values]


def test_gaps_and_what_a_beat_waits_for(session: StreamSession) -> None:
    inputs = [Offer({}), Offer({}, gap=9), Offer({}, after="out", beats=2), Offer({}, 4, "out", 3)]
    outcome = session.run(number("echo"), Exchange({"in": inputs}, {"out": 4}))
    assert outcome.cycles["in"].tolist() == [0, 10, 12, 18]
    assert outcome.cycles["out"].tolist() == [1, 11, 13, 19]


@pytest.mark.parametrize(
    ("name", "fault"),
    [("withdraws", "out: valid was withdrawn"), ("changes", "out: a waiting beat changed")],
)
def test_breaches_of_the_protocol(session: StreamSession, name: str, fault: str) -> None:
    asked = Exchange({"in": offers(50)}, {"out": 50}, {"out": 200})
    outcome = session.run(number(name), asked)
    assert outcome.violations and all(fault in violation for violation in outcome.violations)
    assert len(outcome.violations) <= 16


def test_too_much_and_nothing(session: StreamSession) -> None:
    asked = Exchange({"in": offers(10)}, {"out": 10}, limit=200)
    assert session.run(number("repeats"), asked).status == "flooded"
    silent = session.run(number("silent"), asked)
    assert (silent.status, silent.beats["out"]) == ("stuck", [])
    assert len(silent.cycles["in"]) == 1
    assert session.run(number("echo"), asked).status == "done"  # the session goes on


def test_what_cannot_be_asked(session: StreamSession) -> None:
    with pytest.raises(KeyError, match="no stream sideways"):
        session.run(0, Exchange({"sideways": offers(1)}, {}))
    with pytest.raises(KeyError, match="no field valid"):
        session.run(0, Exchange({"in": [Offer({"valid": 1})]}, {}))
    with pytest.raises(ValueError, match="has only 5 bits"):
        session.run(0, Exchange({"in": [Offer({"data": 32})]}, {}))
