"""Integers, and polynomials over GF(2) as integers: words, Montgomery domains, named moduli.

Knows nothing of hardware."""
