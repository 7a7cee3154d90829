"""`simulate` from Python: what comes out, in how many cycles, and what is refused or found."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from modmul import multipliers
from modmul.arithmetic import binary, moduli
from modmul.design import Design
from modmul.errors import SpecError
from modmul.export import hdl
from modmul.export.ports import ports
from modmul.multipliers.cios import Cios
from modmul.multipliers.fips import Fips
from modmul.multipliers.fpmm import Fpmm
from modmul.multipliers.interleaved import Interleaved
from modmul.multipliers.products.inferred import Inferred
from modmul.multipliers.radix2.fcs_mm_1 import FcsMm1
from modmul.multipliers.radix2.scs_mm_2 import ScsMm2
from modmul.processors.contract import Load
from modmul.processors.curve import PrimeCurve
from modmul.processors.exponentiation import Exponentiation
from modmul.processors.rsa import Rsa
from modmul.spec import Spec
from modmul.verification import simulation
from modmul.verification.simulation import SimulatedOperation, simulate, subject
from modmul.verification.simulation.runs import running

SMALL = Interleaved(width=8)
FIELDS = Fips(width=12, word=4)
PAIRS = FcsMm1(width=9)
POWERS = Exponentiation(multiplier=Fips(width=16, word=8), exponent_word=8)
POINTS = PrimeCurve(multiplier=Fpmm(width=64))
RSA = Rsa(multiplier=Fpmm(width=32))
POLYNOMIAL = "x^11+x^2+1"


@pytest.fixture
def nothing_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("a simulator is compiled")

    monkeypatch.setattr(simulation.runs, "compile_streams", never)


def spec(design: Design, modulus: str | None = None, **options: Any) -> Spec:
    any_modulus = Spec(design, **options)
    if modulus is None:
        return any_modulus
    return dataclasses.replace(any_modulus, modulus=moduli.parse(modulus))


# ---- what comes out ------------------------------------------------------------------------------


@pytest.mark.parametrize("interface", ["core", "stream"])
@pytest.mark.short("stream")
def test_products_and_residues_with_the_modulus_of_each_line(interface: Any) -> None:
    """On fpmm: beats, several slots, R, results above N, a wait for the slot behind the adapter."""
    design = Fpmm(width=22, slots=4, word=6, tile="3x3")
    rng = random.Random(1)
    given = []
    for _ in range(20):
        modulus = rng.getrandbits(22) | 1 << 21 | 1
        given.append(
            {"a": rng.randrange(modulus), "b": hex(rng.randrange(modulus)), "modulus": hex(modulus)}
        )
    given.append({"a": modulus, "b": hex(modulus), "modulus": modulus})  # gives N, not 0
    outcomes = simulate(spec(design, interface=interface), given)
    factor = design.montgomery_factor
    for operands, out in zip(given, outcomes, strict=True):
        modulus = int(str(operands["modulus"]), 0)
        right = (
            int(operands["a"]) * int(str(operands["b"]), 16) * pow(factor, -1, modulus) % modulus
        )
        assert out.faults == [] and out.result is not None
        product = out.result["product"]
        assert isinstance(product, int) and product % modulus == right == out.result["residue"]
    assert outcomes[-1].result == {"product": modulus, "residue": 0}
    latency = design.latency().maximum
    times = {outcome.cycles for outcome in outcomes}
    assert times == {latency} if interface == "core" else min(times) > latency  # type: ignore[type-var]
    assert len(times) == 1  # a reset before each: what came before has no say


@pytest.mark.parametrize("name", multipliers.REGISTRY)
@pytest.mark.short("fpmm-fixed")  # whose core takes its first operand a while after a reset
def test_a_product_on_every_architecture(name: str) -> None:
    """In the declared cycles, through both interfaces, although nothing came before it."""
    design = min(multipliers.find(name).examples(), key=lambda example: example.width)
    pair = design.operand_form == "carry-save"
    given: dict[str, Any] = {"a": [1, 0], "b": [1, 0]} if pair else {"a": 1, "b": 1}
    if design.modulus_at == "run time":
        given["modulus"] = (1 << design.width) - 1
    for interface in ("stream", "core"):
        (out,) = simulate(spec(design, interface=interface), [given])
        assert out.faults == [] and out.error is None


def test_the_same_operands_give_the_same_alone_and_among_others() -> None:
    asked = {"a": 5, "b": 7, "modulus": 251}
    others = [{"a": 1, "b": 1, "modulus": 7}, asked, {"a": 6, "b": 6, "modulus": 7}]
    assert simulate(spec(SMALL), [asked])[0] == simulate(spec(SMALL), others)[1]
    assert simulate(spec(SMALL), []) == []


def test_squares_and_both_fields() -> None:
    given = [{"a": 0x123, "modulus": 4093}, {"a": "0x123", "modulus": POLYNOMIAL}]
    squares = simulate(spec(FIELDS), given, operation="square")
    products = simulate(spec(FIELDS), [{**operands, "b": operands["a"]} for operands in given])
    for square, product in zip(squares, products, strict=True):
        assert square.faults == product.faults == []
        assert square.result == product.result and square.cycles != product.cycles
    square = squares[1].result
    assert square is not None
    modulus = moduli.parse(POLYNOMIAL).value
    factor = FIELDS.at(FIELDS.shortest_mode(modulus, "binary")).montgomery_factor
    assert factor is not None and isinstance(square["residue"], int)
    assert binary.product(square["residue"], factor, modulus) == binary.product(
        0x123, 0x123, modulus
    )


def test_a_design_of_polynomials_alone_takes_them_as_numbers() -> None:
    asking = subject(spec(Fips(width=12, word=4, field="binary")))
    asked = [
        asking.read({"a": 3, "b": 5, "modulus": modulus})
        for modulus in (POLYNOMIAL, "0X805", 0x805)
    ]
    assert asked[0] == asked[1] == asked[2] and asked[0].mode.field == "binary"
    both = subject(spec(FIELDS)).read({"a": 3, "b": 5, "modulus": 0x805})
    assert both.mode.field == "prime"


def test_a_multiplier_without_squares_says_what_it_does() -> None:
    with pytest.warns(UserWarning, match="interleaved has no squares of its own: .* a by a"):
        (outcome,) = simulate(spec(SMALL, "251"), [{"a": 100}], operation="square")
    assert outcome.result == {"product": 100 * 100 % 251, "residue": 100 * 100 % 251}
    with pytest.warns(UserWarning):
        (same,) = simulate(spec(SMALL, "251"), [{"a": 100, "b": 100}], operation="square")
    assert same == outcome


def test_sums() -> None:
    adds, n = spec(Cios(width=20, word=8, adder=True), "0xffffd"), 0xFFFFD
    given = [{"a": a, "b": b} for a, b in ((3, 5), (2 * n - 1, 2 * n - 1), (0, 0), (0, 2 * n - 1))]
    for operation, name, sign in (("add", "sum", 1), ("subtract", "difference", -1)):
        for asked, outcome in zip(given, simulate(adds, given, operation=operation), strict=True):
            assert outcome.faults == [] and outcome.result is not None
            assert outcome.result["residue"] == (asked["a"] + sign * asked["b"]) % n
            value = outcome.result[name]
            assert (
                isinstance(value, int) and value < 2 * n and value % n == outcome.result["residue"]
            )
    with pytest.raises(SpecError, match="must be below 0x1ffffa"):
        simulate(adds, [{"a": 2 * n, "b": 0}], operation="add")


def test_sums_that_are_not_built() -> None:
    why = "must be one of multiply, square: cios-20-w8 has no adder; adder = true gives it one"
    with pytest.raises(SpecError, match=why) as caught:
        simulate(spec(Cios(width=20, word=8), "251"), [{"a": 1, "b": 2}], operation="add")
    assert caught.value.key == "operation"


def test_carry_save_pairs() -> None:
    given: list[dict[str, Any]] = [
        {"a": [100, "0x7"], "b": (3, 4)},
        {"a": 107, "b": 7},
        {"a": [0, 107], "b": [7, 0]},
    ]
    outcomes = simulate(spec(PAIRS, "503"), given)
    right = 107 * 7 * pow(PAIRS.montgomery_factor or 0, -1, 503) % 503
    for outcome in outcomes:
        assert outcome.faults == [] and outcome.result is not None
        product = outcome.result["product"]
        assert (
            isinstance(product, tuple) and sum(product) % 503 == right == outcome.result["residue"]
        )
    line = outcomes[0].line.result
    assert line is not None and len(line["product"]) == 2 and line["residue"] == hex(right)


@pytest.mark.long  # what is asked and answered is a part of what moduli need
def test_plain_products_have_no_residue_and_no_modulus() -> None:
    (outcome,) = simulate(spec(Inferred(width=16)), [{"a": 0xFFFF, "b": 0xFFFE}])
    assert outcome.result == {"product": 0xFFFF * 0xFFFE} and outcome.faults == []


def test_a_design_for_one_modulus_is_loaded_with_none() -> None:
    asked = Spec.from_options({"architecture": "pseudo-mersenne", "modulus": "61"})
    (outcome,) = simulate(asked, [{"a": 50, "b": 51}])
    assert outcome.result == {"product": 50 * 51 % 61, "residue": 50 * 51 % 61}
    assert outcome.faults == []
    with pytest.raises(SpecError, match="modulus = 61: must be given once"):
        simulate(asked, [{"a": 50, "b": 51, "modulus": 61}])


@pytest.mark.long
def test_time_that_depends_on_operands() -> None:
    """Each with its own time, exactly, at the core and behind the adapter."""
    given = [{"a": a, "b": b} for a, b in ((0, 0), (1, 1), (511, 510), (341, 170), (7, 448))]
    times = {}
    for interface in ("core", "stream"):
        outcomes = simulate(spec(ScsMm2(width=9), "503", interface=interface), given)
        assert all(outcome.faults == [] for outcome in outcomes)
        times[interface] = [outcome.cycles for outcome in outcomes]
    assert len(set(times["core"])) > 1
    gaps = {b - a for a, b in zip(*times.values(), strict=True)}  # type: ignore[operator]
    assert len(gaps) == 1


def test_powers() -> None:
    given: list[dict[str, Any]] = [
        {"base": 3, "exponent": "0x101"},
        {"base": 3, "exponent": 0x101, "bits": 20},
        {"base": 5, "exponent": 0},
        {"base": 5, "exponent": 0, "bits": 7},
        {"base": 65520, "exponent": "0x" + "1" * 30},
    ]
    outcomes = simulate(spec(POWERS, "65521"), given)
    for operands, out in zip(given, outcomes, strict=True):
        exponent = (
            operands["exponent"]
            if isinstance(operands["exponent"], int)
            else int(operands["exponent"], 16)
        )
        assert out.faults == [] and out.result == {"power": pow(operands["base"], exponent, 65521)}
    assert outcomes[0].cycles is not None and outcomes[1].cycles is not None
    assert outcomes[0].cycles < outcomes[1].cycles
    mode = POWERS.mode("exponentiate", Load(65521), length=20)
    assert outcomes[1].cycles == POWERS.latency(mode).maximum


def test_a_waveform_of_all_operations(tmp_path: Path) -> None:
    place = tmp_path / "w.vcd"
    given = [{"a": 5, "b": 7}, {"a": 250, "b": 249}]
    outcomes = simulate(spec(SMALL, "251"), given, waveform=place)
    text = place.read_text()
    assert outcomes == simulate(spec(SMALL, "251"), given)
    assert "$enddefinitions" in text and "operand_valid" in text and "result_data" in text
    name = next(line.split()[3] for line in text.splitlines() if " result_valid " in line)
    assert text.count(f"\n1{name}\n") == 2
    assert list(tmp_path.iterdir()) == [place]


# ---- faults --------------------------------------------------------------------------------------

# A core in which the operand a chooses what goes wrong.
WRONG = """
module wrong({ports});
  wire valid, ready, first, last; wire [7:0] data;
  reg [7:0] kind; reg late; reg [7:0] kept;
  {module} dut (.clk(clk), .rst(rst), .modulus_valid(modulus_valid), .modulus_ready(modulus_ready),
    .modulus_first(modulus_first), .modulus_last(modulus_last), .modulus_data(modulus_data),
    .operand_valid(operand_valid), .operand_ready(operand_ready), .operand_first(operand_first),
    .operand_last(operand_last), .operand_a(operand_a), .operand_b(operand_b),
    .result_valid(valid), .result_first(first), .result_last(last), .result_data(data));
  always @(posedge clk) begin
    late <= valid & ~rst; kept <= data;
    if (operand_valid & operand_ready) kind <= operand_a;
  end
  assign result_valid = kind == 4 ? 1'b0 : kind == 2 ? late : kind == 5 ? valid | late : valid;
  assign result_data = kind == 1 ? data ^ 8'd1 : kind == 2 ? kept : data;
  assign result_first = 1'b1;
  assign result_last = kind != 3;
