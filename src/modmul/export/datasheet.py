"""Writes the datasheet: as Markdown, and as one HTML page that needs no other file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt

from modmul.arithmetic.notation import write_polynomial
from modmul.export import first_page
from modmul.export.first_page import span
from modmul.export.processor import dialogue
from modmul.export.testbench import templates
from modmul.multipliers.operations import OPERATIONS
from modmul.targets import Limit
from modmul.toolchain.quantities import time_words

_GROUP = {"prime": "GF(p)", "binary": "GF(2^m)"}


def markdown(
    description: dict[str, Any],
    picture: str | None,
    files: dict[str, str],
    blocks: str | None = None,
) -> str:
    """The datasheet as Markdown.  picture, blocks: names of the files of the timing diagram
    and of the block diagram, or None.  files: all files with their meanings."""
    clock, limit = description["clock"], None
    if clock["mhz"] is not None:
        limit = Limit(clock["limited_by"], clock["mhz"], clock["source"], clock["verified"])
    processor = description.get("role") == "processor"
    sheet = templates().get_template(f"{'processor' if processor else 'datasheet'}.md.j2")
    return sheet.render(
        d=description,
        limit=limit,
        limit_note=first_page.limit_note(limit, description),
        blocks=blocks,
        instance=first_page.instance(description),
        files=files,
        vhdl=first_page.is_vhdl(description),
        vhdl_list=next((file for file in files if file.endswith("_vhdl_sim.f")), None)
        or f"{description['name']}_sim.f",
        lint_models="".join(f" {file}" for file in files if file.endswith("_sim.v")),
        count=span,
        quoted=lambda names: ", ".join(f"`{name}`" for name in names),
        time=lambda cycles: time_words(cycles * 1000 / clock["mhz"], "ns"),
        **(_of_processor(description) if processor else _of_multiplier(description, picture)),
    )


def _of_multiplier(description: dict[str, Any], picture: str | None) -> dict[str, Any]:
    constants = description["constants"]
    binary = description["arithmetic"]["field"] == "binary"
    of_polynomial = binary and constants is not None
    return {
        "top": description["modules"]["top"],
        "stream": description["spec"]["interface"] == "stream",
        "picture": picture,
        "first_page": first_page.rows(description, **_ranges(description)),
        "option": _option,
        "base": "x" if binary else "2",
        "polynomial": write_polynomial(int(constants["modulus"], 16)) if of_polynomial else None,
        "power": _power(description),
        "beats_of": _beats,
        "range_of": _range,
        "terms": _terms(description["cycles"]),
        "group": _GROUP,
        "formulas": {name: operation.formula for name, operation in OPERATIONS.items()},
    }


def _of_processor(description: dict[str, Any]) -> dict[str, Any]:
    return {
        "first_page": _first_page(description),
        "terms": list(description["terms"]),
        "dialogues": {
            name: (one["dialogue"], dialogue.lines(one["dialogue"]))
            for name, one in description["operations"].items()
            if one["dialogue"] is not None
        },
    }


def html(text: str, title: str, pictures: Mapping[str, str] | None = None) -> str:
    """`text` as a page, with the pictures (SVG, by the names of their files) inside."""
    reader = MarkdownIt("commonmark").enable("table")
    tokens = reader.parse(text)
    for heading, inline in pairwise(tokens):
        if heading.type == "heading_open":
            heading.attrSet("id", _anchor(inline.content))
    body = reader.renderer.render(tokens, reader.options, {})
    for picture, svg in (pictures or {}).items():
        start = body.index(f'<img src="{picture}"')
        end = body.index("/>", start) + len("/>")
        body = f"{body[:start]}{svg.strip()}{body[end:]}"
    return templates().get_template("datasheet.html.j2").render(title=title, body=body)


def _anchor(heading: str) -> str:
    """The name for links to a heading, as usual programs that show Markdown make it."""
    return re.sub(r"[^a-z0-9_ -]", "", heading.lower()).replace(" ", "-")


def _ranges(description: dict[str, Any]) -> dict[str, str]:
    arithmetic, lines = description["arithmetic"], {}
    several = len(arithmetic["ranges"]) > 1
    for key, values, bound in (("operands", "a, b", "operand"), ("result", "r", "result")):
        texts = [
            _range(values, row[f"{bound}_below"]) + (f" in {_GROUP[row['field']]}" * several)
            for row in arithmetic["ranges"]
        ]
        form = arithmetic[f"{bound}_form"]
        lines[key] = "; ".join(texts) + (f" ({form})" if form != "binary" else "")
    if arithmetic["chainable"] and arithmetic["kind"] == "modular":
        lines["result"] += ", which can be an operand again"
    return lines


def _power(description: dict[str, Any]) -> str | None:
    """The Montgomery factor; s is the number of words in use.  None if it is 1."""
    arithmetic, choices = description["arithmetic"], description["choices"]
    factor, each = int(arithmetic["montgomery_factor"] or "0", 16), arithmetic["word_exponent"]
    if factor <= 1:
        return None
    base = "x" if arithmetic["field"] == "binary" else "2"
    if each is None or choices["own"] is not None:
        return f"{base}^{factor.bit_length() - 1}"
    other = f" (in GF(2^m) x^({each} s))" if base == "2" and "binary" in choices["fields"] else ""
    return f"{base}^({each} s){other} with s words in use"


def _terms(cycles: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys(term for mode in cycles.values() for term in mode["terms"]))


def _beats(stream: str, figures: dict[str, Any]) -> str:
    most, bits, least, own = (figures[key] for key in ("beats", "bits", "shortest", "own"))
    if least == most:
        return f"{most} beats of {bits} bits"
    why = [] if stream == "modulus" else ["as many as there are words in use"]
    why += [] if own is None else [f"{own} with this modulus"]
    reason = f" ({', '.join(why)})" if why else ""
    return f"{least} to {most} beats of {bits} bits{reason}"


def _range(values: str, bound: dict[str, Any]) -> str:
    if bound["formula"] == "2^m":
        return f"degree below m; as numbers, 0 <= {values} < 2^m"
    return f"0 <= {values} < {bound['formula']}"


def _option(key: str, value: Any) -> str:
    if value is None:
        return "(any)" if key == "modulus" else "(default)"
    return str(value).lower() if isinstance(value, bool) else str(value)


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
            f"`{description['modules']['top']}`, in `{first_page.design_file(description)}`: "
            "every stream may pause at any beat",
        ),
    ]


def _signature(entry: tuple[str, dict[str, Any]]) -> str:
    name, figures = entry
    operands = ", ".join(operand["name"] for operand in figures["operands"])
    return f"{name}: {operands} -> {', '.join(figures['results'])}"
