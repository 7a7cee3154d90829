"""Errors that a user can meet.  Each carries the exit code of the command line."""

import difflib
import math
import unicodedata
from collections.abc import Iterable
from pathlib import Path

_SHOWN = 200  # characters of a value that a message repeats
# Categories of characters that have an effect: control, format (such as writing direction),
# surrogates, and the separators of lines and paragraphs.
_ACTING = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def quoted(value: object) -> str:
    """Raises SpecError if there is none."""
    try:
        text = hex(value) if isinstance(value, int) and value >> 512 not in (0, -1) else repr(value)
    except (ValueError, RecursionError):  # such numbers in a list, or a list too deep
        text = f"a {type(value).__name__} that cannot be written out"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def printable(text: str) -> str:
    """Escape what is not Unicode in a text: the bytes of a file name that are not UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode()


def visible(text: str, kept: str = "\n\t") -> str:
    """Return the text with characters that have an effect, such as those of escape sequences,
    written as Python escapes.  The characters in `kept` stay."""
    if text.isprintable():
        return text
    return "".join(
        letter.encode("unicode_escape").decode()
        if unicodedata.category(letter) in _ACTING and letter not in kept
        else letter
        for letter in text
    )


class ModmulError(Exception):
    """Base of all errors whose cause is the input or the machine, not a fault of this package."""

    exit_code = 70

    def details(self) -> dict[str, object]:
        """What `--json` prints below `error`: key, value, allowed, message."""
        return {"key": None, "value": None, "allowed": None, "message": str(self)}


class SpecError(ModmulError):
    """A value that is not allowed.  The error holds its key, the value and the allowed values."""

    exit_code = 2

    def __init__(self, key: str | None, value: object, allowed: str | None, message: str):
        super().__init__(message)
        self.key, self.value, self.allowed, self.message = key, value, allowed, message

    def details(self) -> dict[str, object]:
        value = self.value
        if isinstance(value, int) and abs(value) >= 1 << 53:  # beyond what readers of JSON keep
            value = hex(value)
        if isinstance(value, float) and not math.isfinite(value):  # JSON has none of these
            value = str(value)
        if not isinstance(value, (str, int, float, bool, type(None))):
            value = quoted(value)
        return {
            "key": self.key,
            "value": value,
            "allowed": self.allowed,
            "message": self.message,
        }


def similar(word: object, names: Iterable[str], most: int = 3) -> list[str]:
    """The names that `word` may mean: those that contain it, the shortest first, else those
    that look like it."""
    text, names = str(word).lower()[:80], list(names)
    containing = [name for name in sorted(names, key=len) if len(text) >= 3 and text in name]
    return containing[:most] or difflib.get_close_matches(text, names, n=most, cutoff=0.65)


def suggestion(word: object, names: Iterable[str], most: int = 3) -> str:
    """The end of a message about an unknown word; empty if no name is similar."""
    near = similar(word, names, most)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def refusal(
    key: str,
    value: object,
    allowed: str,
    why: str = "",
    *,
    shown: object = None,
    names: Iterable[str] = (),
) -> SpecError:
    """A SpecError with the message `key = value: must be ...`, followed by the reason `why`
    and by those of `names` that are similar to the value.

    shown: how the message writes the value, where that differs from Python's notation."""
    told = quoted(value) if shown is None else shown
    reason = f": {why}" if why else ""
    hint = suggestion(value, names) if isinstance(value, str) else ""
    return SpecError(key, value, allowed, f"{key} = {told}: must be {allowed}{reason}{hint}")


class CheckFailed(ModmulError):
    """A check failed: a product, a proof, an area limit."""

    exit_code = 1


class ToolMissing(ModmulError):
    """A tool that the step needs was not found; the message says how to get it."""

    exit_code = 3


class ToolFailed(ModmulError):
    """A tool was found but ended in an error; the message holds the end of its log."""

    exit_code = 70


class NoRoom(ModmulError):
    """A disk is full.  folder: the folder that could not be written and is needed to go on."""

    exit_code = 74

    def __init__(self, message: str, folder: Path | None = None):
        super().__init__(message)
        self.folder = folder
