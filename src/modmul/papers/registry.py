"""The papers by key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from modmul.papers import alkhaleel2006, amanor2005, dualfips, gallin2019, kuang2016
from modmul.papers.records import Paper

PAPERS: dict[str, Callable[..., Paper]] = {
    one.KEY: one.paper for one in (gallin2019, kuang2016, amanor2005, dualfips, alkhaleel2006)
}
KEYS = tuple(PAPERS)
# What has to be asked for, so that nothing is left out: keyword arguments of `papers`.
WHOLE: Mapping[str, Mapping[str, Any]] = {alkhaleel2006.KEY: {"widest": alkhaleel2006.WIDEST}}
