"""modmul: multipliers modulo N for FPGAs and ASICs, generated, verified and measured."""

__version__ = "0.1.0"
