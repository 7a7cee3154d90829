"""Multipliers with `protection = full`: a fault gives no wrong result that looks right."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from modmul import multipliers, verify
from modmul.export import hdl, secrecy
from modmul.implementation.implement import implement
from modmul.implementation.result import ImplementResult
from modmul.spec import Spec
from modmul.timing_proof import certificate
from modmul.toolchain import yosys
from modmul.toolchain.cache import Cache
from modmul.toolchain.work import Work
from modmul.verification import faults

WIDTH = 16
QUICK = "cios"  # operands of several beats, memories, a queue
OPTIONS: dict[str, dict[str, object]] = {
    "fips": {"word": 8},
    "fpmm": {"word": 8, "tile": "4x4"},
    "fpmm-fixed": {"word": 8, "tile": "4x4", "modulus": 0xFFF1},
    "pseudo-mersenne": {"modulus": 0xFFF1},
    "gf2m-serial": {"modulus": "x^17 + x^3 + 1"},
}
MERGING = """read_verilog x.v
hierarchy -top {top}
proc
flatten
opt
techmap
dffunmap
dfflegalize -cell $_DFF_P_ 01
opt_clean
abc -dff -script +strash;scorr;map
setattr -mod -unset keep_hierarchy
setattr -unset keep_hierarchy
flatten
opt_clean
write_json x.json"""


def protected(name: str) -> Spec:
    own = OPTIONS.get(name, {})
    width = {} if "modulus" in own else {"width": WIDTH}
    return Spec.from_options({"architecture": name, "protection": "full", **width, **own})


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n == QUICK else pytest.mark.long) for n in multipliers.NAMES],
)
def test_no_fault_gives_a_silent_result(name: str) -> None:
    effects = Counter[str]()
    for row in faults.inject(protected(name), 300, faults.KINDS, 5, Work()).effects:
        effects.update(row.counts)
    assert effects["silent"] == effects["released"] == 0
    assert effects["refused"] > 10


@pytest.mark.long
@pytest.mark.parametrize("name", multipliers.NAMES)
def test_products_are_right_in_declared_cycles(name: str) -> None:
    assert verify(protected(name), products=2_000).passed


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n == QUICK else pytest.mark.long) for n in multipliers.NAMES],
)
def test_the_time_is_proved_as_without_protection(name: str) -> None:
    """Whether copies differ depends on secrets, and no handshake on that."""
    design = protected(name).design
    written = hdl.emit(design)
    for interface in design.interfaces:
        proof = certificate.prove(secrecy.subject(design, written, interface), Cache())
        assert proof.proved == (design.timing == "constant")


@pytest.mark.parametrize("target", ["ecp5", "cells"])
def test_synthesis_maps_both_copies(target: str) -> None:
    options = {"architecture": "array-booth", "width": 8, "target": target}
    counted = []
    for protection in ("none", "full"):
        spec = Spec.from_options(options | {"protection": protection})
        result = implement(spec, route=False)
        counted.append(result.ff if isinstance(result, ImplementResult) else result.flip_flops)
    assert counted[1] == 2 * counted[0] + 1


def test_copies_are_kept_apart(tmp_path: Path) -> None:
    """From a synthesis that merges registers whose values are always equal."""

    def registers(protection: str, ignored: str = "") -> int:
        design = multipliers.find("array-booth")(width=8, protection=protection)
        written = hdl.emit(design)
        (tmp_path / "x.v").write_text(written.verilog.replace(ignored, ""))
        yosys.run(MERGING.format(top=written.core), tmp_path)
        cells = json.loads((tmp_path / "x.json").read_text())["modules"][written.core]["cells"]
        return sum("DFF" in cell["type"] for cell in cells.values())

    alone = registers("none")
    assert registers("full") == 2 * alone + 1
    assert registers("full", "(* keep_hierarchy = 1 *)") < 2 * alone
