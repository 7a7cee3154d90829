"""Signatures by a simulated core verify under OpenSSL, and the other way round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.asymmetric import rsa as openssl

from modmul.arithmetic.keys import Key
from modmul.arithmetic.moduli import Modulus
from modmul.errors import SpecError
from modmul.host import Fault, Simulated, rsa
from modmul.spec import Spec

pytestmark = pytest.mark.timeout(1800)  # compiles, on a machine that may be busy
HASHES: dict[str, Any] = {
    "sha256": hashes.SHA256(),
    "sha384": hashes.SHA384(),
    "sha512": hashes.SHA512(),
}


@dataclass
class Computed:
    """A transport without hardware."""

    key: openssl.RSAPrivateNumbers
    fault: bool = False
    wrong: int = 0

    @property
    def spec(self) -> Spec:
        own = Key(self.key.p, self.key.q, self.key.public_numbers.e)
        options = {"architecture": "rsa", "multiplier": "fpmm", "width": own.bit_length()}
        return replace(Spec.from_options(options), modulus=Modulus(None, own))

    def ask(self, operation: str, operands: Mapping[str, int]) -> Mapping[str, int]:
        if self.fault:
            return {"fault": True}
        n = self.key.public_numbers.n
        return {"y": pow(operands["x"], operands.get("e", self.key.d), n) ^ self.wrong}


def theirs(scheme: str, digest: str) -> Any:
    if scheme == rsa.PKCS1:
        return padding.PKCS1v15()
    return padding.PSS(padding.MGF1(HASHES[digest]), HASHES[digest].digest_size)


@pytest.mark.parametrize("scheme", [rsa.PKCS1, rsa.PSS])
@pytest.mark.parametrize("digest", HASHES)
@pytest.mark.parametrize("bits", [1536, 1537])
def test_encodings(scheme: str, digest: str, bits: int) -> None:
    key = openssl.generate_private_key(65537, bits)
    numbers, message = key.private_numbers(), digest.encode()
    core, n = Computed(numbers), numbers.public_numbers.n
    chosen = theirs(scheme, digest), HASHES[digest]
    signature = rsa.sign(core, n, message, scheme, digest)
    key.public_key().verify(signature, message, *chosen)
    other = key.sign(message, *chosen)
    for given, text, right in (
        (signature, message, True),
        (other, message, True),
        (other, b"else", False),
        (other[:-1], message, False),
        (bytes(len(other)), message, False),
    ):
        assert rsa.verifies(core, n, 65537, text, given, scheme, digest) == right


def test_what_is_refused() -> None:
    numbers = openssl.generate_private_key(65537, 1024).private_numbers()
    n = numbers.public_numbers.n
    with pytest.raises(Fault, match="found a fault"):
        rsa.sign(Computed(numbers, fault=True), n, b"text")
    with pytest.raises(Fault, match="the signature is wrong, and is not given out"):
        rsa.sign(Computed(numbers, wrong=1), n, b"text")
    with pytest.raises(SpecError, match="digest = 'md5': must be one of sha256"):
        rsa.sign(Computed(numbers), n, b"text", digest="md5")
    with pytest.raises(SpecError, match="scheme = 'none'"):
        rsa.sign(Computed(numbers), n, b"text", "none")
    with pytest.raises(SpecError, match="at least 1040 bits"):
        rsa.sign(Computed(numbers), n, b"text", rsa.PSS, "sha512")


@pytest.mark.long  # by default tests/processors/rsa simulates
def test_a_simulated_core_signs_and_verifies() -> None:
    """The key by halves on a narrow core; its public half on one as wide as n."""
    key = openssl.generate_private_key(65537, 1024)
    numbers, message = key.private_numbers(), b"from the core"
    own = Key(numbers.p, numbers.q, 65537)
    plain = {"architecture": "rsa", "multiplier": "fpmm"}
    narrow = Spec.from_options({**plain, "width": 512})
    signer = Simulated(replace(narrow, modulus=Modulus(None, own)))
    signature = rsa.sign(signer, own, message, rsa.PSS)
    key.public_key().verify(signature, message, theirs(rsa.PSS, "sha256"), HASHES["sha256"])
    wide = Simulated(Spec.from_options({**plain, "width": 1024, "modulus": hex(int(own))}))
    other = key.sign(message, padding.PKCS1v15(), HASHES["sha256"])
    assert rsa.verifies(wide, int(own), 65537, message, other)
    assert not rsa.verifies(wide, int(own), 65537, b"else", other)
