"""modmul check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from modmul.cli.common import Json
from modmul.cli.output import show

if TYPE_CHECKING:
    from modmul.system.check import CheckResult


def check_verb(directory: Annotated[Path, Parameter(name="DIR")], /, *, json: Json = False) -> int:
    """Check that a delivery is what its digests and its specification say.

    Args:
        directory: directory that `modmul build` has written
    """
    from modmul.system.check import check  # not for the help

    result = check(directory)
    show(result, lambda: _text(result), json)
    return 0 if result.passed else 1


def _text(result: CheckResult) -> str:
    lines = []
    for delivery in result.deliveries:
        lines += delivery.differences or [
            f"{delivery.description}: {delivery.files} files, as modmul makes them"
        ]
    lines += [f"{file}: not written by modmul, passed over" for file in result.passed_over]
    return "\n".join(lines)
