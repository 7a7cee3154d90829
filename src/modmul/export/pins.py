"""The options of clock and reset at the ports of the outermost module."""

from __future__ import annotations

from dataclasses import dataclass

LEVELS = ("high", "low")


@dataclass(frozen=True)
class Pins:
    """Options of the outermost module; the modules inside always have the usual clock and reset.

    reset_low: the reset is active low, and called `rst_n`; for a bus whose standard makes it active
    low anyway this is False."""

    reset_low: bool = False

    @property
    def suffix(self) -> str:
        """The part of a delivery's name that says what is not as usual."""
        return "reset_low" if self.reset_low else ""

    @property
    def options(self) -> dict[str, str]:
        """The keys and values with which a specification asks for them."""
        return {"reset-active": "low"} if self.reset_low else {}


USUAL = Pins()
