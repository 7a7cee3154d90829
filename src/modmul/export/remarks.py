"""What is said above the modules of an emitted text: docstrings of what they are made of."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator

from amaranth.hdl import Elaboratable, Fragment, Module

COLUMNS = 96


def above(fragment: Fragment, module: str, top: object = None) -> Iterator[tuple[str, str]]:
    """The names of a module and of those below it, as Amaranth gives them, each with its comment.

    top: what the module itself is made of, where the fragment does not know."""
    made_of = top if top is not None else _origin(fragment)
    if made_of is not None:
        yield module, comment(made_of)
    for inner, name, _ in fragment.subfragments:
        if name is not None:
            yield from above(inner, f"{module}.{name}")


def comment(made_of: object) -> str:
    """The docstring of an object's class as a comment, and the numbers that hold for this one."""
    kind = type(made_of)
    text = inspect.cleandoc(kind.__doc__ or "")
    if not kind.__module__.startswith("modmul."):  # of a library, for which the first line will do
        text = text.split("\n\n", 1)[0]
    facts = {
        name: value
        for name, value in vars(made_of).items()
        if isinstance(value, (bool, int, str)) and not name.startswith("_")
    }
    paragraphs = text.split("\n\n")
    if facts:
        told = ", ".join(f"{name} = {_plain(value)}" for name, value in facts.items())
        paragraphs.append(f"Here: {told}.")
    return lines(*paragraphs)


def lines(*paragraphs: str) -> str:
    """Paragraphs as a comment."""
    return "//\n".join(_wrapped(paragraph) for paragraph in paragraphs if paragraph)


def _wrapped(paragraph: str) -> str:
    lines = textwrap.wrap(" ".join(paragraph.split()), COLUMNS, break_on_hyphens=False)
    return "".join(f"// {line}\n" for line in lines)


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _origin(fragment: Fragment) -> Elaboratable | None:
    """The component that a fragment was made from, if its class says what it is."""
    for origin in fragment.origins or ():
        if not isinstance(origin, Module) and type(origin).__dict__.get("__doc__"):
            return origin
    return None
