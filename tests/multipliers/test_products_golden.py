"""Golden models of all plain products, row by row, against the integers: no hardware."""

from __future__ import annotations

import itertools
import random

import pytest

from modmul import multipliers
from modmul.multipliers import Multiplier

PRODUCTS = [
    architecture for architecture in multipliers.REGISTRY.values() if architecture.kind == "plain"
]
SMALL, WIDE = (4, 5, 6), (7, 8, 9, 16, 33, 64, 65, 128)


def instances(widths: tuple[int, ...], widest: int) -> list[Multiplier]:
    """Every product at those widths that it takes, and its examples of at most `widest` bits."""
    products: list[Multiplier] = []
    for product in PRODUCTS:
        step = 2 if getattr(product, "even_operands", False) else 1
        products += [product(width=width) for width in widths if width % step == 0]
        products += [example for example in product.examples() if example.width <= widest]
    return list(dict.fromkeys(products))


@pytest.mark.parametrize("product", instances(SMALL, 6), ids=lambda product: product.title)
def test_all_operands(product: Multiplier) -> None:
    for a, b in itertools.product(range(1 << product.width), repeat=2):
        assert product.compute(a, b, 0) == a * b, (a, b)


@pytest.mark.parametrize("product", instances(WIDE, 128), ids=lambda product: product.title)
def test_edges_and_random_operands(product: Multiplier) -> None:
    rng, top = random.Random(product.width), (1 << product.width) - 1
    edges = (0, 1, top, top - 1, top // 3, top - top // 3, 1 << product.width - 1)
    pairs = [*itertools.product((top, top // 3), edges)]
    pairs += [(rng.getrandbits(product.width), rng.getrandbits(product.width)) for _ in range(8)]
    for a, b in pairs:
        assert product.compute(a, b, 0) == a * b, (a, b)
