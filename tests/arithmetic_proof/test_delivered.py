"""The proof of products in a delivery: its sentence in the sheets, and the certificate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from modmul.arithmetic_proof import certificate
from modmul.arithmetic_proof.checker import Refused
from modmul.export.build import build
from modmul.spec import Spec
from modmul.system.check import check


def built(folder: Path, simulate: bool = True, **options: Any) -> dict[str, Any]:
    result = build(Spec.from_options(options), folder, simulate=simulate)
    description: dict[str, Any] = json.loads((folder / f"{result.name}.json").read_bytes())
    assert (result.arithmetic_proof is not None) == simulate
    return description


def test_a_delivery_has_its_certificate(tmp_path: Path) -> None:
    description = built(tmp_path, architecture="cios", width=16)
    name, told = description["name"], description["arithmetic_proof"]
    assert told["proved"] and told["sentence"].startswith("Proved: for every odd N with 3 <= N")
    assert f"{name}{certificate.END}" in description["files"]
    sheet = (tmp_path / f"{name}.md").read_text()
    assert told["claim"] in sheet and f"`{name}{certificate.END}`" in sheet
    assert certificate.check_file(tmp_path).startswith("cios_16_core: for every odd N")
    assert check(tmp_path).passed
    design = tmp_path / f"{name}.v"
    design.write_text(design.read_text().replace(" + ", " - ", 1))
    with pytest.raises(Refused, match="another text"):
        certificate.check_file(tmp_path)


def test_what_is_not_proved_is_said(tmp_path: Path) -> None:
    description = built(tmp_path / "a", architecture="interleaved", width=16)
    told = description["arithmetic_proof"]
    assert not told["proved"] and told["sentence"].startswith("not proved: ")
    assert f"Not proved: {told['missing']}." in (tmp_path / "a" / "interleaved_16.md").read_text()
    assert not list((tmp_path / "a").glob(f"*{certificate.END}"))
    assert check(tmp_path / "a").passed
    assert built(tmp_path / "b", False, architecture="cios", width=16)["arithmetic_proof"] is None
