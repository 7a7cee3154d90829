"""Explores a space of specifications: measures its points, here or on a cluster, and writes one
record for each."""

from importlib import resources


def shipped() -> dict[str, str]:
    """Return the text of each space that comes with this program, by its name."""
    folder = resources.files("modmul.exploration") / "spaces"
    files = sorted((file.name, file) for file in folder.iterdir() if file.name.endswith(".toml"))
    return {name.removesuffix(".toml"): file.read_text("utf-8") for name, file in files}
