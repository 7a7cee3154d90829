"""Synthesis for Xilinx families with LUTs of four inputs."""

# -nowidelut: Yosys gives a function of five or six inputs the price of one of four inputs, as if
# LUTs had six inputs, and then takes up to three times as many LUTs.
NO_WIDE_LUTS = "-nowidelut"

# synth_xilinx extracts no shift registers for these families: it needs cells of 32 stages.
SHIFT_REGISTERS = "shregmap -minlen 3 -maxlen 16 -init -params -clkpol pos -enpol any_or_none"

_COMMANDS = """
synth_xilinx -family {family} {options} -top {{top}} -run begin:map_cells
{shift_registers}
synth_xilinx -family {family} {options} -top {{top}} -run map_cells:
"""


def synthesis(family: str) -> str:
    """Yosys commands for a family without DSP48 blocks: the core alone, out of context."""
    options = f"-flatten -noiopad -noclkbuf {NO_WIDE_LUTS}"
    return _COMMANDS.format(family=family, options=options, shift_registers=SHIFT_REGISTERS)
