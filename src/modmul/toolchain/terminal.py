"""Text for a terminal: what others wrote is shown, and does nothing else."""

from __future__ import annotations

import unicodedata

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment

# Kinds of letters that do something: control, format (direction of writing), half of a pair, ends
# of lines and paragraphs.
_ACTING = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def visible(text: str, kept: str = "\n\t") -> str:
    """The text with letters that do something, such as those of escape sequences, written as
    Python writes them; `kept` stay."""
    if text.isprintable():
        return text
    return "".join(
        one.encode("unicode_escape").decode()
        if unicodedata.category(one) in _ACTING and one not in kept else one
        for one in text
    )  # fmt: skip


def console(width: int | None = None, stderr: bool = False) -> Console:
    """A terminal or file for people, where brackets and colons mean themselves."""
    return Console(width=width, stderr=stderr, markup=False, emoji=False, highlight=False)


class Visible:
    """What is printed of something, with all its text made `visible`."""

    def __init__(self, shown: RenderableType):
        self.shown = shown

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.shown, options):
            if segment.control:
                yield segment
            else:
                yield Segment(visible(segment.text), segment.style)
