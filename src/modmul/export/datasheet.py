"""The datasheet: one Markdown text, and the same as one HTML page that needs no other file."""

from __future__ import annotations

from typing import Any

from markdown_it import MarkdownIt

from modmul.arithmetic.notation import write_polynomial
from modmul.export.testbench import templates


def markdown(description: dict[str, Any], picture: str, files: dict[str, str]) -> str:
    """picture: name of the timing diagram's file.  files: every other file, and what it is."""
    factor, constants = description["arithmetic"]["montgomery_factor"], description["constants"]
    binary = description["arithmetic"]["field"] == "binary"
    of_polynomial = binary and constants is not None
    return (
        templates()
        .get_template("datasheet.md.j2")
        .render(
            d=description,
            top=description["modules"]["top"],
            stream=description["spec"]["interface"] == "stream",
            picture=picture,
            files=files,
            count=count,
            option=_option,
            nanoseconds=lambda cycles: f"{cycles * 1000 / description['clock']['mhz']:.1f} ns",
            base="x" if binary else "2",
            polynomial=write_polynomial(int(constants["modulus"], 16)) if of_polynomial else None,
            radix_exponent=int(factor, 16).bit_length() - 1 if factor else None,
        )
    )


def html(text: str, title: str, picture: str, svg: str) -> str:
    """`text` as a page, with the picture inside."""
    body = MarkdownIt("commonmark").enable("table").render(text)
    start = body.index(f'<img src="{picture}"')
    end = body.index("/>", start) + len("/>")
    body = f"{body[:start]}{svg.strip()}{body[end:]}"
    return templates().get_template("datasheet.html.j2").render(title=title, body=body)


def count(cycles: list[int], mean: float | None = None) -> str:
    """A range of cycles: one figure where it is constant."""
    low, high = cycles
    if low == high:
        return f"{low}"
    return f"{low} to {high}" + ("" if mean is None else f", mean {mean:g}")


def _option(value: Any) -> str:
    if value is None:
        return "(default)"
    return str(value).lower() if isinstance(value, bool) else str(value)
