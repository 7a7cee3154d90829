"""The emitted Verilog on Kummer surfaces: known answers, what users meet, and `verify`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from known_answers import load
from modmul.arithmetic import curves, surfaces
from modmul.export.hdl import Hdl
from modmul.spec import Spec
from modmul.verification import replay
from modmul.verification.processors import plan
from modmul.verification.processors.trial import OperationTrial
from modmul.verification.simulation import simulate
from modmul.verification.verdict import Verdict

pytestmark = pytest.mark.timeout(1800)  # compiles, on a machine that may be busy
OPTIONS = {"architecture": "kummer", "multiplier": "fpmm"}
KNOWN = curves.find("gaudry-schost")
TESTS = load("kummer")["tests"]
BASE = dict(
    zip(
        ("xy", "xz", "xt"),
        [
            int(coordinate, 16)
            for coordinate in load("kummer")["base_points"]["qdsa_base_on_jacobian"]
        ],
        strict=True,
    )
)


def answers(options: Mapping[str, Any], lines: list[dict[str, int]]) -> list[dict[str, int]]:
    spec = Spec.from_options({**OPTIONS, "curve": "gaudry-schost", **options})
    simulated = simulate(spec, lines)
    assert [line.faults for line in simulated] == [[]] * len(lines)
    return [line.result or {} for line in simulated]


def out(test: Mapping[str, Any]) -> list[int]:
    return [int(coordinate, 16) for coordinate in test["out"]]


def test_a_vector() -> None:
    """With points (x : y : z : t)."""
    point = surfaces.base(KNOWN)._asdict()
    answer = answers({}, [{"scalar": int(TESTS[0]["k"], 16), **point}])[0]
    assert [pow(answer[name], -1, KNOWN.prime) for name in "yzt"] == out(TESTS[0])
    assert answer["x"] == 1


@pytest.mark.long
@pytest.mark.parametrize("ports, interconnect", [(1, "word"), (2, "word"), (2, "operand")])
@pytest.mark.parametrize("target", ["generic", "ecp5", "xc7"])
def test_two_multipliers(target: str, ports: int, interconnect: str) -> None:
    lines = [{"scalar": int(case["k"], 16), **BASE} for case in TESTS]
    options = {
        "wrapped": True,
        "target": target,
        "units": 2,
        "ports": ports,
        "interconnect": interconnect,
    }
    assert [list(answer.values()) for answer in answers(options, lines)] == list(map(out, TESTS))


@pytest.mark.long
@pytest.mark.parametrize("target", ["generic", "ecp5", "xc7"])
def test_all_vectors(target: str) -> None:
    """Wrapped, one at a time and two."""
    scalars = [int(case["k"], 16) for case in TESTS]
    options = {"wrapped": True, "target": target, "batch": 2}
    lines = [{"scalar": k, **BASE} for k in scalars]
    assert [list(answer.values()) for answer in answers(options, lines)] == list(map(out, TESTS))
    spec = Spec.from_options({**OPTIONS, "curve": "gaudry-schost", **options})
    second = {f"{name}2": coordinate for name, coordinate in BASE.items()}
    pairs = [
        {"scalar": scalar, "scalar2": two, **BASE, **second}
        for scalar, two in zip(scalars[::2], scalars[1::2], strict=True)
    ]
    simulated = simulate(spec, pairs, operation="wrapped-multiply-pair")
    wanted = [out(case) + out(two) for case, two in zip(TESTS[::2], TESTS[1::2], strict=True)]
    assert [list((line.result or {}).values()) for line in simulated] == wanted
    assert all(line.faults == [] for line in simulated)


@pytest.mark.long
def test_batches_of_surfaces_and_their_files(tmp_path: Any) -> None:
    """Every task of the plan can be written and read again."""
    spec = Spec.from_options({**OPTIONS, "curve": "toy32-kummer", "batch": 2})
    trial = OperationTrial(spec, Hdl("", {}, ()))
    seen = set()
    for task in plan.tasks(spec.processor, spec.modes, 20):
        request = trial.request(3, task)
        assert request.jobs and request == trial.request(3, task)
        assert all(
            job.mode.curve in (None, batch.curve) for batch in request.batches for job in batch.jobs
        )
        seen |= {job.mode.operation for job in request.jobs}
        replay.write(tmp_path / "case.json", spec, False, request, Verdict(), 0)
        again = replay.read(tmp_path / "case.json")
        assert again.request(0) == request and again.spec == spec
    assert seen == set(spec.processor.operations_on(spec.load))  # type: ignore[arg-type]


@pytest.mark.long
def test_verification_finds_nothing() -> None:
    from modmul.verification.verify import verify

    spec = Spec.from_options({**OPTIONS, "width": 16})
    result = verify(spec, products=6)
    assert result.passed, result
