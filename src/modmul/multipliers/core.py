"""What bare cores have in common: whose they are, and what they are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from amaranth.lib import wiring

from modmul.multipliers.signature import core_signature

Of = TypeVar("Of", bound="type[BareCore]")


class BareCore(wiring.Component):
    """Base class: made of parameters alone, which say what its streams are."""

    def __init__(self, parameters: Any):
        self.parameters = parameters
        super().__init__(core_signature(parameters))


def core_of(architecture: type[Any]) -> Callable[[Of], Of]:
    """A class decorator that declares the class the bare core of an architecture."""

    def said(core: Of) -> Of:
        architecture.core = core
        return core

    return said
