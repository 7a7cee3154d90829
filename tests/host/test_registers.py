"""Signatures through registers: those of a model in Python and of simulated Verilog; memory that is
mapped, sockets, a LiteX server."""

from __future__ import annotations

import itertools
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from random import Random
from socket import create_server
from threading import Thread
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.asymmetric import rsa as openssl_rsa

from driven import Driven, Ports
from golden_device import GoldenDevice
from modmul.arithmetic import curves
from modmul.errors import SpecError
from modmul.host import (
    Bank,
    Fault,
    Litex,
    Mapped,
    Modelled,
    OnRegisters,
    Refused,
    Socket,
    Transport,
    Verilated,
    ecdsa,
    rsa,
    served,
    sm2,
)
from modmul.multipliers.operations import SUMS
from modmul.spec import Spec
from modmul.system.channels import chains
from modmul.system.packets import longest
from modmul.system.register_map import register_map
from modmul.verification.simulation import simulate

KEY = Path(__file__).parents[2] / "examples" / "rsa.pem"
MESSAGE = b"a message"
P256 = {
    "architecture": "curve",
    "curve": "p256",
    "multiplier": "fpmm",
    "schemes": "ecdsa",
    "forms": "weierstrass",
}
POWERS = {
    "architecture": "exponentiation",
    "multiplier": "fips",
    "width": 48,
    "word": 16,
    "modulus": (1 << 48) - 59,
}
ASKED = {"base": 0x123456789ABC, "exponent": 0xFEDCBA}


def modelled(spec: Spec) -> Ports:
    """Registers of a golden machine."""
    return Ports(register_map(spec.design, longest(spec)), GoldenDevice(spec))


def key_spec(path: Path = KEY, width: int = 512) -> Spec:
    options = {"architecture": "rsa", "multiplier": "fpmm", "width": width}
    return Spec.from_options(options).with_key(path)


def ecdsa_of(core: Transport) -> None:
    """A signature, accepted by OpenSSL; one of OpenSSL's, accepted by the core; a wrong one."""
    curve, key = curves.find("p256"), ec.generate_private_key(ec.SECP256R1())
    own = key.private_numbers().private_value
    signature = ecdsa.sign(core, curve, own, MESSAGE)
    key.public_key().verify(signature, MESSAGE, ec.ECDSA(hashes.SHA256()))
    public = ecdsa.public_key(core, curve, own)
    theirs = key.sign(MESSAGE, ec.ECDSA(hashes.SHA256()))
    assert ecdsa.verifies(core, curve, public, MESSAGE, theirs)
    assert not ecdsa.verifies(core, curve, public, b"another", theirs)


def rsa_of(core: Transport, path: Path) -> None:
    """The same of RSA, with the key of a file."""
    key = serialization.load_pem_private_key(path.read_bytes(), None)
    assert isinstance(key, openssl_rsa.RSAPrivateKey)
    signature = rsa.sign(core, key.private_numbers().public_numbers.n, MESSAGE)
    key.public_key().verify(signature, MESSAGE, padding.PKCS1v15(), hashes.SHA256())


def test_ecdsa_through_registers() -> None:
    """Each time with other random numbers; nothing of an operand stays in the windows."""
    spec = Spec.from_options(P256)
    ports = modelled(spec)
    ecdsa_of(OnRegisters(spec, ports))
    assert ports.left() == set() and not ports.error


def test_rsa_through_registers() -> None:
    ports = modelled(key_spec())
    rsa_of(OnRegisters(key_spec(), ports), KEY)
    assert not any(ports.windows["modulus"]), "the key's words are overwritten"
    assert ports.left() == set() and not ports.error


def test_blinded_moduli_have_new_factors_in_each_load() -> None:
    """That the device has what it is asked with, also after it was wiped."""
    options = {"architecture": "rsa", "multiplier": "fpmm", "width": 544, "modulus-blinding": 32}
    spec = Spec.from_options(options).with_key(KEY)
    loads = set()
    for seed in (1, 1, 2):
        core = OnRegisters(spec, ports := modelled(spec), chance=Random(seed))
        for _ in range(2):
            ports.answer = GoldenDevice(core.spec)
            rsa_of(core, KEY)
            assert core.spec.load is not None
            assert ports.loaded == spec.processor.load(*core.spec.load)["modulus"]
            loads.add(tuple(beat["data"] for beat in ports.loaded))
            core.wipe()
    assert len(loads) == 4, "the same seed gives the same factors"


@pytest.mark.long  # by default ECDSA and RSA
@pytest.mark.parametrize("count", [1, 2])
def test_sm2_through_registers(count: int) -> None:
    """Encryption and signatures; also with two multipliers and two ports of registers."""
    spec = Spec.from_options(
        P256 | {"curve": "sm2", "schemes": "sm2", "units": count, "ports": count}
    )
    ports, curve = modelled(spec), curves.find("sm2")
    core = OnRegisters(spec, ports)
    private, public = sm2.generate(core, curve)
    assert sm2.decrypt(core, curve, private, sm2.encrypt(core, curve, public, MESSAGE)) == MESSAGE
    signature = sm2.sign(core, curve, private, public, MESSAGE)
    assert sm2.verifies(core, curve, public, MESSAGE, signature)
    assert ports.left() == set() and not ports.error


