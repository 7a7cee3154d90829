"""The multipliers of the paper, by its names, and how it counts their cycles."""

from __future__ import annotations

from typing import Any, NamedTuple

from modmul.multipliers import Multiplier
from modmul.spec import Spec

SIZES = (1024, 2048)  # of Table III


class Variant(NamedTuple):
    """One name.  options: of a spec.  uncounted: cycles of our latency that the paper's way of
    counting leaves out: unload, and where a loop ends when SC = 0 the cycle that sees it."""

    options: dict[str, Any]
    uncounted: int


def _published(**options: Any) -> dict[str, Any]:
    return {"architecture": "scs-mm-new", "iterations": "published", **options}


DESIGNS = {
    "MM": Variant({"architecture": "montgomery-radix2"}, 1),
    "SCS-MM-1(32)": Variant({"architecture": "scs-mm-1", "adder-word": 32}, 2),
    "SCS-MM-1(64)": Variant({"architecture": "scs-mm-1", "adder-word": 64}, 2),
    "SCS-MM-2": Variant({"architecture": "scs-mm-2"}, 2),
    "FCS-MM-1": Variant({"architecture": "fcs-mm-1"}, 1),
    "FCS-MM-2": Variant({"architecture": "fcs-mm-2"}, 1),
    "FCS-MMM42": Variant({"architecture": "fcs-mmm42", "iterations": "published"}, 0),
    "MSCS-MM": Variant({"architecture": "mscs-mm"}, 2),
    "SCS-MM-New": Variant(_published(), 2),
    "SCS-MM-New, alternate skips": Variant(_published(skipping="alternate"), 2),
    "SCS-MM-New, plain CSA": Variant(_published(configurable=False), 2),
    "SCS-MM-New, chained": Variant({"architecture": "scs-mm-new"}, 2),
}
# Whose time depends on the operands, in the order of the tables.
DATA_DEPENDENT = (
    "SCS-MM-2",
    "FCS-MMM42",
    "MSCS-MM",
    "SCS-MM-New",
    "SCS-MM-New, alternate skips",
    "SCS-MM-New, plain CSA",
    "SCS-MM-New, chained",
)
CONSTANT = ("MM", "SCS-MM-1(32)", "SCS-MM-1(64)", "FCS-MM-1", "FCS-MM-2")


def options(name: str, width: int, **more: Any) -> dict[str, Any]:
    return {**DESIGNS[name].options, "width": width, **more}


def design(name: str, width: int, **more: Any) -> Multiplier:
    return Spec.from_options(options(name, width, **more)).multiplier


# ---- the contest: multipliers of both papers as anybody would use them, and ours ----------------

CONTEST_WIDTH = 1024
OURS = "montgomery-lookahead"
WORDS = (8, 16, 32, 64, 128, 256)
LOOKAHEADS = (1, 2)
PAPERS: dict[str, dict[str, Any]] = {  # results can be operands again
    "MM": {"architecture": "montgomery-radix2"},
    "SCS-MM-1(32)": {"architecture": "scs-mm-1"},
    "SCS-MM-2": {"architecture": "scs-mm-2"},
    "FCS-MM-1": {"architecture": "fcs-mm-1"},
    "FCS-MM-2": {"architecture": "fcs-mm-2"},
    "FCS-MMM42": {"architecture": "fcs-mmm42"},
    "MSCS-MM": {"architecture": "mscs-mm"},
    "SCS-MM-New": {"architecture": "scs-mm-new"},
    "SCS-MM-New, constant time": {"architecture": "scs-mm-new", "constant-time": True},
    "interleaved": {"architecture": "interleaved"},
    "redundant interleaved": {"architecture": "interleaved-redundant"},
    "redundant interleaved, early look-up": {
        "architecture": "interleaved-redundant",
        "early-lookup": True,
    },
    "Montgomery, 2 CSA": {"architecture": "montgomery-2csa"},
    "Montgomery, 1 CSA": {"architecture": "montgomery-1csa", "table": "registers"},
}


def entrants(width: int = CONTEST_WIDTH) -> dict[str, dict[str, Any]]:
    """Options of everything that takes part; ours with every parameter of the sweep."""
    ours = {
        f"{OURS}, word {word}, lookahead {ahead}": {
            "architecture": OURS,
            "stream_word": word,
            "lookahead": ahead,
        }
        for ahead in LOOKAHEADS
        for word in WORDS
        if word <= width
    }
    return {name: {**keys, "width": width} for name, keys in (PAPERS | ours).items()}
