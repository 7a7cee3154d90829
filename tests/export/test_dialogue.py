"""The operations of a datasheet: the beats that it shows, replayed on the Verilog."""

from __future__ import annotations

from typing import Any

import pytest

from modmul.design import Beat, Stream
from modmul.export import hdl
from modmul.export.datasheet import markdown
from modmul.export.processor.description import describe
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.verification.simulation.runs import exchange_of
from modmul.verification.streams import StreamDesign, compile_streams

CURVE = {"architecture": "curve", "multiplier": "fpmm", "word": 17, "target": "ecp5"}
DESIGNS = {
    "exponentiation": {"architecture": "exponentiation", "multiplier": "interleaved", "width": 16},
    "curve": {**CURVE, "curve": "toy32", "forms": "weierstrass", "schemes": "ecdsa"},
    "rsa": {"architecture": "rsa", "multiplier": "fips", "key-bits": 64, "base-blinding": True},
    "rsa with two engines": {
        "architecture": "rsa",
        "multiplier": "fips",
        "key-bits": 64,
        "units": 2,
    },
    "kummer": {"architecture": "kummer", "multiplier": "fpmm", "target": "ecp5"},
    "binary-curve": {"architecture": "binary-curve", "curve": "toy17-binary"},
}
LONG = ("rsa with two engines", "kummer", "binary-curve", "rsa")


def beats(stream: Stream, words: list[str]) -> list[Beat]:
    """The fields of beats that are written as numbers, the first field in the lowest bits."""
    every = []
    for text in words:
        word, beat = int(text, 16), Beat()
        for name, (bits, _) in stream.members.items():
            beat[name] = word & (1 << bits) - 1
            word >>= bits
        assert word == 0
        every.append(beat)
    return every


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long if name in LONG else ()) for name in DESIGNS]
)
def test_the_examples_are_what_the_verilog_does(name: str) -> None:
    spec = Spec.from_options(DESIGNS[name])
    processor, emitted = spec.processor, hdl.emit(spec.design)
    description = describe(spec, emitted, "x")
    streams = {stream.name: stream for stream in processor.streams}
    simulator = compile_streams([StreamDesign.of(spec.design, "stream", emitted)], Cache())
    replayed = 0
    with simulator.start(seed=1) as session:
        for operation, entry in description["operations"].items():
            dialogue = entry["dialogue"]
            shown = dict(dialogue["example"]["beats"])
            if "modulus" not in shown:
                shown["modulus"] = [constant["value"] for constant in description["constants"]]
            sent = {each: beats(streams[each], words) for each, words in shown.items()}
            answer = sent.pop("result")
            loads = {each: sent.pop(each) for each in list(sent) if each.startswith("modulus")}
            assert len(answer) == dialogue["answer"]["beats"]
            exchange = exchange_of(loads, sent, len(answer), 1_000_000)
            outcome = session.run(0, exchange)
            got = [{"data": beat["data"]} for beat in outcome.beats["result"]]
            assert got == answer, operation
            replayed += 1
    assert replayed == len(processor.offered)


@pytest.mark.parametrize("name", ["exponentiation", "curve"])
def test_packets_are_those_of_the_example(name: str) -> None:
    """Number by number: who packs the operands as the table says gets the beats of the example."""
    spec = Spec.from_options(DESIGNS[name])
    streams = {stream.name: stream for stream in spec.processor.streams}
    description = describe(spec, hdl.emit(spec.design), "x")
    for entry in description["operations"].values():
        dialogue = entry["dialogue"]
        example = dialogue["example"]
        assert int(example["beats"]["command"][0], 16) == int(dialogue["command"]["word"], 16)
        for number in dialogue["packets"]:
            if "random" in number:
                continue
            words = [int(word, 16) for word in example["beats"][number["stream"]]]
            first, count = number["first_beat"], number["beats"]
            assert packed(streams[number["stream"]], number, example) == words[first:][:count]
        answer = sum(
            int(word, 16) << place * streams["result"].members["data"][0]
            for place, word in enumerate(example["beats"]["result"])
        )
        results: dict[str, int] = {}
        for part in dialogue["answer"]["parts"]:
            value = answer >> part["first_bit"] & (1 << part["bits"]) - 1
            results[part["result"]] = results.get(part["result"], 0) | value << part["of_result"]
        numbers = {k: int(v, 16) for k, v in example["results"].items() if isinstance(v, str)}
        assert numbers.items() <= results.items()
        if dialogue["status"] is not None and numbers:
            assert int(example["beats"]["result"][-1], 16) in dialogue["status"]["result"]


def packed(stream: Stream, number: dict[str, Any], example: dict[str, Any]) -> list[int]:
    """The beats of a number of a packet."""
    bits, count = stream.members["data"][0], number["beats"]
    if "constant" in number:
        value = int(number["constant"], 16)
    else:
        value = int(example["operands"][number["operand"]], 16) >> number["from_bit"]
        if number["bits"] is not None:
            value &= (1 << number["bits"]) - 1
        assert not number["reduced"]
    value <<= number["shift"]
    words = [value >> bits * place & (1 << bits) - 1 for place in range(count)]
    return words[::-1] if number["order"] == "highest first" else words


def test_the_datasheet_shows_every_operation() -> None:
    spec = Spec.from_options(DESIGNS["curve"])
    description = describe(spec, hdl.emit(spec.design), "x") | {"simulated": {}}
    sheet = markdown(description, None, {}, "x.svg")
    section = sheet.partition("\n## Operations\n")[2].partition("\n## ")[0]
    for name, entry in description["operations"].items():
        text = section.partition(f"### `{name}`\n")[2].partition("###")[0]
        assert f"as one word `{entry['dialogue']['command']['word']}`" in text
        assert "| `operand` (secret) | 0" in text
        assert ("; 1: exceptional; 2 to 15: fault. With" in text) == (name == "ecdsa-sign")
        shown = " ".join(text.split())
        for words in entry["dialogue"]["example"]["beats"].values():
            assert " ".join(words) in shown
