"""Every architecture, interface and target in simulators that know X, and from random states.

Icarus is a hundred times as fast as Yosys' `sim`: where it is installed it runs them all, by
default one with each kind of adapter and the bare core of the others, and `sim` a few of each kind;
else, and with CONFORMANCE=1, `sim` runs them all."""

from __future__ import annotations

import functools
import itertools
import os
from dataclasses import dataclass, replace
from typing import Any

import pytest
from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring

import four_state
from four_state.processor import curve_script, exponentiation_script
from four_state.script import script
from injected import inject
from instances import core_alone, first_of_each, seen_by_adapter
from modmul import multipliers, targets
from modmul.blocks import elastic
from modmul.blocks.gather import SHORT_QUEUE
from modmul.design import Interface
from modmul.export.hdl import Hdl, emit
from modmul.export.ports import ports
from modmul.forecast import Forecast
from modmul.multipliers import Constant, Multiplier
from modmul.multipliers.fips import Fips
from modmul.multipliers.fpmm import Fpmm, cascade, operands
from modmul.multipliers.fpmm.fixed import FpmmFixed
from modmul.multipliers.interleaved import Interleaved
from modmul.multipliers.orup import Orup
from modmul.multipliers.radix2.interleaved_redundant import InterleavedRedundant
from modmul.multipliers.ranges import Bound
from modmul.multipliers.signature import core_signature
from modmul.multipliers.streamed import Streamed, core_timing
from modmul.operation import Cycles, Mode
from modmul.processors.curve import PrimeCurve
from modmul.processors.engine.processor import EngineProcessor
from modmul.processors.exponentiation import Exponentiation
from modmul.processors.kummer import Kummer
from modmul.spec import Spec
from modmul.targets import models
from modmul.toolchain import icarus
from modmul.toolchain.cache import Cache
from modmul.verification import netlist, plan
from modmul.verification.campaign import CampaignTotals, run
from modmul.verification.simulator import CompiledCore, compile_simulator

with_icarus = pytest.mark.skipif(
    not icarus.installed(), reason="Icarus Verilog is not installed: no second simulator with X"
)
ALL = bool(os.environ.get("CONFORMANCE"))  # every example
INTERFACES: tuple[Interface, ...] = ("core", "stream")
WITH_BLOCKS = [chip.name for chip in targets.REGISTRY.values() if chip.dsp and chip.dsp.cell]
FASTEST: four_state.Simulator = "icarus" if icarus.installed() else "yosys"


def shortest(architecture: type[Multiplier]) -> Multiplier:
    """Without models of hard blocks, if there is one: see `BY_TARGET`."""
    return min(
        architecture.examples(),
        key=lambda example: (
            example.target in WITH_BLOCKS,
            example.width * example.worst("latency"),
        ),
    )


SMALLEST = [shortest(architecture) for architecture in multipliers.REGISTRY.values()]
SERIAL = Interleaved(width=5)
BY_TARGET = [Fpmm(width=6, word=4, tile="2x2", target=target) for target in WITH_BLOCKS]
FIXED = next(example for example in FpmmFixed.examples() if example.target in WITH_BLOCKS)
PROTECTED = [
    replace(small, protection="full") for small in SMALLEST if small.name in ("cios", "fips")
]
EXAMPLES = [
    *PROTECTED,
    *(example for entry in multipliers.REGISTRY.values() for example in entry.examples()),
]
CASCADE = Fpmm(width=6, word=4, tile="2x2")
# Those that `sim` is quick with: registers alone, and a table in memory.
QUICK = [
    multiplier for multiplier in SMALLEST if multiplier.name in ("interleaved", "montgomery-1csa")
]
# Above what a short queue holds: operands, modulus, and results.
LONG = Fpmm(width=70, word=2, tile="2x2")


def in_sim(every: list[Any], few: list[Any]) -> list[Any]:
    """What `sim` runs of what Icarus runs, too."""
    return every if ALL or not icarus.installed() else few


@functools.cache
def emitted(design: Multiplier | Exponentiation) -> Hdl:
    """Emitted once; not where a fault is injected into what emits."""
    return emit(design)


def title(design: Any) -> str:
    if isinstance(design, str):
        return design
    return (
        f"{design.title}-{design.target}"
        if isinstance(design, Multiplier)
        else getattr(design, "title", "")
    )


def top(written: Hdl, interface: Interface) -> str:
    return written.core if interface == "core" else written.stream


