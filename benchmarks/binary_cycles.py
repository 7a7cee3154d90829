"""Clock cycles of operations on binary curves, exact, for the page on binary curves.

python -m benchmarks.binary_cycles: writes the tables into docs/binary-curves.md."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from modmul.arithmetic import curves
from modmul.processors.binary_curve import BinaryCurve
from modmul.processors.contract import Load
from modmul.spec import Spec
from modmul.toolchain import files

PAGE = Path(__file__).parents[1] / "docs" / "binary-curves.md"
MARKS = "<!-- cycles -->\n", "<!-- end of cycles -->\n"
CURVES = ("b163", "b233", "b283", "b409", "b571")
# Thousand cycles that a multiplication may take at most, where there is a requirement.
WANTED = {"b163": "125", "b283": "445", "b571": "3,400"}
SPREAD = {"binary_square": "spread"}
# What a column is called, and parameters of the multiplier and the processor.
_ON: tuple[tuple[str, dict[str, Any]], ...] = (
    ("as it is", {}),
    ("`binary_square = spread`", SPREAD),
    ("the same, `degrees = any`", SPREAD | {"degrees": "any"}),
    ("two word multipliers", SPREAD | {"multipliers": 2}),
    ("words of 64 bits", SPREAD | {"word": 64}),
)


DIGITS = (8, 16, 32, 64)  # of `gf2m-serial`
BLINDING = (0, 64, 128)  # bits


def designs() -> Iterator[BinaryCurve]:
    """All processors whose cycles are told."""
    for name in CURVES:
        yield from (processor(name, own) for _, own in _ON)
        yield from (processor(name, serial(digit)) for digit in DIGITS)


def serial(digit: int) -> dict[str, Any]:
    """On a multiplier for the field of the curve."""
    return {"multiplier": "gf2m-serial", "digit": digit, "schemes": False}


def text() -> str:
    """The tables."""
    lines = [
        *_head("Point multiplication", *(name for name, _ in _ON), "required, thousand"),
        *(
            _line(
                name.upper().replace("B", "B-"),
                *(f"{cycles(processor(name, own), name, 'point-multiply'):,}" for _, own in _ON),
                WANTED.get(name, ""),
            )
            for name in CURVES
        ),
        "",
        *_head(
            "Point multiplication on `gf2m-serial`",
            *(f"`digit = {digit}`" for digit in DIGITS),
            "`point-check` with 16",
            "`invert` with 16",
        ),
        *(_line(name.upper().replace("B", "B-"), *_on_serial(name)) for name in CURVES),
        "",
        *_head(
            "With `binary_square = spread`",
            *(
                f"`{operation}`"
                for operation in processor("b163", SPREAD).programs.operations("binary")
            ),
        ),
        *(_line(name.upper().replace("B", "B-"), *_operations(name)) for name in CURVES),
        "",
        *_head(
            "B-163, `spread`, secret scalars blinded",
            *(f"`blinding = {bits}`" for bits in BLINDING),
        ),
        *(
            _line(
                f"`{operation}`",
                *(
                    f"{cycles(processor('b163', SPREAD | {'blinding': bits}), 'b163', operation):,}"
                    for bits in BLINDING
                ),
            )
            for operation in ("point-multiply", "ecdsa-sign", "ecdh")
        ),
        "",
        *_head("Words of the program store", *CURVES),
        *(
            _line(
                told,
                *(f"{len(processor(name, SPREAD | own).programs.build.rom):,}" for name in CURVES),
            )
            for told, own in (
                ("everything", {}),
                ("`verification = false`", {"verification": False}),
                ("`schemes = false`", {"schemes": False}),
            )
        ),
    ]
    return "".join(f"{line}\n" for line in lines)


def page(page_text: str) -> str:
    """The page with these tables."""
    begin, end = MARKS
    before, _, rest = page_text.partition(begin)
    return before + begin + text() + end + rest.partition(end)[2]


def cycles(design: BinaryCurve, name: str, operation: str) -> int:
    """Of an operation on a curve, from its command to the status."""
    curve = curves.find(name)
    mode = design.mode(operation, Load.of(curve))
    return round(design.latency(mode).maximum)


def processor(name: str, options: dict[str, Any]) -> BinaryCurve:
    """The processor for a curve."""
    spec = Spec.from_options(
        {"architecture": "binary-curve", "multiplier": "fips", "curve": name, **options}
    )
    assert isinstance(spec.design, BinaryCurve)
    return spec.design


def _on_serial(name: str) -> Iterator[str]:
    for digit in DIGITS:
        yield f"{cycles(processor(name, serial(digit)), name, 'point-multiply'):,}"
    for operation in ("point-check", "invert"):
        yield f"{cycles(processor(name, serial(16)), name, operation):,}"


def _operations(name: str) -> Iterator[str]:
    design = processor(name, SPREAD)
    for operation in design.programs.operations("binary"):
        yield f"{cycles(design, name, operation):,}"


def _head(*names: str) -> list[str]:
    return [_line(*names), _line(*["---"] * len(names))]


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    files.write(PAGE, page(PAGE.read_text(encoding="utf-8")))
