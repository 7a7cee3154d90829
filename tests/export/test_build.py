"""`build`: complete, checked, the same bytes every time, all or nothing."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from modmul.errors import CheckFailed, SpecError
from modmul.export import hdl
from modmul.export.build import BuildResult, build
from modmul.export.vectors import plan
from modmul.multipliers.interleaved import Interleaved
from modmul.spec import Spec
from modmul.toolchain import icarus
from modmul.toolchain.cache import Cache

MERSENNE = (1 << 31) - 1
SPECS: dict[str, dict[str, Any]] = {
    "ecp5": {"architecture": "fpmm", "modulus": MERSENNE, "target": "ecp5", "interface": "core"},
    "interleaved": {"architecture": "interleaved", "width": 8},
    "fpmm": {"architecture": "fpmm", "width": 30, "word": 8, "tile": "4x4"},
    "xc7": {"architecture": "interleaved", "modulus": 251, "target": "xc7"},
}
QUICK = ("interleaved",)


@pytest.fixture(scope="module")
def cache() -> Cache:
    """That of this run: other tests build one of these designs, too."""
    return Cache()


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=() if name in QUICK else pytest.mark.long) for name in SPECS],
)
def built(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, cache: Cache
) -> tuple[Spec, Path, BuildResult]:
    spec = Spec.from_options(SPECS[request.param])
    folder = tmp_path_factory.mktemp("built")
    return spec, folder, build(spec, folder, cache=cache)


Built = tuple[Spec, Path, BuildResult]


def names_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_record_names_exactly_the_files_there(built: Built) -> None:
    spec, folder, result = built
    assert {file.name for file in result.files} == names_in(folder)
    for file in result.files:
        data = (folder / file.name).read_bytes()
        assert hashlib.sha256(data).hexdigest() == file.sha256
        assert len(data) == file.size
    kinds = {Path(file.name).suffix for file in result.files}
    wanted = {
        "generic": {".sdc", ".lpf", ".xdc", ".ucf"},
        "ecp5": {".sdc", ".lpf"},
        "xc7": {".sdc", ".xdc"},
    }
    texts = {".v", ".f", ".vlt", ".md", ".html", ".svg", ".json"}
    assert kinds == texts | wanted[spec.multiplier.target]
    assert result.top == (result.core if spec.interface == "core" else result.stream)


def test_the_testbench_passed_in_every_simulator_there_is(built: Built) -> None:
    spec, _, result = built
    count = len(plan(spec).products)
    assert count >= 200
    assert result.checked["verilator"] == f"PASS {count} products"
    said = result.checked["icarus"]
    if not icarus.installed():
        assert said is None
    elif spec.multiplier.name == "interleaved":
        assert said == f"PASS {count} products"
    else:  # as many as the work that a test gives it allows
        assert said is not None
        assert re.match(rf"PASS [1-9]\d* products(, the first of {count}:|$)", said)


def test_the_same_spec_gives_the_same_bytes(built: Built, tmp_path: Path, cache: Cache) -> None:
    """Another run, into a directory that is not there yet."""
    spec, folder, first = built
    second = build(spec, tmp_path / "new" / "place", cache=cache)
    assert second.files == first.files
    for file in first.files:
        assert (tmp_path / "new" / "place" / file.name).read_bytes() == (
            folder / file.name
        ).read_bytes()


def test_nothing_names_this_machine_or_a_date(built: Built) -> None:
    _, folder, _ = built
    for name in names_in(folder):
        path = folder / name
        text = path.read_text()
        assert not re.search(r"/(tmp|home|usr|root|src)/", text), path
        assert not re.search(r"\b20\d\d-\d\d-\d\d\b|\d\d:\d\d:\d\d", text), path


def test_description_agrees_with_the_multiplier(built: Built) -> None:
    spec, folder, result = built
    multiplier = spec.multiplier
    description = json.loads((folder / f"{result.name}.json").read_text())
    assert description["spec"] == spec.options()
    cycles = description["cycles"]["multiply-prime"]
    assert sum(low for low, _ in cycles["terms"].values()) == cycles["latency"][0]
    assert cycles["latency"] == [multiplier.latency().minimum, multiplier.latency().maximum]
    assert cycles["eight"] == multiplier.cycles_for(8)
    modulus = (1 << multiplier.width) - 1 if spec.modulus is None else spec.modulus.value
    for key, bound in (
        ("operand_below", multiplier.operand_bound),
        ("result_below", multiplier.result_bound),
    ):
        formula = description["arithmetic"][key]["formula"]
        assert eval(formula, {"N": modulus}) == bound(modulus)
    others = {file.name: file.sha256 for file in result.files if not file.name.endswith(".json")}
    assert {name: entry["sha256"] for name, entry in description["files"].items()} == others
    if spec.modulus:
        words = [int(word["value"], 16) for word in description["constants"]["words"]]
        assert words == [constant.value for constant in multiplier.constants(modulus)]


def test_datasheet_has_every_port_and_figure(built: Built) -> None:
    spec, folder, result = built
    sheet = (folder / f"{result.name}.md").read_text()
    description = json.loads((folder / f"{result.name}.json").read_text())
    for port in description["ports"][spec.interface]:
        assert f"| `{port['name']}` | {port['width']} | {port['direction']} |" in sheet
    for term, (low, _) in description["cycles"]["multiply-prime"]["terms"].items():
        assert f"| {term} | {low} |" in sheet
    assert f"counted | {spec.multiplier.latency().minimum} |" in sheet
    assert "Constant time" in sheet and "modmul claims no licence" in sheet
    factor = spec.multiplier.montgomery_factor
    assert ("Montgomery domain" in sheet) == (factor != 1)
    assert "None" not in sheet and "{{" not in sheet
    for block in re.split(r"\n\n+", sheet):  # every row of a table has as many cells as its head
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len({row.count("|") for row in rows}) <= 1, block


def test_page_stands_alone_and_is_well_formed(built: Built) -> None:
    _, folder, result = built
    text = (folder / f"{result.name}.html").read_text()
    assert not re.search(r"<(img|script|link)|https?://(?!www\.w3\.org/2000/svg)", text)
    for picture in ("timing", "blocks"):
        assert (folder / f"{result.name}_{picture}.svg").read_text().strip() in text
    open_tags: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in ("meta", "br", "path", "circle", "rect"):
                open_tags.append(tag)

        def handle_endtag(self, tag: str) -> None:
            if tag not in ("path", "circle", "rect"):
                assert open_tags.pop() == tag

    Reader().feed(text)
    assert not open_tags


def test_diagram_shows_the_measured_latency(built: Built) -> None:
    spec, folder, result = built
    description = json.loads((folder / f"{result.name}.json").read_text())
    svg = (folder / f"{result.name}_timing.svg").read_text()
    ElementTree.fromstring(svg)
    measured = re.search(r"first beat in to last beat out: (\d+) cycles", svg)
    cycles = description["cycles"]["multiply-prime"]
    expected = cycles["latency"][0] + (cycles["adapter"] if spec.interface == "stream" else 0)
    assert measured is not None
    wait = cycles["interval"][1] if spec.interface == "stream" else 0
    assert expected <= int(measured[1]) <= expected + wait
    for port in description["ports"][spec.interface][2:]:
        assert f">{port['name']}</text>" in svg
    assert "prefers-color-scheme:dark" in svg


def test_constraints_ask_for_the_clock_of_the_description(built: Built) -> None:
    spec, folder, result = built
    clock = json.loads((folder / f"{result.name}.json").read_text())["clock"]
    period = re.search(
        r"create_clock -name clk -period (\S+) \[get_ports clk\]",
        (folder / f"{result.name}.sdc").read_text(),
    )
    assert period is not None
    if clock["mhz"] is None:
        assert spec.multiplier.target != "ecp5"
        assert period[1] == "10.000"
    else:
        assert float(period[1]) == pytest.approx(1000 / clock["mhz"], abs=1e-3)
        assert "put your own" in (folder / f"{result.name}.sdc").read_text()
    if spec.multiplier.target == "ecp5":
        lpf = (folder / f"{result.name}.lpf").read_text()
        assert f'FREQUENCY PORT "clk" {clock["mhz"]:.3f} MHZ;' in lpf
    if spec.multiplier.target == "generic":
        ucf = (folder / f"{result.name}.ucf").read_text()
        assert f'TIMESPEC "TS_clk" = PERIOD "clk" {period[1]} ns HIGH 50 %;' in ucf


def test_the_model_of_a_primitive_comes_along(built: Built) -> None:
    """Beside the testbench, where synthesis does not read it; in the list for simulation alone."""
    spec, folder, result = built
    has_model = spec.multiplier.target == "ecp5"
    model = "sim/mult18x18d_sim.v"
    assert (folder / model).exists() == has_model
    design, bench = f"{spec.title.replace('-', '_')}.v", f"sim/{result.name}_tb.v"
    assert [path.name for path in folder.glob("*.v")] == [design]
    simulated, synthesised = (
        (folder / f"{result.name}_{kind}.f").read_text().splitlines() for kind in ("sim", "synth")
    )
    assert synthesised == [design]
    assert simulated == [design, *([model] if has_model else []), bench]


def test_a_wrong_design_is_not_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache: Cache
) -> None:
    """At most one subtraction in a step: the testbench fails, no file appears."""
    emit = hdl.emit

    def wrong(multiplier: Any, *given: Any, **options: Any) -> hdl.Hdl:
        written = emit(multiplier, *given, **options)
        spoiled = re.sub(r"if \(total_2\[\d+\]\)", "if (1'b1)", written.verilog)
        assert spoiled != written.verilog
        return dataclasses.replace(written, verilog=spoiled)

    monkeypatch.setattr(hdl, "emit", wrong)
    spec = Spec.from_options({"architecture": "interleaved", "modulus": 15})
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(CheckFailed, match="should be") as error:
        build(spec, tmp_path / "out", cache=cache)
    assert not (tmp_path / "out").exists()
    named = re.search(r"the files are in (\S+),", str(error.value))
    assert named is not None
    assert {"interleaved_4.v", "sim/interleaved_4_tb.v"} <= names_in(Path(named[1]))
    assert [path for path in tmp_path.iterdir() if path.is_dir()] == [Path(named[1])]


def test_what_the_testbench_expects_is_what_the_integers_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = Interleaved.compute
    monkeypatch.setattr(Interleaved, "compute", lambda *given: right(*given) ^ 1)
    with pytest.raises(CheckFailed, match="the golden model is wrong"):
        plan(Spec.from_options(SPECS["interleaved"]))


def test_a_place_that_cannot_be_written_is_refused_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    spec = Spec.from_options(SPECS["interleaved"])
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(SpecError, match="is not a directory") as error:
            build(spec, place, cache=Cache(tmp_path / "cache"))
        assert error.value.key == "output"


def test_a_failing_write_leaves_no_half(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache: Cache
) -> None:
    write = Path.write_text

    def full(self: Path, *given: Any, **named: Any) -> int:
        if self.suffix == ".md":
            raise OSError(28, "No space left on device")
        return write(self, *given, **named)

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="No space"):
        build(Spec.from_options(SPECS["interleaved"]), tmp_path / "out", cache=cache)
    assert list((tmp_path / "out").iterdir()) == []
