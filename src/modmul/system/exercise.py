"""The accesses that the delivered testbench of a bus makes, and every test of a bus: each
register, each error, and products or operations with their results."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from modmul.design import Beat, Job
from modmul.export.processor.plan import TestbenchPlan, samples
from modmul.export.vectors import VectorPlan, product_of
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.operations import MULTIPLY, OPERATIONS
from modmul.multipliers.setting import Setting
from modmul.processors import Load, Processor
from modmul.spec import Spec
from modmul.system.registers import MOST_BANKS, RegisterMap
from modmul.system.script import Access, Script

_SEED = 25
_SETTINGS = 4  # moduli that are loaded, at most
_PRODUCTS = 3  # random ones of each
_OPERATIONS = 6  # of a processor
_CYCLES = 400_000  # of a processor's operations together, but for the first


def longest(spec: Spec) -> dict[str, int]:
    """The beats of the longest packet of each stream of a processor: with the moduli of its
    testbench's plan, each operation at its whole length.  A multiplier tells them itself."""
    words: dict[str, int] = {}
    if isinstance(spec.design, Multiplier):
        return words
    processor = spec.processor
    for load, job in samples(spec):
        packets = {**processor.load(*load), **processor.request(job)}
        sizes = {name: len(beats) for name, beats in packets.items()}
        sizes["result"] = processor.reply_beats(job.mode, job.modulus)
        for name, size in sizes.items():
            words[name] = max(words.get(name, 1), size)
    return words


def exercise(
    spec: Spec, register_map: RegisterMap, plan: VectorPlan | TestbenchPlan
) -> list[Access]:
    """The accesses, with their answers by the golden model.  plan: that of the testbench."""
    script = Script(register_map)
    _identity(script)
    _refused(script)
    if isinstance(plan, VectorPlan):
        _products(script, plan)
    else:
        _operations(script, spec.processor, plan)
    _wipe(script)
    if isinstance(plan, VectorPlan) and register_map.banks:
        _wiped_banks(script, plan.settings[0])
        _wipe(script)
    return script.accesses


def _identity(script: Script) -> None:
    """Constants, and what is there after a reset."""
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
    """What cannot be read or written, and what comes too early."""
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
        script.read("events", error=1)
        script.write("events", error=1)
        script.send(channel.name, channel.beats + 1)
    script.read("events", error=1)
    script.write("events", error=1)


def _products(script: Script, plan: VectorPlan) -> None:
    """Products under a few moduli, of every mode that the testbench has."""
    chance = random.Random(_SEED)
    modes = {setting.mode: setting for setting in plan.settings[::-1]}
    chosen = [plan.settings[0], *modes.values(), *plan.settings]
    for place, setting in enumerate(list(dict.fromkeys(chosen))[:_SETTINGS]):
        script.say(f"modulus {setting.modulus:#x}")
        if setting.loads:
            load(script, {"modulus": [{"data": value} for value in setting.loads]})
        script.write("enables", result=1)
        bound = setting.operand_bound
        pairs = [(bound - 1, bound - 1), (0, bound - 1)][: 2 - (place > 0)]
        pairs += [(chance.randrange(bound), chance.randrange(bound)) for _ in range(_PRODUCTS)]
        for a, b in pairs:
            _product(script, setting, a, b, chance)
        _reused(script, setting, chance)


def _product(script: Script, setting: Setting, a: int, b: int, chance: random.Random) -> Any:
    """One, with all that is written and read for it."""
    product = product_of(setting, a, b, chance, operation=MULTIPLY)
    operands = {name: value for name, value in product.operand.items() if name not in OPERATIONS}
    channel = script.regs.channels[-2]
    script.say(f"{a:#x} times {b:#x}")
    for name, value in operands.items():
        script.fill(name, value, channel.words_of(setting.beats))
        _halves(script, name, value & 0xFFFFFFFF)
    script.send("operand", setting.beats)
    _unreadable(script)
    _result(script, setting, product.result)
    return operands


