"""Signatures and shared secrets made by a CPU's firmware with a processor beside it, by the driver:
OpenSSL accepts them."""

from __future__ import annotations

import hashlib
import os
import secrets
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils, x25519

from bus_systems import System, system, system_of
from modmul.arithmetic import curves
from modmul.host import rsa as host
from modmul.spec import Spec
from soc_runs import CPUS, OnCpu

pytestmark = [
    pytest.mark.skipif(not os.environ.get("SOC"), reason="takes long: make soc"),
    pytest.mark.timeout(1800),
]
MESSAGE = b"a message"


def beside(one: System, folder: Path, cpu: str = "picorv32") -> OnCpu:
    return OnCpu(one, folder, CPUS[cpu], [])


def test_ecdsa_p256(tmp_path: Path) -> None:
    """The device multiplies the base point, the host does the rest."""
    curve = curves.find("p256")
    assert curve.order is not None and curve.base is not None
    core = beside(
        system({"architecture": "curve", "curve": "p256", "multiplier": "fpmm"}), tmp_path
    )
    key = ec.generate_private_key(ec.SECP256R1())
    own, order = key.private_numbers().private_value, curve.order
    nonce = 1 + secrets.randbelow(order - 1)
    x, y = curve.base
    r = core.ask("point-multiply", {"scalar": nonce, "x": x, "y": y})["x"] % order
    told = int.from_bytes(hashlib.sha256(MESSAGE).digest(), "big")
    s = pow(nonce, -1, order) * (told + r * own) % order
    signature = utils.encode_dss_signature(r, s)
    key.public_key().verify(signature, MESSAGE, ec.ECDSA(hashes.SHA256()))
    print(f"ECDSA P-256 on {core.cpu.name}: one signature, {core.cycles[0]:,} cycles")


def test_x25519(tmp_path: Path) -> None:
    core = beside(
        system({"architecture": "curve", "curve": "x25519", "multiplier": "fpmm"}), tmp_path
    )
    raw = serialization.Encoding.Raw
    ours = x25519.X25519PrivateKey.generate()
    theirs = x25519.X25519PrivateKey.generate()
    own = bytearray(ours.private_bytes(raw, serialization.PrivateFormat.Raw,
                                       serialization.NoEncryption()))  # fmt: skip
    own[0] &= 248
    own[31] = own[31] & 127 | 64
    public = theirs.public_key().public_bytes(raw, serialization.PublicFormat.Raw)
    operands = {"scalar": int.from_bytes(own, "little"), "u": int.from_bytes(public, "little")}
    found = core.ask("x-multiply", operands)["u"].to_bytes(32, "little")
    assert found == theirs.exchange(ours.public_key())
    print(f"X25519 on {core.cpu.name}: one shared secret, {core.cycles[0]:,} cycles")


def test_rsa_2048(tmp_path: Path) -> None:
    key = rsa.generate_private_key(65537, 2048)
    file = tmp_path / "key.pem"
    file.write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ))  # fmt: skip
    options = {"architecture": "rsa", "multiplier": "fpmm", "width": 1024}
    core = beside(system_of(Spec.from_options(options).with_key(file)), tmp_path)
    signature = host.sign(core, key.private_numbers().public_numbers.n, MESSAGE)
    key.public_key().verify(signature, MESSAGE, padding.PKCS1v15(), hashes.SHA256())
    print(f"RSA-2048 on {core.cpu.name}: one signature, {core.cycles[0]:,} cycles")
