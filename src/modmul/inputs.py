"""Reads the files that a user gives: text, TOML and JSON.

If a file is not what it has to be, each function raises ValueError, whose text is the reason."""

from __future__ import annotations

import functools
import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from modmul.errors import quoted

LONGEST = 16 << 20  # bytes of a file
DEEPEST = 20  # lists and tables inside each other
_TOO_DEEP = f"more than {DEEPEST} lists or tables inside each other"
_LONG_KEY = re.compile(rf"(?<![\w\"'-])(?:[\w\"'-]+[ \t]*\.[ \t]*){{{DEEPEST + 1}}}")  # a.b.c ...
_MARK = "\ufeff"
_TOO_WIDE = "a number of more than 13000 bits"
_WIDEST = 1 << 13_000  # numbers below it can be written out: Python refuses 4300 digits


def read(path: Path) -> str:
    content = read_bytes(path)
    try:
        return content.decode().removeprefix(_MARK)
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 text (byte {error.start})") from None


def read_bytes(path: Path) -> bytes:
    """The content of a file of at most `LONGEST` bytes."""
    try:
        with path.open("rb") as file:
            content = file.read(LONGEST + 1)
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from None
    except ValueError:  # a null character in the name, or half of a surrogate pair
        raise ValueError("no file can have this name") from None
    if len(content) > LONGEST:
        raise ValueError(f"it is longer than {LONGEST >> 20} MiB")
    return content


def toml(text: str) -> dict[str, Any]:
    """At most `LONGEST` bytes."""
    if _LONG_KEY.search(text):  # tomllib takes time quadratic in the number of parts
        raise ValueError(_TOO_DEEP)
    tables: dict[str, Any] = _parsed(tomllib.loads, text)
    return tables


def from_json(text: str, *, once: bool = False) -> Any:
    """The value of a JSON text, with the bounds of `toml`.  once: refuse an object in which
    a key stands twice; otherwise the last one counts."""
    return _parsed(functools.partial(json.loads, object_pairs_hook=_once if once else None), text)


class _Twice(ValueError):
    pass


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object from its keys and values; refuse a key that stands there twice."""
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members:
            raise _Twice(f"the key {quoted(key)} stands there twice")
        members[key] = value
    return members


def _parsed(parse: Callable[[str], Any], text: str) -> Any:
    try:
        parsed = parse(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    except (json.JSONDecodeError, tomllib.TOMLDecodeError, _Twice):
        raise
    except ValueError:  # too many decimal digits
        raise ValueError(_TOO_WIDE) from None
    level = [parsed]
    for _ in range(DEEPEST + 1):
        if any(isinstance(item, int) and abs(item) >= _WIDEST for item in level):
            raise ValueError(_TOO_WIDE)
        level = [inner for item in level for inner in _inside(item)]
        if not level:
            return parsed
    raise ValueError(_TOO_DEEP)


def _inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
