"""w x w bits in each cycle on a cascade of multiply-accumulate slices (gallin2019, 5.2)."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modmul.blocks.delay import DelayLine
from modmul.multipliers.fpmm.tiling import Tiling
from modmul.targets import Target
from modmul.targets.primitives import Link, MacConfig, MacSlice


class WordProduct(wiring.Component):
    """held (one word a slot) times stream (one word a cycle), plus `addend` in the first slice.

    Slice k: P_k <- M_k + (P_(k-1) >> shift).  Its ports `held_k`, `stream_k` take the blocks of
    word j one cycle after those of slice k - 1, two if that link has a delay (one less after slice
    0 without P register); `enable_k` loads the held block, `clear_k` zeroes it.  Bits shifted out
    between two slices are final; they ride in registers until the word they belong to is complete.

    skew: cycles that slice k's streamed operand comes after that of slice 0; the slice takes over
    `stream_delay(k)` of them.

    low: the low w bits, as the last low tile is added; high: the high w bits, as the last tile is;
    early_h: block h of the low word (cut as the held operand is), as soon as it is final."""

    def __init__(
        self,
        tiling: Tiling,
        target: Target,
        registers: int,
        *,
        addend_width: int = 0,
        addend_register: bool = False,
        first_p: bool = True,
        skew: list[int] | None = None,
    ):
        self.tiling, self.target, self.registers = tiling, target, registers
        self.addend_width, self.addend_register = addend_width, addend_register
        self.first_p, self.skew = first_p, skew or [0] * tiling.count
        ports = {"low": Out(tiling.word), "high": Out(tiling.word)}
        for h in range(tiling.held_blocks):
            block = tiling.held_slice(h)
            ports[f"early_{h}"] = Out(block.stop - block.start)
        for k, tile in enumerate(tiling.tiles):
            held, stream = tiling.held_slice(tile.held), tiling.stream_slice(tile.stream)
            ports[f"held_{k}"] = In(held.stop - held.start)
            ports[f"stream_{k}"] = In(stream.stop - stream.start)
            ports[f"enable_{k}"] = In(1, init=1)
            ports[f"clear_{k}"] = In(1)
        if addend_width:
            ports["addend"] = In(addend_width)
            ports["addend_clear"] = In(1)
        super().__init__(ports)

    @property
    def accumulator_bits(self) -> int:
        return self.tiling.accumulator_bits((1 << self.addend_width) - 1)

    def stream_delay(self, k: int) -> int:
        """Registers inside slice k that delay its streamed operand, out of its skew."""
        spare = self.target.mac.b_delays if self.registers >= 2 else 0
        return min(self.skew[k], spare)

    def _config(self, k: int) -> MacConfig:
        first = k == 0
        shift = self.tiling.shift(k)
        link = Link("neighbour", shift, self.target.link_delay(shift))
        if first:
            link = Link("addend") if self.addend_width else Link("zero")
        return MacConfig(
            a_width=len(getattr(self, f"held_{k}")),
            b_width=len(getattr(self, f"stream_{k}")),
            p_width=self.accumulator_bits,
            steps=(link,),
            registers=self.registers,
            p_register=self.first_p or not first,
            hold=self.registers >= 2,
            addend_width=self.addend_width if first else 0,
            addend_register=self.addend_register and first,
            neighbour_width=0 if first else self.accumulator_bits,
            b_delay=self.stream_delay(k),
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        slices: list[MacSlice] = []
        for k in range(self.tiling.count):
            mac = self.target.mac(self._config(k))
            m.submodules[f"mac_{k}"] = mac
            m.d.comb += [
                mac.a.eq(getattr(self, f"held_{k}")),
                mac.b.eq(getattr(self, f"stream_{k}")),
                mac.a_enable.eq(getattr(self, f"enable_{k}")),
                mac.a_clear.eq(getattr(self, f"clear_{k}")),
            ]
            if k:
                m.d.comb += [
                    mac.neighbour.eq(slices[-1].p),
                    mac.link_in.eq(slices[-1].link_out),
                ]
            elif self.addend_width:
                m.d.comb += [
                    mac.addend.eq(self.addend),
                    mac.addend_clear.eq(self.addend_clear),
                ]
            slices.append(mac)
        self._assemble(m, [mac.p for mac in slices])
        return m

    def _assemble(self, m: Module, sums: list[Value]) -> None:
        """Collect the final bits of all slices into the low and the high word."""
        tiling, at = self.tiling, self.tiling.offsets(self.target.link_delay)
        word, low_at, high_at = tiling.word, at[tiling.low - 1], at[-1]
        low: list[Value] = []
        high: list[Value] = []
        lines: list[tuple[int, int, DelayLine]] = []
        for k, tile in enumerate(tiling.tiles):
            begin, end = tile.weight, tiling.end(k)
            bits = sums[k]
            below, above = min(end, word) - begin, max(begin, word) - begin
            if below > 0:
                line = DelayLine(m, bits[:below], f"low_{k}")
                lines.append((k, begin, line))
                low.append(line(low_at - at[k]))
            if end > word:
                line = DelayLine(m, bits[above : end - begin], f"high_{k}")
                high.append(line(high_at - at[k]))
        m.d.comb += [self.low.eq(Cat(low)), self.high.eq(Cat(high))]
        for h in range(tiling.held_blocks):
            wanted, ready = tiling.held_slice(h), tiling.last_tile_of_block(h)
            parts: list[Value] = []
            for k, begin, line in lines:
                start, stop = max(begin, wanted.start), min(begin + len(line(0)), wanted.stop)
                if start < stop:
                    parts.append(line(at[ready] - at[k])[start - begin : stop - begin])
            m.d.comb += getattr(self, f"early_{h}").eq(Cat(parts))
