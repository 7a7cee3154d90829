"""The circuit of an engine: sequencer, registers, adder, multiplier, scalars, constants,
streams."""

from __future__ import annotations

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring

from modmul.blocks.delay import delay
from modmul.processors.engine.hardware.adder import Adder, control_of
from modmul.processors.engine.hardware.build import ENTRY, Build, bits_of
from modmul.processors.engine.hardware.constants import Constants
from modmul.processors.engine.hardware.decode import is_any
from modmul.processors.engine.hardware.host import SOURCES, WORDS, Host
from modmul.processors.engine.hardware.products import Products
from modmul.processors.engine.hardware.registers import Registers
from modmul.processors.engine.hardware.scalars import Scalars
from modmul.processors.engine.hardware.sequencer import Sequencer

LOADS_BEFORE = 4  # cycles from the beginning of a load to the cycle before a slot begins


class Core(wiring.Component):
    """The engine; streams as in `processors.contract.signature`."""

    def __init__(self, build: Build, signature: wiring.Signature):
        self.build = build
        super().__init__(signature)

    def elaborate(self, platform: object) -> Module:
        self.m = m = Module()
        build = self.build
        m.submodules.sequencer = self.sequencer = Sequencer(build)
        m.submodules.registers = self.registers = Registers(build)
        m.submodules.adder = self.adder = Adder(build)
        m.submodules.products = self.products = Products(build)
        m.submodules.scalars = self.scalars = Scalars(build)
        m.submodules.constants = self.constants = Constants(build)
        m.submodules.host = self.host = Host(build)
        self.word, self.issue = self.sequencer.word, self.sequencer.issue
        self.decoded: dict[tuple[str, frozenset[str]], Signal] = {}
        self._phases()
        self._command()
        self._read()
        self._products()
        self._adder()
        self._select()
        self._constants()
        self._scalars()
        self._streams()
        self._write()
        return m

    def op(self, *names: str) -> Value:
        """Whether the word in the stage of issue is one of these; decoded as it arrives."""
        return self._decoded("is", self.sequencer.arrived, names)

    def starts(self, *names: str) -> Value:
        """Whether one of these is issued in this cycle."""
        return self._decoded("starts", None, names)

    def _decoded(self, prefix: str, loads: Value | None, names: tuple[str, ...]) -> Value:
        """A flip-flop for each set of words that somebody asks for.  loads: when it changes; None:
        each cycle, and it is high only in that of the issue."""
        m, sequencer = self.m, self.sequencer
        key = prefix, frozenset(names)
        if key not in self.decoded:
            told = Signal(name="_".join((prefix, *sorted(names))).lower())
            here = is_any(sequencer.arriving_word.op, *names)
            m.d.sync += told.eq(Mux(loads, here, told) if loads is not None
                                else here & sequencer.arrives)  # fmt: skip
            self.decoded[key] = told
        return self.decoded[key]

    # ---- beginning ----------------------------------------------------------------------------

    def _phases(self) -> None:
        """Where the slots of the multiplier are: `phase` in a slot, `slot`."""
        m, machine = self.m, self.build.machine
        self.phase = Signal(range(max(2, machine.align)), name="phase")
        self.slot = Signal(range(max(2, machine.slots)), name="slot")
        with m.If(self.phase == machine.align - 1):
            m.d.sync += self.phase.eq(0)
            m.d.sync += self.slot.eq(Mux(self.slot == machine.slots - 1, 0, self.slot + 1))
        with m.Else():
            m.d.sync += self.phase.eq(self.phase + 1)

    def _at(self, cycle: int) -> Value:
        """Whether this cycle is that one, modulo the turn of the slots."""
        machine = self.build.machine
        slot, phase = divmod(cycle % machine.turn, machine.align)
        return (self.phase == phase) & (self.slot == slot)

    def _command(self) -> None:
        """A command begins a program when nothing is at work and the slots are at their place; a
        modulus goes first."""
        m, sequencer, host = self.m, self.sequencer, self.host
        loaded, quiet = Signal(name="modulus_loaded"), Signal(name="quiet")
        ready, taken = Signal(name="command_awaited"), Signal(name="command_taken")
        begins = self.begins = Signal(name="program_begins")
        program = Signal.like(sequencer.entry, name="program_entry")
        entries = Array(Const(place, len(program)) for place in self.build.entries)
        count = Signal.like(sequencer.count, name="passes")
        busy = sequencer.running | self.issue | host.busy | taken | begins
        m.d.sync += [
            quiet.eq(~busy), begins.eq(taken),
            ready.eq(quiet & ~busy & loaded & ~self.modulus.valid & self._at(-ENTRY - 1)),
        ]  # fmt: skip
        m.d.comb += [
            self.modulus.ready.eq(quiet),
            self.command.ready.eq(ready & ~self.modulus.valid),
            taken.eq(self.command.valid & self.command.ready),
            sequencer.start.eq(begins), sequencer.entry.eq(program), sequencer.count.eq(count),
            host.begin.eq(begins),
        ]  # fmt: skip
        with m.If(taken):
            m.d.sync += [program.eq(entries[self.command.p.program]),
                         count.eq(self.command.p.count)]  # fmt: skip
        with m.If(self.modulus.valid & self.modulus.ready):
            m.d.sync += loaded.eq(self.modulus.p.last)

    # ---- words --------------------------------------------------------------------------------

    def _read(self) -> None:
        """The addresses of the read port, from the word that arrives on."""
        m, registers, sequencer = self.m, self.registers, self.sequencer
        coming = sequencer.arriving_word
        place = Signal(bits_of(self.build.beats), name="read_place")
        numbers = [Signal(len(coming.a), name=f"read_register_{port}") for port in "ab"]
        second = Mux(is_any(coming.op, "SCAN"), coming.dst,
                     Mux(is_any(coming.op, "SQR"), coming.a, coming.b))  # fmt: skip
        gives = self.starts("OUT", "SCALAR")  # steps by itself
        more = ~self.host.stay & (place != self.build.beats - 1) & ~gives
        with m.If(sequencer.arrived & sequencer.arriving_reads):
            m.d.sync += [place.eq(0), numbers[0].eq(coming.a), numbers[1].eq(second)]
        with m.Elif(self.host.step | more):
            m.d.sync += place.eq(place + 1)
        m.d.comb += [registers.place.eq(place), registers.register_a.eq(numbers[0]),
                     registers.register_b.eq(numbers[1])]  # fmt: skip

    def _products(self) -> None:
        m, products = self.m, self.products
        m.d.comb += [
            products.go.eq(self.starts("MUL", "SQR")),
            products.square.eq(self.op("SQR")), products.register.eq(self.word.dst),
            products.a.eq(self.registers.a), products.b.eq(self.registers.b),
            products.constant.eq(self.constants.out),
        ]  # fmt: skip

    def _adder(self) -> None:
        m, adder, registers = self.m, self.adder, self.registers
        fields = control_of(self.op, self.build.machine.reducing)
        sums = ("ADD", "SUB", "SEL", "SCAN", "RED", "TEST", "WRAP")
        m.d.comb += adder.control.as_value().eq(
            Cat(self.starts(*sums), *fields, self.word.aux)
        )
        m.d.comb += [
            adder.register.eq(self.word.dst), adder.multiple.eq(self.constants.multiple),
            adder.a.eq(registers.a), adder.b.eq(registers.b),
        ]  # fmt: skip

    def _select(self) -> None:
        """Which operands the adder takes as they are; the only use of bits and digits of
        scalars."""
        m = self.m
        bit = self.scalars.bits.bit_select(self.word.aux[: bits_of(self.build.scalars)], 1)
        keeps = ("ADD", "SUB", "SEL", "SCAN", "RED", "TEST", "WRAP", "MUL", "SQR")
        chosen = (self.op("SEL") & bit) | (self.op("SCAN") & ~self._digit_is())
        selects = self.op("SEL", "SCAN")
        takes = {"take_a": ~(selects & chosen), "inverts": self.op("SUB"),
                 "take_b": ~(self.op("RED", "TEST") | (selects & ~chosen))}  # fmt: skip
        for name, value in takes.items():
            held = Signal(name=name)
            with m.If(self.starts(*keeps)):
                m.d.sync += held.eq(value)
            m.d.comb += getattr(self.adder, name).eq(delay(m, held, 1, name))

    def _digit_is(self) -> Value:
        """Whether the digit is the number in a word SCAN."""
        return self.scalars.digit == self.word.b

    def _constants(self) -> None:
        """What is read from the store: a multiple of N for the adder, a number for IN, or what the
        multiplier loads."""
        m, build, constants = self.m, self.build, self.constants
        awaited = Signal(name="modulus_awaited")
        begins = Signal(name="load_begins")
        machine = build.machine
        here = self.phase == (machine.align - LOADS_BEFORE) % machine.align
        m.d.comb += begins.eq(awaited & here)
        with m.If(self.starts("MODULUS")):
            m.d.sync += awaited.eq(1)
        with m.Elif(begins):
            m.d.sync += awaited.eq(0)
        load = Signal(name="load")
        m.d.sync += load.eq(begins)
        m.d.comb += self.products.load.eq(load)
        self.loading = awaited | load | self.products.loading
        shifted = ("SUB", "RED", "IN", *(("ADD",) if machine.reducing else ()))
        m.d.comb += [
            constants.begin.eq(self.issue | begins),
            constants.at.eq(Mux(begins, build.rows * build.beats, self._row())),
            constants.zero.eq(~begins & ~self.op(*shifted)),
            constants.write.eq(self.modulus.valid & self.modulus.ready),
            constants.write_first.eq(self.modulus.p.first), constants.data.eq(self.modulus.p.data),
        ]  # fmt: skip

    def _row(self) -> Value:
        """Where the number of the word that is issued begins in the store; computed as it
        arrives."""
        m, build, coming = self.m, self.build, self.sequencer.arriving_word
        row = Signal(range(max(2, build.rows)), name="row")
        m.d.comb += row.eq(coming.aux)
        with m.If(is_any(coming.op, "RED")):
            m.d.comb += row.eq(build.multiples + coming.aux)
        with m.If(is_any(coming.op, "IN")):
            m.d.comb += row.eq(build.multiples + build.negatives + coming.a)
        if build.machine.reducing:
            with m.If(is_any(coming.op, "ADD")):
                m.d.comb += row.eq(build.multiples + build.bound_shift)
        at = Signal(bits_of(build.store_beats), name="row_begins")
        # In pieces: a tool would take a hard multiplier for a product.
        pieces = [row << k for k in range(build.beats.bit_length()) if build.beats >> k & 1]
        m.d.sync += at.eq(sum(pieces[1:], pieces[0]))
        return at

    def _scalars(self) -> None:
        m, scalars, host = self.m, self.scalars, self.host
        m.d.comb += [
            scalars.number.eq(self.word.aux),
            scalars.take.eq(self.starts("BIT")),
            scalars.take_digit.eq(self.starts("DIGIT")),
            scalars.width.eq(self.word.a),
            scalars.begin.eq(self.starts("SCALAR")),
            scalars.complete.eq(~host.scalar_comes),
            scalars.write.eq(delay(m, host.scalar_write, 1, "scalar_write")),
            scalars.write_number.eq(delay(m, host.scalar_number, 1, "scalar_write_number")),
            scalars.place.eq(delay(m, host.scalar_place, 1, "scalar_place")),
            scalars.data.eq(delay(m, self.registers.a, 1, "scalar_data")),
            scalars.clear.eq(self.starts("HALT")),
            scalars.carry.eq(self.adder.carry),
            scalars.carry_valid.eq(self.adder.carry_valid),
            scalars.carry_number.eq(self.adder.aux),
        ]

    # ---- outside and back ---------------------------------------------------------------------

    def _streams(self) -> None:
        m, host = self.m, self.host
        status = Signal.like(host.status, name="status")
        with m.If(self.begins):
            m.d.sync += status.eq(0)
        for place in range(len(status)):
            with m.If(self.adder.nonzero & (self.adder.nonzero_aux == place)):
                m.d.sync += status[place].eq(1)
        m.d.comb += [
            *(getattr(host, f"is_{op.lower()}").eq(self.starts(op)) for op in WORDS),
            host.into.eq(self.word.dst), host.source.eq(self.word.aux), host.status.eq(status),
            host.constant.eq(self.constants.out), host.a.eq(self.registers.a),
            self.result.valid.eq(host.result_valid), host.result_ready.eq(self.result.ready),
            self.result.p.first.eq(host.result_first), self.result.p.last.eq(host.result_last),
            self.result.p.data.eq(host.result),
        ]  # fmt: skip
        m.d.sync += self.sequencer.busy.eq(host.busy | self.loading)
        for name in SOURCES:
            stream, source = getattr(host, name), getattr(self, name, None)
            if source is not None:
                m.d.comb += [stream.valid.eq(source.valid), stream.payload.eq(source.p.data),
                             source.ready.eq(stream.ready)]  # fmt: skip

    def _write(self) -> None:
        """Into the banks: products; sums, or numbers of the host while nothing else is at work, of
        which what is not there is 0."""
        m, host, registers = self.m, self.host.write, self.registers
        products, sums = registers.write_products, registers.write_sums
        m.d.comb += products.enable.eq(self.products.enable)
        m.d.sync += sums.enable.eq(self.adder.enable | host.enable)
        for field, out in (("register", "to"), ("place", "place"), ("data", "out")):
            m.d.comb += getattr(products, field).eq(getattr(self.products, out))
            written = Signal.like(getattr(sums, field), name=f"sum_{field}", reset_less=True)
            m.d.sync += written.eq(getattr(self.adder, out) | getattr(host, field))
            m.d.comb += getattr(sums, field).eq(written)
