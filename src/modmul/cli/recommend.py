"""modmul recommend."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from modmul import processors, targets
from modmul.cli.common import Json, Whole, no_effect
from modmul.cli.output import group, show, table
from modmul.exploration.question import GOALS
from modmul.exploration.question import NAMES as OPERATION_NAMES
from modmul.exploration.record import MULTIPLY
from modmul.implementation.figures import area_words
from modmul.targets import NAMES, clock_words
from modmul.toolchain.quantities import time_words

_BASES = {
    "measured": "measured",
    "mapped": "area mapped, clock estimated",
    "estimated": "estimated by formula",
}
_CLOCKS = {"measured": "f_max", "mapped": "estimated", "estimated": "estimated"}

if TYPE_CHECKING:
    from rich.console import RenderableType

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
    from modmul.toolchain import progress

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
    per = _per(next(iter(answers.targets.values()), None))
    rows = table(
        f"The best design for {answers.goal}, to {answers.operation}, of every target",
        "target",
        "design",
        "basis",
        "area",
        "f_max MHz",
        per,
    )
    for target, best in answers.targets.items():
        unit = area_words(best.area_unit, [best.luts_per_dsp], [best.luts_per_ram])
        rows.add_row(target, best.title, best.basis, f"{best.area:,.0f} {unit}", *_row(best)[6:8])
    others = [f"{target}: {why}" for target, why in answers.without.items()]
    advice = (
        "Name one with --target for its spec, reasons and runners-up, with synthesis of the "
        "best where figures are estimated."
    )
    return [group(rows, "", *others, advice)]


def _per(candidate: Candidate | None) -> str:
    """Return the heading of the column with the time per product or per operation."""
    processor = candidate is not None and candidate.architecture in processors.NAMES
    return "per operation" if processor else "per product"


def _text(answer: Recommendation) -> list[RenderableType]:
    from modmul.exploration import spec_text

    best, reasons = answer.best, table("", "", "")
    reasons.show_header = False
    for reason in answer.reasons:
        reasons.add_row("-", reason)
    for reason, count in answer.left_out.items():
        reasons.add_row("-", f"{count} left out: {reason}")
    listed = (best, *answer.runners_up)
    area = area_words(
        best.area_unit,
        [candidate.luts_per_dsp for candidate in listed],
        [candidate.luts_per_ram for candidate in listed],
    )
    rows = table(
        f"Figures ({_BASES[answer.basis]})",
        "design",
        "area",
        "LUT",
        "FF",
        "DSP",
        "block RAM",
        f"{_CLOCKS[answer.basis]} MHz",
        _per(best),
        "latency",
        "against the best",
    )
    for candidate in listed:
        rows.add_row(*_row(candidate))
    routed = targets.find(best.spec["target"]).router is not None
    advice = (
        ""
        if answer.basis == "measured" or not routed
        else (
            "No clock of this was routed: verify and implement it, or explore a space and give its "
            "directory with --results."
        )
    )
    build = spec_text.command("build", best.spec)
    design = f"For {answer.goal}: {best.title}\n\n{answer.toml}\n$ {build}\n"  # never wrapped
    notes = [f"area: {area}", *([advice] if advice else [])]
    return [design, group(reasons, "", rows, "", *notes)]


def _row(design: Candidate) -> list[str]:
    figures = (design.lut, design.ff, design.dsp, design.ram_blocks)
    counts = ["-" if count is None else str(count) for count in figures]
    clock = "-"
    if design.clock_mhz is not None:
        clock = clock_words(design.clock_mhz, not design.clock_unverified).replace(" MHz", "")
    return [
        design.title,
        f"{design.area:,.0f}",
        *counts,
        clock,
        *(
            time_words(time, design.time_unit) if time is not None else "-"
            for time in (design.per_product, design.latency)
        ),
        f"{design.score:.2f}",
    ]
