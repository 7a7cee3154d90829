"""Records of many kinds for the tests of reports, made up without tools."""

from __future__ import annotations

from typing import Any

from example_records import record
from modmul.exploration.record import Record

SCHEDULES = 2  # simulated for the browser: seconds each
NASTY = "</script><img src=x onerror=alert(1)> & 'quotes' \u2028 end"


def on_chip(options: dict[str, Any], lut: int, ns: float | None, **more: Any) -> Record:
    """A record on a chip with so many LUTs and so much time per product (None: no clock)."""
    figures: dict[str, Any] = {
        "lut": lut,
        "ff": 2 * lut + 7,
        "dsp": 0,
        "ram_bits": 0,
        "ram_blocks": 0,
        "area": {"value": float(lut), "unit": "LUT equivalents"},
        "time": None
        if ns is None
        else {
            "kind": "usable",
            "unit": "ns",
            "period": 4.0,
            "latency": 3 * ns,
            "per_product": ns,
            "eight": 10 * ns,
        },
    }
    return record({"interface": "core", **options}, **(figures | more))


def _fpmm(lut: int, ns: float, dsp: int, **options: Any) -> Record:
    area = {"value": lut + 536.0 * dsp, "unit": "LUT equivalents", "luts_per_dsp": 536.0}
    ram = 36864 if options.get("storage") == "block" else 0
    return on_chip(
        {"architecture": "fpmm", "width": 128, "target": "ecp5", **options},
        lut,
        ns,
        dsp=dsp,
        area=area,
        ram_bits=ram,
        ram_blocks=ram // 18432,
    )


def _cells(architecture: str, area: float, time: float) -> Record:
    options = {"architecture": architecture, "width": 64, "target": "cells", "interface": "core"}
    times = {
        "kind": "critical path",
        "unit": "T_FA",
        "period": 3.0,
        "latency": time + 9,
        "per_product": time,
        "eight": 8 * time,
    }
    return record(options, lut=None, dsp=None, area={"value": area, "unit": "A_FA"}, time=times)


def _ecp5(architecture: str, lut: int, ns: float | None, **more: Any) -> Record:
    options = {"architecture": architecture, "width": 128, "target": "ecp5"}
    return on_chip(options, lut, ns, **more)


RECORDS = [
    _fpmm(600, 71.0, 9),
    _fpmm(524, 87.6, 9, storage="block"),
    _fpmm(690, 71.0, 9, slots=6),
    _fpmm(195, 284.0, 3, word=17, slots=2),
    _ecp5("montgomery-radix2", 798, 1223.0),
    _ecp5("montgomery-2csa", 993, 592.0),
    _ecp5("montgomery-lookahead", 1084, 575.0),
    _ecp5("interleaved", 922, 1289.0),
    _ecp5("scs-mm-new", 1552, 694.7),
    _ecp5("fcs-mm-1", 1453, 604.4),
    _ecp5("interleaved-redundant", 1211, None),  # without a clock
    on_chip(
        {"architecture": "fips", "modulus": "x^127+x^1+1", "target": "xc7"},
        1733,
        468.0,
        time={
            "kind": "estimated",
            "unit": "ns",
            "period": 5.2,
            "latency": 500.0,
            "per_product": 468.0,
            "eight": 3800.0,
        },
        estimated_mhz={
            "mhz": 192.31,
            "low": 86.5,
            "high": 278.8,
            "limited_by": "the estimated path",
            "verified": True,
            "source": "estimated from the netlist",
        },
    ),
    _cells("interleaved", 759.9, 351.0),
    _cells("scs-mm-1", 795.6, 218.0),
    _cells("montgomery-radix2", 674.6, 388.0),
    on_chip({"architecture": "array-mux4", "width": 64, "target": "xc4v"}, 9400, 35.0),
    _ecp5("scs-mm-2", 900, None, status="failed", reason=NASTY, area=None),
    _ecp5("fcs-mm-2", 2100, None, status="outside", reason="where: lut <= 2000"),
]
