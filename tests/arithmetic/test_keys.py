"""RSA keys: from files of every format, equal and unequal, never written out by accident."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from modmul.arithmetic.keys import Key
from modmul.errors import SpecError

MADE = rsa.generate_private_key(65537, 1024)
SMALL = Key(251, 241, 7)


@pytest.mark.parametrize("encoding", [Encoding.PEM, Encoding.DER])
@pytest.mark.parametrize("form", [PrivateFormat.PKCS8, PrivateFormat.TraditionalOpenSSL])
def test_files(encoding: Encoding, form: PrivateFormat, tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_bytes(MADE.private_bytes(encoding, form, NoEncryption()))
    key, numbers = Key.from_file(path), MADE.private_numbers()
    assert (key.p, key.q, key.e) == (numbers.p, numbers.q, 65537)
    assert int(key) == numbers.public_numbers.n
    assert numbers.d % (key.p - 1) == key.d % (key.p - 1)


def files() -> dict[str, bytes]:
    curve = ec.generate_private_key(ec.SECP256R1())
    public = MADE.public_key()
    return {
        "is encrypted": MADE.private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"word")
        ),
        "holds a key of another kind": curve.private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        ),
        "holds a public key": public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        "is in OpenSSH's own format": MADE.private_bytes(
            Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()
        ),
    }


@pytest.mark.parametrize("why, content", files().items())
def test_other_files_are_refused(why: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_bytes(content)
    with pytest.raises(SpecError, match=f"RSA private key.*{why}"):
        Key.from_file(path)


@pytest.mark.parametrize("content", [b"", b"-----BEGIN", b"\x30\x82\xff\xff", b"hello\n"])
def test_what_is_no_key_at_all_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "key.der"
    path.write_bytes(content)
    with pytest.raises(SpecError, match="holds no private key"):
        Key.from_file(path)
    with pytest.raises(SpecError, match="cannot read"):
        Key.from_file(tmp_path / "absent")


@pytest.mark.parametrize(
    "p, q, e, what",
    [
        (15, 17, 3, "its p"),
        (17, 2, 3, "its q"),
        (17, 17, 3, "its q"),
        (17, 19, 3, "its e"),
        (17, 19, 1, "its e"),
        (17, 19, 2**20 + 7, "its e"),
    ],
)
def test_numbers_that_are_no_key(p: int, q: int, e: int, what: str) -> None:
    """The message does not repeat them."""
    with pytest.raises(SpecError, match=what) as refused:
        Key(p, q, e)
    assert str(p) not in str(refused.value)


def test_a_key_is_its_numbers_and_not_its_modulus() -> None:
    assert Key(251, 241, 7) == SMALL and hash(Key(251, 241, 7)) == hash(SMALL)
    assert SMALL not in (251 * 241, Key(241, 251, 7), Key(251, 241, 11))
    assert len({SMALL, int(SMALL), Key(241, 251, 7)}) == 3
    assert pow(pow(5, SMALL.e, int(SMALL)), SMALL.d, int(SMALL)) == 5
    again = pickle.loads(pickle.dumps(SMALL))
    assert again == SMALL and again.p == 251


def test_seeds_make_keys_unequal() -> None:
    seeded = SMALL.seeded(5)
    assert int(seeded) == int(SMALL) and seeded.primes == SMALL.primes
    assert len({SMALL, SMALL.seeded(0), seeded, SMALL.seeded(6)}) == 3
    assert pickle.loads(pickle.dumps(seeded)) == seeded


def test_the_factors_are_not_shown() -> None:
    assert "251" not in f"{SMALL!r}" and "251" not in f"{SMALL:#x}"
