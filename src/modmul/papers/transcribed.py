"""The printed figures of the papers: package data, one TOML file a paper."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib import resources
from typing import Any

from modmul.literature import REFERENCES
from modmul.papers.records import Paper, Picture, Table


def transcribed(key: str) -> dict[str, Any]:
    """All figures of a paper, as printed, with what is known of their errors."""
    text = resources.files("modmul.papers") / "figures" / f"{key}.toml"
    return tomllib.loads(text.read_text(encoding="utf-8"))


def assembled(
    key: str,
    notes: Sequence[str],
    tables: Sequence[Table],
    pictures: Sequence[Picture] = (),
) -> Paper:
    """The record of a paper, under its printed title."""
    told = REFERENCES[key]
    return Paper(key, told.title, told.source, tuple(notes), tuple(tables), tuple(pictures))
