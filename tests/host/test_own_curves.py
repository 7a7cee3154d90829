"""Curves that have no name here, read from the parameters that OpenSSL writes: signatures and what
is shared, both ways."""

from __future__ import annotations

from pathlib import Path

import pytest

from hosted_cores import both_ways, modelled, simulated
from modmul.arithmetic import curves, own_curves
from openssl_command import curves as known
from openssl_command import explicit

pytestmark = pytest.mark.timeout(3600)  # compiles, on a machine that may be busy
# An order longer than the prime, a base point with another a, a coefficient a that is any element.
QUICK = ("secp160k1", "brainpoolP160t1", "sect113r1")
# Signatures need as many points as the order has, or over GF(2^m) two or four times as many.
OTHERS = (
    "secp112r1", "secp128r1", "secp160r1", "secp160r2", "secp192k1", "secp224k1", "prime192v2",
    "prime192v3", "prime239v1", "prime239v2", "prime239v3", "brainpoolP192t1", "brainpoolP224t1",
    "brainpoolP256t1", "brainpoolP320t1", "brainpoolP384t1", "brainpoolP512t1", "sect113r2",
    "sect131r1", "sect131r2", "sect163r1", "sect193r1", "sect193r2", "sect239k1", "c2pnb163v1",
    "c2pnb163v2", "c2pnb163v3", "c2tnb191v1", "c2tnb191v2", "c2tnb239v1",
)  # fmt: skip
# Where the order is longer than the prime, or words have few bits to spare.
WIDTHS = {"secp128r1": 140, "secp160k1": 180, "secp160r1": 180, "secp160r2": 180}
needed = pytest.mark.skipif(not known() >= {*QUICK, *OTHERS},
                            reason="no command openssl with curves over GF(2^m)")  # fmt: skip


def read(name: str, folder: Path) -> curves.Curve:
    curve = own_curves.parse(f"@{explicit(name, folder)}")
    assert curves.known(curve.name) is None
    return curve


def of_width(name: str) -> dict[str, int]:
    return {"width": WIDTHS[name]} if name in WIDTHS else {}


@needed
@pytest.mark.parametrize("name", [
    *QUICK, *(pytest.param(name, marks=pytest.mark.long) for name in OTHERS)
])  # fmt: skip
def test_openssl(name: str, tmp_path: Path) -> None:
    curve = read(name, tmp_path)
    both_ways(modelled(curve, **of_width(name)), curve, tmp_path, name, "sha256")


@needed
@pytest.mark.long
@pytest.mark.parametrize("name", QUICK)
def test_a_simulated_core(name: str, tmp_path: Path) -> None:
    curve = read(name, tmp_path)
    both_ways(simulated(curve, **of_width(name)), curve, tmp_path, name, "sha256")
