"""Arithmetic on plain integers, and on polynomials over GF(2) written as integers: words,
Montgomery domains, named moduli and curves, keys, and the right answers of operations.

Nothing here knows about hardware."""
