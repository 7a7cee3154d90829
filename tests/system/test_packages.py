"""Packages of other tools say what the JSON of the delivery says, and run where their tools are."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest
from amaranth.back import rtlil

from modmul.errors import SpecError
from modmul.export import check
from modmul.spec import Spec
from modmul.system import buses, packages
from modmul.system.build import build
from modmul.system.packages.texts import class_name
from modmul.toolchain.cache import Cache

SPEC = {"architecture": "fips", "width": 16, "word": 4}
QUICK = (None, "axi4stream")
STANDINGS = [
    pytest.param(bus, marks=() if bus in QUICK or os.environ.get("SOC") else pytest.mark.long)
    for bus in (None, *buses.NAMES)
]
NAME = "fips_16_w4_m1_l1"
SIGNALS = {"clk", "rst", "aresetn", "presetn", "irq"}
_XML = "{http://www.accellera.org/XMLSchema/IPXACT/1685-2014}"
TCL = """
proc unknown {args} { puts [list {*}$args]; return made }
proc package {args} { }
source [lindex $argv 0]
"""


class Packaged(NamedTuple):
    name: str
    folder: Path
    said: dict[str, Any]

    @property
    def ports(self) -> dict[str, tuple[str, int]]:
        """Of the top module, as the JSON has them."""
        ports = self.said["bus"]["ports"] if "bus" in self.said else self.said["ports"]["stream"]
        return {port["name"]: (port["direction"], port["width"]) for port in ports}

    @property
    def synthesised(self) -> list[str]:
        return [
            line
            for line in (self.folder / f"{self.name}_synth.f").read_text().splitlines()
            if not line.startswith("//")
        ]


@pytest.fixture(scope="module", params=STANDINGS, ids=str)
def packaged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Packaged:
    bus = request.param
    wanted = [package for package in packages.NAMES if package != "litex" or bus != "apb4"]
    folder = tmp_path_factory.mktemp("packaged")
    name = f"{NAME}_{bus}" if bus else NAME
    build(Spec.from_options(SPEC), folder, bus=bus, packages=wanted, simulate=False)
    said = json.loads((folder / f"{name}.json").read_text())
    assert list(said["packages"]) == wanted
    assert {file for files in said["packages"].values() for file in files} <= said["files"].keys()
    return Packaged(name, folder, said)


def module(folder: Path, file: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(file, folder / f"{file}.py")
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_fusesoc(packaged: Packaged) -> None:
    yaml = pytest.importorskip("yaml")
    text = (packaged.folder / f"{packaged.name}.core").read_text()
    assert text.startswith("CAPI=2:\n")
    core = yaml.safe_load(text.partition("\n")[2])
    assert core["filesets"]["rtl"]["files"] == packaged.synthesised
    assert core["targets"]["default"]["toplevel"] == packaged.said["modules"]["top"]
    bench = core["filesets"]["bench"]["files"]
    assert {*packaged.synthesised, *bench} <= packaged.said["files"].keys()
    top = core["targets"]["sim"]["toplevel"]
    assert f"module {top};" in (packaged.folder / bench[-1]).read_text()


def test_ipxact(packaged: Packaged) -> None:
    root = ElementTree.parse(packaged.folder / f"{packaged.name}.xml").getroot()
    ports = {}
    for port in root.iter(f"{_XML}port"):
        wire = port.find(f"{_XML}wire")
        assert wire is not None
        left = wire.findtext(f"{_XML}vectors/{_XML}vector/{_XML}left")
        direction = {"in": "input", "out": "output"}[wire.findtext(f"{_XML}direction") or ""]
        ports[port.findtext(f"{_XML}name") or ""] = direction, int(left or 0) + 1
    assert ports == packaged.ports
    files = [file.findtext(f"{_XML}name") for file in root.iter(f"{_XML}file")]
    assert files == packaged.synthesised
    assert root.find(f".//{_XML}moduleName").text == packaged.said["modules"]["top"]  # type: ignore[union-attr]
    mapped = [name.text for name in root.iterfind(f".//{_XML}physicalPort/{_XML}name")]
    if packaged.said.get("bus", {}).get("name") in ("axi4lite", "apb4", "axi4stream"):
        assert set(mapped) == packaged.ports.keys() - SIGNALS
        assert len(set(mapped)) == len(mapped)
    else:
        assert mapped == []
    registers = packaged.said.get("bus", {}).get("registers", [])
    windows = packaged.said.get("bus", {}).get("windows", [])
    addresses = {
        register.findtext(f"{_XML}name"): int(register.findtext(f"{_XML}addressOffset") or 0)
        for register in root.iter(f"{_XML}register")
    }
    wanted = {register["name"]: register["address"] for register in registers}
    wanted |= {f"{window['name']}_window": window["address"] for window in windows}
    assert addresses == wanted


def calls(file: Path, tmp_path: Path) -> list[list[str]]:
    """What a script calls, in tclsh, where every foreign command does nothing but be recorded."""
    (tmp_path / "stubs.tcl").write_text(TCL)
    done = subprocess.run(
        ["tclsh", tmp_path / "stubs.tcl", file], capture_output=True, text=True, check=True
    )
    return [
        [word.strip("{}") for word in re.findall(r"\{[^{}]*\}|\S+", line)]
        for line in done.stdout.splitlines()
    ]


@pytest.mark.skipif(not shutil.which("tclsh"), reason="needs tclsh")
def test_vivado(packaged: Packaged, tmp_path: Path) -> None:
    commands = calls(packaged.folder / f"{packaged.name}_vivado.tcl", tmp_path)
    files = [Path(call[-1]).name for call in commands if call[0] == "add_files"]
    assert files == packaged.synthesised
    top = packaged.said["modules"]["top"]
    assert ["set_property", "top", top] in [call[:3] for call in commands]
    mapped = [call[2] for call in commands if call[:2] == ["set_property", "physical_name"]]
    assert len(set(mapped)) == len(mapped)
    assert set(mapped) <= packaged.ports.keys()
    if packaged.said.get("bus", {}).get("name") in ("axi4lite", "apb4", "axi4stream"):
        assert set(mapped) == packaged.ports.keys()
    (level,) = [call[2] for call in commands if call[1:2] == ["value"] and "ACTIVE" in call[2]]
    regs = packaged.said.get("bus", {"reset_level": "high"})["reset_level"]
    assert level == f"ACTIVE_{regs.upper()}"
    assert commands[-1][0] == "ipx::save_core"


@pytest.mark.skipif(not shutil.which("tclsh"), reason="needs tclsh")
def test_quartus(packaged: Packaged, tmp_path: Path) -> None:
    commands = calls(packaged.folder / f"{packaged.name}_hw.tcl", tmp_path)
    ports = {
        call[2]: (call[4].lower(), int(call[5]))
        for call in commands
        if call[0] == "add_interface_port"
    }
    assert ports == packaged.ports
    known = {call[1] for call in commands if call[0] == "add_interface"}
    assert {call[1] for call in commands if call[0] == "add_interface_port"} == known
    tops = [call[3] for call in commands if call[:1] == ["set_fileset_property"]]
    assert set(tops) == {packaged.said["modules"]["top"]}
    files = [call[1] for call in commands if call[0] == "add_fileset_file"]
    assert files[: len(packaged.synthesised)] == packaged.synthesised
    assert not any(file.endswith("_tb.v") for file in files)


def test_amaranth(packaged: Packaged) -> None:
    """The instance has all ports; the component those besides clock and reset."""
    wrapper = module(packaged.folder, f"{packaged.name}_amaranth")
    assert list(wrapper.FILES) == packaged.synthesised
    component = getattr(wrapper, class_name(packaged.name))()
    text = rtlil.convert(component)
    top = packaged.said["modules"]["top"]
    (cell,) = re.findall(rf"^  cell \\{top} .*\n((?: {{4}}.*\n)+)", text, re.M)
    assert set(re.findall(r"connect \\(\w+)", cell)) == packaged.ports.keys()
    members = {
        name: ({"In": "input", "Out": "output"}[member.flow.name], member.shape)
        for name, member in component.signature.members.items()
    }
    wanted = dict(packaged.ports)
    assert members == dict(list(wanted.items())[2:])


def test_litex(packaged: Packaged) -> None:
    """Where LiteX is installed, a module with every port; else the names in the text."""
    file = packaged.folder / f"{packaged.name}_litex.py"
    if packaged.said.get("bus", {}).get("name") == "apb4":
        assert not file.exists()
        return
    text = file.read_text()
    compile(text, file.name, "exec")
    directions = {port: direction[0] for port, (direction, _) in packaged.ports.items()}
    named = {name: direction for direction, name in re.findall(r"\b([io])_(\w+)=", text)}
    assert named == directions


def test_constants_at_pins_in_litex_are_as_wide_as_the_pins(tmp_path: Path) -> None:
    """A number without a width has one bit in Migen."""
    result = build(
        Spec.from_options(SPEC), tmp_path, bus="axi4lite", packages=["litex"], simulate=False
    )
    text = (tmp_path / f"{result.name}_litex.py").read_text()
    constants = re.findall(r"\bi_(\w+)=(?:Constant\(\d+, (\d+)\)|\d)", text)
    ports = json.loads((tmp_path / f"{result.name}.json").read_text())["bus"]["ports"]
    widths = {port["name"]: port["width"] for port in ports}
    assert {name: int(bits or 1) for name, bits in constants} == {
        name: widths[name] for name in ("s_axi_awprot", "s_axi_arprot")
    }


LITEX = """
import sys
from litex.build.generic_platform import Pins
from litex.build.lattice import LatticePlatform
from litex.soc.integration.builder import Builder
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCCore
from migen import ClockDomain, Module
sys.path.insert(0, ".")
import {module} as made

