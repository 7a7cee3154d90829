"""modmul schema."""

from __future__ import annotations

from modmul import catalogue
from modmul.cli.common import Json
from modmul.cli.output import show


def schema_verb(*, json: Json = True) -> int:
    """Print the JSON schema of the specifications (JSON with and without --json)."""
    show(catalogue.schema(), str, as_json=True)
    return 0
