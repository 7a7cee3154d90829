"""Random circuits, simulated twice with different secrets: what differs is tainted.

The other half: of the outputs that no secret is meant to reach, most are found clean, so that the
first half is not met by tainting everything."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Cat, Elaboratable, Module, Mux, Signal, Value
from amaranth.lib.memory import Memory
from amaranth.sim import Simulator

from modmul.timing_proof.netlist import flat
from modmul.timing_proof.propagation import CycleCase, reached
from modmul.timing_proof.rules import edges
from modmul.toolchain import yosys

WIDTH, CIRCUITS, STEPS, CYCLES, RUNS = 4, 40, 9, 10, 4


class RandomCircuit(Elaboratable):
    """A few operations, registers and memories, each on what came before; every value an output."""

    def __init__(self, number: int):
        self.rng = random.Random(number)
        self.secret = Signal(WIDTH, name=f"secret_{number}")
        self.public = Signal(WIDTH, name=f"public_{number}")
        self.outputs = [Signal(WIDTH, name=f"out_{number}_{step}") for step in range(STEPS)]

    def elaborate(self, platform: object) -> Module:
        m, pool = Module(), [self.secret, self.public, self.public]
        for out in self.outputs:
            self._step(m, out, [self.rng.choice(pool) for _ in range(4)])
            pool.append(out)
        return m

    def _step(self, m: Module, out: Signal, given: list[Signal]) -> None:
        a, b, c, d = given
        kind = self.rng.randrange(15)
        values: list[Value] = [
            a & b,
            a | ~b,
            a ^ b,
            a + b,
            a - b,
            a * b,
            Mux(c[0], a, b),
            Cat(a < b, a == c, b[:2]),
            a >> b[:2],
            Cat(a[1:], b[0]),
        ]
        if kind < len(values):
            m.d.comb += out.eq(values[kind])
        elif kind == 10:
            m.d.sync += out.eq(a)
        elif kind == 11:
            with m.If(d[0]):
                m.d.sync += out.eq(a + b)
        else:
            ram = Memory(shape=WIDTH, depth=4, init=[1, 2, 3, 4])
            m.submodules += ram
            write, read = ram.write_port(), ram.read_port(domain="comb")
            m.d.comb += [write.addr.eq(a), write.data.eq(b), write.en.eq(d[1]), read.addr.eq(c)]
            m.d.comb += out.eq(read.data)


def behaviour(circuits: list[RandomCircuit], seed: int) -> list[list[int]]:
    """The outputs in every cycle: public inputs always the same, secrets by `seed`."""
    m = Module()
    m.submodules += circuits
    seen: list[list[int]] = []

    async def drive(ctx: Any) -> None:
        hidden, shown = random.Random(f"secret {seed}"), random.Random("public")
        for _ in range(CYCLES):
            for circuit in circuits:
                ctx.set(circuit.secret, hidden.getrandbits(WIDTH))
                ctx.set(circuit.public, shown.getrandbits(WIDTH))
            await ctx.delay(1e-9)
            seen.append([ctx.get(out) for circuit in circuits for out in circuit.outputs])
            await ctx.tick()

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(drive)
    simulator.run()
    return seen


def verilog(circuits: list[RandomCircuit], folder: Path) -> str:
    m = Module()
    m.submodules += circuits
    ports = [
        port for circuit in circuits for port in (circuit.secret, circuit.public, *circuit.outputs)
    ]

    (folder / "in.il").write_text(rtlil.convert(m, name="top", ports=ports))
    yosys.run("read_rtlil in.il\nproc\nwrite_verilog out.v", folder)
    return (folder / "out.v").read_text()


@pytest.mark.parametrize("batch", range(2))
@pytest.mark.short("0")
def test_what_a_secret_changes_is_tainted(batch: int, tmp_path: Path) -> None:
    numbers = range(batch * CIRCUITS, (batch + 1) * CIRCUITS)
    text = verilog([RandomCircuit(number) for number in numbers], tmp_path)
    netlist = flat(text, "top")
    secrets = [bit for name, (_, bits) in netlist.ports.items() if "secret" in name for bit in bits]
    tainted = reached(netlist, [CycleCase(secrets)], edges)
    runs = [behaviour([RandomCircuit(number) for number in numbers], seed) for seed in range(RUNS)]
    outputs = [f"out_{number}_{step}" for number in numbers for step in range(STEPS)]
    differ = clean = 0
    for place, name in enumerate(outputs):
        for index, bit in enumerate(netlist.ports[name][1]):
            values = {tuple(cycle[place] >> index & 1 for cycle in run) for run in runs}
            differ += len(values) > 1
            clean += bit not in tainted
            assert len(values) == 1 or bit in tainted, f"{name}[{index}]"
    assert differ > 100 and clean > 100  # of 1440
