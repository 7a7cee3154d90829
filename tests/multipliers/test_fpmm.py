"""The FPMM against the published figures, its declared area, and its refusals."""

from __future__ import annotations

import re
import tomllib
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modmul.arithmetic.words import from_words, to_words
from modmul.errors import SpecError
from modmul.export.hdl import emit
from modmul.implementation import area, synthesis
from modmul.multipliers.fpmm import Fpmm
from modmul.multipliers.fpmm.tiling import Tiling

FIGURES = tomllib.loads(
    (resources.files("modmul.papers") / "figures" / "gallin2019.toml").read_text()
)
TABLE_2 = [
    dict(zip(FIGURES["fpmm"]["columns"], row, strict=True)) for row in FIGURES["fpmm"]["rows"]
]


def published(row: dict[str, object]) -> Fpmm:
    """The design of a row of Table II, on the generic target."""
    kind, slots, theta, storage = str(row["spec"])
    design = Fpmm(
        width=int(str(row["n_bits"])),
        slots=int(slots),
        variant={"F": "fast", "S": "small"}[kind],
        storage={"B": "block", "D": "distributed"}[storage],
    )
    assert design.theta == int(theta)
    return design


@pytest.mark.parametrize("row", TABLE_2, ids=lambda r: f"{r['n_bits']}-{r['spec']}-{r['fpga']}")
def test_timing_of_table_2(row: dict[str, float]) -> None:
    design = published(row)
    assert design.latency().maximum == row["latency_cc"]
    nanoseconds = design.cycles_for(8) / row["freq_mhz"] * 1e3
    assert abs(nanoseconds / row["time8_ns"] - 1) < 0.0025
    # section 3: tau = alpha * s, alpha = sigma * theta
    assert design.interval().maximum == design.sigma * design.theta * design.words


def test_there_are_24_rows() -> None:
    assert len(TABLE_2) == 24


@pytest.mark.parametrize("word", FIGURES["model"]["word_sizes_bits"])
def test_loop_of_the_pipeline(word: int) -> None:
    """Specification 5.7: loop = 12 + max(L, K-1), first word = 17 + L + max(L, K-1)."""
    tiling = Tiling(word, 17, 17)
    longest = max(tiling.low, tiling.count - 1)
    for variant in ("fast", "small"):
        schedule = Fpmm(width=256, word=word, variant=variant).schedule
        assert schedule.loop == 12 + longest
        assert schedule.first_word == 17 + tiling.low + longest - (variant == "small")


def test_too_few_slots_leave_bubbles() -> None:
    """256 bits without latency reduction, one slot of 9 words and carries: 6 of 15 cycles empty
    (gallin2019, III-C); a slot is as long as the loop, so results come after fewer cycles, too."""
    single = Fpmm(width=256, latency_reduction=False, bubbles=True)
    assert (single.sigma, single.theta, single.alpha, single.loop) == (1, 15, 15, 15)
    assert 100 * (single.alpha - single.least_theta) / single.alpha == 40
    assert single.latency().maximum == 15 * 7 + single.schedule.first_word + 8
    full = Fpmm(width=256, latency_reduction=False)
    assert single.cycles_per_product() == 15 * 8 > full.cycles_per_product() == 9 * 8
    three = Fpmm(width=128, slots=3, bubbles=True)  # F34 does not exist without: it is F35
    assert three.theta == Fpmm(width=128, latency_reduction=False).theta == 5


def test_registers_of_single_slices_shift_what_is_behind_them() -> None:
    """Fewer stages in the first slice are a cycle less to the first word, as in the small version;
    in task 3 they shorten the loop."""
    standard, small = Fpmm(width=128), Fpmm(width=128, variant="small")
    first = Fpmm(width=128, slice_registers="2333/3/3333").schedule
    assert (first.loop, first.first_word) == (standard.loop, small.schedule.first_word)
    assert Fpmm(width=128, slice_registers="3333/2/3333").loop == standard.loop - 1
    behind = Fpmm(width=128, slice_registers="3333/3/2323").schedule
    assert behind.loop == standard.loop - 1 and min(behind.port3) == behind.n_word
    alike = Fpmm(width=128, dsp_registers=2).schedule
    assert alike == Fpmm(width=128, slice_registers="2222/2/2222").schedule


def test_a_paired_modulus_takes_s_beats() -> None:
    own, paired = Fpmm(width=128), Fpmm(width=128, modulus_port="paired")
    prime = (1 << 127) - 1
    n_prime, *words = (constant.value for constant in own.constants(prime))
    assert [constant.value for constant in paired.constants(prime)] == [
        n_prime << 34 | n for n in words
    ]
    assert len(paired.constants(prime)) == paired.words and paired.modulus_beat == 2 * paired.beat


