"""The options of clock and reset at the ports of the outermost module."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

LEVELS = ("high", "low")
KINDS = ("sync", "async")
_SYNCHRONISER = """\
// Reset synchroniser: in_reset follows reset without a clock, and ends with the second rising edge
// of clk after it.
module {name} (
  input  wire clk,
  input  wire reset,    // asynchronous, active high
  output wire in_reset
);
  (* ASYNC_REG = "TRUE" *) reg [1:0] stages{initial};

  always @(posedge clk or posedge reset)
    if (reset) stages <= 2'b11;
    else stages <= {{stages[0], 1'b0}};

  assign in_reset = stages[1];
endmodule

"""


@dataclass(frozen=True)
class Pins:
    """Options of the outermost module.

    reset_low: the reset is active low, and called `rst_n`; for a bus whose standard makes it active
    low anyway this is False.  asynchronous: it begins without the clock, and its end is
    synchronised.  clock_enable: there is a clock enable.  Alone among these it reaches into all
    modules inside, which have usual resets.  inside: these are the pins of such a module."""

    reset_low: bool = False
    asynchronous: bool = False
    clock_enable: bool = False
    inside: bool = False

    @property
    def inner(self) -> Pins:
        return Pins(clock_enable=True, inside=True) if self.clock_enable else USUAL

    @property
    def suffix(self) -> str:
        """The part of a delivery's name that says what is not as usual."""
        parts = {
            "reset_low": self.reset_low,
            "async_reset": self.asynchronous,
            "clock_enable": self.clock_enable,
        }
        return "_".join(part for part, there in parts.items() if there)

    @property
    def options(self) -> dict[str, Any]:
        """The keys and values with which a specification asks for them."""
        level = {"reset-active": "low"} if self.reset_low else {}
        kind = {"reset": "async"} if self.asynchronous else {}
        return {**level, **kind, **({"clock-enable": True} if self.clock_enable else {})}


USUAL = Pins()


def synchroniser(name: str, initial_values: bool) -> str:
    """Written as text, because Amaranth's writer has no asynchronous resets."""
    return _SYNCHRONISER.format(name=name, initial=" = 2'b11" * initial_values)
