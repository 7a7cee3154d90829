"""Packets that are too short, too long, or interrupted by the next one: the next whole packet gives
a right product, whatever came before it."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pytest

from disturbed import DISTURBED, packet, wait
from modmul import multipliers
from modmul.design import Beat
from modmul.export import hdl
from modmul.multipliers import Multiplier
from modmul.multipliers.contract import Operand
from modmul.multipliers.oracle import contradicted
from modmul.multipliers.setting import Setting
from modmul.multipliers.streamed import core_timing
from modmul.operation import Job
from modmul.toolchain.cache import Cache
from modmul.verification.streams import (
    Exchange,
    Offer,
    StreamDesign,
    StreamSession,
    compile_streams,
)

LATER = 500  # cycles after which all that began has ended
PATIENCE = 2000
MOST = 100  # beats of results, more than can come

ENDED = [disturb for name, disturb in DISTURBED.items() if "interrupted" not in name]


class Factors(NamedTuple):
    a: Operand
    b: Operand
    beats: Sequence[Beat]


def chosen() -> Iterator[Multiplier]:
    """Of each architecture with packets of several beats, the first example with such operands, or
    else with such a modulus."""
    for name in multipliers.NAMES:
        examples = multipliers.find(name).examples()
        several = [each for each in examples if each.beats > 1]
        several += [each for each in examples if core_timing(each).modulus_beats > 1]
        yield from several[:1]


DESIGNS = {design.name: design for design in chosen()}


def setting_of(design: Multiplier) -> Setting:
    return design.over(design.fixed_modulus or (1 << design.width) - 1, design.fields_built[0])


def product(setting: Setting, rng: random.Random) -> Factors:
    a: Operand
    b: Operand
    a, b = (rng.randrange(1, setting.operand_bound) for _ in range(2))
    if setting.multiplier.operand_form == "carry-save":
        a, b = (a, 0), (b, 0)
    return Factors(a, b, setting.request(Job(setting.mode, setting.modulus, {"a": a, "b": b})))


def run(session: StreamSession, moduli: list[Offer], operands: list[Offer]) -> list[dict[str, int]]:
    """The beats of all results; everything must have been taken."""
    inputs = {"operand": operands, **({"modulus": moduli} if moduli else {})}
    limit = PATIENCE + 4 * LATER
    outcome = session.run(0, Exchange(inputs, {"result": MOST}, patience=PATIENCE, limit=limit))
    assert outcome.violations == []
    assert {name: len(outcome.cycles[name]) for name in inputs} == {
        name: len(offers) for name, offers in inputs.items()
    }
    return outcome.beats["result"]


def check(setting: Setting, products: Sequence[Factors], beats: Sequence[dict[str, int]]) -> None:
    """These are the results, and no other beats."""
    count, total = setting.beats, setting.beats * len(products)
    framing = [(int(i % count == 0), int(i % count == count - 1)) for i in range(total)]
    assert [(beat["first"], beat["last"]) for beat in beats] == framing
    values = [
        setting.multiplier.reply(setting.mode, beats[i : i + count])["product"]
        for i in range(0, total, count)
    ]
    assert contradicted(setting, [(each.a, each.b) for each in products], values) == []


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.short("fips", "interleaved-redundant")  # one adapter serves all
def test_the_product_after_a_disturbed_packet_is_right(name: str) -> None:
    """Behind the adapter, which drops the packet: it has no result.  The next packet comes at once,
    and when all is quiet."""
    design, rng = DESIGNS[name], random.Random(name)
    setting = setting_of(design)
    load = design.load(setting.modulus, setting.field).get("modulus", [])
    module = StreamDesign.of(design, "stream", hdl.emit(design))
    with compile_streams([module], Cache()).start() as session:
        for disturb, gap in itertools.product(DISTURBED.values(), (0, LATER)):
            first, second, wrong = (product(setting, rng) for _ in range(3))
            once, again = packet(load), packet(second.beats, gap=gap)
            before = wait(packet(first.beats), "modulus", len(load))
            if setting.beats > 1:
                operands = [*before, *disturb(wrong.beats), *again]
                check(setting, (first, second), run(session, once, operands))
            if len(load) > 1:
                disturbed = wait(disturb(load), "operand", setting.beats)
                moduli = [*once, *disturbed, *packet(load, gap=gap)]
                operands = [*before, *wait(again, "modulus", len(moduli))]
                check(setting, (first, second), run(session, moduli, operands))


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.short("cios", "fios-array")
def test_a_bare_core_goes_on_after_a_packet_with_too_few_or_too_many_beats(name: str) -> None:
    """The product in the core is wrong, and there may be others, but none later.  An operand also
    moves the words of the modulus of `montgomery-lookahead`, which has to be loaded again."""
    design, rng = DESIGNS[name], random.Random(name)
    setting = setting_of(design)
    load = design.load(setting.modulus, setting.field).get("modulus", [])
    module = StreamDesign.of(design, "core", hdl.emit(design))
    with compile_streams([module], Cache()).start() as session:
        for disturb in ENDED:
            first, last, wrong = (product(setting, rng) for _ in range(3))
            moduli, before = packet(load), wait(packet(first.beats), "modulus", len(load))
            after = packet(last.beats, gap=LATER)
            if setting.beats > 1:
                again = packet(load) if name == "montgomery-lookahead" else []
                operands = [*before, *disturb(wrong.beats)]
                loads = [*moduli, *wait(again, "operand", len(operands))] if again else moduli
                operands += wait(after, "modulus", len(loads)) if again else after
                check(setting, [last], run(session, loads, operands)[-setting.beats :])
            if len(load) > 1:
                loads = [*moduli, *wait(disturb(load), "operand", setting.beats)]
                loads += packet(load, gap=LATER)
                operands = [*before, *wait(after, "modulus", len(loads))]
                check(setting, [last], run(session, loads, operands)[-setting.beats :])
