"""The command line. Each verb is one file, a thin layer over a function of the package.

Exit codes: 0 done, 1 a check failed, 2 bad input, 3 a tool is missing, 70 a
tool failed or an internal error, 74 input or output failed (a full disk, standard output full or
closed), 129 SIGHUP, 130 interrupted (SIGINT), 143 SIGTERM.
"""

from modmul.cli.entry import main

__all__ = ["main"]
