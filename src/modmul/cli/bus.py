"""The option --banks of verbs that put a design on a bus."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from modmul.cli.common import whole
from modmul.system.registers import MOST_BANKS

Banks = Annotated[
    int | None,
    Parameter(
        converter=whole,
        help="with a bus that has registers: how many banks there are, each of which keeps an "
        f"operand or a result for later products, 0 to {MOST_BANKS} (default 0)",
    ),
]
