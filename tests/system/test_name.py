"""`build --name`: everything in the delivery has the name, and nothing takes it for another."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from bus_systems import FORMS
from modmul.cli import main
from modmul.errors import SpecError
from modmul.export import constants, names
from modmul.spec import Spec
from modmul.system import driver, packages
from modmul.system.build import build
from modmul.system.check import check
from modmul.system.packets import longest
from modmul.system.register_map import register_map

PROCESSOR = FORMS["processor"]
WORDS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-c", "-o", "/dev/null"]


@pytest.mark.parametrize(
    ("options", "bus", "modules"),
    [
        ({"architecture": "interleaved", "width": 8}, None, {"sig_core", "sig_stream"}),
        ({"architecture": "interleaved", "width": 8}, "apb4", {"sig_core", "sig_stream", "sig"}),
        pytest.param(PROCESSOR, "axi4lite", {"sig_core", "sig"}, marks=pytest.mark.long),
    ],
    ids=["alone", "multiplier", "processor"],
)
def test_modules_files_and_packages_have_the_name(
    tmp_path: Path, options: dict[str, object], bus: str | None, modules: set[str]
) -> None:
    spec = Spec.from_options({**options, "name": "sig"})
    kinds = [kind for kind in packages.NAMES if kind != "litex" or bus != "apb4"]
    result = build(spec, tmp_path, bus=bus, packages=kinds, simulate=options is not PROCESSOR)
    assert result.name == "sig"
    assert all(
        re.match(r"sig[._]", Path(file.name).name)
        for file in result.files
        if "model" not in file.what
    )
    found = set(re.findall(r"^module (\w+)", (tmp_path / "sig.v").read_text(), re.MULTILINE))
    assert modules <= found and all(re.match(r"sig(_|$)", module) for module in found)
    assert '"modmul:modmul:sig:1.0"' in (tmp_path / "sig.core").read_text()
    assert "<ipxact:name>sig</ipxact:name>" in (tmp_path / "sig.xml").read_text()
    assert (tmp_path / "sig.md").read_text().startswith("# sig\n")
    assert check(tmp_path).passed
    own = Spec.from_file(tmp_path / "sig.json")
    assert own == spec and own.title == "sig"


def driver_of(options: dict[str, object]) -> dict[str, str]:
    """The files of a driver, and the digest of its design."""
    spec = Spec.from_options(options)
    regs = register_map(spec.design, longest(spec))
    name = spec.name or names.of_delivery(spec.design.title)
    return driver.driver(spec, regs, name) | {"digest": f"0x{regs.by_name['design'].value:08x}"}


def test_names_in_c(tmp_path: Path) -> None:
    """And no line is too long to read, and the register tells the same design as without."""
    named, plain = driver_of({**PROCESSOR, "name": "Sig"}), driver_of(PROCESSOR)
    header, source = (named[f"driver/sig.{end}"] for end in "hc")
    for text in (header, source):
        assert max(map(len, text.splitlines())) <= 100
        outside = re.findall(r"^(?!static|typedef)[a-z].*?(\w+)\(", text, re.MULTILINE)
        assert outside and all(name.startswith("sig_") for name in outside)
    assert "sig_status sig_exponentiate(sig_device *device," in header
    macros = re.findall(r"^#define (\w+)", header, re.MULTILINE)
    assert all(macro.startswith("SIG_") for macro in macros)
    (tmp_path / "sig.h").write_text(header)
    (tmp_path / "sig.c").write_text(source)
    command = [sys.executable, "-m", "ziglang", "cc", *WORDS, "sig.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert named["digest"] == plain["digest"]
    assert f"#define SIG_DESIGN_VALUE UINT32_C({named['digest']})" in header


def test_constants_have_the_name() -> None:
    spec = Spec.from_options({**PROCESSOR, "modulus": (1 << 47) + 5, "name": "sig"})
    assert constants.constants(spec).prefix.startswith("SIG_")
    text = driver.loadable(spec)
    assert text.startswith('#include "sig.h"\n') and "const sig_modulus sig_modulus_" in text


@pytest.mark.parametrize(
    "name",
    ["1st", "_sig", "sig_", "a__b", "a-b", "", "module", "Begin", "Entity", "int", "s" * 32, "é"],
)
def test_what_is_no_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["build", "--architecture", "interleaved", "--width", "8", "--no-check"]
    assert main([*words, "--name", name]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"modmul: name = {name!r}: must be a name of at most 31 letters")
    assert said.count("\n") == 1


def test_names_that_c_does_not_tell_apart() -> None:
    """As long as C compilers look, the functions of the driver must differ."""
    with pytest.raises(SpecError, match="must be at most (..) letters for this driver: C") as why:
        driver_of({**PROCESSOR, "name": "s" * 31})
    most = re.search("at most (..) letters", str(why.value))
    assert most is not None
    driver_of({**PROCESSOR, "name": "s" * int(most[1])})
    with pytest.raises(SpecError):
        driver_of({**PROCESSOR, "name": "s" * (int(most[1]) + 1)})
