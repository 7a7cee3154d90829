"""The golden model as a transport answers as the simulated Verilog does, and refuses the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from hosted_cores import modelled, simulated
from modmul.arithmetic import curves
from modmul.errors import SpecError
from modmul.host import Modelled, ecdsa, rsa, x25519
from modmul.spec import Spec

KEY = Path(__file__).parents[2] / "examples" / "rsa.pem"


def test_the_model_and_the_simulation_answer_the_same() -> None:
    """Numbers and flags."""
    curve = curves.find("toy16")
    base = {"x": curve.x, "y": curve.y}
    both = simulated("toy16", schemes="ecdsa"), modelled("toy16", schemes="ecdsa")
    for operation, operands in (
        ("ecdsa-sign", {"digest": 1, "private": 2, "nonce": 3}),
        ("ecdsa-verify", {"digest": 1, "r": 0, "s": 5, **base}),
        ("ecdh", {"private": 1, "x": 1, "y": 1}),
    ):
        first, second = (dict(core.ask(operation, operands)) for core in both)
        assert first == second
    for core in both:
        with pytest.raises(SpecError, match="^nonce = 0x0: must be from 1"):
            core.ask("ecdsa-sign", {"digest": 1, "private": 2, "nonce": 0})
        with pytest.raises(SpecError, match="^nonce is missing"):
            core.ask("ecdsa-sign", {"digest": 1, "private": 2})
        with pytest.raises(SpecError, match="operation = sm2-sign: must be one of"):
            core.ask("sm2-sign", {"digest": 1, "private": 2, "nonce": 3})


@pytest.mark.parametrize(
    "multiplier", ["fpmm", pytest.param("montgomery-lookahead", marks=pytest.mark.long)]
)
def test_the_model_of_another_processor(multiplier: str) -> None:
    spec = Spec.from_options({"architecture": "rsa", "multiplier": multiplier, "width": 512})
    core = Modelled(spec.with_key(KEY))
    n = core.spec.modulus.value if core.spec.modulus else 0
    signature = rsa.sign(core, n, b"modmul")
    assert signature.hex().startswith("2a51e93d74ae6635")


def test_what_the_host_library_refuses() -> None:
    """Another curve than the one loaded; a private key out of its range, which is not told."""
    core, curve = modelled("toy16", schemes="ecdsa"), curves.find("toy16")
    with pytest.raises(SpecError, match="^curve = p256: must be toy16, which is loaded"):
        ecdsa.sign(core, curves.find("p256"), 5, b"modmul")
    with pytest.raises(SpecError, match="^curve = curve25519: must be toy16, which is loaded"):
        x25519.public_key(core, curves.find("x25519"), bytes(32))
    for private in (0, curve.order, curve.order + 12345):
        for call in (
            lambda key: ecdsa.public_key(core, curve, key),
            lambda key: ecdsa.sign(core, curve, key, b"modmul"),
        ):
            with pytest.raises(SpecError, match=r"^private = \.\.\.: must be from 1 ") as refused:
                call(private)
            assert refused.value.value is refused.value.__context__ is None
            assert f"{curve.order + 12345:x}" not in str(refused.value)
