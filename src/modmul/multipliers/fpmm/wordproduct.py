"""w x w bits in each cycle on a cascade of multiply-accumulate slices (gallin2019, 5.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from amaranth.hdl import Cat, Const, Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modmul.blocks.delay import DelayLine
from modmul.blocks.part import Part, wire
from modmul.multipliers.fpmm.tiling import Tiling
from modmul.targets import Target
from modmul.targets.primitives import ONE, ZERO, Link, MacConfig, MacSlice


class WordProduct(Part):
    """The product of two words of {word} bits, a new one in every cycle, on {count}
    multiply-accumulate slices in cascade.

    {equations}

    One word stays for several cycles: its pieces are held_0 .. held_{last}, each kept in its slice.
    The other words pass, one in a cycle: their pieces are stream_0 .. stream_{last}. Bits that the
    next slice shifts out of a sum are final; registers keep them until the others of their word
    are."""

    kept = False

    def __init__(
        self,
        tiling: Tiling,
        target: Target,
        registers: Sequence[int],
        name: str,
        *,
        addend_width: int = 0,
        addend_register: bool = False,
        first_p: bool = True,
        clears: bool = False,
        early: bool = False,
        skew: list[int] | None = None,
    ):
        """held (one word a slot) times stream (one word a cycle), plus `addend` in the first slice.

        Slice k: P_k <- M_k + (P_(k-1) >> shift).  Its ports `held_k` and `stream_k` take the blocks
        of word j one cycle after those of slice k - 1, two if that link has a delay (one less after
        a slice 0 without P register).  `enable_k` loads the held block, `clear_k` zeroes it.  Bits
        that are shifted out between two slices are final; registers keep them until their word is
        complete.

        registers: stages in use in each slice.  name: of the module.  skew: by how many cycles
        slice k's streamed operand follows that of slice 0; the slice itself provides
        `stream_delay(k)` of them.

        low: the low w bits, when the last low tile is added.  high: the high w bits, when the last
        tile is added.  early_h: block h of the low word (cut as the held operand is) as soon as it
        is final; only with `early`."""
        self._name, self._tiling, self._target, self._registers = name, tiling, target, registers
        self._addend_width, self._addend_register = addend_width, addend_register
        self._first_p, self.skew = first_p, skew or [0] * tiling.count
        self.word, self.count, self.last = tiling.word, tiling.count, tiling.count - 1
        ports: dict[str, wiring.Member] = {"clk": In(1)}
        for k, tile in enumerate(tiling.tiles):
            held, stream = tiling.held_slice(tile.held), tiling.stream_slice(tile.stream)
            ports[f"held_{k}"] = In(held.stop - held.start)
            ports |= {f"enable_{k}": In(1)} if registers[k] >= 2 else {}
            ports |= {f"clear_{k}": In(1)} if clears else {}
            ports[f"stream_{k}"] = In(stream.stop - stream.start)
        ports |= {"addend": In(addend_width), "addend_clear": In(1)} if addend_width else {}
        self._early = range(tiling.held_blocks if early else 0)
        for h in self._early:
            block = tiling.held_slice(h)
            ports[f"early_{h}"] = Out(block.stop - block.start)
        super().__init__(ports | {"low": Out(tiling.word), "high": Out(tiling.word)})

    @property
    def module(self) -> str:
        return self._name

    @property
    def equations(self) -> str:
        """What the slices compute, and how the words are composed of their sums, as a text."""
        tiling, at = self._tiling, self._tiling.offsets(self._target.link_delay)
        lines = []
        for k in range(self.count):
            link = self._config(k).steps[0]
            before = f"(p{k - 1} >> {link.shift})" if link.shift else f"p{k - 1}"
            more = {"neighbour": f" + {before}", "addend": " + addend"}
            lines.append(f"p{k} = held_{k} * stream_{k}{more.get(link.source, '')}")
        for name, after in (("low", at[tiling.low - 1]), ("high", at[-1])):
            parts = []
            for k, low, bits in self._final(name):
                late = f" of {after - at[k]} cycles ago" if after > at[k] else ""
                parts.append(f"p{k}[{low + bits - 1}:{low}]{late}")
            whole = f"{{{', '.join(reversed(parts))}}}" if len(parts) > 1 else parts[0]
            lines.append(f"{name} = {whole}")
        return "\n".join(f"  {line}" for line in lines)

    @property
    def PORT_NOTES(self) -> dict[str, str]:
        """The bits on each port, and when they come."""
        tiling, said = self._tiling, dict[str, str]()
        for k, tile in enumerate(tiling.tiles):
            held, stream = tiling.held_slice(tile.held), tiling.stream_slice(tile.stream)
            said[f"held_{k}"] = f"bits {held.stop - 1}:{held.start} of the word that stays"
            late = self.skew[k] - self.stream_delay(k)
            when = f", {late} cycle{'s' * (late > 1)} after stream_0" if late else ""
            said[f"stream_{k}"] = f"bits {stream.stop - 1}:{stream.start} of the other word{when}"
            said[f"enable_{k}"] = f"take held_{k}"
            said[f"clear_{k}"] = "take 0 instead"
        for h in range(tiling.held_blocks):
            block = tiling.held_slice(h)
            said[f"early_{h}"] = f"bits {block.stop - 1}:{block.start} of low, once they are final"
        return {name: said[name] for name in self.signature.members if name in said} | {
            "low": "low word of the product",
            "high": "its high word, later than the low one where slices come behind that",
        }

    @property
    def _accumulator_bits(self) -> int:
        return self._tiling.accumulator_bits((1 << self._addend_width) - 1)

    def stream_delay(self, k: int) -> int:
        """The registers in slice k that delay its streamed operand, out of its skew."""
        spare = self._target.mac.b_delays if self._registers[k] >= 2 else 0
        return min(self.skew[k], spare)

    def _config(self, k: int) -> MacConfig:
        first = k == 0
        shift = self._tiling.shift(k)
        link = Link("neighbour", shift, self._target.link_delay(shift))
        if first:
            link = Link("addend") if self._addend_width else Link("zero")
        return MacConfig(
            a_width=len(getattr(self, f"held_{k}")),
            b_width=len(getattr(self, f"stream_{k}")),
            p_width=self._accumulator_bits,
            steps=(link,),
            registers=self._registers[k],
            p_register=self._first_p or not first,
            hold=self._registers[k] >= 2,
            addend_width=self._addend_width if first else 0,
            addend_register=self._addend_register and first,
            neighbour_width=0 if first else self._accumulator_bits,
            b_delay=self.stream_delay(k),
        )

    def _configs(self) -> list[MacConfig]:
        """The configurations of all slices.  The last has no link out, unless it is the same
        module as another."""
        *others, last = (self._config(k) for k in range(self.count))
        return [*others, last if last in others else replace(last, last=True)]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self.clocked(m)
        slices: list[MacSlice] = []
        sums: list[Value] = []
        link: Value = Const(0)
        for k, config in enumerate(self._configs()):
            mac = self._target.mac(config)
            m.submodules[f"mac_{k}"] = mac
            m.d.comb += [
                mac.a.eq(getattr(self, f"held_{k}")),
                mac.b.eq(getattr(self, f"stream_{k}")),
                mac.a_enable.eq(getattr(self, f"enable_{k}", ONE)),
                mac.a_clear.eq(getattr(self, f"clear_{k}", ZERO)),
            ]
            if k:
                m.d.comb += [mac.neighbour.eq(slices[-1].p), mac.link_in.eq(link)]
            elif self._addend_width:
                m.d.comb += [
                    mac.addend.eq(self.addend),
                    mac.addend_clear.eq(self.addend_clear),
                ]
            slices.append(mac)
            if not config.last:
                link = wire(m, mac.link_out, f"link_{k}")
            sums.append(wire(m, mac.p, f"p{k}"))
        self._assemble(m, sums)
        return m

    def _final(self, name: str) -> Iterator[tuple[int, int, int]]:
        """The pieces of the low or high word: slice, first bit of its sum, number of bits."""
        tiling = self._tiling
        for k, tile in enumerate(tiling.tiles):
            begin, end = tile.weight, tiling.end(k)
            below, above = min(end, tiling.word) - begin, max(begin, tiling.word) - begin
            if name == "low" and below > 0:
                yield k, 0, below
            elif name == "high" and end > tiling.word:
                yield k, above, end - begin - above

    def _assemble(self, m: Module, sums: list[Value]) -> None:
        """Collect the final bits of all slices into the low and the high word."""
        tiling, at = self._tiling, self._tiling.offsets(self._target.link_delay)
        words: dict[str, list[Value]] = {"low": [], "high": []}
        lines: list[tuple[int, int, DelayLine]] = []
        for name, after in (("low", at[tiling.low - 1]), ("high", at[-1])):
            for k, start, bits in self._final(name):
                line = DelayLine(m, sums[k][start : start + bits], f"p{k}_{name}")
                words[name].append(line(after - at[k]))
                if name == "low":
                    lines.append((k, tiling.tiles[k].weight, line))
        m.d.comb += [self.low.eq(Cat(words["low"])), self.high.eq(Cat(words["high"]))]
        for h in self._early:
            held, ready = tiling.held_slice(h), tiling.last_tile_of_block(h)
            parts: list[Value] = []
            for k, begin, line in lines:
                start, stop = max(begin, held.start), min(begin + len(line(0)), held.stop)
                if start < stop:
                    parts.append(line(at[ready] - at[k])[start - begin : stop - begin])
            m.d.comb += getattr(self, f"early_{h}").eq(Cat(parts))
