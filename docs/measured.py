"""The table of measured figures at the top of the README.

    python docs/measured.py    # verifies, places and routes every design of the table: an hour

The figures are kept in docs/measured.json, with the versions of the tools that made them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pages import between

from modmul import Spec, implement, verify
from modmul.implementation.result import ImplementResult
from modmul.papers import beside
from modmul.toolchain import files, progress

FIGURES = Path(__file__).with_name("measured.json")
README = Path(__file__).parents[1] / "README.md"
SEEDS, PRODUCTS = 3, 100_000
DESIGNS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("NIST P-256", {"architecture": "fpmm", "modulus": "p256", "target": "ecp5"}),
    ("any N of 128 bits", {"architecture": "fpmm", "width": 128, "target": "ecp5"}),
    ("RSA, any N of 2048 bits", {"architecture": "fpmm", "width": 2048, "target": "ecp5"}),
    (
        "P-256 without DSP blocks",
        {"architecture": "montgomery-lookahead", "modulus": "p256", "target": "ecp5",
         "stream-word": 16, "lookahead": 2},
    ),
    (
        "P-256 on few LUTs, no DSP blocks",
        {"architecture": "fips", "modulus": "p256", "target": "ecp5", "word": 16, "lookahead": 2,
         "stages": 5, "field": "prime", "squares": False},
    ),
)  # fmt: skip
_MARKS = "<!-- measured -->\n", "<!-- end of measured -->\n"
_HEAD = ("for", "architecture", "LUT", "FF", "DSP", "clock", "a product", "a second", "checked")


def measure(use: str, options: dict[str, Any]) -> dict[str, Any]:
    """One design: area and clock of core and adapter together, time of a product among many."""
    spec = Spec.from_options(options)
    with progress.bar() as report:
        checked = verify(spec, products=PRODUCTS, progress=report)
        result = implement(spec, seeds=SEEDS, jobs=2, progress=report)
    clock = result.fmax_mhz if isinstance(result, ImplementResult) else None
    if not checked.passed or not isinstance(result, ImplementResult) or clock is None:
        raise SystemExit(f"{use}: wrong products, or nothing routed")
    together = beside.ours(spec, result)[0]
    return {
        "use": use,
        "spec": options,
        "device": result.device,
        "lut": together.lut,
        "ff": together.ff,
        "dsp": together.dsp,
        "usable_mhz": together.usable_mhz,
        "routed_mhz": together.routed_mhz,
        "cycles_per_product": result.cycles.per_product,
        "unverified": clock.unverified and together.usable_mhz == clock.usable,
        "products": checked.products,
        "checked_per_second": round(checked.checked_per_second),
        "seeds": SEEDS,
        "tools": result.tools,
    }


def readme(text: str, figures: list[dict[str, Any]]) -> str:
    """The README with the table of `figures`."""
    return between(text, _MARKS, [_row(_HEAD), _row(["---"] * len(_HEAD)), *map(_cells, figures)])


def _cells(design: dict[str, Any]) -> str:
    mhz, cycles = design["usable_mhz"], design["cycles_per_product"]
    mark = "*" if design["unverified"] else ""
    return _row([
        design["use"], f"`{design['spec']['architecture']}`",
        f"{design['lut']:,}", f"{design['ff']:,}", str(design["dsp"]),
        f"{mhz:.0f} MHz{mark}", _time(1000 * cycles / mhz),
        f"{1e6 * mhz / cycles:,.0f}", f"{design['checked_per_second']:,}",
    ])  # fmt: skip


def _time(ns: float) -> str:
    return f"{ns:.0f} ns" if ns < 1000 else f"{ns / 1000:.1f} us"


def _row(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Measure all, then write both files."""
    figures = [measure(use, options) for use, options in DESIGNS]
    files.write(FIGURES, json.dumps(figures, indent=2) + "\n")
    files.write(README, readme(README.read_text(), figures))


if __name__ == "__main__":
    main()
