"""Rows of unit cells on integers: what the golden models of the arrays are made of."""


def full_adders(a: int, b: int, c: int) -> tuple[int, int]:
    """Full adders side by side: (sum, carry), the carry at its own weight."""
    return a ^ b ^ c, (a & b | a & c | b & c) << 1


def mux4(x_r: int, y_r: int, x: int, y: int, s: int) -> int:
    """4:1 multiplexers that share their selects: x_r*y + y_r*x without its carry, s = x + y.

    The bit of x selects y and the other way round (alkhaleel2006, equations 15 and 16)."""
    return (0, y, x, s)[x_r + 2 * y_r]
