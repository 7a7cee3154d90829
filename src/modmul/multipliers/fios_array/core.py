"""The array: its elements, words of A on their way to them, and the result, a word a clock."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring

from modmul.blocks.memory import SimpleDualPort
from modmul.multipliers.fios_array.element import Element
from modmul.multipliers.fios_array.plan import ArrayTiming
from modmul.multipliers.operand_scanning import OperandScanning
from modmul.multipliers.scanning_core import BEAT_NOTES
from modmul.multipliers.signature import core_signature


class Core(wiring.Component):
    """{theory}

    Here w = {word_bits}, s = {words}; {elements} elements, a period of {period} clocks."""

    @property
    def NOTES(self) -> dict[str, dict[str, str]]:
        # In the text the ports of element 0 have plain names if it is the only element; else those
        # wires have them that lead from it to element 1.
        own, other = "element_0_", ""
        if self.elements == 1:
            own, other = other, own
        return {
            "operands and modulus": {
                "head_comes": "the head of element 0 enters in the next clock",
                "free": "a product may begin then",
                "product_begins": "it does: the first beat of an operand is taken",
                "began": "it did a clock ago: its head enters element 0",
                **BEAT_NOTES,
                f"{own}tag": "of the product that is loaded; tells the products in the array apart",
                "a_element": "the element that needs this word of A",
                "a_round": "the round in which it needs it",
                "*a_write": "this word of A is for the element",
                "in_flight": "clocks until nothing needs the modulus",
                "busy": "something needs it",
            },
            "what element 0 gets": {
                "comes_round": "the product in the last element goes on in element 0",
                f"{own}enters": "the head of a product enters, in its first round or another",
                f"{own}enters_round": "its round",
                f"{own}enters_tag": "its tag",
                f"{own}b_write": "a word of B comes",
                f"{own}b_index": "its number",
                f"{own}b_in": "",
                "element_0_t_write": "a word of T comes",
                "element_0_t_index": "its number",
                "element_0_t_in": "",
            },
            "from each element to the next": {
                f"{other}tag": "of the product in element 0",
                "element_*_tag": "of the product in this element",
                "*active": "a product is in the element",
                "*round": "its round",
                "*enters": "the product goes on in the next element, with its next head",
                "*b_write": "a word of B goes there",
                "*b_passes": "a word of B leaves the element",
                "*b_index": "its number",
                "*b_place": "",
                "*b_in": "the word",
                "*b_out": "",
                "*t_write": "a word of T goes there",
                "*t_index": "its number",
                "*t_in": "the word",
                "element_*": "",
            },
            "result": {
                "phase": "the clock of the period of the element that makes the result",
                "write_enable": "a word of T leaves it; those of the last step are the result",
                "write_address": "number of this word",
                "write_data": "",
                "memory_result": "",
                "giving": "words of a result leave",
                "give_index": "which",
            },
        }

    def __init__(self, parameters: OperandScanning, plan: ArrayTiming, sum_latency: int):
        self.parameters, self.plan, self.sum_latency = parameters, plan, sum_latency
        super().__init__(core_signature(parameters))

    @property
    def word_bits(self) -> int:
        """w, the bits of a word."""
        return self.parameters.word_bits

    @property
    def words(self) -> int:
        """s, the number of words."""
        return self.parameters.words

    @property
    def elements(self) -> int:
        return len(self.plan.offsets)

    @property
    def period(self) -> int:
        return self.plan.period

    @property
    def _product_bits(self) -> tuple[int, int]:
        """Bits of the number of a round, and bits of a tag.  No two products in the array have the
        same tag, nor does one that has just left."""
        rounds = (self.plan.rounds - 1).bit_length()
        clocks = self.parameters.latency().maximum + self.words
        alive = clocks // (self.plan.period * self.plan.rounds) + 2
        return rounds, alive.bit_length()

    def elaborate(self, platform: object) -> Module:
        self.m = m = Module()
        p, number = self.parameters, self.elements
        self.chain = [
            Element(
                self.plan,
                p.chip,
                p.word_bits,
                self.words,
                (p.dsp_registers, self.sum_latency),
                k,
                self._product_bits,
            )
            for k in range(number)
        ]
        for k, element in enumerate(self.chain):
            m.submodules[f"element_{k}"] = element
        self._control()
        self._modulus()
        for before, element in zip(self.chain, self.chain[1:], strict=False):
            m.d.comb += [
                element.enters.eq(self._goes_on(before)),
                element.enters_tag.eq(before.tag),
                element.enters_round.eq(before.round),
                element.b_write.eq(before.b_passes),
                element.b_index.eq(before.b_place),
                element.b_in.eq(before.b_out),
                element.t_write.eq(before.t_passes),
                element.t_index.eq(before.t_place),
                element.t_in.eq(before.t_out),
            ]
        self._first()
        self._give()
        return m

    def _goes_on(self, element: Element) -> Value:
        """Whether the product in an element has another step."""
        last = self.plan.last(self.words, self.elements)
        if element.number != last:
            return element.active
        return element.active & (element.round != self.plan.rounds - 1)

    # ---- what comes in ------------------------------------------------------------------------

    def _control(self) -> None:
        m, s = self.m, self.words
        begin, loading = Signal(name="product_begins"), Signal(name="loading")
        self.reloading = Signal(name="reloading")
        index, self.began = Signal(range(s), name="load_index"), Signal(name="began")
        self.tag = Signal(self._product_bits[1], name="tag")
        free, taken = Signal(name="free"), Signal(name="operand_taken")
        self.taken, self.index = taken, index
        round_free = ~self._goes_on(self.chain[-1]) if self.plan.rounds > 1 else 1
        m.d.comb += [
            free.eq(self.chain[0].head_comes & ~self.reloading & round_free),
            self.operand.ready.eq(free | loading),
            begin.eq(free & self.operand.valid),
            taken.eq(self.operand.valid & self.operand.ready),
        ]
        m.d.sync += self.began.eq(begin)
        with m.If(taken):
            last = self.operand.p.last
            m.d.sync += [loading.eq(~last), index.eq(Mux(last, 0, index + 1))]
            with m.If(last):
                m.d.sync += self.tag.eq(self.tag + 1)
        clocks = self.parameters.latency().maximum
        left = Signal(range(clocks + 1), name="in_flight")
        self.busy = Signal(name="busy")
        m.d.comb += self.busy.eq(left != 0)
        with m.If(begin):
            m.d.sync += left.eq(clocks)
        with m.Elif(self.busy):
            m.d.sync += left.eq(left - 1)

    def _modulus(self) -> None:
        m, s = self.m, self.words
        index, loads = Signal(range(s + 1), name="modulus_index"), Signal(name="modulus_taken")
        m.d.comb += [
            self.modulus.ready.eq(~self.busy),
            loads.eq(self.modulus.valid & self.modulus.ready),
        ]
        with m.If(loads):
            done = self.modulus.p.last
            m.d.sync += [self.reloading.eq(~done), index.eq(Mux(done, 0, index + 1))]
        for element in self.chain:
            m.d.comb += [
                element.n_write.eq(loads),
                element.n_index.eq(index),
                element.n_in.eq(self.modulus.p.data),
            ]

    def _first(self) -> None:
        """Bring operands, or what comes round, to the first element, and words of A to theirs."""
        m, first, last, count = self.m, self.chain[0], self.chain[-1], self.elements
        folded, rounds = self.plan.rounds > 1, self._product_bits[0]
        comes, word = Signal(name="comes_round"), self.index
        m.d.comb += comes.eq(self._goes_on(last) if folded else 0)
        loads = self.taken
        m.d.comb += [
            first.enters.eq(self.began | comes),
            first.b_write.eq(loads | last.b_passes & comes),
            first.b_index.eq(Mux(loads, word, last.b_place)),
            first.b_in.eq(Mux(loads, self.operand.p.b, last.b_out)),
        ]
        if folded:
            m.d.comb += [
                first.enters_round.eq(Mux(comes, last.round + 1, 0)),
                first.enters_tag.eq(Mux(comes, last.tag, self.tag)),
                first.t_write.eq(last.t_passes),
                first.t_index.eq(last.t_place),
                first.t_in.eq(last.t_out),
            ]
        else:
            m.d.comb += first.enters_tag.eq(self.tag)
        turn, place = Signal(rounds, name="a_round"), Signal(range(count), name="a_element")
        with m.If(loads):
            last = self.operand.p.last
            m.d.sync += place.eq(Mux(last | (place == count - 1), 0, place + 1))
            m.d.sync += turn.eq(Mux(last, 0, turn + (place == count - 1)))
        for element in self.chain:
            m.d.comb += [
                element.a_write.eq(loads & (place == element.number)),
                element.a_index.eq(Cat(turn, self.tag)),
                element.a_in.eq(self.operand.p.a),
            ]

    # ---- what goes out ------------------------------------------------------------------------

    def _give(self) -> None:
        m, s, p = self.m, self.words, self.parameters
        element = self.chain[self.plan.last(s, self.elements)]
        memory = SimpleDualPort(p.chip, p.word_bits, s, "distributed", 0, "the result")
        m.submodules.memory_result = memory
        giving, index = Signal(name="giving"), Signal(range(s), name="give_index")
        periods, phase = divmod(self.plan.first_result - 1, self.period)
        done = element.active & (element.round == self.plan.rounds - 1)
        for k in range(periods):  # the product has left the element by then
            kept = Signal(name=f"given_{k}")
            with m.If(element.phase == self.period - 1):
                m.d.sync += kept.eq(done)
            done = kept
        m.d.comb += [
            memory.write_enable.eq(element.t_passes),
            memory.write_address.eq(element.t_place),
            memory.write_data.eq(element.t_out),
            memory.read_address.eq(index),
            self.result.valid.eq(giving),
            self.result.p.data.eq(memory.read_data),
            self.result.p.first.eq(index == 0),
            self.result.p.last.eq(index == s - 1),
        ]
        with m.If(giving):
            m.d.sync += index.eq(Mux(index == s - 1, 0, index + 1))
        with m.If((element.phase == phase) & done):
            m.d.sync += giving.eq(1)
        with m.Elif(index == s - 1):
            m.d.sync += giving.eq(0)
