"""An Amaranth component that instantiates the module."""

from __future__ import annotations

from modmul.export.hdl import header
from modmul.export.names import identifier
from modmul.export.testbench import templates
from modmul.system.packages.delivered import Delivered


def package(delivered: Delivered) -> dict[str, str]:
    """`NAME_amaranth.py`."""
    text = (
        templates("modmul.system")
        .get_template("amaranth.py.j2")
        .render(
            header=header(delivered.design, "#"), one=delivered, kind=class_name(delivered.name)
        )
    )
    return {f"{delivered.name}_amaranth.py": text}


def class_name(name: str) -> str:
    """A name in the form of class names: capitalized words, without underscores."""
    return "".join(word[:1].upper() + word[1:] for word in identifier(name).split("_"))