def verdict(
    written: Hdl,
    multiplier: Multiplier,
    interface: Interface,
    simulator: four_state.Simulator,
    unset: bool,
) -> four_state.StateVerdict:
    name = top(written, interface)
    text = four_state.unset(written, name) if unset else written.simulated
    return four_state.check_multiplier(multiplier, text, name, interface, simulator)


def is_clean(outcome: four_state.StateVerdict) -> None:
    assert not outcome.messages
    assert outcome.results >= 3


# ---- what pip alone can run ----------------------------------------------------------------------


@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize("multiplier", EXAMPLES if ALL else in_sim(SMALLEST, QUICK), ids=title)
def test_without_initial_values(multiplier: Multiplier, interface: Interface) -> None:
    """After one reset, whatever registers and memories held: stronger than as it is emitted."""
    is_clean(verdict(emitted(multiplier), multiplier, interface, "yosys", unset=True))


def test_a_word_of_a_table_that_is_never_written_is_seen() -> None:
    """Word 0 of `montgomery-1csa`, written after a reset: a memory that starts as 0 hides it."""
    multiplier = multipliers.find("montgomery-1csa")(width=4)
    written = emit(multiplier)
    faulty = inject(written, written.core, r"table_writes <= 1'b1;", "table_writes <= 1'b0;")
    unset = four_state.unset(faulty, faulty.core)
    outcome = four_state.check_multiplier(multiplier, unset, faulty.core, "core", "yosys")
    assert outcome.messages


@pytest.mark.parametrize(
    "multiplier",
    in_sim([FIXED, *BY_TARGET], [pytest.param(BY_TARGET[-1], marks=pytest.mark.long)]),
    ids=title,
)
def test_on_every_target_with_hard_blocks(multiplier: Multiplier) -> None:
    """The short script: models of hard blocks are slow in `sim`."""
    written = emit(multiplier)
    text = four_state.unset(written, written.stream)
    plan = script(multiplier, "stream", 0)
    streams = ports(multiplier, "stream")
    is_clean(four_state.check(text, written.stream, streams, plan, "yosys"))


OLD_CHIPS = [
    InterleavedRedundant(width=3, adder_word=1, target="xcve"),
    Fpmm(width=6, word=4, tile="2x2", target="xc2vp"),
]


@pytest.mark.long  # Yosys takes most of it; netlists with two values: `test_netlist.py`
@pytest.mark.parametrize("multiplier", OLD_CHIPS, ids=title)
def test_netlists_on_old_chips(multiplier: Multiplier) -> None:
    """After synthesis: RAM of look-up tables, shift registers, hard multipliers.  Yosys' models of
    the cells, without ours, since they would be there twice."""
    mapped = netlist.mapped(emit(multiplier), Spec(multiplier, interface="core"))
    ours = models.read(multiplier.chip.models)
    theirs = replace(mapped, models=tuple(model for model in mapped.models if model not in ours))
    text = four_state.unset(theirs, mapped.core)
    plan = script(multiplier, "core", 0)
    is_clean(four_state.check(text, mapped.core, ports(multiplier, "core"), plan, FASTEST))


@pytest.mark.parametrize("multiplier", in_sim([CASCADE, SERIAL], [SERIAL]), ids=title)
def test_as_emitted(multiplier: Multiplier) -> None:
    is_clean(verdict(emitted(multiplier), multiplier, "stream", "yosys", unset=False))


@pytest.mark.skipif(FASTEST == "yosys" and not ALL, reason="takes long: make verification")
def test_queues_in_block_ram() -> None:
    """A queue above SHORT_QUEUE has a read register without initial value."""
    shape = core_timing(LONG)
    assert min(2 * shape.beats, shape.beats * shape.most_owed) > SHORT_QUEUE
    is_clean(verdict(emitted(LONG), LONG, "stream", FASTEST, unset=False))


