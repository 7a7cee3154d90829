"""What the bench of a four-valued simulation does with an exponentiation processor."""

from __future__ import annotations

import random

from modmul.design import Mode
from modmul.processors.exponentiation import EXPONENTIATE, Exponentiation
from modmul.verification.four_state.script import Script

_SEED = 5
_BITS = 3  # of an exponent


def exponentiation_script(processor: Exponentiation) -> Script:
    """A command before any modulus, powers under two moduli, resets in the middle of a power and of
    a modulus."""
    rng, width = random.Random(_SEED), processor.multiplier.width
    inputs = tuple(stream.name for stream in processor.streams if stream.direction == "input")
    first, last = (rng.getrandbits(width) | 1 << width - 1 | 1 for _ in range(2))
    loading = sum(map(len, processor.load(last).values()))
    longest = 2 * int(processor.latency(_mode(processor, last)).maximum) + loading
    script = Script(inputs, "command", cycles=100)
    script.restart(20)
    script.put("knock", longest // 4, first=1, last=1, bits=_BITS)
    _load(script, processor, first, longest)
    for _ in range(2):
        _power(script, processor, first, longest, rng)
    script.drain(longest)
    script.put("mute")
    _power(script, processor, first, longest, rng, expected=False)
    script.put("idle", longest // 8)
    script.restart(longest)
    script.put("knock", longest // 4, first=1, last=1, bits=_BITS)
    beats = processor.load(last)["modulus"]
    script.packet("modulus", beats[: len(beats) // 2], len(beats))
    script.restart(longest // 4)
    _load(script, processor, last, longest)
    _power(script, processor, last, longest, rng)
    script.drain(longest)
    return script


def _mode(processor: Exponentiation, modulus: int) -> Mode:
    return processor.mode_for(EXPONENTIATE, modulus, length=_BITS)


def _load(script: Script, processor: Exponentiation, modulus: int, longest: int) -> None:
    for stream, beats in processor.load(modulus).items():
        script.packet(stream, beats)
    script.cycles += longest


def _power(
    script: Script,
    processor: Exponentiation,
    modulus: int,
    longest: int,
    rng: random.Random,
    expected: bool = True,
) -> None:
    base, exponent = rng.randrange(modulus), rng.getrandbits(_BITS)
    job = processor.job(base, exponent, modulus, bits=_BITS)
    beats = processor.request(job)
    for stream, packet in beats.items():
        script.packet(stream, packet)
    script.cycles += longest
    if expected:
        answer = processor.answer(job)
        script.beats += [
            {"first": int(place == 0), "last": int(place == len(answer) - 1), **beat}
            for place, beat in enumerate(answer)
        ]
        script.results += 1