@pytest.mark.parametrize("target", ["generic", "xc7", "xc6s", "ecp5"])
def test_dsp_blocks(target: str) -> None:
    design = Fpmm(width=128, word=34, target=target)
    assert design.dsps == 9
    # (8s + 3) / (9 theta) at s = 4
    assert design.dsp_occupancy == pytest.approx(35 / 36)
    late = target == "xc6s"  # links shifted by 17 take a cycle more: gaps in task 2
    assert Fpmm(width=128, word=51, target=target).dsps == 2 * 9 + 2 + late
    assert Fpmm(width=128, word=68, target=target).dsps == 2 * 16 + 5 + 2 * late
    first = Fpmm(width=128, target=target, quotient_slices="each")
    assert first.dsps_by_task == (4, 3, 4) and not first.in_columns


@pytest.mark.parametrize(
    ("target", "pipeline", "luts", "ffs"),
    [
        pytest.param("ecp5", "full", 660, 1350, marks=pytest.mark.long),
        ("ecp5", "fast", 660, 1600),
        pytest.param("xc7", "full", 260, 540, marks=pytest.mark.long),
        pytest.param("xc4v", "full", 400, 530, marks=pytest.mark.long),
    ],
)
@pytest.mark.long
def test_area_of_f44d(target: str, pipeline: str, luts: int, ffs: int, tmp_path: Path) -> None:
    """A regression test: what the core may cost at most, after synthesis."""
    design = Fpmm(width=128, target=target, pipeline=pipeline)
    assert design.title.startswith(f"fpmm_128_F4x4D_{target}")
    assert design.latency().maximum <= 82
    hdl = emit(design)
    netlist = synthesis.synthesise(hdl.verilog, hdl.core, design.chip, tmp_path)
    cost = area.measure(netlist, hdl.core, design.chip)
    assert cost.dsp == 9
    assert cost.lut <= luts
    assert cost.ff <= ffs


@pytest.mark.parametrize(
    "options",
    [{}, {"target": "xc7"}, {"target": "ecp5"}, {"target": "ecp5", "pipeline": "fast"}],
    ids=str,
)
def test_every_signal_of_the_timetable_is_one_of_the_text(options: dict[str, str]) -> None:
    design = Fpmm(width=128, **options)  # type: ignore[arg-type]
    text = emit(design).verilog
    for name, time in design.schedule.timetable():
        assert re.search(rf"^ *(?:reg|(?:output )?wire) \[\d+:0\] {name}\b", text, re.M), name
        assert f"//   {name:22}{time} + j" in text


@given(st.data())
@settings(max_examples=60)
def test_golden_model_is_cios_word_by_word(data: st.DataObject) -> None:
    """Specification 1: T <- (T + a_i*B + q*P) / 2^w, and the bound of every intermediate value."""
    width = data.draw(st.integers(4, 300), "width")
    word = data.draw(st.integers(2, min(68, width + 1)), "word")
    design = Fpmm(width=width, word=word)
    p = data.draw(st.integers(1, (1 << width - 1) - 1), "p") * 2 + 1
    a = data.draw(st.integers(0, 2 * p - 1), "a")
    b = data.draw(st.integers(0, 2 * p - 1), "b")
    n_prime, *words = (constant.value for constant in design.constants(p))
    assert from_words(words, word) == p
    t = 0
    for digit in to_words(a, word, design.words):
        x = t + digit * b
        t = (x + x * n_prime % (1 << word) * p) >> word
        assert t < b + p
    assert t == design.compute(a, b, p) < design.result_bound(p)
    assert (t * design.montgomery_factor - a * b) % p == 0


@pytest.mark.parametrize(
    ("options", "key", "nearest"),
    [
        ({"width": 128, "slots": 3}, "slots", "at least 4"),
        ({"width": 64, "word": 66}, "word", "2 to 65"),
        ({"width": 128, "tile": "25x18", "target": "xc7"}, "tile", "24x17"),
        ({"width": 128, "tile": "20x20", "target": "ecp5"}, "tile", "18x18"),
        ({"width": 128, "tile": "wide"}, "tile", "17x17"),
        ({"width": 128, "variant": "small", "target": "ecp5"}, "variant", "fast"),
        ({"width": 128, "dsp_registers": 4}, "dsp-registers", "3"),
        ({"width": 128, "slots": 4, "bubbles": True}, "slots", "1 to 3"),
        ({"width": 1024, "bubbles": True}, "slots", "false"),
        ({"width": 128, "slice_registers": "3333/3"}, "slice-registers", "3333/3/3333"),
        ({"width": 128, "slice_registers": "3333/3/3333"}, "slice-registers", "not all"),
        (
            {"width": 128, "slice_registers": "333/3/333", "target": "ecp5"},
            "slice-registers",
            "absent",
        ),
        ({"width": 5000}, "width", "4096"),
    ],
)
def test_refusals_name_the_nearest(options: dict[str, object], key: str, nearest: str) -> None:
    with pytest.raises(SpecError) as caught:
        Fpmm(**options)  # type: ignore[arg-type]
    assert caught.value.key == key
    assert nearest in f"{caught.value.allowed} {caught.value.message}"


def test_even_modulus_is_refused() -> None:
    with pytest.raises(SpecError, match="odd"):
        Fpmm(width=16).check_modulus(1 << 15)
