"""The instruction set: words, assembler text, the pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assembled import assemble_words
from known_answers import image
from modmul import multipliers as registry
from modmul.errors import SpecError
from modmul.processors.engine import library, stored, wiping
from modmul.processors.engine.assembler import assemble
from modmul.processors.engine.engine import Engine
from modmul.processors.engine.instructions import (
    Word,
    decode,
    disassemble,
    encode,
    instruction_set,
    read,
)
from modmul.processors.engine.operation import run
from modmul.processors.engine.text import parse

PAGE = Path(__file__).parents[3] / "docs" / "engine.md"
ISA = Path(__file__).parents[3] / "src/modmul/processors/engine/isa.toml"


@pytest.mark.parametrize("program", ["x25519", "power-window", "on-curve"])
def test_words_and_text_and_numbers_are_the_same(program: str) -> None:
    assembled = image(program, width=256)
    assert tuple(decode(number) for number in assembled.rom) == assembled.words
    assert tuple(assemble_words(disassemble(assembled.words))) == assembled.words
    assert all(number >> instruction_set().word == 0 for number in assembled.rom)


def test_every_instruction_is_used_by_a_program() -> None:
    used = {
        word.op
        for name in ("p256-ladder", "power-window", "on-curve")
        for word in image(name, width=256).words
    }
    assert used == instruction_set().op.keys()


def test_what_is_refused() -> None:
    with pytest.raises(SpecError, match="a = 64: must be 0 to 63"):
        encode(Word("ADD", a=64))
    with pytest.raises(SpecError, match="no instruction has this code"):
        decode(31 << instruction_set().fields["op"].low)
    with pytest.raises(SpecError, match="line 2.*must be INSTRUCTION OPERANDS"):
        assemble_words("NOP +0\nADD r1, r2 +0")
    text = ISA.read_text()
    with pytest.raises(ValueError, match="must differ"):
        read(text.replace("code = 18", "code = 17"))
    with pytest.raises(ValueError, match="overlaps"):
        read(text.replace("low = 6\n", "low = 5\n"))
    with pytest.raises(ValueError, match="has no field"):
        read(text.replace('reads = ["a", "dst"]', 'reads = ["a", "c"]'))


def test_the_page_says_what_happens() -> None:
    """Its program of ten lines computes powers; its code in Python is run by the tests of pages."""
    (text,) = re.findall(r"```text\n(.*?)```", PAGE.read_text(), re.S)
    paper = assemble(parse("page", text), Engine(registry.find("fpmm")(width=64)))
    result = run(paper, 2**64 - 59, {"x": 3, "e": 1000, "n": 10})
    assert result.results == (pow(3, 1000, 2**64 - 59),)


SMALL = "constant one, r2, unit\ninput x secret\nX = x * r2\n"


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("y = X / X", "must be .*1 / a"),
        ("y = z", "a name that has a value"),
        ("y = 1 / X", "after a line `prime"),
        ("scalar k by r2", "constant that is `aligned`"),
        ("scalar k aligned", "KIND NAME"),
        ("input y by X", "KIND NAME"),
        ("test 4: X", "0 to 3"),
        ("loop 2:\ntest X\ninput y\nend", "outside loops"),
        ("scalar k\nbit k first", "bit SCALAR"),
        ("modulus 1 far", "modulus NUMBER .near."),
        ("scalar k\ndigit k last 5", "SCALAR .first. BITS"),
        ("y = X if s else X", "must be a scalar"),
        ("loop 0:", "1 to 4095"),
        ("loop 3:\ny = X + X", "closed by a line `end`"),
        ("y = 5 * X", "2, 3 or 4"),
        ("input x", "not yet taken"),
        ("bit k", "bit SCALAR"),
        ("y = X +", "an expression"),
        ("anything", "a declaration, a statement"),
        ("loop 2:\nz = X * X\noutput z\nend", "outside loops"),
        ("end", "closes a loop"),
        ("output " + "(" * 400 + "X" + ")" * 400, "an expression"),
    ],
)
def test_lines_that_cannot_be_read(lines: str, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        parse("wrong", SMALL + lines)


def test_a_second_modulus() -> None:
    text = "constant r2\ninput x\nmodulus 1\nconstant r2\ninput y\noutput x * y * r2 % N"
    paper = assemble(parse("two", text), Engine(registry.find("fpmm")(width=64)))
    result = run(paper, (2**64 - 59, 2**63 - 25), {"x": 2**64 - 60, "y": 7})
    assert result.results == ((2**64 - 60) * 7 % (2**63 - 25),)


NEAR = "constant r2, unit\ninput x\nX = x * r2\nx = X * unit % N\nmodulus 1{}\nconstant r2\n"


def test_a_modulus_that_is_near() -> None:
    """What was below the modulus before is then below twice the new one, which has at least half of
    it: what is smaller is refused, as is a text that needs more than that."""
    engine = Engine(registry.find("fpmm")(width=64), reducing=False)
    text = NEAR.format(" near") + "output (x + x) * r2 % N"
    paper = assemble(parse("near", text), engine)
    first = 2**64 - 59
    for second in (first, first // 2 + 1, 2**63 + 29, first - 4):
        result = run(paper, (first, second), {"x": first - 1})
        wanted = 2 * (first - 1) * pow(2, paper.engine.wide, second) % second
        assert result.results == (wanted,)
    with pytest.raises(SpecError, match="^modulus = 0x7f+e1: must be at least half of 0xf+c5"):
        run(paper, (first, first // 2 - 1), {"x": 1})
    with pytest.raises(SpecError, match="must be"):
        assemble(parse("any", NEAR.format("") + "output (x + x) * r2 % N"), engine)


def test_pauses_take_whole_turns_and_change_nothing() -> None:
    assembled = image("on-curve", width=256)
    values = {"a": 1, "b": 1, "x": 0, "y": 1}
    swift, slow = (run(assembled, 2**255 - 19, values, pauses=pauses) for pauses in ((), (3, 2, 9)))
    assert slow.status == swift.status == 0
    assert slow.outcome.cycles == swift.outcome.cycles + 5 * assembled.machine.turn


def test_an_interrupted_program_is_wiped() -> None:
    from modmul.processors.engine.golden import Golden
    from modmul.processors.engine.values import Numbers

    assembled = image("x25519")
    numbers = Numbers(assembled.machine, [assembled.engine.over(2**255 - 19)], 1 << 272)
    result = Golden(assembled.machine, numbers).run(
        wiping.program(assembled.used, assembled.scalars, assembled.machine)
    )
    assert result.memory.keys() >= {*assembled.used} and {*result.memory.values()} == {0}


@pytest.mark.parametrize(
    ("architecture", "multipliers", "ports"),
    [
        ("fpmm", 1, 1),
        ("fpmm", 2, 1),
        ("fpmm", 2, 2),
        ("fips", 1, 1),
        ("fips", 2, 1),
        ("montgomery-lookahead", 1, 1),
        ("interleaved", 1, 1),
        ("three-pass", 1, 1),
    ],
)
def test_a_product_of_zeros_in_every_slot(architecture: str, multipliers: int, ports: int) -> None:
    """And of RED, and into every scalar; nothing but zeros is left."""
    engine = Engine(registry.find(architecture)(width=64), multipliers, ports)
    paper = assemble(library.find("power-ladder"), engine, stored.schedule)
    outcome = run(paper, 2**64 - 59, {"x": 5, "e": 3, "n": 2}, {"e": 2}).outcome
    first = min(place for place, step in enumerate(outcome.done) if step.word.op == "WIPE")
    end = outcome.done[first:]
    products = [step for step in end if step.word.op == "MUL"]
    slots = {(product.word.aux, paper.machine.slot(product.cycle)) for product in products}
    assert len(slots) == multipliers * engine.machine.slots
    wiped = {step.word.dst for step in end if step.word.op in ("MUL", "WIPE")}
    assert wiped >= {*paper.used} and len(products) <= max(len(slots), len(paper.used))
    assert sum(step.word.op == "RED" for step in end) == ports
    assert [step.word.aux for step in end if step.word.op == "SCALAR"] == [0]
    assert {step.word.op for step in end} == {"WIPE", "MUL", "RED", "SCALAR"}
    assert {step.value for step in end} == {0, None}
    assert {*outcome.memory.values()} == {0}
