"""Clock cycles of operations on curves, exact, for the page on curves: on one multiplier and on
two, one at a time and several at once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from modmul.arithmetic import curves
from modmul.processors.contract import Load
from modmul.processors.curve import PrimeCurve
from modmul.processors.engine.batches import batch
from modmul.processors.engine.curve_processor import CurveProcessor
from modmul.spec import Spec

MARKS = "<!-- cycles -->\n", "<!-- end of cycles -->\n"
EVERYTHING: dict[str, Any] = {
    "architecture": "curve",
    "multiplier": "fpmm",
    "width": 256,
    "target": "ecp5",
}
ONE = EVERYTHING | {"schemes": "none"}
TWO = ONE | {"units": 2, "verification": False}
_LEAN = {"verification": False}
_COMPLETE = {"formulas": "complete", **_LEAN}
# What a row is called, its curve, and parameters of the processor.
_ON_ONE: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("P-256, any curve of 256 bits, ladder", "p256", {}),
    ("the same, blinding = 64", "p256", {"blinding": 64, **_LEAN}),
    ("the same, blinding = 128", "p256", {"blinding": 128, **_LEAN}),
    ("P-256, complete (a = -3)", "p256", _COMPLETE),
    ("secp256k1, complete (a = 0)", "secp256k1", _COMPLETE),
    ("brainpoolP256r1, complete (any a)", "brainpoolp256r1", _COMPLETE),
    ("X25519", "x25519", {}),
    ("Ed25519", "ed25519", {}),
)
_ON_TWO: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("P-256, ladder", "p256", {}),
    ("P-256, complete", "p256", _COMPLETE),
    ("X25519", "x25519", {}),
    ("Ed25519", "ed25519", {}),
)
_SUMS = ("double-multiply", "point-add", "invert", "point-check")
_SUMS_ON = (
    ("P-256", "p256"),
    ("secp256k1", "secp256k1"),
    ("brainpoolP256r1", "brainpoolp256r1"),
    ("Ed25519", "ed25519"),
)
_BLINDED = (
    ("p256", ("point-multiply", "ecdsa-sign", "ecdh")),
    ("sm2", ("sm2-sign", "sm2-exchange", "sm2-decrypt")),
)
BLINDING = (0, 64, 128)
_PROGRAMS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("everything", {"schemes": "all"}),
    ("everything but schemes", {}),
    ("Weierstrass curves, with all schemes", {"forms": "weierstrass", "schemes": "all"}),
    ("Weierstrass curves, with ECDSA", {"forms": "weierstrass", "schemes": "ecdsa"}),
    ("Weierstrass curves", {"forms": "weierstrass"}),
    ("the same without `verification`", {"forms": "weierstrass", **_LEAN}),
    ("X25519 and X448", {"forms": "montgomery"}),
    ("Edwards curves, with EdDSA", {"forms": "edwards", "schemes": "eddsa"}),
    ("Edwards curves", {"forms": "edwards"}),
    ("the same without `verification`", {"forms": "edwards", **_LEAN}),
)


def designs() -> Iterator[PrimeCurve]:
    """All processors whose cycles are told."""
    every = [ONE | own for _, _, own in _ON_ONE] + [TWO | own for _, _, own in _ON_TWO]
    for options in every:
        yield from (_made(options), _made(options | {"batch": 2}), _made(options | {"batch": 4}))
    yield _made(TWO | {"ports": 2})
    yield _made(EVERYTHING)


def text() -> str:
    """The tables."""
    lines = [
        *_head("On one multiplier", "alone", "of two at once, each", "of four, each"),
        *(
            _line(
                name,
                _each(ONE | own, curve, 1),
                _each(ONE | own, curve, 2),
                _each(ONE | own, curve, 4),
            )
            for name, curve, own in _ON_ONE
        ),
        "",
        *_head(
            "On two (`units = 2`)",
            "alone",
            "alone, two ports",
            "of two at once, each",
            "of four, each",
        ),
        *(
            _line(
                name,
                _each(TWO | own, curve, 1),
                _each(TWO | own | {"ports": 2}, curve, 1),
                _each(TWO | own, curve, 2),
                _each(TWO | own, curve, 4),
            )
            for name, curve, own in _ON_TWO
        ),
        "",
        *_head("On one multiplier", *(f"`{name}`" for name in _SUMS)),
        *(
            _line(name, *(cycles(_made(ONE), curve, operation) for operation in _SUMS))
            for name, curve in _SUMS_ON
        ),
        "",
        *_head(
            "With all schemes, Weierstrass curves", *(f"`blinding = {bits}`" for bits in BLINDING)
        ),
        *(
            _line(
                f"{name}, `{operation}`",
                *(cycles(_blinded(bits), name, operation) for bits in BLINDING),
            )
            for name, every in _BLINDED
            for operation in every
        ),
        _line(
            "words of the program store",
            *(len(_blinded(bits).programs.build.rom) for bits in BLINDING),
        ),
        "",
        *_head("Words of the program store for", ""),
        *(_line(name, len(_made(ONE | own).programs.build.rom)) for name, own in _PROGRAMS),
    ]
    return "".join(f"{line}\n" for line in lines)


def page(page_text: str) -> str:
    """The page with these tables."""
    begin, end = MARKS
    before, _, rest = page_text.partition(begin)
    return before + begin + text() + end + rest.partition(end)[2]


def cycles(design: CurveProcessor, name: str, operation: str) -> int:
    """Of an operation on a curve, from its command to the status."""
    curve = curves.find(name)
    return round(design.latency(design.mode(operation, Load.of(curve))).maximum)


def alone(design: PrimeCurve, name: str) -> int:
    """Cycles of a multiplication by a scalar on a curve."""
    return cycles(design, name, design.operations_on(Load.of(curves.find(name)))[0])


def together(design: PrimeCurve, name: str) -> tuple[int, int]:
    """How many multiplications on a curve are done at once at most, and the cycles of all."""
    operations = design.operations_on(Load.of(curves.find(name)))
    most = max(operations, key=lambda operation: batch(operation).times)
    return batch(most).times, cycles(design, name, most)


def _each(options: dict[str, Any], curve: str, at_once: int) -> int | None:
    """Cycles for each of so many; None if they cannot be done at once."""
    times, total = together(_made(options | {"batch": at_once}), curve)
    return total // times if times == at_once else None


@cache
def _blinded(bits: int) -> PrimeCurve:
    """With everything on Weierstrass curves but what is done with public numbers alone."""
    return _made(EVERYTHING | _LEAN | {"forms": "weierstrass", "blinding": bits})


def _made(options: dict[str, Any]) -> PrimeCurve:
    design = Spec.from_options(options).design
    assert isinstance(design, PrimeCurve)
    return design


def _head(*names: str) -> list[str]:
    return [_line(*names), _line(*["---"] * len(names))]


def _line(name: str, *cells: int | str | None) -> str:
    def told(cell: int | str | None) -> str:
        return "" if cell is None else cell if isinstance(cell, str) else f"{cell:,}"

    return f"| {' | '.join((name, *map(told, cells)))} |"
