"""The constants of a modulus that are stored: those of the multiplier, R mod N, R^2 mod N and N.

They come in sections, one after the other.  Where the multiplier takes words, all stay in one
memory, from which its own are handed on without gaps when everything is there; where it takes whole
numbers, its own are gathered in a shift register and, if there are several, kept in a memory as
wide.

For a check the memory keeps numbers of an exponentiation, too: the base, X1 at the end, which
proves the power, and the power.  Then each word has two bits of parity."""

from __future__ import annotations

from typing import Any, ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modmul.blocks.memory import SimpleDualPort, bits_of
from modmul.processors.exponentiation.facts import ExponentiationFacts
from modmul.processors.exponentiation.storage import StoredNumber

ONE, SQUARE, MODULUS = "one", "square", "modulus"  # R mod N, R^2 mod N, N
BASE, PROOF, POWER = "base", "proof", "power"


class LoadedConstants:
    """Stores the constants of a modulus, and gives them again.

    Driven by the caller: loading (words come), store (the word `stored` comes), section_ends (it is
    the last one of its section), step (the word in `word` has been used).  For a check: keep, kept
    and section_kept (a word of a number is stored at `index`), unload (after `read` of the power:
    its word at `index` is wanted).
    gather: the number in which constants are gathered if the multiplier takes whole numbers, else
    None.  index: of the constant that the multiplier gets next, and of a word that is kept.

    Outputs: word (those of a section, in order, after `read`), for_core (the constant of `index`),
    own (the present section belongs to the multiplier), last (it is the last section).  For a
    check: before (the word of the cycle before), flawed (its parity is wrong), unloaded (it is that
    of the power at `index`)."""

    NOTES: ClassVar[dict[str, str]] = {
        "constants": "",
        "multiplier_constants": "",
        "section": "what comes in: constants of the multiplier, then R mod N, R^2 mod N, N",
        "section_of_multiplier": "they are for the multiplier",
        "last_section": "the section that comes in is the last one",
        "constant_loading": "words of a modulus come",
        "constant_store": "a word of a modulus is stored",
        "section_ends": "the word of a modulus that comes is the last one of its section",
        "choice": "1 in bit 0: polynomials; above it, the words of a number less 1",
        "constant_address": "of the constant that is stored or read",
        "constant_address_next": "constant_address in the next cycle, if no other section begins",
        "constant_address_next_sum": "",
        "constant_step": "the word that is read is used",
        "read_data": "constant at constant_address",
        "constant_complete": "a constant of the multiplier has come whole",
        "constant_number": "its number",
        "keep": "a word is kept for the check",
        "kept": "the word that is kept",
        "section_kept": "address of the first word of its number",
        "constant_unload": "words of the power are read",
        "read_before": "read_data in the cycle before, with its parity",
        "place_before": "its address, and the parity of that: one fault makes no other address",
        "unload_before": "a word of the power was read",
        "flawed_before": "the parity of read_before is wrong",
        "unloaded": "read_before is the word of the power at index",
    }

    def __init__(
        self, m: Module, facts: ExponentiationFacts, gather: StoredNumber | None, index: Value
    ):
        self.m, self.facts, self.index = m, facts, index
        self.chip = facts.multiplier.chip
        self.sections = self._sections(facts, gather is not None)
        self.stored = Signal(facts.word, name="constant_stored")
        self.loading = Signal(name="constant_loading")
        self.store = Signal(name="constant_store")
        self.step = Signal(name="constant_step")
        self.section_ends = Signal(name="section_ends")
        self.section = Signal(range(len(self.sections)), name="section")
        self.own = Signal(name="section_of_multiplier")
        self.last = Signal(name="last_section")
        own = self.sections.count("")
        m.d.comb += [
            self.own.eq(self.section < own),
            self.last.eq(self.section == len(self.sections) - 1),
        ]
        with m.If(self.store & self.section_ends):
            m.d.sync += self.section.eq(self.section + 1)
            with m.If(self.last):
                m.d.sync += self.section.eq(0)
        self.starts = self._starts(gather is not None)
        kept = list(self.starts.values())
        self.keep, self.unload = Signal(name="keep"), Signal(name="constant_unload")
        self.unloaded = Signal(name="unloaded")
        self.kept = Signal(facts.word, name="kept")
        self.section_kept = Signal(bits_of(self.depth), name="section_kept")
        self.before: Value = Const(0, facts.word)
        self.flawed = Signal(name="flawed_before")
        self.word: Value = Signal(facts.word, name="no_constants")
        if kept:
            self._memory(gather is not None)
        self.for_core = self.word if gather is None else self._gathered(gather, own, index)

    @staticmethod
    def _sections(facts: ExponentiationFacts, gathers: bool) -> list[str]:
        """The names of the sections; those of the multiplier are ""."""
        own = facts.core_constants if gathers else 1
        domain = [ONE, SQUARE] if facts.enters_domain else []
        return [""] * own + domain + ([MODULUS] if facts.subtractions else [])

    def _starts(self, gathers: bool) -> dict[int, int]:
        """The first address of each section that is in the memory."""
        starts, address = {}, 0
        for number, name in enumerate(self.sections):
            if not name and gathers:
                continue
            starts[number] = address
            address += self.facts.words if name else self.facts.core_constants
        self.numbers: dict[str, int] = {}
        if self.facts.checked:
            for name in (BASE, PROOF, POWER):
                self.numbers[name] = address = -(-address // self._number) * self._number
                address += self._number
        self.depth = address
        return starts

    @property
    def _number(self) -> int:
        """The words of memory for a number that is kept, a power of two."""
        return 1 << bits_of(self.facts.words)

    def read(self, name: str) -> list[Any]:
        """The statements after which the words of a section come, from the next cycle on.
        name: of the section; "": the multiplier's."""
        if name in self.numbers:
            return [self.address.eq(self.numbers[name])]
        places = [number for number in self.starts if self.sections[number] == name]
        return [self.address.eq(self.starts[number]) for number in places]

    def rewind(self) -> list[Any]:
        """The statements after which constants are stored from the beginning on."""
        return [self.address.eq(0)] if self.starts else []

    def _memory(self, gathers: bool) -> None:
        m = self.m
        self.address = Signal(range(self.depth), name="constant_address")
        width = self.facts.word + 2 * self.facts.checked
        memory = SimpleDualPort(self.chip, width, max(2, self.depth), "distributed", 0)
        m.submodules.constants = memory
        self.word = memory.read_data[: self.facts.word]
        stores = self.store & ~(self.own & gathers)
        write: tuple[Value, Value, Value] = (stores, self.address, self.stored)
        if self.facts.checked:
            place = self.index[: bits_of(self.facts.words)]
            data = Mux(self.loading, self.stored, self.kept)
            write = (
                stores | self.keep,
                Mux(self.loading, self.address, self.section_kept | place),
                Cat(data, _parity(data)),
            )
            self._look_again(memory.read_data, self.numbers[POWER] | place)
        m.d.comb += [
            memory.write_enable.eq(write[0]),
            memory.write_address.eq(write[1]),
            memory.write_data.eq(write[2]),
            memory.read_address.eq(self.address),
        ]
        with m.If(self.step):
            m.d.sync += self.address.eq(self.address + 1)
        with m.If(self.store):
            m.d.sync += self.address.eq(self.address + 1)
            with m.If(self.section_ends):
                self._next_section()

    def _look_again(self, read: Value, wanted: Value) -> None:
        """Elaborate the word of the cycle before.  It is read in one cycle, and looked at or leaves
        in the next one.  wanted: the address of the word of the power at `index`."""
        m, place = self.m, Cat(self.address, self.address.xor())
        before = Signal(len(read), name="read_before", reset_less=True)
        of, unload = Signal(len(place), name="place_before"), Signal(name="unload_before")
        self.before = before[: self.facts.word]
        m.d.sync += [before.eq(read), of.eq(place), unload.eq(self.unload)]
        m.d.comb += [
            self.flawed.eq(before[-2:] != _parity(self.before)),
            self.unloaded.eq(self.unload & unload & (of == Cat(wanted, wanted.xor()))),
        ]

    def _next_section(self) -> None:
        m = self.m
        with m.Switch(self.section):
            for number in range(len(self.sections) - 1):
                if number + 1 in self.starts:
                    with m.Case(number):
                        m.d.sync += self.address.eq(self.starts[number + 1])

    def _gathered(self, gather: StoredNumber, own: int, index: Value) -> Value:
        m, bits = self.m, self.facts.multiplier.modulus_beat
        value = gather.whole[0][:bits]
        if own == 1:
            return value
        memory = SimpleDualPort(self.chip, bits, own, "distributed", 0)
        m.submodules.multiplier_constants = memory
        complete = Signal(name="constant_complete")
        number = Signal(range(own), name="constant_number")
        m.d.sync += [
            complete.eq(self.store & self.section_ends & self.own),
            number.eq(self.section),
        ]
        m.d.comb += [
            memory.write_enable.eq(complete),
            memory.write_address.eq(number),
            memory.write_data.eq(value),
            memory.read_address.eq(index),
        ]
        return memory.read_data


def _parity(word: Value) -> Value:
    """The parity at even and at odd places, inverted: wrong in a word never written."""
    return ~Cat(word[place::2].xor() for place in range(2))
