"""Conditions over the names of a record, in the words of SQL: dsp <= 12, timing = 'constant'."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from modmul.errors import SpecError, quoted
from modmul.exploration import schema, view
from modmul.toolchain import sql

_ALLOWED = "a condition over the names of a record, such as dsp <= 12 or fmax_mhz.usable >= 200"

_NOT_EACH = "is not true or false for each point"

# What is known of a point, and when: the spec and what the multiplier declares before any tool
# runs, the area after synthesis, the rest at the end.
_LATE = frozenset({
    "by_mode", "fmax_mhz", "routed", "usable", "critical_path", "time", "adapter", "seconds",
    "finished", "seeds", "products",
})  # fmt: skip
_SYNTHESIS = frozenset({
    "lut", "ff", "dsp", "ram_bits", "ram_blocks", "cells", "area", "levels", "estimate",
    "cell_path", "cell_adapter", "verified", "timing_proved", "tools", "sources", "status",
    "reason", "key",
})  # fmt: skip
FORESEEN = [
    name for name in view.names()
    if name not in _LATE | _SYNTHESIS
    or name in ("area", "lut", "ff", "dsp", "ram_bits", "time", "fmax_mhz")  # by a forecast
]  # fmt: skip

# What a condition is made of: nothing that looks at other points, or at other tables.
_EXPRESSIONS = frozenset({
    "BETWEEN", "CASE", "CAST", "COLLATE", "COLUMN_REF", "COMPARISON", "CONJUNCTION", "CONSTANT",
    "FUNCTION", "OPERATOR", "TYPE",
})  # fmt: skip


class Condition:
    """One condition.  text: as written; names: the columns that it looks at."""

    def __init__(self, text: str):
        """SpecError if it is none."""
        self.text = text
        self.names = frozenset(_names(text))
        for name in sorted(self.names):
            if name not in schema.names():
                raise _unknown(text, name)
        _evaluate([self], [{}, {}])
        if _type(text) != "BOOLEAN":
            raise _refuse(text, _NOT_EACH)

    @property
    def before(self) -> bool:
        """Whether the condition can be decided before any tool runs."""
        return not self.names & (_LATE | _SYNTHESIS)

    @property
    def after_synthesis(self) -> bool:
        """Whether the condition can be decided after synthesis, before place and route."""
        return not self.names & _LATE

    @property
    def broken(self) -> str:
        """The reason of a record for which it does not hold."""
        return f"not {self.text}"

    def __repr__(self) -> str:
        return f"Condition({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Condition) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)


def first_broken(
    conditions: Sequence[Condition], facts: Sequence[Mapping[str, Any]]
) -> list[Condition | None]:
    """For each point (as in a record's JSON, what is known of it) the first condition that does not
    hold, or is about something that the point does not have; None if all hold."""
    if not conditions:
        return [None] * len(facts)
    return [
        next((rule for rule, holds in zip(conditions, row, strict=True) if not holds), None)
        for row in _evaluate(conditions, facts)
    ]


def _evaluate(
    conditions: Sequence[Condition], facts: Sequence[Mapping[str, Any]]
) -> list[list[Any]]:
    """Whether each holds, for each point."""
    values = ", ".join(f"CAST(({condition.text}\n) AS BOOLEAN)" for condition in conditions)
    text = " and ".join(condition.text for condition in conditions)
    return _for_each(text, values, facts)


def _type(text: str) -> str:
    """The type of a condition's value."""
    ((name,),) = _for_each(text, f"typeof(({text}\n))", [{}])
    return str(name)


def _for_each(text: str, values: str, facts: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    """The values of expressions, for each point.  SpecError, which tells the text, where they
    cannot be evaluated, or are not as many as there are points."""
    parameters = [[msgspec.json.encode(members).decode() for members in facts], schema.shape()]
    rows = _asked(text, f"SELECT {values} FROM ({schema.table()})", parameters)
    if len(rows) != len(facts):  # unnest() gives a row for each element
        raise _refuse(text, _NOT_EACH)
    return rows


def _asked(text: str, query: str, values: list[Any]) -> list[list[Any]]:
    """Rows of a query; SpecError where the text in it cannot be evaluated."""
    try:
        return sql.evaluate(query, values)
    except sql.QueryRefused as error:
        raise _refuse(text, str(error)) from None


def _names(text: str) -> Iterator[str]:
    """The columns that a condition looks at.  SpecError if it looks at anything else."""
    for statement in (f"SELECT {text}", f"SELECT ({text}\n)"):  # no brackets left open or closed
        ((tree,),) = _asked(text, "SELECT json_serialize_sql($1)", [statement])
        try:
            parsed = json.loads(tree)
        except RecursionError:
            raise _refuse(text, "is nested too deeply") from None
        if parsed.get("error"):
            raise _refuse(text, str(parsed.get("error_message", "no SQL")))
        if len(parsed["statements"]) != 1:
            raise _refuse(text, "several statements")
    for node in _expressions(parsed):
        if node["class"] not in _EXPRESSIONS:
            raise _refuse(text, f"has a {node['class'].lower()} in it")
        if node["class"] == "COLUMN_REF":
            yield node["column_names"][0]


def _expressions(parsed: Any) -> Iterator[dict[str, Any]]:
    """All expressions in a statement."""
    left = [parsed]
    while left:
        node = left.pop()
        if isinstance(node, dict):
            if "class" in node:
                yield node
            left += node.values()
        elif isinstance(node, list):
            left += node


def _unknown(text: str, name: str) -> SpecError:
    known = schema.names()
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}"
    return SpecError("where", text, _ALLOWED, f"where = {quoted(text)}: no name {name}; {hint}")


def _refuse(text: str, why: str) -> SpecError:
    return SpecError("where", text, _ALLOWED, f"where = {quoted(text)}: {why}; must be {_ALLOWED}")
