"""modmul cache."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from modmul.cli.common import Json
from modmul.cli.output import show, table
from modmul.toolchain.cache import Cache
from modmul.toolchain.quantities import size_words

if TYPE_CHECKING:
    from rich.console import RenderableType


def cache_verb(
    *,
    clear: bool = False,
    json: Json = False,
) -> int:
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
    listing = table("", "what", "value")
    listing.add_row("where", record["path"])
    listing.add_row("size", f"{size_words(record['bytes'])} in {record['entries']} entries")
    for step, count in record["steps"].items():
        listing.add_row(f"  {step}", str(count))
    if record["freed"]:
        listing.add_row("freed", size_words(record["freed"]))
    return listing
