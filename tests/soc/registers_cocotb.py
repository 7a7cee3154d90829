"""What cocotb runs on a design on Wishbone or APB4, one access at a time with pauses between them,
by the masters of cocotbext-wishbone and cocotbext-apb.  Addresses come from the environment."""

import json
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge, with_timeout

TOLD = json.loads(os.environ["REGISTERS"])
ROUNDS = 400


class OnWishbone:
    """A master that asks for several words in one cycle of the bus."""

    resets = ("rst", 1)

    def __init__(self, dut):
        from cocotbext.wishbone.driver import WishboneMaster

        names = {
            "cyc": "cyc_i",
            "stb": "stb_i",
            "we": "we_i",
            "adr": "adr_i",
            "datwr": "dat_i",
            "datrd": "dat_o",
            "ack": "ack_o",
            "sel": "sel_i",
            "err": "err_o",
        }
        self.dut = dut
        self.master = WishboneMaster(dut, "wb", dut.clk, timeout=50, signals_dict=names)

    def answered(self):
        dut = self.dut
        return (
            int(dut.wb_ack_o.value) + int(dut.wb_err_o.value),
            int(dut.wb_cyc_i.value) & int(dut.wb_stb_i.value),
        )

    async def do(self, accesses):
        """(address, data or None, strobes, error, pause) each; what was read of each."""
        from cocotbext.wishbone.driver import WBOp

        asked = [
            WBOp(address, data, idle=pause, sel=strobes, acktimeout=50)
            for address, data, strobes, _, pause in accesses
        ]
        answers = await with_timeout(self.master.send_cycle(asked), 50 * len(asked), "us")
        assert len(answers) == len(asked), "answers are missing, or there are too many"
        for (address, _, _, error, _), answer in zip(accesses, answers, strict=True):
            assert answer.ack == (2 if error else 1), f"{address:#x}: another kind of answer"
        return [int(answer.datrd) for answer in answers]


class OnApb:
    resets = ("presetn", 0)

    def __init__(self, dut):
        from cocotbext.apb import Apb4Bus, ApbMaster

        self.dut = dut
        self.master = ApbMaster(Apb4Bus.from_entity(dut), dut.clk, timeout_max=50)
        self.master.return_int = True

    def answered(self):
        dut = self.dut
        return int(dut.pready.value), int(dut.psel.value) & int(dut.penable.value)

    async def do(self, accesses):
        answers = []
        for address, data, strobes, error, pause in accesses:
            for _ in range(pause):
                await RisingEdge(self.dut.clk)
            if data is None:
                asked = self.master.read(address, error_expected=error)
            else:
                asked = self.master.write(address, data, strb=strobes, error_expected=error)
            answers.append(await with_timeout(asked, 50, "us"))
        return answers


async def watch(dut, bus):
    """Nothing is answered that was not asked for."""
    while True:
        await RisingEdge(dut.clk)
        await ReadOnly()
        answers, asked = bus.answered()
        assert answers <= asked, "an answer to nothing, or two at once"


async def begin(dut):
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    bus = OnWishbone(dut) if TOLD["bus"] == "wishbone" else OnApb(dut)
    name, level = bus.resets
    getattr(dut, name).value = level
    for _ in range(4):
        await RisingEdge(dut.clk)
    getattr(dut, name).value = 1 - level
    for _ in range(2):
        await RisingEdge(dut.clk)
    cocotb.start_soon(watch(dut, bus))
    while (await bus.do([(TOLD["status"], None, 15, False, 0)]))[0] & TOLD["wiping"]:
        pass
    return bus


async def exchange(dut, pauses):
    """`enables` written by bytes and read back, constants, what cannot be done, and secrets."""
    bus, chance, known = await begin(dut), random.Random(1), 0
    for _ in range(ROUNDS):
        accesses, wanted = [], []
        for _ in range(chance.randrange(1, 5)):
            pause = chance.choice(pauses)
            kind = chance.choice(("write", "write", "read", "constant", "nothing", "secret"))
            data, strobes = chance.getrandbits(32), chance.getrandbits(4)
            if kind == "write":
                bits = sum(0xFF << 8 * byte for byte in range(4) if strobes >> byte & 1)
                known = (known & ~bits | data & bits) & TOLD["every"]
                accesses.append((TOLD["enables"], data, strobes, False, pause))
                wanted.append(None)
            elif kind == "read":
                accesses.append((TOLD["enables"], None, 15, False, pause))
                wanted.append(known)
            elif kind == "constant":
                accesses += [(TOLD["id"], None, 15, False, pause), (TOLD["id"], 0, 15, True, 0)]
                wanted += [TOLD["id_value"], None]
            elif kind == "nothing":
                accesses.append((TOLD["nothing"], None, 15, True, pause))
                wanted.append(0)
            else:
                accesses += [(TOLD["window"], data | 1, 15, False, pause)]
                accesses += [(TOLD["window"], None, 15, True, 0)]
                wanted += [None, 0]
        answers = await bus.do(accesses)
        for (address, *_), value, right in zip(accesses, answers, wanted, strict=True):
            assert right is None or value == right, f"{address:#x}: {value:#x}, not {right:#x}"


@cocotb.test(timeout_time=2000, timeout_unit="us")
async def at_full_speed(dut):
    await exchange(dut, (0,))


@cocotb.test(timeout_time=4000, timeout_unit="us")
async def with_pauses(dut):
    await exchange(dut, (0, 0, 1, 2, 7))
