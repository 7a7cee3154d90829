"""Writes the datasheet of a processor, in Markdown."""

from __future__ import annotations

from typing import Any

from modmul.export import first_page
from modmul.export.first_page import span
from modmul.export.processor import dialogue
from modmul.export.testbench import templates
from modmul.targets import Limit
from modmul.toolchain.quantities import time_words


def markdown(description: dict[str, Any], files: dict[str, str], blocks: str) -> str:
    """The datasheet.  blocks: the name of the file of the block diagram.  files: all files
    with their meanings."""
    clock = description["clock"]
    limit = None
    if clock["mhz"] is not None:
        limit = Limit(clock["limited_by"], clock["mhz"], clock["source"], clock["verified"])
    return (
        templates()
        .get_template("processor.md.j2")
        .render(
            d=description,
            limit=limit,
            limit_note=first_page.limit_note(limit, description),
            blocks=blocks,
            first_page=_first_page(description),
            instance=first_page.instance(description),
            terms=list(description["terms"]),
            dialogues={
                name: (one["dialogue"], dialogue.lines(one["dialogue"]))
                for name, one in description["operations"].items()
                if one["dialogue"] is not None
            },
            files=files,
            count=span,
            quoted=lambda names: ", ".join(f"`{name}`" for name in names),
            time=lambda cycles: time_words(cycles * 1000 / clock["mhz"], "ns"),
            lint_models="".join(f" {file}" for file in files if file.endswith("_sim.v")),
        )
    )


def _first_page(description: dict[str, Any]) -> list[tuple[str, str]]:
    figures = next(iter(description["cycles"].values()))
    length = figures["mode"]["length"]
    of = "" if length is None else f", exponent of {length} bits"
    own = description["spec"]["modulus"]
    named = f"{own}; " if own and len(str(own)) <= 20 else ""
    several = len(description["cycles"]) > 1
    latency = span(figures["latency"], figures["mean"]["latency"])
    return [
        ("Operations", "; ".join(map(_signature, description["operations"].items()))),
        ("Modulus", f"{named}{description['moduli']}; loaded at run time"),
        *([("Keys", description["keys"])] if description["keys"] else []),
        (
            "Multiplier",
            f"{description['multiplier']['title']}: {description['multiplier']['summary']}",
        ),
        (
            "Latency",
            f"{latency} cycles, {figures['mode']['operation']}{of}"
            + (" (first row of [Cycles](#cycles))" if several else ""),
        ),
        (
            "Throughput",
            "one operation at a time; the next one begins in the cycle after the last "
            "beat of a result",
        ),
        ("Area and clock", first_page.measured(description)),
        ("Timing", first_page.timing(description)),
        ("Checked", first_page.checked(description)),
        (
            "Module",
            f"`{description['modules']['top']}`, in `{description['name']}.v`: every stream "
            "may pause at any beat",
        ),
    ]


def _signature(entry: tuple[str, dict[str, Any]]) -> str:
    name, figures = entry
    operands = ", ".join(operand["name"] for operand in figures["operands"])
    return f"{name}: {operands} -> {', '.join(figures['results'])}"
