"""Records for tests, without tools: figures by a formula of the spec."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from modmul.exploration import grid
from modmul.exploration.child import Reply, Request
from modmul.exploration.measure import key_of, made
from modmul.exploration.record import Record, Seconds


def record(options: dict[str, Any], seeds: int = 1, products: int = 10, **more: Any) -> Record:
    """A record of a spec: LUTs and times follow from width and slots."""
    point = grid.make(options, None)
    facts = grid.facts(point.spec)
    lut, period = 3 * facts["width"] + facts["slots"], 5.0
    cycles = facts["cycles"]
    found = {
        **facts, "lut": lut, "ff": 2 * lut, "dsp": 0,
        "area": {"value": lut, "unit": "LUT equivalents"},
        "time": {"kind": "usable", "unit": "ns", "period": period,
                 "latency": cycles["latency"] * period, "eight": cycles["eight"] * period,
                 "per_product": cycles["per_product"] * period},
        "verified": {"products": products, "golden": 1, "cycles": 100, "seed": 1},
    } | more  # fmt: skip
    status = found.pop("status", "done")
    reason = found.pop("reason", None)
    key = key_of(point.options, seeds, products)
    return made(key, status, reason, found, seeds, products, Seconds(2.0, 1.9, {"yosys": 1.9}))


def reply(request: Request, **more: Any) -> Reply:
    """What a process that measures would answer."""
    one = record(request.options, request.seeds, request.products, **more)
    return Reply(json.dumps(msgspec.to_builtins(one)).encode(), None)
