"""Signatures of RSA (RFC 8017): the processor computes powers, the host hashes and encodes."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from modmul.arithmetic.keys import Key
from modmul.errors import SpecError, refusal
from modmul.host.transport import Fault, Transport

PKCS1, PSS = "pkcs1v15", "pss"
# The octets of a DigestInfo before its digest (RFC 8017, 9.2, note 1).
_PREFIX = {
    "sha256": "3031300d060960864801650304020105000420",
    "sha384": "3041300d060960864801650304020205000430",
    "sha512": "3051300d060960864801650304020305000440",
}


def sign(
    core: Transport, n: int, message: bytes, scheme: str = PKCS1, digest: str = "sha256"
) -> bytes:
    """Sign a message with the key that is loaded, of modulus n.  scheme: PKCS1, or PSS with a salt
    as long as the digest.  Raises Fault if the signature is wrong: the processor tests it, and
    so does Python, with public integers only."""
    bits = n.bit_length()
    if scheme == PKCS1:
        encoded = _pkcs1(message, -(-bits // 8), digest)
    elif scheme == PSS:
        salt = secrets.token_bytes(hashlib.new(_known(digest)).digest_size)
        encoded = _pss(message, bits - 1, digest, salt)
    else:
        raise SpecError(
            "scheme", scheme, f"{PKCS1} or {PSS}", f"scheme = {scheme!r}: must be {PKCS1} or {PSS}"
        )
    x = int.from_bytes(encoded, "big")
    answers = core.ask("private", {"x": x})
    if answers.get("fault"):
        raise Fault("private: the processor found a fault, and gave no result")
    if pow(answers["y"], _exponent(core), n) != x:
        raise Fault("private: the signature is wrong, and is not given out")
    return answers["y"].to_bytes(-(-bits // 8), "big")


def _exponent(core: Transport) -> int:
    """The public exponent of the key that is loaded."""
    load = core.spec.load
    if load is None or not isinstance(load.modulus, Key):
        raise refusal("key", None, "loaded")
    return load.modulus.e


def verifies(
    core: Transport,
    n: int,
    e: int,
    message: bytes,
    signature: bytes,
    scheme: str = PKCS1,
    digest: str = "sha256",
) -> bool:
    """Whether a signature is valid for a message and the public key (n, e).  n must be loaded."""
    bits, size = n.bit_length(), -(-n.bit_length() // 8)
    value = int.from_bytes(signature, "big")
    if len(signature) != size or value >= n:
        return False
    encoded = core.ask("public", {"x": value, "e": e})["y"]
    if scheme == PKCS1:
        expected = _pkcs1(message, size, digest)
        return hmac.compare_digest(encoded.to_bytes(size, "big"), expected)
    if encoded >> 8 * -(-(bits - 1) // 8):
        return False
    return _is_pss(encoded.to_bytes(-(-(bits - 1) // 8), "big"), message, bits - 1, digest)


def _known(digest: str) -> str:
    if digest not in _PREFIX:
        allowed = f"one of {', '.join(_PREFIX)}"
        raise refusal("digest", digest, allowed)
    return digest


def _pkcs1(message: bytes, size: int, digest: str) -> bytes:
    """EMSA-PKCS1-v1_5 of a message, in `size` octets (RFC 8017, 9.2)."""
    told = bytes.fromhex(_PREFIX[_known(digest)]) + hashlib.new(digest, message).digest()
    _fits(size, len(told) + 11)
    return b"\0\1" + b"\xff" * (size - len(told) - 3) + b"\0" + told


def _pss(message: bytes, bits: int, digest: str, salt: bytes) -> bytes:
    """EMSA-PSS of a message in `bits` bits (RFC 8017, 9.1.1); MGF1 uses the same digest."""
    size, hashed = -(-bits // 8), hashlib.new(_known(digest), message).digest()
    _fits(size, len(hashed) + len(salt) + 2)
    inner = hashlib.new(digest, bytes(8) + hashed + salt).digest()
    block = bytes(size - len(salt) - len(inner) - 2) + b"\1" + salt
    masked = bytes(a ^ b for a, b in zip(block, _mask(inner, len(block), digest), strict=True))
    first = masked[0] & 0xFF >> 8 * size - bits
    return bytes([first]) + masked[1:] + inner + b"\xbc"


def _is_pss(encoded: bytes, message: bytes, bits: int, digest: str) -> bool:
    """Whether EMSA-PSS-VERIFY accepts `encoded`, with a salt as long as the digest."""
    length = hashlib.new(_known(digest)).digest_size
    if len(encoded) < 2 * length + 2 or encoded[-1] != 0xBC:
        return False
    masked, inner = encoded[: -length - 1], encoded[-length - 1 : -1]
    block = bytes(a ^ b for a, b in zip(masked, _mask(inner, len(masked), digest), strict=True))
    return hmac.compare_digest(encoded, _pss(message, bits, digest, block[-length:]))


def _mask(seed: bytes, size: int, digest: str) -> bytes:
    """`size` octets of the mask of a seed (MGF1; RFC 8017, B.2.1)."""
    parts = (
        hashlib.new(digest, seed + count.to_bytes(4, "big")).digest()
        for count in range(-(-size // len(seed)))
    )
    return b"".join(parts)[:size]


def _fits(size: int, least: int) -> None:
    if size < least:
        allowed = f"of at least {8 * least} bits for this digest"
        raise SpecError("modulus", 8 * size, allowed, f"modulus: must be {allowed}")
