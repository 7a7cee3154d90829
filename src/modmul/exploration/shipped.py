"""The spaces of specifications that come with this program."""

from __future__ import annotations

from importlib import resources


def shipped() -> dict[str, str]:
    """Return the text of each space by its name."""
    folder = resources.files("modmul.exploration") / "spaces"
    files = (file for file in folder.iterdir() if file.name.endswith(".toml"))
    return {
        file.name.removesuffix(".toml"): file.read_text("utf-8")
        for file in sorted(files, key=lambda file: file.name)
    }
