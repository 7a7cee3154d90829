"""`protection = full`: results are right, and no fault of a campaign gives a wrong one."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from modmul import multipliers
from modmul.arithmetic import curves
from modmul.arithmetic.oracle import OracleQuery, right
from modmul.export import hdl
from modmul.operation import Job
from modmul.processors.contract import Load
from modmul.processors.curve import PrimeCurve
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.work import Work
from modmul.verification import faults
from modmul.verification.faults import Fault
from modmul.verification.faults.pair import Pair
from modmul.verification.faults.sites import Sites, struck
from modmul.verification.processors import stimuli
from modmul.verification.simulation.subjects import subject
from modmul.verification.streams import StreamDesign, StreamSession, compile_streams

FULL = {"architecture": "curve", "multiplier": "fpmm", "protection": "full"}
SIGNS = FULL | {"curve": "toy16", "forms": "weierstrass", "schemes": "ecdsa"}
TWISTED = {"curve": "toy16-twisted", "forms": "edwards", "schemes": "eddsa"}
SMALL = FULL | {"curve": "toy16-montgomery", "forms": "montgomery", "schemes": "none"}


@pytest.mark.parametrize("name", ["toy16", "toy16-montgomery", "toy16-edwards", "toy16-twisted"])
def test_every_operation_is_right(name: str) -> None:
    curve, rng = curves.find(name), random.Random(name)
    design = PrimeCurve(
        multiplier=multipliers.find("fpmm")(width=16, protection="full"), forms=curve.form
    )
    load = Load.of(curve)
    for operation in design.operations_on(load):
        mode = design.mode(operation, load)
        for _ in range(4):
            job = stimuli.job_of(design, mode, load, rng)
            query = OracleQuery(operation, job.operands, curve.prime, curve=mode.curve)
            assert design.compute(job) in (right(query), design.declined(job))


def test_a_point_that_is_not_on_the_curve_gives_no_multiple() -> None:
    curve = curves.find("toy16")
    design = Spec.from_options(SIGNS).processor
    mode = design.mode("point-multiply", Load.of(curve))
    job = Job(mode, curve.prime, {"scalar": 77, "x": curve.x, "y": curve.y ^ 1})
    outcome = design.run(job)  # type: ignore[attr-defined]
    assert outcome.results == (0, 0)
    assert design.answered(mode, outcome.results, outcome.status) == {"fault": True}  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["toy16-montgomery", "curve25519", "curve448"])
def test_points_of_small_order_are_no_faults(name: str) -> None:
    """For u = 0, also as p, both coordinates of the result are 0.  1 and p - 1: order 4."""
    curve = curves.find(name)
    width = curve.prime.bit_length()
    design = PrimeCurve(
        multiplier=multipliers.find("fpmm")(width=width, protection="full"),
        forms="montgomery",
        schemes="none",
    )
    mode = design.mode("x-multiply", Load.of(curve))
    for u in (0, curve.prime, 1, curve.prime - 1):
        for scalar in (0, 1, 8, 0x1234, (1 << mode.length) - 8):
            job = Job(mode, curve.prime, {"scalar": scalar, "u": u})
            query = OracleQuery("x-multiply", job.operands, curve.prime, curve=mode.curve)
            assert design.compute(job) == right(query), (u, scalar)


@pytest.fixture(scope="module")
def small() -> Iterator[tuple[Pair, Sites, StreamSession]]:
    """A protected processor in simulation, with two inversions, which take few cycles."""
    spec = Spec.from_options(SMALL)
    design, sites = struck(StreamDesign.of(spec.design, "stream", hdl.emit(spec.design)))
    operation = subject(spec, "invert")
    first, second = (operation.read({"value": value}) for value in (0x1234, 0x4321))
    with compile_streams([design], Cache()).start() as session:
        yield Pair.of(operation, (first, second)).with_results(session), sites, session


def struck_effects(
    small: tuple[Pair, Sites, StreamSession], places: str, count: int, last: int = 0
) -> Counter[Any]:
    """What comes of flips in the registers and memories of these names, each at a random cycle of
    the operation, or of its last ones."""
    pair, sites, session = small
    rng = random.Random(places)
    chosen = [place for place in sites.places if re.fullmatch(places, place.name)]
    assert chosen
    found: Counter[Any] = Counter()
    for _ in range(count):
        place = rng.choice(chosen)
        site, cycle = place.base + rng.randrange(place.size), rng.randrange(pair.ends)
        if last:
            cycle = pair.ends - rng.randrange(last)
        fault = Fault("flip", 0, site, 1, cycle, 1)
        effect, _ = pair.effect(fault.strike(session, pair))
        found[effect] += 1
        if effect in ("silent", "released"):
            found[str(sites.bit(site)), cycle] += 1
    return found


@pytest.mark.parametrize(
    ("places", "last"),
    [
        (r"constants\.ram\.ram|store\.ram", 0),
        (r"store\.read_register|sequencer\..*|tests_done|program_.*|passes", 0),
        # from the tests on, and while the result leaves
        (r"host\..*|sum_.*|write_.*|read_.*|mark_.*|adder\..*|.*gate\..*|status|starts_.*", 400),
    ],
)
def test_flips_give_nothing_wrong(
    small: tuple[Pair, Sites, StreamSession], places: str, last: int
) -> None:
    found = struck_effects(small, places, 40, last)
    assert not found["silent"] and not found["released"], found
    assert found["refused"] + found["stopped"] > 5


def test_a_number_that_is_not_complete_is_found(
    small: tuple[Pair, Sites, StreamSession],
) -> None:
    """A flip lets the sequencer go on while a beat of u is awaited."""
    _, sites, session = small
    operation = subject(Spec.from_options(SMALL), "x-multiply")
    request = operation.read({"scalar": 0x1234, "u": 0x1234})
    pair = Pair.of(operation, (request, request))
    first, second, *others = pair.exchange.inputs["operand"]
    late = {"operand": [first, replace(second, gap=260), *others]}
    slow = replace(pair.exchange, inputs={**pair.exchange.inputs, **late})
    pair = replace(pair, exchange=slow).with_results(session)
    site, found = sites.site("sequencer.waits_for_host[0]"), Counter[str]()
    for cycle in range(60, 330, 10):
        fault = Fault("flip", 0, site, 1, cycle, 1)
        effect, _ = pair.effect(fault.strike(session, pair))
        found[effect] += 1
    assert found["refused"] and not found["silent"] and not found["released"], found


def test_constants_in_wrong_places_are_found() -> None:
    """A flip while a modulus is loaded; that made good points invalid, of all operations."""
    spec, curve = Spec.from_options(SIGNS), curves.find("toy16")
    operation = subject(spec, "point-check")
    request = operation.read({"x": curve.x, "y": curve.y})
    design, sites = struck(StreamDesign.of(spec.design, "stream", hdl.emit(spec.design)))
    with compile_streams([design], Cache()).start() as session:
        pair = Pair.of(operation, (request, request)).with_results(session)
        found = Counter[str]()
        for bit in range(4, 7):
            site = sites.site(f"constants.next_place[{bit}]")
            for cycle in range(4, 120, 3):
                fault = Fault("flip", 0, site, 1, cycle, 1)
                effect, _ = pair.effect(fault.strike(session, pair))
                found[effect] += 1
    assert found["refused"] and not found["silent"] and not found["released"], found


@pytest.mark.long
@pytest.mark.parametrize("place", ["phase", "products.multiplier.write_address"])
def test_no_operation_suffers_from_a_fault_in_the_one_before(place: str) -> None:
    """These count for ever, and a fault in them would stay: the good point of the next operation
    would be invalid."""
    spec, curve = Spec.from_options(SIGNS), curves.find("toy16")
    operation = subject(spec, "ecdh")
    request = operation.read({"private": 77, "x": curve.x, "y": curve.y})
    design, sites = struck(StreamDesign.of(spec.design, "stream", hdl.emit(spec.design)))
    with compile_streams([design], Cache()).start() as session:
        pair = Pair.of(operation, (request, request)).with_results(session)
        site = sites.site(f"{place}[0]")
        for cycle in range(pair.ends - 200, pair.ends, 20):
            fault = Fault("flip", 0, site, 1, cycle, 1)
            effect, replies = pair.effect(fault.strike(session, pair))
            assert effect in ("harmless", "refused") and replies[1] == pair.right[1]


@pytest.mark.long
def test_a_sum_that_is_not_written_is_found() -> None:
    """A point added to itself: where a sum is lost, zeros would say that the result is infinity."""
    spec, curve = Spec.from_options(SIGNS), curves.find("toy16")
    operation = subject(spec, "point-add")
    request = operation.read({"x": curve.x, "y": curve.y, "x2": curve.x, "y2": curve.y})
    design, sites = struck(StreamDesign.of(spec.design, "stream", hdl.emit(spec.design)))
    with compile_streams([design], Cache()).start() as session:
        pair = Pair.of(operation, (request, request)).with_results(session)
        site = sites.site("adder.late_valid[0]")
        for cycle in range(pair.ends):
            fault = Fault("flip", 0, site, 1, cycle, 1)
            effect, _ = pair.effect(fault.strike(session, pair))
            assert effect in ("harmless", "refused"), cycle


@pytest.mark.long
def test_a_wrong_constant_of_the_multiplier_makes_no_point_of_infinity() -> None:
    """The sum of P and -P: under a wrong N', a number that is 0 modulo N gives products that are
    not."""
    spec, curve = Spec.from_options(SIGNS), curves.find("toy16")
    operation = subject(spec, "point-add")
    other = curve.prime - curve.y
    request = operation.read({"x": curve.x, "y": curve.y, "x2": curve.x, "y2": other})
    design, sites = struck(StreamDesign.of(spec.design, "stream", hdl.emit(spec.design)))
    with compile_streams([design], Cache()).start() as session:
        pair = Pair.of(operation, (request, request)).with_results(session)
        found = Counter[str]()
        for cycle in range(pair.ends):
            site = sites.site(f"products.multiplier.n_prime[{cycle % 8}]")
            fault = Fault("flip", 0, site, 1, cycle, 1)
            effect, _ = pair.effect(fault.strike(session, pair))
            found[effect] += 1
    assert found["refused"] and not found["silent"] and not found["released"], found


@pytest.mark.long
@pytest.mark.parametrize("options", [SIGNS, SIGNS | TWISTED], ids=["ecdsa", "eddsa"])
def test_no_flip_makes_a_wrong_signature_valid(options: dict[str, Any]) -> None:
    """Each difference is tested twice, for two bits of the status."""
    spec, rng = Spec.from_options(options), random.Random(3)
    operation = subject(spec, f"{options['schemes']}-verify")
    load = spec.load
    assert load is not None
    mode = spec.processor.mode(operation.operation, load)
    jobs = iter(lambda: stimuli.job_of(spec.processor, mode, load, rng), None)
    wrong = next(job for job in jobs if not any(spec.processor.expected(job).values()))
    request = operation.read(wrong.operands)
    design, sites = struck(StreamDesign.of(spec.design, "stream", hdl.emit(spec.design)))
    flags = [place for place in sites.places if "status" in place.name]
    assert flags
    with compile_streams([design], Cache()).start() as session:
        pair = Pair.of(operation, (request, request)).with_results(session)
        for place in flags:
            for site in range(place.base, place.base + place.size):
                for cycle in range(pair.ends - 3000, pair.ends, 60):
                    fault = Fault("flip", 0, site, 1, cycle, 1)
                    effect, _ = pair.effect(fault.strike(session, pair))
                    assert effect != "silent", sites.bit(site)


def test_a_right_number_in_another_place_is_not_released(
    small: tuple[Pair, Sites, StreamSession],
) -> None:
    pair, _, session = small
    outcome = session.run(0, pair.exchange)
    first, *others = outcome.beats["result"]
    for number, effect in ((first["data"], "stopped"), (first["data"] ^ 1, "released")):
        beats = [first, {**first, "first": 0, "data": number}, *others]
        found, _ = pair.effect(replace(outcome, beats={**outcome.beats, "result": beats}))
        assert found == effect


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("toy32", {"forms": "weierstrass", "schemes": "ecdsa"}),
        ("toy32-montgomery", {"forms": "montgomery", "schemes": "none"}),
    ],
)
def test_a_campaign_finds_nothing_wrong(name: str, more: dict[str, Any]) -> None:
    result = faults.inject(
        Spec.from_options(FULL | more | {"curve": name}), 4000, ["flip"], 1, Work()
    )
    counts = Counter[str]()
    for row in result.effects:
        counts += Counter(row.counts)
    assert counts["silent"] + counts["released"] == 0 and counts["refused"] > 100, result.cases
