"""Designs of every form with registers, and their simulation on a bus."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from modmul.errors import CheckFailed
from modmul.export import check, hdl
from modmul.export.contents import plan_of
from modmul.export.hdl import Hdl
from modmul.spec import Spec
from modmul.system import text
from modmul.system.bench import testbench
from modmul.system.exercise import exercise
from modmul.system.packets import longest
from modmul.system.register_map import register_map
from modmul.system.registers import RegisterMap
from modmul.system.script import Access
from modmul.toolchain.cache import Cache

FORMS = {
    "one beat": {"architecture": "montgomery-radix2", "width": 40},
    "words": {"architecture": "fpmm", "width": 30, "word": 8, "tile": "4x4"},
    "carry-save": {"architecture": "fcs-mm-1", "width": 33, "banks": 2},
    "modes": {"architecture": "fips", "width": 16, "word": 4, "banks": 3},
    "plain": {"architecture": "array-booth", "width": 8},
    "processor": {"architecture": "exponentiation", "multiplier": "fips", "width": 48, "word": 16},
    "sums": {"architecture": "cios", "width": 20, "word": 8, "adder": True},
    "protected": {"architecture": "cios", "width": 20, "word": 8, "protection": "full"},
}


class System(NamedTuple):
    """A design with registers.  accesses: those of the delivered testbench."""

    spec: Spec
    written: Hdl
    regs: RegisterMap
    accesses: list[Access]

    def verilog(self, bus: str) -> tuple[str, str]:
        """The module on a bus, and the whole text."""
        name, verilog = text.on_bus(self.spec.design, self.written, self.regs, bus)
        return name, f"{self.written.simulated}\n{verilog}"

    def run(
        self,
        bus: str,
        folder: Path,
        accesses: Sequence[Access] | None = None,
        change: Callable[[str], str] = lambda text: text,
        simulate: Callable[[list[Path]], str] | None = None,
    ) -> str:
        """What the testbench prints with these accesses (default: its own) on the changed text,
        without a cache.  simulate: another simulator than Verilator."""
        name, verilog = self.verilog(bus)
        accesses = self.accesses if accesses is None else accesses
        bench = testbench(
            self.spec.design, self.regs, bus, accesses, what="products", dut=name, name="x"
        )
        (folder / "design.v").write_text(change(verilog))
        (folder / "bench.v").write_text(bench)
        sources = [folder / "design.v", folder / "bench.v"]
        if simulate is not None:
            return simulate(sources)
        return check._compile_and_run(sources, "x_check", folder, Cache())

    def passes(self, output: str, accesses: Sequence[Access] | None = None) -> bool:
        """Whether that says that everything was right."""
        accesses = self.accesses if accesses is None else accesses
        try:
            check.verdict(output, "simulator", 2 * len(accesses), "accesses")
        except CheckFailed:
            return False
        return True


@functools.cache
def system_of_form(form: str) -> System:
    """Made once for all tests of this process."""
    return system(FORMS[form])


def system(options: dict[str, object]) -> System:
    """options: of a spec, and of `build`: see `spec_of`."""
    return system_of(*spec_of(options))


def spec_of(options: Mapping[str, object]) -> tuple[Spec, int]:
    """What a form says: a spec, and how many banks `build` is told."""
    others = dict(options)
    banks = others.pop("banks", 0)
    assert isinstance(banks, int)
    return Spec.from_options(others), banks


def system_of(spec: Spec, banks: int = 0) -> System:
    plan = plan_of(spec)
    regs = register_map(spec.design, longest(spec), banks)
    return System(spec, hdl.emit(spec.design), regs, exercise(spec, regs, plan))
