"""What is refused: values that may overflow, secrets in time, multipliers that cannot be."""

from __future__ import annotations

import dataclasses
import itertools

import pytest

from assembled import assemble_words
from engine_symbols import Symbols
from known_answers import image
from modmul import multipliers
from modmul.errors import SpecError
from modmul.processors.engine import bounds, chains, flow, instructions, library, moves
from modmul.processors.engine.assembler import assemble
from modmul.processors.engine.engine import Engine
from modmul.processors.engine.golden import Golden
from modmul.processors.engine.machine import Writers
from modmul.processors.engine.tables import ReservationTable
from modmul.processors.engine.text import parse
from modmul.processors.engine.values import Hazard

FPMM = multipliers.find("fpmm")
# Largest value in multiples of N, and R / N needed, of the programs (specification, section 3).
SLACK = {
    "x25519": (4, 16),
    "p256-ladder": (10, 64),
    "kummer": (8, 64),
    "kummer31": (8, 64),
    "secp256k1-complete": (16, 64),
    "brainpoolp256r1-complete": (12, 96),
    "p256-complete": (36, 884),
}


@pytest.mark.parametrize("name", SLACK)
def test_largest_values(name: str) -> None:
    assembled = image(name)
    assert bounds.needed(assembled.bounds, assembled.engine.limits) == SLACK[name]


@pytest.mark.parametrize("name", SLACK)
def test_one_bit_short_is_refused(name: str) -> None:
    """R / N just enough, and half of that."""
    program = moves.settled(library.find(name))
    needed = (SLACK[name][1] - 1).bit_length()

    def spare(width: int) -> int:
        return Engine(FPMM(width=width), reducing=False).limits.register >> width

    short = next(width for width in range(100, 200) if spare(width) == 1 << needed)
    bounds.prove(program, Engine(FPMM(width=short), reducing=False).limits)
    with pytest.raises(SpecError, match="must be operands below"):
        bounds.prove(program, Engine(FPMM(width=short + 1), reducing=False).limits)


def test_values_at_their_bounds_fit() -> None:
    """With the largest modulus, and numbers just below their bounds, nothing is beyond its unit."""
    from modmul.processors.engine.operation import run

    assembled = image("p256-complete")
    values = dict.fromkeys(("b", "x", "y", "lam"), 2**256 - 2) | {"k": 2**256 - 1}
    run(assembled, 2**256 - 1, values)


def test_bounds_that_grow_without_end() -> None:
    text = "input x\ny = x + x\nloop 9:\ny = y + x\nend\noutput y % N"
    with pytest.raises(SpecError, match="registers are|without end"):
        assemble(parse("grows", text), Engine(FPMM(width=64), reducing=False))


def test_numbers_of_which_only_their_bits_are_known() -> None:
    """A multiplier whose operands are shorter than registers takes such as are no longer than the
    largest modulus, as they come or as another modulus left them, as operand a alone."""
    engine = Engine(multipliers.find("montgomery-lookahead")(width=32))
    begin = "constant r2\ninput x below W\ny = x * r2 % N\nmodulus 1\nconstant r2\n"
    assemble(parse("taken", begin + "output y * r2 + x * r2 % N"), engine)
    for text in (
        begin + "output r2 * y % N",
        begin + "output (x + r2) * r2 % N",
        begin.replace("W", "R") + "output y % N",
        begin + "output y * y % N",
    ):
        with pytest.raises(SpecError, match="must be operands below|above the bound of operands"):
            assemble(parse("refused", text), engine)


@pytest.mark.parametrize("name", ["montgomery-lookahead", "scs-mm-1"])
def test_an_operand_for_the_largest_modulus_is_one_for_every_modulus(name: str) -> None:
    """As operand a; b is below its bound for the modulus in use."""
    for width in range(3, 12):
        multiplier = multipliers.find(name)(width=width)
        most = multiplier.over((1 << width) - 1).operand_bound - 1
        for modulus in range(3, 1 << width, 2):
            setting = multiplier.over(modulus)
            b = setting.operand_bound - 1
            assert setting.takes(most, b) and setting.bounds(most, b)


SECRET = "constant one, r2, unit\ninput x\ncounter n secret\nX = x * r2\nY = X * X\n"


def test_a_secret_count_is_refused() -> None:
    text = SECRET + "loop n:\nY = Y * Y\nend\noutput Y * unit % N"
    with pytest.raises(SpecError, match="LOOP: a secret .counter. reaches the path"):
        assemble(parse("counts", text), Engine(FPMM(width=64)))


