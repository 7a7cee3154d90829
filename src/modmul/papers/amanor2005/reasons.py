"""Why pairs change places in the order of area-time products, in words."""

from __future__ import annotations

from modmul.papers.amanor2005.designs import LABELS

_TWO, _ONE, _INTERLEAVED = LABELS.values()
_TABLE = (
    "Interleaved waits for the digit above bit n, then for its table, whose address goes to all "
    "columns; beside the loop it needs six passes of the adder for the table and six for the end, "
    "where Montgomery needs at most one and three."
)
REASONS = {
    frozenset((_TWO, _ONE)): (
        "A row of full adders with its AND takes two four-input LUTs a bit, as many as the choice "
        "of four words that stands for it in the other design, which needs Y + M besides: in LUTs "
        "nothing is won by having one row.  Printed areas are 1.7 to 2.1 times as large for two "
        "rows, which this does not explain."
    ),
    frozenset((_TWO, _INTERLEAVED)): _TABLE,
    frozenset((_ONE, _INTERLEAVED)): _TABLE,
}