def test_random_numbers_are_fresh() -> None:
    """The same signature twice: the same numbers go in, but for those from the stream random."""
    spec, seen = Spec.from_options(P256), []
    device = GoldenDevice(spec)

    def answer(packets: Any) -> Any:
        if (reply := device(packets)) is not None:
            seen.append(packets)
        return reply

    core = OnRegisters(spec, Ports(register_map(spec.design, longest(spec)), answer))
    for _ in range(2):
        core.ask("ecdsa-sign", {"digest": 1, "private": 2, "nonce": 3})
    first, second = seen
    assert [name for name in first if first[name] != second[name]] == ["random"]


def test_simulated_registers_and_a_socket(tmp_path: Path) -> None:
    """The emitted Verilog, asked over its registers, and over a socket in front of these; and by
    the self-test in C."""
    spec = Spec.from_options(POWERS)
    wanted = dict(Modelled(spec).ask("exponentiate", ASKED))
    with Verilated(spec) as registers:
        assert OnRegisters(spec, registers).ask("exponentiate", ASKED) == wanted
        with pytest.raises(Refused, match=r"^r 14: error"):
            registers.read(0x14)
        driver = Driven(spec, registers.regs, tmp_path)
        driver.at(registers)
        assert driver.selftest() is None
        with served(registers) as port:
            line = Socket("localhost", port)
            assert OnRegisters(spec, line).ask("exponentiate", ASKED) == wanted
            with pytest.raises(Refused):
                line.read(0x14)
            line.close()


MULTIPLIERS: dict[str, dict[str, Any]] = {
    "words, squares": {"architecture": "fips", "width": 40, "word": 8, "modulus": 0xFFFFFFFB},
    "carry-save": {"architecture": "scs-mm-2", "width": 33, "modulus": (1 << 33) - 9},
    "no modulus": {"architecture": "array-booth", "width": 18},
    "sums": {"architecture": "fios", "width": 40, "word": 17, "adder": True, "modulus": 0xFFFFFFFB},
    "fixed": {"architecture": "pseudo-mersenne", "modulus": (1 << 64) - 59},
}


@pytest.mark.parametrize(
    "name",
    [
        "words, squares",
        *(pytest.param(multiplier, marks=pytest.mark.long) for multiplier in list(MULTIPLIERS)[1:]),
    ],
)
def test_products_through_registers(name: str) -> None:
    """Of the emitted Verilog, the same as in a simulation of it without registers."""
    spec = Spec.from_options(MULTIPLIERS[name])
    rules = spec.design.operand_rules(spec.headline, spec.modulus.value if spec.modulus else 0)
    operands: dict[str, object] = {rule.name: (rule.below or 0) - 1 for rule in rules}
    banks = 3 if chains(spec.design) else 0
    with Verilated(spec, banks=banks) as registers:
        core = OnRegisters(spec, registers, banks=banks)
        asked = [("multiply", operands), ("multiply", operands | {"b": 5})]
        if spec.multiplier.squares:
            asked.append(("square", {"a": 7}))
        sums = [name for name in SUMS if name in spec.multiplier.operations]
        asked += [(name, operands | {"b": 5}) for name in sums]
        for operation, given in asked:
            (wanted,) = simulate(spec, [given], operation=operation)
            before = dict(given)
            assert core.ask(operation, given) == wanted.result and not wanted.faults
            assert given == before
        with pytest.raises(SpecError, match=r"^a = "):
            core.ask("multiply", {"a": 1 << spec.design.width + 2, "b": 1})
        if banks:
            ladder(core)


def ladder(core: OnRegisters) -> None:
    """A power by a ladder in two banks, of which only the last result is read; every pair of banks,
    also kept in one of them; the result that is there as a factor; what is not there."""
    setting = core.spec.setting
    assert setting is not None
    pairs = core.spec.multiplier.operand_form == "carry-save"
    start: Any = (3, 0) if pairs else 3
    right = {1: start, 2: setting.compute(start, start)}
    core.keep(1, start)
    core.product(start, Bank(1), into=2, read=False)
    for bit in map(int, "01101"):
        stays, goes = (1, 2) if bit == 0 else (2, 1)
        core.product(Bank(1), Bank(2), into=goes, read=False)
        core.product(Bank(stays), Bank(stays), into=stays, read=False)
        right[goes] = setting.compute(right[1], right[2])
        right[stays] = setting.compute(right[stays], right[stays])
    assert core.product(Bank(1), Bank(2))["product"] == setting.compute(right[1], right[2])
    for left, second, into in itertools.product((1, 2), repeat=3):
        right[into] = setting.compute(right[left], right[second])
        assert core.product(Bank(left), Bank(second), into=into)["product"] == right[into]
    assert core.product(Bank(1), Bank(2))["product"] == setting.compute(right[1], right[2])
    last = core.product(Bank(0), start)["product"]
    assert last == setting.compute(setting.compute(right[1], right[2]), start)
    asked = core.ask("multiply", {"a": start, "b": start})
    assert asked["product"] == setting.compute(start, start)
    for wrong in ((Bank(4), start, 0), (start, start, 4), (Bank(0), start, 0)):
        with pytest.raises(SpecError, match="must be|is there"):
            core.product(*wrong)


