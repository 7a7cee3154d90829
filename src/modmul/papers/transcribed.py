"""The printed figures of the papers: package data, one TOML file a paper."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any


def transcribed(key: str) -> dict[str, Any]:
    """All figures of a paper, as printed, with what is known of their errors."""
    text = resources.files("modmul.papers") / "figures" / f"{key}.toml"
    return tomllib.loads(text.read_text(encoding="utf-8"))
