"""modmul constants."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from modmul.cli.common import Json
from modmul.cli.options import takes_spec
from modmul.cli.output import show
from modmul.export import constants as export
from modmul.spec import Spec

_RENDER = {"text": export.as_text, "c": export.as_c, "verilog": export.as_verilog}


@takes_spec
def constants_verb(
    spec: Spec,
    *,
    format: Annotated[
        Literal["text", "json", "c", "verilog"],
        Parameter(help="text, json, a C header, or Verilog local parameters"),
    ] = "text",
    json: Json = False,
) -> int:
    """The constants of a modulus: N', R mod N, R^2 mod N, words in loading order."""
    constants = export.constants(spec)
    show(constants, lambda: _RENDER[format](constants), json or format == "json")
    return 0