def _reused(script: Script, setting: Setting, chance: random.Random) -> None:
    """What stays in a window: another b for the same a, a square, results as operands."""
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
    result = setting.compute(a, b)
    _result(script, setting, _fields(result), take=False)
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
            result = setting.compute(left, right)
            _result(script, setting, _fields(result), take=False)
    script.write("control", take=1)
    script.say("the square of a")
    script.send("operand", beats, square=1)
    _result(script, setting, _fields(setting.compute(a, a)))
    if regs.sums:
        _sums(script, setting, a, b)
    if regs.banks:
        _banked(script, setting, a, b, chance)


def _sums(script: Script, setting: Setting, a: int, b: int) -> None:
    """Sums of what stands in the windows, of the result before and b, and of a twice."""
    beats, result = setting.beats, 0
    for operation in script.regs.sums:
        for left, right, flags in (
            (a, b, {}), (None, b, {"a_result": 1}), (a, None, {"b_result": 1}),
            (None, None, {"a_result": 1, "square": 1}),
        ):  # fmt: skip
            terms = [result if term is None else term for term in (left, right)]
            script.say(OPERATIONS[operation].of(*map(hex, terms)))
            script.send("operand", beats, **{operation: 1}, **flags, take=int(bool(flags)))
            result = setting.computed(operation, *terms)
            _result(script, setting, _fields(result), take="square" in flags)


def _banked(script: Script, setting: Setting, a: Any, b: Any, chance: random.Random) -> None:
    """Operands and results in banks: each bank in each place, itself among the operands, while
    what stands there is not overwritten by anything else.  a, b: what stands in the windows."""
    regs, beats = script.regs, setting.beats
    words, kept, result = regs.channels[-2].words_of(beats), dict[int, Any](), None
    for bank in range(1, regs.banks + 1):
        first = chance.randrange(setting.operand_bound)
        operand = product_of(setting, first, 0, chance, operation=MULTIPLY)
        kept[bank] = _factor(operand.operand, "a")
        script.say(f"bank {bank}")
        for name, value in _fields(kept[bank]).items():
            window = f"bank{bank}" if name == "data" else f"bank{bank}_{name}"
            script.fill(window, value, words)
            _halves(script, window, value & 0xFFFFFFFF)
    _unreadable(script)
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
            script.send("operand", beats, a_bank=left, result_bank=to, take=int(result is not None),
                        **flags)  # fmt: skip
            first = kept[left] if left else a
            second = first if right is None else kept[right] if right else b
            result = kept[to] = setting.compute(first, second)
            _result(script, setting, _fields(result), take=False)
    script.say("the result times a bank")
    script.send("operand", beats, a_result=1, b_bank=1, take=1)
    _result(script, setting, _fields(setting.compute(result, kept[1])))
    _refused_banks(script, setting, kept)


def _wiped_banks(script: Script, setting: Setting) -> None:
    """The squares of all banks are that of 0."""
    if setting.loads:
        load(script, {"modulus": [{"data": value} for value in setting.loads]})
    script.write("enables", result=1)
    zero: Any = 0 if setting.multiplier.operand_form != "carry-save" else (0, 0)
    for bank in range(1, script.regs.banks + 1):
        script.say(f"bank {bank} is empty")
        script.send("operand", setting.beats, a_bank=bank, square=1)
        _result(script, setting, _fields(setting.compute(zero, zero)))


