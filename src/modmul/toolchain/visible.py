"""Makes text from outside safe to print."""

from __future__ import annotations

import unicodedata

# Categories of characters that have an effect: control, format (such as writing direction),
# surrogates, and the separators of lines and paragraphs.
_ACTING = {"Cc", "Cf", "Cs", "Zl", "Zp"}


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
