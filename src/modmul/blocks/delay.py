"""Registers that only delay: the glue of every pipeline."""

from amaranth.hdl import Module, Signal, Value


class DelayLine:
    """A signal and its delayed copies; a stage is made when it is first asked for.

    Without reset: for data.  The stages are called `name_d1`, `name_d2` ..."""

    def __init__(self, m: Module, value: Value, name: str):
        self.m, self.name = m, name
        self.stages: list[Value] = [value]

    def __call__(self, cycles: int) -> Value:
        """The signal as it was `cycles` (0 or more) cycles ago."""
        if cycles < 0:
            raise ValueError(f"{self.name} would be needed {-cycles} cycles before it is there")
        while len(self.stages) <= cycles:
            last = self.stages[-1]
            stage = Signal(len(last), name=f"{self.name}_d{len(self.stages)}", reset_less=True)
            self.m.d.sync += stage.eq(last)
            self.stages.append(stage)
        return self.stages[cycles]


def delay(m: Module, value: Value, cycles: int, name: str) -> Value:
    """`value` as it was `cycles` cycles ago."""
    return DelayLine(m, value, name)(cycles)
