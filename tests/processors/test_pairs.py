"""Every processor on every multiplier that it takes: its testbench's operations, simulated.

The pairs follow from the registries, so that none is forgotten.  By default a few short
ones; all of them in `make processors`."""

from __future__ import annotations

import functools
import itertools

import pytest

from modmul import multipliers, processors
from modmul.errors import SpecError
from modmul.export.processor import plan
from modmul.processors import Load, Processor
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.verification.processors import Batch, check, design_of
from modmul.verification.streams import compile_streams

PAIRS = [
    (processor, multiplier)
    for processor in processors.NAMES
    for multiplier in multipliers.NAMES
    if processors.find(processor).takes(multipliers.find(multiplier))
]
WIDTHS = (9, 17, 18, 32, 64)
OPTIONS = {"exponentiation": {"allow_leaks": True}, "gf2m-serial": {"schemes": False}}
PAUSES = 100  # of 256 cycles
# Results far above N, a carry-save adder, words, several constants, an array with a phase.
BY_DEFAULT = (
    "exponentiation-orup",
    "exponentiation-scs-mm-new",
    "exponentiation-cios",
    "exponentiation-interleaved-redundant",
    "kummer-fios-array",
)


def smallest(processor: str, multiplier: str) -> tuple[Processor, plan.TestbenchPlan]:
    """The narrowest design of this pair whose programs can be built, and its operations."""
    architecture, built_on = processors.find(processor), multipliers.find(multiplier)
    widths = [{"width": width} for width in WIDTHS]
    if "modulus" in built_on.__dataclass_fields__:
        widths = [{"width": 18, "modulus": 0x20009}]  # x^17 + x^3 + 1, of a toy curve
    for chosen in widths:
        try:
            options = OPTIONS.get(processor, {}) | OPTIONS.get(multiplier, {})
            design = architecture(multiplier=built_on(**chosen), **options)
            return design, plan.plan(Spec(design))
        except SpecError as error:
            refused = error
    raise refused


def batches(planned: plan.TestbenchPlan) -> list[Batch]:
    """The operations of the plan at full speed, under their moduli."""
    jobs = [operation.job for operation in planned.operations[: planned.full_speed]]
    by_load = itertools.groupby(jobs, lambda job: Load(job.modulus, job.mode.field, job.mode.curve))
    return [
        Batch(load.modulus, list(group), load.field, curve=load.curve) for load, group in by_load
    ]


@pytest.mark.parametrize(
    ("processor", "multiplier"), [pytest.param(*pair, id="-".join(pair)) for pair in PAIRS]
)
@pytest.mark.short(*BY_DEFAULT)
def test_every_multiplier_that_a_processor_takes(processor: str, multiplier: str) -> None:
    """At full speed in the declared cycles, and with pauses on every stream."""
    design, planned = smallest(processor, multiplier)
    with compile_streams([design_of(design)], Cache()).start() as session:
        verified = functools.partial(check, design, session, 0, batches(planned))
        assert verified().mismatches == []
        pauses = {stream.name: PAUSES for stream in design.streams}
        assert verified(pauses=pauses).mismatches == []
