"""SM2 by the golden model and by a simulated core: the examples of its standard, and OpenSSL's
command line, which makes and reads the same signatures and ciphertexts."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hosted_cores import FaultyTransport, modelled, simulated
from known_answers import load
from modmul.arithmetic import curves
from modmul.arithmetic.points import Affine
from modmul.errors import SpecError
from modmul.host import Fault, Transport, sm2
from modmul.host.encodings import DER, RAW

pytestmark = pytest.mark.timeout(3600)  # compiles, on a machine that may be busy
CURVE = curves.find("sm2")
GIVEN = load("sm2")
TOY = curves.find("toy64")
MESSAGE = b"message digest"


def number(of: str, key: str) -> int:
    return int(GIVEN[of][key], 16)


@pytest.fixture(scope="module", params=["model", pytest.param("rtl", marks=pytest.mark.long)])
def core(request: pytest.FixtureRequest) -> Transport:
    return modelled("sm2") if request.param == "model" else simulated("sm2", schemes="sm2")


@pytest.fixture
def nonce(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Sets what is drawn."""
    return lambda value: monkeypatch.setattr(sm2, "_drawn", lambda _: iter([value]))


# ---- the examples of the standard ---------------------------------------------------------------


def test_the_signature_of_the_standard(core: Transport, nonce: Callable[[int], None]) -> None:
    of = GIVEN["sign"]
    public, name = Affine(number("sign", "qx"), number("sign", "qy")), of["id"].encode()
    private = number("sign", "d")
    assert sm2.public_key(core, CURVE, private) == public
    assert sm2.whose(CURVE, public, name).hex() == of["z"]
    assert sm2.digest(CURVE, public, of["msg"].encode(), name) == number("sign", "e")
    nonce(number("sign", "k"))
    signature = sm2.sign(core, CURVE, private, public, of["msg"].encode(), name, RAW)
    assert signature.hex() == of["r"] + of["s"]
    assert sm2.verifies(core, CURVE, public, of["msg"].encode(), signature, name, RAW)
    assert not sm2.verifies(core, CURVE, public, of["msg"].encode(), signature, b"else", RAW)


def test_the_ciphertext_of_the_standard(core: Transport, nonce: Callable[[int], None]) -> None:
    of, private = GIVEN["encrypt"], number("encrypt", "d")
    public = Affine(number("sign", "qx"), number("sign", "qy"))
    nonce(number("encrypt", "k"))
    ciphertext = sm2.encrypt(core, CURVE, public, of["msg"].encode())
    assert ciphertext.hex() == "04" + of["c1x"] + of["c1y"] + of["c3"] + of["c2"]
    assert sm2.decrypt(core, CURVE, private, ciphertext) == of["msg"].encode()


def test_the_exchange_of_the_standard(core: Transport) -> None:
    """Both sides find the key, and what they show each other."""
    of, name = GIVEN["exchange"], GIVEN["exchange"]["id"].encode()
    keys = {label: number("exchange", label) for label in ("dA", "rA", "dB", "rB")}
    a, b = (
        sm2.Party(
            sm2.public_key(core, CURVE, keys[f"d{side}"]),
            sm2.public_key(core, CURVE, keys[f"r{side}"]),
            name,
        )
        for side in "AB"
    )
    size = int(of["klen"]) // 8
    first = sm2.agree(core, CURVE, keys["dA"], keys["rA"], a, b, True, size)
    second = sm2.agree(core, CURVE, keys["dB"], keys["rB"], b, a, False, size)
    assert first == second
    assert first.key.hex() == of["k"]
    assert len({*first}) == 3 and len(first.responder) == len(first.initiator) == 32


# ---- OpenSSL ------------------------------------------------------------------------------------


def openssl(*words: str) -> bytes:
    done = subprocess.run(["openssl", *words], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def known_to_openssl() -> bool:
    if shutil.which("openssl") is None:
        return False
    told = subprocess.run(["openssl", "ecparam", "-list_curves"], capture_output=True, check=False)
    return b"SM2" in told.stdout


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, int, Affine]:
    """Files with a private key and its public key, and both as numbers."""
    if not known_to_openssl():
        pytest.skip("there is no OpenSSL with SM2")
    folder = tmp_path_factory.mktemp("sm2")
    private, public = str(folder / "private.pem"), str(folder / "public.pem")
    openssl("genpkey", "-algorithm", "SM2", "-out", private)
    openssl("pkey", "-in", private, "-pubout", "-out", public)
    text = openssl("pkey", "-in", private, "-noout", "-text").decode()
    parts = [part.split("ASN1")[0] for part in text.split("priv:")[1].split("pub:")]
    d, point = ("".join(part.split()).replace(":", "") for part in parts)
    return private, public, int(d, 16), Affine(int(point[2:66], 16), int(point[66:], 16))