pins = [("sys_clk", 0, Pins("A1"))]
platform = LatticePlatform("LFE5U-25F-6BG256C", pins, toolchain="trellis")
class Clock(Module):
    def __init__(self):
        self.clock_domains.cd_sys = ClockDomain("sys", reset_less=False)
        self.comb += self.cd_sys.clk.eq(platform.request("sys_clk"))
soc = SoCCore(platform, clk_freq=int(1e6), cpu_type=None, with_uart=False,
              bus_standard="{standard}")
soc.submodules.crg = Clock()
soc.core = made.{kind}(platform)
if hasattr(soc.core, "bus"):
    soc.bus.add_slave("core", soc.core.bus,
                      SoCRegion(origin=0x90000000, size=made.{kind}.SIZE, cached=False))
Builder(soc, output_dir="out", compile_software=False, compile_gateware=False).build(run=False)
"""


@pytest.mark.skipif(not os.environ.get("SOC"), reason="takes long: make soc")
def test_in_a_soc_of_litex(packaged: Packaged) -> None:
    """The Verilog of a whole SoC is generated, and has the module."""
    pytest.importorskip("litex")
    bus = packaged.said.get("bus", {}).get("name")
    if bus == "apb4":
        pytest.skip("LiteX has no such bus")
    standard = "axi-lite" if bus == "axi4lite" else "wishbone"
    text = LITEX.format(
        module=f"{packaged.name}_litex", kind=class_name(packaged.name), standard=standard
    )
    subprocess.run(
        [sys.executable, "-c", text], cwd=packaged.folder, check=True, capture_output=True
    )
    verilog = "".join(path.read_text() for path in (packaged.folder / "out").rglob("*.v"))
    assert re.search(rf"^{packaged.said['modules']['top']} ", verilog, re.M)


HOST = """
from litex.build.generic_platform import Subsignal
from litex.soc.interconnect import wishbone

