"""Task 2: q = v_0 * N' mod 2^w on accumulating slices, one product a cycle (gallin2019, 5.3)."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value

from modmul.multipliers.fpmm.schedule import CascadeSchedule
from modmul.multipliers.fpmm.timeline import SlotValue, Timeline
from modmul.targets import Target
from modmul.targets.primitives import Link, MacConfig, MacSlice


class Quotient:
    """Builds task 2 into `m`; `block(h)` returns block h of q_i, to be used like a SlotValue.

    v: the blocks of v_0 (SlotValues).  Product k, `offset` cycles after the first, runs on slice
    offset // theta, or, unless `shared`, on its own slice.  A slice's first product adds the P of
    the slice before it, the others add its own P, shifted by the difference of the weights."""

    def __init__(
        self,
        m: Module,
        timeline: Timeline,
        schedule: CascadeSchedule,
        target: Target,
        registers: int,
        v: list[SlotValue],
        n_prime: Value,
        shared: bool = True,
    ):
        self.m, self.timeline, self.schedule = m, timeline, schedule
        self.tiling, self.v, self.n_prime = schedule.tiling, v, n_prime
        self.target, self.registers = target, registers
        low = self.tiling.low
        self.of = [offset // timeline.theta for offset in schedule.offsets[:low]]
        if not shared:
            self.of = list(range(low))
        self.slices: list[MacSlice] = []
        for d in range(self.of[-1] + 1):
            first = self.of.index(d)
            self.slices.append(self._slice(d, range(first, first + self.of.count(d))))
        self.pieces = [self._piece(k) for k in range(low)]

    def _step(self, k: int, first: bool) -> Link:
        if k == 0:
            return Link("zero")
        shift = self.tiling.shift(k)
        return Link("neighbour" if first else "own", shift, self.target.link_delay(shift))

    def _slice(self, d: int, products: range) -> MacSlice:
        """One slice, with the multiplexers in front of it."""
        m, tiling, schedule = self.m, self.tiling, self.schedule
        bits = tiling.accumulator_bits()
        links = list(dict.fromkeys(self._step(k, k == products.start) for k in products))
        narrow, wide = min(tiling.narrow, tiling.word), min(tiling.wide, tiling.word)
        config = MacConfig(
            narrow,
            wide,
            bits,
            tuple(links),
            self.registers,
            neighbour_width=bits if d else 0,
            last=d == self.of[-1],
        )
        several = f"_{d}" if self.of[-1] else ""
        m.submodules[f"quotient{several}"] = mac = self.target.mac(config)
        select = schedule.registers.select
        a, b, loads = self._factors(products)
        for k in reversed(products if len(links) > 1 else range(0)):
            step = links.index(self._step(k, k == products.start))
            at_adder = schedule.port2[k] + schedule.delay2 - 1
            with m.If(self.timeline.start(at_adder - mac.step_register)):
                m.d.comb += mac.step[step].eq(1)
        for port, name, value in ((mac.a, "a", a), (mac.b, "b", b)):
            operand = Signal(len(value), name=f"quotient{several}_{name}", reset_less=True)
            if name == "a" and len(loads) < len(products):
                with m.If(Cat(*loads).any()):
                    m.d.sync += operand.eq(value)
            else:
                m.d["sync" if select else "comb"] += operand.eq(value)
            m.d.comb += port.eq(operand)
        if d:
            m.d.comb += [
                mac.neighbour.eq(self.slices[-1].p),
                mac.link_in.eq(self.slices[-1].link_out),
            ]
        return mac

    def _factors(self, products: range) -> tuple[Value, Value, list[Value]]:
        """What a slice multiplies, product by product: blocks of v_0 and blocks of N'; and
        when a block of v_0 is taken: in a register it stays for the next products with it."""
        tiling, select = self.tiling, self.schedule.registers.select
        a: Value | None = None
        b: Value | None = None
        loads: list[Value] = []
        for k in reversed(products):
            tile, time = tiling.tiles[k], self.schedule.port2[k] - select
            word = self.n_prime[tiling.stream_slice(tile.stream)]
            chosen = self.timeline.start(time)
            b = word if b is None else Mux(chosen, word, b)
            if not select or k == products.start or tile.held != tiling.tiles[k - 1].held:
                block = self.v[tile.held].at(time)
                a = block if a is None else Mux(chosen, block, a)
                loads.append(chosen)
        assert a is not None and b is not None
        return a, b, loads

    def _piece(self, k: int) -> SlotValue:
        """The bits of q that are final once product k has been added."""
        tiling = self.tiling
        end = min(tiling.end(k), tiling.word) if k + 1 < tiling.low else tiling.word
        begin = tiling.tiles[k].weight
        sums = self.slices[self.of[k]].p
        time = self.schedule.port2[k] + self.schedule.delay2
        name = tiling.named("q", slice(begin, end))
        return SlotValue(self.timeline, sums[: end - begin], time, name)

    def _collect(self, h: int, take: str, time: int) -> Value:
        tiling, bits = self.tiling, []
        held = tiling.held_slice(h)
        for k, piece in enumerate(self.pieces):
            begin = tiling.tiles[k].weight
            low, high = max(begin, held.start), min(begin + len(piece.value), held.stop)
            if low < high:
                bits.append(getattr(piece, take)(time)[low - begin : high - begin])
        return Cat(bits)

    def block(self, h: int) -> Block:
        """Block h of q_i."""
        return Block(self, h)


class Block:
    """One block of q_i, used like a SlotValue."""

    def __init__(self, quotient: Quotient, h: int):
        self.quotient, self.h = quotient, h

    def at(self, time: int) -> Value:
        """The block in the one cycle `time`."""
        return self.quotient._collect(self.h, "at", time)

    def during(self, time: int) -> Value:
        """The block throughout the theta cycles from `time` on."""
        return self.quotient._collect(self.h, "during", time)
