"""Chooses the moduli that the emitted testbench loads, their order, and the number of products for
each."""

from __future__ import annotations

import random
from typing import NamedTuple

from modmul.export.operands import runs_of_bits
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.facts import MultiplierFacts
from modmul.multipliers.setting import Setting
from modmul.operation import Mode
from modmul.spec import Spec

# How many products are enough was measured by injecting faults:
# docs/decisions/0018-testbenches-by-injected-faults.md.
_CYCLES = 100_000  # about the cycles of all: a second in a compiled simulator, a minute in others
_MOST, _LEAST = 1000, 12  # products
_DIGITS = 400_000  # the most bits of operands in the text of the testbench
_MODULI = 13  # the most moduli, if there are _EACH products for each of them
_EACH = 8
_FEW, _ENOUGH = 6, 64  # products of each modulus if there are several modes; half of _FEW if slow
_FEW_LENGTHS = 4
_TRACED = 50_000  # the most cycles of the first products, each of which is printed
SHOWN = 3  # products at the start of the plan, for the timing diagram


class Turn(NamedTuple):
    """A modulus with its mode, and the number of its products (0: another modulus follows).

    hold: after its products come more, during which no result is accepted for a while."""

    setting: Setting
    products: int
    hold: bool = False


def turns(spec: Spec, chance: random.Random) -> list[Turn]:
    """The moduli, each with its mode and its share of the products.

    Behind the adapter, results are held back in the quickest turn until no more products begin.
    Behind these come other products and, as many as the adapter takes, moduli, twice.  First there
    are five moduli in a row, of which only the last one has products; then two, and a product that
    is offered with the second.  It shows what happened to the first modulus in the queue while the
    second could not go in.  There are five and two because a queue that takes more than it holds,
    and counts wrong, may come out right after one of these numbers."""
    multiplier = spec.multiplier
    turns = (_of_modes if len(multiplier.modes) > 1 else _of_one_mode)(spec, chance)
    if spec.interface == "core":
        return turns
    if multiplier.modulus_at != "run time":
        return [*turns[:-1], turns[-1]._replace(hold=True)]
    turns += [turns[0]._replace(products=_FEW)] if len(turns) == 1 else []
    latencies = [turn.setting.latency().maximum for turn in turns[:-1]]
    number = latencies.index(min(latencies))
    quick = [turn for turn in turns if turn.setting.mode == turns[number].setting.mode]
    first, second, third = (quick[1:] + quick * 3)[:3]
    few = turns[number]._replace(products=_FEW)
    row = ((first, 0), (second, 0), (third, 0), (turns[0], 0), (few, _FEW), (first, 0), (second, 1))
    held = [turn._replace(products=products, hold=turn is few) for turn, products in row]
    full = turns[number]._replace(hold=True)
    return [*turns[:number], full, *held, *turns[number + 1 :]]


def _of_one_mode(spec: Spec, chance: random.Random) -> list[Turn]:
    multiplier = spec.multiplier
    count = min(_CYCLES // multiplier.worst("latency"), _DIGITS // multiplier.width, _MOST)
    moduli = _moduli(spec, chance, count)
    each = max(count, _LEAST) // len(moduli)
    mode = multiplier.modes[0]
    return [Turn(Setting(multiplier, modulus, mode), each) for modulus in moduli]


def _of_modes(spec: Spec, chance: random.Random) -> list[Turn]:
    """Turns of every field and of some lengths.  Long lengths have few products, and do not
    come first, since the first products are printed cycle by cycle."""
    multiplier = spec.multiplier
    settings = [setting for mode in _modes(multiplier) for setting in _of_mode(spec, mode, chance)]
    if spec.setting is not None:
        settings = [spec.setting, *settings, spec.setting]
    most = min(_ENOUGH, _DIGITS // multiplier.width // len(settings))
    turns = []
    for setting in settings:
        affordable = _CYCLES // len(settings) // setting.latency().maximum
        least = _FEW // 2 if slow(multiplier, setting.mode) else _FEW
        turns.append(Turn(setting, max(least, min(most, affordable))))
    return sorted(turns, key=lambda turn: SHOWN * turn.setting.latency().maximum > _TRACED)


def _modes(multiplier: Multiplier) -> list[Mode]:
    """Modes of every field at all lengths if there are few, else at the longest, the
    shortest and one between, without operation."""
    lengths: list[int | None] = [None]
    if multiplier.lengths is not None:
        low, high = multiplier.lengths
        few = high - low < _FEW_LENGTHS
        lengths = list(range(high, low - 1, -1)) if few else [high, (low + high) // 2, low]
    fields = multiplier.fields_built
    return [Mode(field=field, words=words) for words in dict.fromkeys(lengths) for field in fields]


def slow(multiplier: MultiplierFacts, mode: Mode) -> bool:
    """Whether one product takes more cycles than all should take."""
    return multiplier.latency(mode).maximum > _CYCLES


def _of_mode(spec: Spec, mode: Mode, chance: random.Random) -> list[Setting]:
    """The largest modulus of a length and, unless products are slow, a random one."""
    multiplier = spec.multiplier
    rule = multiplier.taken_in(mode)
    if multiplier.modulus_at != "run time":
        return [Setting(multiplier, n, mode) for n in _moduli(spec, chance, 0)[:1]]
    if rule.bits < 2:
        return []
    top = 1 << rule.bits
    values = [top - 1, chance.randrange(top >> 1, top) | 1][: 1 if slow(multiplier, mode) else 2]
    return [Setting(multiplier, n, mode) for n in dict.fromkeys(values) if rule.holds(n)]


def _moduli(spec: Spec, chance: random.Random, products: int) -> list[int]:
    """The spec's own modulus first and last, with others between.  Without one, return
    others only: the largest and the smallest of full length, random ones, a short one and one with
    long runs of bits."""
    multiplier = spec.multiplier
    own = [] if spec.modulus is None else [spec.modulus.value]
    if multiplier.modulus_at == "none":
        return [0]
    if multiplier.fixed_modulus is not None:
        return [multiplier.fixed_modulus]
    most = min(_MODULI, max(2, products // _EACH) - len(own))
    others, rule = _others(multiplier, chance), multiplier.taken_in(multiplier.modes[0])
    fitting = [modulus for modulus in dict.fromkeys(others) if rule.holds(modulus)]
    if not own:
        return fitting[:most]
    return [*own, *[new for new in fitting if new not in own][: max(1, most // 3)], *own]


def _others(multiplier: Multiplier, chance: random.Random) -> list[int]:
    width = multiplier.width
    top = 1 << width
    half = top >> 1

    def random_one() -> int:
        return chance.randrange(half, top)

    short = chance.randrange(1 << width // 2) | 1
    runs = half | runs_of_bits(width, chance) | 1
    odd = [random_one() | 1 for _ in range(7)]
    return [top - 1, half + 1, odd[0], short, random_one() & -2, runs, *odd[1:], 3]
