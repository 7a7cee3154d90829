"""Text of others, made safe to print."""

from __future__ import annotations

import unicodedata

# Kinds of letters that do something: control, format (direction of writing), half of a pair, ends
# of lines and paragraphs.
_ACTING = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def visible(text: str, kept: str = "\n\t") -> str:
    """The text with letters that do something, such as those of escape sequences, written as
    Python writes them; `kept` stay."""
    if text.isprintable():
        return text
    return "".join(
        letter.encode("unicode_escape").decode()
        if unicodedata.category(letter) in _ACTING and letter not in kept else letter
        for letter in text
    )  # fmt: skip
