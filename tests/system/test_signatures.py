"""Signatures and shared secrets made by a CPU's firmware with a processor beside it, by the driver:
OpenSSL accepts them."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, x25519

from bus_systems import System, system, system_of
from modmul.arithmetic import curves, points
from modmul.arithmetic.points import Affine
from modmul.host import ecdsa
from modmul.host import rsa as host
from modmul.host import x25519 as agreed
from modmul.spec import Spec
from modmul.system.calls import calls
from soc_runs import CPUS, RAN, OnCpu, programs_of_the_page, run

pytestmark = [
    pytest.mark.skipif(not os.environ.get("SOC"), reason="takes long: make soc"),
    pytest.mark.timeout(1800),
]
MESSAGE = b"a message"


def on_a_cpu(device: System, folder: Path, cpu: str = "picorv32") -> OnCpu:
    return OnCpu(device, folder, CPUS[cpu])


def agrees(core: OnCpu, operation: str, cycles: int) -> None:
    """What docs/integration.md tells is this, but for looks at the status and for random numbers
    that are drawn again; what a datasheet tells is near."""
    page = (Path(__file__).parents[2] / "docs" / "integration.md").read_text()
    (row,) = re.findall(rf"^\| `{operation}`[^|]*\| ([0-9,]+) \| ([0-9,]+) \|$", page, re.M)
    regs, of_core = (int(figure.replace(",", "")) for figure in row)
    (call,) = (call for call in calls(core.system.spec, core.system.regs) if call.name == operation)
    assert of_core == call.core
    assert abs(cycles - regs) < 0.01 * regs
    assert abs(cycles - call.cpu) < 0.1 * cycles


def test_ecdsa_p256(tmp_path: Path) -> None:
    """The device does all that key and nonce go into, the host hashes and encodes; a signature is
    made by the program of docs/integration.md."""
    curve = curves.find("p256")
    options = {
        "architecture": "curve",
        "curve": "p256",
        "multiplier": "fpmm",
        "schemes": "ecdsa",
        "forms": "weierstrass",
    }
    core = on_a_cpu(system(options), tmp_path)
    core.program = re.sub(r"\bsig(?=[_.])", "dut", programs_of_the_page()[1])
    assert "dut.h" in core.program
    key = ec.generate_private_key(ec.SECP256R1())
    own, point = key.private_numbers().private_value, key.public_key().public_numbers()
    public = Affine(point.x, point.y)
    signature = ecdsa.sign(core, curve, own, MESSAGE, public=public, noise=b"")
    key.public_key().verify(signature, MESSAGE, ec.ECDSA(hashes.SHA256()))
    core.program = ""
    assert ecdsa.sign(core, curve, own, MESSAGE, public=public, noise=b"") == signature
    other = points.multiply(curve, own ^ 0xFFFFF, Affine(curve.x, curve.y))
    ecdsa.sign(core, curve, own ^ 0xFFFFF, b"another message", public=other)
    assert abs(core.cycles[2] - core.cycles[1]) <= 60, "but for a look at the status"
    assert ecdsa.verifies(core, curve, public, MESSAGE, signature)
    RAN.append(
        f"ECDSA P-256 on {core.cpu.name}: two signatures, {core.cycles[1]:,} cycles each, "
        f"and one verified before it is given out, {core.cycles[0]:,}; "
        f"verified in {core.cycles[3]:,}, curve loaded in {core.loading[0]:,}"
    )
    agrees(core, "ecdsa-sign", core.cycles[1])
    agrees(core, "ecdsa-verify", core.cycles[3])


def test_x25519(tmp_path: Path) -> None:
    options = {
        "architecture": "curve",
        "curve": "x25519",
        "multiplier": "fpmm",
        "forms": "montgomery",
    }
    core = on_a_cpu(system(options), tmp_path)
    raw = serialization.Encoding.Raw
    ours = x25519.X25519PrivateKey.generate()
    theirs = x25519.X25519PrivateKey.generate()
    own = ours.private_bytes(raw, serialization.PrivateFormat.Raw, serialization.NoEncryption())
    public = theirs.public_key().public_bytes(raw, serialization.PublicFormat.Raw)
    secret = agreed.shared(core, curves.find("x25519"), own, public)
    assert secret == theirs.exchange(ours.public_key())
    agrees(core, "x-multiply", core.cycles[0])
    RAN.append(f"X25519 on {core.cpu.name}: one shared secret, {core.cycles[0]:,} cycles")


def test_rsa_2048(tmp_path: Path) -> None:
    key = rsa.generate_private_key(65537, 2048)
    file = tmp_path / "key.pem"
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption(),
        )
    )
    options = {"architecture": "rsa", "multiplier": "fpmm", "width": 1024}
    core = on_a_cpu(system_of(Spec.from_options(options).with_key(file)), tmp_path)
    signature = host.sign(core, key.private_numbers().public_numbers.n, MESSAGE)
    key.public_key().verify(signature, MESSAGE, padding.PKCS1v15(), hashes.SHA256())
    agrees(core, "private", core.cycles[0])
    RAN.append(f"RSA-2048 on {core.cpu.name}: one signature, {core.cycles[0]:,} cycles")


@pytest.mark.parametrize("job", ["ecdsa-p256", "ed25519", "x25519", "rsa-2048"])
def test_the_self_test(job: str, tmp_path: Path) -> None:
    """Every operation of a delivery, as the user's firmware tries it."""
    spec = Spec.from_file(Path(job))
    result = run(system_of(spec), tmp_path, CPUS["picorv32"], "selftest.c", {}, 20_000_000)
    opened, cycles, *found = result.words
    assert (opened, "".join(map(chr, found)), result.exit) == (0, "", "0")
    RAN.append(f"self-test of {job}: {cycles:,} cycles")