def test_a_selection_by_address_would_be_refused() -> None:
    """The flow is what isa.toml declares: with another SEL, every ladder tells its scalar."""
    isa = instructions.instruction_set()
    changed = instructions.msgspec.structs.replace(
        isa.op["SEL"], flow=("a -> dst", "b -> dst", "bit -> address")
    )
    other = instructions.msgspec.structs.replace(isa, op=isa.op | {"SEL": changed})
    traced = flow.trace(library.find("x25519"), FPMM(), other)
    assert traced.timing == "data-dependent"
    assert all("SEL: a secret (bit) reaches an address" in leak for leak in traced.leaks)


def test_a_multiplier_whose_time_depends_on_operands_leaks_secrets() -> None:
    traced = flow.trace(library.find("x25519"), multipliers.find("scs-mm-2")(width=255))
    assert traced.timing == "data-dependent" and traced.leaks


def test_what_leaves_is_told() -> None:
    told = image("x25519").flow
    assert told.timing == "constant" and not told.leaks
    assert len(told.released) == 1 and "OUT tells of a secret" in told.released[0]
    assert "x1" not in told.secret and "k" in told.secret and "X2.1" in told.secret
    assert image("on-curve").flow.released == ()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("fcs-mm-1", "not a pair"),
        ("scs-mm-2", "constant time"),
        ("inferred", "loaded at run time"),
        ("pseudo-mersenne", "loaded at run time"),
    ],
)
def test_multipliers_that_cannot_be(name: str, says: str) -> None:
    with pytest.raises(SpecError, match=says):
        Engine(multipliers.find(name)())


def test_two_ports_take_turns() -> None:
    with pytest.raises(SpecError, match="take turns"):
        Engine(multipliers.find("fips")(width=128), multipliers=2, ports=2)


def test_the_golden_machine_refuses_what_it_cannot_do() -> None:
    machine = Engine(FPMM(width=64)).machine
    for text, says in (
        ("NOP +0", "over its end"),
        ("HALT +0", None),
        ("NOP +0\nADD r40, r1, r2 +0", "grid"),
        ("LOOP 15, 0, 0 +0\nEND +0", "not even once"),
        ("IN r0, 0, 0 +0", "not of a bank of sums"),
        ("IN r40, 0, 0 +0", "operand is at its end"),
    ):
        words = assemble_words(text)
        if says is None:
            assert Golden(machine, Symbols({})).run(words).cycles == 1
            continue
        with pytest.raises(Hazard, match=says):
            Golden(machine, Symbols({})).run(words)


@pytest.mark.parametrize("p", [2**255 - 19, 2**127 - 1, 2**256 - 2**32 - 977, 65537, 7])
def test_chains(p: int) -> None:
    chain, known = chains.of(p - 2), {1}
    for step in chain:
        assert step.start in known and step.times in known | {0}
        assert step.result == (step.start << step.squares) + step.times
        known.add(step.result)
    assert chain[-1].result == p - 2
    assert chains.cost(chain) < 1.25 * p.bit_length() + 3


def test_no_two_whole_numbers_are_written_in_one_cycle() -> None:
    """Each unit's results come in another cycle of a slot, for which some wait; of one memory with
    two ports, two kinds of results in the cycles in which nothing is read."""
    for ports, chip in itertools.product((1, 2), ("generic", "xc7", "xc6s", "xc4v")):
        machine = Engine(
            FPMM(width=127, target=chip), multipliers=ports, ports=ports, interconnect="operand"
        ).machine
        written = {
            op: [(port + machine.first(op, port)) % machine.align for port in range(ports)]
            for op in ("MUL", "SQR", "ADD", "SEL", "RED")
        }
        assert written["MUL"] == written["SQR"] and written["ADD"] == written["SEL"]
        assert written["ADD"] == written["RED"] and machine.shared == (chip == "xc4v")
        products, sums = set(written["MUL"]), set(written["ADD"])
        assert len(products) == len(sums) == ports
        if machine.shared:
            assert min(products | sums) >= ports
        else:
            assert not products & sums
    with pytest.raises(SpecError, match="slots come as far apart"):
        Engine(FPMM(width=64), multipliers=2, ports=2, interconnect="operand")


