"""The command line: one verb a file, each of them a thin layer over a function of the package.

Exit codes: 0 done, 1 a check failed, 2 bad input, 3 a tool is missing, 4 inconclusive,
70 internal error, 130 interrupted.
"""

from modmul.cli.entry import main

__all__ = ["main"]
