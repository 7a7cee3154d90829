"""Writes a report to files, and records which files were written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from modmul.exploration.store import Coverage
from modmul.reporting import html, pictures, tex
from modmul.reporting.report import Report
from modmul.toolchain import files


class ReportFile(msgspec.Struct, frozen=True):
    """A file that was written.  size: in bytes."""

    path: str
    size: int


class Member(msgspec.Struct, frozen=True):
    """A design of the front.

    command: the command that builds it again.  The others: see `Point`."""

    design: str
    group: str
    command: str
    figures: dict[str, float]
    luts_per_dsp: float | None
    luts_per_ram: float | None
    estimated: str
    unverified: str


class WrittenReport(msgspec.Struct, frozen=True):
    """The record that `modmul report` returns.  counts: points by status.  coverage: how much of
    the space was measured.  front: of area and time per product.  simulated: the designs whose
    schedule was simulated.  left_out: files that were not written, each with the reason."""

    title: str
    counts: dict[str, int]
    coverage: Coverage
    front: list[Member]
    simulated: list[str]
    files: list[ReportFile]
    left_out: list[str]

    @classmethod
    def of(cls, report: Report, files: Sequence[Path]) -> WrittenReport:
        drawn = any(path.suffix == ".bib" for path in files)
        return cls(
            title=report.title,
            counts=report.counts,
            coverage=report.coverage,
            front=[
                Member(
                    point.label,
                    point.group,
                    point.command,
                    point.figures,
                    point.luts_per_dsp,
                    point.luts_per_ram,
                    point.estimated,
                    point.unverified,
                )
                for point in report.front
            ],
            simulated=[schedule.title for schedule in report.schedules.values()],
            files=[ReportFile(str(path), path.stat().st_size) for path in files],
            left_out=[tex.MISSING] if drawn and not tex.installed() else [],
        )


def write(report: Report, page: Path | None, folder: Path | None) -> list[Path]:
    """Write the page and the pictures asked for, each file whole or not at all; return them."""
    paths = []
    if page is not None:
        files.write(page, html.page(report))
        paths.append(page)
    if folder is not None:
        paths += pictures.write(report, folder)
    return paths
