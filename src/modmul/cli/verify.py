"""modmul verify."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from modmul import designs
from modmul.cli.common import PROCESSORS, Jobs, Json, Output, Whole, exclusive, no_effect
from modmul.cli.options import read_delivered, read_delivery, takes_spec
from modmul.cli.output import RenderableType, facts, group, show, table
from modmul.errors import quoted
from modmul.parameters import MOST_PRODUCTS, OPERATIONS, PRODUCTS, SEED, check_number, option_name
from modmul.spec import Spec
from modmul.toolchain import progress
from modmul.toolchain.files import check_writable
from modmul.toolchain.quantities import cycle_words
from modmul.toolchain.work import Work

if TYPE_CHECKING:
    from modmul.arithmetic_proof.proof import ArithmeticProof
    from modmul.verification.faults import FaultsResult
    from modmul.verification.result import CycleRange, VerifyResult
    from modmul.verification.timing import TimingResult

PROOF_SECONDS, MOST_SECONDS = 600, 10**6
FaultKind = Literal["flip", "double-flip", "stuck", "skip", "all"]
_PRODUCTS = (
    f"how many random products to check after the edge cases (default {PRODUCTS}); for a "
    f"processor, how many operations (default {OPERATIONS})"
)


def _read(file: Path | None, options: dict[str, Any], others: dict[str, Any]) -> Spec:
    """Return the specification; a case for --replay has its own."""
    if others.get("replay") and not others.get("timing") and (file or options):
        key, value = next(iter(options.items()), ("", None))
        option = "SPEC" if file else f"--{option_name(key)}"
        why = "its file has the specification"
        raise exclusive(option, str(file) if file else value, "--replay", why)
    spec = read_delivered(file, options, others)
    read_delivery(file, others, ("clock-enable",))
    return spec


@functools.partial(takes_spec, read=_read)
@no_effect(
    beside={
        "timing": "products seed jobs netlist waveform replay output arithmetic",
        "arithmetic": "products seed jobs netlist waveform replay output faults clock_enable",
        "replay": "products seed jobs netlist waveform clock_enable",
        "faults": "products netlist waveform timing replay",
    },
    without={"fault_kind": "faults", "time_limit": "arithmetic"},
)
def verify_verb(
    spec: Spec,
    *,
    products: Annotated[Whole | None, Parameter(help=_PRODUCTS)] = None,
    seed: Whole = SEED,
    jobs: Jobs = PROCESSORS,
    timing: bool = False,
    arithmetic: bool = False,
    time_limit: Whole | None = None,
    netlist: bool = False,
    waveform: bool = False,
    clock_enable: bool = False,
    faults: Whole | None = None,
    fault_kind: FaultKind | None = None,
    replay: Path | None = None,
    output: Output = None,
    json: Json = False,
) -> int:
    """Simulate the emitted Verilog against big-integer arithmetic, prove its timing, or flip its
    bits.

    Args:
        seed: seed of everything random
        timing: prove that no operand can influence the timing, on the Verilog as written and after
            synthesis; simulate nothing
        arithmetic: prove that a product after a reset is right, for all operands and all odd
            moduli, on the Verilog of the multiplier's core; simulate nothing
        time_limit: seconds after which the proof is given up (default 600)
        netlist: simulate the netlist after synthesis, in the place of the core or processor
        waveform: also write waveforms of a few products or operations (VCD)
        clock_enable: simulate the design with its clock enable, which pauses all of it at random
        faults: flip this many stored bits at random, one in each run, and count the effects; check
            nothing else
        fault_kind: kind of fault: one bit flips (default), two neighbouring bits flip, a bit is
            stuck until the operation ends, a register skips an update, or all in turn
        replay: run the failing case in this file again, and nothing else
        output: directory for waveforms and failures (default: NAME_verify, if there are any)
    """
    if timing:
        return _prove(spec, json)
    if arithmetic:
        return _prove_products(spec, time_limit, json)
    if faults is not None:
        return _strike(spec, faults, fault_kind or "flip", seed, jobs, output, json)
    if replay is not None and (code := _strike_again(replay, json)) is not None:
        return code
    from modmul.verification.verify import verify

    print(f"seed {quoted(seed)}", file=sys.stderr)
    with progress.bar() as report:
        result = verify(
            spec,
            products=products,
            seed=seed,
            jobs=jobs,
            netlist=netlist,
            waveform=waveform,
            clock_enable=clock_enable,
            replay=replay,
            output=output,
            progress=report,
        )
    show(result, lambda: _text(result), json)
    return 0 if result.passed else 1


def _prove(spec: Spec, json: bool) -> int:
    """Execute the verb with --timing."""
    from modmul.verification.timing import prove_timing

    with progress.bar() as report:
        proved = prove_timing(spec, Work(progress=report))
    show(proved, lambda: _certificates(proved), json)
    return 0 if proved.passed else 1


def _prove_products(spec: Spec, time_limit: int | None, json: bool) -> int:
    """Execute the verb with --arithmetic."""
    from modmul.verification.arithmetic import prove_arithmetic

    seconds = PROOF_SECONDS if time_limit is None else time_limit
    check_number("time-limit", seconds, 1, MOST_SECONDS)
    with progress.bar() as report:
        proof = prove_arithmetic(spec, seconds, Work(progress=report))
    show(proof, lambda: _proof(proof), json)
    return 0 if proof.proved else 1


def _proof(proof: ArithmeticProof) -> RenderableType:
    verdict = "proved" if proof.proved else f"not proved: {proof.missing}"
    return facts(
        f"{proof.title}: {verdict}",
        ("claim", proof.claim),
        ("scope", proof.scope),
        *([("not every product", proof.not_every)] if proof.proved and proof.not_every else []),
        ("took", f"{proof.seconds:.1f} s, {proof.variables:,} variables"),
        heads=False,
    )


def _strike(
    spec: Spec, faults: int, kind: FaultKind, seed: int, jobs: int, output: Path | None, json: bool
) -> int:
    """Execute the verb with --faults."""
    from modmul.export.names import identifier
    from modmul.verification.faults import KINDS, files, inject

    check_number("faults", faults, 1, MOST_PRODUCTS)
    folder = output or Path(f"{identifier(spec.design.title)}_verify")
    check_writable(folder, "output")
    with progress.bar() as report:
        work = Work(jobs, progress=report)
        result = inject(spec, faults, KINDS if kind == "all" else (kind,), seed, work)
    paths = files.write(folder, result)
    show(result, lambda: _effects(result, paths), json)
    return 0


def _strike_again(path: Path, json: bool) -> int | None:
    """Execute the verb with --replay for a case of --faults; None for another file."""
    from modmul.verification.faults import files

    if not files.holds_fault(path):
        return None
    with progress.bar() as report:
        result = files.run_again(path, Work(progress=report))
    show(result, lambda: _effects(result, [path]), json)
    return 1 if result.cases else 0


def _effects(result: FaultsResult, paths: Sequence[Path]) -> RenderableType:
    title = f"{result.title}: {result.faults:,} faults, seed {result.seed}"
    names = ("harmless", "refused", "stopped", "released", "silent")
    listing = table(title, "fault", "in", "bits", "faults", *names)
    for row in result.effects:
        counts = (f"{count:,} ({count / row.faults:.2%})" for count in row.counts.values())
        listing.add_row(row.kind, row.storage, f"{row.bits:,}", f"{row.faults:,}", *counts)
    title = "\nFirst released and silent: modmul verify --replay FILE"
    cases = table(title, "effect", "fault", "bit", "cycle", "FILE")
    for case, path in zip(result.cases, paths, strict=False):
        cases.add_row(case.effect, case.kind, case.bit, f"{case.cycle:,}", str(path))
    return group(listing, *([cases] if result.cases else []))


def _certificates(result: TimingResult) -> RenderableType:
    title = f"{result.title}: timing is declared {result.claim}"
    listing = table(title, "module", "form", "verdict")
    for certificate in result.certificates:
        listing.add_row(certificate.module, certificate.form, certificate.verdict)
    assumptions = dict.fromkeys(
        text for certificate in result.certificates for text in certificate.assumes
    )
    secrets = dict.fromkeys(certificate.secrets for certificate in result.certificates)
    first, *others = [", ".join(names) for names in secrets]
    mapped = [f"secret, on the mapped netlist: {names}" for names in others]
    return group(
        listing, f"\nsecret: {first}", *mapped, *(f"assumed: {text}" for text in assumptions)
    )


def _counted(result: VerifyResult) -> str:
    """Return the word for one of what is counted."""
    multiplies = designs.find(result.spec["architecture"]).role == "multiplier"
    return "product" if multiplies else "operation"


def _text(result: VerifyResult) -> RenderableType:
    one, each = _counted(result), result.cycles_per_product
    form = " (netlist)" if result.netlist else ""
    about = facts(
        f"{result.title}{form}: {'passed' if result.passed else 'FAILED'}",
        (f"{one}s", f"{result.products:,} checked, {result.wrong:,} mismatches"),
        ("golden model", f"{result.golden:,} of them compared with it, too"),
        ("latency", _cycles(result.latency)),
        ("interval", _cycles(result.interval)),
        (f"cycles per {one}", None if each is None else cycle_words(each)),
        ("speed", f"{result.checked_per_second:,.0f} {one}s checked per second"),
        ("seed", result.seed),
        *(("waveform", file) for file in result.waveforms),
        heads=False,
    )
    dropped = ("dropped by a new modulus",) if one == "product" else ()
    drives = table("", "interface", "driven", f"{one}s", "mismatches", *dropped)
    for count in result.drives:
        counts = (count.products, count.wrong, *((count.dropped,) if dropped else ()))
        drives.add_row(count.interface, count.drive, *(f"{count:,}" for count in counts))
    return group(about, *_modes(result), "", drives, *_failure(result))


def _modes(result: VerifyResult) -> list[RenderableType]:
    if not result.by_mode:
        return []
    length = "" if _counted(result) == "product" else ", length of the exponent"
    parts = f"operation, field, words in use{length}"
    title = f"\nBy mode: {parts} (other lengths are checked, too)"
    listing = table(title, "mode", "latency", "interval")
    for mode in result.by_mode:
        listing.add_row(mode.mode, _cycles(mode.latency), _cycles(mode.interval))
    return [listing]


def _failure(result: VerifyResult) -> list[RenderableType]:
    failure = result.failure
    if failure is None:
        return []
    case = facts(
        "\nSmallest failing case",
        ("driven", f"{failure.interface}, {failure.drive}"),
        ("size", f"{failure.products} {_counted(result)}s, {failure.moduli} moduli"),
        *(("mismatch", message) for message in failure.messages),
        ("again", f"modmul verify --replay {failure.replay}"),
        ("waveform", failure.waveform),
        heads=False,
    )
    return [case]


def _cycles(figure: CycleRange) -> str:
    def text(pair: tuple[int, int]) -> str:
        return str(pair[0]) if pair[0] == pair[1] else f"{pair[0]} to {pair[1]}"

    if figure.measured is None:
        return f"{text(figure.declared)} declared, not measured"
    mean = "" if figure.measured[0] == figure.measured[1] else f", mean {figure.mean:.1f}"
    return f"{text(figure.declared)} declared, {text(figure.measured)} measured{mean}"
