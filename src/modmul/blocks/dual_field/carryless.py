"""Carry-less products: Karatsuba's halves down to 16 bits, then a tree of XORs.

With X = x^h: (a1 X + a0)(b1 X + b0) = hi X^2 + ((a1+a0)(b1+b0) + hi + lo) X + lo, so that three
products of h bits do for four; a bit of the whole is the XOR of at most four of theirs."""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Signal, Value

from modmul.blocks.delay import delay
from modmul.blocks.dual_field.columns import named, partial_products, registered, xor
from modmul.blocks.dual_field.pipeline import Step, cut, within
from modmul.targets import Target

SPLIT = 32  # words of at least so many bits are split; below, the halves cost more than they save


def product(
    m: Module, chip: Target, a: Value, b: Value, stages: int, name: str, limit: float = 0.0
) -> Value:
    """The carry-less product of two words of equal width w, 2 * w - 1 bits.

    In the last of `stages` pipeline stages, not in a register behind it.  limit: delay of a stage,
    in levels of gates or look-up tables, that need not be undercut, which saves registers."""
    width, splits = len(a), 0
    while width >= SPLIT and width % 2 == 0:
        width, splits = width // 2, splits + 1
    fan_in = 2 if chip.kind == "cells" else 4  # of a gate or of the look-up tables that all have
    levels = _levels(width, fan_in)
    steps = [Step(1.0)] * (min(splits, 1) + levels + splits)
    times = within(steps, stages, 1.0, limit) or cut(steps, stages, last=1.0)
    times.append(stages - 1)
    leaves = _split(m, a, b, splits, name)
    if splits:
        late, wait = times[1:], times[1] - times[0]
        leaves = [
            (delay(m, x, wait, f"{name}_x{k}"), delay(m, y, wait, f"{name}_y{k}"))
            for k, (x, y) in enumerate(leaves)
        ]
    else:
        late = times
    products = []
    for k, (x, y) in enumerate(leaves):
        title = f"{name}_{k}" if splits else name
        products.append(_xor_tree(m, x, y, fan_in, late[: levels + 1], title))
    for number in range(splits):
        place = levels + number
        wait = late[place + 1] - late[place]
        title = f"{name}_join{number}"
        joined = [
            _join(m, products[k], products[k + 1], products[k + 2], f"{title}_{k // 3}")
            for k in range(0, len(products), 3)
        ]
        products = [delay(m, p, wait, f"{title}_{k}") for k, p in enumerate(joined)]
    return products[0]


def _levels(height: int, fan_in: int) -> int:
    """Levels of XOR gates for so many partial products a column; AND gates are in the first."""
    height, levels = -(-height // max(1, fan_in // 2)), 1
    while height > 1:
        height, levels = -(-height // fan_in), levels + 1
    return levels


def _split(m: Module, a: Value, b: Value, splits: int, name: str) -> list[tuple[Value, Value]]:
    """The operands of the 3^splits small products, each three in the order low, high, middle."""
    if not splits:
        return [(a, b)]
    half = len(a) // 2
    sums = []
    for word, title in ((a, "a"), (b, "b")):
        folded = Signal(half, name=f"{name}_{title}{len(a)}_folded")
        m.d.comb += folded.eq(word[:half] ^ word[half:])
        sums.append(folded)
    return [
        *_split(m, a[:half], b[:half], splits - 1, f"{name}_low"),
        *_split(m, a[half:], b[half:], splits - 1, f"{name}_high"),
        *_split(m, sums[0], sums[1], splits - 1, f"{name}_middle"),
    ]


def _join(m: Module, low: Value, high: Value, middle: Value, name: str) -> Signal:
    half = (len(low) + 1) // 2
    whole = Signal(4 * half - 1, name=name)
    inner = Cat(Const(0, half), low ^ high ^ middle)
    m.d.comb += whole.eq(Cat(low, Const(0, 1), high) ^ inner)
    return whole


def _xor_tree(m: Module, a: Value, b: Value, fan_in: int, times: list[int], name: str) -> Value:
    """times: the stage of each level, and that of the result."""
    columns = partial_products(m, a, b, name)
    for level in range(len(times) - 1):
        size = fan_in if level else max(1, fan_in // 2)
        columns = [[xor(bits[k : k + size]) for k in range(0, len(bits), size)] for bits in columns]
        columns = named(m, columns, f"{name}_level{level}")
        for stage in range(times[level], times[level + 1]):
            columns = registered(m, columns, f"{name}_stage{stage}")
    return Cat(bits[0] for bits in columns)