endmodule
"""


@pytest.fixture
def wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """The core of `SMALL` is emitted wrong."""
    right = hdl.emit(SMALL)
    declared = ", ".join(
        f"{port.direction} [{port.width - 1}:0] {port.name}" for port in ports(SMALL, "core")
    )
    text = right.verilog + WRONG.format(ports=declared, module=right.core)
    emitted = dataclasses.replace(right, verilog=text, modules={**right.modules, "core": "wrong"})
    monkeypatch.setattr(hdl, "emit", lambda _: emitted)


@pytest.mark.usefixtures("wrong")
def test_faults_are_found_each_in_its_own_operation() -> None:
    given = [{"a": a, "b": 1} for a in (0, 1, 2, 3, 4, 5, 0)]
    outcomes = simulate(spec(SMALL, "251", interface="core"), given)
    good, *bad, again = outcomes
    assert good.faults == [] and good == again
    latency = SMALL.latency().maximum
    assert [outcome.faults for outcome in bad] == [
        ["product = 0x0, but the golden model has 0x1"],
        [f"{latency + 1} cycles, declared {latency}"],
        ["(first, last) of the beats of the result: [(1, 0)]"],
        ["nothing moves any more after 0 of 1 beats of a result"],
        ["a result has more than its 1 beats, or a second one came"],
    ]
    assert bad[3][:2] == (None, None) and bad[3].line.result is None


@pytest.mark.usefixtures("wrong")
def test_hardware_and_golden_model_that_are_wrong_alike_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The integers know better."""
    monkeypatch.setattr(Interleaved, "compute", lambda self, a, b, modulus: a * b % modulus ^ 1)
    asked = spec(SMALL, "251", interface="core")
    (outcome,) = simulate(asked, [{"a": 1, "b": 1}])
    assert outcome.faults == ["product = 0x0, as the golden model has, is wrong"]


