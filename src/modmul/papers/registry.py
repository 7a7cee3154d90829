"""The papers by key."""

from __future__ import annotations

from typing import Any

from modmul.papers import alkhaleel2006, amanor2005, dualfips, gallin2019, kuang2016
from modmul.papers.definition import Definition

_MODULES = (gallin2019, kuang2016, amanor2005, dualfips, alkhaleel2006)
PAPERS: dict[str, Definition[Any]] = {module.PAPER.key: module.PAPER for module in _MODULES}
KEYS = tuple(PAPERS)
