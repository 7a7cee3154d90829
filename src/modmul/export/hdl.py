"""Emits a design as readable, hierarchical Verilog-2005.

Yosys removes the processes from Amaranth's RTLIL, and `verilog/` writes the rest.  One text
contains the modules of a design with stable names (of a multiplier `<title>_core` and
`<title>_stream`, the core behind the elastic adapter; of a processor `<title>`), and their
sub-modules, whose names begin with theirs: several designs can stand in one project.  The text
contains no date, path or source location: the same design gives the same bytes."""

from __future__ import annotations

import contextlib
import functools
import gc
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from amaranth.lib import wiring

from modmul.blocks.part import Part
from modmul.design import Design, Interface
from modmul.errors import refusal
from modmul.export import elaboration, names, preface
from modmul.export.pins import USUAL, Pins, synchroniser
from modmul.export.ports import Port, is_asynchronous, ports, reset_of
from modmul.export.remarks import COLUMNS, Remarks, plain
from modmul.export.verilog import writer
from modmul.export.verilog.writer import Written
from modmul.export.vhdl import writer as vhdl_writer
from modmul.literature import reference
from modmul.targets import models
from modmul.targets.models import Model
from modmul.toolchain import scratch, yosys
from modmul.version import __version__

# Full `proc` leaves no process, and so no `always @*` that a simulator might never start.
_SCRIPT = """
proc -norom
memory_collect
opt_expr
opt_clean
"""
_WRITE = "write_rtlil written.il\n"

# Of a memory that is never written, a ROM, the contents stay.
_WITHOUT_INITIAL_VALUES = """
setattr -unset init w:*
setparam -set INIT 1'bx t:$mem_v2 r:WR_PORTS>0 %i
"""

_SELDOM = 50_000  # new objects between two searches for garbage; by default Python waits for 700

Text = TypeVar("Text")
_KEEPING: list[Any] = []

# A component, its ports, and the name of its module.
Made = tuple[wiring.Component, tuple[Port, ...], str]


@dataclass(frozen=True)
class Hdl:
    """The emitted text of a design.

    verilog: one text with all modules.  vhdl: the same in VHDL, if it was asked for, else empty.
    modules: their names, by interface.  models: of the chip
    primitives instantiated in it.  parts: the parts in it, by the beginning
    of their instances: the name of a module, and values of its parameters.  remarks: on modules, by
    their names.  without_initial_values: those that the target allows were left out.  pins: of the
    module with streams that may pause."""

    verilog: str
    modules: Mapping[Interface, str] = field(hash=False)
    models: tuple[Model, ...]
    parts: Mapping[str, Part] = field(default_factory=dict, hash=False)
    remarks: Mapping[str, Remarks] = field(default_factory=dict, hash=False)
    without_initial_values: bool = False
    pins: Pins = USUAL
    vhdl: str = ""

    @property
    def simulated(self) -> str:
        """The text with the models of primitives, for simulators."""
        return "\n".join([self.verilog, *(model.text for model in self.models)])

    @property
    def core(self) -> str:
        """The name of the bare core; KeyError for a processor, which has none."""
        return self.modules["core"]

    @property
    def stream(self) -> str:
        """The name of the module all of whose streams may pause anywhere."""
        return self.modules["stream"]

    @property
    def measured(self) -> str:
        """The name of the module whose area and clock are reported first: the bare core, or the
        processor."""
        return next(iter(self.modules.values()))

    def top(self, interface: Interface) -> str:
        return self.modules[interface]


def emit(
    design: Design,
    name: str | None = None,
    *,
    without_initial_values: bool = False,
    pins: Pins = USUAL,
    vhdl: bool = False,
) -> Hdl:
    """Emit `design` as Verilog, and as VHDL if it is asked for.  name: the beginning of all module
    names (default: its title).  without_initial_values: registers and RAM have no values at
    power-up, also where the target allows them.  pins: of the module with streams that may pause.

    The last texts are kept, so verifying, building and implementing a design emits it once.  Raises
    ToolFailed or ToolMissing if Yosys fails or is missing, SpecError if Python runs without
    docstrings."""
    if sys.flags.optimize > 1:
        why = "without docstrings, the comments of the Verilog would be missing"
        raise refusal("PYTHONOPTIMIZE", sys.flags.optimize, "at most 1", why)
    return _emitted(design, name, without_initial_values, pins, vhdl)


def kept(make: Callable[..., Text]) -> Callable[..., Text]:
    """`make` with a cache of its last texts, by its arguments, which must be hashable."""
    keeping = functools.lru_cache(maxsize=16)(make)
    _KEEPING.append(keeping)
    return keeping


def forget() -> None:
    """Call this after changing, in this process, the code that designs are made of."""
    for keeping in _KEEPING:
        keeping.cache_clear()


@kept
def _emitted(
    design: Design, name: str | None, without_initial_values: bool, pins: Pins, vhdl: bool
) -> Hdl:
    built = components(design, name, pins)
    modules = {interface: module for interface, (_, _, module) in built.items()}
    parts, remarks = dict[str, Part](), dict[str, Remarks]()
    before = {modules["core"]: (f"The bare core: {design.summary}.",)} if "core" in modules else {}
    initial = design.chip.initial_values and not without_initial_values
    made = list(built.values())
    written = written_of(made, parts, before, remarks, initial_values=initial)
    top = heading(design, {}, "//")  # the preface lists the parameters
    top += preface.preface(design, next(iter(modules.values())), modules["stream"], written.text)
    verilog = top + declared(written.text)
    needed = models_in(verilog, design)
    own = vhdl_of(written, made, f"{modules['stream']}_functions") if vhdl else ""
    own = own and f"{top.replace('//', '--')}{own}"
    return Hdl(verilog, modules, needed, parts, remarks, without_initial_values, pins, own)


