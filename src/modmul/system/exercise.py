"""The accesses that the delivered testbench of a bus makes, and every test of a bus: each
register, each error, and products or operations with their results."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from modmul.design import Beat
from modmul.export.processor.plan import TestbenchPlan
from modmul.export.vectors import VectorPlan, fields, product_of
from modmul.multipliers.operations import MULTIPLY, OPERATIONS
from modmul.multipliers.oracle import checked_result
from modmul.multipliers.setting import Setting
from modmul.operation import Job
from modmul.processors import Load, Processor
from modmul.spec import Spec
from modmul.system.registers import MOST_BANKS, RegisterMap
from modmul.system.script import Access, Script

_SEED = 25
_SETTINGS = 4  # the most moduli that are loaded
_PRODUCTS = 3  # random products with each modulus
_OPERATIONS = 6
_CYCLES = 400_000  # after which no operation but the first is computed


def exercise(
    spec: Spec, register_map: RegisterMap, plan: VectorPlan | TestbenchPlan
) -> list[Access]:
    """The accesses, with the answers that the golden model gives.  plan: what the testbench
    of the design computes.  Raises CheckFailed if the golden model is wrong."""
    script = Script(register_map)
    _identity(script)
    _refused(script)
    if isinstance(plan, VectorPlan):
        _products(script, plan)
    else:
        _operations(script, spec.processor, plan)
    _wipe(script)
    if isinstance(plan, VectorPlan) and register_map.banks:
        _wiped(script, plan.settings[0])
        _wipe(script)
    return script.accesses


def _identity(script: Script) -> None:
    """Check the constants, and the state after a reset."""
    script.say("after a reset everything is wiped")
    script.poll("status", wiping=0)
    script.read("events", wiped=1, error=0, result=0)
    for register in ("id", "version", "design", "capabilities"):
        script.say(register)
        asked = script.regs.by_name[register]
        script.put("read", asked.address, asked.value)
    script.say("events are cleared one by one")
    script.write("events", wiped=0, result=1)
    script.read("events", wiped=1)
    script.write("events", wiped=1)
    script.put("read", script.regs.by_name["events"].address, 0)
    script.say("bytes without a strobe stay as they are")
    enables = script.regs.by_name["enables"]
    every = script.masked("enables", *(field.name for field in enables.fields))
    script.put("write", enables.address, every, strobes=0b0001)
    script.put("read", enables.address, every & 0xFF)
    script.put("write", enables.address, every ^ 0xFF, strobes=0b0010)
    script.put("read", enables.address, every & 0xFFFF)
    script.put("write", enables.address, 0)


def _refused(script: Script) -> None:
    """Check accesses that are impossible, and requests that come too early."""
    regs = script.regs
    script.say("what cannot be read, and addresses of nothing")
    for window in regs.windows:
        if window.access == "write":
            script.put("read", window.address, 0, error=True)
        if 4 * window.words < regs.unit:
            script.put("read", window.address + 4 * window.words, 0, error=True)
    script.put("read", regs.by_name["control"].address, 0, error=True)
    script.put("read", regs.unit - 4, 0, error=True)
    script.put("write", regs.by_name["id"].address, 1, error=True)
    script.put("write", regs.window["result"].address, 1, error=True)
    script.say("a result that is not there")
    script.put("read", regs.window["result"].address, 0)
    script.write("control", take=1)
    script.say("more beats than a window has")
    for channel in regs.inputs:
        script.refused()
        script.send(channel.name, channel.beats + 1)
    script.refused()
    script.say("a packet of another number of beats, and the middle of none")
    for channel in regs.inputs:
        if channel.packet is not None and channel.packet[0] > 1:
            script.write(f"{channel.name}_send", beats=channel.packet[0] - 1, first=1, last=1)
            script.refused()
        if channel.packet is not None:
            script.write(f"{channel.name}_send", beats=1, last=1)
            script.refused()


def _wipe(script: Script) -> None:
    """Wipe, and check that no data is left."""
    script.say("wipe: nothing is left")
    script.put("write", script.regs.by_name["events"].address, (1 << 32) - 1)
    script.write("enables", wiped=1)
    script.write("control", wipe=1)
    script.put("interrupt", 0, 1)
    script.read("status", wiping=0, result=0)
    script.put("read", script.regs.window["result"].address, 0)


# ---- products of a multiplier -------------------------------------------------------------------


def _products(script: Script, plan: VectorPlan) -> None:
    """Compute products with a few moduli, of every mode in the testbench."""
    chance = random.Random(_SEED)
    modes = {setting.mode: setting for setting in plan.settings[::-1]}
    chosen = [plan.settings[0], *modes.values(), *plan.settings]
    for place, setting in enumerate(list(dict.fromkeys(chosen))[:_SETTINGS]):
        script.say(f"modulus {setting.modulus:#x}")
        if setting.loads:
            script.load({"modulus": [{"data": value} for value in setting.loads]})
        script.write("enables", result=1)
        bound = setting.operand_bound
        pairs = [(bound - 1, bound - 1), (0, bound - 1)][: 2 - (place > 0)]
        pairs += [(chance.randrange(bound), chance.randrange(bound)) for _ in range(_PRODUCTS)]
        for a, b in pairs:
            _product(script, setting, a, b, chance)
        a, b = _reused(script, setting, chance)
        if script.regs.banks:
            _banked(script, setting, a, b, chance)


def _product(script: Script, setting: Setting, a: int, b: int, chance: random.Random) -> Any:
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
    _answer(script, setting, asked.result)
    return operands


def _reused(script: Script, setting: Setting, chance: random.Random) -> tuple[Any, Any]:
    """Use windows again: another b for the same a, a square, results as operands.  Return the a and
    b that are in the windows afterwards."""
    regs, beats, bound = script.regs, setting.beats, setting.operand_bound
    words = regs.channels[-2].words_of(beats)
    first = _product(script, setting, chance.randrange(bound), chance.randrange(bound), chance)
    second = product_of(setting, 0, chance.randrange(bound), chance, operation=MULTIPLY).operand
    script.say("the same a, another b")
    for name, value in second.items():
        if name[0] == "b":
            script.fill(name, value, words)
    script.send("operand", beats)
    a, b = _factor(first, "a"), _factor(second, "b")
    result = checked_result(setting, MULTIPLY, a, b)
    _answer(script, setting, fields(result), take=False)
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
            _answer(script, setting, fields(result), take=False)
    script.write("control", take=1)
    script.say("the square of a")
    script.send("operand", beats, square=1)
    _answer(script, setting, fields(checked_result(setting, MULTIPLY, a, a)))
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
            _answer(script, setting, fields(result), take="square" in flags)


def _factor(operand: Mapping[str, int], letter: str) -> Any:
    carry = operand.get(f"{letter}_carry")
    return operand[letter] if carry is None else (operand[letter], carry)


def _answer(script: Script, setting: Setting, result: Mapping[str, int], take: bool = True) -> None:
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


# ---- operands and results in banks --------------------------------------------------------------


def _banked(script: Script, setting: Setting, a: Any, b: Any, chance: random.Random) -> None:
    """Use every bank as each factor and as the place of the result, also of its own product, and
    check that nothing else overwrites a bank.  a, b: the operands that are in the windows."""
    regs, beats = script.regs, setting.beats
    words, kept = regs.channels[-2].words_of(beats), dict[int, Any]()
    result: Any = None
    for bank in range(1, regs.banks + 1):
        first = chance.randrange(setting.operand_bound)
        operand = product_of(setting, first, 0, chance, operation=MULTIPLY)
        kept[bank] = _factor(operand.operand, "a")
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
            _answer(script, setting, fields(result), take=False)
    script.say("the result times a bank")
    script.send("operand", beats, a_result=1, b_bank=1, take=1)
    _answer(script, setting, fields(checked_result(setting, MULTIPLY, result, kept[1])))
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
    _answer(script, setting, fields(first), take=False)
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
    _answer(script, setting, fields(kept[1]))
    script.say("the first bank has the second product, the other one what it had")
    script.send("operand", beats, a_bank=1, b_bank=other)
    _answer(script, setting, fields(checked_result(setting, MULTIPLY, kept[1], kept[other])))
    script.unreadable()


def _wiped(script: Script, setting: Setting) -> None:
    """Check that all banks are zero, by squaring them."""
    if setting.loads:
        script.load({"modulus": [{"data": value} for value in setting.loads]})
    script.write("enables", result=1)
    zero: Any = 0 if setting.multiplier.operand_form != "carry-save" else (0, 0)
    for bank in range(1, script.regs.banks + 1):
        script.say(f"bank {bank} is empty")
        script.send("operand", setting.beats, a_bank=bank, square=1)
        _answer(script, setting, fields(checked_result(setting, MULTIPLY, zero, zero)))


# ---- operations of a processor ------------------------------------------------------------------


def _operations(script: Script, processor: Processor, plan: TestbenchPlan) -> None:
    """Compute the first operations of the plan, each with its modulus, key or curve."""
    loaded, before, spent = None, 0, 0
    for number, operation in enumerate(plan.operations[: plan.full_speed]):
        results, before = plan.results[before : operation.ends], operation.ends
        beats = [result.beat for result in results]
        spent += int(operation.cycles.maximum)
        if number and (spent > _CYCLES or number >= _OPERATIONS):
            continue
        job = operation.job
        asked = Load(job.modulus, job.mode.field, job.mode.curve)
        if asked != loaded:
            script.say(f"modulus {int(job.modulus):#x}")
            script.load(processor.load(*asked))
            loaded = asked
        _operation(script, processor, job, beats)


def _operation(script: Script, processor: Processor, job: Job, beats: Sequence[Beat]) -> None:
    """Compute one operation, whose result must be these beats."""
    regs = script.regs
    script.say(job.mode.name)
    script.write("enables", result=1)
    script.packets(processor.request(job))
    script.unreadable()
    script.put("interrupt", 0, 1)
    script.read("result_beats", beats=len(beats))
    (lane,) = regs.result.lanes
    script.expect(lane.name, lane.packed(beats), regs.result.words_of(len(beats)))
    script.read("events", result=1, error=0)
    script.write("events", result=1)
    script.write("control", take=1)
    script.read("status", result=0)
