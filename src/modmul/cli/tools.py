"""modmul tools."""

from __future__ import annotations

from modmul.cli.common import Json
from modmul.cli.output import RenderableType, show, table
from modmul.errors import ToolMissing
from modmul.toolchain.versions import Tool, tools


def tools_verb(*, json: Json = False) -> int:
    """List the tools: version, place, purpose, how to get them.  Exit code 3: one is missing."""
    installed = tools()
    show({"tools": installed}, lambda: _text(installed), json)
    missing = [tool for tool in installed if tool.required and not tool.installed]
    return ToolMissing.exit_code if missing else 0


def _text(tools: list[Tool]) -> list[RenderableType]:
    """Return a table, and the places below it, where no line of them is broken."""
    listing = table("", "tool", "version", "what for")
    for tool in tools:
        absent = "missing" if tool.required else "not found (optional)"
        listing.add_row(tool.name, tool.version or absent, tool.purpose)
    longest = max(len(tool.name) for tool in tools)
    places = [f"{tool.name:{longest}}  {tool.path or tool.get}" for tool in tools]
    return [listing, "\n".join(["", "where, or how to get it", *places])]
