"""Why pairs change places in the order of area-time products, in words."""

from __future__ import annotations

from modmul.papers.amanor2005.designs import LABELS

_TWO, _ONE, _INTERLEAVED = LABELS.values()
_TABLE = (
    "Interleaved waits for the digit above bit n, then for its table, whose address goes to all "
    "columns; beside the loop it needs six passes of the adder for the table and six for the end, "
    "where Montgomery needs at most one and four."
)
REASONS = {
    frozenset((_TWO, _ONE)): (
        "In the loop, distributed RAM takes one LUT a bit and no flip-flop, where the second row "
        "with its AND takes two, and registers of Y and M.  But the table is filled through the "
        "register of the result, which loads and moves, in whole words of the adder, and the "
        "selects for that do not shrink with the width: at few bits they cost more LUTs than the "
        "table saves.  With all cycles, table and end take two passes of the adder more than the "
        "end alone with two rows.  The path of either loop is a few LUTs and mostly wires.  "
        "Printed areas are 1.7 to 2.1 times as large for two rows at all widths, which this does "
        "not explain."
    ),
    frozenset((_TWO, _INTERLEAVED)): _TABLE,
    frozenset((_ONE, _INTERLEAVED)): _TABLE,
}
