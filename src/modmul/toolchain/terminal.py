"""Output for people on a terminal or in a file: text of others is shown and has no other effect."""

from __future__ import annotations

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment

from modmul.toolchain.visible import visible


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
