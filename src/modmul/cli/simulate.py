"""modmul simulate."""

from __future__ import annotations

import contextlib
import functools
import itertools
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from modmul.cli.common import Output
from modmul.cli.options import read_delivered, takes_spec
from modmul.cli.output import RenderableType, facts, show, table
from modmul.errors import SpecError, quoted, refusal
from modmul.spec import Spec
from modmul.toolchain import progress
from modmul.toolchain.work import Work

if TYPE_CHECKING:
    from modmul.verification.simulation import SimulatedOperation, Subject, UserRequest

FACTORS = ("a", "b")  # operands with options of their own
ROWS = 20  # the most results of a file that are shown, and the most with faults
_DECIMAL = re.compile(r"[0-9]{1,4000}")
_DIGITS = 28  # the most letters of a number in a table of several results


@functools.partial(takes_spec, read=read_delivered)
def simulate_verb(
    spec: Spec,
    *,
    operation: str | None = None,
    a: str | None = None,
    b: str | None = None,
    operand: list[str] | None = None,
    key: Path | None = None,
    input: Annotated[
        Path | None, Parameter(name=["--input", "-i"], allow_leading_hyphen=True)
    ] = None,
    output: Output = None,
    waveform: Path | None = None,
    json: bool = False,
) -> int:
    """Run the emitted Verilog on your numbers, and check the results.

    Args:
        operation: the operation: multiply, square, add, exponentiate, point-multiply, ... (default:
            the first one of the design; `modmul list NAME` shows all)
        a: operand a, as 0x... or decimal
        b: operand b, as 0x... or decimal
        operand: NAME=VALUE: an operand of any name, such as base=0x5; may be repeated
        key: file with an RSA private key, PEM or DER, in the place of the modulus
        input: file with the operands of many operations, or - for standard input; it has lines such
            as {"a": "0x5", "b": "0x7"}, with "modulus" if the specification has none
        output: write the results to this file, a line of JSON for each
        waveform: write a waveform to this file (VCD)
        json: JSON on standard output: one object, with --input a line for each operation
    """
    import msgspec  # not for the help

    from modmul.verification.simulation import (
        check_outputs,
        check_traced,
        checked,
        results,
        subject,
        write,
    )

    operands = _given({"a": a, "b": b}, operand or [])
    if input is not None and operands:
        allowed = f"absent where operands are given ({', '.join(operands)})"
        raise refusal("input", str(input), allowed)
    check_outputs(waveform, output, input)
    asking = subject(spec if key is None else spec.with_key(key), operation)
    with contextlib.ExitStack() as stack:
        requests: Iterable[UserRequest | SpecError]
        if input is None:
            request = asking.read(operands)
            number, cycles, requests = 1, request.declared[1], [request]
        else:
            read = stack.enter_context(checked(input, asking))
            number, cycles, requests = read.number, read.cycles, read.again()
        check_traced(waveform, cycles)
        requests, asked = itertools.tee(requests)
        with progress.bar() as report:
            work, seen = Work(progress=report), _Seen()
            answers = results(asking, requests, number, waveform=waveform, work=work)
            if output is not None:
                answers = write(output, answers)
            for answer, request_or_error in zip(answers, asked, strict=False):
                seen.add(request_or_error, answer)
                if json and output is None and input is not None:
                    print(msgspec.json.encode(answer.line).decode())
        _report(asking, seen, output, waveform, json=json, many=input is not None)
    if seen.faulty:
        return 1
    if seen.error is None:
        return 0
    if json:  # which has every error
        return seen.error.exit_code
    raise seen.error


def _given(options: dict[str, str | None], words: list[str]) -> dict[str, object]:
    """Return the operands of the command line by name.  Raises SpecError if one is given twice."""
    operands = {name: _value(text) for name, text in options.items() if text is not None}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise refusal("operand", word, "NAME=VALUE, such as base=0x5")
        if name in operands:
            raise refusal("operand", word, f"given once: there is another {quoted(name)}")
        operands[name] = _value(text)
    return operands


def _value(text: str) -> object:
    """Return decimal digits as a number, and anything else as it is."""
    return int(text) if _DECIMAL.fullmatch(text) else text


class _Seen:
    """The results that are kept for the summary.  done, faulty, refused: the numbers of operations,
    of those with faults, and of lines that are no operation.  error: of the first such line."""

    def __init__(self) -> None:
        self.done, self.faulty, self.refused = 0, 0, 0
        self.cycles: list[int] = []  # the fewest and the most cycles of an operation
        self.error: SpecError | None = None
        # Numbered from 1.
        self.first: list[tuple[int, UserRequest | SpecError, SimulatedOperation]] = []

    def add(self, request: UserRequest | SpecError, answer: SimulatedOperation) -> None:
        self.done += 1
        if isinstance(request, SpecError):
            self.error = self.error or request
            self.refused += 1
        if answer.cycles is not None:
            both = [*self.cycles, answer.cycles]
            self.cycles = [min(both), max(both)]
        if self.done <= ROWS or (answer.faults and self.faulty < ROWS):
            self.first.append((self.done, request, answer))
        self.faulty += bool(answer.faults)


