"""`protection = full`: results are right, and no fault of a campaign gives a wrong one."""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import Any

import pytest

from modmul import multipliers
from modmul.arithmetic import curves
from modmul.arithmetic.oracle import OracleQuery, right
from modmul.errors import SpecError
from modmul.export import hdl
from modmul.operation import Job
from modmul.processors.contract import Load
from modmul.processors.curve import PrimeCurve
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.work import Work
from modmul.verification import faults
from modmul.verification.faults.sites import STREAM, Sites, struck
from modmul.verification.processors import stimuli
from modmul.verification.streams import StreamDesign, compile_streams

FULL = {"architecture": "curve", "multiplier": "fpmm", "protection": "full"}
SIGNS = FULL | {"curve": "toy16", "forms": "weierstrass", "schemes": "ecdsa"}


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


@pytest.mark.parametrize("option", [{"batch": 2}, {"blinding": 8}, {"powers": True}])
def test_what_is_not_checked_is_refused(option: dict[str, Any]) -> None:
    with pytest.raises(SpecError, match="protection = full: must be none with"):
        Spec.from_options(SIGNS | option)


def struck_effects(operation: str, places: str, count: int) -> Counter[Any]:
    """What comes of flips in the registers and memories of these names, each at a random cycle."""
    spec, rng = Spec.from_options(SIGNS), random.Random(places)
    design, sites = struck(StreamDesign.of(spec.design, "stream", hdl.emit(spec.design)))
    chosen = Sites([place for place in sites.places if re.fullmatch(places, place.name)])
    assert chosen.places
    found: Counter[Any] = Counter()
    with compile_streams([design], Cache()).start() as session:
        pairs = [
            pair.with_results(session)
            for pair in faults._pairs(spec, rng)
            if pair.subject.operation == operation
        ]
        for pair, fault in faults._faults(chosen, pairs, count, ["flip"], rng):
            outcome = session.run(0, pair.with_stream(STREAM, fault.offer()))
            effect, _ = pair.effect(outcome)
            found[effect] += 1
            right_numbers = {0, *(beat["data"] for beat in pair.right_beats)}
            left = {beat["data"] for beat in outcome.beats["result"] if not beat["last"]}
            found["leaked"] += len(left - right_numbers)
    return found


@pytest.mark.parametrize(
    "places", [r"constants\.ram\.ram|store\.ram", r"store\.read_register|sequencer\..*|tests_done"]
)
def test_flips_in_stores_and_in_the_sequencer_give_nothing_wrong(places: str) -> None:
    found = struck_effects("ecdsa-sign", places, 60)
    assert not found["silent"] and not found["leaked"], found
    assert found["refused"] + found["stopped"] > 5


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
    assert counts["silent"] == 0 and counts["refused"] > 100, result.cases