def components(
    design: Design, name: str | None = None, pins: Pins = USUAL
) -> dict[Interface, Made]:
    """Component, ports and name of the modules with stable names, by interface.  name, pins:
    see `emit`."""
    parts = design.modules()
    title = name or design.title
    modules = {part.interface: names.identifier(f"{title}{part.suffix}") for part in parts}

    def below(interface: Interface) -> wiring.Component:
        return elaboration.EmittedModule(design, interface, modules[interface])

    return {
        part.interface: (
            part.create(below),
            ports(design, part.interface, pins),
            modules[part.interface],
        )
        for part in parts
    }


@contextlib.contextmanager
def _seldom_collected() -> Iterator[None]:
    """While this is active, Python seldom searches for objects that only each other refer to: what
    describes a circuit is needed until its text is written, and is searched in vain."""
    often, *older = gc.get_threshold()
    gc.set_threshold(max(often, _SELDOM) if often else often, *older)
    try:
        yield
    finally:
        gc.set_threshold(often, *older)


@_seldom_collected()
def written_of(
    modules: Sequence[Made],
    parts: dict[str, Part] | None = None,
    before: Mapping[str, tuple[str, ...]] | None = None,
    remarks: dict[str, Remarks] | None = None,
    *,
    initial_values: bool = True,
) -> Written:
    """One text with a module of that name and with these ports for each component.

    parts: the parts used are added, see `Hdl`.  before: paragraphs to put above modules, before the
    remarks on their components.  remarks: the remarks are added, by the same names.
    initial_values: whether registers and RAM have values at power-up."""
    parts, remarks = {} if parts is None else parts, {} if remarks is None else remarks
    before_yosys, after_yosys = words(modules, parts, remarks, initial_values)
    meanings = {name: {port.name: port.meaning for port in own} for _, own, name in modules}
    for name, paragraphs in (before or {}).items():
        remarks[name] = remarks[name].after(*paragraphs)
    text = writer.verilog(after_yosys, names.order(before_yosys), remarks, meanings)
    remarks |= text.merged.remarks
    for name in list(parts):
        parts[text.modules[name]] = parts.pop(name)
    synchronisers = [
        synchroniser(elaboration.synchroniser(name), initial_values)
        for _, own, name in modules
        if is_asynchronous(reset_of(own))
    ]
    return replace(text, text="".join([*synchronisers, text.text]))


def verilog_of(modules: Sequence[Made], *, initial_values: bool = True) -> str:
    """The text of `written_of`."""
    return written_of(modules, initial_values=initial_values).text


def vhdl_of(written: Written, modules: Sequence[Made], package: str) -> str:
    """The same modules in VHDL, behind a package of functions."""
    meanings = {name: {port.name: port.meaning for port in own} for _, own, name in modules}
    return vhdl_writer.vhdl(written.merged, meanings, package)


def words(
    modules: Sequence[Made],
    parts: dict[str, Part],
    remarks: dict[str, Remarks],
    initial_values: bool = True,
) -> tuple[str, str]:
    """The RTLIL of components from Amaranth, and the same without processes.  parts,
    remarks, initial_values: see `verilog_of`."""
    before_yosys = ""
    script = _SCRIPT + _WITHOUT_INITIAL_VALUES * (not initial_values) + _WRITE
    with scratch.folder() as work:
        for component, module_ports, name in reversed(modules):
            text = elaboration.rtlil_of(component, module_ports, name, parts, remarks)
            (work / f"{name}.il").write_text(text)
            before_yosys += text
            script = f"read_rtlil {name}.il\n{script}"
        yosys.run(script, work)
        return before_yosys, (work / "written.il").read_text()


def declared(verilog: str) -> str:
    """Modules in which every net must be declared; text that is read after them has the
    default."""
    return f"`default_nettype none\n\n{verilog}\n`default_nettype wire\n"


def models_in(verilog: str, design: Design) -> tuple[Model, ...]:
    """The models of the chip primitives instantiated in `verilog`."""
    return tuple(model for model in models.read(design.chip.models) if _needs(verilog, model))


def header(design: Design, comment: str) -> str:
    """The first lines of every file about `design`: its origin, parameters and sources."""
    return heading(design, {"architecture": design.name} | design.options, comment)


def heading(design: Any, options: dict[str, Any], comment: str) -> str:
    """Such lines for anything that has a title, a summary and sources.  options: the
    parameters to list; empty if they stand elsewhere."""
    shown = {key: value for key, value in options.items() if value is not None}
    paragraphs = [
        f"Generated by modmul {__version__}.  It is yours: no licence is claimed on it.",
        ", ".join(f"{key} = {plain(value)}" for key, value in shown.items()),
        *(f"Source: {reference(key)}." for key in design.sources),
    ]
    lines = textwrap.wrap(f"{design.title}: {design.summary}", COLUMNS)
    for paragraph in filter(None, paragraphs):
        lines += textwrap.wrap(paragraph, COLUMNS, break_on_hyphens=False)
    return "".join(f"{comment} {line}\n" for line in lines) + "\n"


def _needs(verilog: str, model: Model) -> bool:
    modules = re.findall(r"^\s*module\s+(\w+)", model.text, re.MULTILINE)
    return any(re.search(rf"^  {module}\b", verilog, re.MULTILINE) for module in modules)
