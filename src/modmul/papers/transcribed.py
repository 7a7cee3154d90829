"""The printed figures of the papers: package data, one TOML file a paper."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from modmul.papers.records import Paper, Picture, Table


def transcribed(key: str) -> dict[str, Any]:
    """All figures of a paper, as printed, with what is known of their errors."""
    text = resources.files("modmul.papers") / "figures" / f"{key}.toml"
    return tomllib.loads(text.read_text(encoding="utf-8"))


def assembled(
    key: str,
    printed: Mapping[str, Any],
    notes: Sequence[str],
    tables: Sequence[Table],
    pictures: Sequence[Picture] = (),
) -> Paper:
    """The record of a paper, under its printed title."""
    meta = printed["meta"]
    return Paper(key, meta["title"], source(meta), tuple(notes), tuple(tables), tuple(pictures))


def source(meta: Mapping[str, Any]) -> str:
    """Authors, where and when it was printed."""
    authors = meta["authors"]
    where = str(meta.get("published", meta.get("venue")))
    parts = [(" and " if len(authors) == 2 else ", ").join(authors), where]
    if str(meta.get("year", "")) not in where:
        parts.append(str(meta["year"]))
    if "doi" in meta:
        parts.append(f"doi {meta['doi']}")
    return ", ".join(parts)
