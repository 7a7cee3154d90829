"""Output for people on a terminal or in a file: text from outside cannot control the terminal."""

from __future__ import annotations

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment

from modmul.errors import visible


def console(width: int | None = None, stderr: bool = False) -> Console:
    """Return a console that prints brackets and colons as they are."""
    return Console(width=width, stderr=stderr, markup=False, emoji=False, highlight=False)


class Visible:
    """Prints an object with all its text made `visible`."""

    def __init__(self, shown: RenderableType):
        self.shown = shown

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.shown, options):
            if segment.control:
                yield segment
            else:
                yield Segment(visible(segment.text), segment.style)
