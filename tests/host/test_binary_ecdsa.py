"""ECDSA and ECDH on curves over GF(2^m): OpenSSL accepts what the golden model and a simulated core
sign, and the other way round."""

from __future__ import annotations

from pathlib import Path

import pytest

from hosted_cores import both_ways, modelled, simulated
from modmul.arithmetic import curves, points
from modmul.arithmetic.points import Affine
from modmul.errors import SpecError
from modmul.host import ecdsa
from modmul.host.encodings import point_from_octets, point_to_octets
from openssl_command import curves as known

pytestmark = pytest.mark.timeout(3600)  # compiles, on a machine that may be busy
# Its name of each curve.
OPENSSL = {
    "k163": "sect163k1",
    "b163": "sect163r2",
    **{
        f"{kind}{bits}": f"sect{bits}{'k' if kind == 'k' else 'r'}1"
        for bits in (233, 283, 409, 571)
        for kind in "kb"
    },
}
needed = pytest.mark.skipif(
    not known() >= set(OPENSSL.values()), reason="no command openssl with curves over GF(2^m)"
)
QUICK = "b163"


@needed
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name == QUICK else pytest.mark.long) for name in OPENSSL],
)
def test_openssl(name: str, tmp_path: Path) -> None:
    digest = "sha512" if name == "b163" else "sha256"
    both_ways(modelled(name), curves.find(name), tmp_path, OPENSSL[name], digest)


@needed
@pytest.mark.long
@pytest.mark.parametrize("name", OPENSSL)
def test_a_simulated_core(name: str, tmp_path: Path) -> None:
    both_ways(simulated(name), curves.find(name), tmp_path, OPENSSL[name], "sha256")


@pytest.mark.parametrize("name", ["toy7-binary", "toy17-binary", "b233", "k163"])
def test_points_as_octets(name: str) -> None:
    """Both points with one x have the first octets 02 and 03; b233 has a = 1, k163 b = 1."""
    curve = curves.find(name)
    for k in (1, 2, 3, 77):
        point = points.multiply(curve, k, Affine(curve.x, curve.y))
        assert point is not None
        size = len(point_to_octets(curve, point)) // 2
        assert point_from_octets(curve, point_to_octets(curve, point)) == point
        short = [bytes([kind]) + point.x.to_bytes(size, "big") for kind in (2, 3)]
        decoded = [point_from_octets(curve, octets) for octets in short]
        assert set(decoded) == {point, points.negative(curve, point)}
    with pytest.raises(SpecError, match="must be the octets of a point of"):
        point_from_octets(curve, point_to_octets(curve, Affine(point.x, point.y ^ 1)))


def test_compressed_points_are_openssls() -> None:
    """The base point of B-163 as SEC 2 has it, and one of K-163."""
    for name, octets in (
        ("b163", "0303f0eba16286a2d57ea0991168d4994637e8343e36"),
        ("k163", "0302fe13c0537bbc11acaa07d793de4e6d5e5c94eee8"),
    ):
        curve = curves.find(name)
        assert point_from_octets(curve, bytes.fromhex(octets)) == (curve.x, curve.y)


def test_points_of_other_groups() -> None:
    """The point of order 2, and a sum with it: nothing is shared, and nothing valid under it."""
    curve, core = curves.find("toy17-binary"), modelled("toy17-binary", word=8)
    two = points.with_x(curve, 0)
    assert two is not None and points.add(curve, two, two) is None
    base = Affine(curve.x, curve.y)
    outside = points.add(curve, base, two)
    assert outside is not None
    signature = ecdsa.sign(core, curve, 5, b"text")
    public = ecdsa.public_key(core, curve, 5)
    assert ecdsa.verifies(core, curve, public, b"text", signature)
    for point in (two, outside):
        assert not ecdsa.in_group(curve, point)
        assert not ecdsa.verifies(core, curve, point, b"text", signature)
        with pytest.raises(SpecError, match="in the group of the base point"):
            ecdsa.shared(core, curve, 5, point)
    with pytest.raises(SpecError, match="public = .*: must be a point of toy17-binary in the"):
        ecdsa.shared(core, curve, 5, Affine(1, 2))
