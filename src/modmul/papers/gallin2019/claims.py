"""What abstract, text, conclusion and Algorithm 3 say in figures, each beside what it follows from.

Claims about the paper's designs are compared with its own tables; claims about the pipeline with
the one that is built here; Algorithm 3, the exploration of the paper, by its printed formulas as
corrected in the transcription."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from modmul.arithmetic.words import ceil_div
from modmul.exploration.space import AboveDefault, read_space
from modmul.multipliers.fpmm import Fpmm
from modmul.papers.columns import Claims, Row, Rows, claims, table
from modmul.papers.gallin2019.designs import FIGURE6, WORD, Measured, design
from modmul.papers.gallin2019.implementations import block_kbit
from modmul.papers.printed import fastest, find, fpmm_rows, literature
from modmul.papers.records import Figures, TableCell, rounded

SPACE = "gallin2019-whole"  # of the shipped ones
WIDTHS, WORDS = (128, 256), (17, 34, 51, 68)
EIGHT = 8  # products
ALIKE = ("S44B", "F44B")  # compared with F44D in Figure 8


@table("Algorithm 3")
def algorithm3(figures: Figures, measured: Measured) -> Rows:
    """Every word and both kinds of slot, with the fewest slots."""
    rows = (
        _row(figures, n_bits, word, reduced)
        for n_bits in WIDTHS
        for word in WORDS
        for reduced in (True, False)
    )
    yield from rows


def _row(figures: Figures, n_bits: int, word: int, reduced: bool) -> Row:
    model = figures["model"]
    fpmm = Fpmm(width=n_bits, word=word, latency_reduction=reduced, target="generic")
    k, s, theta = ceil_div(word, 17), fpmm.words, fpmm.theta
    alpha_min = 2 * k**2 + 4 * k - 1
    sigma = ceil_div(alpha_min, theta)
    latency = sigma * theta * (s - 1) + alpha_min + s + model["epsilon_fast_cc"]
    interval = sigma * theta * s
    eight = interval * ((EIGHT - 1) // sigma) + theta * ((EIGHT - 1) % sigma) + latency
    return {
        "n_bits": n_bits,
        "word": word,
        "latency_reduction": "yes" if reduced else "no",
        "theta": TableCell.circuit(None, theta),
        "alpha_min_cc": TableCell.circuit(alpha_min, fpmm.loop, model["alpha_min"]),
        "sigma_min": TableCell.arithmetic(None, sigma, model["sigma_min"]),
        "sigma_min_of_ours": TableCell.circuit(None, fpmm.sigma),
        "lambda_cc": TableCell.circuit(
            latency, int(fpmm.latency().mean), f"{model['lambda']}, alpha = {model['alpha']}"
        ),
        "tau_cc": TableCell.circuit(interval, int(fpmm.interval().mean), model["tau"]),
        "Lambda_8_cc": TableCell.circuit(eight, fpmm.cycles_for(EIGHT), model["Lambda_k"]),
    }


def _said_of_it(figures: Figures) -> Iterator[tuple[str, TableCell]]:
    """What Algorithm 3 goes through, beside the space of that name; and what memories hold."""
    model, (block,) = figures["model"], read_space(SPACE).blocks
    arithmetic, printed = TableCell.arithmetic, TableCell.printed
    words, slots = _listed(model["word_sizes_bits"]), _listed(model["sigma_tried_above_minimum"])
    above = [value.more for value in block.axes["slots"] if isinstance(value, AboveDefault)]
    yield "words tried, bits", arithmetic(words, _listed(block.axes["word"]))
    yield "slots tried above the fewest", arithmetic(slots, _listed(above))
    families = arithmetic(len(model["targets"]), len(block.axes["target"]))
    yield "families tried", families
    for end, bits in zip(("smallest", "largest"), model["field_width_range_bits"], strict=True):
        yield f"{end} width of a field, bits", printed(bits)
    for what, count in model["max_temporaries"].items():
        yield f"temporaries of a program, {what}", printed(count)
    kbit, held = model["smallest_bram_kbit"], model["words_held_by_operand_brams"]
    least = min(block_kbit(target) for target in ("xc4v", "xc5v", "xc6s", "xc7"))
    yield "smallest block RAM of the families, kbit", arithmetic(kbit, least)
    in_block = arithmetic(held, 1024 * kbit // 36).as_said("more than")
    yield "words that the operand memories hold", in_block
    for what, words_each in (("hecc_128", 4), ("ecc_256", 8)):
        pairs = arithmetic(model["operand_pairs_held"][what], 1024 * kbit // 36 // words_each)
        yield f"pairs of operands held, {what}", pairs.as_said("at least")


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))


_NAMES = {"dsps": "dsp", "luts": "lut", "freq_mhz": "mhz", "time8_ns": "eight_ns"}


@claims()
def statements(figures: Figures, measured: Measured) -> Claims:
    """Claims about designs, then those about the pipeline and its generator."""
    return {
        **dict(_abstract(figures)),
        **dict(_against_ma16(figures)),
        **dict(_alike(figures, measured)),
        **dict(_clocks(figures)),
        **dict(_pipeline(figures)),
        **dict(_said_of_it(figures)),
    }


def _abstract(figures: Figures) -> Iterator[tuple[str, TableCell]]:
    """Figures of the abstract, which stand in Tables II and III, too."""
    arithmetic = TableCell.arithmetic
    for name in ("F44D", "MA16"):
        said, row = figures["text"][f"abstract_{name.lower()}_v7"], find(figures, 128, name, "V7")
        for key, field in _NAMES.items():
            yield f"{name} on V7, {key}", arithmetic(said[key], getattr(row, field))
    yield "MA16 on V7, cycles for 8 products", arithmetic(said["cycles_for_8"], row.cycles_for(8))
    other = next(entry for entry in figures["literature"] if "original" in entry)
    first = "MA16 as first published, 256 bits"
    for key in ("latency", "interval"):
        cycles = other["original"][f"{key}_cc"]
        yield f"{first}, {key}", arithmetic(cycles, other[f"{key}_cc"])
    for fpga, mhz in other["original"]["freq_mhz"].items():
        yield f"{first}, {fpga}, MHz", arithmetic(mhz, find(figures, 256, "MA16", fpga).mhz)
    for entry in figures["literature"]:
        if "time8_cc" in entry:
            same = (entry["n_bits"], entry["ref"])
            row = next(row for row in literature(figures) if (row.width, row.design) == same)
            claim = f"{entry['ref']}, {entry['n_bits']} bits, cycles for 8 products"
            yield claim, arithmetic(entry["time8_cc"], row.cycles_for(8))


def _ratios(figures: Figures, n_bits: int, figure: str) -> dict[str, float]:
    """The ratio by FPGA of a figure of MA16 to that of the fastest FPMM."""
    ratios = {}
    for row in literature(figures):
        if (row.design, row.width) == ("MA16", n_bits):
            ratios[row.fpga] = getattr(row, figure) / getattr(fastest(figures, row), figure)
    return ratios


def _against_ma16(figures: Figures) -> Iterator[tuple[str, TableCell]]:
    """Ratios against the fastest FPMM of each chip; the remarks have those of all chips."""
    said, arithmetic = figures["text"], TableCell.arithmetic
    times = _ratios(figures, 128, "eight_ns")["V7"]
    faster = arithmetic(said["times_faster_than_ma16_128"], rounded(times, 3))
    yield "128 bits: times faster than MA16", faster
    least, most = said["times_smaller_than_ma16"]
    lut, dsp = (_ratios(figures, 128, key).values() for key in ("lut", "dsp"))
    fewer = arithmetic(most, rounded(max(lut), 3)).as_said("at most")
    yield "128 bits: times fewer LUTs than MA16", fewer
    fewer = arithmetic(least, rounded(min(dsp), 3)).as_said("at least")
    yield "128 bits: times fewer DSP blocks than MA16", fewer
    advantage = 1 / min(_ratios(figures, 256, "eight_ns").values())
    slower = arithmetic(said["ma16_256_speed_advantage_at_most"], rounded(advantage, 3))
    yield "256 bits: times that MA16 is faster", slower.as_said("at most")
    for what, key in (("DSP blocks", "dsp"), ("LUTs", "lut")):
        larger = rounded(_ratios(figures, 256, key)["V5"], 3)
        yield (
            f"256 bits: times more {what} of MA16",
            arithmetic(said[f"ma16_256_{key}_ratio"], larger),
        )
    both = said["per_slice_per_second_v7_k"]
    fpmm, ma16 = find(figures, 128, "F44D", "V7"), find(figures, 128, "MA16", "V7")
    steady = 1e6 / fpmm.ns_of(design(128, "F44D").cycles_per_product()) / (fpmm.slices or 1)
    of_fpmm = TableCell.mixed(both["F44D"], rounded(steady, 4))
    yield "thousand products per second per slice on V7, F44D", of_fpmm
    eight = 8e6 / (ma16.eight_ns or 1) / (ma16.slices or 1)
    of_ma16 = arithmetic(both["MA16"], rounded(eight, 4))
    yield "thousand products per second per slice on V7, MA16", of_ma16


def _alike(figures: Figures, measured: Measured) -> Iterator[tuple[str, TableCell]]:
    """How far the areas of Figure 8 are from that of F44D; the front of Figure 6 on Virtex-4."""
    base, said = find(figures, 128, "F44D", "V7"), figures["text"]["area_variations_percent"]
    for what, key in (("slices", "slices"), ("LUTs", "lut"), ("flip-flops", "ff")):
        printed = [getattr(find(figures, 128, name, "V7"), key) for name in ALIKE]
        own = [measured.cells.get(((128, name), "xc7")) for name in ("F44D", *ALIKE)]
        counted = [getattr(core, key) for core in own if core] if key != "slices" else []
        ours = _furthest(counted[0], counted[1:]) if len(counted) == len(own) else None
        computed = rounded(_furthest(getattr(base, key), printed), 3)
        if key == "slices":
            cell = TableCell.arithmetic(said[what], computed)
        else:
            cell = TableCell.arithmetic(said[what], computed, measured=rounded(ours, 3))
        yield f"S44B, F44B on V7: {what} apart from F44D, %", cell.as_said("below")
    yield (
        "F44D is on the front of V4",
        TableCell.ours(_on_the_front(measured), published=figures["figure6"]["f44d_on_v4_front"]),
    )


def _furthest(base: float, others: Iterable[float]) -> float:
    """The greatest difference from a figure, in percent of it."""
    return max(abs(100 * (other / base - 1)) for other in others)


def _on_the_front(measured: Measured) -> str | None:
    """Whether no design of Figure 6 has fewer LUTs than F44D on Virtex-4 and takes less time for
    eight products, by the clock that is estimated of each; None where one was not counted."""
    points = {}
    for name, target in FIGURE6:
        core = measured.cells.get((name, target))
        if target == "xc4v":
            if core is None or core.estimate is None:
                return None
            time = core.estimate.delay_ns * design(*name, target).cycles_for(EIGHT)
            points[name[1]] = (core.lut, time)
    lut, time = points["F44D"]
    better = (other for other in points.values() if other != (lut, time))
    return "no" if any(o[0] <= lut and o[1] <= time for o in better) else "yes"


def _clocks(figures: Figures) -> Iterator[tuple[str, TableCell]]:
    said = figures["text"]
    slices = {entry["fpga"]: entry["max_mhz"] for entry in figures["dsp_slices"]}
    best = max(row.mhz or 0 for row in fpmm_rows(figures) if row.fpga == "V5")
    of_fpmm = TableCell.arithmetic(said["best_fpmm_frequency_v5_mhz"], best)
    yield "highest clock of an FPMM on V5, MHz", of_fpmm
    of_slice = TableCell.arithmetic(said["dsp_max_frequency_v7_mhz"], slices["V7"])
    yield "highest clock of a DSP slice on V7, MHz", of_slice.as_said("about")
    highest = TableCell.printed(said["bram_max_frequency_v7_mhz"])
    yield "highest clock of block RAM, V7, MHz", highest.as_said("about")
    gain = TableCell.printed(said["frequency_gain_over_first_version_percent"])
    yield "clock of the first version to this one, more, %", gain


def _pipeline(figures: Figures) -> Iterator[tuple[str, TableCell]]:
    """What is said of the pipeline, beside that for `generic`, which has the paper's registers."""
    model, said = figures["model"], figures["text"]
    fast = design(128, "F44D")
    for name, key in (("F44D", "epsilon_fast_cc"), ("S44D", "epsilon_small_cc")):
        yield f"epsilon, {name}", TableCell.circuit(model[key], _epsilon(design(128, name)))
    parts = model["epsilon_parts_fast_cc"]
    stated = f"parts of epsilon: memory {parts['memory_write']} + {parts['memory_read']}"
    yield (
        f"{stated}, first DSP {parts['first_dsp']}, u_0 {parts['u0']}",
        TableCell.arithmetic(
            None,
            sum(parts.values()),
            "of one block of 17 bits; here u_0 comes "
            f"{_u0(fast)} cycles behind the first DSP, since a word of {WORD} bits needs more "
            f"tiles",
        ),
    )
    yield "alpha_min, w = 34", TableCell.circuit(model["alpha_min_w34_cc"], fast.loop)
    first = replace(fast, quotient_slices="each")
    for key, what, processor in (
        ("dsps_w34", f"w = {WORD}", fast),
        ("dsps_w34_first_version", "first version", first),
        ("dsps_w17", "w = 17", Fpmm(width=128, word=17, target="generic")),
    ):
        for task, count in zip(("task1", "task2", "task3"), processor.dsps_by_task, strict=True):
            yield f"DSP slices of {task}, {what}", TableCell.circuit(model[key][task], count)
    wide = design(256, "F29D")
    yield (
        "256 bits, sigma = 1: cycles of bubbles, %",
        TableCell.circuit(
            said["bubbles_sigma1_s8_percent"],
            rounded(_bubbles(wide)),
            f"loop of {wide.loop} cycles, a slot of {wide.theta}",
        ),
    )
    yield (
        "256 bits, sigma = 2: words that wait for their slot",
        TableCell.circuit(
            said["extra_registers_sigma2_s8_without_latency_reduction"],
            wide.alpha - wide.loop,
        ),
    )


def _epsilon(fpmm: Fpmm) -> int:
    """lambda = alpha (s - 1) + alpha_min + s + epsilon."""
    waiting = fpmm.alpha * (fpmm.words - 1) + fpmm.loop + fpmm.words
    return int(fpmm.latency().mean) - waiting


def _u0(fpmm: Fpmm) -> int:
    schedule: Any = fpmm.schedule
    return int(schedule.u - schedule.sum1(0))


def _bubbles(fpmm: Fpmm) -> float:
    """Share of a loop in which one slot leaves the pipeline empty, percent."""
    loop = fpmm.loop
    return 100 * (loop - fpmm.theta) / loop