@pytest.mark.parametrize("writers", ["one", "two"])
@pytest.mark.parametrize("chip", ["generic", "xc7", "xc6s"])
def test_results_of_two_ports_wait_for_one_cycle_of_a_slot(chip: str, writers: Writers) -> None:
    multiplier = FPMM(width=127, target=chip)
    machine = Engine(multiplier, multipliers=2, ports=2, writers=writers).machine
    begins = [
        {(port + machine.first(op, port)) % machine.align for port in range(2) for op in ops}
        for ops in (("MUL", "SQR"), ("ADD", "SEL", "RED"))
    ]
    assert [*map(len, begins)] == [1, 1]
    assert writers == "two" or begins[0] == begins[1]
    for op in ("MUL", "ADD"):
        each = [machine.first(op, port) for port in range(2)]
        assert machine.first(op) == min(each) and max(each) < min(each) + machine.align
        assert machine.busy(op) == max(each) + machine.beats


def test_a_read_in_a_cycle_of_a_write_is_a_hazard_where_both_have_one_port() -> None:
    multiplier = FPMM(width=127, target="xc4v", storage="block")
    machine = Engine(multiplier, interconnect="operand").machine
    zero = machine.bank_size
    for variant, refused in (
        (machine, False),
        (dataclasses.replace(machine, waits=((), ())), True),
    ):
        first = 4 * machine.turn - machine.memory
        second = first + variant.first("MUL") // variant.align * variant.align
        words = [
            (0, instructions.Word("WIPE", dst=zero)),
            (first, instructions.Word("MUL", dst=0, a=zero, b=zero)),
            (second, instructions.Word("ADD", dst=zero + 1, a=zero, b=zero)),
            (second + machine.turn * 6, instructions.Word("HALT")),
        ]
        golden = Golden(variant, Symbols({}))
        if refused:
            with pytest.raises(Hazard, match="in which another is written"):
                golden.run(instructions.in_words(words))
        else:
            golden.run(instructions.in_words(words))


def test_beats_that_are_written_together_are_a_hazard_with_one_writer() -> None:
    """A product and a sum that overlap by one beat; without the last one they do not."""
    for early, refused in ((1, True), (0, False)):
        machine = Engine(FPMM(width=64, word=17), writers="one").machine
        zero, beats = machine.bank_size, machine.beats
        late = -(machine.first("ADD") - machine.first("MUL")) % machine.align
        machine = dataclasses.replace(machine, adder=machine.adder + late - early)
        first = 4 * machine.turn - machine.memory
        second = first + machine.first("MUL") - machine.first("ADD") - early + beats
        words = [
            (0, instructions.Word("WIPE", dst=zero)),
            (first, instructions.Word("MUL", dst=0, a=zero, b=zero)),
            (second, instructions.Word("ADD", dst=zero + 1, a=zero, b=zero)),
            (second + machine.turn * 4, instructions.Word("HALT")),
        ]
        assert second % machine.align == first % machine.align
        for variant in (machine, dataclasses.replace(machine, writers="each")):
            golden = Golden(variant, Symbols({}))
            if refused and variant.writers == "one":
                with pytest.raises(Hazard, match="is written by another word"):
                    golden.run(instructions.in_words(words))
            else:
                golden.run(instructions.in_words(words))
            table = ReservationTable(variant)
            table.take("MUL", first, 0)
            assert table.free("ADD", second, 0) != (refused and variant.writers == "one")
    with pytest.raises(SpecError, match="whole operands are in one memory anyway"):
        Engine(FPMM(width=64, word=17), interconnect="operand", writers="one")


def test_numbers_that_are_written_together_are_a_hazard() -> None:
    machine = Engine(FPMM(width=64, word=17), interconnect="operand").machine
    late = -(machine.first("ADD") - machine.first("MUL")) % machine.align
    machine = dataclasses.replace(machine, adder=machine.adder + late)
    zero = machine.bank_size
    first = 4 * machine.turn - machine.memory
    second = first + machine.first("MUL") - machine.first("ADD")
    words = [
        (0, instructions.Word("WIPE", dst=zero)),
        (first, instructions.Word("MUL", dst=0, a=zero, b=zero)),
        (second, instructions.Word("ADD", dst=zero + 1, a=zero, b=zero)),
        (second + machine.turn * 4, instructions.Word("HALT")),
    ]
    with pytest.raises(Hazard, match="another number is written"):
        Golden(machine, Symbols({})).run(instructions.in_words(words))