def _refused_banks(script: Script, setting: Setting, kept: dict[int, Any]) -> None:
    """A bank that there is not; what is asked for while the first of two products waits."""
    regs, beats = script.regs, setting.beats
    for name in ("a_bank", "b_bank", "result_bank") if regs.banks < MOST_BANKS else ():
        script.say(f"{name} beyond the last one")
        script.send("operand", beats, **{name: regs.banks + 1})
        script.read("events", error=1)
        script.write("events", error=1)
    script.say("a result that nobody takes, and a second product behind it")
    script.send("operand", beats, a_bank=1, square=1)
    first = setting.compute(kept[1], kept[1])
    _result(script, setting, _fields(first), take=False)
    script.send("operand", beats, a_result=1, b_bank=1, result_bank=1)
    script.sent("operand")
    script.read("status", computing=1, result=1)
    other = min(2, regs.banks)
    for name in _fields(first):
        script.fill(f"bank{other}" if name == "data" else f"bank{other}_{name}", 0, 1)
        script.read("events", error=1)
        script.write("events", error=1)
    script.send("operand", beats, a_bank=1, square=1)
    script.read("events", error=1)
    script.write("events", error=1)
    script.write("control", take=1)
    script.poll("status", computing=0)
    kept[1] = setting.compute(first, kept[1])
    _result(script, setting, _fields(kept[1]))
    script.say("the first bank has the second product, the other one what it had")
    script.send("operand", beats, a_bank=1, b_bank=other)
    _result(script, setting, _fields(setting.compute(kept[1], kept[other])))
    _unreadable(script)


def _halves(script: Script, window: str, word: int) -> None:
    """The first word of a window once more, in two halves, with other bits where no byte is
    written."""
    address = script.regs.window[window].address
    script.put("write", address, word ^ 0xFFFF0000, strobes=0b0011)
    script.put("write", address, word ^ 0x0000FFFF, strobes=0b1100)


def _unreadable(script: Script) -> None:
    """What was written cannot be read back."""
    for window in script.regs.windows:
        if window.access == "write":
            script.put("read", window.address, 0, error=True)


def _factor(operand: Mapping[str, int], letter: str) -> Any:
    carry = operand.get(f"{letter}_carry")
    return operand[letter] if carry is None else (operand[letter], carry)


def _fields(result: Any) -> dict[str, int]:
    """A result as in its windows."""
    return {"data": result} if isinstance(result, int) else {"data": result[0], "carry": result[1]}


def _result(script: Script, setting: Setting, result: Mapping[str, int], take: bool = True) -> None:
    """Wait for a result and read it."""
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


def packets(script: Script, beats: Mapping[str, Sequence[Beat]]) -> None:
    """What loads a modulus, or asks for an operation: packets by stream, sent side by side, as one
    may be taken in the middle of another."""
    channels = {channel.name: channel for channel in script.regs.inputs}
    for name, packet in beats.items():
        if packet:
            (lane,) = channels[name].lanes
            script.packet(channels[name], {lane.name: lane.packed(packet)}, len(packet))


def load(script: Script, beats: Mapping[str, Sequence[Beat]]) -> None:
    """What loads a modulus, all of it: it holds for what is asked for afterwards."""
    packets(script, beats)
    for name in beats:
        script.sent(name)


def _operations(script: Script, processor: Processor, plan: TestbenchPlan) -> None:
    """Operations of a processor: the plan's first ones, each under its modulus."""
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
            load(script, processor.load(*asked))
            loaded = asked
        operation_of(script, processor, job, beats)


def operation_of(script: Script, processor: Processor, job: Job, beats: Sequence[Beat]) -> None:
    """One operation, and its result as these beats."""
    regs = script.regs
    script.say(job.mode.name)
    script.write("enables", result=1)
    packets(script, processor.request(job))
    _unreadable(script)
    script.put("interrupt", 0, 1)
    script.read("result_beats", beats=len(beats))
    (lane,) = regs.result.lanes
    script.expect(lane.name, lane.packed(beats), regs.result.words_of(len(beats)))
    script.read("events", result=1, error=0)
    script.write("events", result=1)
    script.write("control", take=1)
    script.read("status", result=0)


def _wipe(script: Script) -> None:
    """Afterwards nothing is left, and what is asked for meanwhile is refused."""
    script.say("wipe: nothing is left")
    script.put("write", script.regs.by_name["events"].address, (1 << 32) - 1)
    script.write("enables", wiped=1)
    script.write("control", wipe=1)
    script.put("interrupt", 0, 1)
    script.read("status", wiping=0, result=0)
    script.put("read", script.regs.window["result"].address, 0)
