"""A FuseSoC core: synthesis, lint, and the simulation of the testbench."""

from __future__ import annotations

from modmul.export.hdl import header
from modmul.export.testbench import templates
from modmul.system.packages.delivered import Delivered


def package(delivered: Delivered) -> dict[str, str]:
    """`NAME.core`, which FuseSoC finds with `fusesoc --cores-root DIR`."""
    models = [file for file in delivered.simulated if file not in delivered.synthesised]
    text = (
        templates("modmul.system")
        .get_template("fusesoc.core.j2")
        .render(header=header(delivered.design, "#"), one=delivered, models=models)
    )
    return {f"{delivered.name}.core": text}
