"""Plans the batches of a verification: first edges, then random products, driven in every way.

A batch is a pure function of (multiplier, modulus, seed, its index), so that any number of parallel
simulators checks the same products."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from modmul.design import Interface
from modmul.multipliers.contract import Multiplier
from modmul.multipliers.setting import Setting
from modmul.verification import stimuli
from modmul.verification.protocol import (
    BACK_TO_BACK,
    CoreRequest,
    ModulusRun,
    Product,
    StimulusProfile,
)

CORE = (
    BACK_TO_BACK,
    StimulusProfile("random gaps", "core"),
    StimulusProfile("empty slots", "core", empty_slots=True),
    StimulusProfile("reload in flight", "core", in_flight=True),
)
STREAM = (
    replace(BACK_TO_BACK, interface="stream"),
    StimulusProfile("random gaps", "stream"),
    StimulusProfile("gaps between beats", "stream", beat_stall=100),
    StimulusProfile("back-pressure", "stream", back_pressure=200),
    StimulusProfile("reload in flight", "stream", in_flight=True),
    StimulusProfile("all at once", "stream", beat_stall=40, back_pressure=140, in_flight=True),
    StimulusProfile(
        "independent moduli", "stream", in_flight=True, concurrent=True, back_pressure=30
    ),
    StimulusProfile("results held back", "stream", in_flight=True, hold=True),
)
# Of every ten random batches at an interface, most run at full speed.
_TURNS = {
    "core": [CORE[i] for i in (0, 0, 1, 0, 0, 2, 0, 0, 3, 0)],
    "stream": [STREAM[i] for i in (0, 2, 0, 3, 7, 4, 0, 1, 5, 6)],
}
_BATCH_CYCLES = 250_000  # in one batch: the start is negligible, and simulators are balanced
_EDGE_CYCLES = 20_000_000  # for all edge products; a slow design gets fewer pairs
_EDGE_PRODUCTS = 20_000  # the most edge products over all modes and moduli
_LARGEST_BATCH = 8192
_RUNS = 16  # moduli in a random batch
RANDOM_GOLDEN = 64  # one in so many random products is compared with the golden model


@dataclass(frozen=True)
class CoreTask:
    """One batch for the design number `design`.

    part: "edges" or "random".  count: the number of products, 0 for all there are.  golden_stride:
    see `judge`."""

    index: int
    design: int
    drive: StimulusProfile
    part: str
    count: int
    golden_stride: int


def tasks(
    multiplier: Multiplier, products: int, designs: Sequence[tuple[int, Interface]]
) -> Iterator[CoreTask]:
    """The whole verification with `products` random products; designs: (number, interface) of
    each.

    Products that a reload drops as declared do not count as random products."""
    index = 0
    for design, interface in designs:
        for drive in CORE if interface == "core" else STREAM:
            if possible(multiplier, drive):
                probed = replace(drive, probe=interface == "core")
                yield CoreTask(index, design, probed, "edges", 0, 1)
                index += 1
    size = batch_size(multiplier)
    turn = 0
    while products > 0 and designs:
        design, interface = designs[turn % len(designs)]
        turns = _TURNS[interface]
        drive = turns[turn // len(designs) % len(turns)]
        turn += 1
        if not possible(multiplier, drive):
            continue
        count = min(size, products)
        yield CoreTask(index, design, drive, "random", count, RANDOM_GOLDEN)
        index += 1
        if not _loses(multiplier, drive):
            products -= count


def possible(multiplier: Multiplier, drive: StimulusProfile) -> bool:
    """Whether a drive is possible: no reload if no modulus is loaded."""
    return multiplier.modulus_at == "run time" or not drive.in_flight


def batch_size(multiplier: Multiplier) -> int:
    return max(16, min(_LARGEST_BATCH, int(_BATCH_CYCLES / multiplier.cycles_per_product())))


def request(multiplier: Multiplier, own: Setting | None, seed: int, task: CoreTask) -> CoreRequest:
    """The batch of a task.  own: the spec's modulus.  The same arguments give the same
    batch."""
    rng = random.Random(f"modmul {seed} {task.index}")
    if task.drive.concurrent:
        runs = _concurrent(multiplier, own, task, rng)
    elif task.part == "edges":
        runs = _edges(multiplier, own, task.drive, rng)
    else:
        runs = _random(multiplier, own, task.drive, task.count, rng)
    longest = multiplier.worst("latency") + multiplier.worst("interval")
    for run in runs:
        run.operations = stimuli.declared(run.setting, run.products, rng)
        if not task.drive.dense:
            _add_gaps(multiplier, run, task.drive, longest, rng)
    return CoreRequest(multiplier, task.design, task.drive, runs, rng.getrandbits(63))


def _edges(
    multiplier: Multiplier, own: Setting | None, drive: StimulusProfile, rng: random.Random
) -> list[ModulusRun]:
    """Runs with all pairs of edge operands if driven back to back; with other drives, with a
    random sample of them.  The largest operands that are allowed are always included."""
    settings = stimuli.edge_settings(multiplier, own)
    share = 1 / 4 if drive.dense else 1 / 16
    limit = int(_EDGE_CYCLES * share / multiplier.cycles_per_product() / len(settings))
    limit = min(limit, _EDGE_PRODUCTS // len(settings))
    runs: list[ModulusRun] = []
    for setting in settings:
        pairs = stimuli.edge_products(setting, rng) + stimuli.wide_products(setting, rng)
        if not drive.dense:
            rng.shuffle(pairs)
            limit = min(limit, 150)
        chosen = pairs if len(pairs) <= limit else _thin(pairs, limit)
        runs.append(ModulusRun(setting, chosen + stimuli.corners(setting, rng)))
    return _reloading(multiplier, runs, rng) if drive.in_flight else runs


def _thin(pairs: list[Product], limit: int) -> list[Product]:
    """Choose pairs evenly, the first and the last among them."""
    count = max(2, limit)
    return [pairs[index * (len(pairs) - 1) // (count - 1)] for index in range(count)]


def _random(
    multiplier: Multiplier,
    own: Setting | None,
    drive: StimulusProfile,
    count: int,
    rng: random.Random,
) -> list[ModulusRun]:
    length = max(4 * multiplier.slots, count // _RUNS)
    if drive.in_flight:
        length = min(length, 6 * multiplier.slots)
    runs: list[ModulusRun] = []
    while count > 0:
        mode = stimuli.random_mode(multiplier, rng)
        setting = stimuli.random_setting(multiplier, mode, rng)
        if own is not None and not runs:
            setting = own
        elif own is not None and len(runs) == 1 and multiplier.lengths:
            setting = stimuli.lengthened(own, rng)
        products = stimuli.random_products(setting, min(length, count), rng)
        runs.append(ModulusRun(setting, stimuli.widened(setting, products, rng)))
        count -= len(products)
    return runs


def _concurrent(
    multiplier: Multiplier, _own: Setting | None, task: CoreTask, rng: random.Random
) -> list[ModulusRun]:
    """Runs in which any modulus may meet any operand: operands are below the smallest bound,
    and all moduli have one length."""
    count = task.count or 60 * multiplier.slots
    length = stimuli.random_mode(multiplier, rng).words
    modes = [replace(stimuli.random_mode(multiplier, rng), words=length) for _ in range(_RUNS)]
    settings = [stimuli.random_setting(multiplier, mode, rng) for mode in modes]
    smallest = min(settings, key=lambda setting: setting.operand_bound)
    products = stimuli.random_products(smallest, count, rng)
    share = -(-count // _RUNS)
    return [
        ModulusRun(setting, products[share * index : share * (index + 1)])
        for index, setting in enumerate(settings)
    ]


def _reloading(
    multiplier: Multiplier, runs: list[ModulusRun], rng: random.Random
) -> list[ModulusRun]:
    """The same products; after every few of them their modulus is loaded again, or another
    one."""
    pieces = []
    for run in runs:
        rest = run.products
        while rest:
            length = rng.randrange(1, 4 * multiplier.slots + 2)
            pieces.append(ModulusRun(run.setting, rest[:length]))
            rest = rest[length:]
    rng.shuffle(pieces)
    return pieces


def _add_gaps(
    multiplier: Multiplier,
    run: ModulusRun,
    drive: StimulusProfile,
    longest: int,
    rng: random.Random,
) -> None:
    """Add gaps before the products and the modulus; one gap in fifty may be longer than a product,
    which takes at most `longest` cycles."""
    if drive.empty_slots:
        run.gaps = [rng.choice((0, 0, 1, 1, 2, multiplier.slots)) for _ in run.products]
        return
    usual = max(2, round(multiplier.cycles_per_product()))
    if drive.in_flight:  # few pauses, so that there is something in flight
        run.gaps = [rng.randrange(usual) if rng.random() < 0.2 else 0 for _ in run.products]
        run.gap = rng.choice((0, 0, 1, rng.randrange(longest)))
        return
    run.gaps = [rng.randrange(2 * usual) if rng.random() < 0.6 else 0 for _ in run.products]
    for index in range(len(run.gaps)):
        if rng.random() < 0.02:
            run.gaps[index] = rng.randrange(longest)
    run.gap = rng.randrange(usual)


def _loses(multiplier: Multiplier, drive: StimulusProfile) -> bool:
    return drive.interface == "core" and drive.in_flight and multiplier.reload == "flushes"
