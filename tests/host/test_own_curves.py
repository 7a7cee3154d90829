"""Curves that have no name here, read from the parameters that OpenSSL writes: signatures and what
is shared, both ways."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hosted_cores import both_ways, modelled, simulated
from modmul.arithmetic import binary, curves, own_curves, points
from modmul.arithmetic.points import Affine
from modmul.errors import SpecError
from modmul.host import Modelled, Simulated, ecdsa
from modmul.host.encodings import point_from_octets, size_of
from openssl_command import KeyPair, explicit
from openssl_command import curves as known

pytestmark = pytest.mark.timeout(3600)  # compiles, on a machine that may be busy
# An order longer than the prime, one much shorter than it, a coefficient a that is any element.
QUICK = ("secp160k1", "secp112r2", "sect113r1")
# Over fields of even degree, with cofactors of 16 bits.
EVEN = ("c2pnb176v1", "c2pnb208w1", "c2pnb272w1", "c2pnb304w1", "c2pnb368w1")
# Whose orders are 4 and 2 times a prime: there are no signatures on them, neither by openssl.
OAKLEY = ("Oakley-EC2N-3", "Oakley-EC2N-4")
# All others that have no name here.
OTHERS = (
    "secp112r1",
    "secp128r1",
    "secp160r1",
    "secp160r2",
    "secp192k1",
    "secp224k1",
    "prime192v2",
    "prime192v3",
    "prime239v1",
    "prime239v2",
    "prime239v3",
    "brainpoolP160t1",
    "brainpoolP192t1",
    "brainpoolP224t1",
    "brainpoolP256t1",
    "brainpoolP320t1",
    "brainpoolP384t1",
    "brainpoolP512t1",
    "sect113r2",
    "sect131r1",
    "sect131r2",
    "sect163r1",
    "sect193r1",
    "sect193r2",
    "sect239k1",
    "c2pnb163v1",
    "c2pnb163v2",
    "c2pnb163v3",
    "c2tnb191v1",
    "c2tnb191v2",
    "c2tnb239v1",
    *EVEN,
    "c2tnb191v3",
    "c2tnb239v2",
    "c2tnb239v3",
    "c2tnb359v1",
    "c2tnb431r1",
    "secp128r2",
    *(f"wap-wsg-idm-ecid-wtls{number}" for number in (1, 8, 9)),
)
# Where the order is longer than the prime, or words have few bits to spare.
WIDTHS = {
    "secp128r1": 140,
    "secp160k1": 180,
    "secp160r1": 180,
    "secp160r2": 180,
    "wap-wsg-idm-ecid-wtls8": 140,
    "wap-wsg-idm-ecid-wtls9": 180,
    "secp128r2": 140,
}
needed = pytest.mark.skipif(
    not known() >= {*QUICK, *OTHERS, *OAKLEY}, reason="no command openssl with curves over GF(2^m)"
)


def read(name: str, folder: Path) -> curves.Curve:
    curve = own_curves.parse(f"@{explicit(name, folder)}")
    assert curves.known(curve.name) is None
    return curve


def options(curve: curves.Curve, name: str) -> dict[str, Any]:
    """Of a processor for it: its width, and, with a cofactor, signatures that take it."""
    own: dict[str, Any] = {"width": WIDTHS[name]} if name in WIDTHS else {}
    if curve.form == "weierstrass" and curve.cofactor > 1:
        own["schemes"] = "ecdsa-cofactor"
    return own


@needed
@pytest.mark.parametrize(
    "name", [*QUICK, *(pytest.param(name, marks=pytest.mark.long) for name in OTHERS)]
)
@pytest.mark.short("secp112r2", "sect113r1")
def test_openssl(name: str, tmp_path: Path) -> None:
    curve = read(name, tmp_path)
    both_ways(modelled(curve, **options(curve, name)), curve, tmp_path, name, "sha256")


@needed
@pytest.mark.parametrize("core_of", [modelled, pytest.param(simulated, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", [OAKLEY[0], pytest.param(OAKLEY[1], marks=pytest.mark.long)])
def test_what_is_shared_on_curves_of_oakley(
    name: str, core_of: Callable[[curves.Curve], Modelled | Simulated], tmp_path: Path
) -> None:
    """A prime times 4 or 2 is no modulus for inverses; multiples of points need none."""
    curve = read(name, tmp_path)
    core = core_of(curve)
    mine, peer = (KeyPair(name, tmp_path / owner) for owner in ("mine", "peer"))
    assert ecdsa.public_key(core, curve, mine.number) == mine.point
    assert ecdsa.shared(core, curve, mine.number, peer.point) == mine.shared(peer)
    assert "ecdsa-sign" not in core.spec.processor.operations_on(core.spec.load)
    with pytest.raises(SpecError, match="must be one of.*; the order is no prime, and"):
        ecdsa.sign(core, curve, mine.number, b"message")


@pytest.mark.parametrize("core_of", [modelled, pytest.param(simulated, marks=pytest.mark.long)])
def test_a_base_point_with_x_0(core_of: Callable[[curves.Curve], Modelled | Simulated]) -> None:
    """id-GostR3410-2001-CryptoPro-C-ParamSet of RFC 4357."""
    curve = own_curves.parse(
        "weierstrass p=0x9b9f605f5a858107ab1ec85e6b41c8aacf846e86789051d37998f7b9022d759b a=-3 "
        "b=0x805a x=0 y=0x41ece55743711a8c3cbf3783cd08c0ee4d4dc440d4641a8f366e550dfdb3bb67 "
        "n=0x9b9f605f5a858107ab1ec85e6b41c8aa582ca3511eddfb74f02f3a6598980bb9"
    )
    core = core_of(curve)
    private, public = ecdsa.generate(core, curve)
    assert public == points.multiply(curve, private, Affine(curve.x, curve.y))
    signature = ecdsa.sign(core, curve, private, b"message", public=public)
    assert ecdsa.verifies(core, curve, public, b"message", signature)
    assert not ecdsa.verifies(core, curve, public, b"another", signature)


@needed
@pytest.mark.parametrize("name", [*EVEN[:1], *OAKLEY])
def test_compressed_points(name: str, tmp_path: Path) -> None:
    """Both points with an x, and none where there is none."""
    curve = read(name, tmp_path)
    base = Affine(curve.x, curve.y)
    for point in (base, points.negative(curve, base), points.multiply(curve, 5, base)):
        assert point is not None
        size = size_of(curve)
        ratio = binary.product(point.y, binary.inverse(point.x, curve.prime), curve.prime)
        octets = bytes([2 + ratio % 2]) + point.x.to_bytes(size, "big")
        assert point_from_octets(curve, octets) == point
    candidates = [points.with_x(curve, x) for x in range(1, 30)]
    assert None in candidates and all(points.is_on(curve, *point) for point in candidates if point)
    assert len([point for point in candidates if point]) > 5


@needed
@pytest.mark.long
@pytest.mark.parametrize("name", [*QUICK, *OTHERS])
def test_a_simulated_core(name: str, tmp_path: Path) -> None:
    curve = read(name, tmp_path)
    both_ways(simulated(curve, **options(curve, name)), curve, tmp_path, name, "sha256")