WIDTHS = dict(adr=32, dat_w=32, dat_r=32, sel=4, cyc=1, stb=1, ack=1, we=1, err=1)
place = iter(range(1000))
pins += [("host", 0, *[Subsignal(name, Pins(*(f"X{next(place)}" for _ in range(width))))
                       for name, width in WIDTHS.items()]), ("irq", 0, Pins("I1"))]
platform = LatticePlatform("LFE5U-25F-6BG256C", pins, toolchain="trellis")
"""
OUTSIDE = """
host = wishbone.Interface(data_width=32, addressing="byte")
soc.bus.add_master("host", host)
outside = platform.request("host")
soc.comb += [getattr(host, name).eq(getattr(outside, name))
             for name in ("adr", "dat_w", "sel", "cyc", "stb", "we")]
soc.comb += [getattr(outside, name).eq(getattr(host, name)) for name in ("dat_r", "ack", "err")]
soc.comb += platform.request("irq").eq(soc.core.irq)
"""
AROUND = """
module in_litex (
  input clk, input rst, input wb_cyc_i, input wb_stb_i, input wb_we_i, input [{top}:0] wb_adr_i,
  input [31:0] wb_dat_i, input [3:0] wb_sel_i, output [31:0] wb_dat_o, output wb_ack_o,
  output wb_err_o, output irq
);
  wire [31:0] address = 32'h90000000 | wb_adr_i;
  platform soc (
    .sys_clk(clk), .sys_rst(rst), .host_cyc(wb_cyc_i), .host_stb(wb_stb_i), .host_we(wb_we_i),
    .host_adr(address), .host_dat_w(wb_dat_i), .host_sel(wb_sel_i), .host_dat_r(wb_dat_o),
    .host_ack(wb_ack_o), .host_err(wb_err_o), .irq(irq)
  );
