"""Registers that only delay: the glue of every pipeline."""

from amaranth.hdl import Module, Signal, Value


class DelayLine:
    """A signal and its delayed copies; a register is made when it is first asked for.

    reset: the registers have a reset, as flags need it that say that data are valid; data need
    none. The registers are called `name_d1`, `name_d2` ...; late: `value` is itself the signal of
    that name delayed by so many cycles, which the numbers then include."""

    def __init__(self, m: Module, value: Value, name: str, late: int = 0, reset: bool = False):
        self.m, self.name, self.late, self.reset = m, name, late, reset
        self.stages: list[Value] = [value]

    def __call__(self, cycles: int) -> Value:
        """The signal as it was `cycles` (0 or more) cycles ago."""
        if cycles < 0:
            raise ValueError(f"{self.name} would be needed {-cycles} cycles before it is there")
        while len(self.stages) <= cycles:
            last = self.stages[-1]
            name = f"{self.name}_d{self.late + len(self.stages)}"
            stage = Signal(len(last), name=name, reset_less=not self.reset)
            self.m.d.sync += stage.eq(last)
            self.stages.append(stage)
        return self.stages[cycles]


def delay(
    m: Module, value: Value, cycles: int, name: str, late: int = 0, reset: bool = False
) -> Value:
    """`value` as it was `cycles` cycles ago; `late` and `reset` as in DelayLine."""
    return DelayLine(m, value, name, late, reset)(cycles)
