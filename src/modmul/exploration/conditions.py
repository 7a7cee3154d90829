"""Evaluates conditions over the names of a record, written in SQL: dsp <= 12, timing =
'constant'."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from modmul.errors import SpecError, quoted, suggestion
from modmul.exploration import schema, view
from modmul.toolchain import sql

_ALLOWED = "a condition over the names of a record, such as dsp <= 12 or fmax_mhz.usable >= 200"

_NOT_EACH = "is not true or false for each point"

# Names that are known at the end only, and names that are known after synthesis.  Others are known
# before any tool runs: the spec, and the declarations of the multiplier.
_LATE = frozenset(
    {
        "by_mode",
        "fmax_mhz",
        "routed",
        "usable",
        "critical_path",
        "time",
        "adapter",
        "seconds",
        "finished",
        "seeds",
        "products",
    }
)
_SYNTHESIS = frozenset(
    {
        "lut",
        "ff",
        "dsp",
        "ram_bits",
        "ram_blocks",
        "cells",
        "area",
        "levels",
        "estimate",
        "estimated_mhz",
        "cell_path",
        "cell_adapter",
        "verified",
        "timing_proved",
        "tools",
        "sources",
        "status",
        "reason",
        "key",
    }
)
FORESEEN = [
    name
    for name in view.names()
    if name not in _LATE | _SYNTHESIS
    # by a formula
    or name in ("area", "lut", "ff", "dsp", "ram_bits", "ram_blocks", "time", "estimated_mhz")
]

# The kinds of expressions in a condition: none that reads other points or other tables.
_EXPRESSIONS = frozenset(
    {
        "BETWEEN",
        "CASE",
        "CAST",
        "COLLATE",
        "COLUMN_REF",
        "COMPARISON",
        "CONJUNCTION",
        "CONSTANT",
        "FUNCTION",
        "OPERATOR",
        "TYPE",
    }
)


class Condition:
    """One condition.  text: as written.  names: the columns that it reads."""

    def __init__(self, text: str):
        """Raises SpecError if the text is not a condition."""
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
        """The reason in a record for which the condition does not hold."""
        return f"not {self.text}"

    def check_foreseen(self) -> None:
        """Raise SpecError if the condition reads what is known of measured designs only."""
        unknown = sorted(self.names & (_LATE | _SYNTHESIS) - {*FORESEEN})
        if unknown:
            allowed = "a condition over what can be estimated, such as estimated_mhz.mhz >= 200"
            message = f"where = {quoted(self.text)}: {unknown[0]} is known of measured designs only"
            raise SpecError("where", self.text, allowed, f"{message}; must be {allowed}")

    def __repr__(self) -> str:
        return f"Condition({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Condition) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)


def first_broken(
    conditions: Sequence[Condition], facts: Sequence[Mapping[str, Any]]
) -> list[Condition | None]:
    """Return, for each point, the first condition that does not hold or reads a figure that the
    point does not have; None if all hold.  facts: the known figures of each point, as in a record's
    JSON."""
    if not conditions:
        return [None] * len(facts)
    return [
        next((rule for rule, holds in zip(conditions, row, strict=True) if not holds), None)
        for row in _evaluate(conditions, facts)
    ]


def _evaluate(
    conditions: Sequence[Condition], facts: Sequence[Mapping[str, Any]]
) -> list[list[Any]]:
    """Return, for each point, whether each condition holds."""
    values = ", ".join(f"CAST(({condition.text}\n) AS BOOLEAN)" for condition in conditions)
    text = " and ".join(condition.text for condition in conditions)
    return _for_each(text, values, facts)


def _type(text: str) -> str:
    """Return the type of a condition's value."""
    ((name,),) = _for_each(text, f"typeof(({text}\n))", [{}])
    return str(name)


def _for_each(text: str, values: str, facts: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    """Return the values of expressions for each point.  Raises SpecError with the text if they
    cannot be evaluated, or give more or fewer rows than there are points."""
    parameters = [[msgspec.json.encode(members).decode() for members in facts], schema.shape()]
    rows = _asked(text, f"SELECT {values} FROM ({schema.table()})", parameters)
    if len(rows) != len(facts):  # unnest() gives a row for each element
        raise _refuse(text, _NOT_EACH)
    return rows


def _asked(text: str, query: str, values: list[Any]) -> list[list[Any]]:
    """Return the rows of a query.  Raises SpecError if the text in it cannot be evaluated."""
    try:
        return sql.evaluate(query, values)
    except sql.QueryRefused as error:
        raise _refuse(text, str(error)) from None


def _names(text: str) -> Iterator[str]:
    """Yield the columns that a condition reads.  Raises SpecError if it is no condition."""
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
    """Yield all expressions in a statement."""
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
    hint = suggestion(name, known) or f"; there are {', '.join(known)}"
    return SpecError("where", text, _ALLOWED, f"where = {quoted(text)}: no name {name}{hint}")


def _refuse(text: str, why: str) -> SpecError:
    return SpecError("where", text, _ALLOWED, f"where = {quoted(text)}: {why}; must be {_ALLOWED}")
