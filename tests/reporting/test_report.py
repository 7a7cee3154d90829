"""The page, pictures and summary of a report, without a browser or tools."""

from __future__ import annotations

import base64
import contextlib
import io
import itertools
import json
import re
import shlex
import shutil
import subprocess
import tomllib
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from plotly.offline import get_plotlyjs
from rich.console import Console

from modmul import Spec
from modmul.cli import main
from modmul.exploration.grid import Dropped
from modmul.exploration.names import plain
from modmul.exploration.record import Record
from modmul.exploration.store import RunSummary, Store
from modmul.implementation.figures import area_words
from modmul.implementation.result import Clock
from modmul.papers import gallin2019
from modmul.reporting import html, tex, text
from modmul.reporting.pictures import write as draw
from modmul.reporting.points import front, points
from modmul.reporting.published import comparable, published
from modmul.reporting.quantities import QUANTITIES
from modmul.reporting.report import Report, report
from modmul.reporting.write import WrittenReport, write
from modmul.verification.observed import ProductSchedule
from report_examples import NASTY, RECORDS, on_chip

TITLE = "A report & its <parts> </title>"


@pytest.fixture(scope="module")
def full_report() -> Report:
    """All kinds of points; a schedule with the cycles of gallin2019, Fig. 8, not simulated here."""
    unsimulated = report(RECORDS, TITLE, simulated=0)
    number = next(p.number for p in unsimulated.points if p.label == "fpmm, defaults")
    taken = [(1 + 4 * k + 48 * (k // 4), 4 + 4 * k + 48 * (k // 4)) for k in range(8)]
    schedule = ProductSchedule("F44D", 4, taken, [(first + 71, last + 71) for first, last in taken])
    return msgspec.structs.replace(unsimulated, schedules={number: schedule})


@pytest.fixture(scope="module")
def page(full_report: Report) -> str:
    return html.page(full_report)


@pytest.fixture(scope="module")
def data(page: str) -> dict[str, Any]:
    (content,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    read: dict[str, Any] = json.loads(content)
    return read


def test_the_page_holds_the_records(full_report: Report, data: dict[str, Any]) -> None:
    assert len(data["points"]) == len(RECORDS)
    known = {record.key: json.loads(msgspec.json.encode(plain(record))) for record in RECORDS}
    for point in data["points"]:
        shown = point["record"]
        original = known[shown["key"]]
        for name in original.keys() - {"routed", "usable", "critical_path", "cell_path"}:
            assert shown.get(name) == original[name] or original[name] in (None, [], {}), name
        for name, value in point["figures"].items():
            quantity = next(quantity for quantity in QUANTITIES if quantity.key == name)
            exact = quantity.of(full_report.points[point["number"]].record)
            assert value == pytest.approx(exact, rel=1e-9)
    assert data["counts"] == {"done": 16, "outside": 1, "failed": 1, "estimated": 1}
    assert data["schedules"][0]["given"][0] == [72, 75]


def test_the_same_page_whatever_the_order(full_report: Report, page: str) -> None:
    again = report(RECORDS[::-1], TITLE, simulated=0)
    assert html.page(msgspec.structs.replace(again, schedules=full_report.schedules)) == page


class Elements(HTMLParser):
    """Attributes that load something, and the elements that are open."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.tags: list[str] = []
        self.title = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attributes:
            loads = name in ("src", "srcset", "href", "action", "data")
            if loads and not (value or "").startswith("#"):
                self.loaded.append(f"{tag} {name}={value}")

    def handle_data(self, data: str) -> None:
        if self.tags[-1:] == ["title"]:
            self.title += data


def test_nothing_is_loaded_and_nothing_slips_in(page: str) -> None:
    parser = Elements()
    parser.feed(page)
    assert parser.loaded == []
    assert parser.title.strip() == TITLE
    assert not {"img", "link", "iframe", "object"} & set(parser.tags)
    assert parser.tags.count("script") == len(html.SCRIPTS) + 2
    assert f'content="{html.POLICY}"' in page
    ours = "".join(html._file(name) for name in (*html.STYLES, *html.SCRIPTS, "page.html.j2"))
    addresses = set(re.findall(r"https?://[^\s\"']+", ours))
    assert addresses <= {"http://www.w3.org/2000/svg"}  # the name of a language
    assert "url(" not in ours and "@import" not in ours and "innerHTML" not in ours
    assert NASTY not in page


def test_the_reason_of_a_failure_is_kept(data: dict[str, Any]) -> None:
    reasons = {p["record"]["reason"] for p in data["points"] if p["record"]["status"] != "done"}
    assert reasons == {NASTY, "where: lut <= 2000"}


def test_what_builds_a_point_again(full_report: Report) -> None:
    for point in full_report.points:
        words = shlex.split(point.command)
        assert words[:2] == ["modmul", "implement"]
        options: dict[str, Any] = {}
        for word, after in zip(words[2:], [*words[3:], ""], strict=True):
            if word.startswith("--no-"):
                options[word[5:]] = False
            elif word.startswith("--") and word != "--seeds":
                options[word[2:]] = True if after.startswith("--") or not after else after
        typed = {key: int(v) if str(v).isdigit() else v for key, v in options.items()}
        assert Spec.from_options(typed).options() == point.record.spec
        assert Spec.from_options(tomllib.loads(point.toml)).options() == point.record.spec
    short = next(p for p in full_report.points if p.options.get("storage") == "block")
    assert short.label == "fpmm, storage block"
    options = {"architecture": "fpmm", "width": 24, "word": 17, "slots": 9}
    (narrow,) = points([on_chip(options, 100, 20.0)])
    assert narrow.label == "fpmm, word 17, slots 9"  # 9 is the default of word 25, not of 17
    assert "pipeline" not in short.options


def test_front_by_every_pair() -> None:
    """Against the definition, for axes of which less or more is better."""
    every = points(RECORDS)
    signs = {quantity.key: -1 if quantity.better == "high" else 1 for quantity in QUANTITIES}
    for axes in (("area", "per_product"), ("lut", "rate"), ("rate_lut", "clock"), ("ff", "dsp")):
        numbers = {point.number for point in front(every, axes)}
        for point in every:
            mine = [signs[a] * point.figures.get(a, float("nan")) for a in axes]
            beaten = False
            for other in every:
                theirs = [signs[a] * other.figures.get(a, float("nan")) for a in axes]
                if (
                    other.group == point.group
                    and other.drawn
                    and all(t <= m for t, m in zip(theirs, mine, strict=True))
                ):
                    beaten |= theirs != mine
            complete = point.drawn and all(a in point.figures for a in axes)
            assert (point.number in numbers) == (complete and not beaten), (point.label, axes)


def test_groups_are_of_what_can_be_compared(full_report: Report) -> None:
    groups = {point.group for point in full_report.points}
    assert {
        "ecp5 · 128 bit · GF(p)",
        "normalised · 64 bit · GF(p)",
        "xc7 · 128 bit · GF(2^m) · estimated clock",
        "xc4v · 64 bit · plain product",
    } <= groups


def test_published_designs() -> None:
    every = published()
    fast = next(design for design in every if design.design == "F44D" and design.family == "xc7")
    assert (fast.figures["lut"], fast.figures["dsp"], fast.figures["eight"]) == (600, 9, 239)
    assert fast.counted is not None
    assert round(fast.counted[7]) == 239  # as printed
    printed = gallin2019.PAPER.figures()
    assert len([o for o in every if o.source == "gallin2019, Table II"]) == len(
        printed["fpmm"]["rows"]
    )
    radar = printed["figure9"]  # the outer circles of Fig. 9 hold the best of each axis
    assert fast.figures["rate_dsp"] == pytest.approx(1e6 * radar["dsp_m"][1], rel=0.12)
    assert fast.figures["rate_lut"] == pytest.approx(1e3 * radar["lut_k"][1], rel=0.02)


def test_one_unit_of_area_beside_the_points_of_a_family() -> None:
    """A DSP block of a published design counts as many LUTs as one of ours, on another chip."""
    (own,) = {
        design.luts_per_dsp
        for design in published()
        if design.design == "F44D" and design.family == "xc7" and design.width == 128
    }
    fpmm = {"architecture": "fpmm", "width": 128, "target": "xc7", "device": "XC7A35T"}
    price = 230.0
    area = {"value": 600.0, "unit": "LUT equivalents", "luts_per_dsp": price, "luts_per_ram": 99.0}
    (point,) = points([on_chip(fpmm, 600, 71.0, area=area)])
    assert own is not None and abs(price - own) > 1
    beside = [design for design in comparable([point]) if design.family == "xc7"]
    assert beside and {design.luts_per_dsp for design in beside} == {price}
    fast = next(design for design in beside if design.design == "F44D")
    assert fast.figures["area"] == pytest.approx(600 + 9 * price, rel=1e-3)
    assert fast.figures["rate_area"] == pytest.approx(fast.figures["rate"] / fast.figures["area"])


def test_processors_are_shown_without_schedules_and_published_multipliers(tmp_path: Path) -> None:
    width = next(
        design.width for design in published() if design.family == "ecp5" or design.width == 256
    )
    options = {"architecture": "exponentiation", "width": width, "target": "ecp5"}
    records = [
        on_chip({**options, "multiplier": below, "interface": "stream"}, lut, ns)
        for below, lut, ns in (("interleaved", 2000, 4e5), ("fips", 3500, 3e5))
    ]
    processors = report(records, "exponentiations")  # none is simulated: there are no slots to show
    assert (processors.schedules, processors.published, len(processors.front)) == ({}, [], 2)
    assert processors.counted.keys() == {0, 1}
    fpmm = on_chip({"architecture": "fpmm", "width": width, "target": "ecp5"}, 600, 71.0)
    both = report([*records, fpmm], "both", simulated=0)
    assert both.published
    powers = [point for point in both.front if point.record.architecture == "exponentiation"]
    files = draw(msgspec.structs.replace(both, front=powers), tmp_path)
    of_powers = [path.read_text() for path in files if path.suffix == ".svg"]
    assert of_powers and not any("published" in text for text in of_powers)
    assert all("exponentiate" in path.name for path in files if path.suffix == ".svg")


def test_processors_are_beside_published_ones_that_do_the_same() -> None:
    """On the same curve; HECC of either way to give points beside Table V of gallin2019."""
    beside = {}
    for architecture, curve, more in (
        ("curve", "p256", {}),
        ("curve", "x25519", {}),
        ("curve", "p384", {"width": 384}),
        ("kummer", "gaudry-schost", {"wrapped": True}),
        ("kummer", "gaudry-schost", {}),
    ):
        options = {
            "architecture": architecture,
            "multiplier": "fpmm",
            "curve": curve,
            **more,
            "target": "xc7",
            "interface": "stream",
        }
        of_curve = report([on_chip(options, 900, 1e6)], curve, simulated=0)
        beside[f"{curve}{more.get('wrapped', '')}"] = of_curve.published
    assert {design.design for design in beside["p256"]} == {
        "Gueneysu, Paar 2008 [memory]",
        "Alrimeih, Rakhmatov 2014 [memory]",
    }
    assert [design.family for design in beside["x25519"]] == ["xc7"]
    assert beside["p384"] == []
    assert len(beside["gaudry-schost"]) == len(beside["gaudry-schostTrue"]) == 12
    a2 = next(
        design
        for design in beside["gaudry-schost"]
        if (design.family, design.design) == ("xc7", "A2")
    )
    assert (a2.figures["lut"], a2.figures["latency"]) == (855, 0.5e6)


@pytest.mark.parametrize("times", [1, pytest.param(2, marks=pytest.mark.long)])
def test_pictures_are_whole_and_the_same_twice(
    full_report: Report, tmp_path: Path, times: int
) -> None:
    """By default drawn once: how one is saved is tried twice in tests/papers/test_pictures.py."""
    group = "ecp5 · 128 bit · GF(p)"
    chosen = [point for point in full_report.front if point.group == group]
    short = msgspec.structs.replace(full_report, front=chosen)  # one group: it takes seconds
    drawn = [draw(short, tmp_path / str(time)) for time in range(times)]
    first, again = drawn[0], drawn[-1]
    assert [path.name for path in first] == [path.name for path in again]
    kinds = {path.name.split("_")[0] for path in first}
    assert kinds == {"area", "efficiency", "products", "schedule", "report.bib"}
    suffixes = {".svg", ".png", ".pdf"} | ({".pgf"} if tex.installed() else set())
    assert {path.suffix for path in first} == suffixes | {".bib"}
    for file, other in zip(first, again, strict=True):
        assert file.read_bytes() == other.read_bytes(), file.name
        if file.suffix == ".svg":
            ElementTree.parse(file)
            assert not re.search(r"(?:href|src|url)\s*[=(]\s*[\"']?https?:", file.read_text())


def test_without_latex_there_is_no_pgf_and_it_is_said(
    full_report: Report, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tex.shutil, "which", lambda _: None)
    changed = msgspec.structs.replace(full_report, front=[])  # the schedule alone
    files = write(changed, None, tmp_path)
    assert sorted(path.suffix for path in files) == [".bib", ".pdf", ".png", ".svg"]
    result = WrittenReport.of(changed, files)
    assert result.left_out == [tex.MISSING]
    screen = Console(width=100, record=True, file=io.StringIO())
    screen.print(text.written(result))
    assert "pdflatex is not installed" in screen.export_text()


@pytest.mark.skipif(not tex.installed(), reason="LaTeX is not installed")
def test_pgf_holds_no_commands_of_a_record(full_report: Report, tmp_path: Path) -> None:
    """Names are letters for LaTeX; one that it cannot set leaves out that picture."""
    (number,) = full_report.schedules
    for label, settable in ((r"50% \input{x} $a_b^c & #~", True), ("\N{SNOWMAN}", False)):
        point = msgspec.structs.replace(full_report.points[number], label=label)
        others = [each for each in full_report.points if each.number != number]
        every = sorted([point, *others], key=lambda each: each.number)
        changed = msgspec.structs.replace(full_report, front=[], points=every)
        with contextlib.nullcontext() if settable else pytest.warns(UserWarning, match="left out"):
            files = draw(changed, tmp_path)
        assert any(path.suffix == ".pgf" for path in files) == settable
        if settable:
            (file,) = (path for path in files if path.suffix == ".pgf")
            assert r"50\% \textbackslash{}input\{x\} \$a\_b" in file.read_text()
        (tmp_path / file.name).unlink(missing_ok=True)


def test_entry_for_a_bibliography(full_report: Report) -> None:
    entry = tex.entry(full_report)
    assert entry.startswith("@misc{modmul-A-report-its-parts-title,\n")
    assert r"A report \& its <parts>" in entry and "16 points measured" in entry
    assert entry.count("{") == entry.count("}")


def test_what_differs_from_the_defaults_is_said(full_report: Report, data: dict[str, Any]) -> None:
    said = {point["label"]: point["parameters"] for point in data["points"]}
    assert said["fpmm, defaults"] == "all at their defaults"
    assert said["fpmm, storage block"] == "storage block; all others at their defaults"


def test_the_library_is_that_of_its_package(page: str) -> None:
    (packed,) = re.findall(r'<script type="text/plain" id="plotly">(.*?)</script>', page)
    library = zlib.decompress(base64.b64decode(packed)).decode()
    assert library == get_plotlyjs()
    assert len(packed) < 0.45 * len(library)


def test_summary_for_a_terminal(full_report: Report) -> None:
    screen = Console(width=80, record=True, highlight=False, file=io.StringIO())
    screen.print(text.summary(full_report))
    said = screen.export_text()
    counts = "16 measured (1 with an estimated clock), 1 outside, 1 failed"
    assert said.splitlines()[0].strip() == counts
    assert max(map(len, said.splitlines())) <= 80
    assert "fpmm, word 17 " in said
    assert "montgomery-2csa" in said
    assert "scs-mm-2" in said.partition("failed: 1")[2]


def test_text_plot() -> None:
    every = [point for point in points(RECORDS) if point.group == "ecp5 · 128 bit · GF(p)"]
    chosen = front(every)
    lines = text.plot(every, chosen).splitlines()
    field = [line.partition("|")[2] for line in lines if "|" in line]
    assert len(field) == text.HEIGHT
    assert max(map(len, lines)) <= 80
    marks = [(x, y) for y, row in enumerate(field) for x, mark in enumerate(row) if mark == "#"]
    assert marks
    ordered = sorted(marks)
    assert all(b[1] >= a[1] for a, b in itertools.pairwise(ordered))  # ever faster
    assert text.plot([], []) == "(no point has both an area and a time)"


def limited() -> list[Record]:
    """The same records; `fpmm` at a clock that a limit decides which nobody read in its source."""
    clock = Clock(
        330.0, 340.0, 225.0, "MULT18X18D: 225 MHz (a sheet; unverified)", (), verified=False
    )
    records = []
    for record in RECORDS:
        if record.architecture == "fpmm":
            assert record.chip is not None
            chip = msgspec.structs.replace(record.chip, fmax_mhz=clock)
            record = msgspec.structs.replace(record, chip=chip)
        records.append(record)
    return records


def test_areas_say_what_a_dsp_counts(full_report: Report, data: dict[str, Any]) -> None:
    said = shown(full_report)
    assert "DSP=536" in said and "Area (LUT equivalents, 1 DSP = 536 LUT" in said
    assert "core alone, without the adapter" in " ".join(said.split())
    factors = {point["label"]: point["luts_per_dsp"] for point in data["points"]}
    assert factors["fpmm, defaults"] == 536.0
    for design in data["published"]:
        figures = design["figures"]
        if figures.get("dsp") and "area" in figures:
            of_blocks = figures["area"] - figures.get("lut", 0)
            dsps, rams = figures["dsp"] * design["luts_per_dsp"], figures.get("ram", 0)
            kbit = 9 if design["family"] == "xc6s" else 18
            price = dsps + rams / kbit * design["luts_per_ram"]
            assert of_blocks == pytest.approx(price, rel=1e-3)
    assert area_words("LUT equivalents", [536.1538, None, 120.333]) == (
        "LUT equivalents, 1 DSP = 120.3 or 536.2 LUT"
    )
    assert area_words("LUT equivalents", [0.0], [402.1154]) == (
        "LUT equivalents, DSP counts nothing, 1 block RAM = 402.1 LUT"
    )
    assert area_words("A_FA", [None]) == "A_FA"


def test_clocks_of_unverified_limits_are_marked() -> None:
    marked_report = report(limited(), TITLE, simulated=0)
    said = shown(marked_report)
    assert "250*" in said and "* unverified clock limit: MULT18X18D: 225 MHz (a sheet" in said
    marked = {point.record.architecture for point in marked_report.points if point.unverified}
    assert marked == {"fpmm"}
    page = html.contents(marked_report)["points"]
    assert all(
        ("unverified" in point["unverified"]) == (point["record"]["architecture"] == "fpmm")
        for point in page
    )


def test_an_estimated_clock_is_called_so_everywhere(full_report: Report) -> None:
    """Nothing routes an Artix-7 here: in text, page, pictures and JSON the clock is an estimate."""
    (point,) = [point for point in full_report.points if point.record.target == "xc7"]
    assert point.estimated == "estimated, 86.5 to 278.8" and "estimated clock" in point.group
    others = [other for other in full_report.points if other is not point]
    assert not any(other.estimated for other in others)
    said = " ".join(shown(full_report).split())
    assert "~192.3" in said and "~ estimated from the netlist" in said
    assert "16 measured (1 with an estimated clock)" in said
    (page,) = [one for one in html.contents(full_report)["points"] if one["estimated"]]
    assert page["number"] == point.number and "fmax_mhz" not in page["record"]
    assert page["record"]["time"]["kind"] == "estimated"
    assert page["record"]["estimated_mhz"]["low"] == 86.5


def test_an_unfinished_run_is_told_everywhere(full_report: Report) -> None:
    impossible = [Dropped("fpmm", "word", "a word is too long", 3)]
    run = RunSummary(
        space="s",
        searched=False,
        points=25,
        done=16,
        outside=1,
        failed=1,
        not_started=7,
        impossible=impossible,
        equal=0,
        ended="budget",
        reason="budget of 18 points used up",
        began="",
        written="",
    )
    unfinished = report(RECORDS, TITLE, run=run, simulated=0)
    assert unfinished.counts == {
        "done": 16,
        "outside": 1,
        "failed": 1,
        "estimated": 1,
        "not_started": 7,
        "impossible": 3,
    }
    front = "front of the 16 points measured so far; 7 of the space s were not tried"
    said = shown(unfinished)
    assert "7 not started, 3 impossible" in " ".join(said.split()) and "word is too long" in said
    assert front in said and "budget of 18 points used up" in said
    page = html.contents(unfinished)["coverage"]
    assert page["complete"] is False and page["front"] == front
    assert html.contents(full_report)["coverage"]["complete"] is None
    assert "unknown whether complete" in shown(full_report)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
def test_everything_measured_is_said_by_the_counts_alone() -> None:
    """The page's own script, on the data of a page."""
    script = (Path(html.__file__).parent / "page" / "data.js").read_text()
    complete = RunSummary(
        space="s",
        searched=False,
        points=1,
        done=1,
        outside=0,
        failed=0,
        not_started=0,
        impossible=[],
        equal=0,
        ended="complete",
        reason="",
        began="",
        written="",
    )
    parts = {"points": 2, "not_started": 1, "ended": "budget"}
    answers = []
    for run in (complete, msgspec.structs.replace(complete, **parts), None):
        contents = html.contents(report([RECORDS[0]], TITLE, run=run, simulated=0))
        text = json.dumps(json.dumps(contents))
        code = (
            f"const Dom = {{ byId: () => ({{ textContent: {text} }}) }};\n{script}\n"
            "console.log(Data.nothingLeftOut());"
        )
        answers.append(
            subprocess.run(
                ["node", "-"], input=code, capture_output=True, text=True, check=True
            ).stdout.strip()
        )
    less = "No record failed or was outside the space."
    assert answers == ["Every point was measured.", less, less]


def shown(summarised: Report) -> str:
    """The summary of a report on a terminal."""
    screen = Console(width=80, record=True, highlight=False, file=io.StringIO())
    screen.print(text.summary(summarised))
    return screen.export_text()


@pytest.fixture
def explored(tmp_path: Path) -> Path:
    """A directory as `modmul explore` leaves it."""
    store = Store(tmp_path / "found")
    with store.writing("width = 128\n"):
        for record in RECORDS:
            store.put(record)
    return store.root


def test_command(explored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(explored)]) == 0
    assert "16 measured" in capsys.readouterr().out
    page = tmp_path / "new" / "page.html"
    words = ["report", str(explored), "-o", str(page), "--schedules", "0", "--title", "T", "--json"]
    assert main(words) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["files"] == [{"path": str(page), "size": page.stat().st_size}]
    assert {point["group"] for point in said["front"]} >= {"ecp5 · 128 bit · GF(p)"}
    assert "<title>T</title>" in page.read_text()


def test_the_title_is_that_of_the_space(explored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def title() -> str:
        assert main(["report", str(explored), "--json", "--schedules", "0"]) == 0
        printed: str = json.loads(capsys.readouterr().out)["title"]
        return printed

    assert title() == "found"  # no counts of a run, no summary
    (explored / "space.toml").write_text('summary = "some bits"\n')
    assert title() == "found: some bits"
    Store(explored).summarise(
        RunSummary(
            space="mine",
            searched=False,
            points=18,
            done=16,
            outside=1,
            failed=1,
            not_started=0,
            impossible=[],
            equal=0,
            ended="complete",
            reason="",
            began="",
            written="",
        )
    )
    assert title() == "mine: some bits"
    for broken in ("summary = 3\n", "summary"):
        (explored / "space.toml").write_text(broken)
        assert title() == "mine"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere"], "nowhere"),
        (["empty"], "no point"),
        (["found", "-o", "found"], "is a directory"),
        (["found", "-o", "file/page.html"], "not a directory"),
        (["found", "--pictures", "file/folder"], "not a directory"),
        (["found", "--schedules", "-1"], "schedules"),
    ],
)
def test_bad_input(
    explored: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(explored.parent)
    Path("file").write_text("")
    (explored.parent / "empty" / "points").mkdir(parents=True)
    assert main(["report", *words]) == 2
    assert message in capsys.readouterr().err
