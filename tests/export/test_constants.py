"""Constants as a C header and as Verilog, read back by a C compiler's and Verilator's rules."""

import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from modmul.arithmetic import moduli
from modmul.arithmetic.binary import BinaryMontgomery, inverse_power, multiply
from modmul.arithmetic.words import from_words, to_words
from modmul.errors import SpecError
from modmul.export.constants import ExportedConstants, as_c, as_text, as_verilog, constants
from modmul.export.datasheet import markdown
from modmul.export.description import describe
from modmul.export.hdl import emit
from modmul.multipliers.contract import Constant, Field
from modmul.multipliers.interleaved import Interleaved
from modmul.operation import Mode
from modmul.spec import Spec
from modmul.toolchain import cxx, verilator


class Dual(Interleaved):
    """Facts alone: words of 32 bits, in either field, as many as the modulus needs."""

    fields = ("prime", "binary")
    radix = 1 << 32

    @property
    def lengths(self) -> tuple[int, int]:
        return 1, -(-self.width // 32)

    def shortest_mode(self, modulus: int, field: Field = "prime") -> Mode:
        return Mode(field=field, words=-(-modulus.bit_length() // 32))

    @property
    def field_in_use(self) -> Field:
        return self.mode.field

    def at(self, mode: Mode) -> "Dual":
        chosen = Dual(width=self.width)
        object.__setattr__(chosen, "mode", mode)
        return chosen

    @property
    def montgomery_factor(self) -> int:
        return 1 << 32 * self.mode.words

    @property
    def modulus_beat(self) -> int:
        return 32

    def constants(self, modulus: int) -> list[Constant]:
        inverse = inverse_power(modulus, 32) if self.mode.field == "binary" else 0
        words = to_words(modulus, 32, self.mode.words)
        named = [Constant(f"N[{i}]", word) for i, word in enumerate(words)]
        return [*named, Constant("N'", inverse)]


INTERLEAVED = Spec.from_options({"architecture": "interleaved", "modulus": "p224"})
BINARY = {"b163": 6, "b571": 18, "x^31+x^3+1": 1, "x^32+x^7+x^3+x^2+1": 2}  # words
SPECS = [
    {"modulus": "p256", "target": "ecp5"},
    {"modulus": "m127", "word": 17},
    {"modulus": "p521", "architecture": "interleaved"},
    {"modulus": "0xf00000000000000000001", "word": 40},
    {"modulus": "b233", "architecture": "fips"},
]


def of_polynomial(text: str) -> ExportedConstants:
    return constants(Spec(Dual(width=600), moduli.parse(text)))


@pytest.fixture(params=[*SPECS, *BINARY], ids=lambda p: p if isinstance(p, str) else p["modulus"])
def exported(request: pytest.FixtureRequest) -> ExportedConstants:
    if isinstance(request.param, str):
        return of_polynomial(request.param)
    return constants(Spec.from_options(request.param))


def numbers(exported: ExportedConstants) -> dict[str, int]:
    """What every notation must hold, by the end of its name."""
    held = {"MODULUS": exported.modulus, "R_MOD_P": exported.r_mod_p, "R2_MOD_P": exported.r2_mod_p}
    if exported.p_prime is not None:
        held["P_PRIME"] = exported.p_prime
    return {name: int(value, 16) for name, value in held.items()}


def limbs(text: str) -> int:
    return from_words([int(limb, 16) for limb in re.findall(r"0x([0-9a-f]{8})u", text)], 32)


def test_c_header_holds_the_numbers_in_limbs(exported: ExportedConstants) -> None:
    text = as_c(exported)
    arrays = dict(re.findall(r"(\w+)\[\d+\] = \{([^{}]*)\};", text))
    prefix = next(iter(arrays)).removesuffix("_MODULUS")
    read = {name.removeprefix(f"{prefix}_"): limbs(body) for name, body in arrays.items()}
    assert read == numbers(exported)
    words = re.search(r"_WORDS\[\d+\]\[\d+\] = \{(.*?)^\};", text, re.DOTALL | re.MULTILINE)
    assert words is not None
    rows = re.findall(r"^    /\* (\S+) \*/\n    \{([^{}]*)\},$", words[1], re.MULTILINE)
    assert [(name, limbs(row)) for name, row in rows] == [
        (w.name, int(w.value, 16)) for w in exported.words
    ]


def test_c_header_explains_everything_in_short_lines(exported: ExportedConstants) -> None:
    lines = as_c(exported).splitlines()
    assert max(map(len, lines)) <= 100
    guard = next(line for line in lines if line.startswith("#ifndef"))
    for before, line in pairwise(lines):
        if line.startswith(("#define", "static")) and line != guard.replace("ifndef", "define"):
            assert re.fullmatch(r"/\* .+ \*/", before) or before.startswith("#define"), line


PRINTS = """
#include <stdio.h>
#include "constants.h"
#include "constants.h"
int also(void);
#ifdef ALSO
int also(void) { return (int)PREFIX_MODULUS[0]; }
#else
int main(void) {
    unsigned i;
    for (i = 0; i < PREFIX_LIMBS; i++) printf("%08lx", (unsigned long)PREFIX_MODULUS[i]);
    printf(" %d\\n", also() == (int)PREFIX_MODULUS[0]);
    return 0;
}
#endif
"""


def test_no_two_headers_share_a_name() -> None:
    """Of other architectures, moduli, fields or curves: a guard would leave the second one out."""
    curve = {"architecture": "curve", "multiplier": "fpmm", "width": 255}
    fips = {"architecture": "fips", "width": 16, "word": 4}
    specs: list[dict[str, object]] = [
        {"modulus": "p256"},
        {"modulus": "p256", "word": 40},
        {"modulus": "p256", "architecture": "interleaved"},
        {"modulus": 251, "architecture": "interleaved"},
        {"modulus": 253, "architecture": "interleaved"},
        fips | {"modulus": "0x11b"},
        fips | {"modulus": "x^8+x^4+x^3+x+1"},
        curve | {"curve": "curve25519"},
        curve | {"curve": "edwards25519"},
    ]
    names = list[str]()
    for options in specs:
        exported = constants(Spec.from_options(options))
        for text in (as_c(exported), as_verilog(exported)):
            defined = re.findall(r"(?:^#define|^localparam(?: \[\d+:0\])?) (\w+)", text, re.M)
            assert defined and not {*defined} & {*names}
        names += defined + re.findall(r"^#define (\w+)", as_c(exported), re.M)


@pytest.mark.parametrize("language", ["c", "c++"])
def test_c_header_compiles(exported: ExportedConstants, tmp_path: Path, language: str) -> None:
    """In two sources of one program, twice in each; as C and as C++, without a warning."""
    text = as_c(exported)
    (tmp_path / "constants.h").write_text(text)
    prefix = re.findall(r"#ifndef (\w+)_H", text)[0]
    (tmp_path / "use.c").write_text(PRINTS.replace("PREFIX", prefix))
    zig = [sys.executable, "-m", "ziglang"]
    c = ["gcc"] if shutil.which("gcc") else [*zig, "cc"]
    standard = "-std=c99" if language == "c" else "-std=c++11"
    command = [*(c if language == "c" else cxx.find().command), "-x", language, standard, "-Wall"]
    command += ["-Wextra", "-pedantic", "-Wno-unused", "-Werror", "-c", "use.c"]
    for arguments in (["-o", "main.o"], ["-DALSO", "-o", "also.o"]):
        run([*command, *arguments], tmp_path)
    run([*cxx.find().command, "main.o", "also.o", "-o", "program"], tmp_path)
    printed, same = run([str(tmp_path / "program")], tmp_path).split()
    value = [int(printed[i : i + 8], 16) for i in range(0, len(printed), 8)]
    assert (from_words(value, 32), same) == (int(exported.modulus, 16), "1")


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_verilog_holds_the_numbers(exported: ExportedConstants, tmp_path: Path) -> None:
    text = as_verilog(exported)
    read = {
        name: (int(bits), int(digits, 16))
        for name, bits, digits in re.findall(
            rf"localparam \[\d+:0\] {exported.prefix}_(\w+) = (\d+)'h([0-9a-f]+);", text
        )
    }
    bits, packed = read.pop("WORDS")
    assert bits == exported.beat * len(exported.words)
    mask = (1 << exported.beat) - 1
    assert [packed >> exported.beat * i & mask for i in range(len(exported.words))] == [
        int(word.value, 16) for word in exported.words
    ]
    assert {name: value for name, (_, value) in read.items()} == numbers(exported)
    (tmp_path / "top.v").write_text(f"module top;\n{text}endmodule\n")
    assert verilator.verilate([tmp_path / "top.v"], "top", "Vtop", tmp_path / "out")


def test_text_names_the_loading_order(exported: ExportedConstants) -> None:
    lines = as_text(exported).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("loaded in this order"))
    assert [line.split() for line in lines[start + 1 :]] == [
        [str(i), word.name, word.value] for i, word in enumerate(exported.words)
    ]


@pytest.mark.parametrize("name", BINARY)
def test_polynomials_have_the_constants_of_their_domain(name: str) -> None:
    exported, modulus = of_polynomial(name), moduli.parse(name)
    domain = BinaryMontgomery(modulus.value, int(exported.montgomery_factor, 16))
    assert domain.factor == 1 << 32 * BINARY[name]
    assert (exported.field, exported.bits, exported.name) == ("binary", modulus.bits, modulus.name)
    assert [int(text, 16) for text in (exported.modulus, exported.r_mod_p, exported.r2_mod_p)] == [
        modulus.value,
        domain.one,
        domain.square,
    ]
    assert exported.p_prime is not None
    inverse = int(exported.p_prime, 16)
    assert multiply(inverse, modulus.value) & 0xFFFFFFFF == 1
    assert int(exported.words[-1].value, 16) == inverse


def test_texts_of_polynomials_speak_of_powers_of_x() -> None:
    exported = of_polynomial("b163")
    for text in (as_text(exported), as_c(exported), as_verilog(exported)):
        assert "x^192" in text
        assert "2^192" not in text
    assert "= N^-1 mod x^32" in as_text(exported)
    assert "= x^163+x^7+x^6+x^3+1\n" in as_text(exported)
    assert "(b163), 164 bits" in as_text(exported)
    for text in (as_c(exported), as_verilog(exported)):
        assert "polynomials over GF(2), bit i is the coefficient of x^i" in text


def test_the_field_of_the_modulus_is_the_field_of_the_constants() -> None:
    """The same bits as a number: other constants."""
    value = moduli.find("b163").value
    number = constants(Spec(Dual(width=600), moduli.of(value)))
    assert number.field == "prime"
    assert number.modulus == of_polynomial("b163").modulus
    assert number.r_mod_p != of_polynomial("b163").r_mod_p
    assert "2^192" in as_text(number)


def test_the_datasheet_shows_the_constants_as_polynomials() -> None:
    exported = of_polynomial("b163")
    description = describe(INTERLEAVED, emit(INTERLEAVED.multiplier), "design")
    description["constants"] = msgspec.to_builtins(exported)
    description["arithmetic"] |= {
        "field": "binary",
        "montgomery_factor": exported.montgomery_factor,
    }
    text = markdown(description, "timing.svg", {})
    assert "R = x^192" in text
    assert "2^192" not in text
    assert f"| N' = 1/N mod x^32 | `{exported.p_prime}` |" in text
    assert "| N as a polynomial | x^163+x^7+x^6+x^3+1 |" in text


def test_without_a_modulus_there_are_none() -> None:
    with pytest.raises(SpecError, match="modulus"):
        constants(Spec.from_options({}))
