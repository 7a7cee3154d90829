"""Checks a certificate of a product against the netlist of a core: integers, and nothing from the
search that wrote the certificate.

The words that wires carry are defined in the order of the certificate, and each result of an
operation and each fact is checked when it comes.  Then the netlist is simulated with these results,
from unknown registers through a reset, a modulus and a product.  What it gives for the result is
what the claim is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from modmul.arithmetic_proof.checker.circuit import Circuit
from modmul.arithmetic_proof.checker.operations import Operations, arithmetic
from modmul.arithmetic_proof.checker.proofs import Facts
from modmul.arithmetic_proof.checker.words import (
    Polynomial,
    Refused,
    Signal,
    Words,
    add,
    as_int,
    bits_from,
    bits_of,
    constant,
    expect,
    joined,
)

__all__ = ["VERSION", "Check", "Refused", "check", "claim_in_words"]
VERSION = 1
_LEAST = 3  # the least modulus
_MOST_CYCLES = 1 << 20
_HIGH = bits_of(1, 1)


def check(certificate: Mapping[str, Any], module: Mapping[str, Any]) -> None:
    """Raise Refused, unless a certificate proves its claim on a flat module: a member of `modules`
    of the JSON that Yosys writes."""
    try:
        _expect_plain(certificate)
        expect(certificate["version"] == VERSION, "a certificate of another version")
        Check(certificate, module)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise Refused(f"a malformed certificate: {error!r}") from error
    except RecursionError as error:
        raise Refused(f"a malformed certificate: {error!r}") from error


def claim_in_words(claim: Mapping[str, Any]) -> str:
    """What is proved of a product, with its numbers."""
    operand, result = (_bound(*claim[name]) for name in ("operand_limit", "result_limit"))
    return (
        f"for every odd N with {_LEAST} <= N < 2^{claim['width']} and all a, b < {operand}: "
        f"r * {_power(claim['factor'])} = a * b (mod N) and r < {result}, "
        f"{claim['latency']} cycles after the first beat of a and b; operands in {claim['beats']} "
        f"beats of {claim['beat']} bits, after a reset and a modulus in {len(claim['modulus'])} "
        f"beats"
    )


def _expect_plain(value: Any) -> None:
    """Refuse all numbers that are not integers: nothing here is ever rounded."""
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            _expect_plain(each)
    else:
        expect(isinstance(value, int | str), f"{value!r} is no integer")


def _bound(times: int, unit: str) -> str:
    if unit != "N":
        return _power(times)
    return "N" if times == 1 else f"{times} N"


def _power(number: int) -> str:
    exponent = number.bit_length() - 1
    return f"2^{exponent}" if number == 1 << exponent else str(number)


def _polynomial(terms: Sequence[Sequence[int]]) -> Polynomial:
    total: Polynomial = {}
    for coefficient, *monomial in terms:
        add(total, {tuple(sorted(monomial)): coefficient})
    return total


def _signal(pieces: Sequence[int]) -> Signal:
    """Of triples: a width, a word (or -1), and the first bit of it (or a number)."""
    groups = [pieces[i : i + 3] for i in range(0, len(pieces), 3)]
    return joined(
        bits_of(place, width) if word < 0 else bits_from(word, place, width)
        for width, word, place in groups
    )


class Check:
    """A certificate that was checked.  result: of the product, all beats of it."""

    def __init__(self, certificate: Mapping[str, Any], module: Mapping[str, Any]):
        self.claim = certificate["claim"]
        self.words = Words()
        self.facts, self.operations = Facts(self.words), Operations(self.words)
        self.registers: dict[str, Signal] = {}
        self._cycle, self._results = 0, list[Signal]()
        self._items: dict[str, Callable[..., None]] = {
            "free": self._free,
            "floor": self.words.define_floor,
            "either": self._either,
            "result": self._result,
            "constant": self.facts.is_constant,
            "decided": self.facts.is_decided,
            "affine": self.facts.is_affine,
            "residue": lambda x, terms, steps: self.facts.is_residue(x, _polynomial(terms), steps),
            "range": self.facts.has_range,
            "below": self.facts.is_below,
            "sum": self._sum,
        }
        self._given()
        for name, *operands in certificate["items"]:
            item = self._items.get(name)
            if item:
                item(*operands)
            else:
                self.words.make(name, [_signal(each) for each in operands])
        adders = certificate["adders"]
        self.circuit = Circuit(module, self.operations, adders, self.registers)
        self.result = self._product()
        value = self.words.number(self.result)[0]
        factor = {monomial: c * self.claim["factor"] for monomial, c in value.items()}
        both = self.words.product({(self.a,): 1}, {(self.b,): 1})
        zeros = [(_polynomial(part), proof) for part, proof in certificate["zeros"]]
        self.facts.is_multiple(add(factor, both, -1), certificate["identity"], zeros)
        times, unit = self.claim["result_limit"]
        top: Polynomial = {(self.facts.modulus,): times} if unit == "N" else constant(times)
        self.facts.at_most(add(dict(value), top, -1), -1, {}, certificate["bound"])

    # ---- what the claim is about ----------------------------------------------------------------

    def _given(self) -> None:
        """N, -1/N modulo a power of two if it is loaded, a and b."""
        words, top = self.words, (1 << self.claim["width"]) - 1
        n = self.facts.modulus = words.free(_LEAST, top)
        self.facts.products.append(((n,), 1, 1))  # N is odd
        self.numbers = {"modulus": 0}
        bits = self.claim["inverse"]
        if bits:
            self.numbers["inverse"] = len(words.words)
            inverse = words.free(0, (1 << bits) - 1)
            self.facts.products.append(((n, inverse), -1, bits))
        times, unit = self.claim["operand_limit"]
        most = times * top if unit == "N" else times
        expect(most <= 1 << self.claim["beats"] * self.claim["beat"], "operands do not fit")
        operands = []
        for name in ("a", "b"):
            self.numbers[name] = len(words.words)
            operands.append(words.free(0, most - 1))
            if unit == "N":
                words.at_most[operands[-1]] = add({(n,): times}, constant(-1)), 0
        self.a, self.b = operands

    def _bits(self, name: str, low: int, width: int) -> Signal:
        """Bits of a number of the claim; 0 above its highest."""
        return self.words.fitting(self.numbers[name], low + width)[low:]

    # ---- items ----------------------------------------------------------------------------------

    def _free(self, name: str, width: int) -> None:
        """What a register holds at first."""
        expect(width > 0, "a word without bits")
        word = len(self.words.words)
        self.registers.setdefault(name, bits_from(word, 0, width))
        self.words.free(0, (1 << width) - 1)

    def _sum(self, name: str, one: Any, signed: bool, two: Any, also: bool) -> None:
        """The whole sum, difference or product of two signals."""
        (x, low, high), (y, least, most) = (
            self.words.number(_signal(each), bool(sign))
            for each, sign in ((one, signed), (two, also))
        )
        ends = {
            "add": (low + least, high + most),
            "sub": (low - most, high - least),
            "mul": (low * least, low * most, high * least, high * most),
        }[name]
        self.words.define((arithmetic(self.words, name, x, y), min(ends), max(ends)))

    def _either(self, one: Any, two: Any, proof: Sequence[Any]) -> None:
        """An OR of two bits that are never both 1."""
        left, right = _signal(one), _signal(two)
        expect(len(left) == len(right) == 1, "an OR of several bits")
        total = add(dict(self.words.number(left)[0]), self.words.number(right)[0])
        self.facts.at_most(total, 1, {}, proof)
        self.words.define((total, 0, 1), "or", [left, right])

    def _result(self, name: str, operands: Sequence[Any], out: Any, signed: bool) -> None:
        signals = [_signal(each) for each in operands]
        if name in ("majority", "parity"):
            signals.sort()
        self.operations.enter(name, signals, _signal(out), bool(signed))

    # ---- the product ----------------------------------------------------------------------------

    def _product(self) -> Signal:
        """The beats of the result of the first product after a reset and a modulus."""
        claim, width = self.claim, self.claim["beat"]
        self.circuit.settle({"rst": _HIGH})
        self.circuit.clock()
        self._send("modulus", [{"modulus_data": self._constant(each)} for each in claim["modulus"]])
        places = [place * width for place in range(claim["beats"])]
        self._results.clear()
        began = self._send(
            "operand",
            [{f"operand_{x}": self._bits(x, place, width) for x in "ab"} for place in places],
        )
        while len(self._results) < claim["beats"]:
            self._step({})
        latency = self._cycle - began + 1
        expect(latency == claim["latency"], f"the latency is {latency} cycles")
        return joined(self._results)

    def _constant(self, beat: Any) -> Signal:
        width = self.claim["modulus_beat"]
        if isinstance(beat, int):
            return bits_of(beat, width)
        signal = joined(self._bits(name, low, bits) for name, low, bits in beat)
        return (signal + bits_of(0, width))[:width]

    def _send(self, stream: str, beats: Sequence[Mapping[str, Signal]]) -> int:
        """Offer beats until all are taken; return the cycle in which the first one was."""
        began = None
        for place, payload in enumerate(beats):
            framing = {f"{stream}_valid": _HIGH, f"{stream}_first": bits_of(not place, 1)}
            framing[f"{stream}_last"] = bits_of(place == len(beats) - 1, 1)
            while not self._step({**payload, **framing}, f"{stream}_ready"):
                pass
            began = began or self._cycle
        return began or 0

    def _step(self, inputs: Mapping[str, Signal], asked: str = "") -> bool:
        """A cycle; whether the output `asked` is high in it."""
        self._cycle += 1
        expect(self._cycle < _MOST_CYCLES, "no result")
        self.circuit.settle(inputs)
        if self._is_high("result_valid"):
            place = len(self._results) % self.claim["beats"]
            framing = self._is_high("result_first"), self._is_high("result_last")
            right = framing == (place == 0, place == self.claim["beats"] - 1)
            expect(right, "wrong `first` or `last`")
            self._results.append(self.circuit.on(self.circuit.ports["result_data"]))
        high = bool(asked) and self._is_high(asked)
        self.circuit.clock()
        return high

    def _is_high(self, name: str) -> bool:
        value = as_int(self.circuit.on(self.circuit.ports[name]))
        expect(value is not None, f"{name} depends on data")
        return bool(value)