def test_powers_that_differ_from_the_golden_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Exponentiation, "compute", lambda self, job: {"power": 8})
    (outcome,) = simulate(spec(POWERS, "65521"), [{"base": 3, "exponent": 2}])
    assert outcome.faults == ["power = 0x9, but the golden model has 0x8"]


def test_a_block_that_is_left_early_leaves_no_waveform(tmp_path: Path) -> None:
    asking = subject(spec(SMALL, "251"))
    with pytest.raises(KeyError), running(asking, waveform=tmp_path / "w.vcd") as run:
        assert isinstance(run(asking.read({"a": 1, "b": 2})), SimulatedOperation)
        raise KeyError
    assert list(tmp_path.iterdir()) == []


# ---- what is refused -----------------------------------------------------------------------------

REFUSED: list[tuple[Design, str | None, Mapping[str, Any], str]] = [
    (SMALL, "251", {"a": 256, "b": 1}, "a = 0x100: must be below 0xfb"),
    (SMALL, "251", {"a": 1, "b": 251}, "b = 0xfb: must be below 0xfb"),
    (SMALL, "251", {"a": -1, "b": 1}, "a = -1: must be a whole number from 0, or a text of"),
    (SMALL, "251", {"a": True, "b": 1}, "a = True: must be a whole number"),
    (SMALL, "251", {"a": 1.0, "b": 1}, "a = 1.0: must be a whole number"),
    (SMALL, "251", {"a": None, "b": 1}, "a = None: must be a whole number"),
    (SMALL, "251", {"a": "10", "b": 1}, "a = '10': must be a whole number .* such as \"0x1f\""),
    (SMALL, "251", {"a": "0x", "b": 1}, "a = '0x': must be"),
    (SMALL, "251", {"a": [1, 2], "b": 1}, r"a = \[1, 2\]: must be a whole number"),
    (SMALL, "251", {"a": 1 << 9999, "b": 1}, r"a = 0x80{77}\.\.\.: must be below 0xfb$"),
    (SMALL, "251", {"a": 1}, "b is missing: multiply of interleaved takes the operands a, b"),
    (SMALL, "251", {"a": 1, "b": 1, "bb": 1}, "'bb': no operand of .*; did you mean b"),
    (SMALL, "251", {"a": 1, "b": 1, "bits": 1}, "'bits': no operand of multiply"),
    (SMALL, "251", {"a": 1, "b": 1, "modulus": 251}, "modulus = 251: must be given once: .* 0xfb"),
    (SMALL, None, {"a": 1, "b": 1}, "modulus is missing: give it in the specification, or as"),
    (RSA, None, {"x": 5}, "key is missing: name its file with --key, or, for public operations"),
    (SMALL, None, {"a": 1, "b": 1, "modulus": "251"}, "modulus = '251': must be a name, 0x"),
    (SMALL, None, {"a": 1, "b": 1, "modulus": "@secret"}, "modulus = '@secret': must be a name"),
    (SMALL, None, {"a": 1, "b": 1, "modulus": []}, r"modulus = \[\]: must be a name"),
    (SMALL, None, {"a": 1, "b": 1, "modulus": "p257"}, "no such modulus; did you mean"),
    (SMALL, None, {"a": 1, "b": 1, "modulus": 1 << 9}, "modulus = 0x200 has 10 bits"),
    (SMALL, None, {"a": 1, "b": 1, "modulus": 1 << 9999}, r"0{77}\.\.\.: must be at most 8 bits"),
    (SMALL, None, {"a": 1, "b": 1, "modulus": POLYNOMIAL}, "takes numbers, not polynomials"),
    (FIELDS, None, {"a": 1, "b": 1, "modulus": 4092}, "must be odd and at least"),
    (FIELDS, None, {"a": 1 << 12, "b": 1, "modulus": POLYNOMIAL}, "a = 0x1000: must be below"),
    (PAIRS, "503", {"a": [1, 2, 3], "b": 1}, r"a = \[1, 2, 3\]: must be \[sum, carry\], each"),
    (PAIRS, "503", {"a": [[1], 2], "b": 1}, r"a = \[1\]: must be a whole number"),
    (PAIRS, "503", {"a": [5000, 5000], "b": 1}, r"a = \[0x1388, 0x1388\]: must be below"),
    (Inferred(width=16), None, {"a": 1, "b": 1, "modulus": 7}, "a plain product, without a mod"),
    (POINTS, None, {"scalar": 1, "curve": "@secret"}, "curve = '@secret': must be a name, or par"),
    (POINTS, None, {"scalar": 1, "curve": "weierstrass p=7"}, "curve = .*: a is missing; weier"),
    (POWERS, "65521", {"base": 1}, "exponent is missing"),
    (POWERS, "65521", {"base": 1, "exponent": 8, "bits": 3}, "bits = 3: must be at least 4"),
    (POWERS, "65521", {"base": 1, "exponent": 8, "bits": 1 << 20}, "bits = 1048576: must be a w"),
    (POWERS, "65521", {"base": 1, "exponent": 8, "bits": "many"}, "bits = 'many': must be a w"),
    (
        POWERS,
        "65521",
        {"base": 1, "exponent": 1 << 70_000},
        r"exponent = 0x10+\.\.\.: must be shorter: it has 70001 bits, and lengths are .* 65535",
    ),
    (POWERS, "65521", {"base": 1 << 18, "exponent": 1}, "base = 0x40000: must be below"),
]


