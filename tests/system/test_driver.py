"""The driver in C99: clean under strict warnings for every form, and RDL of the same registers."""

from __future__ import annotations

import itertools
import random
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from bus_systems import FORMS, spec_of
from driven import Driven
from modmul.arithmetic import moduli
from modmul.export import names
from modmul.host import Fault, OnRegisters
from modmul.spec import Spec
from modmul.system import rdl
from modmul.system.driver import driver
from modmul.system.packets import longest
from modmul.system.register_map import register_map
from modmul.system.registers import RegisterMap
from modmul.system.script import ALL
from soc_runs import STRICT, programs_of_the_page
from system_model import Model

OVERLAP = FAULT = 5  # of multipliers with two results, and of protected ones

MORE = {
    "own modulus": {"architecture": "fpmm", "modulus": "p256", "target": "ecp5"},
    "own length": {"architecture": "fips", "modulus": 0xFFFB, "width": 32, "word": 8},
    "fixed": {"architecture": "pseudo-mersenne", "modulus": (1 << 61) - 1},
    "processor with a modulus": {
        "architecture": "exponentiation",
        "modulus": 0xFFFFFFFB,
        "word": 16,
    },
}

PAGE: tuple[dict[str, object], ...] = (
    {"architecture": "montgomery-radix2", "modulus": "p256"},
    {
        "architecture": "curve",
        "curve": "p256",
        "multiplier": "fpmm",
        "schemes": "ecdsa",
        "forms": "weierstrass",
        "name": "sig",
    },
)


def registers_of(form: str) -> tuple[Spec, RegisterMap]:
    """What a driver is made of: no Verilog."""
    spec, banks = spec_of((FORMS | MORE)[form])
    return spec, register_map(spec.design, longest(spec), banks)


@pytest.mark.parametrize("form", FORMS | MORE)
def test_no_compiler_complains(form: str, tmp_path: Path) -> None:
    spec, regs = registers_of(form)
    for file, text in driver(spec, regs, "x_Y").items():
        (tmp_path / Path(file).name).write_text(text)
    sources = [f"x_y{end}.c" for end in ("", "_selftest") if (tmp_path / f"x_y{end}.c").exists()]
    assert len(sources) == 1 + (spec.design.role == "processor")
    compiler = [sys.executable, "-m", "ziglang", "cc", "-std=c99", "-c", *STRICT]
    compiler += ["-Wsign-conversion", "-Wshadow", "-Wmissing-prototypes"]
    for target in ("riscv32-freestanding-none", "thumb-freestanding-none"):
        command = [*compiler, "-target", target, "-ffreestanding", *sources]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("form", FORMS)
def test_rdl_has_the_same_registers(form: str, tmp_path: Path) -> None:
    systemrdl = pytest.importorskip("systemrdl", reason="needs the package systemrdl-compiler")
    (spec, regs), file = registers_of(form), tmp_path / "registers.rdl"
    file.write_text(rdl.rdl(spec.design, regs, "x", "x_axi4lite"))
    compiler = systemrdl.RDLCompiler()
    compiler.compile_file(str(file))
    compiled = {}
    for node in compiler.elaborate().top.registers():
        fields = {
            field.inst_name: (
                field.low,
                field.width,
                field.get_property("reset") or 0,
                field.is_sw_readable,
                field.is_sw_writable,
            )
            for field in node.fields()
        }
        compiled[node.inst_name] = (node.raw_absolute_address, node.array_dimensions, fields)
    wanted = {
        register.name: (
            register.address,
            None,
            {
                bits.name: (
                    bits.low,
                    bits.width,
                    bits.value,
                    bits.access != "pulse",
                    bits.access != "read",
                )
                for bits in register.fields
            },
        )
        for register in regs.registers
    }
    wanted |= {
        f"{window.name}_window": (
            window.address,
            [window.words],
            {"word": (0, 32, 0, window.access == "read", window.access == "write")},
        )
        for window in regs.windows
    }
    assert compiled == wanted


