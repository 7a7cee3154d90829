"""Signatures and key agreement of standards, as operations of a processor with their results."""

from __future__ import annotations

import functools
import hashlib
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from known_answers import CURVES, load
from modmul.arithmetic import curves, points, signatures
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.points import Affine
from modmul.host import ecdsa, eddsa, sm2


class KnownAnswer(NamedTuple):
    """An operation and what it has to answer."""

    operation: str
    operands: dict[str, int]
    result: dict[str, int]


@functools.cache
def known(curve: Curve) -> tuple[KnownAnswer, ...]:
    """Those of a curve, of all files."""
    return tuple(operation for source in _SOURCES for operation in source(curve))


def _ecdsa(curve: Curve) -> Iterator[KnownAnswer]:
    """CAVP has nonces, RFC 6979 a rule for them; of each the signature, and a wrong one."""
    for vector in [*load("ecdsa_cavp")["tests"], *load("ecdsa_rfc6979")["tests"]]:
        if CURVES.get(vector["curve"]) != curve.name:
            continue
        digest = vector["hash"].replace("-", "").lower()
        cavp = "k" in vector
        text = bytes.fromhex(vector["msg"]) if cavp else vector["msg"].encode()
        hashed = hashlib.new(digest, text).digest()
        number = int.from_bytes(hashed, "big")
        number >>= max(0, 8 * len(hashed) - curve.order.bit_length())
        d = int(vector["d" if cavp else "x"], 16)
        nonce = int(vector["k"], 16) if cavp else next(ecdsa.nonces(curve, d, hashed, digest, b""))
        pair = {name: int(vector[name], 16) for name in "rs"}
        yield KnownAnswer("ecdsa-sign", {"digest": number, "private": d, "nonce": nonce}, pair)
        public = _times(curve, d)
        assert "qx" not in vector or public == (int(vector["qx"], 16), int(vector["qy"], 16))
        given = {"digest": number, **pair, **public._asdict()}
        yield KnownAnswer("ecdsa-verify", given, {"valid": True})
        yield KnownAnswer("ecdsa-verify", given | {"digest": number ^ 1}, {"valid": False})


def _ecdh(curve: Curve) -> Iterator[KnownAnswer]:
    """Points that are none are found; coordinates beyond the prime are the host's to find."""
    for vector in load("ecdh")["tests"]:
        x, y = int(vector["qx"], 16), int(vector["qy"], 16)
        if CURVES.get(vector["curve"]) != curve.name or max(x, y) >= curve.prime:
            continue
        given = {"private": int(vector["d"], 16) % curve.order, "x": x, "y": y}
        if not points.is_on(curve, x, y):
            assert vector["result"].startswith("F")
            yield KnownAnswer("ecdh", given, {"invalid": True})
            continue
        shared = points.multiply(curve, given["private"], Affine(x, y))
        assert shared is not None
        assert (shared.x == int(vector["z"], 16)) == ("changed" not in vector["result"])
        yield KnownAnswer("ecdh", given, shared._asdict())


def _sm2(curve: Curve) -> Iterator[KnownAnswer]:
    """The examples of GM/T 0003.5: the exchange of both sides."""
    if curve.name != "sm2":
        return
    of = {
        key: {name: _number(value) for name, value in told.items()}
        for key, told in load("sm2").items()
        if isinstance(told, dict)
    }
    sign, text = of["sign"], of["encrypt"]
    pair = {name: sign[name] for name in "rs"}
    given = {"digest": sign["e"], "private": sign["d"], "nonce": sign["k"]}
    yield KnownAnswer("sm2-sign", given, pair)
    given = {"digest": sign["e"], **pair, "x": sign["qx"], "y": sign["qy"]}
    yield KnownAnswer("sm2-verify", given, {"valid": True})
    yield KnownAnswer("sm2-verify", given | {"digest": sign["e"] ^ 1}, {"valid": False})
    first = {"x": text["c1x"], "y": text["c1y"]}
    base = signatures.base(curve)._asdict()
    yield KnownAnswer("sm2-encrypt", {"nonce": text["k"], **base}, first)
    both = _times(curve, text["k"] * text["d"])._asdict()
    public = _times(curve, text["d"])._asdict()
    yield KnownAnswer("sm2-encrypt", {"nonce": text["k"], **public}, both)
    yield KnownAnswer("sm2-decrypt", {"private": text["d"], **first}, both)
    yield from _exchanged(curve, of["exchange"])


