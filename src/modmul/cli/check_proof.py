"""modmul check-proof."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from modmul.cli.output import show


def check_proof_verb(file: Annotated[Path, Parameter(name="FILE")], /) -> int:
    """Check the certificate of a multiplier against the Verilog files beside it.

    Args:
        file: certificate (NAME_proof.json), or the directory that `modmul build` has written
    """
    from modmul.arithmetic_proof import certificate  # not for the help
    from modmul.arithmetic_proof.checker import Refused

    try:
        sentence, code = f"proved: {certificate.check_file(file)}", 0
    except Refused as error:
        sentence, code = f"not proved: {error}", 1
    show(None, lambda: sentence, False)
    return code
