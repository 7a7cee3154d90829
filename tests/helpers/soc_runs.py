"""Firmware on a soft CPU beside a design on a bus: compiled, simulated, and what it printed."""

from __future__ import annotations

import importlib.util
import re
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest

from bus_systems import System
from modmul.arithmetic import points
from modmul.arithmetic.points import Affine
from modmul.arithmetic.words import to_words
from modmul.errors import CheckFailed
from modmul.export import check
from modmul.spec import Spec
from modmul.system.channels import WORD
from modmul.system.driver import driver
from modmul.system.operations import (
    Function,
    argument_name,
    functions,
    known,
    signing_functions,
)
from modmul.system.registers import RegisterMap
from modmul.toolchain import child
from modmul.toolchain.cache import Cache
from modmul.verification.simulation.subjects import subject

HERE = Path(__file__).parents[1] / "soc"
_ZIG = [
    sys.executable,
    "-m",
    "ziglang",
    "cc",
    "-target",
    "riscv32-freestanding-none",
    "-std=c99",
    "-Os",
    "-ffreestanding",
    "-fno-sanitize=all",
    "-Wl,-T,link.ld",
]
STRICT = ["-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]


class Cpu(NamedTuple):
    """bus: of the device beside it.  systems: Verilog of this repository.  package, files: where
    the processor's own is.  instructions: beyond rv32i.  pace: cycles that a step of a program
    takes, about."""

    name: str
    bus: str
    systems: tuple[str, ...]
    package: str
    files: tuple[str, ...]
    instructions: str = ""
    pace: int = 1

    def sources(self) -> list[Path]:
        """The processor's Verilog; the test is skipped where its package is not installed."""
        package = importlib.util.find_spec(self.package)
        if package is None or package.origin is None:
            pytest.skip(f"needs the package {self.package}")
        folder = Path(package.origin).parent / "verilog"
        return [path for file in self.files for path in sorted(folder.glob(file))]


CPUS = {
    "picorv32": Cpu(
        "picorv32", "axi4lite", ("picorv32.v",), "pythondata_cpu_picorv32", ("picorv32.v",), "+m"
    ),
    "vexriscv": Cpu(
        "vexriscv",
        "wishbone",
        ("wishbone.v", "vexriscv.v"),
        "pythondata_cpu_vexriscv",
        ("VexRiscv_Min.v",),
    ),
    "serv": Cpu(
        "serv", "wishbone", ("wishbone.v", "serv.v"), "pythondata_cpu_serv", ("rtl/*.v",), pace=12
    ),
}


class FirmwareRun(NamedTuple):
    """words: that the firmware printed.  exit: its code, `trap` or `limit`.  cycles: in all."""

    words: list[int]
    exit: str
    cycles: int


def run(
    system: System,
    folder: Path,
    cpu: Cpu,
    program: str,
    figures: Mapping[str, int],
    limit: int,
    change: Callable[[str], str] = lambda text: text,
    files: Mapping[str, str] | None = None,
) -> FirmwareRun:
    """A program beside the design.  figures: macros of the program; files: more that it includes.
    change: what is done to the driver before.  limit: cycles, of a quick processor."""
    simulator = _simulator(*system.verilog(cpu.bus), system.regs, cpu)
    image = _firmware(system, folder, cpu, program, figures, change, files or {})
    command = [str(simulator), f"+firmware={image}", f"+limit={limit * cpu.pace}"]
    code, output = child.run(command, folder=folder, timeout=3600)
    assert code == 0, output[-2000:]
    words = [int(word, 16) for word in re.findall(r"^OUT ([0-9a-f]{8})$", output, re.M)]
    (ended,) = re.findall(r"^EXIT (\w+) after (\d+) cycles$", output, re.M)
    return FirmwareRun(words, ended[0], int(ended[1]))


RAN: list[str] = []  # what `make soc` tells at its end
_FOLDERS: list[TemporaryDirectory[str]] = []  # of simulators, until the process ends


@cache
def _simulator(module: str, verilog: str, regs: RegisterMap, cpu: Cpu) -> Path:
    """A CPU with the design beside it, compiled once: the firmware is read when it runs."""
    _FOLDERS.append(TemporaryDirectory())
    folder = Path(_FOLDERS[-1].name)
    for file in cpu.systems:
        text = (HERE / file).read_text().replace("@DEVICE@", module)
        (folder / f"soc_{file}").write_text(text.replace("@BITS@", str(regs.address_bits)))
    (folder / "design.v").write_text(verilog)
    systems = [folder / f"soc_{file}" for file in cpu.systems]
    every = [*systems, folder / "design.v", *cpu.sources()]
    return check.compile_bench(every, "soc_check", folder, Cache())


def _firmware(
    system: System,
    folder: Path,
    cpu: Cpu,
    program: str,
    figures: Mapping[str, int],
    change: Callable[[str], str],
    files: Mapping[str, str],
) -> Path:
    """Words of memory as $readmemh reads them."""
    for file, text in driver(system.spec, system.regs, "dut").items():
        (folder / Path(file).name).write_text(change(text))
    for path in (HERE / program, HERE / "start.S", HERE / "link.ld"):
        (folder / path.name).write_text(path.read_text())
    for file, text in files.items():
        (folder / file).write_text(text)
    macros = [f"-D{key}={value}" for key, value in {cpu.name.upper(): 1, **figures}.items()]
    command = [
        *_ZIG,
        f"-mcpu=generic_rv32{cpu.instructions}",
        *macros,
        program,
        "dut.c",
        "start.S",
        "-o",
        "firmware.elf",
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    image = _loaded((folder / "firmware.elf").read_bytes())
    words = struct.unpack(f"<{len(image) // 4}I", image)
    (folder / "firmware.hex").write_text("\n".join(f"{word:08x}" for word in words))
    return folder / "firmware.hex"


def _loaded(elf: bytes) -> bytes:
    """Memory from address 0, as the segments of an ELF file of 32 bits fill it."""
    (start,), (count,) = struct.unpack_from("<I", elf, 28), struct.unpack_from("<H", elf, 44)
    memory = bytearray()
    for place in range(count):
        kind, offset, _, address, size, memory_size = struct.unpack_from(
            "<6I", elf, start + 32 * place
        )
        if kind == 1 and memory_size and address < 1 << 16:
            memory.extend(bytes(max(0, address + memory_size - len(memory))))
            memory[address : address + size] = elf[offset : offset + size]
    return bytes(memory) + bytes(-len(memory) % 4)


@dataclass
class OnCpu:
    """A processor with something loaded, beside a CPU whose firmware asks it by the driver: a
    transport of `modmul.host`.  cycles: of each operation so far, as the firmware counts them;
    loading: of what was loaded before it.  program: text in C that has `sign`, by which
    ecdsa-sign is asked for in the place of the driver's own function."""

    system: System
    folder: Path
    cpu: Cpu
    cycles: list[int] = field(default_factory=list)
    loading: list[int] = field(default_factory=list)
    program: str = ""

    @property
    def spec(self) -> Spec:
        """What processor, and what is loaded."""
        return self.system.spec

    def ask(self, operation: str, operands: Mapping[str, int]) -> Mapping[str, int]:
        """One operation, in a run of its own.  CheckFailed where the driver refuses anything."""
        (asked,) = (function for function in self._functions if function.operation == operation)
        asked_for = subject(self.spec, operation).read(operands).job
        given = {argument_name(name): value for name, value in operands.items()}
        limit = 2 * int(self.spec.processor.latency(asked_for.mode).maximum) + 500_000
        if self.program and operation == "ecdsa-sign":
            (made,) = signing_functions(self._functions)
            asked = asked._replace(operands=(*asked.operands, *made.public))
            curve = self.spec.curve
            assert curve is not None
            public = points.multiply(curve, operands["private"], Affine(curve.x, curve.y))
            assert public is not None
            text = called(asked, given | public._asdict(), 0)
            call = f"dut_{asked.name}(device, "
            text = self.program + text.replace(call, "sign(")
            limit *= 4
        else:
            text = called(asked, given, asked_for.mode.length or 0)
        result = run(
            self.system,
            self.folder,
            self.cpu,
            "processor.c",
            {"SEED": 0x2545F491},
            limit,
            files={"asked.h": text},
        )
        opened, loaded, loading, status, cycles, *words, wiped = result.words
        if any((opened, loaded, wiped)) or result.exit != "0" or 0 < status < FLAGS:
            raise CheckFailed(f"{operation}: {result.words[:4]}, {wiped}, exit {result.exit}")
        self.cycles.append(cycles)
        self.loading.append(loading)
        if status:
            return {("infinity", "exceptional", "invalid", "fault")[status - FLAGS]: True}
        if not asked.results:
            return {"valid": True}
        return dict(_numbers(asked, iter(words)))

    @cached_property
    def _functions(self) -> list[Function]:
        spec = self.system.spec
        return functions(spec, known(spec), "dut")


def programs_of_the_page() -> list[str]:
    """Those of docs/integration.md."""
    page = (HERE.parents[1] / "docs" / "integration.md").read_text()
    return re.findall(r"^```c\n(.*?)^```", page, re.M | re.S)


FLAGS = 8  # statuses from which on there is an answer, but no result


def called(asked: Function, operands: Mapping[str, int], length: int) -> str:
    """The text of asked.h."""
    lines, names = [], []
    for argument in asked.operands:
        words = to_words(operands[argument.name], WORD, argument.words or -(-length // WORD))
        shown = ", ".join(f"0x{word:08x}u" for word in words)
        lines.append(f"static const uint32_t given_{argument.name}[] = {{{shown}}};")
        names.append(f"given_{argument.name}")
    names += [f"{length}u"] * bool(asked.sized)
    prints = []
    for argument in asked.results:
        lines.append(f"static uint32_t {argument.name}[{argument.words}];")
        names.append(argument.name)
        prints.append(
            f"    for (place = 0; place < {argument.words}; place++) OUT = {argument.name}[place];"
        )
    lines += [
        f"#define CALL(device) dut_{asked.name}(device, {', '.join(names)})",
        "static void print_results(void)",
        "{",
        "    uint32_t place = 0;",
        *prints,
        "    (void)place;",
        "}",
    ]
    return "\n".join([*lines, ""])


def _numbers(asked: Function, words: Iterator[int]) -> Iterator[tuple[str, int]]:
    for argument in asked.results:
        value = sum(next(words) << WORD * place for place in range(argument.words))
        yield argument.name.removesuffix("_out"), value
