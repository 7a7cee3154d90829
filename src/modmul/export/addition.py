"""An addition to a delivery beside the design itself, such as a bus. A layer above makes it and
passes it to `build`, which simulates and delivers it with the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from modmul.errors import CheckFailed
from modmul.export import check
from modmul.export.hdl import Hdl
from modmul.export.kit import Kit
from modmul.export.layout import Layout
from modmul.spec import Spec
from modmul.toolchain import icarus
from modmul.toolchain.cache import Cache


class Bench(NamedTuple):
    """A further testbench.  about: what it is of, in a word.  top: what its modules `<top>_tb` and
    `<top>_check` begin with.  sources: in order.  tried: how many of `what` it checks."""

    about: str
    top: str
    sources: tuple[str, ...]
    tried: int
    what: str


@dataclass(frozen=True)
class Addition:
    """verilog: what follows the design in its text.  top: the module that is then outermost, None:
    as without.  files: further texts by their names; what: these, and files that are another
    thing now.  described: further entries of the description.  section: of the datasheet, with
    its heading.  benches: see `Bench`."""

    verilog: str = ""
    top: str | None = None
    files: dict[str, str] = field(default_factory=dict)
    what: dict[str, str] = field(default_factory=dict)
    described: Mapping[str, Any] = field(default_factory=dict)
    section: str = ""
    benches: Sequence[Bench] = ()


# Given the spec, its emitted text, what is delivered of it, its name and the places of its files.
Maker = Callable[[Spec, Hdl, Kit, str, Layout], Addition]


def simulated(bench: Bench, folder: Path, cache: Cache) -> dict[str, str | None]:
    """What each simulator says of a testbench, by simulator and what it is of; None: not
    installed.  CheckFailed."""
    sources = [folder / file for file in bench.sources]
    try:
        output = check.in_verilator(
            sources, f"{bench.top}_check", bench.tried, cache, what=bench.what
        )
    except CheckFailed as error:
        raise CheckFailed(f"{bench.about}: {error}") from None
    verdict = check.verdict(output, "Verilator", bench.tried, bench.what)
    verdicts: dict[str, str | None] = {f"verilator, {bench.about}": verdict}
    verdicts[f"icarus, {bench.about}"] = None
    if icarus.installed():
        verdicts[f"icarus, {bench.about}"] = check.in_icarus(
            sources, f"{bench.top}_tb", cache, products=bench.tried,
            cycles=check.cycles_of(output), beat=1, what=bench.what,
        )  # fmt: skip
    return verdicts
