"""modmul constants."""

from __future__ import annotations

from pathlib import Path
from random import SystemRandom
from typing import Literal

from modmul.cli.common import Json, exclusive, requires
from modmul.cli.options import takes_spec
from modmul.cli.output import show
from modmul.export import constants as export
from modmul.spec import Spec

_RENDER = {"text": export.as_text, "c": export.as_c, "verilog": export.as_verilog}


@takes_spec
def constants_verb(
    spec: Spec,
    *,
    format: Literal["text", "json", "c", "verilog", "driver"] = "text",
    key: Path | None = None,
    json: Json = False,
) -> int:
    """The constants of a modulus: N', R mod N, R^2 mod N, words in loading order.

    Args:
        format: form of the output: text, JSON, a C header (c), local parameters in Verilog, or, for
            a processor, C that its driver loads
        key: with --format driver: file with an RSA private key, PEM or DER, in the place of the
            modulus; what is printed has the key in it
    """
    if json and format not in ("text", "json"):
        raise exclusive("--json", True, f"--format {format}")
    if format == "driver":
        from modmul.system.driver import loadable  # not for the help

        loaded = spec if key is None else spec.with_key(key).blinded_anew(SystemRandom())
        print(loadable(loaded), end="")
        return 0
    if key is not None:
        raise requires("--key", str(key), "--format driver")
    constants = export.constants(spec)
    show(constants, lambda: _RENDER[format](constants), json or format == "json")
    return 0
