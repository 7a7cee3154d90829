"""Plain products: array multipliers without a modulus (alkhaleel2006), and today's yardsticks."""

from modmul.multipliers.products.array_5counter import Array5Counter
from modmul.multipliers.products.array_booth import ArrayBooth
from modmul.multipliers.products.array_iterative import ArrayIterative
from modmul.multipliers.products.array_mux import ArrayMux
from modmul.multipliers.products.array_mux4 import ArrayMux4
from modmul.multipliers.products.family import PlainProduct
from modmul.multipliers.products.inferred import Inferred
from modmul.multipliers.products.tree_dadda import TreeDadda

_PRODUCTS: tuple[type[PlainProduct], ...] = (
    ArrayIterative,
    Array5Counter,
    ArrayBooth,
    ArrayMux,
    ArrayMux4,
    TreeDadda,
    Inferred,
)
PRODUCTS = {product.name: product for product in _PRODUCTS}
