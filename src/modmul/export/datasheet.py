"""The datasheet: one Markdown text, and the same as one HTML page that needs no other file."""

from __future__ import annotations

from typing import Any

from markdown_it import MarkdownIt

from modmul.arithmetic.notation import write_polynomial
from modmul.export.testbench import templates
from modmul.targets import Limit


def markdown(description: dict[str, Any], picture: str | None, files: dict[str, str]) -> str:
    """picture: name of the timing diagram's file, or None.  files: all, and what each is."""
    constants, clock = description["constants"], description["clock"]
    limit = None
    if clock["mhz"] is not None:
        limit = Limit(clock["limited_by"], clock["mhz"], clock["source"], clock["verified"])
    binary = description["arithmetic"]["field"] == "binary"
    of_polynomial = binary and constants is not None
    return (
        templates()
        .get_template("datasheet.md.j2")
        .render(
            d=description,
            limit=limit,
            top=description["modules"]["top"],
            stream=description["spec"]["interface"] == "stream",
            picture=picture,
            files=files,
            lint_models="".join(f" {file}" for file in files if file.endswith("_sim.v")),
            count=count,
            option=_option,
            quoted=lambda names: ", ".join(f"`{name}`" for name in names),
            nanoseconds=lambda cycles: f"{cycles * 1000 / clock['mhz']:.1f} ns",
            base="x" if binary else "2",
            polynomial=write_polynomial(int(constants["modulus"], 16)) if of_polynomial else None,
            power=_power(description),
            beats_of=_beats,
            range_of=_range,
            terms=_terms(description["cycles"]),
            group={"prime": "GF(p)", "binary": "GF(2^m)"},
        )
    )


def html(text: str, title: str, picture: str | None = None, svg: str = "") -> str:
    """`text` as a page, with the picture, if there is one, inside."""
    body = MarkdownIt("commonmark").enable("table").render(text)
    if picture is not None:
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


def _power(description: dict[str, Any]) -> str | None:
    """The Montgomery factor; s is the number of words in use.  None where it is 1."""
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
    """The terms of the latencies of all modes."""
    return list(dict.fromkeys(term for mode in cycles.values() for term in mode["terms"]))


def _beats(stream: str, figures: dict[str, Any]) -> str:
    """How many beats, of how many bits."""
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
