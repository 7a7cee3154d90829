"""The circuit of `orup`: digits of b, the products, the array, the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from modmul.blocks.delay import DelayLine, delay
from modmul.multipliers.core import BareCore
from modmul.multipliers.orup.parameters import OrupParameters
from modmul.targets.primitives import Link, MacConfig


class Core(BareCore):
    """{theory}

    Here k = {word}, n = {digits}, d = {delay}."""

    parameters: OrupParameters

    NOTES: ClassVar[dict[str, dict[str, str]]] = {
        "control": {
            "ready": "operands can be taken",
            "load": "they are",
            "running": "a product is in the array; count: its iteration",
            "count": "",
            "last": "the last cycle of a product in the array: its words leave",
            "multiplying": "quotient digits go to the multipliers",
            "collecting": "digits of the result leave the array at its low end",
            "adding": "one-hot: carries of some words are added",
        },
        "the array": {
            "b_reg": "digits of b, from the second on",
            "quotient": "q_i, 0 outside of a product",
            "p_*": "P_j: word j of q*M^ and of b_i*A, not more than multiplied",
            "t_*": "t_j, word j of S",
            "c_*": "c_j, from word j to the word above",
            "sum_*": "t_j + 2^k*c_j, as it will be",
        },
        "the result": {
            "low_digits": "the lowest digits of V",
            "upper": "the others, which go round by the adder",
            "upper_carries": "carries into them",
            "total": "words with their carries",
        },
    }
    PORT_NOTES: ClassVar[dict[str, str]] = {
        "modulus_ready": "taken at the next edge; no product in the core needs the old one",
        "modulus_data": "M^ = (m'*N + 1) / 2^{exponent}, m' = -1/N mod 2^{exponent}",
        "operand_valid": "the source offers a beat; not together with a modulus, nor before one",
        "result_valid": "the result is there in this cycle only: no back-pressure",
    }

    def elaborate(self, platform: object) -> Module:
        m, p = Module(), self.parameters
        self._control(m)
        quotient = Signal(p.word, name="quotient")
        words = [Signal(p.word, name=f"t_{j}") for j in range(p.digits + 1)]
        sums = self._array(m, words, self._products(m, self._digit(m), quotient))
        m.d.comb += quotient.eq(Mux(self.multiplying, words[0], 0))
        self._result(m, words[0], sums)
        return m

    def _control(self, m: Module) -> None:
        """Count the cycles of a product from its first iteration on."""
        p = self.parameters
        self.ready = ready = Signal(init=1, name="ready")
        self.load = load = Signal(name="load")
        running, last = Signal(name="running"), Signal(name="last")
        count = Signal(range(p.iterations + p.settled), name="count")
        self.multiplying, self.collecting = Signal(name="multiplying"), Signal(name="collecting")
        self.last = last
        start = delay(m, load, p.fill - 1, "load", reset=True)
        m.d.comb += [
            load.eq(self.operand.valid & ready),
            self.operand.ready.eq(ready),
            last.eq(running & (count == p.interval().maximum - 1)),
        ]
        # A modulus is taken when the last quotient digit has been multiplied.
        needed = p.fill + p.digits + p.quotient_stages + 1
        opens = DelayLine(m, ready, "ready", reset=True)
        every = [opens(j) for j in range(max(0, needed - p.interval().maximum) + 1)]
        m.d.comb += self.modulus.ready.eq(Cat(every).all())
        m.d.sync += count.eq(count + 1)
        with m.If(load):
            m.d.sync += ready.eq(0)
        with m.If(running & (count == p.interval().maximum - 1 - p.fill)):
            m.d.sync += ready.eq(1)
        with m.If(running & (count == p.digits)):
            m.d.sync += [self.multiplying.eq(0), self.collecting.eq(1)]
        with m.If(last):
            m.d.sync += [running.eq(0), self.collecting.eq(0)]
        with m.If(start):
            m.d.sync += [running.eq(1), count.eq(0), self.multiplying.eq(1)]
        self.clear = ~running | last

    def _digit(self, m: Module) -> Value:
        """The digits of b, the first of them from the port."""
        p = self.parameters
        rest = Signal(p.beat - p.word, name="b_reg", reset_less=True)
        digit = Signal(p.word, name="digit")
        m.d.comb += digit.eq(Mux(self.ready, self.operand.p.b, rest))
        m.d.sync += rest.eq(Mux(self.ready, self.operand.p.b[p.word :], rest[p.word :]))
        return digit

    def _products(self, m: Module, digit: Value, quotient: Value) -> list[Value]:
        """P_j.  M^ and A stay in the blocks, while b_i and q_i pass by."""
        p = self.parameters
        k = p.word
        loads = self.modulus.valid & self.modulus.ready
        quotient = delay(m, quotient, p.quotient_stages, "quotient")
        # A block that is not one of a pair has three registers.
        late = delay(m, digit, p.fill - 3, "digit")
        products: list[Value] = []
        for j in range(p.operand_words):
            a = self.operand.p.a[j * k : (j + 1) * k]
            hat = self.modulus.p.data[j * k : (j + 1) * k]
            if not len(hat):
                products.append(self._alone(m, j, a, late))
                continue
            pair = self._cascade if p.cascaded else self._pair
            products.append(pair(m, j, (a, digit), (hat, quotient, loads)))
        return products

    def _alone(self, m: Module, j: int, a: Value, digit: Value) -> Value:
        """The product of a word of A that is above those of M^.

        If the digit comes late, A meets the last 0 of the product before, so that only an operand
        may be taken, and not what lies on the wires between two of them."""
        chip = self.parameters.chip
        taken = self.load if self.parameters.fill > 3 else self.ready
        if not self.parameters.cascaded:
            return chip.multiplier(3, f"p_{j}").place(m, a, digit, taken)
        total = Signal(len(a) + len(digit), name=f"p_{j}")
        block = chip.mac(MacConfig(len(a), len(digit), len(total), hold=True, last=True))
        m.submodules[f"ba_{j}"] = block
        m.d.comb += [block.a.eq(a), block.b.eq(digit), block.a_enable.eq(taken)]
        m.d.comb += total.eq(block.p)
        return total

    def _pair(
        self, m: Module, j: int, of_a: tuple[Value, Value], of_hat: tuple[Value, Value, Value]
    ) -> Value:
        """The sum, in fabric, of two multipliers."""
        p, (a, digit), (hat, quotient, loads) = self.parameters, of_a, of_hat
        left = p.chip.multiplier(p.operand_registers, f"ba_{j}").place(m, a, digit, self.ready)
        block = p.chip.multiplier(p.quotient_registers, f"qm_{j}")
        right = block.place(m, hat, quotient, loads)
        total = Signal(max(len(left), len(right)) + 1, name=f"p_{j}", reset_less=True)
        m.d.sync += total.eq(left + right)
        return total

    def _cascade(
        self, m: Module, j: int, of_a: tuple[Value, Value], of_hat: tuple[Value, Value, Value]
    ) -> Value:
        p, (a, digit), (hat, quotient, loads) = self.parameters, of_a, of_hat
        first = p.chip.mac(
            MacConfig(
                len(a), len(digit), len(a) + len(digit), registers=p.operand_registers, hold=True
            )
        )
        second = p.chip.mac(
            MacConfig(
                len(hat),
                len(quotient),
                2 * p.word + 1,
                steps=(Link("neighbour", 0, p.chip.link_delay(0)),),
                registers=p.quotient_registers,
                hold=True,
                neighbour_width=len(first.p),
                last=True,
            )
        )
        m.submodules[f"ba_{j}"], m.submodules[f"qm_{j}"] = first, second
        total = Signal(2 * p.word + 1, name=f"p_{j}")
        m.d.comb += [
            first.a.eq(a),
            first.b.eq(digit),
            first.a_enable.eq(self.ready),
            second.a.eq(hat),
            second.b.eq(quotient),
            second.a_enable.eq(loads),
            second.neighbour.eq(first.p),
            second.link_in.eq(first.link_out),
            total.eq(second.p),
        ]
        return total

    def _array(self, m: Module, words: Sequence[Signal], products: list[Value]) -> list[Value]:
        """Make S <- floor(S/2^k) + the products; return the sums before the registers."""
        k, sums = self.parameters.word, list[Value]()
        for j, word in enumerate(words):
            parts: list[Value] = list(words[j + 1 : j + 2])
            parts += [product[:k] for product in products[j : j + 1]]
            parts += [product[k:] for product in products[max(0, j - 1) : j]]
            parts = [part for part in parts if len(part)]
            carry = Signal(self._largest_carry(j).bit_length(), name=f"c_{j}")
            total = Signal(k + len(carry), name=f"sum_{j}")
            m.d.comb += total.eq(sum(parts, start=carry))
            m.d.sync += Cat(word, carry).eq(total)
            with m.If(self.clear):
                m.d.sync += Cat(word, carry).eq(0)
            sums.append(total)
        return sums

    def _largest_carry(self, j: int) -> int:
        """The largest carry out of word j: of a word of S, parts of two products and a
        carry."""
        p, full = self.parameters, (1 << self.parameters.word) - 1
        most = full * (j < p.digits)
        for place in (j - 1, j):
            tops = [
                (1 << min(p.word, max(0, bits - place * p.word))) - 1
                for bits in (p.beat, p.modulus_beat)
            ]
            product = full * sum(tops) if place >= 0 else 0
            most += min(product, full) if place == j else product >> p.word
        carry = 0
        while (reached := (most + carry) >> p.word) > carry:
            carry = reached
        return carry

    def _result(self, m: Module, lowest: Signal, sums: list[Value]) -> None:
        """Collect digits as they leave the array; then add the carries of the others."""
        p = self.parameters
        k, step = p.word, p.word * p.adder_words
        low = Signal(k * (p.delay + p.settled), name="low_digits", reset_less=True)
        with m.If(self.collecting):
            m.d.sync += low.eq(Cat(low[k:], lowest))
        upper = Signal(step * p.additions, name="upper", reset_less=True)
        carries = Signal(2 * p.adder_words * p.additions, name="upper_carries", reset_less=True)
        waiting = Signal(name="waiting_carry", reset_less=True)
        total = Signal(step + 1, name="total")
        each = [carries[2 * j : 2 * j + 2] for j in range(p.adder_words)]
        spread = Cat(*(Cat(carry, Const(0, k - 2)) for carry in each))
        m.d.comb += total.eq(upper[:step] + spread + waiting)
        m.d.sync += [
            upper.eq(Cat(upper[step:], total[:-1])),
            carries.eq(carries[2 * p.adder_words :]),
            waiting.eq(total[-1]),
        ]
        kept = sums[: p.upper_words]
        with m.If(self.last):
            into = [Cat(pair[k:], Const(0, 2 - (len(pair) - k))) for pair in kept[:-1]]
            m.d.sync += [
                upper.eq(Cat(pair[:k] for pair in kept)),
                carries.eq(Cat(Const(0, 2), *into)),
                waiting.eq(0),
            ]
        adding = Signal(p.additions, name="adding")
        done = Signal(name="done")
        m.d.sync += [adding.eq(Cat(self.last, adding[:-1])), done.eq(adding[-1])]
        m.d.comb += [
            self.result.valid.eq(done),
            self.result.p.first.eq(1),
            self.result.p.last.eq(1),
            self.result.p.data.eq(Cat(low, upper)),
        ]
