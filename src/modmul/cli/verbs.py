"""The verbs, with examples, and the help of the program as a whole.

Nothing slow is imported here, so that this help is printed at once."""

from __future__ import annotations

import shutil
import textwrap

SUMMARY = "Modular multipliers and processors for FPGAs and ASICs: generated, verified, measured."
VERBS = {
    "list": "list architectures, processors, targets, moduli, curves; NAME: what one of them has",
    "constants": "print the constants of a modulus, and the words that load it, in order",
    "build": "write a design: Verilog, testbench, constraints, datasheet",
    "check": "check that a delivery is what its digests and its specification say",
    "check-proof": "check the proof of products in a delivery, with a program of its own",
    "simulate": "run the Verilog on your numbers: results, and how many cycles they take",
    "verify": "simulate many operations, and compare the results with big-integer arithmetic",
    "implement": "synthesise, place and route: area, clock, time per product",
    "explore": "verify and measure a whole space of specifications, here or on a cluster",
    "query": "ask the records of an exploration by SQL; write CSV or Parquet",
    "recommend": "recommend a specification for a modulus, a chip and a goal, with reasons",
    "report": "show an exploration: in the terminal, as a page, as figures",
    "papers": "show published tables beside what is computed and measured here; no KEY: an index",
    "program": "show a program of the engine: schedule, cycles, bounds; no NAME: list them",
    "schema": "print the JSON schema of specifications",
    "tools": "list the tools that were found: version, place, purpose, how to get them",
    "cache": "show where the cache is and how large it is, or clear it",
}
# The verbs that take all options of a specification.
OF_A_SPEC = ("constants", "build", "simulate", "verify", "implement")
HELP = frozenset({"--help", "-h"})
INSTALL_COMPLETION = "--install-completion"
# Two examples of each verb, shown in its help.
EXAMPLES = {
    "list": ("modmul list", "modmul list fpmm --json"),
    "constants": (
        "modmul constants --modulus p256",
        "modmul constants --modulus curve25519 --format c",
    ),
    "build": (
        "modmul build --modulus p256 --target ecp5 -o p256",
        "modmul build --architecture montgomery-radix2 --width 128 -o small --no-check",
    ),
    "check": ("modmul check p256", "modmul check p256 --json"),
    "check-proof": ("modmul check-proof p256", "modmul check-proof p256/NAME_proof.json"),
    "simulate": (
        "modmul simulate --modulus p256 --a 0x5 --b 0x7",
        "modmul simulate --architecture fips --width 256 --input numbers.jsonl",
    ),
    "verify": (
        "modmul verify --modulus p256 --target ecp5 --products 10000",
        "modmul verify --architecture fips --width 163 --timing",
    ),
    "implement": (
        "modmul implement --modulus p256 --target ecp5 --device LFE5U-25F --seeds 2",
        "modmul implement --modulus p256 --target artix7 --device XC7A35T",
    ),
    "explore": (
        "modmul explore p256-ecp5 -o results --budget 20",
        'modmul explore hecc-128 -o results --budget "45 min" --jobs 4',
    ),
    "query": (
        "modmul query",
        'modmul query results "SELECT title, area.value FROM points LIMIT 5" -o points.csv',
    ),
    "recommend": (
        "modmul recommend --modulus p256 --target ecp5",
        'modmul recommend --width 2048 --target artix7 --goal area --where "dsp <= 90"',
    ),
    "report": ("modmul report results", "modmul report results -o results.html"),
    "papers": ("modmul papers", "modmul papers gallin2019 --json"),
    "program": ("modmul program x25519", "modmul program p256-ladder --picture ladder.svg"),
    "schema": ("modmul schema", "modmul schema --json"),
    "tools": ("modmul tools", "modmul tools --json"),
    "cache": ("modmul cache", "modmul cache --clear"),
}
EXIT_CODES = (
    "Exit codes: 0 done, 1 a check failed, 2 bad input, 3 a tool is missing, "
    "70 a tool failed or an internal error, 74 input or output failed, "
    "129, 130, 143 ended by SIGHUP, SIGINT, SIGTERM."
)
PIPES = (
    "In a file or a pipe, tables are up to 160 columns wide; COLUMNS=100 in the environment makes "
    "them narrower."
)
_WIDEST = 100  # the most columns of a line


def program_help() -> str:
    """Return the text that `modmul --help` prints."""
    longest = max(map(len, VERBS))
    lines = [
        "Usage: modmul VERB [OPTIONS]",
        "",
        *textwrap.wrap(SUMMARY, _columns()),
        "",
        "Verbs:",
        *(line for verb, text in VERBS.items() for line in _entry(verb, text, longest)),
        "",
        "modmul VERB --help: its options, and two examples.",
        "",
        examples("build", "recommend"),
        "",
        "Other options: --version; --install-completion for TAB in bash, zsh and fish.",
        *textwrap.wrap(PIPES, _columns()),
        "",
        *textwrap.wrap(EXIT_CODES, _columns()),
    ]
    return "\n".join(lines) + "\n"


def examples(*verbs: str) -> str:
    """Return the examples of one verb, or the first example of each of several."""
    lines = EXAMPLES[verbs[0]] if len(verbs) == 1 else [EXAMPLES[verb][0] for verb in verbs]
    return "\n".join(["Examples:", *(f"  {line}" for line in lines)])


def _entry(verb: str, text: str, longest: int) -> list[str]:
    start = f"  {verb:{longest}}  "
    return textwrap.wrap(text, _columns(), initial_indent=start, subsequent_indent=" " * len(start))


def _columns() -> int:
    return max(len("  constants  ") * 3, min(_WIDEST, shutil.get_terminal_size().columns))
