"""All verbs as one cyclopts application.  Each verb is imported when it is called."""

from __future__ import annotations

from collections.abc import Sequence

from cyclopts import App, CycloptsError
from rich.console import Console

import modmul
from modmul.cli import usage

VERBS = {
    "list": "what there is: architectures, targets, moduli; one NAME: its parameters",
    "constants": "the constants of a modulus: N', R mod N, R^2 mod N, words in loading order",
    "build": "HDL, testbench, constraints, datasheet",
    "verify": "simulate against big-integer arithmetic",
    "implement": "synthesise, place and route: area, clock, time per product",
    "explore": "a whole space of specs: verify and measure, here or on a cluster",
    "query": "ask the records of an exploration in SQL; CSV, Parquet",
    "recommend": "the spec for a modulus, a chip and a goal, with reasons",
    "report": "an exploration as a page, as figures and in the terminal",
    "papers": "published tables beside what this tool computes and measures; without KEY: an index",
    "schema": "JSON schema of the specifications",
    "tools": "the tools found: version, place, what for, how to get them",
    "cache": "the cache: where, size, clear",
}


def application() -> App:
    """The command line's parser."""
    app = App(
        name="modmul",
        help="Multipliers modulo N for FPGAs and ASICs: generated, verified and measured.",
        help_epilogue="Exit codes: 0 done, 1 a check failed, 2 bad input, 3 a tool is missing, "
        "4 inconclusive, 70 a tool failed or an internal error, 74 input or output failed, "
        "129, 130, 143 ended by SIGHUP, SIGINT, SIGTERM.",
        help_format="plaintext",
        version=modmul.__version__,
        error_console=Console(stderr=True),
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    for verb, text in VERBS.items():
        app.command(f"modmul.cli.{verb}:{verb}_verb", name=verb, help=text)
    return app


def run(tokens: Sequence[str]) -> int:
    """Parse and do one command line; the exit code.  SpecError for what cannot be parsed."""
    try:
        code = application()(tokens, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        raise usage.explain(error, list(VERBS)) from None
    return code if isinstance(code, int) else 0
