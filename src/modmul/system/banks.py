"""Banks that keep whole operands and results, so that the intermediate values of a ladder do not
move over the bus."""

from __future__ import annotations

from amaranth.hdl import Cat, Module, Mux, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from modmul.system.channels import WORD
from modmul.system.registers import MOST_BANKS, RegisterMap
from modmul.system.transfer import WindowMemory, address_bits

_NUMBER = MOST_BANKS.bit_length()  # bits of a bank's number


class Banks(wiring.Component):
    """Banks of the registers, {banks} in number, which keep operands and results, so that
    intermediate values do not cross the bus. Bank 0 is none: they are numbered from 1 on.

    Ports; in `select_...` the dots stand for the name of a window, in all others for nothing, or
    `_carry` for the carry vector of a number:

      `select_...`: writes the bytes of `data` whose bits in `strobes` are high to the word at
        `address` of that window
      `stored`: a product is being computed whose result goes to the bank `result_bank`; its words
        `word...` are written to `write_address` in cycles with `writes`
      `busy`: a packet is being sent, whose words may come from banks
      `refused`: a select in this cycle has no effect, because of `stored`, `busy` or `clear`
      `read_address`: the words there of the banks `a_bank` and `b_bank` are in `a...` and `b...`
        in the next cycle
      `clear`: zeroes the words at `clear_address`
    """

    def __init__(self, regs: RegisterMap):
        self._regs, self.banks = regs, regs.banks
        self._windows = [window for window in regs.windows if window.bank]
        self._lanes = [lane.name.removeprefix(regs.result.name) for lane in regs.result.lanes]
        self._bits = bits = address_bits(self._windows[0].words)
        super().__init__(
            {
                **{f"select_{window.name}": In(1) for window in self._windows},
                "address": In(bits),
                "data": In(WORD),
                "strobes": In(WORD // 8),
                "stored": In(1),
                "writes": In(1),
                "write_address": In(bits),
                **{f"word{lane}": In(WORD) for lane in self._lanes},
                "busy": In(1),
                "refused": Out(1),
                "read_address": In(bits),
                **{name: In(_NUMBER) for name in ("a_bank", "b_bank", "result_bank")},
                **{f"{letter}{lane}": Out(WORD) for letter in "ab" for lane in self._lanes},
                "clear": In(1),
                "clear_address": In(address_bits(regs.bank_words)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        blocked, selected = self.busy | self.stored | self.clear, Value.cast(0)
        kept = self.stored & self.writes
        for lane in self._lanes:
            memory = m.submodules[f"bank{lane}_windows"] = WindowMemory(self._regs.bank_words, 2)
            enable, number = Value.cast(0), Value.cast(0)
            for window in self._windows:
                if window.name == f"bank{window.bank}{lane}":
                    select = getattr(self, f"select_{window.name}")
                    enable |= select
                    number |= Mux(select, window.bank, 0)
            selected |= enable
            written, strobes = self._place(number, self.address), self.strobes
            m.d.comb += [
                memory.write_enable.eq(
                    Mux(self.clear | kept, 0b1111, Mux(enable & ~blocked, strobes, 0))
                ),
                memory.write_address.eq(
                    Mux(
                        self.clear,
                        self.clear_address,
                        Mux(kept, self._place(self.result_bank, self.write_address), written),
                    )
                ),
                memory.write_data.eq(
                    Mux(self.clear, 0, Mux(kept, getattr(self, f"word{lane}"), self.data))
                ),
            ]
            for reader, letter in enumerate("ab"):
                place = self._place(getattr(self, f"{letter}_bank"), self.read_address)
                m.d.comb += [
                    getattr(memory, f"read{reader}_address").eq(place),
                    getattr(self, f"{letter}{lane}").eq(getattr(memory, f"read{reader}_data")),
                ]
        m.d.comb += self.refused.eq(selected & blocked)
        return m

    def _place(self, number: Value, word: Value) -> Value:
        """The address of a word of a bank in the memory of all banks."""
        return Cat(word[: self._bits], (number - 1)[:_NUMBER])
