"""What no sequence of inputs breaks on a bus, proved by a solver on the delivered text: answers
stay until they are taken, each request has one and nothing else has, no secret is read; and for
each of these a fault that breaks it is refuted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bus_systems import System, system_of_form
from modmul.export.contents import Contents
from modmul.multipliers.contract import Multiplier
from modmul.spec import Spec
from modmul.system import buses, on_bus
from prover import holds, of_registers, of_streams, of_words, properties

ALONE = "remembers"  # assumes more of the master than the others

_SECRET = (r"(assign rdata = read_register)", r"\1 | ({32{at_a_window}} & operand_beat_a[31:0])")
_IN_REGISTERS = {
    "secret": _SECRET,
    "nothing_there": (r"error <= en & !is_possible;", "error <= 1'b0;"),
    "constant": (r"(at_capabilities = .*) == 5'd3\)", r"\1 == 5'd9)"),
    "remembers": (r"( & wstrb\[1\])\) begin", r") begin"),
    "quiet_after_reset": (r"^      ack <= 1'b0;\n", ""),
}
_DROPPED = (r"ack <= en;", "ack <= en & is_possible;")
_AXI4LITE = _IN_REGISTERS | {
    "write_answer_stays": (r"end else if \(s_axi_bready\) begin", "end else begin"),
    "read_answer_stays": (r"if \(s_axi_rready\) begin", "begin"),
    "write_answer_was_asked_for": (r"(assign|wire) (write_waits = aw_full) & w_full", r"\1 \2"),
    "read_answer_was_asked_for": (r"read_done = read_asked & ", "read_done = "),
    "at_most_two_under_way": (
        r"if \(write_done(\) begin\s+s_axi_bvalid)",
        r"if (write_done & !native_error\1",
    ),
    "read_is_answered": (
        r"if \(read_done(\) begin\s+s_axi_rvalid)",
        r"if (read_done & !native_error\1",
    ),
    "quiet_after_reset": (r"^      aw_started <= 1'b0;\n", ""),
}
FAULTS = {
    "native": _IN_REGISTERS
    | {
        "answered_in_the_next_cycle": _DROPPED,
        "answer_was_asked_for": (r"ack <= en;", "ack <= en | error;"),
        "data_of_reads_alone": (r"if \(en & !we\) begin", "if (en) begin"),
        "interrupt_is_enabled": (r"\|\(events & enables\)", "|events"),
    },
    "axi4lite": _AXI4LITE
    | {
        "write_is_answered": (
            r"write_asked <= native_we;",
            "write_asked <= native_we & native_wstrb[0];",
        ),
        "offer_is_taken": (
            r"(end else if \(native_we)(\) begin\s+aw_full <= 1'b0;)",
            r"\1 & !aw_addr[2]\2",
        ),
        "constant": (r"(assign native_addr = )native_we \?", r"\1write_waits ?"),
    },
    "axi4lite64": _AXI4LITE
    | {
        "write_is_answered": (r"(write_asked <= .*) \| second_write;", r"\1;"),
        "offer_is_taken": (
            r"(end else if \(write_begins)(\) begin\s+aw_full <= 1'b0;)",
            r"\1 & !aw_addr[2]\2",
        ),
        "constant": (r"read_upper = second_read \|", "read_upper ="),
        "secret": (r"native_error \? 32'd0 : native_rdata", "native_rdata | w_data[31:0]"),
        "nothing_there": (r"has_first_data \? first_error : native_error", "first_error"),
        "remembers": (r"native_wstrb = write_upper \?", "native_wstrb = second_write ?"),
    },
    "wishbone": _IN_REGISTERS
    | {
        "answer_was_asked_for": (r"(assign wb_ack_o = .*) & native_ack", r"\1"),
        "one_kind_of_answer": (r"(assign wb_ack_o = .*) & !native_error", r"\1"),
        "answered_in_the_next_cycle": (r"(assign wb_err_o = )", r"\1 1'b0 & "),
        "remembers": (r"(at_enables = .*) == 5'd7\)", r"\1 == 5'd9)"),
    },
    "apb4": _IN_REGISTERS
    | {
        "no_wait_states": _DROPPED,
        "answer_was_asked_for": (r"(assign native_en = psel) & !penable;", r"\1;"),
    },
    "axi4stream": {
        "result_stays": (r"\.result_ready\(m_axis_result_tready\)", ".result_ready(1'b1)"),
        "result_was_asked_for": (r"done <= left == 2'd1;", "done <= |left;"),
        "few_under_way": (r"(assign result_has_place =) .*;", r"\1 1'b1;"),
        "result_comes": (
            r"\.w_en\(core_result_valid\)",
            ".w_en(core_result_valid & core_result_data[0])",
        ),
        "operand_is_taken": (r"loaded <= 1'b1;", "loaded <= 1'b0;"),
        "last_ends_a_result": (r"\.result_last\(m_axis_result_tlast\)", ".result_last()"),
        "quiet_after_reset": (r"^      level <= 3'd0;\n", ""),
    },
}
STREAMS = {"architecture": "interleaved", "width": 2}
BUSES = (*buses.REGISTRY, buses.STREAMED)
ALL = [(bus, name) for bus in BUSES for name in properties(bus)]
QUICK = {("native", "secret")}


@pytest.fixture(scope="module")
def device() -> System:
    return system_of_form("one beat")


def streamed(options: dict[str, object]) -> tuple[Multiplier, str, str]:
    """A multiplier, the name of its module with AXI4-Stream, and the whole text."""
    spec = Spec.from_options(options)
    contents = Contents.of(spec, "x", bus="axi4stream")
    stands = on_bus.streamed(contents)
    return spec.multiplier, stands.top, f"{contents.emitted.verilog}{stands.addition.verilog}"


def proved(
    device: System, bus: str, wanted: list[str], folder: Path, fault: tuple[str, str] | None = None
) -> bool:
    """Of the text with a fault in one place.  With registers the core may answer anything; the
    streams are those of a whole small multiplier."""
    if bus == buses.STREAMED:
        design, top, verilog = streamed(STREAMS)
        monitor, opaque = of_streams(design, top, wanted), None
    else:
        monitor, verilog = of_registers(device, bus, wanted), device.verilog(bus)[1]
        opaque = device.written.stream
    if fault is not None:
        verilog, changed = re.subn(*fault, verilog, flags=re.M)
        assert changed == 1
    return holds(monitor, verilog, folder, opaque)


def test_there_is_a_fault_for_every_property(device: System) -> None:
    """And the text that each of them changes is there once."""
    for bus in BUSES:
        assert FAULTS[bus].keys() == set(properties(bus))
        assert len(properties(bus)) >= 7
        if bus == buses.STREAMED:
            _, _, verilog = streamed(STREAMS)
        else:
            verilog = device.verilog(bus)[1]
        for name, (old, _) in FAULTS[bus].items():
            assert len(re.findall(old, verilog, re.MULTILINE)) == 1, (bus, name)


@pytest.mark.parametrize(
    "bus",
    [pytest.param(bus, marks=() if bus == "native" else pytest.mark.long) for bus in BUSES],
)
def test_proved(device: System, bus: str, tmp_path: Path) -> None:
    names = properties(bus)
    assert proved(device, bus, [name for name in names if name != ALONE], tmp_path)
    if ALONE in names:
        assert proved(device, bus, [ALONE], tmp_path)


@pytest.mark.parametrize(
    ("bus", "name"),
    [pytest.param(*case, marks=() if case in QUICK else pytest.mark.long) for case in ALL],
)
def test_injected_faults_are_refuted(device: System, bus: str, name: str, tmp_path: Path) -> None:
    assert not proved(device, bus, [name], tmp_path, FAULTS[bus][name])


@pytest.mark.long
@pytest.mark.parametrize("bus", buses.REGISTRY)
@pytest.mark.parametrize("form", ["processor", "modes"])
def test_of_other_forms(form: str, bus: str, tmp_path: Path) -> None:
    """A processor; a multiplier with banks."""
    other = system_of_form(form)
    for wanted in ([name for name in properties(bus) if name != ALONE], [ALONE]):
        assert proved(other, bus, wanted, tmp_path)


WORDS: dict[str, object] = {"architecture": "fips", "width": 4, "word": 2}
SAFE = [
    "result_stays",
    "quiet_after_reset",
    "last_ends_a_result",
    "result_was_asked_for",
    "few_under_way",
]


@pytest.mark.long
def test_of_streams_of_several_beats(tmp_path: Path) -> None:
    """In two parts: of the core with what is assumed of the adapter, and of all with what was
    proved of the core, where the adapter's part is proved."""
    both = of_words(*streamed(WORDS), SAFE)
    for monitor, verilog in both:
        assert holds(monitor, verilog, tmp_path, None)


IN_WORDS = {
    "core": (r"receiving <= !operand_at_end;", "receiving <= 1'b0;"),
    "result of no product": (r"result_valid = difference_valid;", "result_valid = 1'b1;"),
    "queue": (r"(assign result_has_place =) .*;", r"\1 1'b1;"),
    "last": (r"\.result_last\(m_axis_result_tlast\)", ".result_last()"),
    "adapter": (
        r"(assign core_operand_valid =) operands_sink_valid & may_send;",
        r"\1 operands_sink_valid;",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("fault", IN_WORDS)
def test_faults_in_words_are_refuted(fault: str, tmp_path: Path) -> None:
    design, top, verilog = streamed(WORDS)
    verilog, changed = re.subn(*IN_WORDS[fault], verilog, flags=re.M)
    assert changed == 1
    both = of_words(design, top, verilog, SAFE)
    assert not all(holds(monitor, text, tmp_path, None) for monitor, text in both)
