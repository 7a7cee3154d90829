"""Two operations of a design, one after the other, and what a fault in the first one does to
their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from modmul.design import Beat
from modmul.errors import CheckFailed
from modmul.multipliers.contract import Operand
from modmul.verification.simulation.request import Subject, UserRequest
from modmul.verification.simulation.runs import exchange_of
from modmul.verification.streams import Exchange, StreamOutcome, StreamSession

Effect = Literal["harmless", "refused", "stopped", "released", "silent"]
EFFECTS: tuple[Effect, ...] = ("harmless", "refused", "stopped", "released", "silent")
Reply = Mapping[str, Operand] | None  # None: no whole packet
_REFUSALS = frozenset({"fault", "exceptional"})  # flags in the place of a result
_NO_NUMBER = frozenset({"first", "last", "fault"})  # members of a beat
_RESULT = "result"
_UNTIL_STUCK = 2_000  # cycles without a beat, in addition to those of an operation


@dataclass(frozen=True)
class Pair:
    """Two operations of a design, one after the other, and their right results.  beats: of each
    result.  ends: the cycle of the last beat of the first one."""

    subject: Subject
    requests: tuple[UserRequest, UserRequest]
    exchange: Exchange
    beats: tuple[int, int]
    right: tuple[Mapping[str, Operand], ...] = ()
    right_beats: Sequence[Beat] = ()
    ends: int = 0

    @classmethod
    def of(cls, subject: Subject, requests: tuple[UserRequest, UserRequest]) -> Pair:
        longest = max(request.declared[1] for request in requests)
        first, second = (subject.reply_beats(request) for request in requests)
        load = subject.load(requests[0])
        exchange = exchange_of(load, subject.request(requests[0]), first + second, longest)
        inputs = {name: list(offers) for name, offers in exchange.inputs.items()}
        for name, offers in exchange_of({}, subject.request(requests[1]), 0, 0).inputs.items():
            late = [replace(offer, after=_RESULT, beats=first) for offer in offers[:1]]
            inputs.setdefault(name, []).extend([*late, *offers[1:]])
        exchange = replace(exchange, inputs=inputs, limit=longest + _UNTIL_STUCK)
        return cls(subject, requests, exchange, (first, second))

    def with_results(self, session: StreamSession) -> Pair:
        """The pair with the results of a run without a fault.  Raises CheckFailed if they
        are wrong."""
        outcome = session.keep(0, self.exchange)
        replies = self.replies(outcome)
        wrong = [
            sentence
            for request, reply in zip(self.requests, replies, strict=True)
            for sentence in (
                ["no result"] if reply is None else self.subject.contradictions(request, reply)
            )
        ]
        if wrong:
            raise CheckFailed(f"{self.subject.spec.design.title} is wrong without a fault: {wrong}")
        ends = int(outcome.cycles[_RESULT][self.beats[0] - 1])
        right = tuple(reply for reply in replies if reply)
        return replace(self, right=right, right_beats=outcome.beats[_RESULT], ends=ends)

    def replies(self, outcome: StreamOutcome) -> list[Reply]:
        """Both results; None in the place of a packet that is not whole."""
        beats, start, found = outcome.beats[_RESULT], 0, []
        for request, count in zip(self.requests, self.beats, strict=True):
            packet = beats[start : start + count]
            start += count
            found.append(self.subject.reply(request, packet) if _whole(packet, count) else None)
        if outcome.status == "flooded":
            found[-1] = None
        return found

    def effect(self, outcome: StreamOutcome) -> tuple[Effect, Sequence[Reply]]:
        """What came of a fault, and both results."""
        replies = self.replies(outcome)
        effects: set[Effect] = set()
        for place, (reply, right) in enumerate(zip(replies, self.right, strict=True)):
            if reply is None:
                effects.add("stopped")
            elif reply != right:
                effects.add("refused" if _refuses(reply, struck=place == 0) else "silent")
        if effects and "silent" not in effects and self._released(outcome):
            effects.add("released")
        return max(effects or {"harmless"}, key=EFFECTS.index), replies

    def _released(self, outcome: StreamOutcome) -> bool:
        """Whether some beat has a number other than 0 that is no part of the right results.  Its
        place does not count: a missing or surplus beat moves all beats behind it.  The last beat of
        a packet of a processor is the status."""
        right = set().union(*map(_numbers, self.right_beats))
        ends = self.subject.spec.design.role == "processor"
        numbers = (beat for beat in outcome.beats[_RESULT] if not (ends and beat["last"]))
        return any(_numbers(beat) - right for beat in numbers)


def _refuses(reply: Mapping[str, Operand], *, struck: bool) -> bool:
    """Whether a reply has no result.  A right signature or a good point that is called invalid is
    refused by the operation that is struck, but not by the next one, where nobody expects it."""
    return bool(_REFUSALS & reply.keys()) or (struck and reply in ({"valid": 0}, {"invalid": 1}))


def _whole(packet: Sequence[Beat], count: int) -> bool:
    framing = [(beat["first"], beat["last"]) for beat in packet]
    return framing == [(int(i == 0), int(i == count - 1)) for i in range(count)]


def _numbers(beat: Beat) -> set[tuple[str, int]]:
    """The numbers of a beat that are not 0."""
    return {(name, value) for name, value in beat.items() if value and name not in _NO_NUMBER}
