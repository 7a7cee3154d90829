"""modmul implement."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from modmul.cli.common import PROCESSORS, Jobs, Json, Seeds, exclusive, no_effect
from modmul.cli.options import Banks, read_delivered, read_delivery, takes_spec
from modmul.cli.output import show
from modmul.errors import SpecError
from modmul.parameters import SEEDS, SHARE
from modmul.spec import Spec
from modmul.system import buses
from modmul.toolchain import progress
from modmul.toolchain.work import Work

_TWO = {"partitions": 2}  # a number of partitions that every width can be folded into


def _read(file: Path | None, options: dict[str, Any], others: dict[str, Any]) -> Spec:
    spec = _read_spec(file, options, others)
    read_delivery(file, others, ("bus", "banks"))
    return spec


def _read_spec(file: Path | None, options: dict[str, Any], others: dict[str, Any]) -> Spec:
    """Return the specification.  With --fit the partitions in the file are ignored, and none are
    needed, even if the whole array would be too wide."""
    if not others.get("fit"):
        return read_delivered(file, options, others)
    partitions = options.get("partitions")
    if partitions is not None:
        raise exclusive("--partitions", partitions, "--fit", "it finds their number")
    try:
        return read_delivered(file, options, others)
    except SpecError as error:
        if error.key != "partitions":
            raise
    return read_delivered(file, options | _TWO, others)


@functools.partial(takes_spec, read=_read)
@no_effect(beside={"no_route": "seeds jobs"})
def implement_verb(
    spec: Spec,
    *,
    seeds: Seeds = SEEDS,
    no_route: bool = False,
    fit: Annotated[
        bool,
        Parameter(
            help="for folded multipliers, instead of --partitions: choose the fewest partitions"
            f" with which the design takes at most {SHARE:.0%} of the LUTs of the device"
        ),
    ] = False,
    bus: Annotated[
        str | None,
        Parameter(
            help="also measure the design on a bus, with its registers, as `modmul build` "
            f"delivers it: {', '.join(buses.NAMES)} (default: on no bus)"
        ),
    ] = None,
    banks: Banks = 0,
    jobs: Jobs = PROCESSORS,
    json: Json = False,
) -> int:
    """Synthesise, place and route: area, clock, time per product.

    Args:
        no_route: only synthesise: area, but no clock
    """
    import msgspec  # not for the help

    from modmul.cli.implement_text import text
    from modmul.implementation.fit import smallest_partitions
    from modmul.implementation.on_bus import OnBusResult, implement
    from modmul.implementation.result import Attempt, ImplementResult

    tried: tuple[Attempt, ...] = ()
    with progress.bar() as report:
        if fit:
            spec, tried = smallest_partitions(spec, work=Work(progress=report))
        result = implement(
            spec, bus=bus, banks=banks, seeds=seeds, jobs=jobs, route=not no_route, progress=report
        )
    if isinstance(result, ImplementResult):
        result = msgspec.structs.replace(result, tried=tried)
    elif isinstance(result, OnBusResult) and isinstance(result.without_bus, ImplementResult):
        without = msgspec.structs.replace(result.without_bus, tried=tried)
        result = msgspec.structs.replace(result, without_bus=without)
    show(result, lambda: text(spec, result), json)
    return 0
