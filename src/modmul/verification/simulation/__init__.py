"""`simulate`: runs the emitted Verilog on numbers that the user chooses.

Each operation begins with a reset and the loading of its modulus, nothing pauses, and the result is
compared with the golden model and the oracle, its cycles with the declared ones."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from modmul.errors import SpecError, refusal
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.files import check_file, replacing
from modmul.toolchain.progress import Report, silent
from modmul.toolchain.work import Work
from modmul.verification.simulation.lines import Read, checked
from modmul.verification.simulation.request import Subject, UserRequest
from modmul.verification.simulation.runs import SimulatedOperation, running
from modmul.verification.simulation.subjects import subject

MOST_TRACED = 1_000_000  # the most cycles in a waveform
_SIMULATING = "simulating"

__all__ = [
    "Read",
    "SimulatedOperation",
    "Subject",
    "UserRequest",
    "check_outputs",
    "check_traced",
    "checked",
    "results",
    "simulate",
    "subject",
    "write",
]


def simulate(
    spec: Spec | None = None,
    operations: Iterable[Mapping[str, object]] = (),
    *,
    operation: str | None = None,
    waveform: Path | None = None,
    cache: Cache | None = None,
    progress: Report = silent,
) -> list[SimulatedOperation]:
    """Simulate the emitted Verilog on these operands; return the results of the operations, in
    order.

    operations: operands by name, each a whole number from 0 or a text 0x...; of a carry-save
    multiplier also a pair (sum, carry).  Beside them `modulus` if the spec has none (also a name or
    a polynomial), and `bits`, the public length of an exponent (default: its own).
    operation: its name; default: the first of the design.  waveform: the VCD file to write.

    All operands are checked first, with SpecError for an impossible one.  Faults are no exceptions:
    see `SimulatedOperation.faults`.  Raises ToolMissing, ToolFailed."""
    check_outputs(waveform, None)
    design = subject(spec or Spec.from_options({}), operation)
    rows = list(operations)
    requests = [_read(design, row, number, len(rows)) for number, row in enumerate(rows, 1)]
    check_traced(waveform, sum(request.declared[1] for request in requests))
    work = Work(cache=cache or Cache(), progress=progress)
    count = len(requests)
    return list(results(design, requests, count, waveform=waveform, work=work))


def _read(design: Subject, row: Mapping[str, object], number: int, count: int) -> UserRequest:
    try:
        return design.read(row)
    except SpecError as error:
        where = f"operation {number}: " if count > 1 else ""
        message = where + error.message
        raise SpecError(error.key, error.value, error.allowed, message) from None


def results(
    design: Subject,
    requests: Iterable[UserRequest | SpecError],
    count: int,
    *,
    waveform: Path | None = None,
    work: Work | None = None,
) -> Iterator[SimulatedOperation]:
    """One result after the other, from one simulator, which is compiled for the first one.
    requests: an error is what is wrong with an operation, and its result.  count: how many."""
    work = work or Work()
    with contextlib.ExitStack() as stack:
        run: Callable[[UserRequest], SimulatedOperation] | None = None
        for done, request in enumerate(requests, 1):
            if isinstance(request, SpecError):
                yield SimulatedOperation(None, None, [], request.message)
                continue
            if run is None:
                run = stack.enter_context(running(design, waveform=waveform, work=work))
            yield run(request)
            work.progress(_SIMULATING, done, count)


def write(path: Path, results: Iterable[SimulatedOperation]) -> Iterator[SimulatedOperation]:
    """Write a line for each result to a file, and yield the results.  The file appears when it is
    complete."""
    with replacing(path) as part, part.open("wb") as file:
        for result in results:
            file.write(msgspec.json.encode(result.line) + b"\n")
            yield result


def check_outputs(waveform: Path | None, output: Path | None, source: Path | None = None) -> None:
    """Raise SpecError if a file cannot be written, or two of them are the same.  source: the input
    file."""
    places = {} if source is None else {os.path.realpath(source): "input"}
    for key, path in (("output", output), ("waveform", waveform)):
        if path is None:
            continue
        check_file(path, key)
        other = places.setdefault(os.path.realpath(path), key)
        if other != key:
            allowed = f"another file than the {other}"
            raise refusal(key, str(path), allowed)


def check_traced(waveform: Path | None, cycles: int) -> None:
    """Raise SpecError if a waveform would be too long.  cycles: of all operations."""
    if waveform is not None and cycles > MOST_TRACED:
        allowed = f"of at most {MOST_TRACED:,} cycles"
        message = (
            f"waveform = {str(waveform)!r}: must be {allowed}, and these operations take "
            f"{cycles:,}: simulate fewer of them, or shorter exponents"
        )
        raise SpecError("waveform", str(waveform), allowed, message)