def _report(
    asking: Subject,
    seen: _Seen,
    output: Path | None,
    waveform: Path | None,
    *,
    json: bool,
    many: bool,
) -> None:
    if json and output is not None:
        show(_summary(asking, seen, output, waveform), lambda: "", True)
    elif json:
        if not many:
            show(seen.first[0][2].line, lambda: "", True)
    else:
        show(None, lambda: _text(asking, seen, output, waveform, many=many), False)


def _summary(
    asking: Subject, seen: _Seen, output: Path | None, waveform: Path | None
) -> dict[str, Any]:
    return {
        "spec": asking.spec.options(),
        "operation": asking.operation,
        "operations": seen.done,
        "faulty": seen.faulty,
        "refused": seen.refused,
        "cycles": seen.cycles or None,
        "output": None if output is None else str(output),
        "waveform": None if waveform is None else str(waveform),
    }


def _text(
    asking: Subject, seen: _Seen, output: Path | None, waveform: Path | None, *, many: bool
) -> list[RenderableType]:
    spec = asking.spec
    title = f"{spec.design.title}: {asking.operation}, interface {spec.interface}"
    parts: list[RenderableType] = [title, _rows(seen) if many else _one(*seen.first[0][1:])]
    if many:
        hidden = seen.done - len(seen.first)
        more = f" ({hidden:,} not shown: --json or --output give all)" if hidden else ""
        faults = f"{seen.faulty:,} with faults" if seen.faulty else "no faults"
        faults += f", {seen.refused:,} refused" if seen.refused else ""
        done = f"{seen.done:,} operation{'s' * (seen.done != 1)}"
        parts.append(f"\n{done}, {faults}{more}")
    parts += [
        f"{kind} in {path}"
        for kind, path in (("results", output), ("waveform", waveform))
        if path is not None
    ]
    return parts


def _one(request: UserRequest | SpecError, answer: SimulatedOperation) -> RenderableType:
    assert not isinstance(request, SpecError)  # which is raised for the command line
    curve, length, factor = request.spec.curve, request.mode.length, answer.montgomery_factor
    results = answer.result or {}
    return facts(
        "",
        ("curve", curve and curve.name),
        ("modulus", _named(request)),
        *((name, _hex(value)) for name, value in request.operands.items()),
        ("bits", length),
        *((_result(name, request.operands), _hex(value)) for name, value in results.items()),
        ("R", None if factor is None else hex(factor)),
        ("cycles", "-" if answer.cycles is None else f"{answer.cycles:,}"),
        *(("faults", fault) for fault in answer.faults or ["none"]),
        heads=False,
    )


def _rows(seen: _Seen) -> RenderableType:
    requests = (request for _, request, _ in seen.first if not isinstance(request, SpecError))
    names = list(dict.fromkeys(name for request in requests for name in request.operands))
    results = list(dict.fromkeys(key for _, _, answer in seen.first for key in answer.result or {}))
    shown = [_result(name, names) for name in results]
    listing = table("", "line", *names, *shown, "cycles", "faults")
    for number, request, outcome in seen.first:
        if isinstance(request, SpecError):
            listing.add_row(str(number), *["-"] * (len(names) + len(results) + 1), request.message)
            continue
        values = [_cut(_hex(request.operands[name])) for name in names]
        answer = outcome.result or {}
        cells = [_cut(_hex(answer[name])) if name in answer else "-" for name in results]
        cycles = "-" if outcome.cycles is None else f"{outcome.cycles:,}"
        listing.add_row(str(number), *values, *cells, cycles, "; ".join(outcome.faults) or "none")
    return listing


def _result(name: str, operands: Collection[str]) -> str:
    """Return the label of a result, which differs from the names of the operands."""
    return f"{name} (result)" if name in operands else name


def _named(request: UserRequest) -> str | None:
    modulus = request.spec.modulus
    if modulus is None:
        return None
    return modulus.notation if modulus.name is None else f"{modulus.name}, {modulus.notation}"


def _hex(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return hex(value) if isinstance(value, int) else f"{value[0]:#x} + {value[1]:#x}"


def _cut(text: str) -> str:
    """Return the beginning and the end of a long number."""
    half = _DIGITS // 2
    return text if len(text) <= _DIGITS else f"{text[:half]}...{text[-half + 3 :]}"
