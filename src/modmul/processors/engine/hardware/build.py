"""What an engine in hardware is made of: programs, memories and their places."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from modmul.arithmetic.words import to_words
from modmul.blocks.parity import CODE_BITS, coded_number
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.setting import Setting
from modmul.processors.engine import wiping
from modmul.processors.engine.assembler import Image
from modmul.processors.engine.engine import Engine
from modmul.processors.engine.instructions import FLAGS, Word, encode, instruction_set
from modmul.processors.engine.listing import listing
from modmul.processors.engine.machine import Machine
from modmul.targets.memories import MemoryPair

Storage = Literal["block", "distributed"]
ENTRY = 6  # cycles from a command to the issue of its first word
FAULT = FLAGS  # the bit of the status that tells a fault
STATUS_LATER = 2  # cycles that a protected engine waits with its status


@dataclass(frozen=True)
class EngineBuild:
    """What an engine in hardware is made from.  engine: the engine that the programs were assembled
    for.  images: the programs, by their number in a command.  constants: names of the numbers in
    the constant store, in the order of their places.  storage: of the registers."""

    engine: Engine
    images: tuple[Image, ...]
    constants: tuple[str, ...]
    storage: Storage = "block"

    @property
    def machine(self) -> Machine:
        return self.engine.machine

    @property
    def multiplier(self) -> Multiplier:
        return self.engine.multiplier

    @property
    def word(self) -> int:
        """Bits of a beat."""
        return self.engine.word

    @property
    def protected(self) -> bool:
        """Whether faults are found."""
        return self.engine.protected

    def with_code(self, bits: int) -> int:
        """The bits of a word in a memory, with its code if there is one."""
        return bits + CODE_BITS * self.protected

    def with_parity(self, bits: int) -> int:
        """The bits of the number of a register or beat, with its parity if there is one."""
        return bits + self.protected

    @property
    def stored(self) -> int:
        """Bits of a beat in a memory."""
        return self.with_code(self.word)

    @property
    def status_bits(self) -> int:
        """Bits of the status: those that words TEST set, then one that tells a fault."""
        return FLAGS + self.protected

    @property
    def beats(self) -> int:
        """Beats of a number in registers."""
        return self.machine.beats

    # ---- ports and multipliers ----------------------------------------------------------------
    #
    # Port p reads for adder p, and for multiplier p or, if there is one port, for all.

    @property
    def port_names(self) -> tuple[str, ...]:
        """The suffixes of the names of ports, and of what each port has."""
        return _numbered(self.machine.ports)

    @property
    def unit_names(self) -> tuple[str, ...]:
        """The suffixes of the names of multipliers."""
        return _numbered(self.machine.multipliers)

    @property
    def bank_names(self) -> tuple[str, ...]:
        return tuple(f"{kind}{port}" for kind in ("products", "sums") for port in self.port_names)

    def port_of(self, unit: int) -> int:
        """The port from which a multiplier gets its operands."""
        return unit % self.machine.ports

    # ---- programs -----------------------------------------------------------------------------

    @cached_property
    def _programs(self) -> tuple[tuple[Word, ...], ...]:
        used = sorted({number for image in self.images for number in image.used})
        scalars = sorted({number for image in self.images for number in image.scalars})
        wipe = wiping.program(used, scalars, self.machine)
        return (*(image.words for image in self.images), wipe)

    @cached_property
    def rom(self) -> list[int]:
        """All words, program after program; the last one only overwrites what the others use."""
        words = [encode(word) for words in self._programs for word in words]
        if self.protected:
            return [coded_number(word, instruction_set().word) for word in words]
        return words

    @property
    def listing(self) -> str:
        """The words of all programs as text, for the comment at their memory."""
        return listing(self._programs, self.images, self.first_word)

    @property
    def rom_word(self) -> int:
        """Bits of a word of a program in its memory."""
        return self.with_code(instruction_set().word)

    @cached_property
    def entries(self) -> tuple[int, ...]:
        """The address of each program's first word."""
        lengths = (len(words) for words in self._programs[:-1])
        return tuple(itertools.accumulate(lengths, initial=self.first_word))

    @property
    def scalars(self) -> int:
        """The number of scalars that the programs take, at least 1."""
        taken = [
            word.aux
            for image in self.images
            for word in image.words
            if word.op in ("BIT", "DIGIT", "SCALAR")
        ]
        return 1 + max(taken, default=0)

    @cached_property
    def digit_widths(self) -> frozenset[int]:
        """The widths of digits that programs read."""
        return frozenset(
            word.a for image in self.images for word in image.words if word.op == "DIGIT"
        )

    @property
    def digit_bits(self) -> int:
        """The width of the longest digit, 0 without digits."""
        return max(self.digit_widths, default=0)

    @cached_property
    def ops(self) -> frozenset[str]:
        """The instructions that the programs contain."""
        return frozenset(word.op for words in self._programs for word in words)

    @property
    def codes(self) -> str:
        """The codes of these instructions, for comments."""
        bits = instruction_set().fields["op"].bits
        by_code = sorted((instruction_set().op[name].code, name) for name in self.ops)
        return ", ".join(f"{code:0{bits}b} {name}" for code, name in by_code)

    def has(self, *ops: str) -> bool:
        """Whether a program contains one of these instructions."""
        return any(word.op in ops for image in self.images for word in image.words)

    @property
    def polynomials(self) -> bool:
        """Whether some modulus is a polynomial."""
        return any(
            word.op == "MODULUS" and word.aux for image in self.images for word in image.words
        )

    @property
    def plain_bits(self) -> bool:
        """Whether some bit of a scalar is taken without an exclusive or."""
        return any(word.op == "BIT" and word.a for image in self.images for word in image.words)

    @property
    def repeats(self) -> bool:
        """Whether a program takes the bits of its scalars a second time, to compare them."""
        words = (word for image in self.images for word in image.words)
        return any(word.op == "BIT" and word.b for word in words)

    @cached_property
    def tests(self) -> frozenset[int]:
        """The bits of the status that words TEST set."""
        return frozenset(
            word.aux for image in self.images for word in image.words if word.op == "TEST"
        )

    @property
    def checks(self) -> bool:
        """Whether some number is output only if the status is 0."""
        return any(word.op == "OUT" and word.aux for image in self.images for word in image.words)

    def registers(self, bank: int) -> int:
        """How many registers of a bank the programs use, at least 1."""
        size = self.machine.bank_size
        used = [
            number % size
            for image in self.images
            for number in image.used
            if number // size == bank
        ]
        return 1 + max(used, default=0)

    @cached_property
    def paired(self) -> bool:
        """Whether programs and constants share a block RAM.  Programs come after the constants, so
        that no beat of a modulus can reach a program.  Secret constants get blocks of their own:
        then it is proved without a look at addresses that no secret reaches a word of a program."""
        secret = any(
            source.kind == "constant" and source.secret
            for image in self.images
            for source in image.program.sources
        )
        width = max(self.stored, self.rom_word)
        return not secret and self.multiplier.chip.pairs(width, self.shared_depths)

    @property
    def shared_depths(self) -> tuple[int, int]:
        """The number of words of constants, and of programs."""
        return self.store_size, len(self.rom)

    @property
    def first_word(self) -> int:
        """The address of the first program's first word."""
        return MemoryPair.begins(self.shared_depths) if self.paired else 0

    # ---- the constant store -------------------------------------------------------------------
    #
    # A row has `beats` beats.  First come, for each modulus, the rows N * 2^k for the shifts k of
    # SUB and -N * 2^k for those of RED (modulo 2 to the bits of a register); then the constants.
    # After the rows comes what the multiplier loads for each modulus.  Beats are loaded in this
    # order, without gaps.

    @cached_property
    def sets(self) -> int:
        """The number of moduli that the programs choose from."""
        chosen = [word.a for image in self.images for word in image.words if word.op == "MODULUS"]
        return 1 + max(chosen, default=0)

    def _shifts(self, op: str) -> int:
        shifts = [word.aux for image in self.images for word in image.words if word.op == op]
        return 1 + max(shifts, default=-1)

    @cached_property
    def multiples(self) -> int:
        """The number of rows N * 2^k."""
        return max(1, self._shifts("SUB"))

    @cached_property
    def negatives(self) -> int:
        """The number of rows -N * 2^k.  A reducing adder needs the bound of operands among them."""
        bound = self.bound_shift + 1 if self.machine.reducing else 0
        return max(bound, self._shifts("RED"))

    @property
    def bound_shift(self) -> int:
        """The k for which the bound of operands is 2^k * N."""
        return (-(-self.engine.limits.operand_below // self.engine.largest) - 1).bit_length()

    @property
    def rows(self) -> int:
        return self.sets * self.rows_of_modulus + len(self.constants)

    @property
    def rows_of_modulus(self) -> int:
        """The number of multiples of each modulus, of both signs."""
        return self.multiples + self.negatives

    @property
    def for_multiplier(self) -> int:
        """The number of beats that the multiplier loads for a modulus."""
        each = self.beats if self.engine.whole else 1
        return len(self.engine.over(self.engine.largest).constants) * each

    @property
    def row_bits(self) -> int:
        """The address bits of a beat in a row; the upper bits of an address say which row."""
        return (self.beats - 1).bit_length()

    @property
    def store_size(self) -> int:
        """The number of addresses of the store.  A row begins where the low bits are 0."""
        return (self.rows << self.row_bits) + self.sets * self.for_multiplier

    @property
    def last_place(self) -> int:
        """The address of the last beat of a modulus."""
        if self.sets * self.for_multiplier:
            return self.store_size - 1
        return (self.rows - 1 << self.row_bits) + self.beats - 1

    @property
    def store_beats(self) -> int:
        return self.rows * self.beats + self.sets * self.for_multiplier

    def store(self, settings: Sequence[Setting], values: Sequence[int]) -> list[int]:
        """The beats that load moduli.  If there are fewer moduli than the programs choose
        from, the first one fills the other places.  values: the constants, as registers hold
        them."""
        every = [*settings, *[settings[0]] * (self.sets - len(settings))]
        full, rows = 1 << self.word * self.beats, list[int]()
        for setting in every:
            rows += [setting.modulus << k for k in range(self.multiples)]
            rows += [-(setting.modulus << k) % full for k in range(self.negatives)]
        rows += [*values, *[0] * (len(self.constants) - len(values))]
        beats = [beat for row in rows for beat in to_words(row, self.word, self.beats)]
        return beats + [beat for setting in every for beat in self._loaded(setting)]

    def _loaded(self, setting: Setting) -> list[int]:
        values = [constant.value for constant in setting.constants]
        if not self.engine.whole:
            return values
        return [beat for value in values for beat in to_words(value, self.word, self.beats)]


def _numbered(count: int) -> tuple[str, ...]:
    return ("",) if count == 1 else tuple(f"_{place}" for place in range(count))