@dataclass(frozen=True, kw_only=True)
class WordwiseZero(Multiplier):
    """0 * 0 = N modulo N, word by word, with a modulus so long that its queue is in block RAM."""

    name = "words"
    summary = "takes zeros alone, and gives the modulus, which has many beats"
    radix = 2
    montgomery_factor = 1
    beats = SHORT_QUEUE // 2 + 1
    beat = 2

    operand_limit = Bound(1, "1")
    result_limit = Bound(2)

    def constants(self, modulus: int) -> list[Constant]:
        return [Constant(f"n[{j}]", modulus >> 2 * j & 3) for j in range(SHORT_QUEUE + 2)]

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        return {"words": Cycles.constant(self.beats)}

    def interval(self, mode: Mode = Mode()) -> Cycles:
        return Cycles.constant(self.beats)

    def compute(self, a: Any, b: Any, modulus: int) -> Any:
        return modulus

    def core_forecast(self) -> Forecast:
        raise NotImplementedError("nobody plans with it")

    def create(self) -> wiring.Component:
        return _Words(self)


class _Words(wiring.Component):
    def __init__(self, parameters: Multiplier):
        super().__init__(core_signature(parameters))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        modulus, inside = Signal(2 * SHORT_QUEUE + 4, reset_less=True), Signal()
        place = Signal(range(WordwiseZero.beats))
        m.d.comb += [
            self.operand.ready.eq(~inside),
            self.modulus.ready.eq(1),
            self.result.valid.eq(self.operand.valid & ~inside),
            self.result.p.first.eq(self.operand.p.first),
            self.result.p.last.eq(self.operand.p.last),
            self.result.p.data.eq(
                modulus.word_select(place, 2) ^ self.operand.p.a ^ self.operand.p.b
            ),
        ]
        with m.If(self.modulus.valid):
            m.d.sync += inside.eq(~self.modulus.p.last)
            m.d.sync += modulus.eq(Cat(modulus[2:], self.modulus.p.data))
        with m.If(self.result.valid):
            m.d.sync += place.eq(Mux(self.operand.p.last, 0, place + 1))
        return m


@pytest.mark.parametrize("interface", INTERFACES if ALL else INTERFACES[:1])
def test_a_long_modulus(interface: Interface) -> None:
    words = WordwiseZero(width=66)
    assert core_timing(words).modulus_beats > SHORT_QUEUE
    is_clean(verdict(emitted(words), words, interface, FASTEST, unset=True))


# With fips the length of a modulus is unknown until its first beat is in.
POWERS = [
    Exponentiation(multiplier=Interleaved(width=5), beat=5, exponent_word=8),
    Exponentiation(multiplier=Fips(width=8, word=4), exponent_word=8),
    Exponentiation(multiplier=Fips(width=8, word=4, protection="full"), exponent_word=8),
]
if ALL:
    POWERS.append(Exponentiation(multiplier=Fpmm(width=9, word=4, tile="2x2"), exponent_word=8))


def power_verdict(
    processor: Exponentiation, simulator: four_state.Simulator
) -> four_state.StateVerdict:
    written = emitted(processor)
    text = four_state.unset(written, written.stream)
    plan = exponentiation_script(processor)
    return four_state.check(text, written.stream, ports(processor, "stream"), plan, simulator)


@pytest.mark.parametrize("processor", in_sim(POWERS, POWERS[:1]), ids=title)
def test_processors(processor: Exponentiation) -> None:
    is_clean(power_verdict(processor, "yosys"))


# Small primes only; registers in instantiated block RAM, whose model gives X where a word is read
# and written at once; in plain block RAM, in LUTs, and behind a converter.
ENGINES: list[EngineProcessor] = [
    PrimeCurve(multiplier=Fpmm(width=16, target="ecp5"), randomise=False, schemes="none"),
    PrimeCurve(multiplier=Fpmm(width=16), randomise=False, forms="weierstrass", schemes="ecdsa"),
    PrimeCurve(multiplier=Fpmm(width=16, protection="full"), forms="weierstrass", schemes="ecdsa"),
    PrimeCurve(multiplier=Fips(width=9, word=4), register_file="distributed", schemes="none"),
    PrimeCurve(multiplier=multipliers.find("montgomery-lookahead")(width=9), schemes="none"),
    Kummer(multiplier=Fpmm(width=16, target="ecp5")),
    # programs with constants in one block; all registers in one bank, written by two ports
    Kummer(multiplier=Fpmm(width=16, target="xc4v"), wrapped=True),
    Kummer(multiplier=Fpmm(width=16), wrapped=True, units=2, ports=2, register_file="one-bank"),
    # multiples of the modulus in shift registers; products and sums in a bank each
    Kummer(
        multiplier=Fpmm(width=16, target="xc4v"),
        wrapped=True,
        units=2,
        ports=2,
        register_file="two-banks",
    ),
    # all registers in one memory that is read and written on both ports
    Kummer(
        multiplier=Fpmm(width=64, word=17, target="xc4v"),
        wrapped=True,
        units=2,
        ports=2,
        interconnect="operand",
    ),
]
# The first of these with one form of curves: half as much to schedule and to simulate.
ONE_FORM = replace(ENGINES[0], forms="weierstrass")
SHORT, WHOLE = 400, 20_000  # cycles of an operation: a check of a point; a multiplication


