"""Draws the simulated products of a design, slot by slot and cycle by cycle."""

from __future__ import annotations

from pathlib import Path

from modmul.reporting.canvas import drawing, saved
from modmul.reporting.points import Point
from modmul.targets import UNVERIFIED
from modmul.verification.observed import ProductSchedule

_PHASES = (("operands in", "#2f4bce"), ("in work", "#b8c4f5"), ("result out", "#1f7a3a"))


def draw(point: Point, schedule: ProductSchedule, stem: Path) -> list[Path]:
    slots = schedule.slots
    with drawing((7.2, 1.6 + 0.42 * min(slots, 24))) as figure:
        axes = figure.add_subplot()
        for index, (taken, given) in enumerate(zip(schedule.taken, schedule.given, strict=True)):
            lane = (index // slots) % 2
            y = index % slots + 1 + (lane - 0.5) * 0.4
            first = max(given[0], taken[1] + 1)
            parts = ((taken[0], taken[1]), (taken[1] + 1, given[0] - 1), (first, given[1]))
            for (begin, end), (name, colour) in zip(parts, _PHASES, strict=True):
                if end >= begin:
                    axes.barh(
                        y,
                        end - begin + 1,
                        0.36,
                        begin - 0.5,
                        color=colour,
                        lw=0,
                        label=name if index == 0 else None,
                    )
            axes.text(
                (taken[1] + given[0]) / 2,
                y,
                str(index + 1),
                fontsize=7,
                ha="center",
                va="center_baseline",
            )
        axes.set_axisbelow(True)
        axes.set_yticks(range(1, slots + 1))
        axes.set_ylim(slots + 0.5, 0.5)
        axes.set_xlim(0, schedule.given[-1][1] + 1)
        axes.grid(False, axis="y")
        axes.set_ylabel("slot")
        time = point.record.time
        doubt = f", {UNVERIFIED}" if point.unverified else ""
        period = f" (one is {time.period:.4g} {time.unit}{doubt})" if time else ""
        axes.set_xlabel(f"clock cycle{period}")
        axes.set_title(f"{point.label}, {point.group}: simulated", fontsize=10)
        figure.legend(loc="outside right upper", frameon=False, fontsize=7.5)
        return saved(figure, stem)
