"""README and docs: what can be run is run, what is said in figures is compared with the code.

Verbs that take minutes (on what the pages name) are only parsed; other tests run them."""

from __future__ import annotations

import dataclasses
import doctest
import functools
import importlib
import importlib.resources
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from amaranth.hdl import Fragment
from markdown_it import MarkdownIt
from markdown_it.token import Token

import modmul
from modmul import designs, host, multipliers
from modmul.cli import main
from modmul.cli.application import application
from modmul.cli.options import ALL
from modmul.cli.verbs import VERBS
from modmul.exploration.grid import grid
from modmul.exploration.space import parse
from modmul.export import hdl
from modmul.export.ports import ports
from modmul.multipliers.fpmm import Fpmm
from modmul.multipliers.fpmm.columns_schedule import ColumnsSchedule

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
BUILD = ROOT / "docs" / "build.md"
RECIPES = ROOT / "docs" / "recipes"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
PAGES += sorted((ROOT / "docs" / "decisions").glob("*.md")) + sorted(RECIPES.glob("*.md"))
# In the long run, unless the command says how little is wanted.
SLOW = {"explore", "implement", "papers", "query", "recommend", "report", "verify"}
QUICK = {"--architecture interleaved"} if os.environ.get("CONFORMANCE") else set()
NEEDS_RESULTS = "--results"


@functools.cache
def tokens(page: Path) -> list[Token]:
    parsed = MarkdownIt("commonmark").enable("table").parse(page.read_text())
    return [token for block in parsed for token in (block, *(block.children or ()))]


@functools.cache
def blocks(page: Path, language: str) -> list[str]:
    return [t.content for t in tokens(page) if t.type == "fence" and t.info.strip() == language]


def having(language: str) -> list[Path]:
    """The pages with such blocks, told by the text: each worker asks before it has any test."""
    fence = re.compile(rf"^ *```{language} *$", re.MULTILINE)
    return [page for page in PAGES if fence.search(page.read_text())]


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("language", ["console", "pycon", "python", "toml", "toml space"])
def test_pages_with_blocks_are_found(language: str) -> None:
    assert having(language) == [page for page in PAGES if blocks(page, language)]


@pytest.fixture
def current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory with the examples, as the current one."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


# Up to half a minute each, of synthesis, of building processors and of forecasts: by default only
# read.
LONG = {
    "README.md",
    "docs/binary-curves.md",
    "docs/curves.md",
    "docs/exploration.md",
    "docs/fips.md",
    "docs/integration.md",
    "docs/processors.md",
    "docs/recipes/ecdsa.md",
    "docs/recipes/fusesoc.md",
    "docs/recipes/litex.md",
    "docs/recipes/multiplier.md",
    "docs/recipes/quartus.md",
    "docs/recipes/rsa.md",
    "docs/recipes/sm2.md",
    "docs/recipes/vivado.md",
    "docs/recipes/x25519.md",
    "docs/rsa.md",
    "docs/signatures.md",
}


def console_pages() -> Iterator[object]:
    for page in having("console"):
        yield pytest.param(page, name(page) not in LONG, id=name(page))
        if name(page) in LONG:
            yield pytest.param(page, True, marks=pytest.mark.long, id=f"{name(page)}, run")