@pytest.mark.long  # by default ciphertexts of OpenSSL, and the signature of the standard
def test_signatures_of_openssl(core: Transport, theirs: Any, tmp_path: Path) -> None:
    private, public, d, point = theirs
    message, mine, other = (str(tmp_path / name) for name in ("message", "mine", "other"))
    Path(message).write_bytes(MESSAGE)
    Path(mine).write_bytes(sm2.sign(core, CURVE, d, point, MESSAGE, b"someone"))
    named = ("-rawin", "-digest", "sm3", "-pkeyopt", "distid:someone", "-in", message)
    told = openssl("pkeyutl", "-verify", "-pubin", "-inkey", public, "-sigfile", mine, *named)
    assert b"Verified Successfully" in told
    openssl("pkeyutl", "-sign", "-inkey", private, "-out", other, *named)
    signature = Path(other).read_bytes()
    assert sm2.verifies(core, CURVE, point, MESSAGE, signature, b"someone")
    assert not sm2.verifies(core, CURVE, point, MESSAGE, signature, b"someone else")
    assert not sm2.verifies(core, CURVE, point, b"else", signature, b"someone")


def test_ciphertexts_of_openssl(core: Transport, theirs: Any, tmp_path: Path) -> None:
    private, public, d, point = theirs
    plain, mine, other = (str(tmp_path / name) for name in ("plain", "mine", "other"))
    Path(plain).write_bytes(MESSAGE * 9)
    Path(mine).write_bytes(sm2.encrypt(core, CURVE, point, MESSAGE * 9, DER))
    assert openssl("pkeyutl", "-decrypt", "-inkey", private, "-in", mine) == MESSAGE * 9
    openssl("pkeyutl", "-encrypt", "-pubin", "-inkey", public, "-in", plain, "-out", other)
    assert sm2.decrypt(core, CURVE, d, Path(other).read_bytes(), DER) == MESSAGE * 9


def test_sm3() -> None:
    """The example of GM/T 0004, and hashlib's where that has it."""
    wanted = "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"
    assert sm2.sm3(b"abc").hex() == wanted
    if "sm3" in hashlib.algorithms_available:
        assert sm2.sm3(MESSAGE * 9) == hashlib.new("sm3", MESSAGE * 9).digest()


# ---- what is wrong ------------------------------------------------------------------------------


def test_changed_ciphertexts() -> None:
    """Point, hash or text; too short; of another key."""
    core = modelled("toy64")
    private, public = sm2.generate(core, TOY)
    for encoding, first in ((RAW, 1), (DER, 4)):
        good = sm2.encrypt(core, TOY, public, b"text", encoding)
        assert sm2.decrypt(core, TOY, private, good, encoding) == b"text"
        size = len(good)
        for place in (0, first, size - 40, size - 5, size - 1):
            bad = bytearray(good)
            bad[place] ^= 1
            with pytest.raises(SpecError, match="^(ciphertext|point) = "):
                sm2.decrypt(core, TOY, private, bytes(bad), encoding)
        for bad in (b"", good[:-4], good[: size // 2]):
            with pytest.raises(SpecError, match="^(ciphertext|point) = "):
                sm2.decrypt(core, TOY, private, bad, encoding)
        with pytest.raises(SpecError, match="made for this key"):
            sm2.decrypt(core, TOY, private ^ 2, good, encoding)


def test_a_mask_of_zeros_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text would leave as it is: the next nonce."""
    core, drawn = modelled("toy64"), iter([5, 6, 7])
    private, public = sm2.generate(core, TOY)
    derived, calls = sm2.derived, iter([True, True, False])

    def first_zero(secret: bytes, size: int) -> bytes:
        return bytes(size) if next(calls, False) else derived(secret, size)

    monkeypatch.setattr(sm2, "_drawn", lambda _: drawn)
    monkeypatch.setattr(sm2, "derived", first_zero)
    ciphertext = sm2.encrypt(core, TOY, public, b"text")
    assert next(drawn, None) is None
    assert sm2.decrypt(core, TOY, private, ciphertext) == b"text"


def test_what_is_refused() -> None:
    core, point = modelled("toy64"), Affine(TOY.x, TOY.y)
    private, public = sm2.generate(core, TOY)
    with pytest.raises(SpecError, match="^message = '': must be of at least one octet"):
        sm2.encrypt(core, TOY, public, b"")
    with pytest.raises(SpecError, match="^public = .*must be a point of toy64"):
        sm2.encrypt(core, TOY, Affine(1, 2), b"text")
    with pytest.raises(SpecError, match="^name = of 8192 octets: must be of at most 8191"):
        sm2.sign(core, TOY, private, public, b"text", bytes(8192))
    with pytest.raises(SpecError, match="^encoding = 'pem': must be raw or der"):
        sm2.decrypt(core, TOY, private, b"text", "pem")
    own, other = sm2.Party(public, point), sm2.Party(public, Affine(1, 2))
    with pytest.raises(SpecError, match="^other = .*must be one whose points are on the curve"):
        sm2.agree(core, TOY, private, 1, own, other, True, 16)
    with pytest.raises(Fault, match="sm2-sign: the processor found a fault"):
        sm2.sign(FaultyTransport(core), TOY, private, public, b"text")
    with pytest.raises(Fault, match="the signature is wrong, and is not given out"):
        sm2.sign(FaultyTransport(core, s=5, valid=1), TOY, private, public, b"text")