@pytest.mark.skipif(not os.environ.get("SOC"), reason="takes long: make soc")
@pytest.mark.timeout(3600)
def test_signatures_of_simulated_registers(tmp_path: Path) -> None:
    with Verilated(spec := Spec.from_options(P256)) as registers:
        ecdsa_of(OnRegisters(spec, registers))
    file, key = tmp_path / "key.pem", openssl_rsa.generate_private_key(65537, 2048)
    form, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    file.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, plain))
    with Verilated(spec := key_spec(file, 1024)) as registers:
        rsa_of(OnRegisters(spec, registers, 1800), file)


# ---- what may go wrong ---------------------------------------------------------------------------


def test_another_device_is_refused() -> None:
    spec, other = Spec.from_options(P256), key_spec()
    with pytest.raises(Fault, match=r"^registers: design is 0x"):
        OnRegisters(spec, modelled(other))
    with pytest.raises(SpecError, match="^modulus: must be given"):
        OnRegisters(Spec.from_options({"architecture": "rsa", "width": 64}), modelled(other))


def test_no_answer_wipes() -> None:
    spec = Spec.from_options(P256)
    ports = Ports(register_map(spec.design, longest(spec)), lambda _: None)
    core = OnRegisters(spec, ports, patience=0.05)
    with pytest.raises(Fault, match=r"^status\.result is not 1 after 0\.05 s"):
        core.ask("ecdsa-sign", {"digest": 1, "private": 2, "nonce": 3})
    assert not any(map(any, ports.windows.values()))
    with pytest.raises(SpecError, match="^nonce = 0x0"):
        core.ask("ecdsa-sign", {"digest": 1, "private": 2, "nonce": 0})


# ---- ways to registers ---------------------------------------------------------------------------


def test_memory_that_is_mapped(tmp_path: Path) -> None:
    """Words of 32 bits at their places, at an offset that is no page."""
    file = tmp_path / "memory"
    file.write_bytes(bytes(0x3000))
    registers = Mapped(file, 0x1040, 0x200)
    registers.write(0, 0x4C4D444D)
    registers.write(0x1FC, 0x01020304)
    registers.idle()
    assert (registers.read(0), registers.read(0x1FC), registers.read(4)) == (
        0x4C4D444D,
        0x01020304,
        0,
    )
    with pytest.raises(IndexError):
        registers.read(0x200)
    registers.close()
    content = file.read_bytes()
    assert (content[0x1040:0x1044], content[0x123C:0x1240]) == (b"MDML", b"\4\3\2\1")


def exchanged(registers: Any) -> None:
    registers.write(0x1C, 0x89ABCDEF)
    registers.write(0x20, 1)
    assert (registers.read(0x1C), registers.read(0x20)) == (0x89ABCDEF, 1)


@pytest.fixture
def etherbone() -> Iterator[int]:
    """A server of a few words, at address 0x4000_0000."""
    memory: dict[int, int] = {}
    listening = create_server(("localhost", 0))

    def serve() -> None:
        connection, _ = listening.accept()
        connection.sendall(b"CommUART:localhost:1234")
        with connection, connection.makefile("rb") as lines:
            while head := lines.read(20):
                magic, kind, widths, enable, writes, reads = struct.unpack(">HBB4xxBBB", head[:12])
                first, second = struct.unpack(">II", head[12:])
                assert (magic, kind, widths, enable) == (0x4E6F, 0x10, 0x44, 0x0F)
                if writes:
                    memory[first] = second
                else:
                    assert reads == 1
                    record = struct.pack(">BBBBII", 0, 0x0F, 1, 0, first, memory[second])
                    connection.sendall(head[:8] + record)

    thread = Thread(target=serve, daemon=True)
    thread.start()
    yield int(listening.getsockname()[1])
    listening.close()


def test_a_litex_server(etherbone: int) -> None:
    with Litex("localhost", etherbone, 0x4000_0000) as registers:
        exchanged(registers)


def test_the_server_of_litex_itself() -> None:
    server = pytest.importorskip("litex.tools.litex_server", reason="needs the package litex")

    class Comm(dict[int, int]):
        """What it has behind it."""

        def open(self) -> None: ...

        close = open

        def read(self, address: int, length: int, burst: str = "incr") -> list[int]:
            return [self[address + 4 * place] for place in range(length)]

        def write(self, address: int, data: list[int]) -> None:
            self.update({address + 4 * place: value for place, value in enumerate(data)})

    with create_server(("localhost", 0)) as free:
        port = free.getsockname()[1]
    remote = server.RemoteServer(Comm(), "localhost", port)
    remote.open()
    Thread(target=remote._serve_thread, daemon=True).start()
    with Litex("localhost", port, 0x4000_0000) as registers:
        exchanged(registers)
