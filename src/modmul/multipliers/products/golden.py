"""Rows of unit cells on integers: what the golden models of the arrays are made of."""


def full_adders(a: int, b: int, c: int) -> tuple[int, int]:
    """Return (sum, carry) of full adders side by side, the carry at its own weight."""
    return a ^ b ^ c, (a & b | a & c | b & c) << 1


def mux4(x_r: int, y_r: int, x: int, y: int, s: int) -> int:
    """X_r*y + y_r*x without its carry, by 4:1 multiplexers with common selects; s = x + y.

    The bit of x selects y and the bit of y selects x (alkhaleel2006, equations 15 and 16)."""
    return (0, y, x, s)[x_r + 2 * y_r]
