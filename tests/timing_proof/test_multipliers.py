"""Every multiplier and processor: what is declared constant is proved, what is not is found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from injected import inject
from modmul.export import hdl, secrecy
from modmul.multipliers import REGISTRY, Multiplier, find
from modmul.processors.exponentiation import Exponentiation
from modmul.timing_proof.certificate import Certificate, prove
from modmul.timing_proof.first_beats import PublicBeats
from modmul.toolchain.cache import Cache

WIDTH = 16
DATA_DEPENDENT = ("scs-mm-2", "mscs-mm", "scs-mm-new", "fcs-mmm42")
CHOSEN: list[Multiplier] = [
    *(
        find(name)(width=WIDTH)
        for name in REGISTRY
        if name != "fips" and find(name).modulus_at != "fixed"
    ),
    find("fpmm-fixed")(width=30, modulus=0x3FFFFFDD, word=12, tile="6x6"),  # type: ignore[call-arg]
    find("pseudo-mersenne")(width=WIDTH, modulus=2**WIDTH - 15),  # type: ignore[call-arg]
    find("gf2m-serial")(width=WIDTH + 2, modulus=0x20009, digit=4),  # type: ignore[call-arg]
    find("scs-mm-new")(width=WIDTH, constant_time=True),  # type: ignore[call-arg]
    find("fips")(width=WIDTH, word=4),  # type: ignore[call-arg]
    find("fpmm")(width=WIDTH, target="ecp5"),
    find("fips")(width=WIDTH, word=4, target="xc7"),  # type: ignore[call-arg]
]
MORE: list[Multiplier] = [
    *(find("fips")(width=WIDTH, word=word) for word in (2, 8)),  # type: ignore[call-arg]
    *(find("fpmm")(width=WIDTH, target=chip) for chip in ("xc7", "xcup", "cells")),
    find("fips")(width=WIDTH, word=4, target="ecp5"),  # type: ignore[call-arg]
]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    return Cache(tmp_path_factory.mktemp("cache"))


def certificates(multiplier: Multiplier, cache: Cache) -> list[Certificate]:
    written = hdl.emit(multiplier)
    both = ("core", "stream")
    return [prove(secrecy.subject(multiplier, written, interface), cache) for interface in both]


@pytest.mark.parametrize(
    "multiplier",
    [*CHOSEN, *(pytest.param(multiplier, marks=pytest.mark.long) for multiplier in MORE)],
    ids=lambda multiplier: f"{multiplier.title}-{multiplier.target}",
)
@pytest.mark.short(
    "interleaved-16-generic",
    "scs-mm-new-16-generic",
    "cios-16-generic",
    "array-iterative-16-generic",
    "gf2m-serial-17-3-0-d4-w9-generic",
    "scs-mm-new-16-constant_time-generic",
    "fips-16-w4-m1-l1-generic",
    "fpmm_16_F8x2D_ecp5_w17-ecp5",
)
def test_constant_is_proved_and_nothing_else_is(multiplier: Multiplier, cache: Cache) -> None:
    for proof in certificates(multiplier, cache):
        assert proof.claim == multiplier.timing
        assert proof.proved == (multiplier.timing == "constant"), proof.verdict
        assert set(proof.secrets) >= {"operand_a", "operand_b"}
        assert ("modulus_data" in proof.secrets) == (multiplier.modulus_at == "run time")
        handshakes = {"operand_ready", "result_valid", "result_first", "result_last"}
        assert set(proof.controls) - {"modulus_ready"} == handshakes


def test_the_negative_controls_are_all_there_are() -> None:
    claims = {
        name for name, architecture in REGISTRY.items() if architecture().timing != "constant"
    }
    assert claims == set(DATA_DEPENDENT)


@pytest.mark.parametrize("name", DATA_DEPENDENT)
@pytest.mark.short("scs-mm-2", "fcs-mmm42")
def test_a_leak_is_shown_by_names_of_the_text(name: str, cache: Cache) -> None:
    multiplier = find(name)(width=WIDTH)
    (core, stream), text = certificates(multiplier, cache), hdl.emit(multiplier).verilog
    for proof in (core, stream):
        start, *inside, end = proof.path
        assert start.split("[")[0] in proof.secrets and end in proof.controls
        assert inside
        for net in inside:
            assert net.rsplit(".", 1)[-1].split("[")[0] in text, net
        assert proof.verdict.startswith(f"not proved: {start} -> ")


# ---- injected into a multiplier ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("control", "bit"),
    [
        ("operand_ready", "operand_a[0]"),
        ("operand_ready", "modulus_data[3]"),
        ("modulus_ready", "operand_b[7]"),
        pytest.param("operand_ready", "operand_b[7]", marks=pytest.mark.long),
        pytest.param("modulus_ready", "operand_a[0]", marks=pytest.mark.long),
        pytest.param("modulus_ready", "modulus_data[3]", marks=pytest.mark.long),
    ],
)
def test_an_injected_way_out_is_found(control: str, bit: str, cache: Cache) -> None:
    multiplier = find("interleaved")(width=WIDTH)
    written = hdl.emit(multiplier)
    pattern = rf"assign {control} = (.*);"
    faulty = inject(written, written.core, pattern, rf"assign {control} = (\1) ^ {bit};")
    for interface in ("core", "stream"):
        proof = prove(secrecy.subject(multiplier, faulty, interface), cache)
        assert not proof.proved
        assert prove(secrecy.subject(multiplier, written, interface), cache).proved


# ---- the first beats of a modulus ----------------------------------------------------------------


def test_the_stream_of_fips_stands_and_falls_with_its_core(cache: Cache) -> None:
    """A core that looks at a later word of the modulus, around which the adapter is right."""
    multiplier = find("fips")(width=WIDTH, word=4)  # type: ignore[call-arg]
    written = hdl.emit(multiplier)
    leaking = inject(
        written,
        written.core,
        r"assign modulus_ready = (.*);",
        r"assign modulus_ready = (\1) ^ modulus_data[0];",
    )
    core, stream = (
        prove(secrecy.subject(multiplier, leaking, interface), cache)
        for interface in ("core", "stream")
    )
    assert not core.proved and not stream.proved
    assert stream.path == core.path == ("modulus_data[0]", "modulus_ready")


def test_more_beats_are_not_public_than_are_declared(cache: Cache) -> None:
    """Field and length come in two beats here: with one declared, the other is a secret."""
    multiplier = find("fips")(width=64, word=4)  # type: ignore[call-arg]
    assert multiplier.mode_header_beats == 2
    right = secrecy.subject(multiplier, hdl.emit(multiplier), "core")
    public = PublicBeats("modulus", "modulus_data", 1)
    fewer = replace(right, boundary=replace(right.boundary, public=public))
    none = replace(right, boundary=replace(right.boundary, public=None))
    assert prove(right, cache).proved
    for wrong in (fewer, none):
        assert prove(wrong, cache).path[0].startswith("modulus_data[")


# ---- processors ----------------------------------------------------------------------------------


def certificate(processor: Exponentiation, cache: Cache) -> Certificate:
    return prove(secrecy.subject(processor, hdl.emit(processor), "stream"), cache)


@pytest.mark.parametrize(
    "processor", Exponentiation.examples(), ids=lambda processor: processor.title
)
@pytest.mark.short(
    "exponentiation-l2r1-e8-montgomery-lookahead-96-w32",
    "exponentiation-ladder2-w64-interleaved-64",
    "exponentiation-ladder1-fips-64-w8-m1-l1",
)
def test_processors_tell_no_secret(processor: Exponentiation, cache: Cache) -> None:
    """Where base or exponent are public, the others are not told."""
    proof = certificate(processor, cache)
    assert proof.proved, proof.verdict
    assert set(proof.secrets) == {f"{name}_data" for name in processor.secrets}


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("scs-mm-1", {"method": "left-to-right"}, "exponent_data"),
    ("interleaved", {"method": "left-to-right"}, "exponent_data"),
    ("scs-mm-new", {}, ""),
    ("fcs-mmm42", {}, ""),
]


@pytest.mark.parametrize("name, options, source", WRONG, ids=[name for name, *_ in WRONG])
@pytest.mark.short("interleaved", "fcs-mmm42")
def test_what_has_to_be_insisted_on_leaks(
    name: str, options: dict[str, Any], source: str, cache: Cache
) -> None:
    processor = Exponentiation(multiplier=find(name)(width=WIDTH), allow_leaks=True, **options)
    proof = certificate(processor, cache)
    assert (proof.claim, proof.proved) == ("data-dependent", False)
    assert proof.path[0].split("[")[0] in ([source] if source else proof.secrets)
