"""A carry-propagate adder for long numbers that come a word a cycle, in pipeline stages.

Only one gate lies between the carry of a word and that of the next, so that the clock need not
wait for the adder: with `prefix`, a parallel-prefix network cut in two (for cell libraries);
without, two sums in series, the second only of the carry (for the carry chains of FPGAs)."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value

from modmul.blocks.carry_propagate import prefix_level


class StreamAdder:
    """total = left + right, word by word, least significant first, `latency` cycles later: 3 if
    `registered` (total comes from a register), else 2.

    left, right: words of equal width (2 bits or more).  first: 1 bit, high with the first word of a
    number.  drifting: the words belong to a carry-save pair that makes one half-adder step in every
    cycle.  A carry that the top bit of a word generates is then already in the next word, and only
    one that it propagates is a carry here."""

    def __init__(
        self,
        m: Module,
        left: Value,
        right: Value,
        first: Value,
        *,
        prefix: bool,
        drifting: bool = False,
        registered: bool = False,
        name: str = "adder",
    ):
        self.m, self.name, self.word = m, name, len(left)
        self.latency = 3 if registered else 2
        self.sum = Signal(self.word, name=f"{name}_sum")
        a, b = self._register(left, "left"), self._register(right, "right")
        begins = self._register(first, "begins")
        propagate = self._register(a ^ b, "propagate")
        carry = Signal(name=f"{name}_carry", reset_less=True)
        if prefix:
            into = self._prefix(a, b, carry, propagate)
        else:
            into = self._two_sums(a, b, carry, propagate)
        leaving = into & propagate[-1]
        if not drifting:
            leaving |= self._register(a[-1] & b[-1], "generated")
        m.d.sync += carry.eq(Mux(begins, 0, leaving))
        self.total = self._register(self.sum, "total") if registered else self.sum

    def _register(self, value: Value, name: str) -> Signal:
        register = Signal(len(value), name=f"{self.name}_{name}", reset_less=True)
        self.m.d.sync += register.eq(value)
        return register

    def _wire(self, value: Value, name: str) -> Signal:
        wire = Signal(len(value), name=f"{self.name}_{name}")
        self.m.d.comb += wire.eq(value)
        return wire

    def _two_sums(self, a: Signal, b: Signal, carry: Signal, propagate: Signal) -> Value:
        """Drive all bits but the top one from two sums, and return the carry into the top bit."""
        low = self._register(a[:-1] + b[:-1], "low")  # word bits: its top bit is a carry
        second = self._wire(low[:-1] + carry, "second")
        into = self._wire(low[-1] | second[-1], "into_top")
        self.m.d.comb += self.sum.eq(Cat(second[:-1], propagate[-1] ^ into))
        return into

    def _prefix(self, a: Signal, b: Signal, carry: Signal, propagate: Signal) -> Value:
        """Drive the sum by Sklansky's network, and return the carry into the top bit."""
        g, p = self._wire(a & b, "g0"), self._wire(a ^ b, "p0")
        levels = (self.word - 1).bit_length()
        for level in range(levels):
            if level == (levels + 1) // 2:
                g, p = self._register(g, "g_reg"), self._register(p, "p_reg")
            new_g, new_p = prefix_level(g, p, level)
            g = self._wire(new_g, f"g{level + 1}")
            p = self._wire(new_p, f"p{level + 1}")
        if levels < 2:
            g, p = self._register(g, "g_reg"), self._register(p, "p_reg")
        carries = self._wire(Cat(carry, g[:-1] | (p[:-1] & carry.replicate(self.word - 1))), "c")
        self.m.d.comb += self.sum.eq(propagate ^ carries)
        return carries[-1]
