"""Signatures and key agreement of standards, as operations of a processor with their results."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from known_answers import CURVES, load
from modmul.arithmetic import curves, points, signatures
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.points import Affine
from modmul.host import ecdsa, eddsa, sm2


class Known(NamedTuple):
    """An operation and what it has to answer."""

    operation: str
    operands: dict[str, int]
    result: dict[str, int]


def known(curve: Curve) -> list[Known]:
    """Those of a curve, of all files."""
    return [one for source in _SOURCES for one in source(curve)]


def _ecdsa(curve: Curve) -> Iterator[Known]:
    """CAVP has nonces, RFC 6979 a rule for them; of each the signature, and a wrong one."""
    for one in [*load("ecdsa_cavp")["tests"], *load("ecdsa_rfc6979")["tests"]]:
        if CURVES.get(one["curve"]) != curve.name:
            continue
        digest = one["hash"].replace("-", "").lower()
        text = bytes.fromhex(one["msg"]) if "k" in one else one["msg"].encode()
        hashed = hashlib.new(digest, text).digest()
        number = int.from_bytes(hashed, "big")
        number >>= max(0, 8 * len(hashed) - curve.order.bit_length())
        d = int(one["d" if "k" in one else "x"], 16)
        nonce = int(one["k"], 16) if "k" in one else next(ecdsa.nonces(curve, d, hashed, digest))
        pair = {name: int(one[name], 16) for name in "rs"}
        yield Known("ecdsa-sign", {"digest": number, "private": d, "nonce": nonce}, pair)
        public = _times(curve, d)
        assert "qx" not in one or public == (int(one["qx"], 16), int(one["qy"], 16))
        given = {"digest": number, **pair, **public._asdict()}
        yield Known("ecdsa-verify", given, {"valid": True})
        yield Known("ecdsa-verify", given | {"digest": number ^ 1}, {"valid": False})


def _ecdh(curve: Curve) -> Iterator[Known]:
    """Points that are none are found; coordinates beyond the prime are the host's to find."""
    for one in load("ecdh")["tests"]:
        x, y = int(one["qx"], 16), int(one["qy"], 16)
        if CURVES.get(one["curve"]) != curve.name or max(x, y) >= curve.prime:
            continue
        given = {"private": int(one["d"], 16) % curve.order, "x": x, "y": y}
        if not points.is_on(curve, x, y):
            assert one["result"].startswith("F")
            yield Known("ecdh", given, {"invalid": True})
            continue
        found = points.multiply(curve, given["private"], Affine(x, y))
        assert found is not None
        assert (found.x == int(one["z"], 16)) == ("changed" not in one["result"])
        yield Known("ecdh", given, found._asdict())


def _sm2(curve: Curve) -> Iterator[Known]:
    """The examples of GM/T 0003.5: the exchange of both sides."""
    if curve.name != "sm2":
        return
    of = {key: {name: _number(value) for name, value in told.items()}
          for key, told in load("sm2").items() if isinstance(told, dict)}  # fmt: skip
    sign, text = of["sign"], of["encrypt"]
    pair = {name: sign[name] for name in "rs"}
    yield Known("sm2-sign", {"digest": sign["e"], "private": sign["d"], "nonce": sign["k"]}, pair)
    given = {"digest": sign["e"], **pair, "x": sign["qx"], "y": sign["qy"]}
    yield Known("sm2-verify", given, {"valid": True})
    yield Known("sm2-verify", given | {"digest": sign["e"] ^ 1}, {"valid": False})
    first = {"x": text["c1x"], "y": text["c1y"]}
    base = signatures.base(curve)._asdict()
    yield Known("sm2-encrypt", {"nonce": text["k"], **base}, first)
    both = _times(curve, text["k"] * text["d"])._asdict()
    public = _times(curve, text["d"])._asdict()
    yield Known("sm2-encrypt", {"nonce": text["k"], **public}, both)
    yield Known("sm2-decrypt", {"private": text["d"], **first}, both)
    yield from _exchanged(curve, of["exchange"])


def _exchanged(curve: Curve, of: dict[str, int]) -> Iterator[Known]:
    """What both find is the point that gives the key of the example."""
    public = {name: _times(curve, of[name]) for name in ("dA", "rA", "dB", "rB")}
    for mine, other in ("AB", "BA"):
        peer, point = public[f"d{other}"], public[f"r{other}"]
        given = {"private": of[f"d{mine}"], "ephemeral": of[f"r{mine}"],
                 "factor": signatures.factor(curve, public[f"r{mine}"].x), **peer._asdict(),
                 "factor2": signatures.factor(curve, point.x), "x2": point.x,
                 "y2": point.y}  # fmt: skip
        found = signatures.sm2_agreed(curve, given)
        assert found is not None
        name, size = load("sm2")["exchange"]["id"].encode(), curve.bits // 8
        shared = b"".join(one.to_bytes(size, "big") for one in found)
        shared += b"".join(sm2.whose(curve, public[one], name) for one in ("dA", "dB"))
        assert sm2.derived(shared, 16).hex() == load("sm2")["exchange"]["k"]
        yield Known("sm2-exchange", given, found._asdict())


def _eddsa(curve: Curve) -> Iterator[Known]:
    """What becomes of a key and a message is the host's: it is written down here, and what it asks
    for; the rest of a signature is in the file."""
    for one in load("eddsa")["tests"]:
        if one["algorithm"].lower() == curve.name:
            size = curve.bits // 8 + 1
            asked = _Written(curve)
            private, message, context = (
                bytes.fromhex(one.get(key, "")) for key in ("sk", "msg", "context"))
            found = eddsa.sign(asked, curve, private[:size], message, context)
            assert found == bytes.fromhex(one["sig"])[: 2 * size]
            yield from asked.known
            wrong = dict(asked.known[-1].operands)
            yield Known("eddsa-verify", wrong | {"s": wrong["s"] ^ 1}, {"valid": False})


class _Written:
    """A transport that computes by affine points, and writes down what it is asked."""

    def __init__(self, curve: Curve):
        self.curve = curve
        self.known: list[Known] = []

    def ask(self, operation: str, operands: Any) -> dict[str, int]:
        curve, of = self.curve, dict(operands)
        if operation == "point-multiply":
            found: dict[str, int] = _times(curve, of["scalar"])._asdict()
        elif operation == "eddsa-sign":
            found = {"s": signatures.eddsa(curve, of["nonce"], of["challenge"], of["private"])}
        else:
            assert operation == "eddsa-verify"
            found = {"valid": True}
        self.known.append(Known(operation, of, found))
        return found


_SOURCES: tuple[Callable[[Curve], Iterator[Known]], ...] = _ecdsa, _ecdh, _sm2, _eddsa



def _times(curve: Curve, k: int) -> Affine:
    found = points.multiply(curve, k, signatures.base(curve))
    assert found is not None
    return found


def _number(text: object) -> int:
    """0 for what is no number."""
    try:
        return int(str(text), 16)
    except ValueError:
        return 0


NAMES = tuple(one.name for one in curves.every() if one.source and known(one))
