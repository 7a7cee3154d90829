"""A processor as readable, hierarchical Verilog-2005: one module with its streams, see `hdl`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from modmul.export import hdl, names
from modmul.export.ports import processor_ports
from modmul.processors.contract import Processor


@dataclass(frozen=True)
class ProcessorHdl:
    """verilog: the text.  module: the name of the processor in it.  models: Verilog files that
    simulate the chip primitives instantiated in it."""

    verilog: str
    module: str
    models: tuple[Path, ...]


def emit(processor: Processor, name: str | None = None) -> ProcessorHdl:
    """`processor` as Verilog.  name: what all module names begin with (default: its title).

    Raises ToolFailed or ToolMissing if Yosys does."""
    module = names.identifier(name or processor.title)
    body = hdl.verilog_of([(processor.create(), processor_ports(processor), module)])
    verilog = header(processor, "//") + hdl.declared(body)
    return ProcessorHdl(verilog, module, hdl.models_in(verilog, processor.multiplier))


def header(processor: Processor, comment: str) -> str:
    """The first lines of every file about `processor`: who made it, and from what."""
    multiplier = processor.multiplier
    options = {"processor": processor.name} | hdl.options_of(processor)
    options |= {"architecture": multiplier.name} | hdl.options_of(multiplier)
    return hdl.heading(processor, options, comment)
