"""Certificates: the checker accepts those of proofs, and refuses any that says something else."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from modmul.arithmetic_proof import certificate, checker
from modmul.arithmetic_proof.checker import Refused
from modmul.arithmetic_proof.proof import prove_text
from modmul.cli import main
from modmul.export import hdl
from modmul.spec import Spec
from modmul.timing_proof.netlist import flat_text

SECONDS = 60
SMALL: dict[str, Any] = {"architecture": "cios", "width": 16}
TEXT = "design.v"


@functools.cache
def proved(architecture: str = "cios", width: int = 16) -> tuple[str, str, str]:
    """A certificate, the Verilog text that it is of, and its flat netlist."""
    multiplier = Spec.from_options({"architecture": architecture, "width": width}).multiplier
    written = hdl.emit(multiplier)
    assert not written.models
    proof = prove_text(multiplier, {TEXT: written.verilog}, written.core, SECONDS)
    assert proof.proved, proof.missing
    return proof.certificate, written.verilog, flat_text(written.verilog, written.core)


def refusal(members: Any, netlist: str) -> str:
    with pytest.raises(Refused) as refused:
        certificate.check(json.dumps(members), netlist)
    return str(refused.value)


def test_the_same_proof_gives_the_same_bytes() -> None:
    text, verilog, _ = proved()
    multiplier = Spec.from_options(SMALL).multiplier
    again = prove_text(multiplier, {TEXT: verilog}, hdl.emit(multiplier).core, SECONDS)
    assert again.certificate == text


def items(members: Any, kind: str) -> list[Any]:
    return [item for item in members["items"] if item[0] == kind]


def _coefficient(members: Any) -> None:
    items(members, "residue")[-1][2].append([1])


def _range(members: Any) -> None:
    members["claim"]["inverse"] -= 1


def _narrower(members: Any) -> None:
    members["items"].append(["range", 0, 3, 5, [[], []]])


def _definition(members: Any) -> None:
    members["items"].remove(items(members, "sum")[-1])


def _fact(members: Any) -> None:
    members["items"].remove(items(members, "residue")[-1])


def _step(members: Any) -> None:
    members["identity"].pop()


def _result(members: Any) -> None:
    items(members, "result")[-1][3][2] += 1


def _shift(members: Any) -> None:
    items(members, "floor")[-1][2] += 1


TAMPERED: dict[str, Callable[[Any], None]] = {
    "a coefficient": _coefficient,
    "the range of a constant": _range,
    "a range without a proof": _narrower,
    "a missing definition": _definition,
    "a missing fact": _fact,
    "a missing step": _step,
    "a result of an operation": _result,
    "the shift of a floor": _shift,
    "a sharper bound": lambda members: members["claim"].update(result_limit=[1, "N"]),
    "wider operands": lambda members: members["claim"].update(operand_limit=[4, "N"]),
    "another R": lambda members: members["claim"].update(factor=members["claim"]["factor"] * 2),
    "a shorter latency": lambda members: members["claim"].update(latency=1),
    "a wider modulus": lambda members: members["claim"].update(width=17),
    "another version": lambda members: members.update(version=0),
    "no claim": lambda members: members.pop("claim"),
    "no items": lambda members: members.update(items=[]),
    "a list in the place of a number": lambda members: members["items"][5].append([[]]),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_a_tampered_certificate_is_refused(what: str) -> None:
    text, _, netlist = proved()
    certificate.check(text, netlist)
    members = json.loads(text)
    TAMPERED[what](members)
    assert refusal(members, netlist)


def test_each_item_matters() -> None:
    """Without one item it is refused, unless the proof does not use it."""
    text, _, netlist = proved()
    whole = json.loads(text)
    needed = 0
    for place in range(0, len(whole["items"]), 29):
        members = json.loads(text)
        del members["items"][place]
        try:
            certificate.check(json.dumps(members), netlist)
        except Refused:
            needed += 1
    assert needed > 20


def test_the_certificate_of_another_text_is_refused() -> None:
    """With a fault in the design the words of the certificate are not those of the circuit."""
    text, _, netlist = proved()
    members = json.loads(text)
    top = members["module"]
    module = json.loads(netlist)["modules"][top]
    sums = [cell for cell in module["cells"].values() if cell["type"] == "$add"]
    for place in range(len(sums)):
        faulty = json.loads(netlist)["modules"][top]
        cells = [cell for cell in faulty["cells"].values() if cell["type"] == "$add"]
        cells[place]["type"] = "$sub"
        with pytest.raises(Refused):
            checker.check(members, faulty)
    assert sums
    other, _, _ = proved("montgomery-radix2", 16)
    assert refusal(json.loads(other), netlist)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, verilog, _ = proved()
    (tmp_path / f"cios{certificate.END}").write_text(text)
    (tmp_path / TEXT).write_text(verilog)
    assert main(["check-proof", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert told.startswith("proved: cios_16_core: for every odd N with 3 <= N < 2^16")
    (tmp_path / TEXT).write_text(verilog + "\n")
    assert main(["check-proof", str(tmp_path / f"cios{certificate.END}")]) == 1
    assert "not proved: it is of another text" in capsys.readouterr().out
    assert main(["check-proof", str(tmp_path / "none.json")]) == 2
    (tmp_path / f"second{certificate.END}").write_text("{}")
    assert main(["check-proof", str(tmp_path)]) == 2
    assert main(["check-proof", str(tmp_path / f"second{certificate.END}")]) == 1
    members = json.loads(text)
    members["files"] = {"../../etc/passwd": ""}
    (tmp_path / f"second{certificate.END}").write_text(json.dumps(members))
    assert main(["check-proof", str(tmp_path / f"second{certificate.END}")]) == 1
    assert "not a file of this delivery" in capsys.readouterr().out
