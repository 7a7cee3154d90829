"""The papers by key, each imported when it is first used."""

from __future__ import annotations

from typing import Any

from modmul.papers.definition import Definition
from modmul.registry import Registry, of_modules

KEYS = ("gallin2019", "kuang2016", "amanor2005", "dualfips", "alkhaleel2006")
PAPERS: Registry[Definition[Any]] = of_modules(
    "modmul.papers", {key: (key, "PAPER") for key in KEYS}
)
