"""Simulation models of hard blocks and library cells in Verilog-2005, of some also in VHDL-93.

A model is plain Verilog or a template; `common` has what several models share."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import jinja2

_FOLDER = Path(__file__).parent


class Model(NamedTuple):
    """file: the name of the cell in lower case, with the suffix of the language, `.v` or `.vhd`."""

    file: str
    text: str


def read(files: Iterable[str]) -> tuple[Model, ...]:
    return tuple(map(_read, files))


def of_cell(cell: str) -> Model | None:
    return _known(f"{cell.lower()}.v")


def in_vhdl(model: Model) -> Model | None:
    """The same model in VHDL, if there is one."""
    return _known(f"{Path(model.file).stem}.vhd")


def _known(file: str) -> Model | None:
    return _read(file) if file in _files() else None


@functools.cache
def _read(file: str) -> Model:
    return Model(file, _templates().select_template([file, f"{file}.j2"]).render())


@functools.cache
def _files() -> frozenset[str]:
    return frozenset(path.name.removesuffix(".j2") for path in _FOLDER.glob("*.v*"))


@functools.cache
def _templates() -> jinja2.Environment:
    """Values stand in `@{...}`, since Verilog has double braces."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        undefined=jinja2.StrictUndefined,
        variable_start_string="@{",
        variable_end_string="}",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
