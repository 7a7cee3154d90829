"""A processor that is an engine, as a device: answers from the packets that came, by the golden
machine, and by nothing else that was asked."""

from __future__ import annotations

from modmul.arithmetic.words import to_words
from modmul.design import Beat
from modmul.processors import Load
from modmul.processors.engine import operation, transport
from modmul.processors.engine.golden import Golden, Streams
from modmul.processors.engine.hardware.host import SOURCES
from modmul.processors.engine.processor import EngineProcessor
from modmul.processors.engine.values import Numbers
from modmul.processors.rsa import Rsa
from modmul.spec import Spec


class GoldenDevice:
    """What answers the packets of a spec with something loaded, by default its own: see
    `driven.Ports`."""

    def __init__(self, spec: Spec, load: Load | None = None):
        load = load or spec.load
        assert isinstance(spec.processor, EngineProcessor) and load is not None
        self.processor, self.load = spec.processor, load

    def __call__(self, packets: dict[str, list[Beat]]) -> list[Beat] | None:
        if "command" not in packets:
            return None
        (command,) = packets["command"]
        programs, engine = self.processor.programs, self.processor.engine
        name = programs.names[command["program"]]
        image = programs.image(name)
        taken = operation.taken(image)
        if any(names and SOURCES[place] not in packets for place, names in taken.items()):
            return None
        moduli = self.processor.moduli(self.load.modulus, self.load.curve)
        settings = programs.settings(moduli, [name])
        operand, scalar, random = (
            transport.numbers(programs, [beat["data"] for beat in packets.get(source, [])])
            for source in SOURCES
        )
        store = operation.store(image, settings, self._facts())
        numbers = Numbers(engine.machine, settings, engine.limits.register)
        counters = [command["count"]] * len(image.program.of("counter"))
        outcome = Golden(engine.machine, numbers).run(
            image.words, Streams(operand, scalar, random, store), counters
        )
        words = [
            word
            for number in outcome.results
            for word in to_words(number, engine.word, engine.machine.beats)
        ]
        return [{"data": word} for word in (*words, int(outcome.status))]

    def _facts(self) -> dict[str, int]:
        if isinstance(self.processor, Rsa):
            by_primes = self.processor._by_primes(self.load.modulus)
            return self.processor._numbers.facts(self.load.modulus, by_primes)
        return self.processor.facts(self.load.curve)  # type: ignore[attr-defined]
