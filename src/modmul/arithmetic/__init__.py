"""Integers only: words, Montgomery domains, named moduli.  Knows nothing of hardware."""
