"""Evaluates conditions over the names of a record: dsp <= 12, timing = 'constant'.

A condition is an expression of Python, in which = is ==, and the words and, or, not, in, is and
null may be in capitals.  It has comparisons, arithmetic on numbers, a choice (x if c else y), parts
of mappings (cells['LUT4']) and the functions abs, len, max, min and round.  An operation on a
figure that a record does not have gives null, as in SQL, and a condition that is null does not
hold."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from modmul.errors import SpecError, quoted, suggestion
from modmul.exploration.names import columns, described, find, flattened, spec_types
from modmul.exploration.record import Record

_ALLOWED = "a condition over the names of a record, such as dsp <= 12 or fmax_mhz.usable >= 200"
_LONGEST = 5000  # letters
_MOST = 300  # parts of an expression, which also bound the depth
_WORDS = {"and": "and", "or": "or", "not": "not", "in": "in", "is": "is", "if": "if"}
_WORDS |= {"else": "else", "true": "True", "false": "False", "null": "None", "=": "==", "<>": "!="}
_TOKEN = re.compile(r"""'[^']*'|"[^"]*"|<>|[<>=!]=|=|[A-Za-z_.]\w*""")

# Names that are known at the end only, and names that are known after synthesis.  Others are known
# before any tool runs: the spec, and the declarations of the multiplier.
_LATE = frozenset(
    "by_mode fmax_mhz routed usable critical_path time adapter seconds finished seeds "
    "products".split()
)
_SYNTHESIS = frozenset(
    "lut ff dsp ram_bits ram_blocks cells area levels estimate estimated_mhz cell_path "
    "cell_adapter verified timing_proved tools sources status reason key".split()
)
_FORMULA = frozenset("area lut ff dsp ram_bits ram_blocks time estimated_mhz".split())

_FUNCTIONS: dict[str, Callable[..., Any]] = {f.__name__: f for f in (abs, len, max, min, round)}
_ARITHMETIC: dict[type[ast.operator | ast.unaryop], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda part, whole: part in whole,
    ast.NotIn: lambda part, whole: part not in whole,
}
# A figure of each type, to check a condition with; other figures are null in the check.
_EXAMPLES = {"BOOLEAN": True, "BIGINT": 1, "DOUBLE": 1.0, "VARCHAR": ""}


class Condition:
    """One condition.  text: as written.  names: the names that it reads."""

    def __init__(self, text: str):
        """Raises SpecError if the text is not a condition."""
        self.text = text
        self._tree = _parsed(text)
        read: set[str] = set()

        def example(path: str) -> Any:
            read.add(path.partition(".")[0])
            return _example(path)

        if not isinstance(self._evaluated(example), bool | None):
            raise _refuse(text, "is not true or false for each point")
        self.names = frozenset(read)

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
        """The reason that a record gives if the condition does not hold."""
        return f"not {self.text}"

    def holds(self, record: Record) -> bool:
        """Raises SpecError if the condition cannot be evaluated on the figures of this record."""

        def figure(path: str) -> Any:
            key = flattened().get(path)
            return find(record, path) if key is None else record.spec.get(key)

        return self._evaluated(figure) is True

    def _evaluated(self, figure: Callable[[str], Any]) -> Any:
        try:
            return _value(self._tree, figure)
        except (TypeError, ValueError, OverflowError) as error:
            raise _refuse(self.text, str(error)) from None

    def check_foreseen(self) -> None:
        """Raise SpecError if the condition reads what is known of measured designs only."""
        unknown = sorted(self.names & (_LATE | _SYNTHESIS) - _FORMULA)
        if unknown:
            allowed = "a condition over what can be estimated, such as estimated_mhz.mhz >= 200"
            message = f"where = {quoted(self.text)}: {unknown[0]} is known of measured designs only"
            raise SpecError("where", self.text, allowed, f"{message}; must be {allowed}")


def first_broken(conditions: Iterable[Condition], record: Record) -> Condition | None:
    """Return the first condition that does not hold for a record; None if all hold."""
    return next((condition for condition in conditions if not condition.holds(record)), None)


def _parsed(text: str) -> ast.expr:
    if len(text) > _LONGEST:
        raise _refuse(text, f"is longer than {_LONGEST} letters")
    python = _TOKEN.sub(lambda token: _WORDS.get(token[0].lower(), token[0]), text)
    try:
        tree = ast.parse(" ".join(python.splitlines()).strip(), mode="eval").body
    except SyntaxError as error:
        raise _refuse(text, f"syntax error: {error.msg}") from None
    except ValueError as error:  # a null character, half of a surrogate pair
        raise _refuse(text, str(error)) from None
    except (MemoryError, RecursionError):
        raise _refuse(text, "is nested too deeply") from None
    if sum(1 for _ in ast.walk(tree)) > _MOST:
        raise _refuse(text, f"has more than {_MOST} parts")
    return tree