@pytest.mark.parametrize(("page", "runs"), [*console_pages()])
def test_commands(
    page: Path, runs: bool, current_directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each ends well; where the page shows what is printed, it is printed.  Programs other than
    modmul run where they are installed."""
    ran = set()
    for block in blocks(page, "console"):
        for command in re.split(r"^\$ ", block, flags=re.M)[1:]:
            line, _, shown = command.partition("\n")
            program, *words = shlex.split(line, comments=True)
            if program != "modmul":
                if runs:
                    assert shown.rstrip() in of_the_shell(line), line
                continue
            application(words[0], ALL).parse_args(words, exit_on_error=False, print_error=False)
            slow = words[0] in SLOW and not any(quick in line for quick in QUICK)
            if slow or not runs or NEEDS_RESULTS in words or command in ran:
                continue
            ran.add(command)
            assert main(words) == 0, line
            assert shown.rstrip() in capsys.readouterr().out


def of_the_shell(line: str) -> str:
    """What a command prints; nothing if a program of it is not installed, or takes long."""
    programs = {re.split(r"\s", part.strip())[0] for part in re.split(r"&&|\|", line)}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    missing = any(not shutil.which(each, path=path) for each in programs - {"cd"})
    if missing or "python -m " in line or "pip install" in line:
        return ""
    command = ["sh", "-ec", line]
    environment = {**os.environ, "PATH": path}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return done.stdout


@pytest.mark.parametrize("page", sorted(RECIPES.glob("*.md")), ids=name)
def test_recipes_have_few_steps(page: Path) -> None:
    assert 3 <= len(re.findall(r"^\d+\. ", page.read_text(), re.M)) <= 10


def test_component_in_vhdl_has_the_ports() -> None:
    (component,) = blocks(RECIPES / "vhdl.md", "vhdl")
    spec = modmul.Spec.from_options({"modulus": "p256", "target": "ecp5"})
    widths = {"std_logic": 1} | {f"std_logic_vector({n - 1} downto 0)": n for n in range(2, 99)}
    declared = re.findall(r"(\w+) +: (in |out) (std_logic[^;\n]*)", component)
    assert [(port, where.strip(), widths[kind]) for port, where, kind in declared] == [
        (port.name, port.direction.removesuffix("put"), port.width)
        for port in ports(spec.multiplier, "stream")
    ]


@pytest.mark.parametrize("page", having("pycon"), ids=name)
def test_sessions(page: Path, current_directory: Path) -> None:
    session = "\n".join(blocks(page, "pycon"))
    example = doctest.DocTestParser().get_doctest(session, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert example.examples
    assert runner.run(example).failed == 0


def program_pages() -> Iterator[object]:
    for page in having("python"):
        yield pytest.param(page, False, id=name(page))
        if "Simulated" in page.read_text():
            yield pytest.param(page, True, marks=pytest.mark.long, id=f"{name(page)}, simulated")


@pytest.mark.parametrize(("page", "simulates"), [*program_pages()])
def test_programs(
    page: Path, simulates: bool, current_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The blocks of a page are one program; a `design` in it can be elaborated.  By default the
    golden model of a processor is in the place of its simulator, which has to be compiled."""
    if not simulates:
        monkeypatch.setattr(host, "Simulated", host.Modelled)
    source = "".join(blocks(page, "python"))
    names: dict[str, object] = {"__name__": "documentation"}
    exec(compile(source, page.name, "exec"), names)
    if "design" in names:
        assert Fragment.get(names["design"], None)


@pytest.mark.parametrize("page", having("toml"), ids=name)
def test_specifications(page: Path) -> None:
    for block in blocks(page, "toml"):
        modmul.Spec.from_options(tomllib.loads(block))


@pytest.mark.parametrize("page", having("toml space"), ids=name)
def test_spaces(page: Path) -> None:
    for block in blocks(page, "toml space"):
        assert grid(parse(block, page.name)).points


def test_recipe_shows_its_job() -> None:
    (block,) = blocks(RECIPES / "multiplier.md", "toml")
    job = modmul.Spec.from_file(Path("multiplier-p256"), {"target": "ecp5"})
    assert modmul.Spec.from_options(tomllib.loads(block)) == job


SECTIONS = ["Algorithm", "Bounds", "Cycles", "Source", "Parameters"]


@functools.cache
def page_writer() -> dict[str, Any]:
    """The names of the program that writes parts of the pages."""
    return runpy.run_path(str(ROOT / "docs" / "pages.py"))


def test_pages_list_what_the_registries_hold() -> None:
    """`python docs/pages.py` writes the lists of papers and of architectures."""
    page = README.read_text()
    assert page_writer()["readme"](page) == page
    page = (ROOT / "docs" / "architectures.md").read_text()
    assert page_writer()["architectures"](page) == page
    assert all(f"| `{name}` |" in page for name in multipliers.NAMES)


def test_generated_pages(tmp_path: Path) -> None:
    """Every architecture, verb and file of the package is described."""
    page_writer()["write"](tmp_path)
    for entry in multipliers.NAMES:
        page = (tmp_path / f"{entry}.md").read_text()
        titles = re.findall(r"^## (.*)$", page, re.M)
        assert [title for title in titles if title != "Figures"] == SECTIONS
        assert re.search(r"## Cycles\n(?s:.*?)\| \d+ \| [\d,]+", page)
    verbs = (tmp_path / "verbs.md").read_text()
    assert all(f"\n## modmul {verb}\n" in verbs for verb in VERBS)
    page = (tmp_path / "modules.md").read_text()
    sections = dict(re.findall(r"^## `(\S+)/`\n(.*?)(?=^##|\Z)", page, re.M | re.S))
    source = ROOT / "src"
    for path in sorted(source.rglob("*.py")):
        section = sections[path.parent.relative_to(source).as_posix()]
        if path.name != "__init__.py":
            assert re.search(rf"^- `{re.escape(path.name)}`: \S", section, re.M), path


def test_architecture_page_has_every_package() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    packages = re.findall(r"^\| `([\w.]+)/?` \|", page, re.M)
    package = ROOT / "src" / "modmul"
    top = {path.name for path in package.iterdir() if path.suffix in ("", ".py")}
    assert top - set(packages) == {"__init__.py", "__main__.py", "__pycache__"} & top


@pytest.mark.skipif(not shutil.which("iverilog"), reason="needs Icarus Verilog")
def test_small_testbench_of_the_pages(
    current_directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The commands in its head, as they stand there."""
    head = (ROOT / "examples" / "p256_tb.v").read_text().partition("`timescale")[0]
    commands = re.findall(r"^//   (.*)$", head, re.M)
    build, constants = (shlex.split(line) for line in commands[:2])
    assert main([*build[1:], "--no-check"]) == 0
    capsys.readouterr()
    assert main(constants[1 : constants.index(">")]) == 0
    Path(constants[-1]).write_text(capsys.readouterr().out)
    assert commands[2] == "cd p256" and commands[3] in BUILD.read_text()
    script = "\n".join(commands[2:])
    done = subprocess.run(["sh", "-ec", script], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("right\n"), done.stdout


def test_tables_of_figures_are_those_of_the_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """`python -m docs.measured` writes them, in the order of the designs."""
    monkeypatch.syspath_prepend(str(ROOT))
    measured = importlib.import_module("docs.measured")
    rows = json.loads(measured.FIGURES.read_text())
    for name, table in measured.TABLES.items():
        own = {row["label"]: row["spec"] for row in rows if row["table"] == name}
        assert [*own.items()] == [
            (design.label, design.options) for design in table.designs if design.label in own
        ]
        assert table.written(name, rows) == (ROOT / table.page).read_text()


def test_a_row_of_other_text_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """By emission alone: a wire more in the Verilog, but not a comment more."""
    monkeypatch.syspath_prepend(str(ROOT))
    measured = importlib.import_module("docs.measured")
    spec = modmul.Spec.from_options({"architecture": "interleaved", "width": 8})
    written = hdl.emit(spec.design)
    kept = measured.digest(spec)
    designs = [measured.Measured("same", spec, kept), measured.Measured("none", spec, None)]
    unknown = "none: not measured, or its text was not recorded"
    for more, named in (("// more", []), ("wire more;", ["same: measured on other text"])):
        other = dataclasses.replace(written, verilog=f"{more}\n{written.verilog}")
        monkeypatch.setattr(hdl, "emit", lambda *_, text=other, **__: text)
        assert [*measured.stale(designs)] == [*named, unknown]


def test_every_design_has_a_campaign_of_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million faults in all; silent and released results of protected designs are named."""
    monkeypatch.syspath_prepend(str(ROOT))
    measured = importlib.import_module("docs.measured")
    campaigns = measured.FAULT_DESIGNS
    assert {campaign.options["architecture"] for campaign in campaigns} == {*designs.NAMES}
    assert sum(campaign.faults for campaign in campaigns) >= 1_000_000
    for campaign in campaigns:
        modmul.Spec.from_options(campaign.options)
    counts = {"harmless": 5, "silent": 1, "released": 0}
    rows = [
        {"label": choice, "spec": {"protection": choice}, "effects": {"memory": counts}}
        for choice in ("none", "full")
    ]
    assert [*measured._unsafe(rows)] == ["full, memory: 1 silent, 0 released", "12 faults"]


def test_faults_of_built_pages_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    wrong = importlib.import_module("docs.html_check").wrong
    page = tmp_path / "a.html"
    head = '<meta name="viewport" content="width=device-width"><h1 id="top">A</h1>'
    page.write_text(f'{head}<h2>B</h2><a href="#top">up</a><img src="a.html" alt="text">')
    assert [*wrong(tmp_path)] == []
    for body, named in {
        '<a href="b.html">': "no b.html",
        '<a href="a.html#none">': "no place a.html#none",
        "<h3>": "a heading of level 3 below one of level 1",
        "<h1>": "2 titles",
        '<img src="a.html">': "no text for the picture a.html",
        '<script src="https://example.org/a.js">': "loads https://example.org/a.js",
        '<img src="b.png" alt="b">': "loads b.png, which does not exist",
    }.items():
        page.write_text(head + body)
        assert [*wrong(tmp_path)] == [f"a.html: {named}"]
    page.write_text("<h1>A</h1>")
    assert [*wrong(tmp_path)] == ["a.html: no viewport for phones"]


def test_citation_has_the_version() -> None:
    assert f"version: {modmul.__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_readme_design_in_one_minute(
    current_directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every port of the module is connected, `build` writes the files of the table on its page,
    and the testbench runs as the README says."""
    (instance,) = blocks(README, "verilog")
    build, *_ = blocks(README, "console")
    assert main(shlex.split(build)[2:]) == 0
    written = json.loads(Path("p256/fpmm_256_F2x8D_ecp5.json").read_text())
    multiplier = modmul.Spec.from_options(written["spec"]).multiplier
    assert instance.startswith(f"{written['modules']['stream']} ")
    assert re.findall(r"\.(\w+)\(", instance) == [p.name for p in ports(multiplier, "stream")]
    assert f"{multiplier.beats + 1} beats of {multiplier.beat} bits: what" in instance
    page = BUILD.read_text()
    for file in Path("p256").rglob("*.*"):
        assert file.name in page or f"`{file.suffix}`" in page, file.name
    (script,) = re.findall(r"^    (cd p256 && iverilog .*)$", README.read_text(), re.M)
    if shutil.which("iverilog"):
        words = ["sh", "-ec", f"{script} +products=9"]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        assert "PASS 9 products" in done.stdout


def text_commands() -> Iterator[object]:
    for command in re.findall(r"`(modmul [^`]+)`", README.read_text()):
        long = command.startswith("modmul simulate")  # compiles a processor
        yield pytest.param(command, marks=pytest.mark.long if long else ())


@pytest.mark.parametrize("command", [*text_commands()])
def test_commands_in_the_text_of_the_readme(command: str, current_directory: Path) -> None:
    """Those that take long are only parsed; the next test runs the builds."""
    _, verb, *words = shlex.split(command)
    application(verb, ALL).parse_args([verb, *words], exit_on_error=False, print_error=False)
    if words and verb not in {"build", *SLOW}:
        assert main([verb, *words]) == 0


def goals() -> list[tuple[str, str]]:
    """Architecture and command of each row of the README on which design to take."""
    return re.findall(r"^\| .* \| `(\S+)` \| `modmul (build .*)` \|$", README.read_text(), re.M)


def test_readme_has_six_goals() -> None:
    assert len(goals()) == 6


@pytest.mark.parametrize(("architecture", "command"), goals())
def test_readme_builds_what_fits_a_goal(
    architecture: str, command: str, current_directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*shlex.split(command), "--no-check", "-o", "out"]) == 0
    (description,) = Path("out").glob("*.json")
    assert json.loads(description.read_text())["spec"]["architecture"] == architecture


def test_readme_cycles_of_jobs() -> None:
    rows = re.findall(r"^\| `(\S+)` \| `(\S+)`.*? \| ([\d,]+) \|", README.read_text(), re.M)
    assert [job for job, *_ in rows] == ["ecdsa-p256", "rsa-2048", "x25519"]
    for job, operation, cycles in rows:
        design = modmul.Spec.from_file(Path(job)).design
        mode = next(mode for mode in design.modes if mode.operation == operation)
        assert f"{design.latency(mode).maximum:,}" == cycles, job


@pytest.mark.long
def test_readme_cycles_are_those_that_its_commands_print(
    current_directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = re.findall(
        r"^\| `\S+` \| `.*\| ([\d,]+) \| `modmul (simulate [^`]+)`", README.read_text(), re.M
    )
    assert len(rows) == 2
    for cycles, command in rows:
        capsys.readouterr()
        assert main([*shlex.split(command), "--json"]) == 0
        assert f"{json.loads(capsys.readouterr().out)['cycles']:,}" == cycles, command


def test_readme_compares_with_stored_figures() -> None:
    """Those of other designs that are kept here, and ours in the first table."""
    page = README.read_text()
    peers = tomllib.loads((ROOT / "benchmarks" / "peers.toml").read_text())["peer"]
    printed = importlib.resources.files("modmul.papers") / "figures" / "processors.toml"
    ours = {
        row["label"]: row
        for row in json.loads((ROOT / "docs" / "measured.json").read_text())
        if row["table"] == "measured"
    }

    def in_line(name: str, *figures: str) -> None:
        (line,) = (line for line in page.splitlines() if line.startswith(f"| [{name}"))
        assert all(figure in line for figure in figures), (name, figures)

    def peer(name: str, bits: int) -> dict[str, Any]:
        return next(row for row in peers if row["name"].startswith(name) and row["bits"] == bits)

    def cycles(label: str) -> int:
        spec = modmul.Spec.from_options(ours[label]["spec"])
        return round(spec.design.cycles_per_product(spec.headline))

    fios, own = peer("FIOS_DSP_MM expanded", 128), ours["any N of 128 bits"]
    rate, own_rate = fios["mhz"] / fios["interval_cc"], own["usable_mhz"] / cycles(own["label"])
    in_line("FIOS", f"{own_rate:.1f} M on {own['lut']} LUTs", f"{rate:.1f} M on {fios['lut']:,}")
    small, large = peer("secworks", 256), peer("mod_sim_exp", 256)
    of_p256 = [cycles(label) for label in ours if "P-256" in label]
    theirs = f"{small['interval_cc']:,} and {large['interval_cc']}"
    span = f"in {min(of_p256)} to {max(of_p256)} cycles"
    in_line("secworks", f"{small['lut']} LUTs", theirs, span)
    barrett = peer("hardcaml", 377)
    in_line("hardcaml", f"{barrett['mhz']} MHz", f"{barrett['dsp']} DSP blocks")
    otbn = {
        row["operation"]: f"{row['cycles']:,}"
        for kind in tomllib.loads(printed.read_text()).values()
        for row in kind
        if row["name"].startswith("OTBN")
    }
    operations = "X25519", "P-256 ECDSA sign", "RSA-2048 private, without CRT"
    in_line("OTBN", *(otbn[operation] for operation in operations))


def test_readme_is_short_and_shows_its_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """`python -m docs.measured` draws the picture."""
    page = README.read_text()
    assert len(page.splitlines()) <= 200
    monkeypatch.syspath_prepend(str(ROOT))
    overview = importlib.import_module("docs.overview")
    assert f"]({overview.PICTURE.relative_to(ROOT).as_posix()})" in page
    rows = json.loads((ROOT / "docs" / "measured.json").read_text())
    assert overview.draw(rows) == overview.PICTURE.read_text()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_and_targets_of_make(page: Path) -> None:
    for token in tokens(page):
        place = str(token.attrs.get("href") or token.attrs.get("src") or "").partition("#")[0]
        if place and "://" not in place:
            assert (page.parent / place).exists(), place
    makefile = (ROOT / "Makefile").read_text()
    for goal in re.findall(r"\bmake ([a-z]+)`|^ +make ([a-z]+)", page.read_text(), flags=re.M):
        assert f"\n{''.join(goal)}:" in makefile, goal


def test_sections_that_the_readme_links_to() -> None:
    """By the anchors that GitHub makes of headings: Sphinx does not read the README."""
    links = re.findall(r"\]\((docs/[\w/-]+\.md)#([\w-]+)\)", README.read_text())
    assert links
    for page, anchor in links:
        titles = re.findall(r"^#+ (.*)$", (ROOT / page).read_text(), re.M)
        words = [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles]
        assert anchor in words, f"{page}#{anchor}"


def test_pictures_are_whole_and_load_nothing() -> None:
    pictures = list((ROOT / "docs" / "images").glob("*.svg"))
    assert pictures
    for picture in pictures:
        text = picture.read_text()
        ElementTree.fromstring(text)
        assert not re.search(r"(?:href|src|url)\s*[=(]\s*[\"']?https?:", text), picture.name
    shown = (ROOT / "docs" / "images" / "terminal.svg").read_text().replace("&#160;", " ")
    assert "golden model" in shown and "usable clock" in shown  # not the commands alone


def test_example_in_amaranth() -> None:
    example = runpy.run_path(str(ROOT / "examples" / "in_amaranth.py"))
    modulus, factor = example["P"], example["R"]
    values = [0, 1, modulus - 1, 2 * modulus - 1, 3 * factor % modulus]
    results = example["square"](values, modulus)
    inverse = pow(factor, -1, modulus)
    assert [r % modulus for r in results] == [x * x * inverse % modulus for x in values]
    assert all(result < 2 * modulus for result in results)


def test_the_page_on_architectures_shows_the_smallest_one() -> None:
    shown = "".join(blocks(ROOT / "docs" / "adding-an-architecture.md", "python"))
    source = (
        ROOT / "src" / "modmul" / "multipliers" / "radix2" / "montgomery_radix2.py"
    ).read_text()
    assert shown.split() == source.split()


def rows(page: str, columns: int) -> list[list[str]]:
    """Table rows of that many columns whose first cell is a word in code style."""
    table = []
    for line in (ROOT / "docs" / page).read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and len(cells) == columns:
            table.append(cells)
    return table


def test_cycles_of_the_fpmm_page() -> None:
    """target, pipeline, datapath, loop, first word; slots and latency at 128, 256, 512 bits."""
    table = rows("fpmm.md", 11)
    assert len(table) == 12
    for target, pipeline, datapath, *figures in table:
        loop, first, *pairs = map(int, figures)
        for width, slots, latency in zip((128, 256, 512), pairs[::2], pairs[1::2], strict=True):
            design = Fpmm(width=width, target=target.strip("`"), pipeline=pipeline.strip("`"))
            schedule = design.schedule
            kind = "columns" if isinstance(schedule, ColumnsSchedule) else "cascade"
            assert (kind, schedule.loop, schedule.first_word) == (datapath, loop, first)
            assert (design.slots, design.latency().maximum) == (slots, latency)


def test_page_of_curves_shows_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the areas and clocks kept beside the page, each with the cycles of today's design."""
    monkeypatch.syspath_prepend(str(ROOT))
    engine = importlib.import_module("benchmarks.engine")
    text, figures = engine.PAGE.read_text(), json.loads(engine.FIGURES.read_text())
    assert engine.page(text, figures) == text
    for part, specs in (("engines", engine.specs()), ("schemes", engine.specs_of_schemes())):
        assert {(row["multiplier"], row["chip"], row["curve"]) for row in figures[part]} == {
            (name, spec.design.chip.name, curve) for name, spec, names in specs for curve in names
        }


@pytest.mark.long
def test_cycles_of_curves_are_those_of_today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    engine = importlib.import_module("benchmarks.engine")
    tables = importlib.import_module("benchmarks.curve_cycles")
    text, figures = engine.PAGE.read_text(), json.loads(engine.FIGURES.read_text())
    assert tables.page(text) == text
    designs = {
        (name, spec.design.chip.name, curve): spec.design
        for name, spec, names in engine.specs()
        for curve in names
    }
    for row in figures["engines"]:
        design = designs[row["multiplier"], row["chip"], row["curve"]]
        assert tables.alone(design, row["curve"]) == row["cycles"]
        times, cycles = tables.together(design, row["curve"])
        assert (times, cycles // times) == (row["at_once"], row["cycles_each"])
    signing = {
        (name, spec.design.width, curve): spec.design
        for name, spec, names in engine.specs_of_schemes()
        for curve in names
    }
    for row in figures["schemes"]:
        design = signing[row["multiplier"], row["spec"]["width"], row["curve"]]
        assert tables.cycles(design, row["curve"], row["operation"]) == row["cycles"]


@pytest.mark.long
def test_cycles_of_binary_curves_are_those_of_today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    tables = importlib.import_module("benchmarks.binary_cycles")
    text = tables.PAGE.read_text()
    assert tables.page(text) == text


@pytest.mark.parametrize(
    ("operation", "options"),
    [
        ("ecdsa-sign", {"architecture": "curve", "curve": "p256", "schemes": "ecdsa"}),
        ("ecdsa-verify", {"architecture": "curve", "curve": "p256", "schemes": "ecdsa"}),
        ("x-multiply", {"architecture": "curve", "curve": "x25519"}),
        ("private", {"architecture": "rsa", "width": 1024}),
    ],
)
def test_cycles_of_the_cores_are_those_of_today(operation: str, options: dict[str, Any]) -> None:
    """In the table of docs/integration.md; `make soc` compares those of a CPU."""
    page = (ROOT / "docs" / "integration.md").read_text()
    row = re.search(rf"^\| `{operation}`.*\| ([0-9,]+) \|$", page, re.MULTILINE)
    spec = modmul.Spec.from_options({"multiplier": "fpmm", **options})
    mode = next(mode for mode in spec.design.modes if mode.operation == operation)
    assert row and int(row[1].replace(",", "")) == spec.design.latency(mode).maximum


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "decisions").glob("0*.md")), ids=name)
def test_decisions_are_short(page: Path) -> None:
    """Context, choice, consequence, in at most 40 lines."""
    lines = page.read_text().splitlines()
    titles = [line for line in lines if line.startswith("## ")]
    assert len(lines) <= 40
    assert titles[:2] == ["## Context", "## Choice"] and titles[-1] == "## Consequence"
