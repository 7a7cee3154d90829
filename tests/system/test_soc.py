"""PicoRV32 on AXI4-Lite runs the driver: products against Python, a missing device, a timeout, what
comes too early, an interrupt, a wipe; and faults in the driver are found."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bus_systems import System, system
from modmul.system.calls import calls
from soc_runs import CPUS, RAN, FirmwareRun, run

OK, NO_DEVICE, TIMEOUT, REFUSED, TOO_LONG = range(5)
PRODUCTS = 1000 if os.environ.get("SOC") else 10
SPEC = {"architecture": "montgomery-radix2", "modulus": "p256", "banks": 2}
STEPS = 10  # of a ladder


@pytest.fixture(scope="module")
def device() -> System:
    return system(SPEC)


def run_firmware(
    device: System,
    folder: Path,
    change: Callable[[str], str] = lambda text: text,
    cpu: str = "picorv32",
) -> FirmwareRun:
    figures = {"BITS": 255, "PRODUCTS": PRODUCTS, "STEPS": STEPS}
    limit = 20_000 * PRODUCTS + 400_000
    return run(device, folder, CPUS[cpu], "multiplier.c", figures, limit, change)


class Wrong(Exception):
    """What a run printed is not what it should be."""


def judge(device: System, outcome: FirmwareRun) -> dict[str, list[int]]:
    """The cycles of calls, by what they do; Wrong where anything is not as it should be."""
    setting, words = device.spec.setting, iter(outcome.words)
    assert setting is not None
    size, cycles = device.regs.result.words, {"multiply": list[int](), "by": [], "chain": []}
    cycles |= {"ladder": [], "ladder in banks": []}
    accesses = {what: list[int]() for what in cycles if what != "by"}

    def number() -> int:
        return sum(next(words) << 32 * place for place in range(size))

    def expect(what: str, *values: int) -> None:
        for value in values:
            if (got := next(words)) != value:
                raise Wrong(f"{what}: {got:#x}, should be {value:#x}")

    def product(what: str, a: int, b: int) -> int:
        if (got := number()) != (right := setting.compute(a, b)):
            raise Wrong(f"{what}: {a:#x} times {b:#x} is {got:#x}, should be {right:#x}")
        return right

    expect("open", NO_DEVICE, OK)
    expect("without a modulus", TIMEOUT, OK)
    expect("load", OK)
    a = 0
    for _ in range(PRODUCTS):
        expect("multiply", OK)
        cycles["multiply"].append(next(words))
        accesses["multiply"].append(next(words))
        a = number()
        product("product", a, number())
    expect("the same a", OK)
    cycles["by"].append(next(words))
    b = number()
    product("the same a", a, b)
    expect("square", OK)
    product("square", a, a)
    expect("chain", OK)
    cycles["chain"].append(next(words))
    accesses["chain"].append(next(words))
    value = a
    for _ in range(PRODUCTS):
        value = setting.compute(value, b)
    if number() != value:
        raise Wrong("chain")
    first = numbers = [number(), number()]
    for count in range(STEPS):
        other, square = setting.compute(*numbers), 0x35 >> count % 6 & 1
        squared = setting.compute(numbers[square], numbers[square])
        numbers = [other, squared] if square else [squared, other]
    cycles["ladder"].append(next(words))
    accesses["ladder"].append(next(words))
    if [number(), number()] != numbers:
        raise Wrong("ladder")
    expect("banks", OK, OK)
    cycles["ladder in banks"].append(next(words))
    accesses["ladder in banks"].append(next(words))
    for one_of_both in numbers:
        product("a number of the ladder in banks", one_of_both, first[0])
    expect("no such bank", TOO_LONG, TOO_LONG, REFUSED)
    expect("a take too many", device.regs.bits("events", "error").mask)
    expect("too many beats", REFUSED)
    expect("interrupt", 1 << 5, 1)
    product("after an interrupt", a, a)
    expect("wiped", OK, TIMEOUT)
    if number() != 0:
        raise Wrong("a result after a wipe")
    product("operands after a wipe", 0, 0)
    if (outcome.exit, list(words)) != ("0", []):
        raise Wrong(f"exit {outcome.exit}")
    return cycles | {f"accesses of {what}": each for what, each in accesses.items()}


@pytest.fixture(scope="module")
def counted(
    device: System, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, list[int]]]:
    yield judge(device, run_firmware(device, tmp_path_factory.mktemp("soc")))


def test_picorv32_on_axi4lite(counted: dict[str, list[int]]) -> None:
    """Products, squares, chains; all errors."""
    assert len(counted["multiply"]) == PRODUCTS
    RAN.append(
        f"picorv32: {PRODUCTS:,} products and a chain of as many, "
        f"{counted['multiply'][0]:,} cycles each"
    )


def test_the_time_of_a_call_tells_nothing(counted: dict[str, list[int]]) -> None:
    """Equal to within one poll, whose place in the run varies."""
    assert max(counted["multiply"]) - min(counted["multiply"]) <= 60


def test_chains_move_at_most_half_the_words(counted: dict[str, list[int]], device: System) -> None:
    """A chained product writes registers alone, in the place of two windows and a read of a
    third: words of 32 bits on the bus, looks at the status among them."""
    assert counted["by"][0] < 0.8 * min(counted["multiply"])
    assert counted["chain"][0] / PRODUCTS < 0.5 * min(counted["multiply"])
    each = counted["accesses of chain"][0] / PRODUCTS
    assert each < 0.5 * min(counted["accesses of multiply"])
    page = (Path(__file__).parents[2] / "docs" / "integration.md").read_text()
    if PRODUCTS == 10:
        assert f"| {counted['accesses of multiply'][0]} | {each:.1f} |" in page


def test_a_ladder_in_banks_moves_at_most_half_the_words(counted: dict[str, list[int]]) -> None:
    """Each product of two earlier results; that both numbers are written at the beginning is
    counted, too."""
    products = 2 * STEPS
    moved, moved_in_banks = (
        counted[f"accesses of {what}"][0] / products for what in ("ladder", "ladder in banks")
    )
    assert moved_in_banks < 0.5 * moved
    assert counted["ladder in banks"][0] < 0.5 * counted["ladder"][0]
    page = (Path(__file__).parents[2] / "docs" / "integration.md").read_text()
    cycles, banked = (round(counted[what][0] / products) for what in ("ladder", "ladder in banks"))
    assert (
        f"| {moved:.1f} | {moved_in_banks:.1f} |\n" in page
        and f"| {cycles:,} | {banked:,} |\n" in page
    )


def test_datasheet_tells_about_as_many(counted: dict[str, list[int]], device: System) -> None:
    """What it computes for a CPU from the costs of words: within a twentieth."""
    described = calls(device.spec, device.regs)
    for regs, cycles in zip(described, (counted["multiply"][0], counted["by"][0]), strict=False):
        assert abs(regs.cpu - cycles) < 0.05 * cycles
    if PRODUCTS > 10:  # few have the first operand and the last result among them
        assert abs(described[2].cpu - counted["chain"][0] / PRODUCTS) < 0.1 * described[2].cpu


def test_page_tells_the_cycles(counted: dict[str, list[int]]) -> None:
    """docs/integration.md, with as many products in a chain as here by default."""
    page = (Path(__file__).parents[2] / "docs" / "integration.md").read_text()
    each = round(counted["chain"][0] / PRODUCTS)
    rows = [
        f"| `multiply`: two operands written, the result read | {counted['multiply'][0]:,} |",
        f"| `multiply_by`: the same a | {counted['by'][0]:,} |",
    ]
    rows += [f"last result | {each} |"] * (PRODUCTS == 10)
    assert [row for row in rows if row not in page] == []


@pytest.mark.skipif(not os.environ.get("SOC"), reason="takes long: make soc")
@pytest.mark.parametrize("cpu", ["vexriscv", "serv"])
def test_on_wishbone(device: System, cpu: str, tmp_path: Path) -> None:
    """The same firmware on other processors."""
    cycles = judge(device, run_firmware(device, tmp_path, cpu=cpu))
    many = {"chain": PRODUCTS, "ladder": 2 * STEPS, "ladder in banks": 2 * STEPS}  # products
    each = {
        what: sum(cycles[what]) // len(cycles[what]) // many.get(what, 1)
        for what in ("multiply", "by", *many)
    }
    told = ", ".join(f"{what} {count:,}" for what, count in each.items())
    RAN.append(f"{cpu}: {PRODUCTS:,} products and a chain of as many, cycles a product: {told}")


FAULTS = {
    "another window": ("dut_B_WINDOW UINT32_C(0x180)", "dut_B_WINDOW UINT32_C(0x184)"),
    "another bit of the status": (
        "STATUS_RESULT UINT32_C(0x00000001)",
        "STATUS_RESULT UINT32_C(0x00000100)",
    ),
    "no modulus": (
        "put_words(device, DUT_MODULUS_WINDOW, words, ",
        "put_words(device, DUT_MODULUS_WINDOW, words, 0u * ",
    ),
    "one word too few": (
        "place < count; place++) {\n        DUT_PUT",
        "place + 1u < count; place++) {\n        DUT_PUT",
    ),
    "result not taken": ("DUT_PUT(device, DUT_CONTROL, DUT_CONTROL_TAKE);", "(void)device;"),
    "any device": ("return dut_NO_DEVICE;", "return dut_OK;"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.short("one word too few", "result not taken")
def test_faults_in_the_driver_are_found(
    device: System, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "PRODUCTS", 10)
    before, after = (text.replace("dut_", "DUT_") for text in FAULTS[fault])
    changed = []

    def change(text: str) -> str:
        changed.append(text.count(before))
        return text.replace(before, after)

    outcome = run_firmware(device, tmp_path, change)
    assert sum(changed) == 1
    with pytest.raises((Wrong, StopIteration)):
        judge(device, outcome)
