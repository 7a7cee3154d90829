"""Makes a failing run of a processor as small as possible: fewest moduli, operations and pauses,
shortest lengths, smallest operands and moduli."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from modmul.errors import SpecError
from modmul.export import points
from modmul.operation import Job
from modmul.processors.contract import Load, Processor
from modmul.verification.processors.exchange import Batch, StreamProfile, StreamRequest
from modmul.verification.processors.judge import under
from modmul.verification.processors.plan import same_shape
from modmul.verification.shrink import ReductionSearch, RequestShape
from modmul.verification.verdict import Verdict

_MOST_CYCLES = 500_000_000


@dataclass(frozen=True)
class _Item:
    """A modulus or an operation, with the gap in front of it.  waits: the gap begins after the
    result before the item."""

    gap: int
    load: Load | None = None
    job: Job | None = None
    waits: bool = False

    @property
    def loads(self) -> bool:
        return self.load is not None


def reduce(
    request: StreamRequest, verdict: Verdict, attempt: Callable[[StreamRequest], Verdict]
) -> tuple[StreamRequest, Verdict]:
    """The smallest failing request found, and its verdict; see `ReductionSearch.run`."""
    search = ReductionSearch(
        _Operations(request.processor), request, verdict, attempt, _MOST_CYCLES
    )
    return search.run()


class _Operations(RequestShape[StreamRequest, _Item]):
    def __init__(self, processor: Processor):
        self.processor = processor

    def items(self, request: StreamRequest) -> list[_Item]:
        items = []
        for batch in request.batches:
            items.append(_Item(batch.gap, load=batch.load))
            for number, job in enumerate(batch.jobs):
                gap = 0 if batch.gaps is None else batch.gaps[number]
                items.append(_Item(gap, job=job, waits=batch.gaps is not None))
        return items

    def with_items(self, request: StreamRequest, items: Sequence[_Item]) -> StreamRequest | None:
        if not items or not items[0].loads:
            return None
        try:
            batches = list(self._batches(items))
        except SpecError:  # an operand is too large for the modulus that it has now
            return None
        jobs = [job for batch in batches for job in batch.jobs]
        if not jobs:
            return None
        if request.drive.concurrent and not all(
            same_shape(self.processor, jobs, batch) for batch in batches
        ):
            return None
        return replace(request, batches=batches)

    def _batches(self, items: Sequence[_Item]) -> Iterator[Batch]:
        """The batches of these items.  Raises SpecError if the processor refuses them."""
        starts = [place for place, item in enumerate(items) if item.load is not None]
        for start, end in zip(starts, [*starts[1:], len(items)], strict=True):
            load, rest = items[start].load, items[start + 1 : end]
            assert load is not None
            empty = Batch.under(load, (), items[start].gap)
            self.processor.check_modulus(*load)
            jobs = [under(self.processor, item.job, empty) for item in rest if item.job is not None]
            for job in jobs:
                self.processor.request(job)
                self.processor.check_operands(job)
            gaps = [item.gap for item in rest] if any(item.waits for item in rest) else None
            yield replace(empty, jobs=jobs, gaps=gaps)

    def without_gap(self, item: _Item) -> _Item:
        return replace(item, gap=0, waits=False)

    def calmer(self, request: StreamRequest) -> Iterable[Callable[[StreamRequest], StreamRequest]]:
        yield functools.partial(_driven, lambda drive: replace(drive, pauses={}))
        for name in request.drive.pauses:
            yield functools.partial(_driven, functools.partial(_without_pauses, name))
        yield functools.partial(_driven, lambda drive: replace(drive, concurrent=False))
        yield functools.partial(_driven, lambda drive: replace(drive, in_flight=False))

    def smaller(self, item: _Item) -> Iterable[_Item]:
        if item.job is not None:
            yield from (replace(item, job=job) for job in self._smaller_jobs(item.job))
        elif item.load is not None and item.load.curve is not None:
            for load in points.smaller(item.load):
                yield replace(item, load=load)
        elif item.load is not None:
            modulus, field, _ = item.load
            for bits in _halves(modulus.bit_length()):
                smaller = modulus & (1 << bits) - 1 | 1 << bits - 1 | 1
                yield replace(item, load=Load(smaller, field))

    def _smaller_jobs(self, job: Job) -> Iterator[Job]:
        """Shorter operations first, then those in which one operand is smaller."""
        rules = {rule.name: rule for rule in self.processor.operand_rules(job.mode, job.modulus)}
        sized = any(rule.sized for rule in rules.values())
        shorter = [0, *_halves(job.mode.length)] if sized and job.mode.length else []
        for length in shorter:
            operands = {
                name: value & (1 << length) - 1 if rules[name].sized else value
                for name, value in job.operands.items()
            }
            yield Job(replace(job.mode, length=length), job.modulus, operands)
        for name, value in job.operands.items():
            cut = (value & (1 << bits) - 1 for bits in _halves(value.bit_length()))
            for smaller in dict.fromkeys((0, 1, *cut)):
                if rules[name].least <= smaller < value:
                    yield job._replace(operands={**job.operands, name: smaller})


def _halves(bits: int) -> Iterator[int]:
    """Smaller numbers of bits, the smallest first: 1, 2, 4 and so on, and one bit less."""
    length = 1
    while length < bits - 1:
        yield length
        length *= 2
    if bits > 1:
        yield bits - 1


def _driven(
    change: Callable[[StreamProfile], StreamProfile], request: StreamRequest
) -> StreamRequest:
    return replace(request, drive=change(request.drive))


def _without_pauses(name: str, drive: StreamProfile) -> StreamProfile:
    return replace(drive, pauses={key: at for key, at in drive.pauses.items() if key != name})