def curve_verdict(
    processor: EngineProcessor, simulator: four_state.Simulator, cycles: int
) -> four_state.StateVerdict:
    written = emit(processor)
    text = four_state.unset(written, written.stream)
    plan = curve_script(processor, cycles)
    return four_state.check(text, written.stream, ports(processor, "stream"), plan, simulator)


@pytest.mark.long
def test_a_processor_for_curves() -> None:
    """Checks of points alone: `sim` is slow."""
    outcome = curve_verdict(ENGINES[0], "yosys", SHORT)
    assert not outcome.messages and outcome.results >= 2


# ---- Icarus --------------------------------------------------------------------------------------


# Plain products differ in rows alone.  Of the chips with models of hard blocks: one that is placed
# and routed here, and the oldest.
PLAIN = [multiplier for multiplier in SMALLEST if multiplier.kind == "plain"]
SMALL = [
    *(multiplier for multiplier in SMALLEST if multiplier not in PLAIN[1:-1]),
    FIXED,
    *(multiplier for multiplier in BY_TARGET if multiplier.target in ("ecp5", "xc2vp")),
]
BEHIND_ADAPTER = first_of_each(SMALL, seen_by_adapter)
IN_ICARUS: list[tuple[Multiplier, Interface]] = (
    list(itertools.product(EXAMPLES, INTERFACES))
    if ALL
    else [
        (small, "stream" if small in BEHIND_ADAPTER else "core")
        for small in SMALL
        if small in BEHIND_ADAPTER or small in SMALL[::6]
    ]
    + [(Orup(width=16, word=4, delay=5, settle=0, operand_registers=3), "core")]  # digits come late
    + [(PROTECTED[0], "stream")]
)


@with_icarus
@pytest.mark.parametrize(("multiplier", "interface"), IN_ICARUS, ids=title)
def test_in_icarus(multiplier: Multiplier, interface: Interface) -> None:
    written = emitted(multiplier) if ALL or interface == "stream" else core_alone(multiplier)
    is_clean(verdict(written, multiplier, interface, "icarus", unset=True))


@with_icarus
@pytest.mark.parametrize("interface", INTERFACES if ALL else INTERFACES[1:])
@pytest.mark.parametrize("multiplier", EXAMPLES if ALL else BEHIND_ADAPTER[::4], ids=title)
def test_as_emitted_in_icarus(multiplier: Multiplier, interface: Interface) -> None:
    """With the initial values that it has, which a reset makes superfluous: the weaker test."""
    is_clean(verdict(emitted(multiplier), multiplier, interface, "icarus", unset=False))


@with_icarus
@pytest.mark.parametrize("processor", Exponentiation.examples() if ALL else POWERS, ids=title)
def test_processors_in_icarus(processor: Exponentiation) -> None:
    is_clean(power_verdict(processor, "icarus"))


@with_icarus
@pytest.mark.parametrize("processor", ENGINES if ALL else [ONE_FORM], ids=title)
@pytest.mark.long
def test_processors_for_curves_in_icarus(processor: EngineProcessor) -> None:
    """Every operation, multiplication among them; by default those that are short."""
    found = curve_verdict(processor, "icarus", WHOLE if ALL else SHORT)
    assert not found.messages and found.results >= 2


@with_icarus
@pytest.mark.long  # `test_queues_in_block_ram` has short ones
@pytest.mark.parametrize("target", ["ecp5", "generic", "xc7", "xcup"])
def test_wide_streams_in_icarus(target: str) -> None:
    """From 1088 bits up the queues of operands with words of 34 bits are in block RAM."""
    wide = Fpmm(width=1088, target=target)
    is_clean(verdict(emit(wide), wide, "stream", "icarus", unset=False))


# ---- from random states --------------------------------------------------------------------------


