"""Describes a program in words: its loops with their bounds, its cycles, bounds of numbers,
where secrets go; and its schedule as a picture."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

import msgspec

from modmul.processors.engine import bounds, figures, stored
from modmul.processors.engine.assembler import Image
from modmul.processors.engine.instructions import disassemble
from modmul.processors.engine.layout import Placed
from modmul.processors.engine.machine import Machine
from modmul.processors.engine.program import Loop
from modmul.processors.engine.schedule import Problem

_COLUMNS = 96  # of a picture in text


class LoopFigures(msgspec.Struct, frozen=True):
    """The figures of a loop.

    line: of the text.  count: number of passes, or the name of the counter.  period: cycles of a
    pass.  stages: passes that overlap.  slots, port, adder, chain: lower bounds of the period, by
    the slots of the multiplier, the read port, the adder and the dependences.  met: which of them
    the period meets.  use, port_use: the parts of slots and port that are used."""

    line: int
    count: int | str
    products: int
    others: int
    period: int
    stages: int
    slots: int
    port: int
    adder: int
    chain: int
    met: str
    use: float
    port_use: float


class ProgramFigures(msgspec.Struct, frozen=True):
    """The figures of a program on an engine.

    cycles: `fixed`: from the first word to HALT with every counter 0; by the name of a counter: for
    each time that it counts.  largest: values are below this many N.  slack: R / N that its
    products need; slack_there: R / N of the multiplier.  timing, leaks, released: see `Flow`."""

    program: str
    about: str
    multiplier: str
    inputs: list[str]
    secrets: list[str]
    outputs: list[str]
    words: int
    registers: int
    cycles: dict[str, int]
    loops: list[LoopFigures]
    reducing: bool
    largest: int
    slack: int
    slack_there: int
    timing: str
    leaks: list[str]
    released: list[str]
    listing: str
    picture: str


def report(image: Image) -> ProgramFigures:
    program, limits = image.program, image.engine.limits
    largest, slack = bounds.needed(image.bounds, limits)
    counters = program.of("counter")
    none = [0] * len(counters)
    cycles = {"fixed": image.cycles(none)}
    for place, name in enumerate(counters):
        once = [int(number == place) for number in range(len(counters))]
        cycles[name] = image.cycles(once) - cycles["fixed"]
    most = limits.product_at_most or limits.a_below * limits.b_below
    return ProgramFigures(
        program=program.name,
        about=program.about,
        multiplier=image.machine.name,
        inputs=[
            *program.of("input"),
            *program.of("random"),
            *(
                source.name
                for source in program.sources
                if source.kind == "scalar" and source.form != "own"
            ),
            *counters,
        ],
        secrets=[source.name for source in program.sources if source.secret],
        outputs=list(program.outputs),
        words=len(image.words),
        registers=len(image.used),
        cycles=cycles,
        loops=[
            _loop(image, block, machine)
            for block, machine in zip(image.placed, image.machines, strict=True)
            if isinstance(block.section, Loop)
        ],
        reducing=limits.reducing,
        largest=largest,
        slack=slack,
        slack_there=most // limits.modulus**2,
        timing=image.flow.timing,
        leaks=list(image.flow.leaks),
        released=list(image.flow.released),
        listing=disassemble(image.words),
        picture=picture(image),
    )


def _loop(image: Image, placed: Placed, machine: Machine) -> LoopFigures:
    loop, counters = placed.section, image.program.of("counter")
    assert isinstance(loop, Loop)
    problem = Problem(loop, machine)
    least = problem.least
    products = sum(operation.product for operation in loop.ops)
    return LoopFigures(
        line=min(op.line for op in loop.ops),
        count=loop.count if loop.count is not None else counters[loop.counter or 0],
        products=products,
        others=len(problem.body) - products,
        period=placed.length,
        stages=placed.stages,
        slots=least.slots,
        port=least.port,
        adder=least.adder,
        chain=least.chain,
        met=figures.meets(problem, placed.length, stored.find(loop, machine)),
        use=least.slots / placed.length,
        port_use=least.port / placed.length,
    )


# ---- pictures ---------------------------------------------------------------------------------


def _longest(image: Image) -> Placed:
    """The loop with the most operations, or, without loops, the longest section."""
    loops = [block for block in image.placed if isinstance(block.section, Loop)]
    if loops:
        return max(loops, key=lambda block: len(block.section.ops))
    return max(image.placed, key=lambda block: block.length)


def lanes(image: Image, placed: Placed) -> Iterator[tuple[str, int, int, str]]:
    """Yield (unit, first cycle, cycles, operation) for each operation of a section, or for each
    that begins in one pass of a loop."""
    machine = image.machines[image.placed.index(placed)]
    for op, start, unit in zip(placed.section.ops, placed.start, placed.unit, strict=True):
        cycle, told = start % placed.length, f"{op.dst or ''} {op.op}".strip()
        port = machine.port(cycle)
        if op.instruction.unit == "sequencer" or op.instruction.unit == "host" or port is None:
            yield "sequencer", cycle, 1, told
            continue
        yield f"read port {port}", cycle, machine.beats, told
        if op.product:
            slot = machine.slot(cycle)
            name = f"multiplier {unit} slot {slot}" if machine.slots > 1 else f"multiplier {unit}"
            yield name, cycle + machine.memory, machine.duration(op.op), told
        else:
            yield f"adder {port}", cycle + machine.memory, machine.beats, told


def picture(image: Image) -> str:
    """The longest loop (or section) as text, with `#` where a unit is in use.  What
    continues in the next pass is drawn at the beginning."""
    placed = _longest(image)
    step = max(1, -(-placed.length // _COLUMNS))
    columns = -(-placed.length // step)
    rows: dict[str, list[str]] = {}
    for lane, begin, length, _ in lanes(image, placed):
        row = rows.setdefault(lane, ["."] * columns)
        for cycle in range(begin, begin + length):
            row[cycle % placed.length // step] = "#"
    width = max(map(len, rows), default=0)
    head = f"{placed.length} cycles, {step} in a column"
    return "\n".join([head, *(f"{lane:{width}} {''.join(rows[lane])}" for lane in sorted(rows))])


def svg(image: Image) -> str:
    """The longest loop (or section) as SVG, with the operations as tooltips."""
    placed = _longest(image)
    drawn = list(lanes(image, placed))
    names = sorted({lane for lane, *_ in drawn})
    scale, left, high = 1000 / placed.length, 150, 26
    total = high * (len(names) + 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + 1010} {total}" '
        f'font-family="sans-serif" font-size="12">',
        f"<title>{escape(image.program.name)} on {escape(image.machine.name)}: "
        f"{placed.length} cycles</title>",
    ]
    for place, name in enumerate(names):
        parts.append(f'<text x="4" y="{place * high + 17}">{escape(name)}</text>')
    for lane, begin, length, told in drawn:
        top = names.index(lane) * high + 4
        fill = "#1f77b4" if lane.startswith("multiplier") else "#ff7f0e"
        for first in (begin, begin - placed.length):  # round to the beginning of the pass
            low, top_cycle = max(first, 0), min(first + length, placed.length)
            if low < top_cycle:
                parts.append(
                    f'<rect x="{left + low * scale:.1f}" y="{top}" height="{high - 8}" '
                    f'width="{(top_cycle - low) * scale:.1f}" fill="{fill}" stroke="white">'
                    f"<title>{escape(told)}, cycle {begin}</title></rect>"
                )
    parts.append(f'<text x="{left}" y="{total - 8}">0</text>')
    parts.append(f'<text x="{left + 960}" y="{total - 8}">{placed.length} cycles</text></svg>')
    return "\n".join(parts) + "\n"
