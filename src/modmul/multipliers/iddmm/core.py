"""The circuit of `iddmm`: two word multipliers, U and q, T, the result."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modmul.blocks.delay import DelayLine
from modmul.blocks.memory import SimpleDualPort
from modmul.blocks.wide_product import WideProduct, product_notes
from modmul.multipliers.core import BareCore
from modmul.multipliers.iddmm.parameters import IddmmParameters


class Core(BareCore):
    """{theory}

    Here w = {word}, s = {beats}, D = {stages}, P = {turn}."""

    parameters: IddmmParameters

    @property
    def NOTES(self) -> dict[str, dict[str, str]]:
        p = self.parameters
        begins = {
            p.stages + p.u_register: "u_0*N' enters the second multiplier",
            2 * p.stages + p.u_register: "u_0*N' leaves it: q",
            p.added: "q*n_0 leaves it",
        }
        return {
            "control": {
                "product_begins": "the first digits of a product are taken",
                "running": "a product is in its iterations, but for its first cycle",
                "active": "a product is in its iterations",
                "loading": "its digits come, but for the first ones",
                "i": "the iteration",
                "j": "the cycle in it: the digit of b",
                "in_flight": "products whose result is not in its memory",
                "begins": "cycle 0 of an iteration: a_i*b_0 enters the first multiplier",
                **{
                    f"begins_d{late}": f"begins, {late} cycles ago: {what}"
                    for late, what in begins.items()
                },
                "begins_d[0-9]*": "begins, so many cycles ago",
                "tops": "cycle {beats} of an iteration: behind the last digit, for the carry",
                "tops_d[0-9]*": "tops, so many cycles ago",
                "in_first": "of the first iteration: T is 0",
                "in_first_d[0-9]*": "in_first, so many cycles ago",
                "stores": "a product enters that makes a digit of the result",
                "stores_d[0-9]*": "stores, so many cycles ago",
            },
            "modulus": {
                "modulus_taken": "a beat of a modulus is stored",
                "modulus_digit": "number of the beat; N' is the last one",
                "reloading": "more beats of a modulus follow",
                "n_prime": "N'",
            },
            "operands": {
                "from_port": "digits come from the port",
                "[ab]_ram_write_enable": "digits of the operands are stored",
                "a_word": "a_i",
                "b_word": "b_j",
                "[ab]_ram": "",
            },
            "first multiplier: a_i*b_j": product_notes("ab", "a_i", "b_j"),
            "U = T + a_i*B": {
                "ab_high": "high word of the product before",
                "u_sum": "u_j, its carry on top: low word of a_i*b_j + t_j + what is left of j - "
                "1: ab_high, u_carry",
                "u_sum_d1": "u_j a cycle later",
                "u_carry": "the carry out of the digit before",
                "u_d[0-9]*": "u_j, so many cycles later: it waits for q*n_j",
                "u_over_d[0-9]*": "bit {word} of u_sum, so many cycles later; it counts for the "
                "last digit",
            },
            "second multiplier: q = u_0*N' mod 2^w, then q*n_j": {
                "q": "u_0*N' mod 2^w, from its first cycle on",
                "q_reg": "q, from its second cycle on",
                "n_index": "j of n_j",
                "n_word": "n_j",
                "n_ram": "",
                **product_notes("qn", "u_0 or q", "N' or n_j"),
            },
            "T = (U + q*N) / 2^w": {
                "qn_high": "high word of the product before",
                "t_sum": "t_(j-1), its carry on top: low word of q*n_j + u_j + what is left of j "
                "- 1: qn_high, t_carry; for j = 0 the word is 0",
                "t_carry": "the carry out of the digit before",
                "t_digit": "t_(j-1)",
                "t_digit_d[0-9]*": "t_(j-1), so many cycles later",
                "t_top": "the bit above the digits of T",
            },
            "the result": {
                "result_index": "number of the digit that is stored, of T and of T - N",
                "n_again_word": "its digit of N",
                "n_again_ram": "",
                "difference": "a digit of T - N, and the borrow",
                "borrow": "the borrow of the digit before",
                "done": "the last digit is stored",
                "keep": "T is below N",
                "t_ram": "",
                "t_less_n_ram": "",
                "leaving": "digits of the result leave",
                "out_index": "number of the digit that leaves",
                "t_word": "the digit of T with this number",
                "t_less_n_word": "that of T - N",
            },
        }

    PORT_NOTES: ClassVar[dict[str, str]] = {
        "modulus_ready": "taken at the next edge; no product is in the core",
        "operand_valid": "the source offers a beat; not together with a modulus, nor before one",
        "result_valid": "a digit is there in this cycle only: no back-pressure",
    }

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.parameters
        self._control(m)
        self._moduli(m)
        t_top = Signal(name="t_top", reset_less=True)
        t_digit = Signal(p.word, name="t_digit")
        late = DelayLine(m, t_digit, "t_digit")
        ab = self._first_product(m)
        u, u_carry = self._u(m, ab, late(p.turn - 2 * p.stages - 1 - p.u_register), t_top)
        qn = self._second_product(m, u)
        u_late = DelayLine(m, u, "u")(2 * p.stages)
        over = DelayLine(m, u_carry[0], "u_over")(2 * p.stages)
        total = self._sum(m, qn, u_late, p.added, "t", "qn")
        m.d.comb += t_digit.eq(total)
        with m.If(self.tops(p.added)):
            m.d.sync += t_top.eq(total[p.word :].any() | over)
        self._result(m, late(1), t_top)
        return m

    def _control(self, m: Module) -> None:
        p = self.parameters
        last = p.beats - 1
        self.running, self.loading = Signal(name="running"), Signal(name="loading")
        self.reloading = Signal(name="reloading")
        self.i = i = Signal(range(p.beats), name="i", reset_less=True)
        self.j = j = Signal(range(p.turn), name="j", reset_less=True)
        self.from_port = Signal(name="from_port")  # digits come from the port
        active, begin = Signal(name="active"), Signal(name="product_begins")
        m.d.comb += [
            self.from_port.eq(~self.running | self.loading),
            self.operand.ready.eq(self.from_port & ~self.reloading),
            begin.eq(self.operand.valid & ~self.running & ~self.reloading),
            active.eq(self.running | begin),
        ]
        m.d.sync += j.eq(j + 1)
        with m.If(j == last):
            m.d.sync += self.loading.eq(0)
        with m.If(j == p.turn - 1):
            m.d.sync += [j.eq(0), i.eq(i + 1)]
            with m.If(i == last):
                m.d.sync += self.running.eq(0)
        with m.If(~self.running):
            m.d.sync += [i.eq(0), j.eq(1), self.running.eq(begin)]
            m.d.sync += self.loading.eq(begin if last else 0)
        self.position = Mux(self.running, j, 0)
        self.begin = begin
        self._flags(m, active)

    def _flags(self, m: Module, active: Signal) -> None:
        digit, last = self.position, self.parameters.beats - 1
        ending = (self.i == last) & self.running if last else Const(1, 1)
        flags = {
            "begins": active & (digit == 0),
            "tops": active & (digit == last + 1),
            "in_first": ~self.running | (self.i == 0),
            "stores": active & ending & (digit != 0) & (digit <= last + 1),
        }
        lines = {}
        for name, flag in flags.items():
            now = Signal(name=name)
            m.d.comb += now.eq(flag)
            lines[name] = DelayLine(m, now, name, reset=True)
        self.begins, self.tops = lines["begins"], lines["tops"]
        self.in_first, self.stores = lines["in_first"], lines["stores"]

    def _store(self, m: Module, name: str, write: tuple[Value, Value, Value], read: Value) -> Value:
        """The word at `read` of a memory with s words.  write: enable, address, data."""
        p = self.parameters
        ram = SimpleDualPort(p.chip, p.word, p.beats, "distributed", 0, f"digits of {name}")
        m.submodules[f"{name}_ram"] = ram
        word = Signal(p.word, name=f"{name}_word")
        m.d.comb += [
            ram.write_enable.eq(write[0]),
            ram.write_address.eq(write[1]),
            ram.write_data.eq(write[2]),
            ram.read_address.eq(read),
            word.eq(ram.read_data),
        ]
        return word

    def _moduli(self, m: Module) -> None:
        p = self.parameters
        place = Signal(range(p.beats + 1), name="modulus_digit")
        self.in_flight = Signal(2, name="in_flight")
        taken = Signal(name="modulus_taken")
        self.n_prime = Signal(p.word, name="n_prime", reset_less=True)
        m.d.comb += [
            self.modulus.ready.eq(~self.running & (self.in_flight == 0)),
            taken.eq(self.modulus.valid & self.modulus.ready),
        ]
        with m.If(taken):
            m.d.sync += [
                self.n_prime.eq(self.modulus.p.data),  # keeps the last beat
                self.reloading.eq(~self.modulus.p.last),
                place.eq(Mux(self.modulus.p.last, 0, place + 1)),
            ]
        write = (taken & (place != p.beats), place, self.modulus.p.data)
        start = 2 * p.stages + p.u_register
        index = Signal(range(max(2, p.turn)), name="n_index", reset_less=True)
        m.d.sync += index.eq(Mux(self.begins(start - 1), 0, index + 1))
        self.n = self._store(m, "n", write, index)
        self.result_index = Signal(range(max(2, p.beats)), name="result_index")
        with m.If(self.stores(p.added + 1)):
            m.d.sync += self.result_index.eq(self.result_index + 1)
        with m.If(self.tops(p.added + 1)):
            m.d.sync += self.result_index.eq(0)
        self.minuend = self._store(m, "n_again", write, self.result_index)

    def _first_product(self, m: Module) -> Value:
        """A_i*b_j; the digits of the first iteration come from the ports."""
        p = self.parameters
        taken, operand = self.operand.valid & self.operand.ready, self.operand.p
        a = self._store(m, "a", (taken, self.position, operand.a), self.i)
        b = self._store(m, "b", (taken, self.position, operand.b), self.j)
        left, right = Signal(p.word, name="ab_left"), Signal(p.word, name="ab_right")
        m.d.comb += [
            left.eq(Mux(self.running, a, operand.a)),
            right.eq(Mux(self.from_port, operand.b, b)),
        ]
        return WideProduct(m, p.chip, p.word, p.stages, "ab").place(left, right)

    def _second_product(self, m: Module, u: Value) -> Value:
        """U_0*N', then q*n_j."""
        p = self.parameters
        making, ready = p.stages + p.u_register, 2 * p.stages + p.u_register
        product = Signal(2 * p.word, name="qn")
        held = Signal(p.word, name="q_reg", reset_less=True)
        q = Signal(p.word, name="q")
        left, right = Signal(p.word, name="qn_left"), Signal(p.word, name="qn_right")
        m.d.comb += [
            q.eq(Mux(self.begins(ready), product, held)),
            left.eq(Mux(self.begins(making), u, q)),
            right.eq(Mux(self.begins(making), self.n_prime, self.n)),
            product.eq(WideProduct(m, p.chip, p.word, p.stages, "qn").place(left, right)),
        ]
        m.d.sync += held.eq(q)
        return product

    def _sum(
        self, m: Module, product: Value, addend: Value, time: int, name: str, of: str
    ) -> Signal:
        """Low word of the product + high word of the one before + addend + carry, with its
        carry.

        time: cycles from the beginning of an iteration to its first product here."""
        w = self.parameters.word
        high = Signal(w, name=f"{of}_high", reset_less=True)
        carry = Signal(2, name=f"{name}_carry", reset_less=True)
        total = Signal(w + 2, name=f"{name}_sum")
        goes_on = ~self.begins(time)
        low = Mux(self.tops(time), 0, product[:w])
        m.d.comb += total.eq(low + Mux(goes_on, high, 0) + addend + Mux(goes_on, carry, 0))
        m.d.sync += [high.eq(product[w:]), carry.eq(total[w:])]
        return total

    def _u(self, m: Module, product: Value, t: Value, t_top: Value) -> tuple[Value, Value]:
        p = self.parameters
        time = p.stages
        t = Mux(self.in_first(time), 0, Mux(self.tops(time), t_top, t))
        total = self._sum(m, product, t, time, "u", "ab")
        whole = DelayLine(m, total, "u_sum")(int(p.u_register))
        return whole[: p.word], whole[p.word :]

    def _result(self, m: Module, t: Value, t_top: Value) -> None:
        p = self.parameters
        w, time = p.word, p.added + 1
        store, done = self.stores(time), Signal(name="done")
        difference, borrow = Signal(w + 1, name="difference"), Signal(name="borrow")
        keep = Signal(name="keep", reset_less=True)
        leaving, index = Signal(name="leaving"), Signal(range(max(2, p.beats)), name="out_index")
        last = index == p.beats - 1
        m.d.comb += [
            difference.eq((Cat(Const(0, 1), t) - Cat(borrow, self.minuend))[1:]),
            done.eq(store & self.tops(time)),
        ]
        with m.If(store):
            m.d.sync += borrow.eq(difference[-1] & ~done)
        with m.If(done):
            m.d.sync += keep.eq(difference[-1] & ~t_top)
        with m.If(leaving):
            m.d.sync += index.eq(Mux(last, 0, index + 1))
        with m.If(done | last):
            m.d.sync += leaving.eq(done)
        with m.If(self.begin & ~done):
            m.d.sync += self.in_flight.eq(self.in_flight + 1)
        with m.If(done & ~self.begin):
            m.d.sync += self.in_flight.eq(self.in_flight - 1)
        as_it_is = self._store(m, "t", (store, self.result_index, t), index)
        reduced = self._store(m, "t_less_n", (store, self.result_index, difference[:-1]), index)
        m.d.comb += [
            self.result.valid.eq(leaving),
            self.result.p.first.eq(index == 0),
            self.result.p.last.eq(last),
            self.result.p.data.eq(Mux(keep, as_it_is, reduced)),
        ]
