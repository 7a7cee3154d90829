"""A self-test in C for the driver of a processor: every operation, with answers that are known.

The answers are those of standards, and where there are none for a curve, key or modulus, those of
the oracle, which shares nothing with the design."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from modmul.arithmetic import points, signatures, standards
from modmul.arithmetic.oracle import OracleQuery, right
from modmul.arithmetic.words import to_words
from modmul.errors import SpecError
from modmul.export.hdl import heading
from modmul.export.processor.plan import loads as planned_loads
from modmul.export.processor.plan import sample
from modmul.export.testbench import templates
from modmul.multipliers.facts import abbreviated
from modmul.operation import Job
from modmul.processors import Load, Processor
from modmul.spec import Spec
from modmul.system import loadables
from modmul.system.channels import WORD
from modmul.system.operations import (
    Argument,
    Function,
    argument_name,
    kind,
    signing_functions,
)
from modmul.system.registers import RegisterMap

_SEED = 2019
_COMPUTED = "computed by modmul in software"
_FLAGS = ("infinity", "exceptional", "invalid")
_REFUSED = ({"valid": False}, {"invalid": True})  # answers for operands with a wrong bit
_FLIPPED = ("digest", "challenge", "y")  # operands, one of which is wrong then
_CANDIDATES = 64  # operands that are drawn until there is a result


class KnownAnswer(NamedTuple):
    """An operation with numbers, and what it answers.  source: of the answer.  public: operands
    that a function has which signs and verifies."""

    job: Job
    result: Mapping[str, int]
    source: str
    public: Mapping[str, int]


class DriverCheck(NamedTuple):
    """A call in C.  title: of the operation and what is loaded.  call: function and arguments but
    the device.  status: what it returns.  results: name of the array, name of the numbers that it
    must contain, and their words."""

    title: str
    source: str
    call: str
    status: str
    results: tuple[tuple[str, str, int], ...]


class LoadedChecks(NamedTuple):
    """A variable in C that is loaded for the checks that follow.  title: of what it is."""

    variable: str
    title: str
    checks: list[DriverCheck]


def selftest(spec: Spec, regs: RegisterMap, functions: list[Function]) -> str:
    """The source.  functions: those of the driver."""
    processor, prefix, numbers = spec.processor, functions[0].prefix, _Numbers()
    own, loaded = list[str](), list[LoadedChecks]()
    delivered = dict(loadables.delivered(spec, prefix))
    for variable, load, operations in _loads(spec, functions, delivered):
        checks = [
            _check(answer, load, functions, numbers)
            for operation in operations
            for answer in _answers(processor, load, operation)
        ]
        if variable not in delivered:
            made = loadables.loadable(processor, regs, load, functions, variable, "static ")
            own.append(made.text)
        loaded.append(LoadedChecks(variable, _named(processor, load), checks))
    about = {"architecture": processor.name} | processor.options
    lines = heading(processor, about, " *").rstrip("\n")
    context = {
        "header": f"/*\n{lines}\n */\n",
        "p": prefix,
        "P": prefix.upper(),
        "own": own,
        "kind": kind(processor),
        "loaded": loaded,
        "numbers": numbers.lines,
        "compares": any(check.results for entry in loaded for check in entry.checks),
    }
    return templates("modmul.system").get_template("driver_selftest.c.j2").render(context)


def _loads(
    spec: Spec, functions: list[Function], delivered: Mapping[str, Load]
) -> Iterator[tuple[str, Load, tuple[str, ...]]]:
    """What is loaded, and the operations to try with it: all, for what the driver contains;
    then, for operations that this lacks, those of published keys and moduli, or of any."""
    processor, prefix = spec.processor, functions[0].prefix
    missing = [function.operation for function in functions]
    for variable, load in delivered.items():
        operations = processor.operations_on(load)
        missing = [operation for operation in missing if operation not in operations]
        yield variable, load, operations
    published = (*standards.rsa_keys()[::-1], *standards.rsa_moduli()[::-1])
    tried = [Load(modulus) for modulus in published if processor.takes_keys]
    number = 0
    for load in (*tried, *planned_loads(spec)):
        if not missing:
            return
        if not processor.can_load(load):
            continue
        operations = tuple(
            operation for operation in processor.operations_on(load) if operation in missing
        )
        if operations:
            number += 1
            missing = [operation for operation in missing if operation not in operations]
            yield f"{prefix}_selftest_{number}", load, operations


def _named(processor: Processor, load: Load) -> str:
    """What is loaded in words."""
    if load.curve:
        return str(load.curve.name)
    return f"a {kind(processor)} of {load.modulus.bit_length()} bits, {abbreviated(load.modulus)}"


def _answers(processor: Processor, load: Load, operation: str) -> Iterator[KnownAnswer]:
    """An answer that is a result, and one for operands with a wrong bit, if the operation
    finds out."""
    answer = _answer(processor, load, operation)
    yield answer
    job = answer.job
    for name in _FLIPPED:
        if name in job.operands:
            wrong = job._replace(operands={**job.operands, name: job.operands[name] ^ 1})
            if _fits(processor, wrong, load) and (result := _right(wrong, load)) in _REFUSED:
                yield KnownAnswer(wrong, result, f"the same with another {name}", {})
                return


def _answer(processor: Processor, load: Load, operation: str) -> KnownAnswer:
    mode = processor.mode(operation, load)
    names = [rule.name for rule in processor.operand_rules(mode, load.modulus)]
    standard = standards.find(operation, load.modulus, load.curve)
    if standard is not None:
        numbers = {**standard.result, **standard.given}
        job = Job(mode, load.modulus, {name: numbers[name] for name in names})
        if _fits(processor, job, load):
            return KnownAnswer(job, _right(job, load), standard.source, numbers)
    chance = random.Random(f"{_SEED} {load} {operation}")
    for _ in range(_CANDIDATES):
        job = sample(processor, load, operation, chance)
        result = _right(job, load)
        told = result.keys() & _FLAGS or not result.get("valid", True)
        if not told and _fits(processor, job, load):
            break
    return KnownAnswer(job, result, _COMPUTED, {**job.operands, **_public(job, load)})


def _public(job: Job, load: Load) -> dict[str, int]:
    """The public key, and the point of the nonce, of operands of a signature."""
    public = dict[str, int]()
    for name, suffix in (("private", ""), ("nonce", "2")):
        if load.curve is not None and job.mode.operation.endswith("-sign"):
            point = points.multiply(load.curve, job.operands[name], signatures.base(load.curve))
            assert point is not None
            public |= {f"x{suffix}": point.x, f"y{suffix}": point.y}
    return public


def _fits(processor: Processor, job: Job, load: Load) -> bool:
    """Whether the processor takes these operands, and gives a result."""
    for rule in processor.operand_rules(job.mode, load.modulus):
        value = job.operands[rule.name]
        if not rule.least <= value or (rule.below is not None and value >= rule.below):
            return False
        if rule.sized and value.bit_length() > (job.mode.length or 0):
            return False
    try:
        processor.check_operands(job)
    except SpecError:
        return False
    return processor.declined(job) is None


def _right(job: Job, load: Load) -> dict[str, int]:
    mode = job.mode
    return right(
        OracleQuery(mode.operation, job.operands, load.modulus, mode.field, curve=load.curve)
    )


def _check(
    answer: KnownAnswer, load: Load, functions: list[Function], numbers: _Numbers
) -> DriverCheck:
    operation = answer.job.mode.operation
    (function,) = (function for function in functions if function.operation == operation)
    name, operands, result = function.name, function.operands, answer.result
    for signing in signing_functions(functions):
        if signing.signing == function and answer.public:
            name, operands = signing.name, (*operands, *signing.public)
    values = {**answer.public, **answer.job.operands}
    given = {argument_name(key): value for key, value in values.items()}
    length = answer.job.mode.length or 0
    arguments = [numbers.array(given.get(each.name, 1), _words(each, length)) for each in operands]
    arguments += [f"{length}u"] * bool(function.sized) + [each.name for each in function.results]
    flags = [flag for flag in _FLAGS if result.get(flag) is True]
    if result == {"valid": False}:
        flags = ["invalid"]
    expected = tuple(
        (
            each.name,
            numbers.array(int(result.get(each.name.removesuffix("_out"), 0)), each.words),
            each.words,
        )
        for each in function.results
    )
    title = f"{operation} on {load.curve.name}" if load.curve else operation
    return DriverCheck(
        title,
        answer.source,
        f"{name}(device, {', '.join(arguments)})",
        flags[0] if flags else "ok",
        expected,
    )


def _words(argument: Argument, length: int) -> int:
    return argument.words or -(-length // WORD)


class _Numbers:
    """Numbers as arrays in C, each once."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._known: dict[tuple[int, int], str] = {}

    def array(self, value: int, words: int) -> str:
        if (value, words) not in self._known:
            name = self._known[value, words] = f"number_{len(self._known) + 1}"
            shown = [f"UINT32_C(0x{word:08x})" for word in to_words(value, WORD, words)]
            rows = ",\n    ".join(", ".join(shown[row : row + 4]) for row in range(0, words, 4))
            self.lines.append(f"static const uint32_t {name}[] = {{\n    {rows}\n}};")
        return self._known[value, words]
