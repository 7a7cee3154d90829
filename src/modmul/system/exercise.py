"""The accesses that the delivered testbench of a bus makes, and every test of a bus: each
register, each error, and products or operations with their results."""

from __future__ import annotations

import random

from modmul.export.processor.plan import TestbenchPlan
from modmul.export.vectors import VectorPlan
from modmul.spec import Spec
from modmul.system import exercise_banks, exercise_operations, exercise_products
from modmul.system.registers import RegisterMap
from modmul.system.script import Access, Script

_SEED = 25
_SETTINGS = 4  # the most moduli that are loaded
_PRODUCTS = 3  # random products with each modulus


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
        exercise_operations.operations(script, spec.processor, plan)
    _wipe(script)
    if isinstance(plan, VectorPlan) and register_map.banks:
        exercise_banks.wiped(script, plan.settings[0])
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
            exercise_products.product(script, setting, a, b, chance)
        a, b = exercise_products.reused(script, setting, chance)
        if script.regs.banks:
            exercise_banks.banked(script, setting, a, b, chance)


def _wipe(script: Script) -> None:
    """Wipe, and check that no data is left."""
    script.say("wipe: nothing is left")
    script.put("write", script.regs.by_name["events"].address, (1 << 32) - 1)
    script.write("enables", wiped=1)
    script.write("control", wipe=1)
    script.put("interrupt", 0, 1)
    script.read("status", wiping=0, result=0)
    script.put("read", script.regs.window["result"].address, 0)
