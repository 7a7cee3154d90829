"""Designs of every form on every bus: what they answer, and that faults in them are found."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from amaranth.hdl import Fragment, Signal

from bus_systems import FORMS, system_of_form
from modmul import designs
from modmul.design import Design
from modmul.errors import SpecError
from modmul.spec import Spec
from modmul.system import block, buses, text
from modmul.system.build import build
from modmul.system.buses import axi4stream
from modmul.system.channels import chains
from modmul.system.register_map import register_map
from modmul.system.script import Access
from modmul.toolchain import icarus
from system_model import Model, RandomSequence

COUNT = 10_000 if os.environ.get("CONFORMANCE") else 500
QUICK_FORMS = (  # by default each bus once, and each kind of form
    ("one beat", "native"),
    ("words", "wishbone"),
    ("modes", "apb4"),
    ("one beat", "axi4lite"),
)
EXAMPLES = [example for name in designs.NAMES for example in designs.find(name).examples()]


def shorter(names: Iterable[str], *others: str) -> list[Any]:
    """These names, all but some of them in long runs only."""
    return [pytest.param(name, marks=() if name in others else pytest.mark.long) for name in names]


@pytest.mark.parametrize(
    ("form", "bus"),
    [
        pytest.param(form, bus, marks=() if (form, bus) in QUICK_FORMS else pytest.mark.long)
        for form in FORMS
        for bus in buses.REGISTERED
    ],
)
def test_every_form_on_every_bus(form: str, bus: str, tmp_path: Path) -> None:
    device = system_of_form(form)
    assert device.passes(device.run(bus, tmp_path))


@pytest.mark.skipif(not icarus.installed(), reason="needs Icarus Verilog")
@pytest.mark.parametrize("bus", shorter(buses.REGISTERED, "axi4lite"))
def test_in_icarus_nothing_is_unknown(bus: str, tmp_path: Path) -> None:
    """Memories and registers have no initial values there: the reset alone must do."""

    def undefined(verilog: str) -> str:
        return re.sub(
            r"^(  (?:output )?reg [^;,=\n]*?) = \d+'[bdh]\w+(?=[;,]?$)", r"\1", verilog, flags=re.M
        )

    device = system_of_form("words")
    output = device.run(
        bus, tmp_path, change=undefined, simulate=lambda sources: icarus.simulate(sources, "x_tb")
    )
    assert device.passes(output)


@pytest.mark.parametrize(
    "design",
    [
        pytest.param(design, marks=() if place % 40 == 0 else pytest.mark.long)
        for place, design in enumerate(EXAMPLES)
    ],
    ids=lambda design: design.title,
)
def test_every_example_is_elaborated(design: Design) -> None:
    """On one bus after the other, and with AXI4-Stream."""
    place = EXAMPLES.index(design)
    regs = register_map(design, {})
    shell = buses.REGISTRY[buses.REGISTERED[place % len(buses.REGISTERED)]]
    assert Fragment.get(text.OnBus(design, regs, shell, "design"), None)
    assert Fragment.get(axi4stream.OnAxi4Stream(design, "design"), None)
    names = [port.name for port in shell.ports(regs.address_bits)]
    assert len(set(names)) == len(names)
    places = [entry.address for entry in (*regs.registers, *regs.windows)]
    assert sorted(set(places)) == sorted(places)
    assert all(4 * window.words <= regs.unit for window in regs.windows)


def test_what_is_secret_cannot_be_read() -> None:
    for design in EXAMPLES if os.environ.get("CONFORMANCE") else EXAMPLES[::15]:
        regs = register_map(design, {})
        inputs = {stream.name for stream in design.streams if stream.direction == "input"}
        written = {window.channel for window in regs.windows if window.access == "write"}
        assert inputs == written


def test_results_are_operands_where_bounds_say_so() -> None:
    chained = {
        name: {chains(example) for example in designs.find(name).examples()}
        for name in designs.NAMES
    }
    assert chained["montgomery-radix2"] == {True}
    assert chained["array-booth"] == chained["exponentiation"] == {False}


# ---- faults ------------------------------------------------------------------------------------


def swapped(pattern: str, replacement: str) -> Callable[[str], str]:
    """A fault in one place of the text."""

    def change(verilog: str) -> str:
        changed, count = re.subn(pattern, replacement, verilog, flags=re.M)
        assert count == 1, (pattern, count)
        return changed

    return change


IN_REGISTERS = {
    "strobe ignored": (r"( & wstrb\[1\])\) begin", r") begin"),
    "strobe of a window ignored": (r"(select_a & !busy) \? strobes", r"\1 ? 4'd15"),
    "address off by one": (r"(at_enables = .*) == 5'd7\)", r"\1 == 5'd9)"),
    "window off by one": (r"(at_b_window = .*)3'd3\)", r"\g<1>3'd5)"),
    "event lost": (r"(operand_done, modulus_done, wiped,[^}]*?)\bdone(\s*\})", r"\g<1>1'b0\2"),
    "error not told": (r"error <= en & !is_possible;", r"error <= 1'b0;"),
}
IN_SHELLS = {
    "axi4lite": {
        "dropped valid": (r"end else if \(s_axi_bready\) begin", "end else begin"),
        "dropped valid of a read": (r"if \(s_axi_rready\) begin", "begin"),
        "dropped answer": (r"if \(write_done\) begin", "if (write_done & !native_error) begin"),
        "doubled answer": (
            r"end else if \(read_begins\) begin\s+ar_full <= 1'b0;\s+end",
            "end else if (read_begins & native_addr[2]) begin ar_full <= 1'b0; end",
        ),
        "error not told": (r"= native_error \? 2'd2 : 2'd0;", "= 2'd0;"),
    },
    "wishbone": {
        "dropped answer": (r"(assign wb_err_o = )", r"\1 1'b0 & "),
        "answer without an end": (r"asked <= native_en;", "asked <= 1'b0;"),
        "answer before it is there": (r"(assign wb_ack_o = .*) & native_ack", r"\1"),
    },
    "apb4": {
        "dropped answer": (r"ack <= en;", "ack <= en & is_possible;"),
        "asked twice": (r"(assign native_en = psel) & !penable;", r"\1;"),
    },
    "native": {
        "dropped answer": (r"ack <= en;", "ack <= en & is_possible;"),
        "doubled answer": (r"ack <= en;", "ack <= en | error;"),
    },
}
QUICK = {
    ("axi4lite", "dropped valid"),
    ("axi4lite", "dropped answer"),
    ("wishbone", "dropped answer"),
    ("apb4", "asked twice"),
    ("native", "doubled answer"),
    ("native", "event lost"),
    ("native", "strobe of a window ignored"),
    ("native", "window off by one"),
}
IN_BANKS = {
    "result in no bank": (r"clear \| \(stored & writes\) \? 4'd15", "clear ? 4'd15"),
    "bank written meanwhile": (r"!\(busy \| stored \| clear\) \? strobes", "!clear ? strobes"),
    "another bank": (r"b_bank\[1:0\] - 2'd1", "a_bank[1:0] - 2'd1"),
    "banks not wiped": (r"clear \? 32'd0 : stored & writes", "stored & writes"),
    "two products at once": (r"\n +& !computing", ""),
    "strobe ignored": (r"(stored \| clear\)) \? strobes", r"\1 ? 4'd15"),
    "bank readable": (
        r"(assign rdata = read_register)",
        r"\1 | ({32{at_bank1_window}} & banked_a)",
    ),
}
FAULTS = [
    pytest.param(
        bus, fault, id=f"{bus} {name}", marks=() if (bus, name) in QUICK else pytest.mark.long
    )
    for bus in buses.REGISTERED
    for name, fault in (IN_SHELLS[bus] | IN_REGISTERS).items()
]


@pytest.mark.parametrize(("bus", "fault"), FAULTS)
@pytest.mark.short("native event lost")
def test_injected_faults_are_found(bus: str, fault: tuple[str, str], tmp_path: Path) -> None:
    device = system_of_form("one beat")
    assert not device.passes(device.run(bus, tmp_path, change=swapped(*fault)))


@pytest.mark.parametrize("name", shorter(IN_BANKS))
def test_injected_faults_in_banks_are_found(name: str, tmp_path: Path) -> None:
    device = system_of_form("modes")
    assert not device.passes(device.run("native", tmp_path, change=swapped(*IN_BANKS[name])))


@pytest.mark.long
@pytest.mark.parametrize("bus", buses.REGISTERED)
def test_a_readable_secret_is_found(
    bus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The beat that is being sent, at the address of its window.  By default proofs find it."""
    answer, add_windows = block.Registers._answer, block.Registers._input

    def add_and_note(self: Any, channel: Any, cleared: Signal) -> Any:
        windows = add_windows(self, channel, cleared)
        self._leaking = getattr(self, "_leaking", {}) | {channel.name: windows}
        return windows

    def leaks(self: Any, values: Any, result: Any) -> None:
        answer(self, values, result)
        leak, reads = self._leaking["operand"].beat_a[:32], Signal()
        self._m.d.sync += reads.eq(self.en & ~self.we & self._at["a_window"])
        with self._m.If(reads):
            self._m.d.comb += self.rdata.eq(leak)

    monkeypatch.setattr(block.Registers, "_input", add_and_note)
    monkeypatch.setattr(block.Registers, "_answer", leaks)
    device = system_of_form("one beat")
    assert not device.passes(device.run(bus, tmp_path))


