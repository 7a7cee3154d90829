"""Operands and results in banks: what the testbench of a bus asks for where there are some."""

from __future__ import annotations

import random
from typing import Any

from modmul.export.vectors import fields, product_of
from modmul.multipliers.operations import MULTIPLY
from modmul.multipliers.oracle import checked_result
from modmul.multipliers.setting import Setting
from modmul.system.exercise_products import answer, factor
from modmul.system.registers import MOST_BANKS
from modmul.system.script import Script


def banked(script: Script, setting: Setting, a: Any, b: Any, chance: random.Random) -> None:
    """Use every bank as each factor and as the place of the result, also of its own product, and
    check that nothing else overwrites a bank.  a, b: the operands that are in the windows."""
    regs, beats = script.regs, setting.beats
    words, kept = regs.channels[-2].words_of(beats), dict[int, Any]()
    result: Any = None
    for bank in range(1, regs.banks + 1):
        first = chance.randrange(setting.operand_bound)
        operand = product_of(setting, first, 0, chance, operation=MULTIPLY)
        kept[bank] = factor(operand.operand, "a")
        script.say(f"bank {bank}")
        for name, value in fields(kept[bank]).items():
            window = f"bank{bank}" if name == "data" else f"bank{bank}_{name}"
            script.fill(window, value, words)
            script.halves(window, value & 0xFFFFFFFF)
    script.unreadable()
    for bank in range(1, regs.banks + 1):
        other = bank % regs.banks + 1
        for said, left, right, to in (
            ("the window of a times a bank", 0, bank, other),
            ("a bank times the window of b, kept there", bank, 0, bank),
            ("two banks", bank, other, bank),
            ("the square of a bank", bank, None, other),
        ):
            script.say(f"{said}: {bank}, {other}")
            flags = {"square": 1} if right is None else {"b_bank": right}
            script.send(
                "operand", beats, a_bank=left, result_bank=to, take=int(result is not None), **flags
            )
            first = kept[left] if left else a
            second = first if right is None else kept[right] if right else b
            result = kept[to] = checked_result(setting, MULTIPLY, first, second)
            answer(script, setting, fields(result), take=False)
    script.say("the result times a bank")
    script.send("operand", beats, a_result=1, b_bank=1, take=1)
    answer(script, setting, fields(checked_result(setting, MULTIPLY, result, kept[1])))
    _refused_banks(script, setting, kept)


def _refused_banks(script: Script, setting: Setting, kept: dict[int, Any]) -> None:
    """Name banks that do not exist, and ask for more while the first of two products waits."""
    regs, beats = script.regs, setting.beats
    for name in ("a_bank", "b_bank", "result_bank") if regs.banks < MOST_BANKS else ():
        script.say(f"{name} beyond the last one")
        script.send("operand", beats, **{name: regs.banks + 1})
        script.refused()
    script.say("a result that nobody takes, and a second product behind it")
    script.send("operand", beats, a_bank=1, square=1)
    first = checked_result(setting, MULTIPLY, kept[1], kept[1])
    answer(script, setting, fields(first), take=False)
    script.send("operand", beats, a_result=1, b_bank=1, result_bank=1)
    script.sent("operand")
    script.read("status", computing=1, result=1)
    other = min(2, regs.banks)
    for name in fields(first):
        script.fill(f"bank{other}" if name == "data" else f"bank{other}_{name}", 0, 1)
        script.refused()
    script.send("operand", beats, a_bank=1, square=1)
    script.refused()
    script.write("control", take=1)
    script.poll("status", computing=0)
    kept[1] = checked_result(setting, MULTIPLY, first, kept[1])
    answer(script, setting, fields(kept[1]))
    script.say("the first bank has the second product, the other one what it had")
    script.send("operand", beats, a_bank=1, b_bank=other)
    answer(script, setting, fields(checked_result(setting, MULTIPLY, kept[1], kept[other])))
    script.unreadable()


def wiped(script: Script, setting: Setting) -> None:
    """Check that all banks are zero, by squaring them."""
    if setting.loads:
        script.load({"modulus": [{"data": value} for value in setting.loads]})
    script.write("enables", result=1)
    zero: Any = 0 if setting.multiplier.operand_form != "carry-save" else (0, 0)
    for bank in range(1, script.regs.banks + 1):
        script.say(f"bank {bank} is empty")
        script.send("operand", setting.beats, a_bank=bank, square=1)
        answer(script, setting, fields(checked_result(setting, MULTIPLY, zero, zero)))
