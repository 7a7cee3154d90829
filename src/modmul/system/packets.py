"""The longest packet of each stream of a design, after which its windows are made."""

from __future__ import annotations

from modmul.export.processor.plan import samples
from modmul.multipliers.contract import Multiplier
from modmul.spec import Spec


def longest(spec: Spec) -> dict[str, int]:
    """The beats of the longest packet of each stream of a processor, over the moduli of its
    testbench and all operations at full length.  Empty for a multiplier, whose streams tell it."""
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
