"""Products at the registers of a multiplier: what the testbench of a bus asks for and reads."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from modmul.export.vectors import fields, product_of
from modmul.multipliers.operations import MULTIPLY, OPERATIONS
from modmul.multipliers.oracle import checked_result
from modmul.multipliers.setting import Setting
from modmul.system.script import Script


def product(script: Script, setting: Setting, a: int, b: int, chance: random.Random) -> Any:
    """Compute one product, with all its writes and reads.  Return the operands by window."""
    asked = product_of(setting, a, b, chance, operation=MULTIPLY)
    operands = {name: value for name, value in asked.operand.items() if name not in OPERATIONS}
    channel = script.regs.channels[-2]
    script.say(f"{a:#x} times {b:#x}")
    for name, value in operands.items():
        script.fill(name, value, channel.words_of(setting.beats))
        script.halves(name, value & 0xFFFFFFFF)
    script.send("operand", setting.beats)
    script.unreadable()
    answer(script, setting, asked.result)
    return operands


def reused(script: Script, setting: Setting, chance: random.Random) -> tuple[Any, Any]:
    """Use windows again: another b for the same a, a square, results as operands.  Return the a and
    b that are in the windows afterwards."""
    regs, beats, bound = script.regs, setting.beats, setting.operand_bound
    words = regs.channels[-2].words_of(beats)
    first = product(script, setting, chance.randrange(bound), chance.randrange(bound), chance)
    second = product_of(setting, 0, chance.randrange(bound), chance, operation=MULTIPLY).operand
    script.say("the same a, another b")
    for name, value in second.items():
        if name[0] == "b":
            script.fill(name, value, words)
    script.send("operand", beats)
    a, b = factor(first, "a"), factor(second, "b")
    result = checked_result(setting, MULTIPLY, a, b)
    answer(script, setting, fields(result), take=False)
    if regs.chained:
        for said, flags in (
            ("the result times b", {"a_result": 1}),
            ("the square of the result", {"a_result": 1, "square": 1}),
            ("a times the result", {"b_result": 1}),
        ):
            script.say(said)
            script.send("operand", beats, **flags, take=1)
            factors = {"a_result": result} if "a_result" in flags else {"a": a}
            left = next(iter(factors.values()))
            right = left if "square" in flags else result if "b_result" in flags else b
            result = checked_result(setting, MULTIPLY, left, right)
            answer(script, setting, fields(result), take=False)
    script.write("control", take=1)
    script.say("the square of a")
    script.send("operand", beats, square=1)
    answer(script, setting, fields(checked_result(setting, MULTIPLY, a, a)))
    if regs.sums:
        _sums(script, setting, a, b)
    return a, b


def _sums(script: Script, setting: Setting, a: int, b: int) -> None:
    """Compute sums: a and b, the result before and b, a and this result, the result and itself."""
    beats, result = setting.beats, 0
    for operation in script.regs.sums:
        for left, right, flags in (
            (a, b, {}),
            (None, b, {"a_result": 1}),
            (a, None, {"b_result": 1}),
            (None, None, {"a_result": 1, "square": 1}),
        ):
            terms = [result if term is None else term for term in (left, right)]
            script.say(OPERATIONS[operation].of(*map(hex, terms)))
            script.send("operand", beats, **{operation: 1}, **flags, take=int(bool(flags)))
            result = checked_result(setting, operation, *terms)
            answer(script, setting, fields(result), take="square" in flags)


def factor(operand: Mapping[str, int], letter: str) -> Any:
    carry = operand.get(f"{letter}_carry")
    return operand[letter] if carry is None else (operand[letter], carry)


def answer(script: Script, setting: Setting, result: Mapping[str, int], take: bool = True) -> None:
    """Wait for a result, and compare it."""
    channel = script.regs.result
    script.put("interrupt", 0, 1)
    script.read("status", result=1)
    script.read("events", result=1, error=0)
    script.write("events", result=1, operand_sent=1)
    script.read("result_beats", beats=setting.beats)
    for name, value in result.items():
        window = "result" if name == "data" else f"result_{name}"
        script.expect(window, value, channel.words_of(setting.beats))
    if take:
        script.write("control", take=1)
        script.read("status", result=0)
