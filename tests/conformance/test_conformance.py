"""One suite for every architecture in the registry: the emitted Verilog against the integers.

All instances go into one simulator, since each C++ compile costs seconds.  Of each architecture
there are a few that show as many values of its options as they can.  With CONFORMANCE=1 there are
all, on every target that they name, and with the environment variable WIDTH (of 6 bits or more)
those of that width instead, with all other parameters at their default (`make widths`: 64 to
4096 bits)."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterator

import numpy as np
import pytest

from instances import (
    core_alone,
    facts,
    few,
    first_of_each,
    instances,
    of_width,
    seen_by_adapter,
)
from modmul import multipliers
from modmul.export import hdl
from modmul.multipliers import Multiplier
from modmul.multipliers.contract import Operand
from modmul.multipliers.operations import SUMS
from modmul.multipliers.setting import Setting
from modmul.operation import Mode
from modmul.toolchain.cache import Cache
from modmul.verification import plan, stimuli
from modmul.verification.judge import judge
from modmul.verification.products import designs
from modmul.verification.protocol import CoreRequest, ModulusRun, StimulusProfile
from modmul.verification.simulator import CompiledCore, Session, Simulator, compile_simulator

SAMPLED = 2
ALL = bool(os.environ.get("CONFORMANCE"))
# Instances of an architecture by default: the second shows what differs most from the first.  More
# of those with several datapaths, with two multipliers, with an adder; one of those whose second
# differs as that of a sister does.
SHOWN, SHOWN_OF = 2, {"fpmm": 4, "fips": 3, "cios": 3}
SHOWN_OF |= dict.fromkeys(("fcs-mm-2", "array-5counter", "array-booth", "tree-dadda"), 1)
STREAMED_PLAIN = 2  # of plain products, which differ from each other in rows alone
# Instances that the long run also tries behind the adapter, if bit-parallel or of any length.
STREAMED = 4
RANDOM_PRODUCTS = 300 if ALL else 150
EXHAUSTIVE_WIDTH = 6
# Pairs of operands that are all tried, for one modulus: by default those of 6 bits.
EXHAUSTIVE_PAIRS = 20_000 if ALL else 4096
WIDTH = os.environ.get("WIDTH")


def chosen(architecture: type[Multiplier]) -> list[Multiplier]:
    """The instances of an architecture to be tested."""
    if WIDTH:
        return of_width(architecture, int(WIDTH))
    sampled = instances(architecture, SAMPLED)
    return sampled if ALL else few(sampled)[: SHOWN_OF.get(architecture.name, SHOWN)]


def test_few_show_what_all_show() -> None:
    """Every value of every option, and no instance for nothing."""
    for architecture in multipliers.REGISTRY.values():
        every = instances(architecture, SAMPLED)
        shown = [facts(instance) for instance in few(every)]
        assert set().union(*shown) == set().union(*map(facts, every))
        assert all(new - set().union(*shown[:place]) for place, new in enumerate(shown) if place)


BY_ARCHITECTURE = [chosen(entry) for entry in multipliers.REGISTRY.values()]
INSTANCES = list(itertools.chain(*BY_ARCHITECTURE))


def streamed(every: list[Multiplier]) -> list[Multiplier]:
    """Those of an architecture's instances that the long run also tries behind the adapter."""
    if every and every[0].kind == "plain":
        return every[:STREAMED_PLAIN]
    return every[:STREAMED] if not every or every[0].beats == 1 or every[0].lengths else every


# In the order of INSTANCES; by default one for each kind of adapter.
BEHIND_ADAPTER = (
    list(itertools.chain(*map(streamed, BY_ARCHITECTURE)))
    if ALL or WIDTH
    else first_of_each(INSTANCES, seen_by_adapter)
)


def all_operands(multiplier: Multiplier) -> bool:
    """Whether all pairs of operands are tried."""
    bound = multiplier.operand_bound((1 << multiplier.width) - 1)
    return multiplier.width <= EXHAUSTIVE_WIDTH and bound**2 <= EXHAUSTIVE_PAIRS


def name(multiplier: Multiplier) -> str:
    return f"{multiplier.title}-{INSTANCES.index(multiplier)}"


every_instance = pytest.mark.parametrize("multiplier", INSTANCES, ids=name)
small_instance = pytest.mark.parametrize(
    "multiplier", [multiplier for multiplier in INSTANCES if all_operands(multiplier)], ids=name
)
streamed_instance = pytest.mark.parametrize("multiplier", BEHIND_ADAPTER, ids=name)
modular_instance = pytest.mark.parametrize(
    "multiplier", [multiplier for multiplier in INSTANCES if multiplier.kind == "modular"], ids=name
)


def bare_core(multiplier: Multiplier) -> CompiledCore:
    """Without its adapter."""
    written = core_alone(multiplier)
    return CompiledCore(multiplier, written.verilog, written.core, "core", written.models)


@pytest.fixture(scope="module")
def simulator() -> Simulator:
    cores, streams = [], []
    for multiplier in INSTANCES:
        if multiplier in BEHIND_ADAPTER:
            core, stream = designs(multiplier, hdl.emit(multiplier))
            streams.append(stream)
        else:
            core = bare_core(multiplier)
        cores.append(core)
    return compile_simulator([*cores, *streams], Cache())


