"""Hardware and golden model that are wrong alike: the oracle finds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from bus_systems import spec_of
from modmul import processors
from modmul.arithmetic import curves, moduli
from modmul.arithmetic.keys import Key
from modmul.arithmetic.moduli import Modulus
from modmul.errors import CheckFailed
from modmul.export.build import build
from modmul.export.contents import plan_of
from modmul.export.processor import plan
from modmul.host import Fault, Modelled
from modmul.multipliers.fpmm import Fpmm
from modmul.multipliers.setting import Setting
from modmul.processors import Load, Processor
from modmul.processors.curve import PrimeCurve
from modmul.processors.engine import library
from modmul.spec import Spec
from modmul.system.exercise import exercise
from modmul.system.on_bus import longest, register_map
from modmul.verification.simulation import simulate, subject
from modmul.verification.simulation.request import UserRequest


def loaded(processor: Processor, load: Load) -> Spec:
    is_key = isinstance(load.modulus, Key)
    modulus = Modulus(None, load.modulus) if is_key else moduli.of(load.modulus, load.field)
    return Spec(processor, modulus, curve=load.curve)


def wrong(results: Mapping[str, int]) -> dict[str, int]:
    """The last result with another lowest bit, or the opposite flag."""
    *_, (name, value) = results.items()
    return {**results, name: not value if isinstance(value, bool) else value ^ 1}


@pytest.mark.parametrize("name", processors.NAMES)
def test_simulate_judges_every_operation_of_every_processor(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hardware is taken to give what the golden model gives, right and wrong."""
    architecture = processors.find(name)
    right, judged = architecture.compute, set[str]()
    monkeypatch.setattr(architecture, "compute", lambda self, job: wrong(right(self, job)))
    for processor in architecture.examples():
        for load, job in plan.samples(Spec(processor)):
            if job.mode.operation in judged:
                continue
            asking = subject(loaded(processor, load), job.mode.operation)
            request = UserRequest(asking.spec, job.mode, job.operands, (0, 0))
            (fault,) = asking.contradictions(request, processor.compute(job))
            assert ", as the golden model has, is wrong: " in fault
            with monkeypatch.context() as patch:
                patch.setattr(architecture, "compute", right)
                assert asking.contradictions(request, processor.compute(job)) == []
            judged.add(job.mode.operation)
    assert judged == {operation for each in architecture.examples() for operation in each.offered}


@pytest.mark.parametrize("name", processors.NAMES)
def test_the_results_of_a_testbench_are_judged(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    processor = min(processors.find(name).examples(), key=lambda each: each.width)
    right = type(processor).answer

    def answer(self: Processor, job: Any) -> list[dict[str, int]]:
        first, *others = right(self, job)
        return [{"data": first["data"] ^ 1}, *others]

    monkeypatch.setattr(type(processor), "answer", answer)
    with pytest.raises(CheckFailed, match="the golden model is wrong"):
        plan.plan(Spec(processor))


# ---- a wrong program: Verilog and golden machine have it -----------------------------------------


@pytest.fixture
def wrong_program(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The check of a point uses y^2 = x^3 + ax - b."""
    text = library.text
    monkeypatch.setattr(
        library, "text", lambda told: text(told).replace("(X ** 2 + a) - b", "(X ** 2 + a) + b")
    )
    library.find.cache_clear()
    yield
    library.find.cache_clear()


@pytest.mark.usefixtures("wrong_program")
def test_a_wrong_program_is_found(tmp_path: Path) -> None:
    """By `simulate`, by `build`, with a bus or without, and by the host that has only a model."""
    curve = curves.find("toy16")
    design = PrimeCurve(
        multiplier=Fpmm(width=19), forms="weierstrass", schemes="none", verification=False
    )
    spec = Spec(design, curve=curve)
    base = {"x": curve.x, "y": curve.y}
    (outcome,) = simulate(spec, [base], operation="point-check")
    assert outcome.result == {"valid": False}
    assert outcome.faults == [
        "valid = false, as the golden model has, is wrong: valid = true is right"
    ]
    with pytest.raises(CheckFailed, match="the golden model is wrong: point-check"):
        build(spec, tmp_path / "out", simulate=False)
    assert not (tmp_path / "out").exists()
    with pytest.raises(Fault, match="^point-check: the golden model is wrong$"):
        Modelled(spec).ask("point-check", base)


# ---- registers on a bus --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"architecture": "cios", "width": 20, "word": 8, "adder": True},
        {"architecture": "interleaved", "width": 40, "banks": 2},
    ],
    ids=["sums", "banks"],
)
def test_every_result_that_the_testbench_of_a_bus_expects_is_judged(
    options: Mapping[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One result after the other is wrong, and no other."""
    spec, banks = spec_of(options)
    planned, regs = plan_of(spec), register_map(spec.design, longest(spec), banks)
    rights = {name: getattr(Setting, name) for name in ("compute", "computed")}
    number, faulty = 0, -1

    def given(name: str) -> Any:
        def call(self: Setting, *operands: Any) -> int:
            nonlocal number
            number += 1
            return int(rights[name](self, *operands)) ^ (number == faulty)

        return call

    for name in rights:
        monkeypatch.setattr(Setting, name, given(name))
    exercise(spec, regs, planned)
    count = number
    assert count > 30
    for chosen in range(1, count + 1):
        number, faulty = 0, chosen
        with pytest.raises(CheckFailed, match="the golden model is wrong"):
            exercise(spec, regs, planned)
