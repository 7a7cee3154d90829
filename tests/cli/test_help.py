"""Help, examples, options of other architectures, completion, and what a command line loads."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from cyclopts import CycloptsError

from modmul import designs, multipliers
from modmul.cli import main
from modmul.cli.application import application
from modmul.cli.options import SHARED, DesignChoice, choice_of
from modmul.cli.verbs import EXAMPLES, OF_A_SPEC, SUMMARY, VERBS
from modmul.parameters import parameters
from modmul.spec.keys import COMMON

Capture = pytest.CaptureFixture[str]
QUICK = ("list", "constants", "schema", "tools")  # verbs whose examples run
ROOT = Path(__file__).parents[2]
SHELLS = ("bash", "zsh", "fish")


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MODMUL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "100")


def shown(capsys: Capture, *words: str) -> str:
    assert main(words) == 0
    return capsys.readouterr().out


def options(text: str) -> set[str]:
    return set(re.findall(r"^│ --([a-z0-9-]+)", text, re.MULTILINE))


def own(name: str) -> set[str]:
    return set(parameters(multipliers.find(name))) - set(SHARED)


def test_the_first_sentence_is_that_of_the_package_and_names_both_roles() -> None:
    package = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["description"]
    assert f"{package}." == SUMMARY
    assert "multipliers and processors" in SUMMARY


# ---- help ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", OF_A_SPEC)
def test_plain_help_is_the_common_options(capsys: Capture, verb: str) -> None:
    text = shown(capsys, verb, "--help")
    listed = options(text)
    assert {*COMMON, *SHARED, "json"} <= listed
    assert not listed & set().union(*map(own, multipliers.NAMES))
    assert len(text.splitlines()) < 65
    last = " ".join(text.partition("Options of one architecture:")[2].split())
    assert f"modmul {verb} --help --architecture NAME" in last
    assert last.endswith(f"NAME: {', '.join(designs.NAMES)}")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long if place % 4 else ())
        for place, name in enumerate(multipliers.NAMES)
    ],
)
def test_help_of_an_architecture_has_its_options_and_no_other(capsys: Capture, name: str) -> None:
    text = shown(capsys, "build", "--help", "--architecture", name)
    known = parameters(multipliers.find(name))
    of_verb = {
        *("output", "check", "bus", "banks", "data-bits", "reset", "reset-active", "package"),
        "clock-enable",
        *("no-initial-values", "language", "seeds", "json"),
    }
    assert options(text) == {*COMMON, *of_verb, *known}
    plain = " ".join(re.sub(r"[│╭╰─╮╯]", " ", text).split())
    common, _, about = plain.partition(f"Options of {name} ")
    for key, field in known.items():
        place = common if key in SHARED else about
        assert f"--{key} " in place
        assert field.help in place
        if field.default is not None and not isinstance(field.default, bool):
            assert f"default {field.default})" in place
        if field.allowed() != "true or false":
            assert field.allowed() in place
    assert f"modmul list {name}" in plain
    assert (f"Options of {name} " in plain) == bool(own(name))


@pytest.mark.parametrize(
    "words",
    [
        ["build", "--architecture", "fips", "--help"],
        ["build", "--help", "--architecture=fips"],
        ["--help", "build", "--architecture", "fips"],
        ["build", "SPEC", "--help"],
        ["build", "-h", "--json", "SPEC"],
    ],
)
def test_help_of_an_architecture_in_any_order(
    capsys: Capture, tmp_path: Path, words: list[str]
) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text('architecture = "fips"\nmodulus = "p256"\n')
    words = [str(spec) if word == "SPEC" else word for word in words]
    text = shown(capsys, *words)
    assert "Options of fips" in text and own("fips") <= options(text)


def test_help_of_a_spec_without_architecture_is_that_of_the_default(
    capsys: Capture, tmp_path: Path
) -> None:
    (tmp_path / "spec.toml").write_text('modulus = "p256"\n')
    assert "Options of fpmm" in shown(capsys, "verify", str(tmp_path / "spec.toml"), "--help")


@pytest.mark.parametrize("last", [["--architecture", "fpm"], ["none.toml"]])
def test_help_of_what_there_is_not_is_refused(capsys: Capture, last: list[str]) -> None:
    assert main(["build", "--help", *last]) == 2
    assert last[-1] in capsys.readouterr().err


def test_help_of_the_program(capsys: Capture) -> None:
    text = shown(capsys, "--help")
    assert text == shown(capsys) == shown(capsys, "-h")
    assert all(re.search(rf"^  {verb} ", text, re.MULTILINE) for verb in VERBS)
    assert "Exit codes: 0 done" in text and "--install-completion" in text
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("verb", VERBS)
def test_every_help_has_two_examples_that_work(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, verb: str
) -> None:
    monkeypatch.chdir(tmp_path)
    text = shown(capsys, verb, "--help")
    assert len(EXAMPLES[verb]) == 2
    for line in EXAMPLES[verb]:
        assert f"  {line}\n" in text
        program, *words = shlex.split(line)
        assert (program, words[0]) == ("modmul", verb)
        choice = choice_of(words) if verb in OF_A_SPEC else None
        application(verb, choice).parse_args(words, exit_on_error=False, print_error=False)
        if verb in QUICK:
            assert main(words) == 0, line


# ---- options of other architectures --------------------------------------------------------------


def test_an_option_of_another_architecture_says_whose_it_is(capsys: Capture) -> None:
    assert main(["build", "--modulus", "p256", "--partitions", "4"]) == 2
    assert "fpmm has no partitions (it is one of three-pass, array-mux4)" in capsys.readouterr().err
    assert main(["verify", "--architecture", "interleaved", "--slots", "4", "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert (error["key"], error["value"]) == ("slots", 4)
    assert "interleaved has no slots (it is one of fpmm, fpmm-fixed)" in error["message"]


def test_an_option_that_nobody_has_gets_a_suggestion(capsys: Capture) -> None:
    assert main(["build", "--partitons", "4"]) == 2
    assert "Did you mean --partitions?" in capsys.readouterr().err


def test_options_of_the_architecture_of_a_file(capsys: Capture, tmp_path: Path) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text('architecture = "fips"\nmodulus = "p256"\nword = 16\n')
    assert main(["constants", str(spec), "--word", "64", "--multipliers", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["word"] == 64


@pytest.mark.parametrize(
    "line",
    [
        "build",
        "build spec.toml --width 8",
        "build --width=8 --Latency-Reduction 2 -o out",
        "build --latency_reduction 2 --output --width 8",
        "build --width --target ecp5",
        "build --architecture fips --no-bypass-zero --bypass-zero --bus apb4",
        "build --modulus -5",
        "build --architecture curve --multiplier fips --word 16 --curve p256",
        "build --wid 8",
        "build -- --width",
        "build --modulus -- 8",
        "build one two",
        "build --nothing --width 8",
        "simulate --modulus p256 --a 5 --b 7",
        "verify -j 2 --seed -1 --slots 8.5",
    ],
)
def test_only_options_that_are_named_are_built_and_mean_the_same(line: str) -> None:
    verb, *words = line.split()
    choice = choice_of([verb, *words])

    def parsed(chosen: DesignChoice) -> tuple[str, object]:
        app = application(verb, chosen)
        try:
            result = app.parse_args([verb, *words], exit_on_error=False, print_error=False)
        except CycloptsError as error:
            return type(error).__name__, None
        return "", result[1].arguments

    assert choice.words is not None
    assert parsed(choice) == parsed(choice._replace(words=None))


# ---- completion ----------------------------------------------------------------------------------

ASK = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_modmul
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("completion")
    paths = {shell: folder / shell for shell in SHELLS}
    for shell, path in paths.items():
        assert main(["--install-completion", shell, "-o", str(path)]) == 0
    return paths


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_knows_verbs_options_and_values(scripts: dict[str, Path], shell: str) -> None:
    text = scripts[shell].read_text()
    for word in (*VERBS, "architecture", "latency-reduction", "montgomery-lookahead", "partitions"):
        assert word in text
    if shutil.which(shell):
        done = subprocess.run([shell, "-n", scripts[shell]], capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("bui", {"build"}),
        ("build --arch", {"--architecture"}),
        ("build --architecture fip", {"fips"}),
        ("verify --target xc", {"xc7", "xc4v", "xc5v", "xc6s", "xcup", "xcve", "xc2vp"}),
        ("implement --parti", {"--partitions"}),
        ("build --interface ", {"stream", "core"}),
    ],
)
def test_bash_completes(scripts: dict[str, Path], line: str, offered: set[str]) -> None:
    words = ["bash", "-c", ASK, "ask", str(scripts["bash"]), "modmul", *line.split(" ")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == offered


@pytest.mark.long
def test_completion_is_installed_where_the_shell_looks(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("ZSH", raising=False)
    monkeypatch.delenv("ZSH_CUSTOM", raising=False)
    for shell in SHELLS if os.environ.get("CONFORMANCE") else ("bash", "zsh"):
        assert main(["--install-completion", shell, "--json"]) == 0
        data = json.loads(capsys.readouterr().out)
        place = Path(data["path"])
        assert data["shell"] == shell and place.is_relative_to(tmp_path) and place.is_file()
    assert "completions/modmul" in (tmp_path / ".bashrc").read_text()
    assert ".zsh/completions" in (tmp_path / ".zshrc").read_text()


def test_no_completion_for_an_unknown_shell(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["--install-completion", "tcsh"]) == 2
    assert "tcsh" in capsys.readouterr().err
    monkeypatch.setattr("cyclopts.completion.detect.detect_shell", lambda: "powershell")
    assert main(["--install-completion"]) == 2
    assert "name one of bash, zsh, fish" in capsys.readouterr().err


# ---- what is loaded ------------------------------------------------------------------------------

LOADED = """
import json, sys
from modmul.cli import main
code = main(sys.argv[1:])
slow = ("amaranth", "cyclopts", "duckdb", "flint", "jinja2", "matplotlib", "numpy", "rich")
print(json.dumps([code, [name for name in slow if name in sys.modules]]), file=sys.stderr)
"""


def loaded(*words: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words], capture_output=True, text=True, check=True
    )
    code, modules = json.loads(done.stderr)
    assert code == 0
    return list(modules)


def test_only_what_is_used_is_loaded() -> None:
    """Counted in modules: seconds depend on the machine."""
    assert loaded("--help") == loaded("--version") == []
    assert loaded("constants", "--modulus", "p256") == ["cyclopts"]
    assert loaded("constants", "--architecture", "fpmm", "--modulus", "p256", "--format", "c") == [
        "cyclopts"
    ]
    assert set(loaded("list")) > {"amaranth"}
    assert loaded("list") == ["cyclopts", "rich"]  # kept by the one before


@pytest.mark.parametrize("verb", VERBS)
def test_a_help_loads_no_tools(verb: str) -> None:
    needed = ["cyclopts", "rich"]
    if verb == "recommend":  # names the operations of all processors, which are imported for that
        needed = ["amaranth", *needed]
    assert loaded(verb, "--help") == needed
