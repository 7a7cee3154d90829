"""Drives the bare core of a multiplier by words: any modulus, any operands, one product."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from modmul.arithmetic_proof import signals
from modmul.arithmetic_proof.circuit import Circuit
from modmul.arithmetic_proof.facts import Facts
from modmul.arithmetic_proof.operations import Operations
from modmul.arithmetic_proof.signals import Piece, Signal
from modmul.arithmetic_proof.simulator import Simulator
from modmul.arithmetic_proof.variables import SAMPLES, NoProof, Variables, Word, add, constant
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.facts import Constant, ConstantPart
from modmul.multipliers.setting import Setting

_SEED = 1
_NEAR = 4  # samples near the upper ends, where carries come
_LEAST = 3  # the least modulus
_ONE, _ZERO = signals.constant(1, 1), signals.constant(1, 0)
_PATIENCE = 100  # cycles more than a product takes


@dataclass(frozen=True)
class Given:
    """What the claim is about: N, a and b, and how they are bounded.  settings: the multiplier
    under the sample moduli."""

    variables: Variables
    settings: Sequence[Setting]
    modulus: Word
    inverse: Word | None
    operands: tuple[Word, Word]


def given(multiplier: Multiplier) -> Given:
    """Raises NoProof for a multiplier that the claim does not cover."""
    if multiplier.modulus_at != "run time" or multiplier.kind != "modular":
        raise NoProof("only multipliers of a modulus that is loaded are covered so far")
    if multiplier.even_moduli or multiplier.operand_form != "binary" or multiplier.lengths:
        raise NoProof("only Montgomery products of one length in binary form are covered")
    rng, variables, width = random.Random(_SEED), Variables(), multiplier.width
    settings: list[Setting] = []
    while len(settings) < SAMPLES:
        near = len(settings) >= SAMPLES - _NEAR
        below = 2 * rng.getrandbits(width // 2) if near else rng.getrandbits(width - 1)
        settings.append(multiplier.over((1 << width) - 1 - (below & ~1)))
    moduli = [setting.modulus for setting in settings]
    modulus = variables.free("N", _LEAST, (1 << width) - 1, moduli)
    [[number]] = modulus.polynomial
    variables.products.append(((number,), 1, 1))  # N is odd
    inverse = _inverse(variables, number, settings)
    operands = tuple(_operand(variables, name, settings, number, rng) for name in "ab")
    newest = variables.next_word()
    for word in (modulus, *operands, *([inverse] if inverse else [])):
        word.age = newest
    return Given(variables, settings, modulus, inverse, (operands[0], operands[1]))


def _operand(
    variables: Variables,
    name: str,
    settings: Sequence[Setting],
    modulus: int,
    rng: random.Random,
) -> Word:
    bound = settings[0].chosen.operand_limit
    if bound.unit == "2^m":
        raise NoProof("bounds by the length of N are not covered so far")
    factor = max(bound.factor, bound.if_one or 0)
    limits = [setting.operand_bound for setting in settings]
    near = [limit - 1 - rng.getrandbits(limit.bit_length() // 2) for limit in limits]
    samples = [rng.randrange(limit) for limit in limits[:-_NEAR]] + near[-_NEAR:]
    top = factor * variables[modulus].high if bound.unit == "N" else bound.factor
    word = variables.free(name, 0, top - 1, samples)
    if bound.unit == "N":
        [[number]] = word.polynomial
        variables[number].at_most = add({(modulus,): factor}, constant(-1)), 0
    return word


def _inverse(variables: Variables, modulus: int, settings: Sequence[Setting]) -> Word | None:
    """The loaded constant -1/N mod 2^w, if there is one."""
    parts = [part for each in settings[0].constants for part in each.parts if part.of == "inverse"]
    if not parts:
        return None
    width = parts[0].width
    whole = 1 << width
    samples = [-pow(setting.modulus, -1, whole) % whole for setting in settings]
    word = variables.free("-1/N", 0, whole - 1, samples)
    [[number]] = word.polynomial
    variables.products.append(((modulus, number), -1, width))
    return word


class ProductRun:
    """A core after reset and modulus, to which one product is given.

    result: all beats of it; latency: cycles from the first beat of operands to the last one of the
    result.  Inputs that say nothing are arbitrary.  Raises NoProof if what steers the core
    depends on data."""

    def __init__(self, multiplier: Multiplier, circuit: Circuit, ends: float):
        self.multiplier, self.given = multiplier, given(multiplier)
        [[modulus]] = self.given.modulus.polynomial
        self.facts = Facts(self.given.variables, modulus, ends)
        operations = Operations(self.given.variables, self.facts)
        self.simulator = Simulator(circuit, operations)
        self._cycle, self._results = 0, list[tuple[int, Signal]]()
        self.simulator.settle({"rst": _ONE})
        self.simulator.clock()
        loads = loaded(multiplier, self.given)
        self._send("modulus", len(loads), lambda place: {"modulus_data": loads[place]})
        self._results.clear()
        began = self._send("operand", multiplier.beats, self._operands)
        longest = int(multiplier.latency().maximum) + _PATIENCE
        while len(self._results) < multiplier.beats:
            self._step({})
            if self._cycle > began + longest:
                raise NoProof(f"no result within {longest} cycles")
        self.result = signals.joined(data for _, data in self._results)
        self.latency = self._results[-1][0] - began + 1

    def _operands(self, place: int) -> dict[str, Signal]:
        beat = self.multiplier.beat
        left, right = (bits_of(word, place * beat, beat) for word in self.given.operands)
        return {"operand_a": left, "operand_b": right}

    def _send(self, stream: str, beats: int, payload: Callable[[int], dict[str, Signal]]) -> int:
        """Offer beats until all are taken; return the cycle in which the first one was."""
        place, began, waited = 0, 0, 0
        while place < beats:
            framing = {
                f"{stream}_valid": _ONE,
                f"{stream}_first": _ONE if place == 0 else _ZERO,
                f"{stream}_last": _ONE if place == beats - 1 else _ZERO,
            }
            if self._step(payload(place) | framing, f"{stream}_ready"):
                began = began if place else self._cycle
                place, waited = place + 1, 0
            waited += 1
            if waited > 4 * self.multiplier.latency().maximum + _PATIENCE:
                raise NoProof(f"{stream} is never taken")
        return began

    def _step(self, inputs: dict[str, Signal], asked: str = "") -> bool:
        """A cycle; whether the output `asked` is high in it."""
        self._cycle += 1
        self.facts.hurry()
        self.simulator.settle(inputs)
        if self._is_high("result_valid"):
            place = len(self._results) % self.multiplier.beats
            framing = self._is_high("result_first"), self._is_high("result_last")
            if framing != (place == 0, place == self.multiplier.beats - 1):
                raise NoProof(f"beat {place} of the result has wrong `first` or `last`")
            self._results.append((self._cycle, self.simulator.output("result_data")))
        high = bool(asked) and self._is_high(asked)
        self.simulator.clock()
        return high

    def _is_high(self, name: str) -> bool:
        signal = self.simulator.output(name)
        if not signals.is_constant(signal):
            raise NoProof(f"{name} depends on data in cycle {self._cycle}")
        return bool(signals.value_of(signal))


def loaded(multiplier: Multiplier, given: Given) -> list[Signal]:
    """The beats of the modulus.  Raises NoProof for one whose meaning is not said."""
    every = [setting.constants for setting in given.settings]
    return [_constant(multiplier, given, beats) for beats in zip(*every, strict=True)]


def _constant(multiplier: Multiplier, given: Given, beats: Sequence[Constant]) -> Signal:
    """A beat.  beats: for each of the sample moduli."""
    width, beat, values = multiplier.modulus_beat, beats[0], [each.value for each in beats]
    if not beat.parts:
        if len(set(values)) == 1:
            return signals.constant(width, beat.value)
        raise NoProof(f"what {beat.name} means for any modulus is not said")
    signal = signals.joined(_part(given, part) for part in beat.parts)
    for place, value in enumerate(values):
        if signals.sample_of(signal, place) != value:
            raise NoProof(f"{beat.name} does not mean what it says")
    return signals.extended(signal, width, False)


def _part(given: Given, part: ConstantPart) -> Signal:
    word = given.modulus if part.of == "modulus" else given.inverse
    assert word is not None
    return bits_of(word, part.low, part.width)


def bits_of(word: Word, low: int, width: int) -> Signal:
    """Bits of a number; those above its highest are 0."""
    known = max(0, min(width, word.high.bit_length() - low))
    piece = (Piece(known, word, low),) if known else ()
    return signals.joined([piece, signals.constant(width - known, 0)])
