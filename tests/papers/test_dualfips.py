"""dualfips: what the formulas and the schedule say against print, misprints, what is measured."""

import io
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

import example_records
from changed_figures import check_ours_do_not_follow_print
from modmul.arithmetic import binary, moduli
from modmul.arithmetic.binary import BinaryMontgomery
from modmul.arithmetic.words import from_words, to_words
from modmul.implementation.result import (
    ImplementResult,
)
from modmul.papers import Table, dualfips, implemented, pictures, simulated
from modmul.papers.dualfips import claims, exponentiation
from modmul.papers.dualfips.designs import (
    CONTROLLERS,
    DRAWN,
    ONE,
    WORDS,
    modes,
    subjects,
)
from modmul.papers.dualfips.exponentiation import METHODS, LoopClocks
from modmul.papers.dualfips.measured import AREAS, ROUTED, ClockCounts, Measured
from modmul.papers.needs import Measuring
from modmul.papers.records import Paper
from modmul.papers.text import render
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.verification.observed import ProductSchedule

PRINTED = dualfips.PAPER.figures()
ROWS = [row["words"] for row in PRINTED["table1"]]
OFF = 7  # clocks that the made-up measurement is off, to tell it from what is computed


def schedule(latency: int, interval: int) -> ProductSchedule:
    starts = [1, 1 + interval]
    ends = [start + latency - 1 for start in starts]
    return ProductSchedule("made up", 1, [(s, s) for s in starts], [(e, e) for e in ends])


@pytest.fixture(scope="module")
def made_up() -> Measured:
    return Measured(
        clocks={
            (name, load.mode): schedule(
                subject.multiplier.latency(load.mode).maximum + OFF,
                subject.multiplier.interval(load.mode).maximum + OFF,
            )
            for name, subject in subjects(ROWS).items()
            for load in subject.loads
        },
        loops={
            (method, bits): LoopClocks(100 * bits * place, 200 * bits * place)
            for place, method in enumerate(METHODS, 1)
            for bits in exponentiation.BITS
        },
        xc7={
            name: example_records.counted(2000 + place, 600, 4) for place, name in enumerate(AREAS)
        },
        ecp5={name: example_records.routed_core(3000, 600, 80.0, 75.0, dsp=4) for name in ROUTED},
    )


@pytest.fixture(scope="module")
def paper(made_up: Measured) -> Paper:
    return dualfips.PAPER.assemble(PRINTED, made_up)


def rows(paper: Paper, id: str) -> Iterator[dict[str, Any]]:
    (match,) = [table for table in paper.tables if table.id == id]
    for row in match.rows:
        yield dict(zip(match.columns, row, strict=True))


def formula(name: str, s: int) -> Fraction:
    """One of the printed formulas."""
    return Fraction(eval(PRINTED["formulas"][name].replace("^", "**"), {"s": s}))


def test_table_1_is_reproduced_to_the_last_digit(paper: Paper) -> None:
    table_1 = list(rows(paper, "1"))
    assert [row["s"] for row in table_1] == [4, 8, 16, 24, 32, 40, 48, 56, 64]
    for row in table_1:
        for column in ("traditional_ns", "proposed_ns", "improvement_%"):
            assert row[column].computed == row[column].published
        assert row["traditional_ns"].computed == 2 * formula("products_multiply", row["s"])
        assert row["proposed_ns"].computed == 2 * formula("products_square_gfp", row["s"])
        assert row["traditional_ns"].measured == row["traditional_ns"].computed + 2 * OFF
        wrong = row["word_width"].published != row["s"]
        assert wrong == (row["s"] == 48) == bool(row["word_width"].remark)
    assert (2 * formula("products_multiply", 46), 2 * formula("products_square_gfp", 46)) == (
        8556,
        6486,
    )


