"""An addition to a delivery, such as a bus, that stands beside the design itself.  A layer above
makes it and passes it to `build`, which simulates and delivers it with the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from modmul.export.ports import Port


class Bench(NamedTuple):
    """A testbench.  about: the word for the thing that it tests, if that is not the design alone.
    top: the common beginning of the names of its modules, `<top>_tb` and `<top>_check`.  sources:
    its files, in order.  tried: the number of checks.  what: the word for the things that are
    checked.  beat: the most bits in a beat of operands."""

    about: str
    top: str
    sources: tuple[str, ...]
    tried: int
    what: str
    beat: int = 1


@dataclass(frozen=True)
class Addition:
    """The files, texts and testbenches of an addition.

    verilog: text to append to that of the design.  top: the module that is then outermost; None if
    there is no other one.  reset: its reset.  files: further texts by their names.  what: the
    meaning of these files, and of files that change their meaning.  described: further entries of
    the description.  section: a section of the datasheet, with its heading.  benches: further
    testbenches.  options: keys and values with which a file of a specification asks for it."""

    verilog: str = ""
    top: str | None = None
    reset: Port | None = None
    files: dict[str, str] = field(default_factory=dict)
    what: dict[str, str] = field(default_factory=dict)
    described: Mapping[str, Any] = field(default_factory=dict)
    section: str = ""
    benches: Sequence[Bench] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
