"""A multiplier inside an Amaranth design of one's own: a squarer modulo the prime of NIST P-256.

Run it: python examples/in_amaranth.py"""

from amaranth.hdl import Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator, SimulatorContext

from modmul.arithmetic import moduli
from modmul.arithmetic.words import from_words, to_words
from modmul.multipliers.fpmm import Fpmm
from modmul.multipliers.signature import modulus_layout, result_layout

MULTIPLIER = Fpmm(width=256)
P = moduli.find("p256").value
R = MULTIPLIER.montgomery_factor


class Squarer(wiring.Component):
    """result <- x * x / R mod N, in words, least significant first.

    The bare core never stalls: when `x.ready` has taken the first word, the others must follow in
    the next cycles, and results must be taken as they come."""

    def __init__(self, multiplier: Fpmm):
        self.multiplier = multiplier
        word = data.StructLayout({"first": 1, "last": 1, "data": multiplier.beat})
        results = result_layout(multiplier)
        super().__init__(
            {
                "modulus": In(stream.Signature(modulus_layout(multiplier))),
                "x": In(stream.Signature(word)),
                "result": Out(stream.Signature(results, always_ready=True)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.multiplier = core = self.multiplier.create()
        wiring.connect(m, wiring.flipped(self.modulus), core.modulus)
        wiring.connect(m, core.result, wiring.flipped(self.result))
        m.d.comb += [
            core.operand.valid.eq(self.x.valid),
            self.x.ready.eq(core.operand.ready),
            core.operand.p.first.eq(self.x.p.first),
            core.operand.p.last.eq(self.x.p.last),
            core.operand.p.a.eq(self.x.p.data),
            core.operand.p.b.eq(self.x.p.data),
        ]
        return m


def square(values: list[int], modulus: int) -> list[int]:
    """Simulate the squarer."""
    squarer = Squarer(MULTIPLIER)
    found: list[int] = []

    async def send(sim: SimulatorContext, to: stream.Interface, words: list[int]) -> None:
        for k, word in enumerate(words):
            sim.set(to.p, {"first": k == 0, "last": k == len(words) - 1, "data": word})
            sim.set(to.valid, 1)
            await sim.tick().until(to.ready)
        sim.set(to.valid, 0)

    async def give(sim: SimulatorContext) -> None:
        constants = MULTIPLIER.constants(modulus)
        await send(sim, squarer.modulus, [constant.value for constant in constants])
        for value in values:
            await send(sim, squarer.x, to_words(value, MULTIPLIER.beat, MULTIPLIER.beats))

    async def take(sim: SimulatorContext) -> None:
        while len(found) < len(values):
            words = []
            for _ in range(MULTIPLIER.beats):
                (word,) = await sim.tick().sample(squarer.result.p.data).until(squarer.result.valid)
                words.append(word)
            found.append(from_words(words, MULTIPLIER.beat))

    simulator = Simulator(squarer)
    simulator.add_clock(1e-6)
    simulator.add_testbench(give)
    simulator.add_testbench(take)
    simulator.run()
    return found


def main() -> None:
    """2 and 3 into the Montgomery domain, squared, and out again."""
    squares = square([2 * R % P, 3 * R % P], P)
    print([result * pow(R, -1, P) % P for result in squares])


if __name__ == "__main__":
    main()
