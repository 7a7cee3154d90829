"""modmul recommend."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from modmul import processors, targets
from modmul.cli.common import Json, Whole, no_effect
from modmul.cli.output import RenderableType, group, rows, show, table
from modmul.exploration import spec_text
from modmul.exploration.question import GOALS
from modmul.exploration.question import NAMES as OPERATION_NAMES
from modmul.exploration.record import MULTIPLY
from modmul.implementation.figures import area_words
from modmul.targets import NAMES, clock_words
from modmul.toolchain import progress
from modmul.toolchain.quantities import time_words

_BASES = {
    "measured": "measured",
    "mapped": "area mapped, clock estimated",
    "estimated": "estimated by formula",
}
_CLOCKS = {"measured": "f_max", "mapped": "estimated", "estimated": "estimated"}

if TYPE_CHECKING:
    from modmul.exploration.recommend import BestByTarget, Candidate, Recommendation


@no_effect(beside={"results": "finalists"}, without={"finalists": "target"})
def recommend_verb(
    *,
    modulus: str | None = None,
    width: Whole | None = None,
    target: Annotated[
        str | None,
        Parameter(
            help=f"chip family: one of {', '.join(NAMES)} (default: the best design for each)"
        ),
    ] = None,
    operation: Annotated[
        str, Parameter(help=f"what the design is for: one of {', '.join(OPERATION_NAMES)}")
    ] = MULTIPLY,
    curve: str | None = None,
    key_bits: Whole | None = None,
    goal: Annotated[
        str, Parameter(help=f"what matters most: one of {', '.join(GOALS)}")
    ] = "balanced",
    where: list[str] | None = None,
    results: Path | None = None,
    finalists: Whole = 5,
    device: str | None = None,
    library: str | None = None,
    data_dependent: bool = False,
    json: Json = False,
) -> int:
    """Recommend a spec for a modulus, a chip and a goal, with reasons and runners-up.

    Args:
        modulus: the modulus, as in a spec: a name, 0x..., a decimal number, a polynomial
        width: in place of --modulus: any odd modulus of so many bits
        curve: in place of --modulus, for an operation on a curve: a name, such as p256
        key_bits: in place of --width, for rsa-private: bits of the longest key, which is used by
            its primes
        where: a condition that the design has to meet, such as "dsp <= 12", with the names that
            `modmul query` prints; may be repeated
        results: directory of an exploration, to recommend by what it measured (default: by
            estimates)
        finalists: without results: synthesise so many of the best by estimate, and rank these by
            the area counted; 0: none, in a few seconds
        device: chip of the target's family
        library: library of standard cells, for the target cells
        data_dependent: also consider designs whose time depends on the operands; not for secrets
    """
    from modmul.exploration.recommend import recommend, recommend_everywhere  # not for the help

    question: dict[str, Any] = {
        "width": width,
        "results": results,
        "where": where or (),
        "device": device,
        "library": library,
        "data_dependent": data_dependent,
        "operation": operation,
        "curve": curve,
        "key_bits": key_bits,
    }
    if target is None:
        answers = recommend_everywhere(modulus, goal, **question)
        show(answers, lambda: _answers(answers), json)
    else:
        with progress.bar() as report:
            recommendation = recommend(
                modulus, target, goal, **question, finalists=finalists, progress=report
            )
        show(recommendation, lambda: _text(recommendation), json)
    return 0


def _answers(answers: BestByTarget) -> list[RenderableType]:
    per = _per(next(iter(answers.targets.values())))
    title = f"The best design for {answers.goal}, to {answers.operation}, of every target"
    listing = table(title, "target", "design", "basis", "area", "f_max MHz", per)
    for target, best in answers.targets.items():
        area, time = f"{best.area:,.0f} {_unit([best])}", _time(best, best.per_product)
        listing.add_row(target, best.title, best.basis, area, _clock(best), time)
    others = [f"{target}: {why}" for target, why in answers.without.items()]
    advice = (
        "Name one with --target for its spec, reasons and runners-up, with synthesis of the "
        "best where figures are estimated."
    )
    return [group(listing, "", *others, advice)]


def _per(design: Candidate) -> str:
    """Return the heading of the column with the time per product or per operation."""
    return "per operation" if design.architecture in processors.NAMES else "per product"


def _text(answer: Recommendation) -> list[RenderableType]:
    best, reasons = answer.best, table("", "", "")
    reasons.show_header = False
    for reason in answer.reasons:
        reasons.add_row("-", reason)
    for reason, count in answer.left_out.items():
        reasons.add_row("-", f"{count} left out: {reason}")
    listed = (best, *answer.runners_up)
    listing = rows(
        f"Figures ({_BASES[answer.basis]})",
        listed,
        {
            "design": lambda design: design.title,
            "area": lambda design: f"{design.area:,.0f}",
            "LUT": lambda design: design.lut,
            "FF": lambda design: design.ff,
            "DSP": lambda design: design.dsp,
            "block RAM": lambda design: design.ram_blocks,
            f"{_CLOCKS[answer.basis]} MHz": _clock,
            _per(best): lambda design: _time(design, design.per_product),
            "latency": lambda design: _time(design, design.latency),
            "against the best": lambda design: f"{design.score:.2f}",
        },
    )
    routed = targets.find(best.spec["target"]).router is not None
    notes = [f"area: {_unit(listed)}"]
    if answer.basis != "measured" and routed:
        notes.append(
            "No clock of this was routed: verify and implement it, or explore a space and give its "
            "directory with --results."
        )
    build = spec_text.command("build", best.spec)
    design = f"For {answer.goal}: {best.title}\n\n{answer.toml}\n$ {build}\n"  # never wrapped
    return [design, group(reasons, "", listing, "", *notes)]


def _unit(designs: Sequence[Candidate]) -> str:
    """Return the unit of the areas of designs on one target."""
    dsps = [design.luts_per_dsp for design in designs]
    return area_words(designs[0].area_unit, dsps, [design.luts_per_ram for design in designs])


def _clock(design: Candidate) -> str:
    if design.clock_mhz is None:
        return "-"
    return clock_words(design.clock_mhz, not design.clock_unverified).replace(" MHz", "")


def _time(design: Candidate, time: float | None) -> str:
    return "-" if time is None else time_words(time, design.time_unit)
