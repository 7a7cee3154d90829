"""Faults put into emitted Verilog, to see that verification catches them."""

from __future__ import annotations

import re
from dataclasses import replace

from modmul.export.hdl import Hdl
from modmul.multipliers.contract import Multiplier
from modmul.toolchain.cache import Cache
from modmul.verification import campaign, plan
from modmul.verification.campaign import Tally
from modmul.verification.simulator import compile_simulator
from modmul.verification.verify import INTERFACES, designs


def plant(hdl: Hdl, pattern: str, replacement: str, which: int = 0) -> Hdl:
    """Replace match number `which` of a regular expression (multi-line mode) in the Verilog.

    ValueError if there is no such match, or nothing would change: a fault that is not there
    cannot be caught."""
    matches = list(re.finditer(pattern, hdl.verilog, re.MULTILINE))
    if which >= len(matches):
        raise ValueError(f"{pattern!r}: {len(matches)} matches, number {which} was asked for")
    match = matches[which]
    text = match.expand(replacement)
    if text == match[0]:
        raise ValueError(f"{pattern!r}: the replacement changes nothing")
    return replace(hdl, verilog=hdl.verilog[: match.start()] + text + hdl.verilog[match.end() :])


def trial(
    multiplier: Multiplier, hdl: Hdl, cache: Cache, *, products: int = 500, seed: int = 1
) -> Tally:
    """Verify Verilog that may have a fault; `wrong` is above 0 where it was caught."""
    simulator = compile_simulator(designs(multiplier, hdl), cache)
    tasks = plan.tasks(multiplier, products, INTERFACES)
    return campaign.run(simulator, multiplier, None, tasks, seed, jobs=1)
