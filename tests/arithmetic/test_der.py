"""Keys of three and four primes from files, as OpenSSL writes them."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from modmul.arithmetic.der import flaw, several_primes
from modmul.arithmetic.keys import Key
from modmul.errors import SpecError

FILE = Path(__file__).parents[2] / "examples" / "rsa-3-primes.pem"  # openssl genrsa -primes 3 1024
PEM = FILE.read_bytes()
DER = base64.b64decode(b"".join(PEM.splitlines()[1:-1]))
INNER = DER[26:]  # what PKCS #8 wraps: PKCS #1


def pem(der: bytes) -> bytes:
    text = base64.encodebytes(der)
    return b"-----BEGIN RSA PRIVATE KEY-----\n" + text + b"-----END RSA PRIVATE KEY-----\n"


def element(tag: int, content: bytes) -> bytes:
    length = len(content).to_bytes(2)
    return bytes([tag, 0x82]) + length + content


def encoded(key: Key) -> bytes:
    """PKCS #1, of a key of any number of primes."""
    p, q, *others = key.primes

    def integers(*several: int) -> bytes:
        return b"".join(
            element(2, number.to_bytes(number.bit_length() // 8 + 1)) for number in several
        )

    triples, product = [], p * q
    for other in others:
        triples.append(integers(other, key.d % (other - 1), pow(product, -1, other)))
        product *= other
    more = b"".join(element(0x30, triple) for triple in triples)
    own = integers(
        len(key.primes) > 2,
        int(key),
        key.e,
        key.d,
        p,
        q,
        key.d % (p - 1),
        key.d % (q - 1),
        pow(q, -1, p),
    )
    return element(0x30, own + element(0x30, more) * bool(others))


@pytest.mark.parametrize("content", [PEM, DER, INNER, pem(INNER)], ids=["8", "8 DER", "1 DER", "1"])
def test_files(content: bytes, tmp_path: Path) -> None:
    assert INNER[0] == 0x30
    path = tmp_path / "key"
    path.write_bytes(content)
    key = Key.from_file(path)
    assert len(key.primes) == 3 and key.bit_length() == 1024 and key.e == 65537
    assert pow(pow(5, key.e, int(key)), key.d, int(key)) == 5


def test_what_is_written_is_read() -> None:
    for count in (3, 4):
        key = Key.of_bits(64, 1 << 40, count=count)
        assert several_primes(encoded(key)) == (key.p, key.q, key.e, *key.primes[2:])


def test_everything_else_is_left_to_others() -> None:
    """Two primes, numbers that are no key, what is cut off anywhere, a byte that is another one."""
    key = Key.of_bits(64, 1 << 40, count=3)
    encoding = encoded(key)
    assert several_primes(encoded(Key(key.p, key.q))) == ()
    assert several_primes(b"") == several_primes(b"hello") == ()
    assert {several_primes(encoding[:end]) for end in range(len(encoding))} == {()}
    for place in range(len(encoding)):
        changed = bytes([*encoding[:place], encoding[place] ^ 1, *encoding[place + 1 :]])
        primes = several_primes(changed)
        assert primes == () or primes == several_primes(encoding)  # a tag that is not looked at


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        ((251, 241, 1), "its e must be above 1"),
        ((253, 241, 11), "its p must be an odd prime"),
        ((251, 241, 1, 239), "its e must be above 1"),
    ],
)
@pytest.mark.parametrize("form", [pem, bytes])
def test_consistent_numbers_that_are_no_key(
    numbers: tuple[int, ...], why: str, form: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    """The message says what is wrong with them, not that there is no key."""
    p, q, e, *others = numbers
    key = int.__new__(Key, math.prod((p, q, *others)))
    key.primes, key.e = (p, q, *others), e
    path = tmp_path / "key"
    path.write_bytes(form(encoded(key)))
    with pytest.raises(SpecError, match=f"^key: {why}"):
        Key.from_file(path)


@pytest.mark.parametrize("count", [2, 3])
def test_numbers_that_contradict_each_other(count: int, tmp_path: Path) -> None:
    """Each number of a file, changed by itself: the message tells which, and none of them."""
    key, path, said = Key.of_bits(512, 1 << 100, count=count), tmp_path / "key", set[str]()
    encoding = encoded(key)
    p, q = key.primes[:2]
    numbers = [int(key), key.e, key.d, p, q, key.d % (p - 1), key.d % (q - 1), pow(q, -1, p)]
    for number in [*numbers, *key.primes[2:]]:
        before = element(2, number.to_bytes(number.bit_length() // 8 + 1))
        assert before in encoding
        path.write_bytes(encoding.replace(before, before[:-1] + bytes([before[-1] ^ 2]), 1))
        with pytest.raises(SpecError, match="holds a damaged key: (its|one of)") as refused:
            Key.from_file(path)
        assert not re.search("[0-9]{5}", str(refused.value).replace(str(path), ""))
        said.add(str(refused.value).partition("damaged key: ")[2])
    assert len(said) == 4
    assert flaw(encoding) == ""


def test_too_many_primes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "key"
    four = Key.of_bits(32, 1 << 20, count=4)
    more = Key.of_bits(24, 1 << 20).primes
    with pytest.raises(SpecError, match="5 primes: must have at most 4"):
        Key(*four.primes[:2], four.e, *four.primes[2:], more[0])
    path.write_bytes(b"\x30\x03\x02\x01\x01")
    with pytest.raises(SpecError, match="holds no private key"):
        Key.from_file(path)