@pytest.mark.long
def test_from_random_states() -> None:
    """No initial values, registers and memories at random, in a two-state simulator: twice."""
    every, designs = [*SMALLEST, *PROTECTED, FIXED, BY_TARGET[0], BY_TARGET[1]], []
    for multiplier in every:
        written = emit(multiplier)
        text = four_state.unset(written, written.stream)
        designs.append(CompiledCore(multiplier, text, written.stream, "stream", ()))
    simulator = compile_simulator(designs, Cache())
    for number, multiplier in enumerate(every):
        for power_up in (1, 2):
            tasks = itertools.islice(plan.tasks(multiplier, 60, [(number, "stream")]), 3)
            tally: CampaignTotals = run(simulator, multiplier, None, tasks, power_up)
            assert tally.failed is None, (multiplier.title, tally.failed[1].mismatches[:3])
            assert tally.products > 0


@pytest.mark.parametrize("multiplier", SMALLEST, ids=title)
def test_there_is_a_second_modulus(multiplier: Multiplier) -> None:
    if multiplier.modulus_at != "run time" or multiplier.width < 3:
        pytest.skip("loads none, or there is no other")
    for cycles in (four_state.AFFORDABLE["icarus"], 0):
        items = script(multiplier, "core", cycles).items
        loads = "".join(str(item.lanes) for item in items if item.kind == "modulus")
        packets = {packet for packet in loads.split("('first', 1)") if "('last', 1)" in packet}
        assert len(packets) > 1


# ---- that it sees what it should -----------------------------------------------------------------


def messages(multiplier: Multiplier, interface: Interface = "stream") -> str:
    outcome = verdict(emit(multiplier), multiplier, interface, FASTEST, unset=True)
    return " ".join(outcome.messages)


def test_a_carry_that_nothing_clears_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    original = cascade.carry_adder

    def never_cleared(*arguments: Any, clear: Any, **options: Any) -> Signal:
        return original(*arguments, **options)

    monkeypatch.setattr(cascade, "carry_adder", never_cleared)
    assert "of the results is" in messages(CASCADE)


def test_an_operand_that_was_never_written_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    class Unread(operands.SimpleDualPort):
        def elaborate(self, platform: object) -> Module:
            self.read_clear = Signal()  # type: ignore[misc]
            return super().elaborate(platform)

    monkeypatch.setattr(operands, "SimpleDualPort", Unread)
    assert "of the results is" in messages(CASCADE)


def test_an_operand_before_any_modulus_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    original = elastic.Elastic._operands

    def open_(self: Any, m: Module, started: Signal, free: Signal, waits: Value) -> Any:
        return original(self, m, started, free, Signal())

    monkeypatch.setattr(elastic.Elastic, "_operands", open_)
    assert "before any modulus" in messages(SERIAL)


LATE = 60


@dataclass(frozen=True, kw_only=True)
class Stubborn(WordwiseZero):
    """Its results come through registers that a reset does not clear."""

    name = "stubborn"

    def cycles(self, mode: Mode = Mode()) -> dict[str, Cycles]:
        return {"words": Cycles.constant(self.beats + LATE)}

    def create(self) -> wiring.Component:
        return _Stubborn(self)


class _Stubborn(wiring.Component):
    def __init__(self, parameters: Multiplier):
        self.parameters = parameters
        super().__init__(core_signature(parameters))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.words = words = _Words(self.parameters)
        wiring.connect(m, wiring.flipped(self.operand), words.operand)
        wiring.connect(m, wiring.flipped(self.modulus), words.modulus)
        late = Cat(words.result.valid, words.result.p)
        for stage in range(LATE):
            register = Signal(len(late), name=f"late_{stage}", reset_less=True)
            m.d.sync += register.eq(late)
            late = register
        m.d.comb += Cat(self.result.valid, self.result.p).eq(late)
        return m


def test_a_modulus_that_takes_no_effect_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Streamed.elaborate

    def deaf(self: Streamed, platform: object) -> Module:
        """The core is shown the first modulus alone: later ones are taken and forgotten."""
        m = original(self, platform)
        known = Signal()
        with m.If(self.adapter.core_modulus.valid & self.adapter.core_modulus.ready):
            m.d.sync += known.eq(1)
        m.d.comb += self.core.modulus.valid.eq(self.adapter.core_modulus.valid & ~known)
        return m

    monkeypatch.setattr(Streamed, "elaborate", deaf)
    assert "should be" in messages(Interleaved(width=8))


def test_what_a_reset_does_not_clear_is_seen() -> None:
    assert "result_valid is x" in messages(Stubborn(width=66), "core")
