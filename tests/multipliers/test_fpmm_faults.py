"""Faults injected into the FPMM's hardware: verification must catch every one of them.

Tiny words and tiles make the rare carries frequent.  Each fault is one change of one piece of the
generator; all faulty designs go into one simulator."""

from __future__ import annotations

import gc
import os
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from amaranth.hdl import Const, Module, Signal, Value

from modmul.blocks import delay as delays
from modmul.blocks.memory import SimpleDualPort
from modmul.design import Interface
from modmul.export.hdl import Hdl, emit
from modmul.multipliers.fpmm import Fpmm, cascade, columns, core, modulus, slots
from modmul.multipliers.fpmm.timeline import SlotFlag, SlotValue
from modmul.toolchain.cache import Cache
from modmul.verification import campaign, plan
from modmul.verification.campaign import CampaignTotals
from modmul.verification.products import designs
from modmul.verification.simulator import CompiledCore, compile_simulator

CASCADE = Fpmm(width=10, word=4, tile="2x2")
COLUMNS = Fpmm(width=10, word=4, tile="2x2", target="ecp5")
SOUND = {"cascade": CASCADE, "columns": COLUMNS, "smallest": Fpmm(width=4, word=2, tile="2x2")}

Patch = pytest.MonkeyPatch


def lost_carry(name: str) -> Callable[[Patch], None]:
    """A word adder of the cascade forgets its carry."""
    original = cascade.carry_adder

    def faulty(m: Module, x: Value, y: Value, label: str, *, clear: Any, restart: Any) -> Any:
        always = (Const(1, 1), Const(0, 1))
        own = always if label == name else restart
        return original(m, x, y, label, clear=clear, restart=own)

    return lambda patch: patch.setattr(cascade, "carry_adder", faulty)


def cleared_carry(name: str, time: Callable[[Any], int]) -> Callable[[Patch], None]:
    """A carry is cleared where a slot starts: what the slot before left is lost."""
    original = cascade.CascadeDatapath.build

    def build(self: Any, *arguments: Any) -> Value:
        adder = cascade.carry_adder

        def faulty(m: Module, x: Value, y: Value, label: str, *, clear: Any, restart: Any) -> Any:
            start = (self.timeline.start(time(self.schedule)), Const(0, 1))
            own = start if label == name else restart
            return adder(m, x, y, label, clear=clear, restart=own)

        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(cascade, "carry_adder", faulty)
            return original(self, *arguments)

    return lambda patch: patch.setattr(cascade.CascadeDatapath, "build", build)


def stale_carry(patch: Patch) -> None:
    """The quotient is taken from u instead of v: the carry of the slot before is in it."""
    original = cascade.CascadeDatapath._sum

    def faulty(self: Any, low: Value, *arguments: Any) -> Any:
        u, _ = original(self, low, *arguments)
        sum_ = low + self.t_in + u[-1]
        stale = SlotValue(self.timeline, sum_, self.schedule.low1, "stale")
        return u, self._blocks(stale, "stale")

    patch.setattr(cascade.CascadeDatapath, "_sum", faulty)


def wrong_word_order(patch: Patch) -> None:
    """Neighbouring words change places on their way into the memories."""
    original = SimpleDualPort.elaborate

    def faulty(self: SimpleDualPort, platform: object) -> Module:
        address = self.write_address
        self.write_address = address ^ 1  # type: ignore[misc]
        module = original(self, platform)
        self.write_address = address  # type: ignore[misc]
        return module

    patch.setattr(SimpleDualPort, "elaborate", faulty)


def never_zeroed(patch: Patch) -> None:
    """T of the product before enters a first iteration."""
    patch.setattr(core.Core, "_keep", lambda self, time: Const(1, 1))


def nothing_dropped(patch: Patch) -> None:
    """A new modulus leaves the products in flight alone."""
    original = modulus.LoadedModulus.__init__

    def faulty(self: Any, m: Module, build: Any, timeline: Any, slots: Any, stream: Any) -> None:
        drop, slots.drop_products = slots.drop_products, Signal(name="not_used")
        original(self, m, build, timeline, slots, stream)
        slots.drop_products = drop

    patch.setattr(modulus.LoadedModulus, "__init__", faulty)


def results_survive(patch: Patch) -> None:
    """A new modulus empties the slots, but results on their way out are still called valid."""

    def faulty(*arguments: Any) -> SlotFlag:
        *others, _ = arguments
        return SlotFlag(*others, Const(0, 1))

    patch.setattr(slots, "SlotFlag", faulty)


def carry_survives(patch: Patch) -> None:
    """Empty slots clear the carry one slot too late, when a product may be there."""
    original = cascade.CascadeDatapath._carry_adder

    def faulty(self: Any, x: Value, y: Value, time: int, *others: Any) -> Any:
        late = time + self.timeline.theta
        active, at = self.active, self.active.at

        class Late:
            @staticmethod
            def at(_: int) -> Value:
                return at(late)

        self.active = Late
        try:
            return original(self, x, y, time, *others)
        finally:
            self.active = active

    patch.setattr(cascade.CascadeDatapath, "_carry_adder", faulty)


def one_cycle_late(module: Any, name: str) -> Callable[[Patch], None]:
    """One delay is a cycle too long."""
    original = delays.delay

    def faulty(m: Module, value: Value, cycles: int, label: str, late: int = 0) -> Value:
        return original(m, value, cycles + (label == name), label, late)

    return lambda patch: patch.setattr(module, "delay", faulty)