# ---- random accesses ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def random_accesses() -> list[Access]:
    """Random accesses, in long runs 10,000, with what the model answers."""
    device = system_of_form("one beat")
    multiplier = device.spec.multiplier

    def compute(numbers: Any, modulus: int | None) -> Any:
        assert modulus is not None
        return {"result": multiplier.over(modulus).compute(numbers["a"], numbers["b"])}

    def bound(modulus: int) -> int:
        return multiplier.over(modulus).operand_bound

    model = Model(device.regs, compute)
    moduli = [(1 << 40) - 1, (1 << 39) + 1, 0x8_1234_5677, 0xFEDCBA9877]
    sequence = RandomSequence(model, moduli, bound, 25)
    sequence.make(COUNT)
    sequence.end()
    return sequence.accesses


@pytest.mark.parametrize("bus", shorter(buses.REGISTERED, "axi4lite"))
def test_random_accesses(random_accesses: list[Access], bus: str, tmp_path: Path) -> None:
    """With pauses in a second round: equal to the model, every one."""
    device = system_of_form("one beat")
    assert len(random_accesses) >= COUNT
    kinds = {(access.kind, access.error) for access in random_accesses}
    assert kinds >= {("read", True), ("read", False), ("write", True), ("write", False)}
    output = device.run(bus, tmp_path, random_accesses)
    assert device.passes(output, random_accesses), output[-2000:]


# ---- what a user is told -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "bus", "key"),
    [({}, "pci", "bus"), ({}, "AXI4LITE", "bus"), ({"interface": "core"}, "native", "interface")],
)
def test_what_cannot_be_is_refused_before_any_work(
    options: dict[str, Any], bus: str, key: str, tmp_path: Path
) -> None:
    spec = Spec.from_options({"architecture": "interleaved", "width": 8} | options)
    with pytest.raises(SpecError, match=f"^{key} = ") as refused:
        build(spec, tmp_path / "out", bus=bus)
    assert refused.value.key == key
    assert not (tmp_path / "out").exists()
