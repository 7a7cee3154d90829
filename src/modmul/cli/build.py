"""modmul build."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from modmul.cli.common import PROCESSORS, Json, Output, Whole
from modmul.cli.options import Banks, read_delivery, read_spec, takes_spec
from modmul.cli.output import RenderableType, show, table
from modmul.errors import refusal
from modmul.parameters import MOST_SEEDS, check_number
from modmul.spec import Spec
from modmul.spec.keys import DELIVERY
from modmul.system import buses, packages
from modmul.toolchain import progress
from modmul.toolchain.quantities import size_words

if TYPE_CHECKING:
    from modmul.export.build import BuildResult
    from modmul.toolchain.progress import Report


def _read(file: Path | None, options: dict[str, Any], others: dict[str, Any]) -> Spec:
    spec = read_spec(file, options, others)
    read_delivery(file, others, DELIVERY)
    return spec


@functools.partial(takes_spec, read=_read)
def build_verb(
    spec: Spec,
    *,
    output: Output = None,
    check: Annotated[bool, Parameter(negative="--no-check")] = True,
    bus: Annotated[
        str | None,
        Parameter(
            help=f"also deliver the design on a bus: {', '.join(buses.REGISTERED)}: behind "
            "registers, with their description in SystemRDL and a driver in C; "
            f"{buses.STREAMED}: with its streams as AXI4-Stream (default: on no bus)"
        ),
    ] = None,
    banks: Banks = 0,
    data_bits: Annotated[
        Whole,
        Parameter(
            help=f"bits of the data on {', '.join(buses.WIDE)}: 32 or 64 (default 32); registers"
            " have 32 bits, of which 64 bits carry two",
            show_default=False,
        ),
    ] = 32,
    package: Annotated[
        str | None,
        Parameter(
            help=f"also deliver packages for other tools: {', '.join(packages.NAMES)}; separate "
            "several by commas (default: none)"
        ),
    ] = None,
    reset: str | None = None,
    reset_active: Annotated[
        str | None,
        Parameter(
            help="level at which the reset of the delivered module is active: high, or low, "
            f"where it is called rst_n (default: high; on {', '.join(buses.ACTIVE_LOW)} "
            "low, by their standards)"
        ),
    ] = None,
    clock_enable: bool = False,
    no_initial_values: bool = False,
    language: str | None = None,
    seeds: Whole | None = None,
    json: Json = False,
) -> int:
    """Write HDL, a testbench (simulated first), constraints and a datasheet.

    Args:
        output: directory for the files (default: a new one here, with the name of the design)
        check: simulate the testbench before anything is written
        reset: kind of the reset of the delivered module: sync, or async, which begins without the
            clock and whose end is synchronised inside (default: sync)
        clock_enable: add a clock enable, clk_en (AXI: aclken, APB: pclken)
        no_initial_values: give registers and RAM no values at power-up, which PolarFire,
            SmartFusion2, Achronix and ASICs do not have; on the target cells this is always so
        language: verilog, vhdl (VHDL-93), or both (default: verilog)
        seeds: place and route with seeds 1 to this number, as `modmul implement` does, and put area
            and clock into the datasheet (default: nothing is measured)
    """
    from modmul.system.build import build  # not for the help

    if seeds is not None:
        check_number("seeds", seeds, 1, MOST_SEEDS)
        if data_bits == 64:
            raise refusal("seeds", seeds, "absent", "`implement` measures buses of 32 bits")
        if clock_enable:
            why = "`implement` measures designs without a clock enable"
            raise refusal("seeds", seeds, "absent", why)
    with progress.bar() as report:
        measure = None if seeds is None else _measure(spec, seeds, bus, banks, report)
        result = build(
            spec,
            output,
            bus=bus,
            banks=banks,
            data_bits=data_bits,
            packages=_words(package),
            reset=reset,
            reset_active=reset_active,
            clock_enable=clock_enable,
            no_initial_values=no_initial_values,
            language=language,
            simulate=check,
            measure=measure,
            progress=report,
        )
    show(result, lambda: _text(result), json)
    return 0


def _words(text: str | None) -> list[str]:
    """Split a text at its commas."""
    return [] if text is None else [word.strip() for word in text.split(",")]


def _measure(
    spec: Spec, seeds: int, bus: str | None, banks: int, report: Report
) -> Callable[[], dict[str, Any]]:
    """Return a function that runs `implement` and returns its record; on a bus that of the design
    alone, with the one on the bus as `on_bus`."""
    import msgspec

    from modmul.implementation.on_bus import OnBusResult, implement

    def measured() -> dict[str, Any]:
        result = implement(
            spec, bus=bus, banks=banks, seeds=seeds, jobs=PROCESSORS, progress=report
        )
        figures: dict[str, Any] = msgspec.to_builtins(result)
        if isinstance(result, OnBusResult):
            return {**figures["without_bus"], "on_bus": figures["on_bus"]}
        return figures

    return measured


def _text(result: BuildResult) -> RenderableType:
    from rich.console import Group

    files = table(f"{result.name} in {result.directory}", "file", "what", "size")
    for file in result.files:
        files.add_row(file.name, file.what, size_words(file.size))
    proof = result.timing_proof
    lines = [f"\ntop module: {result.top}", f"timing: {proof.claim}, {proof.verdict}"]
    if result.arithmetic_proof is not None:
        lines.append(f"products: {result.arithmetic_proof.sentence}")
    if not result.checked:
        lines.append("not simulated (--no-check)")
    for simulator, verdict in result.checked.items():
        lines.append(f"testbench in {simulator}: {verdict or 'not installed'}")
    if result.advice:
        lines.append(f"worth a try: {result.advice}")
    return Group(files, *lines)
