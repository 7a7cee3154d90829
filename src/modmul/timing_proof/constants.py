"""Constants that follow from bits whose value is assumed, through combinational cells."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence

from modmul.timing_proof.graph import Known
from modmul.timing_proof.netlist import Bit, NetlistCell

Value = int | None  # None: not known
Readers = Mapping[Bit, Sequence[NetlistCell]]


def readers(cells: Iterable[NetlistCell]) -> dict[Bit, list[NetlistCell]]:
    """Return, for each bit, the cells that have it as an input and that can be evaluated here."""
    cells_by_bit: dict[Bit, list[NetlistCell]] = {}
    for cell in cells:
        if cell.type in _EVALUATED:
            for bit in dict.fromkeys(cell.bits("input")):
                cells_by_bit.setdefault(bit, []).append(cell)
    return cells_by_bit


def implied(assumed: Known, cells: Readers) -> dict[Bit, int]:
    """`assumed` and all bits whose value follows from it.  cells: see `readers`."""
    known = dict(assumed)
    due = deque(known)
    while due:
        for cell in cells.get(due.popleft(), ()):
            for bit, value in zip(cell.pins["Y"], _EVALUATED[cell.type](cell, known), strict=False):
                if value is not None and isinstance(bit, int) and bit not in known:
                    known[bit] = value
                    due.append(bit)
    return known


def value(bit: Bit, known: Known) -> Value:
    """The value of one bit, None if it is not known."""
    return int(bit) if bit in ("0", "1") else known.get(bit)


def _word(cell: NetlistCell, port: str, width: int, known: Known) -> list[Value]:
    """The bits of an operand, extended to `width` by its sign bit or by zeros."""
    bits = [value(bit, known) for bit in cell.pins[port]]
    more = bits[-1] if cell.number(f"{port}_SIGNED") else 0
    return bits + [more] * (width - len(bits))


def _and(a: Value, b: Value) -> Value:
    return 0 if 0 in (a, b) else None if None in (a, b) else 1


def _not(a: Value) -> Value:
    return None if a is None else 1 - a


def _or(a: Value, b: Value) -> Value:
    return _not(_and(_not(a), _not(b)))


def _xor(a: Value, b: Value) -> Value:
    return None if a is None or b is None else a ^ b


def _each(combine: Callable[[Value, Value], Value]) -> Callable[[NetlistCell, Known], list[Value]]:
    """The evaluation of a cell that combines two operands bit by bit."""

    def evaluate(cell: NetlistCell, known: Known) -> list[Value]:
        width = len(cell.pins["Y"])
        words = (_word(cell, port, width, known) for port in "AB")
        return [combine(a, b) for a, b in zip(*words, strict=False)]

    return evaluate


def _inverted(cell: NetlistCell, known: Known) -> list[Value]:
    return [_not(bit) for bit in _word(cell, "A", len(cell.pins["Y"]), known)]


def _selected(cell: NetlistCell, known: Known) -> list[Value]:
    """$mux: while the select is not known, the bits in which both inputs agree."""
    chosen = value(cell.pins["S"][0], known)
    pairs = zip(cell.pins["A"], cell.pins["B"], strict=True)
    both = [(value(a, known), value(b, known)) for a, b in pairs]
    return [(a if a == b else None) if chosen is None else (a, b)[chosen] for a, b in both]


def _any(cell: NetlistCell, port: str, known: Known) -> Value:
    bits = [value(bit, known) for bit in cell.pins[port]]
    return 1 if 1 in bits else None if None in bits else 0


def _all(cell: NetlistCell, known: Known) -> Value:
    bits = [value(bit, known) for bit in cell.pins["A"]]
    return 0 if 0 in bits else None if None in bits else 1


def _equal(cell: NetlistCell, known: Known) -> Value:
    width = max(len(cell.pins["A"]), len(cell.pins["B"]))
    words = (_word(cell, port, width, known) for port in "AB")
    differ = [_xor(a, b) for a, b in zip(*words, strict=True)]
    return 0 if 1 in differ else None if None in differ else 1


def _sum(sign: int) -> Callable[[NetlistCell, Known], list[Value]]:
    """The evaluation of a sum (sign 1) or difference (-1) whose operand bits are all
    known."""

    def evaluate(cell: NetlistCell, known: Known) -> list[Value]:
        width = len(cell.pins["Y"])
        numbers = []
        for port in "AB":
            bits = _word(cell, port, width, known)[:width]
            if None in bits:
                return [None] * width
            numbers.append(sum((bit or 0) << place for place, bit in enumerate(bits)))
        total = numbers[0] + sign * numbers[1]
        return [total >> place & 1 for place in range(width)]

    return evaluate


def _one(
    truth: Callable[[NetlistCell, Known], Value],
) -> Callable[[NetlistCell, Known], list[Value]]:
    """The evaluation of a cell that gives one truth value, with zeros above it."""
    return lambda cell, known: [truth(cell, known), *[0] * (len(cell.pins["Y"]) - 1)]


_EVALUATED: dict[str, Callable[[NetlistCell, Known], list[Value]]] = {
    "$not": _inverted,
    "$and": _each(_and),
    "$or": _each(_or),
    "$xor": _each(_xor),
    "$xnor": _each(lambda a, b: _not(_xor(a, b))),
    "$mux": _selected,
    "$add": _sum(1),
    "$sub": _sum(-1),
    "$eq": _one(_equal),
    "$ne": _one(lambda cell, known: _not(_equal(cell, known))),
    "$logic_not": _one(lambda cell, known: _not(_any(cell, "A", known))),
    "$logic_and": _one(lambda cell, known: _and(_any(cell, "A", known), _any(cell, "B", known))),
    "$logic_or": _one(lambda cell, known: _or(_any(cell, "A", known), _any(cell, "B", known))),
    "$reduce_and": _one(_all),
    "$reduce_or": _one(lambda cell, known: _any(cell, "A", known)),
    "$reduce_bool": _one(lambda cell, known: _any(cell, "A", known)),
}