endmodule
"""


# An access on the bus, as accesses to the CSRs: strobes, address, then a word there or from there,
# and whether it was refused.
BEHIND_CSRS = """
module behind_csrs (
  input clk, input rst, input wb_cyc_i, input wb_stb_i, input wb_we_i, input [{top}:0] wb_adr_i,
  input [31:0] wb_dat_i, input [3:0] wb_sel_i, output reg [31:0] wb_dat_o, output reg wb_ack_o,
  output reg wb_err_o, output irq
);
  reg [2:0] step = 0;
  reg gap = 0;
  wire busy = wb_cyc_i & wb_stb_i & ~wb_ack_o & ~wb_err_o;
  wire writes = step < 3;
  wire [31:0] address =
    step == 0 ? {strobes} : step == 1 ? {address} : step == 2 ? (wb_we_i ? {store} : {fetch}) :
    step == 3 ? {word} : {refused};
  wire [31:0] value = step == 0 ? wb_sel_i : step == 1 ? wb_adr_i : wb_dat_i;
  wire [31:0] answer;
  wire ack, err;
  wire asks = busy & ~gap;
  platform soc (
    .sys_clk(clk), .sys_rst(rst), .host_cyc(asks), .host_stb(asks), .host_we(writes),
    .host_adr(address), .host_dat_w(value), .host_sel(4'b1111), .host_dat_r(answer),
    .host_ack(ack), .host_err(err), .irq(irq)
  );
  always @(posedge clk) begin
    wb_ack_o <= 0;
    wb_err_o <= 0;
    gap <= asks & ack;
    if (rst) step <= 0;
    else if (asks & ack) begin
      if (step == 3) wb_dat_o <= answer;
      step <= step == 4 ? 0 : step + 1;
      if (step == 4) begin
        wb_ack_o <= ~answer[0];
        wb_err_o <= answer[0];
      end
    end
  end
endmodule
"""


@pytest.mark.skipif(not os.environ.get("SOC"), reason="takes long: make soc")
@pytest.mark.parametrize("bus", ["wishbone", "axi4lite", "native"])
def test_simulated_in_a_soc_of_litex(tmp_path: Path, bus: str) -> None:
    """The testbench delivered for Wishbone, through the interconnect of the SoC: what is not on
    Wishbone there is behind LiteX's bridge, or behind its CSRs."""
    pytest.importorskip("litex")
    soc, outside = tmp_path / "soc", tmp_path / "outside"
    build(Spec.from_options(SPEC), soc, bus=bus, packages=["litex"], simulate=False)
    build(Spec.from_options(SPEC), outside, bus="wishbone", simulate=False)
    standard = "axi-lite" if bus == "axi4lite" else "wishbone"
    inside, name = f"{NAME}_{bus}", f"{NAME}_wishbone"
    text = LITEX.format(module=f"{inside}_litex", kind=class_name(inside), standard=standard)
    text = text.replace("class Clock", f"{HOST}\nclass Clock")
    text = text.replace("Builder(soc", f"{OUTSIDE}\nBuilder(soc")
    text = text.replace("compile_software", 'csr_json="csr.json", compile_software')
    text = text.replace("pins = [(", 'pins = [("sys_rst", 0, Pins("A2")), (')
    reset = 'self.comb += self.cd_sys.rst.eq(platform.request("sys_rst"))'
    text = text.replace("reset_less=False)", f"reset_less=False)\n        {reset}")
    subprocess.run([sys.executable, "-c", text], cwd=soc, check=True, capture_output=True)
    csrs = json.loads((soc / "csr.json").read_text())["csr_registers"]
    assert {"core_ev_status", "core_ev_pending", "core_ev_enable"} <= csrs.keys()
    said = json.loads((outside / f"{name}.json").read_text())
    top, bench = said["modules"]["top"], outside / "sim" / f"{name}_bus_tb.v"
    inner = "behind_csrs" if bus == "native" else "in_litex"
    changed, count = re.subn(rf"^  {top} dut", f"  {inner} dut", bench.read_text(), flags=re.M)
    assert count == 1
    (tmp_path / "bench.v").write_text(changed)
    around = BEHIND_CSRS if bus == "native" else AROUND
    places = {name.removeprefix("core_"): register["addr"] for name, register in csrs.items()}
    places["top"] = said["bus"]["address_bits"] - 1
    (tmp_path / "around.v").write_text(around.format(**places))
    sources = [
        soc / "out" / "gateware" / "platform.v",
        soc / f"{inside}.v",
        tmp_path / "around.v",
        tmp_path / "bench.v",
    ]
    output = check._compile_and_run(sources, f"{name}_bus_check", tmp_path, Cache())
    assert re.search(r"^PASS \d+ accesses$", output, re.M), output


@pytest.mark.skipif(not os.environ.get("SOC"), reason="takes long: make soc")
def test_run_by_fusesoc(packaged: Packaged, tmp_path: Path) -> None:
    """The testbench, in Icarus, through edalize."""
    if not shutil.which("fusesoc") or not shutil.which("iverilog"):
        pytest.skip("needs fusesoc and Icarus Verilog")
    core = f"modmul:modmul:{packaged.name}:1.0"
    done = subprocess.run(
        ["fusesoc", "--cores-root", packaged.folder, "run", "--target", "sim", core],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^PASS \d+ (accesses|products)$", done.stdout + done.stderr, re.M)


@pytest.mark.skipif(not os.environ.get("SOC"), reason="takes long: make soc")
def test_generated_by_fusesoc(tmp_path: Path) -> None:
    """The generator core of examples/fusesoc, which another core depends on."""
    if not shutil.which("fusesoc") or not shutil.which("iverilog"):
        pytest.skip("needs fusesoc and Icarus Verilog")
    cores = Path(__file__).parents[2] / "examples" / "fusesoc"
    done = subprocess.run(
        ["fusesoc", "--cores-root", cores, "run", "--target", "sim", "modmul:examples:product"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout + done.stderr
    assert re.search("^PASS 2$", said, re.M)
    assert re.search(r"^testbench in verilator: PASS \d+ products$", said, re.M)


@pytest.mark.parametrize(("wanted", "bus"), [(["rpm"], None), ([""], None), (["litex"], "apb4")])
def test_what_cannot_be_is_refused(wanted: list[str], bus: str | None, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="^package = ") as refused:
        build(Spec.from_options(SPEC), tmp_path / "out", bus=bus, packages=wanted)
    assert refused.value.key == "package"
    assert not (tmp_path / "out").exists()
