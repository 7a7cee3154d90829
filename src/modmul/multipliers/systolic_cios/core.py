"""The circuit of `systolic-cios`: two rows of cells, the quotient, the result."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modmul.arithmetic.words import ceil_div
from modmul.blocks.delay import DelayLine
from modmul.blocks.memory import SimpleDualPort
from modmul.blocks.one_hot import any_of
from modmul.blocks.wide_product import WideProduct
from modmul.multipliers.core import BareCore
from modmul.multipliers.systolic_cios.parameters import SystolicCiosParameters


class Core(BareCore):
    """{theory}

    Here s = {count}, w = {word}, D = {stages}, P = {turn}."""

    parameters: SystolicCiosParameters

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "control": {
            "running": "a product is in its iterations, but for its first cycle",
            "loading": "its words come, but for the first ones",
            "i": "the iteration of word 0",
            "phase": "the cycle in it",
            "beat": "the word that comes",
            "in_flight": "products whose result has not left",
            "reloading": "a modulus comes",
            "active_*": "row 1 has begun a product, so many cycles ago",
            "starts_*": "the first cycle of an iteration",
            "ends_*": "its last cycle",
            "in_first_*": "the first iteration",
            "in_final_*": "the last iteration",
        },
        "row 1: cell by cell": {
            "a_*": "a_i for the cell",
            "b_*": "the words of b in it, the next one first",
            "ab_*": "a_i*b_j, its high half a cycle later, u_j and the carry",
        },
        "row 2": {
            "q_*": "q for the cell",
            "n_*": "the words of N in it, the next one first",
            "qn_*": "q*n_j, its high half a cycle later, t_(j-1) and the carry",
        },
    }
    PORT_NOTES: ClassVar[dict[str, str]] = {
        "modulus_ready": "taken at the next edge; no product is in the core",
        "operand_valid": "the source offers a beat; not together with a modulus, nor before one",
        "result_valid": "a word is there in this cycle only: no back-pressure",
    }

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.parameters
        self._control(m)
        t = [Signal(p.word, name=f"t_{c}") for c in range(ceil_div(p.count, p.turn))]
        u = self._row_1(m, t)
        low, high = self._moduli(m)
        self._row_2(m, t, u, self._quotients(m, u[0], low), high)
        self._result(m, t)
        return m

    def _control(self, m: Module) -> None:
        p = self.parameters
        last = p.count - 1
        running, loading = Signal(name="running"), Signal(name="loading")
        self.reloading, active, begin = (Signal(name=x) for x in ("reloading", "active", "start"))
        self.i = i = Signal(range(p.count), name="i", reset_less=True)
        phase = Signal(range(p.turn), name="phase", reset_less=True)
        self.position = beat = Signal(range(p.count), name="beat")
        self.running, self.begin = running, begin
        m.d.comb += [
            self.operand.ready.eq((~running | loading) & ~self.reloading),
            begin.eq(self.operand.valid & ~running & ~self.reloading),
            active.eq(running | begin),
        ]
        m.d.sync += phase.eq(phase + 1)
        with m.If(loading):
            m.d.sync += [beat.eq(Mux(beat == last, 0, beat + 1)), loading.eq(beat != last)]
        with m.If(phase == p.turn - 1):
            m.d.sync += [phase.eq(0), i.eq(i + 1)]
            with m.If(i == last):
                m.d.sync += running.eq(0)
        with m.If(~running):
            m.d.sync += [i.eq(0), phase.eq(1), running.eq(begin), loading.eq(begin), beat.eq(begin)]
        flags = {
            "active": active,
            "starts": begin | (running & (phase == 0)),
            "ends": running & (phase == p.turn - 1),
            "in_first": begin | (running & (i == 0)),
            "in_final": running & (i == last),
        }
        self.at = {}
        for name, flag in flags.items():
            now = Signal(name=f"{name}_now")
            m.d.comb += now.eq(flag)
            self.at[name] = DelayLine(m, now, name, reset=True)

    def _row_1(self, m: Module, t: list[Signal]) -> list[DelayLine]:
        """U_j, cell by cell; the last cell may have only the carry out of the words."""
        p, operand, at = self.parameters, self.operand.p, self.at
        ram = SimpleDualPort(p.chip, p.word, p.count, "distributed", 0, "words of a")
        m.submodules.a_ram = ram
        held = Signal(p.word, name="a_0")
        m.d.comb += [
            ram.write_enable.eq(self.operand.valid & self.operand.ready),
            ram.write_address.eq(self.position),
            ram.write_data.eq(operand.a),
            ram.read_address.eq(self.i),
            held.eq(Mux(self.running, ram.read_data, operand.a)),
        ]
        lines: list[DelayLine] = []
        before: tuple[Value, Value] = (Const(0, p.word), Const(0, 2))
        for c in range(p.count // p.turn + 1):
            time = c * p.turn
            product: Value = Const(0, 2 * p.word)
            if c < p.cells[0]:
                first = at["in_first"](time)
                head = self._ring(m, f"b_{c}", at["active"](time), operand.b, first)
                right = Mux(first, operand.b, head)
                product = WideProduct(m, p.chip, p.word, p.stages, f"ab_{c}").place(held, right)
            addend = Mux(at["in_first"](time + p.stages), 0, t[c]) if c < len(t) else Const(0)
            if c == p.count // p.turn:
                top = at["starts"](p.count + p.stages)
                product = Cat(Mux(top, 0, product[: p.word]), product[p.word :])
                addend = Mux(top, 0, addend)
            restart = (at["starts"](time + p.stages), *before)
            total, before = self._add(m, f"ab_{c}", product, addend, restart)
            lines.append(DelayLine(m, total[: p.word], f"u_{c}"))
            held = self._handed_on(m, f"a_{c + 1}", held, at["ends"](time))
        return lines

    def _ring(self, m: Module, name: str, moves: Value, loaded: Value, loads: Value) -> Signal:
        """The next of P words that go round while `moves` is high; with `loads`, `loaded`
        takes its place."""
        p = self.parameters
        words = [Signal(p.word, name=f"{name}_{k}", reset_less=True) for k in range(p.turn)]
        with m.If(moves):
            for word, following in zip(words, [*words[1:], words[0]], strict=True):
                m.d.sync += word.eq(following)
            with m.If(loads):
                m.d.sync += words[-1].eq(loaded)
        return words[0]

    def _handed_on(self, m: Module, name: str, value: Value, when: Value) -> Signal:
        register = Signal(len(value), name=name, reset_less=True)
        with m.If(when):
            m.d.sync += register.eq(value)
        return register

    def _add(
        self,
        m: Module,
        name: str,
        product: Value,
        addend: Value,
        restart: tuple[Value, Value, Value],
    ) -> tuple[Signal, tuple[Signal, Signal]]:
        """The sum of low half of the product, high half of the one before, addend and carry;
        and, for the next cell, high half and carry.

        restart: whether the earlier high half and carry come from elsewhere; then these two."""
        w = self.parameters.word
        high = Signal(w, name=f"{name}_high", reset_less=True)
        carry = Signal(2, name=f"{name}_carry", reset_less=True)
        total = Signal(w + 2, name=f"{name}_total")
        elsewhere, other_high, other_carry = restart
        more = Mux(elsewhere, other_high, high) + addend + Mux(elsewhere, other_carry, carry)
        m.d.comb += total.eq(product[:w] + more)
        m.d.sync += [high.eq(product[w:]), carry.eq(total[w:])]
        return total, (high, carry)

    def _moduli(self, m: Module) -> tuple[tuple[Signal, Signal], list[Signal]]:
        """N_0 and N'; and the words of N above, as they pass in the cells of row 2.

        A modulus is shifted in, while no product uses the words."""
        p = self.parameters
        taken, shifts = Signal(name="modulus_taken"), Signal(name="modulus_shifts")
        data = self.modulus.p.data
        self.in_flight = Signal(2, name="in_flight")
        prime = Signal(p.word, name="n_prime", reset_less=True)
        lowest = Signal(p.word, name="n_lowest", reset_less=True)
        turning = self.at["active"](p.cells[1] * p.turn)  # the last ring
        m.d.comb += [
            self.modulus.ready.eq(~self.running & (self.in_flight == 0) & ~turning),
            taken.eq(self.modulus.valid & self.modulus.ready),
            shifts.eq(taken & ~self.modulus.p.last),
        ]
        rings = [
            [Signal(p.word, name=f"n_{c}_{k}", reset_less=True) for k in range(p.turn)]
            for c in range(p.cells[1])
        ]
        chain = [lowest, *(word for ring in rings for word in ring)][: p.count]
        for c, ring in enumerate(rings):
            with m.If(self.at["active"]((c + 1) * p.turn)):
                for word, following in zip(ring, [*ring[1:], ring[0]], strict=True):
                    m.d.sync += word.eq(following)
        with m.If(taken):
            m.d.sync += [self.reloading.eq(~self.modulus.p.last), prime.eq(data)]
        with m.If(shifts):
            for word, following in zip(chain, [*chain[1:], data], strict=True):
                m.d.sync += word.eq(following)
        return (lowest, prime), [ring[0] for ring in rings]

    def _quotients(
        self, m: Module, u: DelayLine, low: tuple[Signal, Signal]
    ) -> tuple[Signal, Value, Value]:
        """q for the first cell, and what word 0 leaves for it: the high half of q*n_0, and
        the carry."""
        p, at = self.parameters, self.at
        lowest, prime = low
        makes = at["starts"](p.stages + 1)
        left, right = Signal(p.word, name="q_left"), Signal(p.word, name="q_right")
        product, q = Signal(2 * p.word, name="q_product"), Signal(p.word, name="q_0")
        kept = Signal(p.word, name="q_kept", reset_less=True)
        m.d.comb += [
            q.eq(Mux(at["starts"](p.turn), product, kept)),
            left.eq(Mux(makes, u(1), q)),
            right.eq(Mux(makes, prime, lowest)),
            product.eq(WideProduct(m, p.chip, p.word, p.stages, "q").place(left, right)),
        ]
        m.d.sync += kept.eq(q)
        carry = DelayLine(m, u(1).any(), "u_0_is_not_0")(2 * p.stages)
        return q, product[p.word :], carry

    def _row_2(
        self,
        m: Module,
        t: list[Signal],
        u: list[DelayLine],
        quotient: tuple[Signal, Value, Value],
        heads: list[Signal],
    ) -> None:
        """Drive t_(j-1), cell by cell, from word j = 1 on."""
        p, at = self.parameters, self.at
        q, *before = quotient
        for c, result in enumerate(t):
            time = (c + 1) * p.turn + p.stages  # when this cell begins to add
            product: Value = Const(0, 2 * p.word)
            if c < len(heads):
                product = WideProduct(m, p.chip, p.word, p.stages, f"qn_{c}").place(q, heads[c])
            addend = u[c](2 * p.stages)
            if c + 1 < len(u):  # its last word is the first word of the next cell of row 1
                addend = Mux(at["ends"](time), u[c + 1](2 * p.stages), addend)
            if c == len(t) - 1:
                top = at["starts"](p.count + 3 * p.stages)
                product = Cat(Mux(top, 0, product[: p.word]), product[p.word :])
            restart = (at["starts"](time), before[0], before[1])
            total, passed = self._add(m, f"qn_{c}", product, addend, restart)
            before = [*passed]
            m.d.comb += result.eq(total)
            q = self._handed_on(m, f"q_{c + 1}", q, at["ends"]((c + 1) * p.turn))

    def _result(self, m: Module, t: list[Signal]) -> None:
        p, at = self.parameters, self.at
        times = [(c + 1) * p.turn + p.stages for c in range(len(t))]
        leaving, index = Signal(name="leaving"), Signal(range(p.count), name="out_index")
        first, last = Signal(name="first_word"), Signal(name="last_word")
        chosen = [at["in_final"](time) for time in times]
        word = any_of([part & on.replicate(p.word) for part, on in zip(t, chosen, strict=True)])
        m.d.comb += [
            first.eq(at["starts"](times[0]) & at["in_final"](times[0])),
            last.eq(leaving & (index == p.count - 1)),
        ]
        with m.If(first):
            m.d.sync += [leaving.eq(1), index.eq(1)]
        with m.Elif(leaving):
            m.d.sync += [leaving.eq(~last), index.eq(index + 1)]
        with m.If(self.begin & ~last):
            m.d.sync += self.in_flight.eq(self.in_flight + 1)
        with m.If(last & ~self.begin):
            m.d.sync += self.in_flight.eq(self.in_flight - 1)
        domain = m.d.sync if p.output_register else m.d.comb
        domain += [
            self.result.valid.eq(first | leaving),
            self.result.p.first.eq(first),
            self.result.p.last.eq(last),
            self.result.p.data.eq(word),
        ]
