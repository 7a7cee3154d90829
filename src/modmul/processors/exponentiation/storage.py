"""Stores a number between two products, and gives it word by word or as a whole.

Both kinds take and give words in order, least significant first: a memory where the multiplier
takes words, a shift register where it takes whole numbers."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modmul.blocks.memory import SimpleDualPort
from modmul.targets.description import Target


class StoredNumber:
    """A number of `words` words of `word` bits, or, if `pair`, two vectors whose sum it is.

    Driven by the caller: store (`stored` becomes the next word, with 0 in the second vector), turn
    (the word that is read has been used), load (take `loaded`, one for each vector: a word of the
    result, or the whole result).  Only one of these may be high in a cycle; with memories turn may
    always be.  Outputs, one for each vector: word (the word that is read), operand (what the
    multiplier takes), and with registers whole."""

    NOTES: ClassVar[dict[str, str]] = {
        "x[01]_memory": "",
        "x[01]_sum_memory": "",
        "x[01]_carry_memory": "",
        "write_address": "write port of the memory of X0: a result, or x0_stored",
        "write_data": "write port of the memory of X0: a result, or x0_stored",
        "x[01]_store": "a word is stored that is no result",
        "x[01]_stored": "the word that is stored",
        "x[01]_load": "a beat of a result is stored",
        "x[01]_loaded": "the beat of a result",
        "x[01]_turn": "its lowest word is used, and goes round to the top",
        "x[01]_reg": "the number; words leave at the bottom and enter at the top",
        "x[01]_sum_reg": "sum vector of the number; words leave at the bottom and enter at the top",
        "x[01]_carry_reg": "its carry vector, likewise",
        "x[01]_memory_read_data": "word of this number at index",
        "x1_memory_write_*": "write port of the memory of X1: a result, or x1_stored",
        "index_before": "index in the cycle before",
        "store_index": "where a word is stored that is no result: in a reduction a cycle after it "
        "was read",
    }

    store: Signal
    turn: Signal
    load: Signal
    stored: Signal
    loaded: list[Signal]
    load_index: Signal | None = None
    word: list[Value]
    operand: list[Value]
    whole: list[Value]

    def __init__(self, name: str, word: int, beat: int, pair: bool):
        self.store = Signal(name=f"{name}_store")
        self.turn = Signal(name=f"{name}_turn")
        self.load = Signal(name=f"{name}_load")
        self.stored = Signal(word, name=f"{name}_stored")
        self.names = [f"{name}_sum", f"{name}_carry"] if pair else [name]
        self.loaded = [Signal(beat, name=f"{vector}_loaded") for vector in self.names]


class InMemory(StoredNumber):
    """A number in memories of `words` words.  load_index: which word of the result comes.
    indices: of the word that is read, and of the one that is stored.  used: the bits of the word
    that are read; the others are read as 0.  None: all."""

    def __init__(
        self,
        m: Module,
        chip: Target,
        name: str,
        word: int,
        words: int,
        pair: bool,
        indices: tuple[Value, Value],
        used: Value | None,
    ):
        super().__init__(name, word, word, pair)
        self.word = []
        self.load_index = Signal(range(words), name=f"{name}_load_index")
        for number, vector in enumerate(self.names):
            memory = SimpleDualPort(chip, word, words, "distributed", 0)
            m.submodules[f"{vector}_memory"] = memory
            m.d.comb += [
                memory.write_enable.eq(self.store | self.load),
                memory.write_address.eq(Mux(self.load, self.load_index, indices[1])),
                memory.write_data.eq(
                    Mux(self.load, self.loaded[number], Const(0) if number else self.stored)
                ),
                memory.read_address.eq(indices[0]),
            ]
            self.word.append(_masked(memory.read_data, used))
        self.operand = self.word


class InRegister(StoredNumber):
    """A number in shift registers.  Words leave at the bottom, and new ones come in at the top.

    After as many turns as it has words, a register contains the same as before.  used: see
    `InMemory`; `operand` and `whole` have all bits."""

    def __init__(
        self, m: Module, name: str, word: int, words: int, beat: int, pair: bool, used: Value | None
    ):
        super().__init__(name, word, beat, pair)
        self.word, self.operand, self.whole = [], [], []
        for number, vector in enumerate(self.names):
            register = Signal(word * words, name=f"{vector}_reg", reset_less=True)
            stored = Const(0, word) if number else self.stored
            with m.If(self.load):
                m.d.sync += register.eq(self.loaded[number])
            with m.Elif(self.store | self.turn):
                top = Mux(self.store, stored, register[:word])
                m.d.sync += register.eq(Cat(register[word:], top))
            self.word.append(_masked(register[:word], used))
            self.operand.append(register[:beat])
            self.whole.append(register)


def _masked(word: Value, used: Value | None) -> Value:
    return word if used is None else word & used
