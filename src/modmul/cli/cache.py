"""modmul cache."""

from __future__ import annotations

from collections import Counter
from typing import Any

from modmul.cli.common import Json
from modmul.cli.output import RenderableType, facts, show
from modmul.toolchain.cache import Cache
from modmul.toolchain.quantities import size_words


def cache_verb(*, clear: bool = False, json: Json = False) -> int:
    """The cache: where, size, entries; --clear empties it.

    Args:
        clear: remove every entry
    """
    cache = Cache()
    freed = cache.clear() if clear else 0
    entries = cache.entries()
    steps = Counter(entry.step for entry in entries)
    record = {
        "path": str(cache.root),
        "bytes": sum(entry.size for entry in entries),
        "entries": len(entries),
        "steps": dict(steps),
        "freed": freed,
    }
    show(record, lambda: _text(record), json)
    return 0


def _text(record: dict[str, Any]) -> RenderableType:
    steps = ((f"  {step}", count) for step, count in record["steps"].items())
    return facts(
        "",
        ("where", record["path"]),
        ("size", f"{size_words(record['bytes'])} in {record['entries']} entries"),
        *steps,
        ("freed", size_words(record["freed"]) if record["freed"] else None),
    )
