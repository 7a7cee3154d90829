"""What cocotb runs on a design on AXI4-Lite: reads and writes side by side, with pauses on all
channels, by the master of cocotbext-axi.  Addresses come from the environment."""

import itertools
import json
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

TOLD = json.loads(os.environ["REGISTERS"])
ROUNDS = 400


def pauses(seed):
    chance = random.Random(seed)
    return (chance.random() < 0.4 for _ in itertools.count())


async def master(dut, paused):
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    dut.aresetn.value = 0
    for _ in range(4):
        await RisingEdge(dut.clk)
    dut.aresetn.value = 1
    bus = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), dut.clk)
    channels = (
        bus.write_if.aw_channel,
        bus.write_if.w_channel,
        bus.write_if.b_channel,
        bus.read_if.ar_channel,
        bus.read_if.r_channel,
    )
    for place, channel in enumerate(channels if paused else ()):
        channel.set_pause_generator(pauses(place))
    return bus


async def word(bus, address):
    return int.from_bytes((await with_timeout(bus.read(address, 4), 50, "us")).data, "little")


async def exchange(dut, paused):
    """Two threads: one writes `enables` and reads it back, one reads constants and errors."""
    bus = await master(dut, paused)
    while await word(bus, TOLD["status"]) & TOLD["wiping"]:
        pass
    done = []

    async def writes():
        chance = random.Random(1)
        known, below = 0, TOLD["enables"] - 4
        assert below % 8 == 0
        await with_timeout(bus.write(TOLD["window"], bytes([255] * 4)), 50, "us")
        await with_timeout(bus.write(TOLD["send"], TOLD["sent"].to_bytes(4, "little")), 50, "us")
        for _ in range(ROUNDS):
            data, byte = chance.getrandbits(8), chance.randrange(2)
            good = cocotb.start_soon(bus.write(TOLD["enables"] + byte, bytes([data])))
            # `status` cannot be written, and zeros in `control` do nothing.
            at, size = chance.choice(((TOLD["id"], 4), (TOLD["status"], 8)))
            bad = cocotb.start_soon(bus.write(at, bytes(size)))  # before the other's answer
            assert (await with_timeout(good, 50, "us")).resp == AxiResp.OKAY
            assert (await with_timeout(bad, 50, "us")).resp == AxiResp.SLVERR
            known = (known & ~(0xFF << 8 * byte) | data << 8 * byte) & TOLD["every"]
            if chance.random() < 0.3:  # with the register below it: one access of 64 bits
                both = bytes(4) + known.to_bytes(4, "little")
                assert (await with_timeout(bus.write(below, both), 50, "us")).resp == AxiResp.OKAY
            if chance.random() < 0.3:
                assert await word(bus, TOLD["enables"]) == known
        done.append("writes")

    async def reads():
        chance = random.Random(2)
        for _ in range(ROUNDS):
            if chance.random() < 0.3:
                address = chance.choice((TOLD["nothing"], TOLD["window"]))  # which holds a secret
                reply = await with_timeout(bus.read(address, 4), 50, "us")
                assert reply.resp == AxiResp.SLVERR and reply.data == bytes(4)
            else:
                reply = await with_timeout(bus.read(TOLD["id"], 8), 50, "us")
                assert reply.resp == AxiResp.OKAY
                values = (TOLD["id_value"], TOLD["version_value"])
                assert reply.data == b"".join(value.to_bytes(4, "little") for value in values)
        done.append("reads")

    threads = [cocotb.start_soon(writes()), cocotb.start_soon(reads())]
    for thread in threads:
        await thread
    assert sorted(done) == ["reads", "writes"]


@cocotb.test(timeout_time=2000, timeout_unit="us")
async def at_full_speed(dut):
    await exchange(dut, False)


@cocotb.test(timeout_time=4000, timeout_unit="us")
async def with_pauses(dut):
    await exchange(dut, True)
