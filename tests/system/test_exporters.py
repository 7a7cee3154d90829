"""What PeakRDL makes of the registers (`modmul[regs]`) has the names, addresses and access of our
description: C header, HTML, IP-XACT, Rust and Python."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest

from bus_systems import FORMS, System, system
from modmul.system import rdl
from modmul.system.registers import BitField

pytest.importorskip("peakrdl", reason="needs the extra modmul[regs]: make registers")
NAME = "core"
TOP = f"{NAME}_registers"
_XML = "{http://www.accellera.org/XMLSchema/IPXACT/1685-2014}"
_ACCESS = {"read": "r", "read-write": "rw", "pulse": "w", "clear": "rw", "write": "w"}
_IN_XML = {"r": "read-only", "w": "write-only", "rw": "read-write"}


class Exported(NamedTuple):
    system: System
    folder: Path

    def output(self, kind: str) -> Path:
        """What the exporter makes of the registers."""
        out = self.folder / kind / (f"{NAME}.h" if kind == "c-header" else "out")
        if not out.exists():
            out.parent.mkdir()
            file = self.folder / f"{NAME}.rdl"
            command = [sys.executable, "-m", "peakrdl", kind, file, "-o", out]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
        return out

    def registers(self) -> Iterator[tuple[str, int, int, str, tuple[BitField, ...]]]:
        """Each register and window: its name, address, how many, how it is accessed, its fields."""
        for register in self.system.regs.registers:
            allowed = "r" * register.readable + "w" * register.writable
            yield register.name, register.address, 1, allowed, register.fields
        for window in self.system.regs.windows:
            bits = BitField("word", 0, 32, "read", "")
            allowed = _ACCESS[window.access]
            yield f"{window.name}_window", window.address, window.words, allowed, (bits,)


@pytest.fixture(scope="module", params=["one beat", "modes", "processor"])
def exported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    device, folder = system(FORMS[request.param]), tmp_path_factory.mktemp("exported")
    text = rdl.rdl(device.spec.design, device.regs, NAME, f"{NAME}_apb4")
    (folder / f"{NAME}.rdl").write_text(text)
    return Exported(device, folder)


def test_c_header(exported: Exported) -> None:
    """Compiled: every address and every mask."""
    header = exported.output("c-header")
    lines = ["#include <stddef.h>", f'#include "{header.name}"']
    for name, address, many, _, fields in exported.registers():
        size = f"sizeof(((struct core *)0)->{name})"
        lines.append(f'_Static_assert(offsetof(struct core, {name}) == {address}, "{name}");')
        lines.append(f'_Static_assert({size} == {4 * many}, "{name}");')
        for bits in fields:
            begin = f"{TOP}__{name}__{bits.name}".upper()
            lines.append(f'_Static_assert({begin}_bm == {bits.mask:#x}u, "{name}");')
            lines.append(f'_Static_assert({begin}_bp == {bits.low}, "{name}");')
    program = "\n".join(lines).replace("struct core", f"{TOP}_t")
    (header.parent / "check.c").write_text(program + "\n")
    command = [sys.executable, "-m", "ziglang", "cc", "-std=c11", "-c", "-o", "check.o", "check.c"]
    done = subprocess.run(command, cwd=header.parent, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_html(exported: Exported) -> None:
    """Its data has names and addresses, its pages the access."""
    out = exported.output("html")
    nodes = json.loads((out / "data" / "ral-data-0.json").read_text())
    shown = {
        node["name"]: (
            int(node["offset"], 16),
            [(field["name"], field["lsb"], field["msb"]) for field in node["fields"]],
        )
        for node in nodes
        if "fields" in node
    }
    wanted = {
        name: (address, [(bits.name, bits.low, bits.low + bits.width - 1) for bits in fields])
        for name, address, _, _, fields in exported.registers()
    }
    assert shown == wanted
    allowed = {}
    for page in (out / "content").glob("*.html"):
        text = page.read_text()
        said = re.findall(r"<span title='[^']*'>([rw]+)</span>", text)
        title = re.search(r'<h1 id="_Content.name">(\w+)', text)
        if said and title:
            allowed[title[1]] = "".join(sorted(set("".join(said))))
    assert allowed == {name: access for name, _, _, access, _ in exported.registers()}


def test_ip_xact(exported: Exported) -> None:
    root = ElementTree.parse(exported.output("ip-xact")).getroot()

    def number(of: ElementTree.Element, name: str) -> int:
        text = of.findtext(f"{_XML}{name}") or "'h0"
        return int(text[2:], 16) if text.startswith("'h") else int(text)

    described = {}
    for register in root.iter(f"{_XML}register"):
        fields = {
            each.findtext(f"{_XML}name"): (
                number(each, "bitOffset"),
                number(each, "bitWidth"),
                each.findtext(f"{_XML}access"),
            )
            for each in register.iter(f"{_XML}field")
        }
        described[register.findtext(f"{_XML}name")] = (
            number(register, "addressOffset"),
            number(register, "dim") or 1,
            fields,
        )
    wanted = {}
    for name, address, many, allowed, fields in exported.registers():
        access = {
            bits.name: _IN_XML[_ACCESS[bits.access] if "window" not in name else allowed]
            for bits in fields
        }
        wanted[name] = (
            address,
            many,
            {bits.name: (bits.low, bits.width, access[bits.name]) for bits in fields},
        )
    assert described == wanted


def test_rust(exported: Exported) -> None:
    """The text: addresses, masks, and what may be done with a register."""
    folder = exported.output("rust") / "components"
    text = (folder / f"{TOP}.rs").read_text()
    for name, address, many, allowed, fields in exported.registers():
        body = text.split(f"pub const fn {name}(&self)")[1].split("pub const fn")[0]
        (place,) = re.findall(r"wrapping_byte_add\((0x[0-9A-F]+)( \+ i0 \* 0x4)?\)", body)
        assert int(place[0], 16) == address
        assert re.findall(r"IO>; (\d+)\]", body) == ([str(many)] if place[1] else [])
        register = (folder / TOP / f"{name}.rs").read_text()
        assert f"type Access = peakrdl_rust::access::{allowed.upper()};" in register
        masks = {
            mask[0].lower(): int(mask[1].replace("_", ""), 16)
            for mask in re.findall(r"const (\w+)_MASK: u32 = (0x[0-9A-F_]+);", register)
        }
        offsets = {
            match[0].lower(): int(match[1])
            for match in re.findall(r"const (\w+)_OFFSET: usize = (\d+);", register)
        }
        assert {name: mask << offsets[name] for name, mask in masks.items()} == {
            bits.name: bits.mask for bits in fields
        }


def test_python(exported: Exported, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its classes over a record of accesses: what they read and write where."""
    out = exported.output("python")
    monkeypatch.syspath_prepend(str(out))
    for known in [module for module in sys.modules if module.partition(".")[0] == TOP]:
        monkeypatch.delitem(sys.modules, known)
    model = importlib.import_module(f"{TOP}.reg_model")
    library = importlib.import_module(f"{TOP}.lib")
    done = list[tuple[str, int]]()
    callbacks = library.NormalCallbackSet(
        read_callback=lambda addr, width, accesswidth: done.append(("r", addr)) or 0,
        write_callback=lambda addr, width, accesswidth, data: done.append(("w", addr)),
    )
    registers_in_python = model.RegModel(callbacks=callbacks)
    for name, address, many, allowed, fields in exported.registers():
        node = getattr(registers_in_python, name)
        registers = [node[place] for place in range(many)] if "_window" in name else [node]
        for place, register in enumerate(registers):
            assert {bits.inst_name for bits in register.fields} == {bits.name for bits in fields}
            assert (
                "".join(
                    letter
                    for letter, verb in (("r", "read"), ("w", "write"))
                    if hasattr(register, verb)
                )
                == allowed
            )
            done.clear()
            for letter in allowed:
                register.read() if letter == "r" else register.write(0)
            assert done == [(letter, address + 4 * place) for letter in allowed]