@pytest.mark.parametrize("place", [0, 1])
def test_the_programs_of_the_page(place: int, tmp_path: Path) -> None:
    """docs/integration.md: its programs compile against the drivers of its builds."""
    spec, program = Spec.from_options(PAGE[place]), programs_of_the_page()[place]
    regs = register_map(spec.design, longest(spec))
    for file, text in driver(spec, regs, names.identifier(spec.title)).items():
        (tmp_path / Path(file).name).write_text(text)
    (tmp_path / "program.c").write_text(program)
    command = [sys.executable, "-m", "ziglang", "cc", "-std=c99", "-c", *STRICT, "-o", "/dev/null"]
    command += ["-target", "riscv32-freestanding-none", "-ffreestanding", "program.c"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


# ---- operands and results in one memory ----------------------------------------------------------


class Registers(NamedTuple):
    """A model, without what it tells of errors on the bus."""

    model: Model

    def read(self, address: int) -> int:
        return self.model.read(address)[0]

    def write(self, address: int, value: int) -> None:
        self.model.write(address, value, ALL)

    def idle(self) -> None:
        """Nothing has to be waited for."""


@pytest.mark.parametrize("form", ["one beat", "carry-save", "sums", "own length"])
def test_a_result_may_overlap_an_operand(form: str, tmp_path: Path) -> None:
    """Of every function of a multiplier, at registers whose result mixes the words of operands."""
    spec, regs = registers_of(form)
    words = regs.result.words
    numbers = {lane.name for lane in regs.channels[-2].lanes}
    chance, mask = random.Random(form), (1 << regs.result.beats * regs.result.bits) - 1

    def mixed(values: Mapping[str, int], _: int | None) -> dict[str, int]:
        total = sum((2 * place + 3) * values[name] for place, name in enumerate(sorted(numbers)))
        return {
            lane.name: total * (place + 1) & mask for place, lane in enumerate(regs.result.lanes)
        }

    c_driver = Driven(spec, regs, tmp_path)
    c_driver.at(Registers(Model(regs, mixed)))
    prototypes = re.findall(
        r"^dut_status dut_(\w+)\(const dut_device \*device, (const uint32_t \*.*)\);$",
        re.sub(r",\n +", ", ", (tmp_path / "dut.h").read_text()),
        re.M,
    )
    functions = {
        name: re.findall(r"(const )?uint32_t \*(\w+)", text)
        for name, text in prototypes
        if "*product" in text or "*result" in text
    }
    sums = {"add", "subtract"} if form == "sums" else set()
    assert functions.keys() == {"multiply", "multiply_by", "square"} | sums
    for name, arguments in functions.items():
        operands = {argument: words for constant, argument in arguments if constant}
        results = {argument: words for constant, argument in arguments if not constant}
        given = {operand: chance.getrandbits(32 * words) for operand in operands}
        right = c_driver.share(name, operands, results, given, [], None)
        assert right[0] == 0 and all(right[1].values())
        for operand, result in itertools.product(operands, results):
            for behind in range(1 - words, words):
                shared = (operand, result, behind)
                assert c_driver.share(name, operands, results, given, [], shared) == right, shared
        for first, second in itertools.combinations(results, 2):
            for behind in range(1 - words, words):
                shared = (first, second, behind)
                assert c_driver.share(name, operands, results, given, [], shared)[0] == OVERLAP


# ---- faults --------------------------------------------------------------------------------------


def test_a_fault_is_reported(tmp_path: Path) -> None:
    """Whether a result has come or not."""
    spec, regs = registers_of("protected")
    faulty, polls = {"result": 0}, []

    class Faulty(Model):
        def read(self, address: int) -> tuple[int, bool]:
            value, error = super().read(address)
            polls.append(address)
            status = address == regs.by_name["status"].address
            return value | status * regs.bits("status", "fault").mask, error

    c_driver, model = Driven(spec, regs, tmp_path), Model(regs, lambda *_: {"result": 7})
    arguments = ({"a": 1, "b": 1}, {"product": 1}, {"a": 3, "b": 5}, [], None)
    c_driver.at(Registers(model))
    assert c_driver.share("multiply", *arguments)[:2] == (0, {"product": 7})
    c_driver.at(Registers(Faulty(regs, lambda *_: faulty)))
    polls.clear()
    assert c_driver.call("wait") == FAULT  # no result has come
    assert len(polls) == 1
    assert c_driver.share("multiply", *arguments)[0] == FAULT
    loaded = replace(spec, modulus=moduli.of(0xFFFFD))
    assert OnRegisters(loaded, Registers(model)).ask("multiply", {"a": 3, "b": 5})["product"] == 7
    with pytest.raises(Fault, match="the device detected a fault"):
        OnRegisters(loaded, Registers(Faulty(regs, lambda *_: faulty))).ask(
            "multiply", {"a": 3, "b": 5}
        )
