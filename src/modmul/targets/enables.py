"""Enables and resets of hard blocks."""

from __future__ import annotations

from collections.abc import Mapping

_DSP48 = ("CE", "RST")

# How the names of the pins begin that let a clock edge change something, by the cell: while all of
# them are 0, every register and every word of it stays.
ENABLES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("DSP48", "DSP48A1", "DSP48E", "DSP48E1", "DSP48E2"), _DSP48),
    "MULT18X18D": ("CE", "RST"),
    "MULT18X18S": ("CE", "R"),
    "PDPW16KD": ("CE", "OCE", "RST"),
    "RAMB16": ("EN", "REGCE", "SSR"),
    "RAMB16BWER": ("EN", "REGCE", "RST"),
    "RAMB8BWER": ("EN", "REGCE", "RST"),
    "RAMB18E1": ("EN", "REGCE", "RST"),
    "RAMB18E2": ("EN", "REGCE", "RST"),
    "RAMB18SDP": ("RDEN", "WREN", "REGCE", "SSR"),
    "SRL16E": ("CE",),
}
