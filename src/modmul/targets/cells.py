"""A silicon library of standard cells: rows of adder cells are instantiated and kept.

Which library is a key of the specification; what it has is read from its Liberty file
(`libraries/`).  The rows are Verilog modules, so that logic synthesis cannot take them apart:
`libraries/rows.v` makes one adder cell a bit of them.
"""

from amaranth.hdl import Instance, Module

from modmul.targets.description import DspBlock, Target
from modmul.targets.rows import AdderRow, ConfigurableRow


class AdderCells(AdderRow):
    """A row with one full-adder cell for each bit."""

    def place(self, m: Module) -> None:
        m.submodules[self.name] = Instance(
            "modmul_adder_row",
            p_WIDTH=self.width,
            i_a=self.a,
            i_b=self.b,
            i_c=self.c,
            o_sum=self.sum,
            o_carry=self.carry,
        )


class ConfigurableCells(ConfigurableRow):
    """A row with one configurable cell for each bit, or a full adder and gates without such a
    cell."""

    def place(self, m: Module) -> None:
        m.submodules[self.name] = Instance(
            "modmul_configurable_row",
            p_WIDTH=self.width,
            i_a=self.a,
            i_b=self.b,
            i_x=self.x,
            i_full=self.full,
            o_sum=self.sum,
            o_carry=self.carry,
        )


# Maps to simple gates and plain flip-flops; the rest depends on the library.  Enables and resets
# become gates, since no library of ours has cells for them.  Initial values of flip-flops are
# removed: silicon has none.
SYNTHESIS = """
hierarchy -check -top {top}
proc
flatten
setattr -unset init w:*
opt_expr
opt_clean
opt -nodffe -nosdff
wreduce
peepopt
opt_clean
alumacc
opt -nodffe -nosdff
memory -nomap
memory_map
setattr -unset init w:*
opt -nodffe -nosdff
techmap
opt -nodffe -nosdff
dfflegalize -cell $_DFF_P_ x
opt_clean
"""

TARGET = Target(
    name="cells",
    summary="standard cells of a library (Liberty file): area and critical path, no wires",
    kind="cells",
    dsp=DspBlock(cell=None, wide=17, narrow=17, accumulator=48),  # plain HDL, as `generic`
    synthesis=SYNTHESIS,
    initial_values=False,
    models=("adder_rows.v",),
    adder_cells=AdderCells,
    configurable_cells=ConfigurableCells,
)
