"""modmul recommend."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Group, RenderableType

from modmul import processors
from modmul.cli.common import Json, whole
from modmul.cli.output import show, table
from modmul.exploration import rebuild
from modmul.exploration.candidates import OPERATIONS
from modmul.exploration.recommend import GOALS, recommend, recommend_everywhere
from modmul.exploration.recommendation import Answers, Candidate, Recommendation
from modmul.exploration.record import MULTIPLY
from modmul.implementation.figures import area_words
from modmul.targets import NAMES, clock_words


def recommend_verb(
    *,
    modulus: Annotated[
        str | None, Parameter(help="as in a spec: a name, 0x..., digits, a polynomial")
    ] = None,
    width: Annotated[
        int | None,
        Parameter(
            converter=whole, help="in place of --modulus: for any odd modulus of so many bits"
        ),
    ] = None,
    target: Annotated[
        str | None,
        Parameter(
            help=f"chip family: one of {', '.join(NAMES)} (without: the best design of each that "
            "has one)"
        ),
    ] = None,
    operation: Annotated[str, Parameter(help=f"one of {', '.join(OPERATIONS)}")] = MULTIPLY,
    curve: Annotated[
        str | None,
        Parameter(help="in place of --modulus, for an operation on a curve: a name, such as p256"),
    ] = None,
    goal: Annotated[str, Parameter(help=f"one of {', '.join(GOALS)}")] = "balanced",
    where: Annotated[
        list[str] | None,
        Parameter(
            help='a condition, such as "dsp <= 12", over the names that `modmul query` prints; '
            "may be given again",
            negative="",
        ),
    ] = None,
    results: Annotated[
        Path | None, Parameter(help="directory of an exploration; without it, forecasts answer")
    ] = None,
    device: Annotated[str | None, Parameter(help="chip of the family")] = None,
    library: Annotated[str | None, Parameter(help="of cells")] = None,
    data_dependent: Annotated[
        bool,
        Parameter(
            negative="", help="also designs whose time depends on the operands: not for secrets"
        ),
    ] = False,
    json: Json = False,
) -> int:
    """The spec for a modulus, a chip and a goal, with reasons and runners-up."""
    asked: dict[str, Any] = {
        "width": width, "results": results, "where": where or (), "device": device,
        "library": library, "data_dependent": data_dependent, "operation": operation,
        "curve": curve,
    }  # fmt: skip
    if target is None:
        answers = recommend_everywhere(modulus, goal, **asked)
        show(answers, lambda: _answers(answers), json)
    else:
        recommendation = recommend(modulus, target, goal, **asked)
        show(recommendation, lambda: _text(recommendation), json)
    return 0


def _answers(found: Answers) -> list[RenderableType]:
    per = _per(next(iter(found.targets.values()), None))
    rows = table(f"The best design for {found.goal}, to {found.operation}, of every target",
                 "target", "design", "area", "usable MHz", per)  # fmt: skip
    for target, one in found.targets.items():
        area = f"{one.area:,.0f} {area_words(one.area_unit, [one.luts_per_dsp])}"
        rows.add_row(target, one.title, area, *_row(one)[5:7])
    others = [f"{target}: {why}" for target, why in found.without.items()]
    advice = "Name one with --target for its spec, reasons and runners-up."
    return [Group(rows, "", *others, advice)]


def _per(one: Candidate | None) -> str:
    """The heading of a column: what its times are for."""
    processor = one is not None and one.architecture in processors.NAMES
    return "per operation" if processor else "per product"


def _text(found: Recommendation) -> list[RenderableType]:
    best, reasons = found.best, table("", "", "")
    reasons.show_header = False
    for reason in found.reasons:
        reasons.add_row("-", reason)
    for reason, count in found.left_out.items():
        reasons.add_row("-", f"{count} left out: {reason}")
    listed = (best, *found.runners_up)
    area = area_words(best.area_unit, [one.luts_per_dsp for one in listed])
    rows = table("Figures (" + found.basis + ")", "design", f"area ({area})", "LUT", "FF", "DSP",
                 "usable MHz", _per(best), "latency", "against the best")  # fmt: skip
    for one in listed:
        rows.add_row(*_row(one))
    advice = "" if found.basis == "measured" else (
        "Nothing of this was measured: verify and implement it, or explore a space and give its "
        "directory with --results.")  # fmt: skip
    build = rebuild.command("build", best.spec)
    design = f"For {found.goal}: {best.title}\n\n{found.toml}\n$ {build}\n"  # never wrapped
    return [design, Group(reasons, "", rows, *(["", advice] if advice else []))]


def _row(one: Candidate) -> list[str]:
    counts = [str(count) if count is not None else "-" for count in (one.lut, one.ff, one.dsp)]
    clock = "-"
    if one.clock_mhz is not None:
        clock = clock_words(one.clock_mhz, not one.clock_unverified).replace(" MHz", "")
    return [one.title, f"{one.area:,.0f}", *counts, clock,
            *(f"{time:,.1f} {one.time_unit}" if time is not None else "-"
              for time in (one.per_product, one.latency)),
            f"{one.score:.2f}"]  # fmt: skip
