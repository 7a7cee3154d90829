"""Injected faults: changes of emitted Verilog that verification must catch."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from modmul.design import Interface
from modmul.export.hdl import Hdl
from modmul.multipliers.contract import Multiplier
from modmul.toolchain.cache import Cache
from modmul.verification import campaign, plan
from modmul.verification.campaign import CampaignTotals
from modmul.verification.products import designs
from modmul.verification.simulator import compile_simulator

_STRIDE = 3
Fault = TypeVar("Fault")


def some(faults: Mapping[str, Fault]) -> dict[str, Fault]:
    """Every third of these faults, and all in the long run: each one is compiled."""
    stride = 1 if os.environ.get("CONFORMANCE") else _STRIDE
    return dict(list(faults.items())[::stride])


def inject(hdl: Hdl, module: str, pattern: str, replacement: str, which: int = 0) -> Hdl:
    """Replace match number `which` of a regular expression (multi-line mode) in one module.

    ValueError if there is no such match, or nothing would change: a fault that is not there
    cannot be caught."""
    body = re.search(rf"^module {module} .*?^endmodule", hdl.verilog, re.MULTILINE | re.DOTALL)
    if body is None:
        raise ValueError(f"no module {module}")
    matches = list(re.finditer(pattern, body[0], re.MULTILINE))
    if which >= len(matches):
        raise ValueError(f"{pattern!r}: {len(matches)} matches, number {which} was asked for")
    match = matches[which]
    text = match.expand(replacement)
    if text == match[0]:
        raise ValueError(f"{pattern!r}: the replacement changes nothing")
    start, end = body.start() + match.start(), body.start() + match.end()
    return replace(hdl, verilog=hdl.verilog[:start] + text + hdl.verilog[end:])


def trials(
    multiplier: Multiplier,
    faulty: Sequence[Hdl],
    cache: Cache,
    *,
    products: int = 500,
    seed: int = 1,
    interfaces: Collection[Interface] = ("core", "stream"),
) -> list[CampaignTotals]:
    """Verify Verilog texts that may have a fault, all in one simulator; at the core alone where
    that is asked: half as much to compile.

    `wrong` of a tally is above 0 where the fault was caught."""
    every = [
        [design for design in designs(multiplier, text) if design.interface in interfaces]
        for text in faulty
    ]
    simulator = compile_simulator([design for text in every for design in text], cache)
    tallies, number = [], itertools.count()
    for text in every:
        tried = [(next(number), design.interface) for design in text]
        tasks = plan.tasks(multiplier, products, tried)
        tallies.append(campaign.run(simulator, multiplier, None, tasks, seed))
    return tallies
