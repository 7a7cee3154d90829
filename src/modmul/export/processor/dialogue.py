"""Describes what goes over the streams of a processor in each operation: the command, the packets,
the answer and its status, and one example with all beats."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from modmul.arithmetic.notation import shortened
from modmul.arithmetic.words import ceil_div
from modmul.design import Beat, Stream
from modmul.export.processor.plan import samples
from modmul.operation import Job
from modmul.processors import Load, Processor
from modmul.processors.oracle import checked_answer
from modmul.processors.packets import Chance, OperandBits, Packets
from modmul.spec import Spec

RESULT = "result"  # what a status means with which the results are right


def dialogues(spec: Spec) -> dict[str, dict[str, Any]]:
    """The description of each operation, by its name: with the spec's modulus, curve or key
    if it allows the operation, else with another one."""
    processor, described = spec.processor, dict[str, dict[str, Any]]()
    for load, job in samples(spec):
        if job.mode.operation not in described:
            described[job.mode.operation] = _dialogue(processor, load, job, load == spec.load)
    return described


def _dialogue(processor: Processor, load: Load, job: Job, own: bool) -> dict[str, Any]:
    """own: whether the load is that of the spec, whose beats stand in the description already."""
    table = processor.packets(job.mode, load)
    streams = {stream.name: stream for stream in processor.streams}
    length = job.mode.length or 0
    return {
        "with": load.curve.name if load.curve else hex(load.modulus),
        "length": job.mode.length,
        "command": _command(table, streams["command"], length),
        "packets": list(_packets(table, streams, length)),
        "answer": {
            "beats": table.beats,
            "parts": [
                {
                    "result": piece.result,
                    "first_bit": piece.start,
                    "bits": piece.bits,
                    "of_result": piece.low,
                }
                for piece in table.pieces
            ],
        },
        "status": _status(table.outcomes),
        "example": _example(processor, load, job, own),
    }


def _command(table: Packets, stream: Stream, length: int) -> dict[str, Any]:
    """The fields of the command, and its word: the first field in the lowest bits."""
    fields = dict(table.command) | ({table.counted: length} if table.counted else {})
    word, place = 0, 0
    for name, (bits, _) in stream.members.items():
        word |= fields.get(name, 0) << place
        place += bits
    return {"word": hex(word), "fields": fields, "length_in": table.counted or None}


def _packets(
    table: Packets, streams: Mapping[str, Stream], length: int
) -> Iterator[dict[str, Any]]:
    """The numbers of all packets, in order.  bits: of the operand, from `from_bit` on; None:
    all that are left."""
    places = dict.fromkeys(streams, 0)
    for number in table.numbers:
        source, bits = number.source, _bits(streams[number.stream])
        size = ceil_div(length, number.highest) if number.highest else number.size // bits
        entry: dict[str, Any] = {
            "stream": number.stream,
            "secret": streams[number.stream].secret,
            "first_beat": places[number.stream],
            "beats": size,
            "order": "highest first" if number.highest else "lowest first",
            "shift": number.size - length if number.sized and not number.highest else number.shift,
        }
        if isinstance(source, OperandBits):
            entry |= {
                "operand": source.operand,
                "from_bit": source.low,
                "bits": source.bits,
                "reduced": source.reduced,
            }
        elif isinstance(source, Chance):
            entry |= {"random": {"least": hex(source.least), "below": hex(source.below)}}
        else:
            entry |= {"constant": hex(source)}
        places[number.stream] += size
        yield entry


def _status(outcomes: tuple[str, ...]) -> dict[str, list[int]] | None:
    """The values of the last beat of the answer by what they mean; None if it is no
    status."""
    meanings: dict[str, list[int]] = {}
    for value, outcome in enumerate(outcomes):
        meanings.setdefault(outcome or RESULT, []).append(value)
    return meanings or None


def _example(processor: Processor, load: Load, job: Job, own: bool) -> dict[str, Any]:
    """The operands, the beats of all streams and the results of one operation.  Its random
    numbers are those that a simulation takes."""
    answer = checked_answer(processor, job)
    sent = {} if own else processor.load(*load)
    streams = {stream.name: stream for stream in processor.streams}
    beats = {**sent, **processor.request(job), "result": answer}
    results = processor.reply(job.mode, answer)
    return {
        "operands": {name: hex(value) for name, value in job.operands.items()},
        "results": {
            name: value if isinstance(value, bool) else hex(value)
            for name, value in results.items()
        },
        "beats": {
            name: [hex(_word(streams[name], beat)) for beat in packet]
            for name, packet in beats.items()
        },
    }


def _word(stream: Stream, beat: Beat) -> int:
    """A beat as one number, its first member in the lowest bits."""
    word, place = 0, 0
    for name, (bits, _) in stream.members.items():
        word |= int(beat[name]) << place
        place += bits
    return word


def _bits(stream: Stream) -> int:
    return sum(bits for bits, _ in stream.members.values())


def lines(described: Mapping[str, Any]) -> dict[str, Any]:
    command, answer = described["command"], described["answer"]
    fields = ", ".join(f"`{name}` = {value}" for name, value in command["fields"].items())
    packets = [
        (
            f"`{one['stream']}`{' (secret)' if one['secret'] else ''}",
            _range(one["first_beat"], one["beats"]),
            _content(one),
        )
        for one in described["packets"]
    ]
    parts = [
        f"bits {part['first_bit']} to {part['first_bit'] + part['bits'] - 1}: `{part['result']}`"
        + (f" from its bit {part['of_result']} on" if part["of_result"] else "")
        for part in answer["parts"]
    ]
    example = described["example"]
    numbers = {**example["operands"], **{f"{k} (result)": v for k, v in example["results"].items()}}
    beats = [
        line
        for name, words in example["beats"].items()
        for line in textwrap.wrap(f"{name}: {' '.join(words)}", 100, subsequent_indent="  ")
    ]
    status = described["status"] or {}
    meanings = [f"{', '.join(_spans(values))}: {meaning}" for meaning, values in status.items()]
    return {
        "with": shortened(described["with"]),
        "command": f"{fields}; as one word `{command['word']}`",
        "packets": packets,
        "answer": parts,
        "beats": answer["beats"],
        "status": meanings,
        "numbers": [f"{name} = {value}" for name, value in numbers.items()],
        "example": beats,
    }


def _range(first: int, beats: int) -> str:
    if not beats:
        return "none"
    return str(first) if beats == 1 else f"{first} to {first + beats - 1}"


def _content(entry: Mapping[str, Any]) -> str:
    if "random" in entry:
        drawn = entry["random"]
        return f"a random number from {drawn['least']} on, below `{drawn['below']}`"
    if "constant" in entry:
        return f"`{entry['constant']}`"
    low, bits = entry["from_bit"], entry["bits"]
    part = "" if not low and bits is None else f", from its bit {low} on"
    part += "" if bits is None else f", {bits} bits"
    shift = f", shifted left by {entry['shift']} bits" if entry["shift"] else ""
    order = ", the highest beat first" if entry["order"] == "highest first" else ""
    reduced = ", reduced modulo the modulus" if entry["reduced"] else ""
    return f"{entry['operand']}{part}{reduced}{shift}{order}"


def _spans(values: Iterable[int]) -> Iterator[str]:
    """Rising numbers, those that follow each other as one span."""
    for _, numbers in itertools.groupby(enumerate(values), lambda one: one[1] - one[0]):
        span = [number for _, number in numbers]
        yield _range(span[0], len(span))