def lost_column_carry(name: str) -> Callable[[Patch], None]:
    """A digit adder's carry out is always zero."""
    original = columns.ColumnsDatapath._add

    def faulty(self: Any, label: str, *arguments: Any, **options: Any) -> Any:
        total, carry = original(self, label, *arguments, **options)
        return total, Const(0, 1) if label == name else carry

    return lambda patch: patch.setattr(columns.ColumnsDatapath, "_add", faulty)


Injected = tuple[str, Fpmm, Callable[[Patch], None]]  # name, where, how
FAULTS: list[Injected] = [
    ("lost_carry_ab", CASCADE, lost_carry("ab")),
    ("carry_cleared_late", CASCADE, carry_survives),
    ("columns_nothing_dropped", COLUMNS, nothing_dropped),
]
# More of these kinds: more than as many again to compile.
OTHERS: list[Injected] = [
    ("stale_carry", CASCADE, stale_carry),
    ("never_zeroed", CASCADE, never_zeroed),
    ("nothing_dropped", CASCADE, nothing_dropped),
    ("columns_word_order", COLUMNS, wrong_word_order),
    ("lost_carry_t", CASCADE, lost_carry("t")),
    ("cleared_d", CASCADE, cleared_carry("u", lambda schedule: schedule.u - 1)),
    ("word_order", CASCADE, wrong_word_order),
    ("results_survive", CASCADE, results_survive),
    ("late_u", CASCADE, one_cycle_late(cascade, "u")),
    ("columns_never_zeroed", COLUMNS, never_zeroed),
    *(
        (f"columns_lost_{name}", COLUMNS, lost_column_carry(name))
        for name in ("acc01_hi", "v0", "cross_lo", "v2", "u1", "acc00_lo", "t1")
    ),
]


def injected(faults: list[Injected]) -> dict[str, tuple[Fpmm, Hdl]]:
    """The texts with these faults, and those without any."""
    texts = {name: (design, emit(design)) for name, design in SOUND.items()}
    for name, design, inject in faults:
        with pytest.MonkeyPatch.context() as patch:
            inject(patch)
            texts[name] = design, emit(design, name)
    return texts


class FaultySimulator:
    """Texts in one simulator, at the core alone: half as much to compile.  In the long run sound
    ones behind their adapter, too."""

    def __init__(self, texts: dict[str, tuple[Fpmm, Hdl]]):
        self.texts, every = texts, list[CompiledCore]()
        self.tried: dict[str, list[tuple[int, Interface]]] = {}
        for name, (multiplier, text) in texts.items():
            both = designs(multiplier, text)
            whole = name in SOUND and os.environ.get("CONFORMANCE")
            several = both if whole else [each for each in both if each.interface == "core"]
            self.tried[name] = [
                (len(every) + place, each.interface) for place, each in enumerate(several)
            ]
            every += several
        self.simulator = compile_simulator(every, Cache())

    def tally(self, name: str) -> CampaignTotals:
        multiplier = self.texts[name][0]
        tasks = plan.tasks(multiplier, 500, self.tried[name])
        return campaign.run(self.simulator, multiplier, None, tasks, seed=1)


@pytest.fixture(scope="module")
def simulated() -> FaultySimulator:
    """All that is simulated by default: to compile several at once takes half of the time."""
    return FaultySimulator(injected(FAULTS) | {"one_slot_too_few": one_slot_too_few()})


@pytest.mark.parametrize(
    "faults", [FAULTS, pytest.param(OTHERS, marks=pytest.mark.long)], ids=["faults", "others"]
)
def test_every_injected_fault_is_caught(faults: list[Injected], simulated: FaultySimulator) -> None:
    several = simulated if faults is FAULTS else FaultySimulator(injected(faults))
    assert [name for name in SOUND if several.tally(name).wrong] == []
    assert [name for name, _, _ in faults if not several.tally(name).wrong] == []


@pytest.mark.parametrize("declared", [0, 1, pytest.param(2, marks=pytest.mark.long)])
def test_what_a_modulus_drops_is_exact(
    declared: int, simulated: FaultySimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results that come later than declared are seen, and those that do not come though they are
    declared to.  What is declared is in no text."""
    right = Fpmm.drop_latency
    monkeypatch.setattr(Fpmm, "drop_latency", declared)
    tallies = [simulated.tally(name) for name in SOUND]
    assert any(tally.dropped for tally in tallies)
    assert any(tally.wrong for tally in tallies) == (declared != right)


def one_slot_too_few() -> tuple[Fpmm, Hdl]:
    """A design that the parameters refuse, and that the generator has no register left for, built
    all the same."""
    design = Fpmm(width=10, word=4, tile="2x2")
    object.__setattr__(design, "slots", design.smallest_slots - 1)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*created but never used")
        with pytest.raises(ValueError, match="before it is there"):
            emit(design)
        gc.collect()
    original = cascade.CascadeDatapath._feed_back

    def forced(self: Any, *arguments: Any) -> None:
        self.slack = max(0, self.slack)
        original(self, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cascade.CascadeDatapath, "_feed_back", forced)
        return design, emit(design, "one_slot_too_few")


def test_one_slot_too_few_is_caught(simulated: FaultySimulator) -> None:
    """Its results are wrong."""
    assert simulated.tally("one_slot_too_few").wrong