@pytest.mark.parametrize(("design", "modulus", "given", "message"), REFUSED)
@pytest.mark.usefixtures("nothing_simulated")
def test_operands_that_cannot_be(
    design: Design, modulus: str | None, given: Mapping[str, Any], message: str
) -> None:
    with pytest.raises(SpecError, match=message) as error:
        simulate(spec(design, modulus), [given])
    assert len(str(error.value)) < 700


@pytest.mark.usefixtures("nothing_simulated")
def test_what_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"operation = 'sqare': must be one of .* mean square\?"):
        simulate(spec(SMALL), [], operation="sqare")
    with pytest.raises(SpecError, match="operation = 'multiply': must be one of exponentiate"):
        simulate(spec(POWERS), [], operation="multiply")
    with pytest.raises(SpecError, match="operation 2: b is missing"):
        simulate(spec(SMALL, "251"), [{"a": 1, "b": 1}, {"a": 1}])
    with pytest.raises(SpecError, match="b = 3: must be absent, or equal to a: a square has one"):
        simulate(spec(FIELDS, "4093"), [{"a": 2, "b": 3}], operation="square")
    (tmp_path / "pipe").symlink_to("/dev/null")
    for name in ("pipe", "."):
        with pytest.raises(SpecError, match="waveform = .* must be a new file"):
            simulate(spec(SMALL), [], waveform=tmp_path / name)
    long = [{"base": 1, "exponent": 1, "bits": 65535}]
    with pytest.raises(SpecError, match="of at most 1,000,000 cycles, and these operations take"):
        simulate(spec(POWERS, "65521"), long, waveform=tmp_path / "w.vcd")