def test_clocks_of_all_controllers(paper: Paper) -> None:
    labels = {controller.label: name for name, controller in CONTROLLERS.items()}
    model = PRINTED["clocks_1024_model"]
    for row in rows(paper, "Clocks"):
        name = labels[row["multipliers"]]
        pair = [row["product"].computed, row["square"].computed]
        assert pair == model.get(name, [2090, 1597])
        said = [row["product"].published, row["square"].published]
        drawn = {ONE: [2084, 1588], DRAWN: [1044, 796]}  # the paper's; printed once
        assert said == drawn.get(name, [None, None])
        assert (pair == said) == (name == ONE)
        others = "printed: 2084" if CONTROLLERS[name].multipliers == 1 else "printed: 1044"
        assert (others in (row["product"].remark or "")) == (name not in drawn)
        assert row["square"].measured == pair[1] + OFF
    assert {name for name in CONTROLLERS if name not in model} == {"stages3"}


def test_figure_10_has_the_clocks_of_the_text(paper: Paper) -> None:
    (row,) = [row for row in rows(paper, "Figure 10") if row["s"] == WORDS]
    printed = PRINTED["clocks_1024"]
    for column, key in {
        "product_one": "traditional_single",
        "product_two": "traditional_double",
        "square_one": "proposed_square_single",
        "square_two": "proposed_square_double",
    }.items():
        assert row[column].published == row[column].computed == printed[key]
    for row in rows(paper, "Figure 10"):
        half = -(-formula("products_multiply", row["s"]) // 2)
        assert row["product_two"].computed == half + 4 if row["s"] >= 6 else True
        short = formula("products_square_gf2m", row["s"])
        assert row["GF(2^m)_square_one"].computed == short + 4


def test_clocks_in_binary_fields(paper: Paper) -> None:
    columns = ("m", "s", "one_product", "one_zero", "one_skip", "one_spread")
    single = [
        [row[c] if c in ("m", "s") else row[c].computed for c in columns]
        for row in rows(paper, "GF(2^m)")
    ]
    assert single == PRINTED["clocks_gf2m_model"]["rows"]
    two = [
        [row[f"two_{c}"].computed for c in ("product", "zero", "skip")]
        for row in rows(paper, "GF(2^m)")
    ]
    assert two == [[43, 36, 29], [72, 58, 45], [90, 72, 54], [337, 261, 185]]


def test_exponentiation(paper: Paper, made_up: Measured) -> None:
    by_method = {(row["bits"], row["method"]): row for row in rows(paper, "Figure 11")}
    for bits, *wanted in PRINTED["exponentiation_model"]["rows"]:
        assert [by_method[bits, m]["loop_clocks"].computed for m in METHODS] == wanted
        assert [by_method[bits, m]["to_ML_on_two"].measured for m in METHODS] == [0.3333, 0.6667, 1]
    assert by_method[1024, "L_R"]["to_ML_on_two"].computed == 1.262
    assert by_method[1024, "L_R"]["all_clocks"].measured == made_up.loops["L_R", 1024].total


def test_operations(paper: Paper) -> None:
    by_count = {row["count"]: row for row in rows(paper, "Operations")}
    products = by_count["all products"]
    assert products["product"].computed == formula("products_multiply", WORDS)
    assert products["square"].computed == formula("products_square_gfp", WORDS)
    assert products["GF(2^m)_square"].computed == formula("products_square_gf2m", WORDS)
    for name in ("all products", "additions"):
        assert by_count[name]["saved"].computed == formula("saved_products_square_gfp", WORDS)
    assert by_count["reads of a and b"]["saved"].computed == formula(
        "saved_reads_square_gfp", WORDS
    )
    assert products["product"].measured == 2080 + OFF and products["saved"].measured == 496


def test_table_2(paper: Paper, made_up: Measured) -> None:
    by_design = {row["design"]: row for row in rows(paper, "2")}
    for row in PRINTED["table2"]:
        own = row["design"] == "ours"
        mine = by_design["printed: Ours" if own else f"printed: {row['design']}"]
        right = row["at2_luts_us2_corrected" if own else "at2_luts_us2"]
        assert mine["A_T^2"].computed == right
        assert (mine["A_T^2"].computed == mine["A_T^2"].published) != own
    ours = by_design["printed: Ours"]
    assert (ours["clocks"].computed, ours["latency_us"].computed) == (2084, 4.168)
    assert 2 * PRINTED["clocks_1024"]["proposed_square_single"] == 3176  # ns: the misprint
    three = by_design["here: one, 3 stages"]
    assert three["LUTs"].measured == made_up.xc7["one, 3 stages"].lut
    assert three["ecp5_latency_us"].measured == pytest.approx(2090 / 75, rel=1e-3)
    assert three["ecp5_all_us"].measured == pytest.approx((2090 + 1 + 1 + 34) / 75, rel=1e-3)
    assert three["ecp5_A_T^2"].measured == pytest.approx(3000 * (2090 / 75) ** 2, rel=1e-4)
    assert by_design["here: two"]["ecp5_LUT4s"].measured is None


def test_claims(paper: Paper) -> None:
    by_claim = {row["claim"]: row["figure"] for row in rows(paper, "Claims")}
    assert by_claim["1024-bit square: speed gained, %"].computed == 23.8
    assert by_claim["1024-bit square: products in the time of which"].computed == 1.31
    limits = (
        by_claim["clocks saved by a square, s to infinity, %"],
        by_claim["the same in GF(2^m), %"],
    )
    assert [limit.computed for limit in limits] == [25, 50]
    place = by_claim["place by A T^2 in Table 2"]
    assert (place.published, place.computed) == (None, 3) and "column 1;" in place.remark
    drawn = by_claim["controller with two multipliers: 1024-bit square, clocks"]
    assert (drawn.published, drawn.computed, drawn.measured) == (None, 1061, 1061 + OFF)


def printed_algorithm(a: int, modulus: int, word: int) -> int:
    """Algorithm 4 of the paper, word by word, for a square in GF(2^m)."""
    s, mask = (modulus.bit_length() - 1) // word + 1, (1 << word) - 1
    x, n = to_words(a, word, s), to_words(modulus, word, s)
    inverse, m, v = binary.inverse_power(modulus, word), [0] * s, 0
    for i in range(2 * s - 1):
        for j in range(max(0, i - s + 1), min(i, s)):
            if j < i - j:
                v ^= binary.multiply(x[j], x[i - j]) << 1
            elif j == i - j:
                v ^= binary.multiply(x[j], x[j])
            v ^= binary.multiply(m[j], n[i - j])
        if i == 0:
            v ^= binary.multiply(x[0], x[0])
        if i < s:
            m[i] = binary.multiply(v & mask, inverse) & mask
            v ^= binary.multiply(m[i], n[0])
        else:
            m[i - s] = v & mask
        v >>= word
    m[s - 1] = v
    return from_words(m, word)


@pytest.mark.parametrize("word", (8, 32))
def test_the_printed_square_is_wrong_in_binary_fields(word: int) -> None:
    modulus = moduli.parse("b163").value
    domain = BinaryMontgomery(modulus, 1 << word * (163 // word + 1))
    for a in (3 << 161 | 5, (1 << 163) - 1, 0x123456789ABCDEF0123456789ABCDEF012345678):
        shifted = claims.montgomery_square(a, modulus, "shift", word)
        assert shifted == printed_algorithm(a, modulus, word) != domain.product(a, a)
        assert claims.montgomery_square(a, modulus, "zero", word) == domain.product(a, a)
    one_word = (1 << word) - 1
    assert claims.montgomery_square(one_word, modulus, "shift", word) == domain.product(
        one_word, one_word
    )


def test_squares_of_random_elements(paper: Paper) -> None:
    for row in rows(paper, "Squares"):
        assert row["wrong_as_printed"].computed == "100 of 100"
        assert row["wrong_with_zero"].computed == "0 of 100"


def test_widths(paper: Paper) -> None:
    for row in rows(paper, "Widths"):
        for word in (8, 16, 32, 64):
            name = "products_square_gfp" if row["operation"] == "square" else "products_multiply"
            wanted = formula(name, row["bits"] // word) + 4
            assert row[f"w_=_{word}"].computed == wanted
            assert row[f"w_=_{word}"].measured == wanted + OFF


def test_as_json_and_as_text(paper: Paper) -> None:
    record = msgspec.json.decode(msgspec.json.encode(paper))
    assert [t["id"] for t in record["tables"]] == [
        "1",
        "2",
        "Clocks",
        "Figure 10",
        "Figure 11",
        "Operations",
        "GF(2^m)",
        "Squares",
        "Widths",
        "Claims",
    ]
    for table in record["tables"]:
        assert all(len(row) == len(table["columns"]) for row in table["rows"])
    console = Console(width=300, file=io.StringIO())
    console.print(render(paper))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "46 | 48" in text and "3.18 | 4.168" in text and "misprint" in text


def test_ratios_to_what_is_not_measured_are_not_drawn(made_up: Measured) -> None:
    """The ladder on two multipliers is missing, as after an interrupted run."""
    loops = {key: loop for key, loop in made_up.loops.items() if key[0] != exponentiation.ML_TWO}
    assembled = dualfips.PAPER.assemble(PRINTED, made_up._replace(loops=loops))
    (bars,) = [picture for picture in assembled.pictures if picture.kind == "bars"]
    points = {series.name: len(series.points) for series in bars.series}
    assert points["L_R, formula"] == 4 and points["L_R, simulated"] == 0
    assert all(row["to_ML_on_two"].measured is None for row in rows(assembled, "Figure 11"))


@pytest.mark.long
def test_pictures_are_the_same_twice(paper: Paper, tmp_path: Path) -> None:
    first, second = (pictures.write(paper, tmp_path / name) for name in ("a", "b"))
    for file, other in zip(first, second, strict=True):
        assert file.read_bytes() == other.read_bytes()


def test_pictures(paper: Paper, tmp_path: Path) -> None:
    stems = dict.fromkeys(path.stem for path in pictures.write(paper, tmp_path))
    assert list(stems) == ["dualfips_figure10", "dualfips_figure11", "dualfips_widths"]
    lines, printed = paper.pictures[0].series[:6], paper.pictures[0].series[6:]
    on_lines = {(p.x, p.y) for series in lines for p in series.points}
    assert {(p.x, p.y) for series in printed for p in series.points} <= on_lines


@pytest.mark.parametrize("seeds", (0, 8))
def test_circuits_are_counted_and_routed_with_seeds_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seeds: int
) -> None:
    asked = []

    def fake(spec: Spec, *, seeds: int = 0, **_: Any) -> ImplementResult:
        assert spec.interface == "core" and spec.multiplier.width == 1024
        asked.append((spec.multiplier.target, seeds))
        return example_records.implemented(spec, seeds, mhz=90.0, usable=85.0, dsp=1)

    monkeypatch.setattr(implemented, "implement_chip", fake)
    monkeypatch.setattr(
        simulated,
        "simulate_loads",
        lambda multiplier, loads, cache: [schedule(9000, 9) for _ in loads],
    )
    monkeypatch.setattr(
        exponentiation, "_simulate", lambda method, bits, cache: [LoopClocks(n, n) for n in bits]
    )
    assembled = dualfips.PAPER.paper(Measuring(seeds=seeds, jobs=1, cache=Cache(tmp_path)))
    assert asked.count(("xc7", 0)) == len(AREAS)
    assert asked.count(("ecp5", 3)) == (len(ROUTED) if seeds else 0)
    assert len(asked) == len(AREAS) + (len(ROUTED) if seeds else 0)
    (row,) = [row for row in rows(assembled, "2") if row["design"] == "here: one"]
    assert row["ecp5_usable_MHz"].measured == (85 if seeds else None)
    assert row["ecp5_routed_MHz"].measured == (90 if seeds else None)
    (claim,) = [row for row in rows(assembled, "Claims") if row["claim"] == "clock, MHz"]
    assert claim["figure"].measured == (85 if seeds else None)  # no clock is claimed but the usable
    assert row["LUTs"].measured == 250
    render(assembled)


def test_the_drawn_path_needs_more_clocks_than_printed(made_up: Measured) -> None:
    square = modes(WORDS, "prime")[1]
    counts = ClockCounts(PRINTED, made_up)
    drawn, one = (counts.of(name, square).simulated or 0 for name in (DRAWN, ONE))
    assert drawn > one // 2 + OFF
    assert isinstance(dualfips.PAPER.assemble(PRINTED, made_up).tables[0], Table)


def test_what_is_ours_does_not_follow_print(made_up: Measured) -> None:
    check_ours_do_not_follow_print(dualfips.PAPER.assemble, PRINTED, made_up)
