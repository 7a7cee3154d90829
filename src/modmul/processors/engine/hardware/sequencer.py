"""Fetches words, waits, repeats loops, and issues.

Words pass through four places: `address`, the program store's own register (`read`), its output
register (`fetched`), and `waiting`, where a word is while its wait and that of the word before run
down.  All of them advance together, when the word in `waiting` makes room.  So after a jump the
words that follow must already be right: a bit in the third word before an END says, when it is in
`fetched`, that the next address is that of the END, and whether another pass follows is decided
when the END is fetched.  For that a pass has at least `AHEAD` words before its END.

Nothing here depends on a number in a register, or on a bit of a scalar."""

from __future__ import annotations

from types import SimpleNamespace
from typing import ClassVar

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from modmul.blocks.countdown import counted_down
from modmul.blocks.memory import bits_of
from modmul.blocks.parity import CODE_BITS
from modmul.processors.engine.hardware.build import ENTRY, EngineBuild
from modmul.processors.engine.hardware.decode import is_any
from modmul.processors.engine.instructions import IMMEDIATE, instruction_set

COUNT_BITS = 12  # bits of the number of passes of a loop
FETCH_LEAD = 3  # steps of a word from `address` to `waiting`


def word_layout(build: EngineBuild) -> data.StructLayout:
    """The fields of a word, lowest first, as in isa.toml, and its code if there is one."""
    fields = sorted(instruction_set().fields.items(), key=lambda item: item[1].low)
    code = {"code": CODE_BITS} if build.protected else {}
    return data.StructLayout({name: field.bits for name, field in fields} | code)


