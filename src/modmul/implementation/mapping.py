"""Maps a design onto the cells of a library.

Rows of adders are mapped to adder cells first and are not changed any more (so modules need not be
kept apart); flip-flops are next; ABC maps the logic between them and sees neither.  ABC gets every
gate with one delay for each input: the constant of the library, or the value of its tables at a
typical slope and load.
"""

from __future__ import annotations

from pathlib import Path

from modmul.implementation import synthesis
from modmul.implementation.genlib import genlib
from modmul.targets import Target, libraries
from modmul.targets.libraries.roles import Role, Roles

LIBRARY_FILE = "library.lib"
ABC = "strash; &get -n; &dch -f; &nf; &put"


def script(target: Target, top: str, roles: Roles) -> str:
    """The Yosys commands that read core.v and map module `top` onto the cells of a library.

    Their folder must contain core.v, LIBRARY_FILE, and the files of `inputs`."""
    define = "-D CONFIGURABLE_CELL " if roles.configurable else ""
    coarse = synthesis.script(target, top)
    reduce = "techmap -map constants.v\ntechmap\nopt_expr\nopt_clean\n" * 3
    return f"""
read_verilog core.v
hierarchy -top {top}
setattr -mod -unset keep_hierarchy
read_verilog {define}rows.v
read_liberty -lib -ignore_miss_func -ignore_miss_dir -ignore_buses {LIBRARY_FILE}
{coarse}
{reduce}
opt -nodffe -nosdff
setundef -zero
techmap -map cells.v
techmap
abc -genlib gates.genlib -script +{ABC.replace(" ", ",").replace(";,", ";")}
setundef -zero
opt_clean
setattr -unset keep_hierarchy
flatten
opt_clean
"""


def inputs(roles: Roles) -> dict[str, bytes]:
    """The files that the script reads, by name, besides the design and the library."""
    folder = Path(libraries.__file__).parent
    fixed = {name: (folder / name).read_bytes() for name in ("rows.v", "constants.v")}
    return fixed | {"cells.v": cell_map(roles).encode(), "gates.genlib": genlib(roles).encode()}


def cell_map(roles: Roles) -> str:
    """Verilog for techmap that maps each adder and flip-flop to a cell."""
    parts = [
        _mapped("modmul_full_adder", {}, roles.full_adder),
        _mapped("$_DFF_P_", {"d": "D", "clock": "C", "q": "Q"}, roles.flip_flop),
    ]
    if roles.configurable:
        names = {"generate": "generate_out"}
        parts.append(_mapped("modmul_configurable", names, roles.configurable))
    if roles.half_adder:
        parts.append(_mapped("modmul_half_adder", {}, roles.half_adder))
    else:
        parts.append(
            '(* techmap_celltype = "modmul_half_adder" *)\n'
            "module modmul_half_adder_gates(input a, b, output sum, carry);\n"
            "  assign sum = a ^ b;\n  assign carry = a & b;\nendmodule\n"
        )
    return "\n".join(parts)


def _mapped(kind: str, names: dict[str, str], role: Role) -> str:
    """One module of a techmap file.  names: the names of ports that differ from the
    role's."""
    ports = []
    for port, pin in role.pins.items():
        output = role.cell.pins[pin].direction == "output"
        ports.append(f"{'output' if output else 'input'} {names.get(port, port)}")
    pins = [f".\\{pin} ({names.get(port, port)})" for port, pin in role.pins.items()]
    pins += [f".\\{pin} (1'b{value})" for pin, value in role.ties.items()]
    return (
        f'(* techmap_celltype = "{kind}" *)\n'
        f"module \\{kind}_cell ({', '.join(ports)});\n"
        f"  \\{role.cell.name} _TECHMAP_REPLACE_ ({', '.join(pins)});\nendmodule\n"
    )
