"""Names of a module in VHDL, where upper and lower case are the same."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

from modmul.spec.keywords import VHDL

# What the text uses of the packages of the standard, and of its own; an architecture that has such
# a name would hide it.
_USED = frozenset(
    """
    boolean character integer natural positive string time std_logic std_logic_vector unsigned
    signed rising_edge resize shift_left shift_right to_integer to_unsigned is_x ieee std work rtl
    std_logic_1164 numeric_std true false to_std_logic choose copies and_reduce or_reduce xor_reduce
    to_index
    """.split()
)


class Names:
    """The names in VHDL of everything in a module, by those in Verilog.

    kept: names that stay, as those of ports that users know.  others: names that may change."""

    def __init__(self, kept: Iterable[str], others: Iterable[str]):
        self.taken = {name.lower() for name in kept}
        self.known = {name: name for name in kept}
        for name in others:
            if name not in self.known:
                self.known[name] = self.free(name)

    def __getitem__(self, name: str) -> str:
        return self.known[name]

    def free(self, name: str) -> str:
        """The name, or, if it is used or a word of the language, one with a number."""
        numbered = (f"{name}_{count}" for count in itertools.count(2))
        found = next(each for each in itertools.chain([name], numbered) if self._is_free(each))
        self.taken.add(found.lower())
        return found

    def _is_free(self, name: str) -> bool:
        return name.lower() not in self.taken | VHDL | _USED


def unique(names: Iterable[str]) -> Mapping[str, str]:
    """The names of entities, which are in one library, by those in Verilog."""
    return Names((), names).known
