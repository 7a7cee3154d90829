"""Constants as a C header and as Verilog, read back by a C compiler's and Verilator's rules."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from modmul.arithmetic.words import from_words
from modmul.errors import SpecError
from modmul.export.constants import Constants, as_c, as_text, as_verilog, constants
from modmul.spec import Spec
from modmul.toolchain import verilator

SPECS = [
    {"modulus": "p256", "target": "ecp5"},
    {"modulus": "m127", "word": 17},
    {"modulus": "p521", "architecture": "interleaved"},
    {"modulus": "0xf00000000000000000001", "word": 40},
]


@pytest.fixture(params=SPECS, ids=lambda options: str(options["modulus"]))
def found(request: pytest.FixtureRequest) -> Constants:
    return constants(Spec.from_options(request.param))


def numbers(found: Constants) -> dict[str, int]:
    """What every notation must hold, by the end of its name."""
    held = {"MODULUS": found.modulus, "R_MOD_P": found.r_mod_p, "R2_MOD_P": found.r2_mod_p}
    if found.p_prime is not None:
        held["P_PRIME"] = found.p_prime
    return {name: int(value, 16) for name, value in held.items()}


def test_c_header_holds_the_numbers_in_limbs(found: Constants) -> None:
    text = as_c(found)
    arrays = dict(re.findall(r"(\w+)\[\d+\] = \{([^{}]*)\};", text))
    prefix = next(iter(arrays)).removesuffix("_MODULUS")
    read = {
        name.removeprefix(f"{prefix}_"): from_words([int(x[:-1], 16) for x in body.split(", ")], 32)
        for name, body in arrays.items()
    }
    assert read == numbers(found)
    words = re.search(r"_WORDS\[\d+\]\[\d+\] = \{(.*?)^\};", text, re.DOTALL | re.MULTILINE)
    assert words is not None
    rows = re.findall(r"\{([^{}]*)\}, /\* (\S+) \*/", words[1])
    assert [
        (name, from_words([int(x[:-1], 16) for x in row.split(", ")], 32)) for row, name in rows
    ] == [(w.name, int(w.value, 16)) for w in found.words]


def test_c_header_compiles(found: Constants, tmp_path: Path) -> None:
    (tmp_path / "constants.h").write_text(as_c(found))
    (tmp_path / "use.c").write_text('#include "constants.h"\n#include "constants.h"\nint x;\n')
    compiler = ["gcc"] if shutil.which("gcc") else [sys.executable, "-m", "ziglang", "cc"]
    command = [*compiler, "-std=c99", "-Wall", "-Wextra", "-Wno-unused", "-Werror"]
    done = subprocess.run(
        [*command, "-fsyntax-only", "use.c"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_verilog_holds_the_numbers(found: Constants, tmp_path: Path) -> None:
    text = as_verilog(found)
    read = {
        name: (int(bits), int(digits, 16))
        for name, bits, digits in re.findall(
            r"localparam \[\d+:0\] MODMUL_[A-Z0-9]*?_(\w+) = (\d+)'h([0-9a-f]+);", text
        )
    }
    bits, packed = read.pop("WORDS")
    assert bits == found.beat * len(found.words)
    mask = (1 << found.beat) - 1
    assert [packed >> found.beat * i & mask for i in range(len(found.words))] == [
        int(word.value, 16) for word in found.words
    ]
    assert {name: value for name, (_, value) in read.items()} == numbers(found)
    (tmp_path / "top.v").write_text(f"module top;\n{text}endmodule\n")
    assert verilator.verilate([tmp_path / "top.v"], "top", "Vtop", tmp_path / "out")


def test_text_names_the_loading_order(found: Constants) -> None:
    lines = as_text(found).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("loaded in this order"))
    assert [line.split() for line in lines[start + 1 :]] == [
        [str(i), word.name, word.value] for i, word in enumerate(found.words)
    ]


def test_without_a_modulus_there_are_none() -> None:
    with pytest.raises(SpecError, match="modulus"):
        constants(Spec.from_options({}))