class Sequencer(wiring.Component):
    """The sequencer of the engine: fetches the instructions of a program, and issues each in its
    cycle.

    An instruction says how many cycles later the next one follows, and a loop how often it is
    passed. If the unit `host` is still busy when an instruction other than NOP should follow,
    everything is put off by {turn} cycles, after which the multiplier's slots are where they were.

    Ports:

      `fetch_address`, `fetches`: the word at this address in the program store is in
        `fetched_word` after two cycles with `fetches`
      `start`: begins the program at the address `entry` ({address_bits} bits).  Its first
        instruction is issued {entry_cycles} cycles after its command was taken, which is the
        cycle before `start`
      `count`: passes of loops that do not say themselves how many
      `passes`, `extra`: another pass follows; it is the extra one.  A copy of the sequencer takes
        them as `passes_follow` and `extra_follows`
      `busy`: the unit `host`, or the loading of a modulus, is not done
      `running`: high from the cycle after `start` to the end of the program
      `issue`: an instruction is issued; it is in `word`, which stays until the next one arrives
      `arrives`: an instruction, in `arriving_word`, will be issued in the next cycle;
        `arriving_reads`: it reads registers
      `arrived`: as `arrives`, also for an instruction that is left out in this pass of a loop,
        and for those that only the sequencer executes (NOP, LOOP, END)
    """

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "places of the words": {
            "address_valid": "address_reg belongs to the program",
            "read_valid": "so does the word in the first register of the store",
            "fetched_valid": "so does fetched_word",
            "waiting_valid": "so does the word that arrives",
            "waiting_[a-z]*": "field of the word that arrives",
            "halting": "HALT leaves: the program ends",
        },
        "waiting": {
            "waiting_op": "instruction of the word that arrives: {codes}; no other code occurs, so "
            "that decoders test only some bits",
            "ends_now": "the last cycle of the wait of the word that arrives",
            "left": "cycles of this wait that are left",
            "waits_for_host": "the host is busy",
            "waiting_is_halt": "the word that arrives is HALT",
            "waiting_is_loop": "the word that arrives is LOOP",
            "waiting_does_nothing": "the word that arrives is one that only the sequencer "
            "executes: END, LOOP or NOP",
            "waiting_reads": "the word that arrives reads registers",
        },
        "address": {
            "address_reg": "of the next word",
            "at_end": "it is that of an END",
            "jump": "another pass follows: go on at loop_start",
            "loop_start": "address of the first word of the loop",
            "address_[0-9]*_before": "address_reg so many words ago",
        },
        "loops": {
            "passes_left": "passes of the loop, with this one",
            "one_pass_left": "this is the last one, or the one before extra_pass",
            "extra_pass": "one more follows, with words of stage 1 only",
            "passes_asked": "number of passes of a LOOP that arrives",
            "loop_begun": "LOOP left in the cycle before",
            "first_pass": "the word at address_reg is of the first pass",
            "last_pass": "it is of the extra pass",
            "read_first": "first_pass for the word that is read",
            "read_last": "last_pass for that word",
            "fetched_first": "first_pass for fetched_word",
            "fetched_last": "last_pass for fetched_word",
            "waiting_first": "first_pass for the word that arrives: words of stage 1 rest",
            "waiting_last": "last_pass for the word that arrives: words of stage 0 rest",
        },
    }

    def __init__(self, build: EngineBuild, copies: bool = False):
        """copies: it checks which words another sequencer issues, and when.  It takes from that one
        how often loops are passed.  A wrong number of passes makes results wrong, which the
        programs notice, as they take scalars twice and test results; it brings no other words."""
        self.build, self.copies = build, copies
        self.turn = build.machine.turn
        self.entry_cycles = ENTRY
        self.chip = build.multiplier.chip
        self.layout = word_layout(build)
        by_field = wiring.Signature({str(name): Out(field.width) for name, field in self.layout})
        self.address_bits = bits_of(build.first_word + len(build.rom))
        super().__init__(
            {
                "fetch_address": Out(self.address_bits),
                "fetches": Out(1),
                "fetched_word": In(self.layout),
                "start": In(1),
                "entry": In(self.address_bits),
                "busy": In(1),
                **(
                    {"passes_follow": In(1), "extra_follows": In(1)}
                    if copies
                    else {"count": In(COUNT_BITS)}
                ),
                **({"passes": Out(1), "extra": Out(1)} if build.protected and not copies else {}),
                "running": Out(1),
                "issue": Out(1),
                "word": Out(by_field),
                "arrived": Out(1),
                "arrives": Out(1),
                "arriving_word": Out(by_field),
                "arriving_reads": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        self.m = m = Module()
        self.waiting = SimpleNamespace(
            **{
                str(name): Signal(field.width, name=f"waiting_{name}", reset_less=True)
                for name, field in self.layout
            }
        )
        self.fetched = self.fetched_word
        self.advance = Signal()
        m.d.comb += self.fetches.eq(self.advance)
        self._begin()
        with m.If(self.advance):
            m.d.sync += [field.eq(self.fetched[name]) for name, field in vars(self.waiting).items()]
        self._wait()
        self._address()
        self._loop()
        self._issue()
        return m

    def _tells(self, name: str, *names: str) -> Signal:
        """Whether the word in `waiting` is one of these; decoded as it is fetched."""
        m = self.m
        told = Signal(name=f"waiting_{name}")
        with m.If(self.advance):
            m.d.sync += told.eq(is_any(self.build.ops, self.fetched.op, *names))
        return told

    def _begin(self) -> None:
        """Elaborate which of the four places hold a word of the program."""
        m = self.m
        self.valid = [
            Signal(name=f"{place}_valid") for place in ("address", "read", "fetched", "waiting")
        ]
        address, *others = self.valid
        self.halting = Signal()
        m.d.comb += self.halting.eq(others[-1] & self.advance & self._tells("is_halt", "HALT"))
        with m.If(self.advance):
            m.d.sync += [
                place.eq(before) for before, place in zip(self.valid, others, strict=False)
            ]
        with m.If(self.start):
            m.d.sync += [address.eq(1), *(place.eq(0) for place in others)]
            m.d.sync += self.running.eq(1)
        with m.If(self.halting):
            m.d.sync += [place.eq(0) for place in self.valid]
            m.d.sync += self.running.eq(0)

    def _wait(self) -> None:
        """Elaborate the wait.  `ends_now` comes from a flip-flop, because it enables everything."""
        m = self.m
        self.ends_now = Signal(init=1)  # the last cycle of the word in `waiting`
        holds = Signal(name="waits_for_host")
        m.d.comb += self.advance.eq(self.ends_now & ~holds)
        idles = is_any(self.build.ops, self.fetched.op, "NOP") & self.valid[2] & ~self.advance
        m.d.sync += holds.eq(self.busy & ~idles)  # a NOP need not wait for the host
        left = Signal(instruction_set().fields["wait"].bits)
        waits = self.fetched.wait  # has no effect if `fetched` holds no word of the program
        begins = self.advance
        if self.turn > 1:
            begins |= self.ends_now
        value = Mux(self.advance, waits, self.turn - 1)
        m.d.sync += left.eq(counted_down(self.chip, left, begins, value))
        with m.If(self.advance):
            m.d.sync += self.ends_now.eq((waits == 0) | ~self.valid[2])
        with m.Elif(self.ends_now):
            if self.turn > 1:
                m.d.sync += self.ends_now.eq(self.turn == 1)
        with m.Else():
            m.d.sync += self.ends_now.eq(left == 1)
        with m.If(self.start):
            m.d.sync += self.ends_now.eq(1)

    def _address(self) -> None:
        """Elaborate the address.  `at_end`: it is that of an END, as the word ENDING before it
        said."""
        m = self.m
        self.address = Signal(self.address_bits, name="address_reg")
        self.at_end = Signal()
        self.jump = Signal()
        self.loop_start = Signal.like(self.address, name="loop_start")
        self.past = [
            Signal.like(self.address, name=f"address_{k + 1}_before") for k in range(FETCH_LEAD - 1)
        ]
        m.d.comb += self.fetch_address.eq(self.address)
        with m.If(self.advance):
            m.d.sync += [
                self.address.eq(Mux(self.jump, self.loop_start, self.address + 1)),
                self.at_end.eq(self.fetched.ending & self.valid[2]),
                *(
                    later.eq(newer)
                    for newer, later in zip((self.address, *self.past), self.past, strict=False)
                ),
            ]
        with m.If(self.start):
            m.d.sync += [self.address.eq(self.entry), self.at_end.eq(0)]

    def _loop(self) -> None:
        """Elaborate loops.  The last pass may be an extra one, with words of stage 1 only."""
        m = self.m
        begins = self.valid[3] & self.advance & self._tells("is_loop", "LOOP")
        with m.If(begins):
            m.d.sync += self.loop_start.eq(self.past[FETCH_LEAD - 2])
        self.first, self.last = Signal(name="first_pass"), Signal(name="last_pass")
        ends = self.advance & self.at_end & self.valid[0]
        if self.copies:
            follow, extra_follows = self.passes_follow, self.extra_follows
        else:
            follow, extra_follows = self._count(begins, ends)
        m.d.comb += self.jump.eq(self.at_end & follow)
        if self.build.protected and not self.copies:
            m.d.comb += [self.passes.eq(follow), self.extra.eq(extra_follows)]
        with m.If(ends):
            m.d.sync += [self.first.eq(0), self.last.eq(extra_follows)]
        with m.If(begins):
            m.d.sync += [self.first.eq(1), self.last.eq(0)]
        self._passes(begins)

    def _count(self, begins: Value, ends: Value) -> tuple[Value, Value]:
        """Elaborate the number of passes: whether another one follows, and whether that is the
        extra one."""
        m, word = self.m, self.waiting
        left, extra, one_left = (
            Signal(COUNT_BITS, name="passes_left"),
            Signal(name="extra_pass"),
            Signal(name="one_pass_left"),
        )
        asked, begun = Signal.like(left, name="passes_asked"), Signal(name="loop_begun")
        m.d.sync += [
            one_left.eq(left == 1),
            begun.eq(begins),
            asked.eq(Mux(word.aux == IMMEDIATE, Cat(word.b, word.a), self.count)),
        ]
        with m.If(begun | (ends & ~one_left)):
            m.d.sync += left.eq(counted_down(self.chip, left, begun, asked))
        with m.If(ends & one_left):
            m.d.sync += extra.eq(0)
        with m.If(begins):
            m.d.sync += extra.eq(word.stage)
        return ~one_left | extra, one_left & extra

    def _passes(self, begins: Value) -> None:
        """Let `first_pass` and `last_pass` travel with the words that were fetched in them."""
        m = self.m
        travelling = [(self.first, self.last)]
        for place in ("read", "fetched", "waiting"):
            first, last = Signal(name=f"{place}_first"), Signal(name=f"{place}_last")
            before_first, before_last = travelling[-1]
            with m.If(self.advance):
                m.d.sync += [first.eq(before_first | begins), last.eq(before_last & ~begins)]
            travelling.append((first, last))
        self.waiting_first, self.waiting_last = travelling[-1]

    def _issue(self) -> None:
        """Elaborate the issue: a word becomes `word` in the cycle after it came to `waiting`."""
        m, stage = self.m, self.waiting.stage
        m.d.sync += self.arrived.eq(self.advance & self.valid[2] & ~self.halting)
        rests = (self.waiting_first & stage) | (self.waiting_last & ~stage)
        reading = (name for name, instruction in instruction_set().op.items() if instruction.reads)
        m.d.comb += [
            self.arrives.eq(
                self.arrived & ~rests & ~self._tells("does_nothing", "NOP", "LOOP", "END")
            ),
            self.arriving_reads.eq(self._tells("reads", *reading)),
            *(
                getattr(self.arriving_word, name).eq(field)
                for name, field in vars(self.waiting).items()
            ),
        ]
        m.d.sync += self.issue.eq(self.arrives)
        with m.If(self.arrived):
            m.d.sync += [
                getattr(self.word, name).eq(field) for name, field in vars(self.waiting).items()
            ]
