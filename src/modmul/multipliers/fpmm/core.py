"""The bare core: slot rotation, operand memories, modulus, and the datapath between them.

Set-up (a new modulus) starts in the last phase of a slot and takes exactly the next slot, which
stays empty; it drops all products in flight by clearing their flags, never their data: the empty
slot absorbs whatever carries come out of the one before it (gallin2019, 2.3).  For the same reason
data registers have no reset; after a reset the first thing to come is a modulus.  So that not even
an X of a simulator outlives it, operands are zero in empty slots and carries are dropped there.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring

from modmul.arithmetic.words import to_words
from modmul.blocks.delay import delay
from modmul.blocks.memory import BlockRam, PairedRam, SimpleDualPort
from modmul.blocks.part import wire
from modmul.multipliers.fpmm import notes, signals
from modmul.multipliers.fpmm.build import FpmmBuild
from modmul.multipliers.fpmm.cascade import CascadeDatapath
from modmul.multipliers.fpmm.columns import ColumnsDatapath
from modmul.multipliers.fpmm.columns_schedule import ColumnsSchedule
from modmul.multipliers.fpmm.timeline import SlotFlag, SlotValue, Timeline


class Core(wiring.Component):
    """{theory}"""

    def __init__(self, build: FpmmBuild, signature: wiring.Signature):
        self.build = build
        super().__init__(signature)

    @property
    def PORT_NOTES(self) -> dict[str, str]:
        """What is said of its ports."""
        return notes.ports(self.build)

    @property
    def theory(self) -> str:
        """What stands above the emitted module."""
        return notes.theory(self.build)

    @property
    def NOTES(self) -> dict[str, dict[str, str]]:
        """What is said of its signals."""
        return signals.sections(self.build)

    def elaborate(self, platform: object) -> Module:
        self.m = m = Module()
        self.timeline = Timeline(m, self.build.theta)
        self._slots()
        if self.build.fixed is None:
            self._setup()
        else:
            self._fixed(self.build.fixed)
        a, b = self._operands()
        self._output(self._datapath(a, b))
        return m

    # ---- slots ----------------------------------------------------------------------------------

    def _slots(self) -> None:
        """The logical multipliers in rotation: active or not, and the word of a each is at."""
        m, tl, words = self.m, self.timeline, self.build.words

        def entry(name: str) -> tuple[Signal, Signal]:
            return Signal(name=f"{name}_active"), Signal(range(words), name=f"{name}_index")

        ring = [entry(f"waiting_{k}") for k in range(self.build.sigma)]
        self.slot_active, self.slot_index = slot = entry("slot")
        next_active, next_index = following = entry("next")
        loaded = self.build.fixed is None
        self.modulus_continues = Signal(name="modulus_continues") if loaded else Const(0, 1)
        self.load_modulus = Signal(name="load_modulus")
        # first cycle of the slot of set-up
        self.drop_products = Signal(name="drop_products") if loaded else Const(0, 1)
        self.operand_continues = Signal(name="operand_continues")
        (self.waiting_active, self.waiting_index) = ring[0]
        free = self._free(self.waiting_active)
        self.start = wire(m, free & self.operand.valid, "start")
        last = wire(m, self.slot_active & (self.slot_index == words - 1), "last_period")
        m.d.comb += [
            self.operand.ready.eq(free | self.operand_continues),
            next_active.eq(self.slot_active & ~last),
            next_index.eq(Mux(next_active, self.slot_index + 1, 0)),
        ]
        taken = self.waiting_active | self.start
        if self.build.modulus_paired:  # it may come in this very cycle
            taken = taken & ~self.load_modulus
        with m.If(tl.start(0)):
            m.d.sync += self.slot_active.eq(taken)
            m.d.sync += self.slot_index.eq(self.waiting_index)
        with m.If(tl.start(1)):
            for here, behind in zip(ring, [*ring[1:], following], strict=True):
                m.d.sync += [value.eq(other) for value, other in zip(here, behind, strict=True)]
        more = (self.start | self.operand_continues) & ~tl.word(words - 1, 0)
        m.d.sync += self.operand_continues.eq(more)
        if loaded:
            with m.If(self.drop_products):
                m.d.sync += [value.eq(0) for pair in (slot, *ring) for value in pair]
        has_t = wire(m, self.slot_active & (self.slot_index != 0), "has_t")
        self.active = SlotFlag(tl, self.slot_active, 1, "slot_active", self.drop_products)
        self.running = SlotFlag(tl, has_t, 1, "has_t", self.drop_products)
        self.finishing = SlotFlag(tl, last, 1, "last_period", self.drop_products)

    def _free(self, head_active: Value) -> Value:
        """High in the first phase of a slot that nobody has: an operand may begin.

        Where the slot is long enough it comes from a flip-flop, decided the cycle before."""
        m, tl = self.m, self.timeline
        free = Signal(name="slot_free")
        if self.build.fixed is not None:
            return self._free_after_a_turn(free, head_active)
        if self.build.theta < 3:  # the rotation has not settled a cycle before
            m.d.comb += free.eq(tl.start(0) & ~head_active & ~self.modulus_continues)
            return free
        setup_begins = self.modulus.valid & ~self.modulus_continues
        m.d.sync += free.eq(tl.start(-1) & ~head_active & ~setup_begins)
        return free

    def _free_after_a_turn(self, free: Signal, head_active: Value) -> Value:
        """Whether a slot is free, if no modulus comes: once all slots were empty for a turn."""
        m, tl = self.m, self.timeline
        turns = Signal(range(self.build.sigma + 1), name="empty_slots")
        whole = wire(m, turns == self.build.sigma, "turn_was_empty")
        with m.If(tl.start(-1) & ~whole):
            m.d.sync += turns.eq(turns + 1)
        if self.build.theta < 3:
            m.d.comb += free.eq(tl.start(0) & ~head_active & whole)
        else:
            m.d.sync += free.eq(tl.start(-1) & ~head_active & whole)
        return free

    def _in_words(self, value: Value, time: int) -> Value:
        """`value`, but low in the phases that slots have behind their words."""
        return self.timeline.in_words(value, self.build.words, time)

    def _keep(self, time: int) -> Value:
        return self._in_words(self.running.at(time), time)

    # ---- modulus --------------------------------------------------------------------------------

    def _fixed(self, modulus: int) -> None:
        """N' and N, which are constants: nothing is loaded."""
        w, words = self.build.word_bits, self.build.words
        self.n_prime = Const(-pow(modulus, -1, 1 << w) % (1 << w), w)
        self.fixed_words = to_words(modulus, w, words)

    def _fixed_words(self, time: int, bits: slice, name: str) -> Value:
        """The stream of n_j, by the phase of the slot."""
        m, tl, w = self.m, self.timeline, self.build.word_bits
        chosen: Value = Const(0, len(Const(0, w)[bits]))
        for j, word in enumerate(self.fixed_words):
            part = Const(word, w)[bits]
            chosen = chosen | (part & tl.word(j, time - 1).replicate(len(part)))
        register = Signal(len(chosen), name=name, reset_less=True)
        m.d.sync += register.eq(chosen)
        return register

    def _setup(self) -> None:
        """N' in the last phase of a slot, then n_0 .. n_(s-1) in the phases of the next; or, where
        they are paired, both beside each other in the latter."""
        m, tl, build = self.m, self.timeline, self.build
        inputs, paired = build.schedule.input_registers, build.modulus_paired
        first = tl.start(0 if paired else -1)
        may_load = wire(m, first & ~self.modulus_continues, "may_load_modulus")
        m.d.comb += [
            self.load_modulus.eq(may_load & self.modulus.valid),
            self.modulus.ready.eq(may_load | self.modulus_continues),
        ]
        m.d.sync += self.drop_products.eq(self.load_modulus)
        with m.If(tl.word(build.words - 1, 0)):
            m.d.sync += self.modulus_continues.eq(0)
        with m.If(self.load_modulus):
            m.d.sync += self.modulus_continues.eq(1)
        self.n_prime = Signal(build.word_bits, name="n_prime", reset_less=True)
        self.modulus_word = delay(m, self.modulus.p.data, inputs, "modulus_data")
        write = delay(m, self.modulus_continues, inputs, "modulus_continues")
        begins = delay(m, self.load_modulus, inputs, "load_modulus")
        above = self.modulus_word
        if paired:
            write, above = write | begins, self.modulus_word[build.word_bits :]
        self.modulus_write = self._in_words(write, inputs)
        self.modulus_index = self._index(inputs, "n_write_index")
        with m.If(begins):
            m.d.sync += self.n_prime.eq(above)

    def _index(self, time: int, name: str) -> Signal:
        """Counter of the word at `time`, 0 .. theta - 1."""
        theta = self.build.theta
        index = Signal(range(theta), name=name, init=-time % theta)
        if _power(theta):
            self.m.d.sync += index.eq(index + 1)
        else:
            self.m.d.sync += index.eq(Mux(self.timeline.start(time - 1), 0, index + 1))
        return index

    def _modulus_words(self, time: int, bits: slice = slice(None), name: str = "n_word") -> Value:
        """The stream of n_j (of some bits of it), word 0 visible at `time`, called `name`."""
        m, build = self.m, self.build
        if build.fixed is not None:
            return self._fixed_words(time, bits, name)
        words = self.modulus_word[: build.word_bits][bits]
        if build.modulus_in_ring:
            return self._ring(words, time, name)
        holds = "the modulus" if len(words) == build.word_bits else "bits of the modulus"
        pauses = build.theta != build.words
        controls = ("read_clear",) if pauses else ()
        memory = SimpleDualPort(
            build.chip, len(words), build.words, "distributed", 1, holds, controls, in_order=True
        )
        m.submodules[f"memory_{name.removesuffix('_word')}"] = memory
        m.d.comb += [
            memory.write_enable.eq(self.modulus_write),
            memory.write_address.eq(self.modulus_index),
            memory.write_data.eq(words),
            memory.read_address.eq(self._index(time - 1, f"{name.removesuffix('_word')}_index")),
        ]
        if pauses:
            m.d.comb += memory.read_clear.eq(~self._in_words(Const(1, 1), time - 1))
        return wire(m, memory.read_data, name)

    def _ring(self, words: Value, time: int, name: str) -> Value:
        """Words that go round in shift registers as long as a slot, word 0 visible at `time`.

        Zeros go round behind them where the slot is longer."""
        m, build = self.m, self.build
        inputs, stem = build.schedule.input_registers, name.removesuffix("_word")
        ring = [
            Signal(len(words), name=f"{stem}_ring_{k}", reset_less=True)
            for k in range(build.theta)
        ]
        comes = Mux(self.modulus_write, words, ring[-1])
        if build.theta > build.words:
            comes = Mux(self._in_words(Const(1, 1), inputs), comes, 0)
        for stage, before in zip(ring, [comes, *ring], strict=False):
            m.d.sync += stage.eq(before)
        return wire(m, ring[(time - inputs - 1) % build.theta], name)

    # ---- operands -------------------------------------------------------------------------------

    def _write(self) -> tuple[Value, Value]:
        """Write enable and address of the operand memories.

        Without input registers an idle slot is written whatever is on the pins: nobody reads it
        before an operand has been accepted there."""
        m, tl, build = self.m, self.timeline, self.build
        inputs, depth = build.schedule.input_registers, build.depth
        address = Signal(range(depth), name="write_address", init=-inputs % depth)
        following = address + 1 if _power(depth) else Mux(address == depth - 1, 0, address + 1)
        with m.If(self._in_words(Const(1, 1), inputs - 1)):
            m.d.sync += address.eq(following)
        enable = Signal(name="operand_write")
        if inputs:
            m.d.sync += enable.eq(self.start | self.operand_continues)
            return enable, address
        with m.If(tl.start(-1)):
            m.d.sync += enable.eq(~self._next_head_active())
        return self._in_words(enable, 0), address

    def _next_head_active(self) -> Value:
        """Whether the slot that begins in the next cycle is taken, seen in the last of this one."""
        if self.build.theta > 2:
            return self.waiting_active
        raise ValueError("operand memories without input registers need slots of 3 cycles")

    def _operands(self) -> tuple[SlotValue, Value]:
        """The operand memories, written for `inputs` + 1 and read into `ports`."""
        tl, ports = self.timeline, self.build.schedule.ports
        enable, base = self._write()
        if self.build.from_pair:
            return self._from_pair(enable, base)
        a_address, b_address = self._read_addresses(base)
        if self.build.from_blocks:
            a_word = self._from_block("a", a_address, enable, base)
            b_word = self._from_block("b", b_address, enable, base)
            return SlotValue(tl, a_word, ports, "a", held=True), b_word
        unregistered = self.build.schedule.a_unregistered
        both = ("read_enable", "read_clear")
        of_a = self._operand("a", a_address, enable, base, () if unregistered else both)
        of_b = self._operand("b", b_address, enable, base, ("read_clear",))
        used = self.active.at(ports - 1)  # what was never written is never multiplied
        if not unregistered:
            self.m.d.comb += of_a.read_enable.eq(tl.start(ports - 1))
            self.m.d.comb += of_a.read_clear.eq(~used)
        clear_b = wire(self.m, ~self._in_words(used, ports - 1), "clear_b")
        self.m.d.comb += of_b.read_clear.eq(clear_b)
        a_word, b_word = (
            wire(self.m, memory.read_data, f"{name}_word")
            for name, memory in (("a", of_a), ("b", of_b))
        )
        return SlotValue(tl, a_word, ports, "a", held=True), b_word

    def _read_addresses(self, base: Value) -> tuple[Value, Value]:
        """The addresses of a_i, once a slot, and of b_j, in every cycle."""
        m, build = self.m, self.build
        schedule = build.schedule
        a_address, b_address = (
            Signal(range(build.depth), name=f"{name}_address") for name in "ab"
        )
        m.d.sync += b_address.eq(base)
        # a's address comes so late that its word, read, is just in time at `ports`
        first = b_address if schedule.a_unregistered else base
        time = 1 if schedule.a_unregistered else schedule.input_registers
        index = self.slot_index if time else self.waiting_index
        # in a power of two the low bits of a slot's first address are zero
        sum_ = first | index if _power(build.words) else first + index
        with m.If(self.timeline.start(time)):
            m.d.sync += a_address.eq(sum_)
        return a_address, b_address

    def _operand(
        self, name: str, address: Value, enable: Value, base: Value, controls: tuple[str, ...]
    ) -> SimpleDualPort:
        """The memory of one operand; without controls it is read without a register."""
        m, build = self.m, self.build
        inputs, ports = build.schedule.input_registers, build.schedule.ports
        memory = SimpleDualPort(
            build.chip,
            build.word_bits,
            build.depth,
            build.storage,
            ports - inputs - 1 - (not controls),
            f"operand {name}, {build.words} words{' of each slot' * (build.sigma > 1)}",
            controls,
        )
        m.submodules[f"memory_{name}"] = memory
        m.d.comb += [
            memory.write_enable.eq(enable),
            memory.write_address.eq(base),
            memory.write_data.eq(delay(m, self.operand.p[name], inputs, f"operand_{name}")),
            memory.read_address.eq(address),
        ]
        return memory

    def _from_block(self, name: str, address: Value, enable: Value, base: Value) -> Value:
        """An operand's words, from block RAM with an output register of its own.

        a's address stays for a slot, and so does its word."""
        build = self.build
        holds = f"operand {name}, {build.words} words{' of each slot' * (build.sigma > 1)}"
        memory = BlockRam(build.chip, build.word_bits, build.depth, holds)
        self.m.submodules[f"memory_{name}"] = memory
        self.m.d.comb += [
            memory.write_enable.eq(enable),
            memory.write_address.eq(base),
            memory.write_data.eq(self.operand.p[name]),
            memory.read_address.eq(address),
        ]
        return wire(self.m, memory.read_data, f"{name}_word")

    def _from_pair(self, enable: Value, base: Value) -> tuple[SlotValue, Value]:
        """Both operands, from one block RAM, each on a port that reads where it writes.

        So b_j is read in the cycle in which it is written.  In the first cycle of a slot the port
        of a has the address of a_i, which is a_0 if the operand is written."""
        m, tl, build = self.m, self.timeline, self.build
        inputs, ports = build.schedule.input_registers, build.schedule.ports
        depths = (build.depth, build.depth)
        holds = f"operands, {build.words} words{' of each slot' * (build.sigma > 1)}"
        memory = PairedRam(build.chip, build.word_bits, depths, holds)
        m.submodules.memory = memory
        index = self.slot_index if inputs else self.waiting_index
        first = Mux(tl.start(inputs), index, 0)
        m.d.comb += [
            memory.address_1.eq(base | first if _power(build.words) else base + first),
            memory.address_2.eq(Cat(base, Const(1, 1))),
        ]
        words = []
        used = self.active.at(ports - 1)  # what was never written is never multiplied
        clears = wire(m, ~self._in_words(used, ports - 1), "clear_b")
        for port, name, loads, clear in ((1, "a", tl.start(ports - 1), ~used),
                                         (2, "b", Const(1, 1), clears)):  # fmt: skip
            comes = delay(m, self.operand.p[name], inputs, f"operand_{name}")
            m.d.comb += [getattr(memory, f"write_{port}").eq(enable),
                         getattr(memory, f"write_data_{port}").eq(comes)]  # fmt: skip
            word = Signal(build.word_bits, name=f"{name}_word", reset_less=True)
            with m.If(loads):
                m.d.sync += word.eq(getattr(memory, f"read_data_{port}"))
                with m.If(clear):
                    m.d.sync += word.eq(0)
            words.append(word)
        return SlotValue(tl, words[0], ports, "a", held=True), words[1]

    # ---- between them ---------------------------------------------------------------------------

    def _datapath(self, a: SlotValue, b: Value) -> Value:
        """The result stream, word 0 at `schedule.first_word`; see CascadeDatapath."""
        build, schedule = self.build, self.build.schedule
        slack = build.alpha - schedule.loop
        path: CascadeDatapath | ColumnsDatapath
        if isinstance(schedule, ColumnsSchedule):
            path = ColumnsDatapath(
                self.m, self.timeline, schedule, build.chip, build.word_bits,
                build.words, build.dsp_registers, slack,
            )  # fmt: skip
        else:
            path = CascadeDatapath(
                self.m, self.timeline, schedule, build.chip, build.slices, build.quotient_shared,
                build.isolated, slack,
            )  # fmt: skip
        return path.build(a, b, self.n_prime, self._modulus_words, self.active, self._keep)

    # ---- result ---------------------------------------------------------------------------------

    def _output(self, result: Value) -> None:
        tl, words = self.timeline, self.build.words
        time = self.build.schedule.first_word
        self.m.d.comb += [
            self.result.valid.eq(self._in_words(self.finishing.at(time), time)),
            self.result.p.first.eq(tl.start(time)),
            self.result.p.last.eq(tl.word(words - 1, time)),
            self.result.p.data.eq(result),
        ]


def _power(count: int) -> bool:
    """Whether `count` is a power of two."""
    return count & (count - 1) == 0