def _value(node: ast.expr, figure: Callable[[str], Any]) -> Any:
    """Return the value of an expression.  figure: returns that of a name.  Raises ValueError for an
    expression that conditions do not have, TypeError for values that do not fit."""

    def values(nodes: Sequence[ast.expr]) -> list[Any]:
        return [_value(part, figure) for part in nodes]

    match node:
        case ast.Constant(value=bool() | int() | float() | str() | None as constant):
            return constant
        case ast.Name() | ast.Attribute() if path := _path(node):
            return figure(path)
        case ast.Subscript(value=mapping, slice=ast.Constant(value=str() as key)):
            members = _value(mapping, figure)
            return members.get(key) if isinstance(members, Mapping) else None
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return values(parts)
        case ast.IfExp(test=test, body=body, orelse=other):
            decides, *choices = values([test, body, other])
            return choices[0] if decides else choices[1]
        case ast.BoolOp(op=kind, values=parts):
            return _joined(isinstance(kind, ast.Or), values(parts))
        case ast.UnaryOp(op=ast.Not(), operand=part):
            truth = _joined(False, values([part]))
            return None if truth is None else not truth
        case ast.UnaryOp(op=sign, operand=part) if type(sign) in _ARITHMETIC:
            return _applied(_ARITHMETIC[type(sign)], values([part]), numbers=True)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _ARITHMETIC:
            return _applied(_ARITHMETIC[type(sign)], values([left, right]), numbers=True)
        case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]) if name in _FUNCTIONS:
            return _applied(_FUNCTIONS[name], values(parts))
        case ast.Compare(left=left, ops=signs, comparators=rest):
            terms = values([left, *rest])
            pairs = zip(signs, terms, terms[1:], strict=False)
            return _joined(False, [_compared(sign, *pair) for sign, *pair in pairs])
    raise ValueError(f"has {ast.unparse(node)} in it")


def _path(node: ast.expr) -> str | None:
    """Return a name with its parts (fmax_mhz.usable); None if the node is something else."""
    if isinstance(node, ast.Name):
        return node.id
    inner = _path(node.value) if isinstance(node, ast.Attribute) else None
    return f"{inner}.{node.attr}" if isinstance(node, ast.Attribute) and inner else None


def _joined(decisive: bool, truths: Sequence[Any]) -> bool | None:
    """The disjunction (decisive = True) or conjunction of true, false and null."""
    for truth in truths:
        if not (truth is None or isinstance(truth, bool)):
            raise TypeError(f"{quoted(truth)} is not true or false")
    if decisive in truths:
        return decisive
    return None if None in truths else not decisive


def _applied(function: Callable[..., Any], operands: list[Any], numbers: bool = False) -> Any:
    if None in operands:
        return None
    if numbers and any(not isinstance(value, int | float) for value in operands):
        raise TypeError(f"arithmetic on {', '.join(map(quoted, operands))}")
    try:
        return function(*operands)
    except ZeroDivisionError:
        return None


def _compared(sign: ast.cmpop, left: Any, right: Any) -> bool | None:
    if isinstance(sign, ast.Is | ast.IsNot):
        if right is not None:
            raise ValueError("is compares with null only")
        return (left is None) == isinstance(sign, ast.Is)
    if left is None or right is None:
        return None
    within = isinstance(sign, ast.In | ast.NotIn) and not isinstance(right, str)
    for other in right if within else [right]:
        if isinstance(left, str) != isinstance(other, str):
            raise TypeError(f"{quoted(left)} is compared with {quoted(other)}")
    return _COMPARISONS[type(sign)](left, right)


def _example(path: str) -> Any:
    """Return a figure of the type that a name has.  Raises ValueError if there is no such name."""
    if path in described():
        return _EXAMPLES.get(described()[path].type)
    first, _, key = path.partition(".")
    if first == "spec" and key in spec_types():
        return _EXAMPLES[spec_types()[key]]
    if not any(name.startswith(f"{path}.") for name in described()):
        known = (*columns(), *flattened())
        hint = (
            suggestion(path, list(dict.fromkeys([*known, *described()])))
            or f"; there are {', '.join(known)}"
        )
        raise ValueError(f"no name {path}{hint}")
    return None


def _refuse(text: str, why: str) -> SpecError:
    return SpecError("where", text, _ALLOWED, f"where = {quoted(text)}: {why}; must be {_ALLOWED}")
