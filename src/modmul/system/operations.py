"""Describes the operations of a processor for its driver: functions with named operands and
results. (`loadables.py` describes what can be loaded.)

Both are made of the tables that the processor has of its packets (`processors.packets`), so that no
operation has code of its own."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from modmul.arithmetic import curves
from modmul.arithmetic.words import ceil_div
from modmul.export.processor.plan import samples
from modmul.operation import Mode, OperandRule
from modmul.processors import Load, Processor
from modmul.processors.packets import Packets
from modmul.spec import Spec
from modmul.system.channels import WORD

# Names of operands that are keywords of C++.
_RENAMED = {"private": "private_key"}
_SIGN, _VERIFY = "-sign", "-verify"  # the ends of the names of the two operations of a scheme
_UNVERIFIED = "_unverified"  # the end of the name of a function that signs and does not verify


class Argument(NamedTuple):
    """An operand or result of a C function.  words: its length; 0 if the call chooses it
    (`sized`)."""

    name: str
    words: int
    meaning: str = ""
    sized: bool = False


class Function(NamedTuple):
    """One operation as a C function.  sized: the operand whose length in bits the call chooses, at
    most `longest`.  outcomes: what the function may return besides OK.  prefix: of all names in the
    driver."""

    name: str
    title: str
    operation: str
    operands: tuple[Argument, ...]
    results: tuple[Argument, ...]
    sized: str
    longest: int
    outcomes: tuple[str, ...]
    prefix: str

    @property
    def macro(self) -> str:
        """The operation in the names of macros and enumerators."""
        return called(self.operation).upper()

    @property
    def signs(self) -> bool:
        """Whether its results are a signature, which nobody has verified."""
        return self.name.endswith(_UNVERIFIED)

    @property
    def parameters(self) -> str:
        """The parameters of the function, as C declares them."""
        each = [f"{self.prefix}_device *device"]
        each += [f"const uint32_t *{operand.name}" for operand in self.operands]
        each += ["uint32_t bits"] * bool(self.sized)
        each += [f"uint32_t *{result.name}" for result in self.results]
        return ", ".join(each)

    @property
    def call(self) -> str:
        """A call of the function, for the example in the header."""
        names = [operand.name for operand in self.operands] + ["bits"] * bool(self.sized)
        names += [result.name for result in self.results]
        return f"{self.prefix}_{self.name}(&device, {', '.join(names)})"


class SigningFunction(NamedTuple):
    """A C function that signs, loads the curve anew, and gives the signature out if the device then
    finds it valid.  public: operands of the verification alone."""

    name: str
    signing: Function
    verifying: Function

    @property
    def public(self) -> tuple[Argument, ...]:
        """The operands of the verification that are neither operands nor results of signing."""
        known = {operand.name for operand in self.signing.operands} | self._made.keys()
        return tuple(each for each in self.verifying.operands if each.name not in known)

    @property
    def _made(self) -> dict[str, str]:
        """The results of signing, by their names as operands of the verification."""
        return {each.name.removesuffix("_out"): each.name for each in self.signing.results}

    @property
    def parameters(self) -> str:
        """The parameters of the function, as C declares them."""
        given = (*self.signing.operands, *self.public)
        each = [f"{self.signing.prefix}_device *device"]
        each += [f"const uint32_t *{operand.name}" for operand in given]
        each += [f"uint32_t *{result.name}" for result in self.signing.results]
        return ", ".join(each)

    @property
    def calls(self) -> tuple[str, str]:
        """The calls of both functions, with results in arrays whose names begin with `made_`."""
        prefix, made = self.signing.prefix, self._made
        sign = [operand.name for operand in self.signing.operands]
        sign += [f"made_{result.name}" for result in self.signing.results]
        verify = [
            f"made_{made[each.name]}" if each.name in made else each.name
            for each in self.verifying.operands
        ]
        names = ((self.signing.name, sign), (self.verifying.name, verify))
        sign_call, verify_call = (
            f"{prefix}_{name}({', '.join(['device', *arguments])})" for name, arguments in names
        )
        return sign_call, verify_call


def signing_functions(every: list[Function]) -> list[SigningFunction]:
    """The functions that sign and verify, of all schemes that have both operations."""
    by_operation = {function.operation: function for function in every}
    return [
        SigningFunction(called(name), function, by_operation[verify])
        for name, function in by_operation.items()
        if function.signs and (verify := name.removesuffix(_SIGN) + _VERIFY) in by_operation
    ]


def kind(processor: Processor) -> str:
    """What the processor loads: a curve, a key or a modulus."""
    return "curve" if processor.takes_curves else "key" if processor.takes_keys else "modulus"


class LoadedOperation(NamedTuple):
    """An operation with a certain modulus, key or curve."""

    mode: Mode
    load: Load
    packets: Packets


def known(spec: Spec) -> list[LoadedOperation]:
    """Every operation with each kind of load.  The spec's own load makes no difference, so a
    driver can use what was generated without it."""
    processor, operations = spec.processor, list[LoadedOperation]()
    for load in dict.fromkeys(_every_load(processor)):
        for operation in processor.operations_on(load):
            mode = processor.mode(operation, load)
            operations.append(LoadedOperation(mode, load, processor.packets(mode, load)))
    return operations


def room(spec: Spec, every: list[LoadedOperation]) -> int:
    """The words of the longest number that the driver copies."""
    sizes = [number.size for entry in every for number in entry.packets.numbers]
    return words_of(max(*sizes, spec.design.width))


def functions(spec: Spec, every: list[LoadedOperation], prefix: str) -> list[Function]:
    """The functions of all operations, in the processor's order.  prefix: of all names."""
    of = {
        name: [entry for entry in every if entry.mode.operation == name]
        for name in spec.processor.operands
    }
    return [_function(spec.processor, name, those, prefix) for name, those in of.items() if those]


