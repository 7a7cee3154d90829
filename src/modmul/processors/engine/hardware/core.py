"""The circuit of an engine: how programs begin, what the constant store and the scalars give, and
its streams; the rest is in `datapath`."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, stream, wiring

from modmul.blocks.delay import delay
from modmul.blocks.memory import bits_of
from modmul.blocks.packet_gate import first_beats, gated
from modmul.blocks.parity import coded
from modmul.blocks.part import whole, wire
from modmul.processors.engine.hardware.build import ENTRY, EngineBuild
from modmul.processors.engine.hardware.datapath import SUMS, Datapath
from modmul.processors.engine.hardware.decode import is_any
from modmul.processors.engine.hardware.host import SOURCES, WORDS
from modmul.processors.engine.hardware.streams import sources

LOADS_BEFORE = 4  # cycles from the beginning of a load to the cycle before a slot begins
_WAITS = ("IN", "OUT", "SCALAR", "HALT", "MODULUS")  # after these a program may have to wait


class Core(Datapath):
    """The engine: runs the programs in its program store, on numbers of {beats} beats of {word}
    bits.

    Each instruction is issued in a cycle that was fixed when the program was assembled. Multipliers
    and adders read their operands from the register file, a beat a cycle, lowest first, and write
    their results there; the unit `host` moves numbers between registers and streams. Bits of a
    scalar select operands, and never change the time.

    An instruction is issued in cycle t if the sequencer's output `word` has it from then on:

      t      register numbers and the number of the beat are at the register file
      t + 2  the first beats of the operands are at the inputs of multipliers and adders
      t + 7  the first beat of a sum is written, at the earliest; of a product, when it is ready

    A modulus is taken while no program runs. A command is taken while no program runs, once a whole
    modulus has been loaded, and not while another modulus is offered; then a program begins. The
    datasheet says which numbers go over the streams for each operation."""

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "slots of the multiplier": {
            "phase": "cycle within a slot",
            "slot": "which slot",
        },
        "beginning of a program": {
            "quiet": "nothing is at work, so that a modulus is taken",
            "program_number": "of the command that is offered",
            "command_awaited": "a command is taken, unless a modulus is offered",
            "command_taken": "in this cycle",
            "program_begins": "the sequencer starts",
            "program_begins_d[0-9]*": "it started so many cycles ago",
            "program_waits": "the inverse of program_begins, for the copy of the sequencer",
            "copy_begins_d[0-9]*": "its copy did",
            "restart_d1": "the multiplier of the first port was reset in the cycle before",
            "program_entry": "address of its first word",
            "inverted_entry": "its inverse, for the copy of the sequencer",
            "passes": "of the loops that take their number from the command",
            "inverted_passes": "its inverse, to find a flipped bit",
            "modulus_loaded": "a whole modulus is in the constant store",
            "filled": "a zero was taken in place of a missing beat",
            "*fills": "a zero is taken in place of a missing beat of this stream",
            "sink_count": "passes of loops that the command asks for",
            "*_coded_payload": "a beat of this stream with two parity bits, of its even and odd "
            "bits",
            "sink_valid": "a command is offered",
            "*_gate_sink_data": "bits of the beat behind the gate of this stream",
            "*_gate_sink_ready": "the program takes it",
            "*_gate_*_valid": "there is one",
        },
        "instructions": {
            "sequencer": "fetches and issues the words of a program",
            "store": "the words of all programs",
            "read_address": "of the word that is fetched",
            "*fetched_word_*": "a field of that word, two cycles later",
            "advance": "the words on their way from the store move on",
            "arriving_word_op": "instruction of the word that is issued next: {codes}; no other "
            "code occurs, so that decoders test only some bits",
            "arriving_word_dst": "register of its result",
            "arriving_word_a": "register of its first operand, or a number",
            "arriving_word_b": "register of its second operand, or a number",
            "arriving_word_aux": "its shift of the modulus, scalar, stream or bit of the status",
            "arrived": "it came in this cycle",
            "arrives": "it came, and will be issued",
            "arriving_reads": "it reads registers",
            "word_dst": "register of the result of the word issued last",
            "word_a": "register of its first operand, or a number",
            "word_b": "register of its second operand, or a number",
            "word_aux": "its shift of the modulus, scalar, stream or bit of the status",
            "word_[a-z]*": "another field of it",
            "sequencer_copy_*": "the same, of the copy of the sequencer",
            "issue": "it is issued in this cycle",
            "running": "a program runs",
            "busy": "the host or the loading of a modulus makes the program wait",
            "host_busy": "a number is on its way between a stream and a register",
            "stay": "the host reads a register, whose beats it steps through",
            "step": "it goes to the next beat",
        },
        "instructions, decoded as they arrive": {
            "starts_product": "MUL or SQR is issued in this cycle",
            "starts_sum": "one of ADD, SUB, SEL, SCAN, RED, TEST, WRAP is issued",
            "starts_operation": "one of these, or MUL or SQR",
            "starts_store_read": "one that reads the constant store: a sum or IN",
            "starts_output": "OUT or SCALAR, through whose beats the host steps",
            "starts_*": "this instruction is issued",
            "copy_starts_*": "likewise, in the copy of the sequencer",
            "is_sum_to_write": "the word issued last is a sum with a result: any but TEST",
            "is_multiple": "it is SUB or RED, which add a multiple of the modulus",
            "is_reduced": "the word issued last is ADD, SUB or RED, after which u or v is chosen",
            "is_from_store": "it is SUB, RED or IN, and takes a number of the store",
            "is_reduced_or_in": "the word issued last is ADD, SUB, RED or IN, and takes a number "
            "of the store",
            "is_selection": "the word issued last is SEL or SCAN",
            "is_a_alone": "the word issued last is RED or TEST: b counts as 0",
            "is_[a-z][a-z][a-z]": "the word issued last is this instruction",
            "is_[a-z][a-z][a-z][a-z]": "the word issued last is this instruction",
        },
        "operands": {
            "read_place*": "number of the beat that is read",
            "read_register_a*": "register of the first operand",
            "read_register_b*": "register of the second operand",
            "a": "beat of the first operand, two cycles later",
            "b": "beat of the second operand",
            "held_drops_a*": "the adder takes a as 0, for all beats of this instruction",
            "held_drops_b*": "it takes b as 0",
            "held_inverts*": "it subtracts b",
            "held_xors*": "it takes a xor b in place of a",
            "modulus_is_polynomial": "the modulus loaded last is a polynomial",
        },
        "constant store": {
            "modulus_awaited": "MODULUS was issued, and waits for a slot to begin",
            "load_begins": "its beats are read from the store",
            "load": "the multiplier begins to load them",
            "modulus_row": "first row of the multiples of the modulus in use",
            "loaded_at": "address of what the multiplier loads for it",
            "rows_begin": "first row of those of which the arriving word takes one",
            "row": "the row that it takes",
            "row_begins": "address of the first beat of that row",
            "constants_out": "beat of the number that is read",
            "uses_multiple*": "the adder adds the multiple that is read",
            "multiple": "the same a cycle later, or 0",
            "write": "a beat of a modulus is stored",
            "loading": "the multiplier takes a modulus",
        },
        "scalars": {
            "scalar_comes": "the words of a scalar are being stored",
            "scalar_write": "a word of a scalar is at the read port",
            "scalar_write_d[0-9]*": "likewise, in the cycle in which it is stored",
            "scalar_write_number_d[0-9]*": "its scalar",
            "scalar_number": "its scalar",
            "scalar_place": "its place, 0: the lowest",
            "scalar_place_d[0-9]*": "its place",
            "scalar_data_d[0-9]*": "that word",
            "bits": "the bit of each scalar that SEL looks at",
            "digit": "the digit that SCAN looks at",
            "carry": "out of the last beat of a WRAP",
            "carry_valid": "it becomes the bit of the scalar in aux",
        },
        "status": {
            "status": "bit k: a TEST with aux = k found a number that is not 0",
            "inverted_status": "its inverse, to find a flipped bit",
            "nonzero": "a beat of a TEST was not 0",
            "nonzero_aux": "the bit of the status that it sets",
            "tests_done": "words TEST issued by this program",
            "tests_in_copy": "the same, counted by the copy of the sequencer",
            "incomplete": "a zero was taken in place of a missing beat",
            "settled": "no product is under way",
        },
        "writes of sums, and of numbers from the host": {
            "sum_register*": "register among those of sums",
            "sum_place*": "number of the beat",
            "sum_data*": "the beat, 0 where nothing is written",
            "write_sums_enable": "it is written at the end of the cycle",
            "adder*_enable": "a beat of a sum comes",
            "adder*_to": "its register, with a parity bit where there is protection",
            "adder*_place": "its number, with a parity bit where there is protection",
            "adder*_out": "the beat",
            "enable": "a beat of a product comes",
            "products*_enable": "likewise",
            "products*_to": "its register, with a parity bit where there is protection",
            "products*_place": "its number",
            "products*_out": "the beat",
            "write_enable": "a beat comes from the host",
            "write_register": "its register",
            "write_place": "its number",
            "write_data": "the beat",
            "write_mark": "parity of the whole number of the register",
            "write_place_parity": "parity of the number of the beat",
            "write_expected": "write_enable should be 1",
            "mark": "parity of the number of the register, which inverts a bit of the code",
        },
        "alarms: each is high where a fault was found": {
            "passes_differ": "a bit of passes or of its inverse was flipped",
            "copy_differs": "the sequencer and its copy are in different states",
            "copy_runs_alone": "the copy runs while no program should",
            "word_there": "a word came in the cycle before",
            "word_damaged": "its parity is wrong",
            "uses_a*": "the adder or a multiplier takes the beat of a that is read",
            "uses_b*": "the same of b",
            "mark_of_a*": "parity of the number of the register that is read at a",
            "mark_of_b*": "the same of b",
            "a_coded*": "the beat at a with its parity bits, wrong ones if it is of another "
            "register",
            "b_coded*": "the same of b",
            "a_damaged*": "its parity is wrong",
            "b_damaged*": "the same of b",
            "a_misread*": "this beat is used",
            "b_misread*": "likewise",
            "constants_damaged": "a beat of the constant store that is used has a wrong parity",
            "differs": "a scalar gave other bits than when it was taken first",
            "refused": "the multiplier did not take an operand or a modulus",
            "moved": "the adder gave a result at another time than the copy of the sequencer says",
            "wrong": "the host found a fault",
            "no_sum*": "the inverse of write_sums_enable, to find a flipped bit",
            "sum_parity*": "parity of the register and of the number of the beat that is written",
            "sum_misplaced*": "a beat is written that should not be, or to another place",
            "status_differs": "a bit of the status or of its inverse was flipped",
            "outputs_untested": "a number is output before all its words TEST were done",
            "outputs_failed": "a number is output though bit 0 of the status is 1",
            "alarm": "one of these was high in the cycle before",
            "damaged": "an alarm since the modulus was loaded",
            "intact": "its inverse, to find a flipped bit",
            "host_damaged": "no number leaves any more, and the status tells a fault",
            "releases": "the copy of the sequencer is at OUT: numbers may leave",
            "ends": "it is at HALT: the status may leave",
            "may_wait": "it is at a word after which a program may wait",
        },
    }

    def __init__(self, build: EngineBuild, signature: wiring.Signature, *, inner: bool = False):
        """inner: the streams come from a component that has gates for them and elaborates
        `filled`."""
        super().__init__(build, signature)
        self._inner = inner
        self.quiet = Signal(name="quiet")
        self.filled = Signal(name="filled")

    def elaborate(self, platform: object) -> Module:
        self.m = m = Module()
        names = ("command", *sources(self.build))
        self.fills: list[Value] = []
        self.alarms = []
        self.inputs = {name: self._input(name) for name in names}
        self._parts()
        self.issue = self.sequencer.issue
        self._phases()
        self._command()
        self._read()
        self._products()
        self._adder()
        self._select()
        self._constants()
        self._scalars()
        self._write()
        self._streams()
        return m

    def _input(self, name: str) -> stream.Interface:
        """An input stream, behind a gate unless `inner`.  With protection numbers get their
        code before the gate."""
        source = getattr(self, name)
        if self.build.protected and name != "command":
            source = self._with_code(source, name)
        if self._inner:
            return source
        if name == "command":
            return first_beats(self.m, source, name)
        gate = gated(self.m, source, name, self.quiet, self.build.protected)
        self.fills.append(gate.fills)
        return gate.sink

    def _with_code(self, source: stream.Interface, name: str) -> stream.Interface:
        m, members = self.m, {"data": self.build.stored, "first": 1, "last": 1}
        signature = stream.Signature(data.StructLayout(members))
        with_code = wiring.flipped(signature.create(path=(f"{name}_coded",)))
        m.d.comb += [
            with_code.valid.eq(source.valid),
            source.ready.eq(with_code.ready),
            with_code.p.data.eq(whole(coded(source.p.data))),
            with_code.p.first.eq(source.p.first),
            with_code.p.last.eq(source.p.last),
        ]
        return with_code

    # ---- beginning ----------------------------------------------------------------------------

    def _phases(self) -> None:
        """Elaborate counters of the multiplier's slots: `phase` (cycle in a slot) and `slot`."""
        m, machine = self.m, self.build.machine
        self.phase = Signal(range(max(2, machine.align)), name="phase")
        self.slot = Signal(range(max(2, machine.slots)), name="slot")
        is_last = self.slot == machine.slots - 1
        wraps = machine.slots == 1 << len(self.slot)  # to 0 by itself
        following = self.slot + 1 if wraps else Mux(is_last, 0, self.slot + 1)
        with m.If(self.phase == machine.align - 1):
            m.d.sync += [self.phase.eq(0), self.slot.eq(following)]
        with m.Else():
            m.d.sync += self.phase.eq(self.phase + 1)

    def _at(self, cycle: int) -> Value:
        """Whether this is the given cycle, modulo the turn of the slots."""
        machine = self.build.machine
        slot, phase = divmod(cycle % machine.turn, machine.align)
        return (self.phase == phase) & (self.slot == slot)

    def _command(self) -> None:
        """Elaborate how a command begins a program: when nothing is at work and the slots are at
        their beginning.  A modulus goes first."""
        m, sequencer, host = self.m, self.sequencer, self.host
        loaded, quiet, command = Signal(name="modulus_loaded"), self.quiet, self.inputs["command"]
        ready, taken = Signal(name="command_awaited"), Signal(name="command_taken")
        begins = self.begins = Signal(name="program_begins")
        program = Signal.like(sequencer.entry, name="program_entry")
        number = wire(m, command.p.program, "program_number")
        entries = Array(Const(place, len(program)) for place in self.build.entries)
        count = Signal.like(sequencer.count, name="passes")
        busy = sequencer.running | self.issue | host.busy | taken | begins
        m.d.sync += [
            quiet.eq(~busy),
            begins.eq(taken),
            ready.eq(quiet & ~busy & loaded & ~self.modulus.valid & self._at(-ENTRY - 1)),
        ]
        m.d.comb += [
            self.modulus.ready.eq(quiet),
            command.ready.eq(ready & ~self.modulus.valid),
            taken.eq(command.valid & command.ready),
            sequencer.start.eq(begins),
            sequencer.entry.eq(program),
            sequencer.count.eq(count),
            host.start.eq(begins),
            *(products.start.eq(begins) for products in self.products),
        ]
        with m.If(taken):
            m.d.sync += [program.eq(entries[number]), count.eq(command.p.count)]
        if self.build.protected:
            self._command_of_copy(taken, entries[number], command.p.count, count)
        with m.If(self.modulus.valid & self.modulus.ready):
            m.d.sync += loaded.eq(self.modulus.p.last)

    def _command_of_copy(self, taken: Value, entry: Value, count: Value, kept: Value) -> None:
        """Elaborate the command for the copy of the sequencer, in registers that hold it inverted,
        so that no tool joins them with the others.  The copy counts no passes, so their number,
        `kept`, is compared."""
        m, copy = self.m, self.sequencer_copy
        waits = Signal(name="program_waits", init=1)
        other_program = Signal.like(entry, name="inverted_entry")
        other_count = Signal.like(kept, name="inverted_passes", init=-1)
        m.d.sync += waits.eq(~taken)
        with m.If(taken):
            m.d.sync += [other_program.eq(~entry), other_count.eq(~count)]
        m.d.comb += [copy.start.eq(~waits), copy.entry.eq(~other_program)]
        self._alarm((~(kept ^ other_count)).any(), "passes_differ")
        before = ENTRY - 2  # the first word is issued ENTRY - 1 cycles after `begins`
        restart = delay(m, self.begins, before, "program_begins", reset=True)
        restart &= delay(m, ~waits, before, "copy_begins", reset=True)
        for unit, products in enumerate(self.products):
            late = delay(m, restart, self.build.port_of(unit), "restart", reset=True)
            m.d.comb += products.restart.eq(late)

    # ---- words --------------------------------------------------------------------------------

    def _constants(self) -> None:
        """Elaborate what is read from the store: a multiple of N for the adder, a number for IN, or
        what the multiplier loads."""
        m, build, constants = self.m, self.build, self.constants
        awaited = Signal(name="modulus_awaited")
        begins = Signal(name="load_begins")
        machine = build.machine
        on_grid = self.phase == (machine.align - LOADS_BEFORE) % machine.align
        m.d.comb += begins.eq(awaited & on_grid)
        with m.If(self.starts("MODULUS")):
            m.d.sync += awaited.eq(1)
        with m.Elif(begins):
            m.d.sync += awaited.eq(0)
        self._sets()
        row, load = self._row(), Signal(name="load")
        m.d.sync += load.eq(begins)
        for unit, products in enumerate(self.products):
            late = delay(m, load, build.port_of(unit), "load", reset=True)
            m.d.comb += products.load.eq(late)
        self.loading = Cat(awaited, load, *(product.loading for product in self.products)).any()
        shifted = (*self.shifted, "IN")
        m.d.comb += [
            constants.start.eq(self.issues(0, *SUMS, "IN") | begins),
            constants.at.eq(Mux(begins, self.loaded_at, row)),
            constants.zero.eq(~begins & ~self.op(*shifted)),
        ]
        beat: Value = self.modulus.p.data
        if build.protected:
            beat = whole(coded(beat))
            m.d.comb += constants.loads.eq(self.products[0].loads)
            for store, adds in zip(self.multiples, self.adds, strict=True):
                m.d.comb += store.adds.eq(delay(m, adds, 3, adds.name, reset=True))
                m.d.comb += store.write_last.eq(whole(self.modulus.p.last))
                self.alarms += [store.damaged, store.misplaced]
        for port, store in enumerate(self.multiples):
            m.d.comb += [
                store.write.eq(self.modulus.valid & self.modulus.ready),
                store.write_first.eq(self.modulus.p.first),
                store.data.eq(beat),
            ]
            if port:
                m.d.comb += [
                    store.start.eq(self.issues(port, *SUMS)),
                    store.at.eq(row),
                    store.zero.eq(~self.op(*shifted)),
                ]

    def _sets(self) -> None:
        """Keep where the multiples of the modulus begin that was loaded last, in rows, and where
        the beats begin that the multiplier loads for it."""
        m, build = self.m, self.build
        start = build.rows << build.row_bits
        self.modulus_row: Value = Const(0, 1)
        self.loaded_at: Value = Const(start)
        if build.sets == 1:
            return
        rows = [place * build.rows_of_modulus for place in range(build.sets)]
        loads = [start + place * build.for_multiplier for place in range(build.sets)]
        self.modulus_row = Signal(range(rows[-1] + 1), name="modulus_row")
        self.loaded_at = Signal(range(loads[-1] + 1), name="loaded_at")
        with m.If(self.starts("MODULUS")), m.Switch(self.word.a):
            for place, (row, load) in enumerate(zip(rows, loads, strict=True)):
                with m.Case(place):
                    m.d.sync += [self.modulus_row.eq(row), self.loaded_at.eq(load)]

    def _row(self) -> Value:
        """Where the number begins in the store that a word needs; computed as the word
        arrives."""
        m, build, coming = self.m, self.build, self.sequencer.arriving_word
        row = Signal(range(max(2, build.rows)), name="row")
        begins = Signal.like(row, name="rows_begin")
        number = Mux(is_any(build.ops, coming.op, "IN"), coming.a, coming.aux)
        m.d.comb += begins.eq(self.modulus_row)
        with m.If(is_any(build.ops, coming.op, "RED")):
            m.d.comb += begins.eq(self.modulus_row + build.multiples)
        with m.If(is_any(build.ops, coming.op, "IN")):
            m.d.comb += begins.eq(build.sets * build.rows_of_modulus)
        m.d.comb += row.eq(begins + number)
        if build.machine.reducing:
            with m.If(is_any(build.ops, coming.op, "ADD")):
                m.d.comb += row.eq(self.modulus_row + build.multiples + build.bound_shift)
        at = Signal(bits_of(build.store_size), name="row_begins")
        m.d.sync += at.eq(row << build.row_bits)
        return at

    def _scalars(self) -> None:
        m, scalars, host = self.m, self.scalars, self.host
        m.d.comb += [
            scalars.number.eq(self.word.aux),
            scalars.take.eq(self.starts("BIT")),
            scalars.plain.eq(self.word.a[0]),
            scalars.take_digit.eq(self.starts("DIGIT")),
            scalars.width.eq(self.word.a),
            scalars.start.eq(self.starts("SCALAR")),
            scalars.complete.eq(~host.scalar_comes),
            scalars.write.eq(delay(m, host.scalar_write, 1, "scalar_write")),
            scalars.write_number.eq(delay(m, host.scalar_number, 1, "scalar_write_number")),
            scalars.place.eq(delay(m, host.scalar_place, 1, "scalar_place")),
            scalars.data.eq(delay(m, self._operands(0)[0], 1, "scalar_data")),
            scalars.clear.eq(self.starts("HALT")),
            scalars.carry.eq(self.adders[0].carry),
            scalars.carry_valid.eq(self.adders[0].carry_valid),
            scalars.carry_number.eq(self.adders[0].aux),
        ]
        if self.build.repeats:
            m.d.comb += [
                scalars.keep.eq(whole(self.word.b[0])),
                scalars.compare.eq(whole(self.word.b[1])),
            ]
            self.alarms.append(scalars.differs)

    def _tested(self, status: Signal) -> None:
        """Elaborate the check of a number that is output only if it was tested: as many words TEST
        must have come before it as the program has, so that none was jumped over, and the result
        of every product, so that none went into the register of another.  And no number may be
        filled with zeros: words of another place could compare zeros with zeros."""
        m, tests = self.m, Signal(4, name="tests_done")
        settled = Cat(products.settled for products in self.products).all()
        test, out = self.starts("TEST"), self.starts("OUT")
        with m.If(self.begins):
            m.d.sync += tests.eq(0)
        with m.Elif(test):
            m.d.sync += tests.eq(tests + 1)
        checked = out & (self.word.aux != 0)
        wrong = checked & ((self.word.aux != tests) | ~settled)
        if not self.build.protected:
            with m.If(wrong | (checked & self._incomplete())):
                m.d.sync += status[0].eq(1)
            return
        early = out & self.word.b[0] & status[0]
        self._alarm(wrong, "outputs_untested")
        self._alarm(early, "outputs_failed")

    # ---- faults -------------------------------------------------------------------------------

    def _incomplete(self) -> Value:
        """Whether a number of this operation was filled with zeros."""
        m, incomplete = self.m, Signal(name="incomplete")
        with m.If(self.begins):
            m.d.sync += incomplete.eq(0)
        with m.If(self.filled):
            m.d.sync += incomplete.eq(1)
        return incomplete

    def _damage(self) -> None:
        """Elaborate what keeps a fault in mind until a modulus is loaded, in two registers, so that
        another fault cannot clear it."""
        m, host = self.m, self.host
        alarm, damaged = Signal(name="alarm"), Signal(name="damaged")
        intact = Signal(name="intact", init=1)
        m.d.sync += alarm.eq(Cat(*self.alarms, host.wrong).any())
        with m.If(alarm):
            m.d.sync += [damaged.eq(1), intact.eq(0)]
        with m.Elif(self.modulus.valid & self.modulus.ready & self.modulus.p.first):
            m.d.sync += [damaged.eq(0), intact.eq(1)]
        damaged_or_incomplete = damaged | ~intact | self._incomplete()
        m.d.comb += host.damaged.eq(wire(m, damaged_or_incomplete, "host_damaged"))
        m.d.comb += [
            host.releases.eq(self._last_in_copy("releases", "OUT")),
            host.ends.eq(self._last_in_copy("ends", "HALT")),
        ]

    def _last_in_copy(self, name: str, *names: str) -> Signal:
        """Whether the word that the copy of the sequencer issued last is one of these."""
        m, told = self.m, Signal(name=name)
        with m.If(self.starts_in_copy(*names)):
            m.d.sync += told.eq(1)
        with m.Elif(self.sequencer_copy.issue):
            m.d.sync += told.eq(0)
        return told

    # ---- outside and back ---------------------------------------------------------------------

    def _streams(self) -> None:
        m, host = self.m, self.host
        if not self._inner:
            m.d.comb += self.filled.eq(Cat(self.fills).any())
        status = Signal.like(host.status, name="status")
        inverted = Signal.like(host.status, name="inverted_status", init=-1)
        with m.If(self.begins):
            m.d.sync += [status.eq(0), inverted.eq(-1)]
        for place in sorted(self.build.tests):
            nonzero = (adder.nonzero & (adder.nonzero_aux == place) for adder in self.adders)
            with m.If(Cat(nonzero).any()):
                m.d.sync += [status[place].eq(1), inverted[place].eq(0)]
        if self.build.protected:
            self._alarm((~(status ^ inverted)).any(), "status_differs")
        if self.build.checks:
            self._tested(status)
        if self.build.protected:
            self._lockstep()
            self._damage()
            m.d.comb += [
                host.admits.eq(self.starts_in_copy("IN", "WIPE")),
                host.mark.eq(self.word.dst.xor()),
            ]
        m.d.comb += [
            *(getattr(host, f"is_{op.lower()}").eq(self.starts(op)) for op in WORDS),
            host.into.eq(self.word.dst),
            host.source.eq(self.word.aux),
            host.status.eq(status),
            host.constant.eq(self.constants.out),
            host.a.eq(self.goes),
            self.result.valid.eq(host.result_valid),
            host.result_ready.eq(self.result.ready),
            self.result.p.first.eq(host.result_first),
            self.result.p.last.eq(host.result_last),
            self.result.p.data.eq(host.result),
        ]
        busy = wire(m, host.busy | self.loading, "busy")
        m.d.comb += self.sequencer.busy.eq(busy)
        if self.build.protected:  # nobody else makes the program wait
            may_wait = self._last_in_copy("may_wait", *_WAITS)
            m.d.comb += self.sequencer_copy.busy.eq(busy & may_wait)
        for name in SOURCES:
            taken, source = getattr(host, name), self.inputs.get(name)
            if source is not None:
                m.d.comb += [
                    taken.valid.eq(source.valid),
                    taken.payload.eq(source.p.data),
                    source.ready.eq(taken.ready),
                ]
