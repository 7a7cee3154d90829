"""`verify --timing`: proofs as written and as mapped; exit codes and text of the verb."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from modmul.cli import main
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.work import Work
from modmul.verification.timing import prove_timing

SPECS: list[dict[str, Any]] = [
    {"architecture": "interleaved", "width": 12, "target": "ecp5", "interface": "stream"},
    {"architecture": "fpmm", "width": 30, "word": 12, "tile": "6x6", "target": "xc7"},
    {"architecture": "scs-mm-1", "width": 8, "target": "cells"},
    {"architecture": "montgomery-lookahead", "width": 12},
]


@pytest.mark.parametrize("options", SPECS, ids=lambda options: options["architecture"])
@pytest.mark.short("interleaved")  # in standard cells a leak is found, below
def test_a_mapped_netlist_is_proved_too(options: dict[str, Any], tmp_path: Any) -> None:
    spec = Spec.from_options(options)
    result = prove_timing(spec, Work(cache=Cache(tmp_path)))
    assert result.passed and result.claim == "constant"
    target = spec.multiplier.target
    forms = ["as written", "as written", f"mapped for {target}"]
    assert [certificate.form for certificate in result.certificates] == forms
    assert all(certificate.proved for certificate in result.certificates)
    assert len({certificate.netlist_sha256 for certificate in result.certificates}) == 3
    assert prove_timing(spec, Work(cache=Cache(tmp_path))) == result  # seconds, too: it was kept


@pytest.mark.long
def test_on_a_mapped_netlist_the_modulus_of_fips_is_public() -> None:
    spec = Spec.from_options({"architecture": "fips", "width": 8, "word": 4, "target": "ecp5"})
    *written, mapped = prove_timing(spec, Work(cache=Cache())).certificates
    assert all(
        certificate.proved and "modulus_data" in certificate.secrets for certificate in written
    )
    assert mapped.proved and mapped.secrets == ("operand_a", "operand_b")
    assert any("modulus_data are public" in text for text in mapped.assumes)


def test_a_leak_is_in_the_mapped_netlist_too() -> None:
    """Nothing is claimed of it, so it passes; each form has its path."""
    spec = Spec.from_options({"architecture": "scs-mm-2", "width": 8, "target": "cells"})
    result = prove_timing(spec, Work(cache=Cache()))
    assert result.passed and result.claim == "data-dependent"
    for certificate in result.certificates:
        assert not certificate.proved and certificate.path[0].split("[")[0] in certificate.secrets


FIPS = "verify --timing --architecture fips --width 6 --word 2 --field prime".split()


def test_the_verb_prints_verdicts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(FIPS) == 0
    text = capsys.readouterr().out
    assert len(re.findall(r"(?<!not )proved", text)) == 3
    assert "mapped for generic" in text and "operand_a" in text
    assert main([*FIPS, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["passed"] and record["certificates"][0]["seconds"] >= 0
    assert record["certificates"][0]["tools"].keys() == {"pyosys"}


def test_the_verb_says_where_a_netlist_has_fewer_secrets(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(FIPS) == 0
    text = capsys.readouterr().out
    assert "\nsecret: modulus_data, operand_a, operand_b\n" in text
    assert "\nsecret, on the mapped netlist: operand_a, operand_b\n" in text


def test_the_verb_fails_where_a_claim_is_not_proved(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from modmul.multipliers import find

    monkeypatch.setattr(find("scs-mm-2"), "timing", "constant")
    assert main(["verify", "--timing", "--architecture", "scs-mm-2", "--width", "4"]) == 1
    assert "not proved: " in capsys.readouterr().out


def test_nothing_can_be_replayed_in_a_proof(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--timing", "--replay", "case.json"]) == 2
    assert "--timing" in capsys.readouterr().err