def _exchanged(curve: Curve, of: dict[str, int]) -> Iterator[KnownAnswer]:
    """What both agree on is the point that gives the key of the example."""
    public = {name: _times(curve, of[name]) for name in ("dA", "rA", "dB", "rB")}
    for mine, other in ("AB", "BA"):
        peer, point = public[f"d{other}"], public[f"r{other}"]
        given = {
            "private": of[f"d{mine}"],
            "ephemeral": of[f"r{mine}"],
            "factor": signatures.factor(curve, public[f"r{mine}"].x),
            **peer._asdict(),
            "factor2": signatures.factor(curve, point.x),
            "x2": point.x,
            "y2": point.y,
        }
        agreed = signatures.sm2_agreed(curve, given)
        assert agreed is not None
        name, size = load("sm2")["exchange"]["id"].encode(), curve.bits // 8
        shared = b"".join(coordinate.to_bytes(size, "big") for coordinate in agreed)
        shared += b"".join(sm2.whose(curve, public[key], name) for key in ("dA", "dB"))
        assert sm2.derived(shared, 16).hex() == load("sm2")["exchange"]["k"]
        yield KnownAnswer("sm2-exchange", given, agreed._asdict())


def _eddsa(curve: Curve) -> Iterator[KnownAnswer]:
    """What becomes of a key and a message is the host's: it is written down here, and what it asks
    for; the rest of a signature is in the file."""
    for vector in load("eddsa")["tests"]:
        if vector["algorithm"].lower() == curve.name:
            size = curve.bits // 8 + 1
            asked = _Written(curve)
            private, message, context = (
                bytes.fromhex(vector.get(key, "")) for key in ("sk", "msg", "context")
            )
            signature = eddsa.sign(asked, curve, private[:size], message, context, noise=b"")
            assert signature == bytes.fromhex(vector["sig"])[: 2 * size]
            public = bytes.fromhex(vector["pk"])
            assert eddsa.verifies(asked, curve, public, message, signature, context)
            yield from asked.known
            wrong = dict(asked.known[-1].operands)
            yield KnownAnswer("eddsa-verify", wrong | {"s": wrong["s"] ^ 1}, {"valid": False})


class _Written:
    """A transport that computes by affine points, and writes down what it is asked."""

    def __init__(self, curve: Curve):
        self.curve = curve
        self.spec: Any = types.SimpleNamespace(curve=curve)
        self.known: list[KnownAnswer] = []

    def ask(self, operation: str, operands: Any) -> dict[str, int]:
        curve, of = self.curve, dict(operands)
        if operation == "point-multiply":
            answer: dict[str, int] = _times(curve, of["scalar"])._asdict()
        elif operation == "eddsa-sign":
            answer = {"s": signatures.eddsa(curve, of["nonce"], of["challenge"], of["private"])}
        else:
            assert operation == "eddsa-verify"
            answer = {"valid": True}
        self.known.append(KnownAnswer(operation, of, answer))
        return answer


_SOURCES: tuple[Callable[[Curve], Iterator[KnownAnswer]], ...] = _ecdsa, _ecdh, _sm2, _eddsa


def _times(curve: Curve, k: int) -> Affine:
    multiple = points.multiply(curve, k, signatures.base(curve))
    assert multiple is not None
    return multiple


def _number(text: object) -> int:
    """0 for what is no number."""
    try:
        return int(str(text), 16)
    except ValueError:
        return 0


NAMES = tuple(curve.name for curve in curves.every() if curve.source and known(curve))
