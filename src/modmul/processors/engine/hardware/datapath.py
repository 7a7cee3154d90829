"""The datapath of an engine: what its ports read, what its adders and multipliers do with it, and
where results go.

Several ports take turns in the cycles of a slot; a word is of the port in whose cycle it is
issued."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_, xor

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring

from modmul.blocks.delay import delay
from modmul.blocks.memory import BlockRam, PairedRam, bits_of
from modmul.blocks.parity import coded, is_damaged, marked
from modmul.blocks.part import whole, wire
from modmul.processors.engine.hardware.adder import WRITE, Adder, control_of, late_ops
from modmul.processors.engine.hardware.build import EngineBuild
from modmul.processors.engine.hardware.constants import Constants
from modmul.processors.engine.hardware.decode import is_any
from modmul.processors.engine.hardware.host import Host
from modmul.processors.engine.hardware.products import Products
from modmul.processors.engine.hardware.registers import registers_of
from modmul.processors.engine.hardware.scalars import Scalars
from modmul.processors.engine.hardware.sequencer import Sequencer
from modmul.processors.engine.instructions import instruction_set

SUMS = ("ADD", "SUB", "SEL", "SCAN", "RED", "TEST", "WRAP")
MEANINGS = {  # what instructions of a set have in common, for the names of signals
    frozenset(ops): meaning
    for meaning, ops in {
        "product": ("MUL", "SQR"),
        "sum": SUMS,
        "operation": (*SUMS, "MUL", "SQR"),
        "store_read": (*SUMS, "IN"),
        "sum_to_write": WRITE,
        "multiple": ("SUB", "RED"),
        "reduced": ("ADD", "SUB", "RED"),
        "from_store": ("SUB", "RED", "IN"),
        "reduced_or_in": ("ADD", "SUB", "RED", "IN"),
        "selection": ("SEL", "SCAN"),
        "a_alone": ("RED", "TEST"),
        "output": ("OUT", "SCALAR"),
        "number_in": ("IN", "WIPE"),
    }.items()
} | dict.fromkeys(
    (frozenset(WRITE) - set(late_ops(reducing)) for reducing in (False, True)), "prompt_sum"
)


class Datapath(wiring.Component):
    """Base class: the part of an engine that reads, computes and writes numbers in registers."""

    m: Module
    phase: Signal
    alarms: list[Value]  # signals that tell a fault, with protection
    adds: list[Signal]  # by port, whether a word adds a multiple of the modulus
    goes: Value  # the beat that the host reads at `a`, without its mark
    issue: Value

    def __init__(self, build: EngineBuild, signature: wiring.Signature):
        self.build = build
        super().__init__(signature)

    def _parts(self) -> None:
        """Make all components.  Each port has an adder, and a store with multiples of the modulus
        for it; for port 0 that is the constant store."""
        m, build = self.m, self.build
        m.submodules.sequencer = self.sequencer = Sequencer(build)
        if build.protected:
            m.submodules.sequencer_copy = self.sequencer_copy = Sequencer(build, copies=True)
        m.submodules.registers = self.registers = registers_of(build)
        self.adders = [Adder(build, port) for port in range(build.machine.ports)]
        self.products = [
            Products(build, build.port_of(unit)) for unit in range(len(build.unit_names))
        ]
        m.submodules.scalars = self.scalars = Scalars(build)
        m.submodules.constants = self.constants = Constants(build)
        m.submodules.host = self.host = Host(build)
        self.multiples = [self.constants, *(Constants(build, True) for _ in build.port_names[1:])]
        if build.paired:
            self._pair()
        else:
            self._store()
        for name, adder in zip(build.port_names, self.adders, strict=True):
            m.submodules[f"adder{name}"] = adder
        for name, products in zip(build.unit_names, self.products, strict=True):
            m.submodules[f"products{name}"] = products
        for name, store in zip(build.port_names[1:], self.multiples[1:], strict=True):
            m.submodules[f"multiples{name}"] = store
        self.word = self.sequencer.word
        self.decoded: dict[tuple[str, frozenset[str]], Signal] = {}
        self.adds: list[Signal] = []

    def _pair(self) -> None:
        """Elaborate the memory that constants and programs share."""
        m, build, sequencer, constants = self.m, self.build, self.sequencer, self.constants
        width = max(build.stored, build.rom_word)
        m.submodules.store = store = PairedRam(
            build.multiplier.chip,
            width,
            build.shared_depths,
            "constants and programs",
            build.rom,
            build.listing,
        )
        m.d.comb += [
            store.address_1.eq(constants.store_address),
            store.write_1.eq(constants.store_write),
            store.write_data_1.eq(constants.data),
            constants.store_word.eq(store.read_data_1),
            store.address_2.eq(sequencer.fetch_address),
            store.advance_2.eq(sequencer.fetches),
            sequencer.fetched_word.eq(store.read_data_2),
        ]

    def _store(self) -> None:
        """Elaborate the memory of the programs."""
        m, build, sequencer = self.m, self.build, self.sequencer
        m.submodules.store = store = BlockRam(
            build.multiplier.chip,
            build.rom_word,
            len(build.rom),
            "the programs",
            build.rom,
            build.listing,
        )
        m.d.comb += [
            store.read_address.eq(sequencer.fetch_address),
            store.advance.eq(sequencer.fetches),
            sequencer.fetched_word.eq(store.read_data),
        ]

    def op(self, *names: str) -> Value:
        """Whether the word in the stage of issue is one of these; decoded as it arrives."""
        return self._decoded("is", self.sequencer, names)

    def starts(self, *names: str) -> Value:
        """Whether one of these is issued in this cycle."""
        return self._decoded("starts", self.sequencer, names)

    def starts_in_copy(self, *names: str) -> Value:
        """The same as `starts`, from the copy of the sequencer."""
        return self._decoded("copy_starts", self.sequencer_copy, names)

    def _decoded(self, prefix: str, sequencer: Sequencer, names: tuple[str, ...]) -> Value:
        """A flip-flop for a set of instructions, the same each time.  With the prefix `is`
        it stays until the next word arrives, else it is high only in the cycle of the issue."""
        m = self.m
        key = prefix, frozenset(names)
        if key not in self.decoded:
            what = MEANINGS.get(frozenset(names)) or "_".join(sorted(names)).lower()
            told = Signal(name=f"{prefix}_{what}")
            is_told = is_any(self.build.ops, sequencer.arriving_word.op, *names)
            if prefix == "is":
                m.d.sync += told.eq(Mux(sequencer.arrived, is_told, told))
            else:
                m.d.sync += told.eq(is_told & sequencer.arrives)
            self.decoded[key] = told
        return self.decoded[key]

    def _lockstep(self) -> None:
        """Elaborate the copy of the sequencer: alarms tell where it differs, and where a word of a
        program was changed."""
        m, sequencer, copy = self.m, self.sequencer, self.sequencer_copy
        m.d.comb += [
            copy.fetched_word.eq(sequencer.fetched_word),
            copy.passes_follow.eq(sequencer.passes),
            copy.extra_follows.eq(sequencer.extra),
        ]
        states = (
            Cat(each.fetch_address, each.running, each.arrived, each.arrives)
            for each in (sequencer, copy)
        )
        there = Signal(name="word_there")  # also a word that is not issued
        m.d.sync += there.eq(sequencer.arrived)
        self._alarm(reduce(xor, states).any(), "copy_differs")
        self._alarm(there & is_damaged(self._whole_word()), "word_damaged")
        self._alarm(self.sequencer_copy.running & (self.quiet | self.begins), "copy_runs_alone")

    def _alarm(self, fault: Value, name: str) -> None:
        """Elaborate a signal of that name that tells a fault."""
        self.alarms.append(wire(self.m, fault, name))

    def _whole_word(self) -> Value:
        """The word issued last, as it stands in the program store."""
        word = self.sequencer.word
        return Cat(getattr(word, str(name)) for name, _ in self.sequencer.layout)

    def issues(self, port: int, *names: str) -> Value:
        """Whether one of these words is issued at a port."""
        return self.starts(*names) & self._of_port(port, 0)

    def _of_port(self, port: int, cycles: int) -> Value:
        """Whether words that are issued `cycles` later belong to a port.  Words of the host
        are issued when the first port has its turn."""
        machine = self.build.machine
        if machine.ports == 1:
            return Const(1, 1)
        second = self.phase == machine.align - machine.memory + 1 - cycles
        return second if port else ~second

    def _read(self) -> None:
        """Elaborate the addresses of the read ports, from the arrival of a word on."""
        m, host, coming = self.m, self.host, self.sequencer.arriving_word
        used = self.build.ops
        self.goes = getattr(self.registers, f"a{self.build.port_names[0]}")
        second = Mux(
            is_any(used, coming.op, "SCAN"),
            coming.dst,
            Mux(is_any(used, coming.op, "SQR"), coming.a, coming.b),
        )
        gives = self.starts("OUT", "SCALAR")  # the host steps through the beats of these
        by_host = is_any(used, coming.op, "OUT", "SCALAR")
        arrives = self.sequencer.arrived & self.sequencer.arriving_reads
        for port, name in enumerate(self.build.port_names):
            place = Signal(bits_of(self.build.beats), name=f"read_place{name}")
            numbers = [
                Signal(len(coming.a), name=f"read_register_{operand}{name}") for operand in "ab"
            ]
            more = place != self.build.beats - 1
            mine = self._of_port(port, 1)
            if port == 0:
                more = host.step | (more & ~host.stay & ~gives)
                mine |= by_host
            else:
                mine &= ~by_host
            begins = arrives & mine
            if self.build.machine.gathers:
                begun = Signal(name=f"read_begins{name}")
                m.d.sync += begun.eq(begins)
                m.d.comb += getattr(self.registers, f"begins{name}").eq(begun)
            if port == 0 and self.build.protected:
                m.d.comb += host.place_read.eq(place)
            with m.If(begins):
                m.d.sync += [place.eq(0), numbers[0].eq(coming.a), numbers[1].eq(second)]
            with m.Elif(more):
                m.d.sync += place.eq(place + 1)
            if self.build.protected:
                self._check_reads(port, begins, more, second)
            reads = self.registers
            m.d.comb += [
                getattr(reads, f"place{name}").eq(place),
                getattr(reads, f"register_a{name}").eq(numbers[0]),
                getattr(reads, f"register_b{name}").eq(numbers[1]),
            ]

    def _check_reads(self, port: int, begins: Value, more: Value, second: Value) -> None:
        """Elaborate the check of the beats that a port reads.  A beat is marked with the parity of
        the number of its register, so that one of another register is found."""
        m, name, coming = self.m, self.build.port_names[port], self.sequencer.arriving_word
        two = (name for name, each in instruction_set().op.items() if {"b", "dst"} & {*each.reads})
        uses = {
            "a": Const(1),
            "b": is_any(self.build.ops, coming.op, "SQR", *two),
            "multiple": is_any(self.build.ops, coming.op, *self.shifted),
        }
        numbers = {"a": coming.a, "b": second}
        for what, takes in uses.items():
            used = Signal(name=f"uses_{what}{name}")
            with m.If(begins):
                m.d.sync += used.eq(self.sequencer.arrives & takes)
            with m.Elif(~more):
                m.d.sync += used.eq(0)
            if what == "multiple":
                self.adds.append(used)
            else:
                mark = Signal(name=f"mark_of_{what}{name}")
                with m.If(begins):
                    m.d.sync += mark.eq(numbers[what].xor())
                read = getattr(self.registers, f"{what}{name}")
                beat = marked(read, delay(m, mark, 2, mark.name))
                beat = wire(m, whole(beat), f"{what}_coded{name}")
                damaged = wire(m, is_damaged(beat), f"{what}_damaged{name}")
                of_use = delay(m, used, 2, used.name, reset=True)
                self._alarm(of_use & damaged, f"{what}_misread{name}")
                if what == "a" and port == 0:
                    self.goes = beat

    @property
    def shifted(self) -> tuple[str, ...]:
        """The instructions that add a multiple of the modulus."""
        return ("SUB", "RED", *(("ADD",) if self.build.machine.reducing else ()))

    def _destination(self) -> Value:
        """The register of the result of the word that is issued, in its bank; with
        protection the parity of its whole number is the highest bit."""
        number = self.word.dst[: bits_of(self.build.machine.bank_size)]
        return whole(Cat(number, self.word.dst.xor())) if self.build.protected else number

    def _operands(self, port: int) -> tuple[Value, Value]:
        name = self.build.port_names[port]
        a, b = getattr(self.registers, f"a{name}"), getattr(self.registers, f"b{name}")
        return a[: self.build.word], b[: self.build.word]

    def _products(self) -> None:
        m, build = self.m, self.build
        for unit, products in enumerate(self.products):
            port = build.port_of(unit)
            go = self.issues(port, "MUL", "SQR")
            if len(self.products) > build.machine.ports:
                go &= self.word.aux[0] == unit
            if build.protected:
                self.alarms.append(products.refused)
            a, b = self._operands(port)
            m.d.comb += [
                products.go.eq(go),
                products.square.eq(self.op("SQR")),
                products.register.eq(self._destination()),
                products.a.eq(a),
                products.b.eq(b),
                products.constant.eq(delay(m, self.constants.out[: build.word], port, "loaded")),
            ]

    def _adder(self) -> None:
        m = self.m
        fields = control_of(self.op, self.build.machine.reducing)
        for port, adder in enumerate(self.adders):
            if self.build.protected:
                late, of_port = late_ops(self.build.machine.reducing), self._of_port(port, 0)
                at_once = [op for op in WRITE if op not in late]
                m.d.comb += [
                    adder.due.eq(self.starts_in_copy(*at_once) & of_port),
                    adder.due_late.eq(self.starts_in_copy(*late) & of_port),
                ]
                self.alarms.append(adder.moved)
            a, b = self._operands(port)
            m.d.comb += [
                adder.control.go.eq(self.issues(port, *SUMS)),
                *(getattr(adder.control, name).eq(value) for name, value in fields.items()),
                adder.control.aux.eq(self.word.aux),
                adder.register.eq(self._destination()),
                adder.a.eq(a),
                adder.b.eq(b),
                adder.multiple.eq(self.multiples[port].multiple),
            ]

    def _select(self) -> None:
        """Elaborate which operands the adder drops or inverts.  Bits and digits of scalars are used
        only here."""
        m = self.m
        bit = self.scalars.bits.bit_select(self.word.aux[: bits_of(self.build.scalars)], 1)
        chosen = (self.op("SEL") & bit) | (self.op("SCAN") & ~self._digit_is())
        selects = self.op("SEL", "SCAN")
        alone: Value = self.op("RED", "TEST")
        said = {"drops_a": selects & chosen, "inverts": self.op("SUB")}
        if self.build.polynomials:
            said["xors"] = self.op("ADD") & self._polynomial()
            alone |= said["xors"]
        said["drops_b"] = alone | (selects & ~chosen)
        for port, adder in enumerate(self.adders):
            for field, value in said.items():
                name = f"{field}{self.build.port_names[port]}"
                held = Signal(name=f"held_{name}", init=field.startswith("drops"))
                with m.If(self.issues(port, *SUMS, "MUL", "SQR")):
                    m.d.sync += held.eq(value)
                m.d.comb += getattr(adder, field).eq(delay(m, held, 1, name))

    def _polynomial(self) -> Value:
        """Whether the modulus that was loaded last is a polynomial."""
        binary = Signal(name="modulus_is_polynomial")
        with self.m.If(self.starts("MODULUS")):
            self.m.d.sync += binary.eq(self.word.aux[0])
        return binary

    def _digit_is(self) -> Value:
        """Whether the digit is the number in a word SCAN."""
        return self.scalars.digit == self.word.b

    def _write(self) -> None:
        """Elaborate the writes into the banks: products; and sums, or, while nothing else is at
        work, numbers from the host, where the one that is not there is 0.  If the sums of all ports
        are written in turn, they are joined in the same way."""
        m, build, host = self.m, self.build, self.host.write
        together = build.machine.writers != "each"
        kept: dict[str, Signal] = {}
        for port, adder in enumerate(self.adders):
            name = build.port_names[port]
            products = getattr(self.registers, f"write_products{name}")
            sums = getattr(self.registers, f"write_sums{name}")
            units = enumerate(self.products)
            mine = [product for unit, product in units if build.port_of(unit) == port]
            m.d.comb += products.enable.eq(Cat(product.enable for product in mine).any())
            chosen = Const(1, 1) if len(self.adders) == 1 else host.register[-1] == port
            m.d.sync += sums.enable.eq(adder.enable | (host.enable & chosen))
            mark, sources = Const(0, 1), self.adders if together else [adder]
            if build.protected:
                mark = self._joined(sources, "to")[-1] | host.mark
            for field, out in (("register", "to"), ("place", "place"), ("data", "out")):
                value = getattr(mine[0], out)
                for product in mine[1:]:  # never do two of them have a result in one cycle
                    value = Mux(product.enable, getattr(product, out), value)
                if field == "register" and build.protected:
                    produced_mark, value = value[-1], value[:-1]
                elif field == "data" and build.protected:
                    value = whole(marked(coded(value), produced_mark))
                m.d.comb += getattr(products, field).eq(value)
                to = getattr(sums, field)
                if not together or field not in kept:
                    kept[field] = Signal(len(to), name=f"sum_{field}{name}", reset_less=True)
                    joined = self._joined(sources, out)
                    joined = joined[: len(to)] | getattr(host, field)[: len(to)]
                    if field == "data" and build.protected:
                        joined = marked(joined, mark)
                    m.d.sync += kept[field].eq(joined)
                m.d.comb += to.eq(kept[field])
            if build.protected:
                parity = mark ^ (self._joined(sources, "place")[-1] | host.place_parity)
                self._check_write(port, sums, adder.enable | (host.expected & chosen), parity)

    def _joined(self, adders: Sequence[Adder], out: str) -> Value:
        """What one of some adders gives, or 0 if none does."""
        return reduce(or_, (getattr(adder, out) for adder in adders))

    def _check_write(self, port: int, sums: Value, expected: Value, parity: Value) -> None:
        """Elaborate the check of where a beat of a sum, or of a number from the host, is written.
        parity: of the number of the register and that of the beat."""
        m, name, machine = self.m, self.build.port_names[port], self.build.machine
        none = Signal(name=f"no_sum{name}", init=1)  # the inverse of `enable`, kept apart from it
        told = Signal(name=f"sum_parity{name}")
        bank = Const(((machine.ports + port) * machine.bank_size).bit_count() & 1, 1)
        m.d.sync += [none.eq(~expected), told.eq(parity)]
        moved = Cat(sums.register, sums.place, told, bank).xor()
        self._alarm((sums.enable == none) | (sums.enable & moved), f"sum_misplaced{name}")
