"""The answers of standards: those that the files of vectors say, and what the oracle computes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from known_answers import load, x_tests
from known_signatures import KnownAnswer, known
from modmul.arithmetic import curves, points, standards
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.oracle import OracleQuery, right
from modmul.arithmetic.points import Affine
from modmul.arithmetic.standards import StandardAnswer

BINARY = Path(__file__).parents[1] / "processors" / "binary_curve" / "vectors" / "ecdsa.json"
EVERY = [(about, answer) for about, several in standards.answers().items() for answer in several]


def curve_of(about: str) -> Curve | None:
    return None if about.startswith("0x") else curves.find(about)


@pytest.mark.parametrize(
    ("about", "answer"), EVERY, ids=lambda value: value[:20] if isinstance(value, str) else ""
)
def test_the_oracle_agrees(about: str, answer: StandardAnswer) -> None:
    curve = curve_of(about)
    for operation in answer.operations:
        assert standards.find(operation, int(about, 16) if curve is None else 0, curve) is answer
        modulus = int(about, 16) if curve is None else curve.prime
        field = "prime" if curve is None else curve.field
        numbers = {**answer.result, **answer.given}
        query = OracleQuery(operation, numbers, modulus, field, curve=curve)
        verifies = operation.endswith("-verify")
        assert right(query) == ({"valid": True} if verifies else answer.result)


@pytest.mark.parametrize("name", [name for name in standards.answers() if curve_of(name)])
def test_the_files_of_vectors_say_the_same(name: str) -> None:
    """Numbers of an operation as they follow from keys, messages and octets in these files."""
    rows = list(rows_of(name))
    for answer in standards.answers()[name]:
        numbers = {**answer.result, **answer.given}
        for operation in answer.operations:
            result = {"valid": True} if operation.endswith("-verify") else answer.result
            of_operation = [row for row in rows if row.operation == operation]
            assert any(
                row.result == result and row.operands.items() <= numbers.items()
                for row in of_operation
            ), operation


def rows_of(name: str) -> Iterator[KnownAnswer]:
    curve = curves.find(name)
    for row in known(curve):
        yield row
        if row.operation == "ecdh":
            point = {axis: row.operands[axis] for axis in "xy"}
            scalar = {"scalar": row.operands["private"]}
            yield KnownAnswer("point-multiply", {**point, **scalar}, row.result)
    for vector in json.loads(BINARY.read_text())["tests"]:
        tried = any(
            answer.result.get("r") == int(vector["r"], 16) for answer in standards.answers()[name]
        )
        if vector["curve"].replace("-", "").lower() == name and tried:
            yield from _of_binary(curve, vector)
    for values, answer in x_tests(name.replace("curve25519", "X25519").replace("curve448", "X448")):
        operands = {"scalar": values["k"], "u": values["u"]}
        yield KnownAnswer("x-multiply", operands, {"u": answer})


def _of_binary(curve: Curve, vector: dict[str, str]) -> Iterator[KnownAnswer]:
    hashed = hashlib.new(vector["hash"].replace("-", "").lower(), bytes.fromhex(vector["msg"]))
    digest = int.from_bytes(hashed.digest(), "big")
    digest >>= max(0, 8 * hashed.digest_size - curve.order.bit_length())
    of = {
        name: int(vector[name], 16) for name in ("d", "k", "r", "s", "qx", "qy") if name in vector
    }
    pair = {"r": of["r"], "s": of["s"]}
    given = {"digest": digest, "private": of["d"], "nonce": of["k"]}
    yield KnownAnswer("ecdsa-sign", given, pair)
    public = points.multiply(curve, of["d"], Affine(curve.x, curve.y))
    assert public is not None
    assert "qx" not in of or public == (of["qx"], of["qy"])
    yield KnownAnswer(
        "ecdsa-verify", {"digest": digest, **pair, **public._asdict()}, {"valid": True}
    )


def test_rsa() -> None:
    """Public operations give the padded digest of the message; keys are those of the file."""
    given = load("rsa")
    assert [(key.p, key.q, key.e) for key in standards.rsa_keys()] == [
        tuple(int(key[name], 16) for name in "pqe") for key in given["keys"]
    ]
    assert standards.rsa_moduli() == [int(one["n"], 16) for one in given["signatures"]]
    for one in given["signatures"]:
        answer = standards.find("public", int(one["n"], 16), None)
        assert answer is not None
        assert answer.given == {"x": int(one["s"], 16), "e": int(one["e"], 16)}
        hashed = hashlib.sha256(bytes.fromhex(one["msg"])).hexdigest()
        assert one["hash"] == "SHA-256" and f"{answer.result['y']:x}".endswith(hashed)
