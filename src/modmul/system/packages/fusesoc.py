"""A FuseSoC core: synthesis, lint, and the simulation of the testbench."""

from __future__ import annotations

from modmul.export.hdl import header
from modmul.export.testbench import templates
from modmul.system.packages.delivered import Delivered


def package(one: Delivered) -> dict[str, str]:
    """`NAME.core`, to be found with `fusesoc --cores-root DIR`."""
    models = [file for file in one.simulated if file not in one.synthesised]
    text = templates("modmul.system").get_template("fusesoc.core.j2").render(
        header=header(one.design, "#"), one=one, models=models,
    )  # fmt: skip
    return {f"{one.name}.core": text}
