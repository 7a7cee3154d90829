"""Firmware on a soft CPU beside a design on a bus: compiled, simulated, and what it printed."""

from __future__ import annotations

import importlib.util
import re
import struct
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from bus_systems import System
from modmul.design import Beat, Job
from modmul.errors import CheckFailed
from modmul.export import check
from modmul.processors import Load
from modmul.system.channels import WORD
from modmul.system.driver import driver, packed
from modmul.toolchain.cache import Cache

HERE = Path(__file__).parent / "soc"
_ZIG = [sys.executable, "-m", "ziglang", "cc", "-target", "riscv32-freestanding-none", "-std=c99",
        "-Os", "-ffreestanding", "-fno-sanitize=all", "-Wl,-T,link.ld"]  # fmt: skip
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
        found = importlib.util.find_spec(self.package)
        if found is None or found.origin is None:
            pytest.skip(f"needs the package {self.package}")
        folder = Path(found.origin).parent / "verilog"
        return [path for file in self.files for path in sorted(folder.glob(file))]


CPUS = {
    "picorv32": Cpu("picorv32", "axi4lite", ("picorv32.v",), "pythondata_cpu_picorv32",
                    ("picorv32.v",), "+m"),
    "vexriscv": Cpu("vexriscv", "wishbone", ("wishbone.v", "vexriscv.v"),
                    "pythondata_cpu_vexriscv", ("VexRiscv_Min.v",)),
    "serv": Cpu("serv", "wishbone", ("wishbone.v", "serv.v"), "pythondata_cpu_serv",
                ("rtl/*.v",), pace=12),
}  # fmt: skip


class Ran(NamedTuple):
    """words: that the firmware printed.  exit: its code, `trap` or `limit`.  cycles: in all."""

    words: list[int]
    exit: str
    cycles: int


def run(one: System, folder: Path, cpu: Cpu, program: str, figures: Mapping[str, int], limit: int,
        change: Callable[[str], str] = lambda text: text,
        files: Mapping[str, str] | None = None) -> Ran:  # fmt: skip
    """A program beside the design.  figures: macros of the program; files: more that it includes.
    change: what is done to the driver before.  limit: cycles, of a quick processor."""
    sources = cpu.sources()
    image = _firmware(one, folder, cpu, program, figures, change, files or {})
    module, verilog = one.verilog(cpu.bus)
    given = {"DEVICE": module, "BITS": one.told.address_bits, "FIRMWARE": image,
             "LIMIT": limit * cpu.pace}  # fmt: skip
    for file in cpu.systems:
        text = (HERE / file).read_text()
        for key, value in given.items():
            text = text.replace(f"@{key}@", str(value))
        (folder / f"soc_{file}").write_text(text)
    (folder / "design.v").write_text(verilog)
    systems = [folder / f"soc_{file}" for file in cpu.systems]
    every = [*systems, folder / "design.v", *one.written.models, *sources]
    output = check._compile_and_run(every, "soc_check", folder, Cache())
    words = [int(word, 16) for word in re.findall(r"^OUT ([0-9a-f]{8})$", output, re.M)]
    (ended,) = re.findall(r"^EXIT (\w+) after (\d+) cycles$", output, re.M)
    return Ran(words, ended[0], int(ended[1]))


def _firmware(one: System, folder: Path, cpu: Cpu, program: str, figures: Mapping[str, int],
              change: Callable[[str], str], files: Mapping[str, str]) -> Path:  # fmt: skip
    """Words of memory as $readmemh reads them."""
    for file, text in driver(one.spec, one.told, "dut").items():
        (folder / Path(file).name).write_text(change(text))
    for path in (HERE / program, HERE / "start.S", HERE / "link.ld"):
        (folder / path.name).write_text(path.read_text())
    for file, text in files.items():
        (folder / file).write_text(text)
    macros = [f"-D{key}={value}" for key, value in {cpu.name.upper(): 1, **figures}.items()]
    command = [*_ZIG, f"-mcpu=generic_rv32{cpu.instructions}", *macros, program, "dut.c",
               "start.S", "-o", "firmware.elf"]  # fmt: skip
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
        kind, offset, _, address, size, whole = struct.unpack_from("<6I", elf, start + 32 * place)
        if kind == 1 and whole and address < 1 << 16:
            memory.extend(bytes(max(0, address + whole - len(memory))))
            memory[address : address + size] = elf[offset : offset + size]
    return bytes(memory) + bytes(-len(memory) % 4)


@dataclass
class OnCpu:
    """A processor with something loaded, beside a CPU whose firmware asks it by the driver: a
    transport of `modmul.host`.  cycles: of each operation so far, as the firmware counts them."""

    one: System
    folder: Path
    cpu: Cpu
    cycles: list[int]

    def ask(self, operation: str, operands: Mapping[str, int]) -> Mapping[str, int]:
        """One operation, in a run of its own.  CheckFailed where the device refuses anything."""
        spec, processor = self.one.spec, self.one.spec.processor
        load = spec.load
        assert load is not None
        mode = processor.mode_for(operation, load.modulus, load.field, None, load.curve)
        job = Job(mode, load.modulus, dict(operands))
        processor.check_operands(job)
        beats = self._beats(job, load)
        return processor.reply(mode, beats)

    def _beats(self, job: Job, load: Load) -> list[Beat]:
        """The result as it came."""
        processor, told = self.one.spec.processor, self.one.told
        count = processor.reply_beats(job.mode, job.modulus)
        words = told.result.words_of(count)
        packets = [*processor.load(*load).items(), *processor.request(job).items()]
        text = self._packets([(name, beats) for name, beats in packets if beats], count, words)
        limit = 2 * int(processor.latency(job.mode).maximum) + 500_000
        found = run(self.one, self.folder, self.cpu, "processor.c", {}, limit,
                    files={"packets.h": text})  # fmt: skip
        sends = sum(1 for _, beats in packets if beats)
        statuses, rest = found.words[: 1 + sends], found.words[1 + sends :]
        if any(statuses) or rest[:2] != [0, 1] or rest[-1] != 0 or found.exit != "0":
            raise CheckFailed(f"{job.mode.name}: {statuses}, {rest[:2]}, exit {found.exit}")
        self.cycles.append(rest[2])
        value = sum(word << WORD * place for place, word in enumerate(rest[3:-1]))
        (lane,) = told.result.lanes
        return lane.unpacked(value, count)

    def _packets(
        self, packets: Sequence[tuple[str, Sequence[Beat]]], beats: int, words: int
    ) -> str:
        """The packets as C, then one that waits for the result."""
        names = [channel.name for channel in self.one.told.inputs]
        lines, rows = [], []
        for place, (name, packet) in enumerate(packets):
            data = packed(self.one.told, name, list(packet))
            shown = ", ".join(f"0x{word:08x}u" for word in data)
            lines.append(f"static const uint32_t packet{place}[] = {{{shown}}};")
            rows.append(f"    {{{names.index(name)}, {len(packet)}, {len(data)}, packet{place}}},")
        rows.append(f"    {{DUT_STREAMS, {beats}, {words}, 0}},")
        return "\n".join([*lines, "static const packet packets[] = {", *rows, "};", ""])
