"""Writes what a search found as a certificate, a JSON text, and has `checker` check it.

It has the words in the order in which they were made, the results of operations, the facts with the
steps of their proofs, and the steps of the final identity and bound.  The same proof gives the same
bytes."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from modmul.arithmetic_proof import checker
from modmul.arithmetic_proof.circuit import Circuit, Pin
from modmul.arithmetic_proof.products import ProductRun
from modmul.arithmetic_proof.signals import Signal, is_constant
from modmul.arithmetic_proof.variables import Polynomial, Word
from modmul.errors import SpecError
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.ranges import Bound
from modmul.timing_proof.netlist import flat_text

END = "_proof.json"  # of the names of certificates
_OPERATIONS = {"any_of": "any", "all_of": "all", "inverted": "not", "chosen": "chosen"}
_SUMS = frozenset({"add", "sub", "mul"})


def digests(files: Mapping[str, str]) -> dict[str, str]:
    """The SHA-256 of texts, by the names of their files."""
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()}


def write(run: ProductRun, circuit: Circuit, module: str, files: Mapping[str, str]) -> str:
    """The certificate of a product that is proved.

    module: the core.  files: the digests of the Verilog texts, in the order in which they are read,
    by the names of their files."""
    members = {
        "version": checker.VERSION,
        "module": module,
        "files": dict(files),
        "claim": claim(run.multiplier),
        "adders": dict(_adders(circuit)),
        **_Items(run).members,
    }
    return json.dumps(members, separators=(",", ":")) + "\n"


def check(text: str, netlist: str) -> None:
    """Raise Refused, unless a certificate proves its claim.

    netlist: the flat netlist of its files, as `netlist.flat_text` gives it."""
    try:
        members = json.loads(text)
        module = json.loads(netlist)["modules"][members["module"]]
    except (ValueError, KeyError, TypeError) as error:
        raise checker.Refused(f"a malformed certificate: {error!r}") from error
    checker.check(members, module)


def check_file(path: Path) -> str:
    """Check a certificate, or the only one in a directory, with the Verilog files that it names,
    which are beside it; return its claim in words.

    Raises Refused, SpecError if there is no such file, ToolFailed, ToolMissing."""
    if os.path.isdir(path):  # also False for an impossible name
        found = sorted(path.glob(f"*{END}"))
        if len(found) != 1:
            message = f"{path} has {len(found)} certificates (*{END}): give one"
            raise SpecError("file", str(path), f"*{END}", message)
        [path] = found
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        message = f"{path} cannot be read: {error}"
        raise SpecError("file", str(path), f"*{END}", message) from error
    try:
        members = json.loads(text)
        module, files, claimed = members["module"], members["files"], members["claim"]
        texts = {name: _beside(path, name) for name in files}
        if digests(texts) != files:
            raise checker.Refused("it is of another text: a digest differs")
        check(text, flat_text("\n".join(texts.values()), str(module)))
        return f"{module}: {checker.claim_in_words(claimed)}"
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise checker.Refused(f"a malformed certificate: {error!r}") from error


def _beside(path: Path, name: str) -> str:
    """A file that a certificate names: in its directory, or in one below it."""
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise checker.Refused(f"{name}: not a file of this delivery")
    try:
        return (path.parent / name).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise checker.Refused(f"{name}: {error}") from error


def claim(multiplier: Multiplier) -> dict[str, Any]:
    """What is claimed of a multiplier, and how its streams are driven.

    operand_limit, result_limit: a factor, and whether it is of N.  modulus: of each beat that is
    loaded, the parts (a number, its lowest bit, how many bits), or a number.  inverse: bits of
    -1/N that are loaded.  factor: R."""
    constants = multiplier.over((1 << multiplier.width) - 1).constants
    inverse = [p.width for each in constants for p in each.parts if p.of == "inverse"]
    return {
        "width": multiplier.width,
        "factor": multiplier.montgomery_factor,
        "operand_limit": _limit(multiplier.operand_limit, max),
        "result_limit": _limit(multiplier.result_limit, min),
        "latency": int(multiplier.latency().maximum),
        "beats": multiplier.beats,
        "beat": multiplier.beat,
        "modulus_beat": multiplier.modulus_beat,
        "inverse": inverse[0] if inverse else 0,
        "modulus": [[[*part] for part in _parts(each)] or each.value for each in constants],
    }


def _parts(beat: Any) -> Iterator[tuple[str, int, int]]:
    return ((part.of, part.low, part.width) for part in beat.parts)


def _limit(bound: Bound, sharper: Any) -> list[Any]:
    return [sharper(bound.factor, bound.if_one or bound.factor), bound.unit]


def _adders(circuit: Circuit) -> Iterator[tuple[str, list[Any]]]:
    """The gates that are sums or carries of full adders: by cell, which, and the nets of the
    operands."""
    nets = {}
    for bit, (output, place) in circuit.drivers.items():
        nets[output, place] = bit

    def pin(runs: Pin) -> list[Any]:
        return [
            run.bit if run.output is None else nets[run.output, run.low + i]
            for run in runs
            for i in range(run.width)
        ]

    for each in circuit.cells:
        if each.adder:
            name = "majority" if each.is_carry else "parity"
            yield each.name, [name, *map(pin, each.adder)]


class _Items:
    """members: of a certificate, as the checker expects them."""

    def __init__(self, run: ProductRun):
        self.variables = variables = run.given.variables
        self.numbers: dict[int, int] = {}  # of words
        self.members: dict[str, Any] = {"items": [], "identity": [], "zeros": [], "bound": []}
        given = 4 if run.given.inverse else 3
        for kind, *event in variables.history:
            if kind == "word":
                [word] = event
                self.numbers[word.number] = len(self.numbers)
                if len(self.numbers) > given:
                    self._item(*self._made(word))
            elif kind == "floor":
                variable = variables[event[0]]
                assert variable.word is not None
                self._item("floor", self.numbers[variable.word.number], variable.shift)
            elif kind == "operation":
                for each in self._results(*event):
                    self._item("result", *each)
            elif kind == "known":
                self._item(*self._known(*event))
            elif kind in ("range", "below"):
                word, *others = event
                self._item(kind, self.numbers[word.number], *others)
            elif kind == "identity":
                self.members["identity"] = event[0]
                self.members["zeros"] = [[_terms(part), proof] for part, proof in event[1]]
            else:
                self.members["bound"] = event[0]

    def _item(self, *item: Any) -> None:
        self.members["items"].append(item)

    def _signal(self, signal: Signal) -> list[int]:
        pieces: list[int] = []
        for width, word, place in signal:
            pieces += [width, self.numbers[word.number] if word else -1, place]
        return pieces

    def _made(self, word: Word) -> Sequence[Any]:
        name, *operands = word.made_by
        if name == "free":
            return name, operands[0], word.high.bit_length()
        if name in _SUMS:
            one, signed, two, also = operands
            return "sum", name, self._signal(one), int(signed), self._signal(two), int(also)
        if name == "either":
            return name, *map(self._signal, operands[:2]), operands[2]
        return name, *map(self._signal, operands)

    def _known(
        self, number: int, value: Polynomial, _: int, kind: str, *reason: Any
    ) -> Sequence[Any]:
        if kind == "residue":
            return kind, number, _terms(reason[0]), reason[1]
        if kind == "decided":
            by, proofs = reason
            slope = value[(by,)]
            least = value.get((), 0) + slope * self.variables[by].low
            return kind, number, by, [least, least + slope], proofs
        return kind, number, *reason

    def _results(
        self, name: str, operands: Sequence[Any], result: Any
    ) -> Iterator[tuple[str, list[Any], Any, int]]:
        """Results of operations on signals that are not all constant."""
        if name == "full_adder":
            [three] = operands
            carries = (("parity", result[0]), ("majority", result[1]))
            each = [(kind, three, out, False) for kind, out in carries]
        elif name == "arithmetic":
            kind, one, two, signed, _ = operands
            each = [(kind[1:], [one, two], result, signed)]
        elif name == "bitwise":
            each = [(operands[0], operands[1:], result, False)]
        else:
            each = [(_OPERATIONS[name], operands, result, False)]
        for kind, given, out, signed in each:
            if not all(map(is_constant, given)):
                yield kind, [self._signal(one) for one in given], self._signal(out), int(signed)


def _terms(polynomial: Polynomial) -> list[list[int]]:
    return [[coefficient, *monomial] for monomial, coefficient in sorted(polynomial.items())]