def _every_load(processor: Processor) -> Iterator[Load]:
    """All named curves, and moduli and keys of edge values."""
    if processor.takes_curves:
        yield from (Load.of(curve) for curve in named_curves(processor))
    yield from (load for load, _ in samples(Spec(processor)))


def named_curves(processor: Processor) -> list[curves.Curve]:
    """The named curves that the processor can load.  Toy curves, which are only for tests,
    are left out unless there are no others."""
    every = [
        curve for curve in curves.within(processor.width) if processor.can_load(Load.of(curve))
    ]
    return [curve for curve in every if not curve.name.startswith("toy")] or every


def _function(
    processor: Processor, operation: str, those: list[LoadedOperation], prefix: str
) -> Function:
    tables = [entry.packets for entry in those]
    rules = [
        {rule.name: rule for rule in processor.operand_rules(entry.mode, entry.load.modulus)}
        for entry in those
    ]
    names = dict.fromkeys(itertools.chain(*rules, *(table.operands for table in tables)))
    operands = tuple(_operand(processor, name, rules, operation) for name in names)
    sized = [operand for operand in operands if operand.sized]
    results = []
    for name in dict.fromkeys(piece.result for table in tables for piece in table.pieces):
        top = max(piece.low for table in tables for piece in table.pieces if piece.result == name)
        results.append(Argument(f"{called(name)}_out", words_of(top + processor.width)))
    outcomes = dict.fromkeys(outcome for table in tables for outcome in table.outcomes if outcome)
    longest = max((rule.longest or 0 for each in rules for rule in each.values()), default=0)
    c_name = called(operation) + _UNVERIFIED * operation.endswith(_SIGN)
    return Function(
        c_name,
        operation,
        operation,
        operands,
        tuple(results),
        sized[0].name if sized else "",
        longest,
        tuple(outcomes),
        prefix,
    )


# An operand has at least as many words as a modulus: with another curve it may be longer.
def _operand(
    processor: Processor, name: str, rules: list[dict[str, OperandRule]], operation: str
) -> Argument:
    known = [rule[name] for rule in rules if name in rule]
    called = argument_name(name)
    if not known:
        return Argument(called, words_of(processor.width), processor.extra[name.partition("_")[0]])
    if known[0].sized:
        return Argument(called, 0, known[0].meaning, True)
    bits = max(((rule.below or 1) - 1).bit_length() for rule in known)
    if processor.takes_keys and operation == "private":
        bits = max(bits, processor.key_primes[0] * processor.key_primes[1])
    return Argument(called, words_of(max(bits, processor.width)), known[0].meaning)


def argument_name(name: str) -> str:
    """The name of an operand in C."""
    return _RENAMED.get(name, called(name))


def called(name: str) -> str:
    """A name as a C identifier."""
    return name.replace("-", "_").lower()


def words_of(bits: int) -> int:
    return max(1, ceil_div(bits, WORD))