@pytest.fixture
def session(simulator: Simulator) -> Iterator[Session]:
    with simulator.start() as running:
        yield running


def core_of(multiplier: Multiplier) -> int:
    """The number of the bare core's design."""
    return INSTANCES.index(multiplier)


def stream_of(multiplier: Multiplier) -> int:
    return len(INSTANCES) + BEHIND_ADAPTER.index(multiplier)


def check(session: Session, request: CoreRequest, golden_stride: int = 1) -> int:
    """Run a batch, expect no fault; products checked."""
    verdict = judge(request, session.run(request), golden_stride)
    assert not verdict.mismatches, [mismatch.message for mismatch in verdict.mismatches[:5]]
    return verdict.products


@every_instance
def test_edges_and_random_products(multiplier: Multiplier, session: Session) -> None:
    interfaces = [(core_of(multiplier), "core")]
    if multiplier in BEHIND_ADAPTER:
        interfaces.append((stream_of(multiplier), "stream"))
    tasks = plan.tasks(multiplier, RANDOM_PRODUCTS, interfaces)  # type: ignore[arg-type]
    checked = 0
    for task in tasks:
        request = plan.request(multiplier, None, 1, task)
        checked += check(session, request, task.golden_stride)
    assert checked > RANDOM_PRODUCTS


@small_instance
def test_all_operands(multiplier: Multiplier, session: Session) -> None:
    """All that are taken, or if these are too many, all below the bound of operands."""
    rng = random.Random(5)
    for setting in stimuli.edge_settings(multiplier, None):
        a_below, b_below = setting.a_below, setting.b_below
        if a_below * b_below > EXHAUSTIVE_PAIRS:
            a_below = b_below = setting.operand_bound
        bound = min(a_below, b_below)
        pairs = itertools.product(range(a_below), range(b_below))
        products = stimuli.in_form(multiplier, pairs, random.Random(1))
        runs = [ModulusRun(setting, products)]
        for operation in multiplier.operations[1:]:
            own = [(a, rng.randrange(bound)) for a in range(bound)]
            if operation in SUMS:
                pairs = itertools.product(range(setting.operand_bound), repeat=2)
                own = stimuli.in_form(multiplier, pairs, rng)
            runs.append(ModulusRun(setting, own, operations=[operation] * len(own)))
        request = CoreRequest(multiplier, core_of(multiplier), plan.CORE[0], runs, 1)
        assert check(session, request, 5) == sum(len(run.products) for run in runs)


@modular_instance
def test_powers_with_unreduced_feedback(multiplier: Multiplier, session: Session) -> None:
    """x^e mod N by chained products, several at once; results go back as they come out."""
    rng = random.Random(7)
    mode = Mode(words=multiplier.lengths[1]) if multiplier.lengths else Mode()
    if "prime" not in multiplier.fields_built:
        pytest.skip("integers only")
    modulus = stimuli.edge_moduli(multiplier, mode)[0]
    setting = Setting(multiplier, modulus, mode)
    count, factor = multiplier.slots + 2, setting.montgomery_factor
    assert factor is not None
    bases = [rng.randrange(modulus) for _ in range(count)]
    exponents = [rng.getrandbits(20) | 1 << 19 for _ in range(count)]

    def products(left: list[Operand], right: list[Operand]) -> list[Operand]:
        run = ModulusRun(setting, list(zip(left, right, strict=True)))
        square = multiplier.squares and left is right
        run.operations = ["square" if square else "multiply"] * len(left)
        outcome = session.run(CoreRequest(multiplier, core_of(multiplier), plan.CORE[0], [run], 1))
        return outcome.values

    def operands(values: list[int]) -> list[Operand]:
        pairs = stimuli.in_form(multiplier, [(value, value) for value in values], rng)
        return [first for first, _ in pairs]

    into = operands([factor * factor % modulus] * count)
    base = products(operands(bases), into)
    power = products(operands([1 % modulus] * count), into)
    for bit in reversed(range(20)):
        power = products(power, power)
        multiplied = products(power, base)
        power = [
            more if exponent >> bit & 1 else same
            for same, more, exponent in zip(power, multiplied, exponents, strict=True)
        ]
    results = products(power, operands([1] * count))
    wanted = [pow(x, e, modulus) for x, e in zip(bases, exponents, strict=True)]
    numbers = [value if isinstance(value, int) else sum(value) for value in results]
    assert [number % modulus for number in numbers] == wanted


@streamed_instance
def test_adapter_sustains_the_rate_of_the_core(multiplier: Multiplier, session: Session) -> None:
    rng = random.Random(3)
    setting = stimuli.edge_settings(multiplier, None)[-1]
    count = 40 * multiplier.slots
    products = stimuli.random_products(setting, count, rng)

    def rate(design: int, drive: StimulusProfile) -> float:
        request = CoreRequest(multiplier, design, drive, [ModulusRun(setting, products)], 1)
        outcome = session.run(request)
        assert not judge(request, outcome).mismatches
        ends = outcome.results["last"].astype(np.int64)[10 * multiplier.slots :]
        return float((ends[-1] - ends[0]) / (len(ends) - 1))

    core = multiplier.cycles_per_product(setting.mode)
    if multiplier.timing != "constant":  # of these products
        core = rate(core_of(multiplier), plan.CORE[0])
    assert rate(stream_of(multiplier), plan.STREAM[0]) <= 1.02 * core
