"""Algorithm 3, the exploration of the paper: its printed formulas and ranges beside what is built.

`model` in the transcription has the formulas as corrected; they are evaluated here as they stand
there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from modmul.arithmetic.words import ceil_div
from modmul.exploration.axes import AboveDefault
from modmul.exploration.space import read_space
from modmul.multipliers.fpmm import Fpmm
from modmul.papers.columns import Row, tabulate
from modmul.papers.gallin2019.designs import Measured
from modmul.papers.gallin2019.implementations import block_kbit
from modmul.papers.records import Figures, Table, TableCell

SPACE = "gallin2019-whole"  # of the shipped ones
WIDTHS, WORDS = (128, 256), (17, 34, 51, 68)
EIGHT = 8  # products


def algorithm3(figures: Figures, measured: Measured) -> Table:
    """Every word and both kinds of slot, with the fewest slots."""
    rows = (
        _row(figures, n_bits, word, reduced)
        for n_bits in WIDTHS for word in WORDS for reduced in (True, False)
    )  # fmt: skip
    return tabulate(figures, "Algorithm 3", rows)


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


def said_of_it(figures: Figures) -> Iterator[tuple[str, TableCell]]:
    """What Algorithm 3 goes through, beside the space of that name; and what memories hold."""
    model, (block,) = figures["model"], read_space(SPACE).blocks
    above = [value.more for value in block.axes["slots"] if isinstance(value, AboveDefault)]
    space = f"the space `{SPACE}`"
    yield (
        "words tried, bits",
        TableCell.arithmetic(_listed(model["word_sizes_bits"]), _listed(block.axes["word"]), space),
    )
    yield (
        "slots tried above the fewest",
        TableCell.arithmetic(_listed(model["sigma_tried_above_minimum"]), _listed(above), space),
    )
    yield (
        "families tried",
        TableCell.arithmetic(
            len(model["targets"]),
            len(block.axes["target"]),
            f"{space}: {_listed(model['targets'])}",
        ),
    )
    low, high = model["field_width_range_bits"]
    yield "smallest width of a field, bits", TableCell.printed(low)
    yield "largest width of a field, bits", TableCell.printed(high)
    for what, count in model["max_temporaries"].items():
        yield f"temporaries of a program, {what}", TableCell.printed(count)
    kbit = model["smallest_bram_kbit"]
    yield (
        "smallest block RAM of the families, kbit",
        TableCell.arithmetic(
            kbit, min(block_kbit(target) for target in ("xc4v", "xc5v", "xc6s", "xc7"))
        ),
    )
    held = model["words_held_by_operand_brams"]
    yield (
        "words that the operand memories hold, more than",
        TableCell.arithmetic(
            held, 1024 * kbit // 36, f"words of 36 bits in {kbit} kbit, a block for each operand"
        ),
    )
    for what, words in (("hecc_128", 4), ("ecc_256", 8)):
        yield (
            f"pairs of operands held, at least, {what}",
            TableCell.arithmetic(
                model["operand_pairs_held"][what], held // words, f"{words} words each"
            ),
        )


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))
