"""The self-test that goes with the driver of a processor: compilers take it, it finds what is
wrong; and no program forgets the random numbers."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from driven import Driven, Ports
from golden_device import GoldenDevice
from modmul import processors
from modmul.arithmetic import standards
from modmul.design import Beat
from modmul.export.processor.plan import loads as planned_loads
from modmul.processors import Load
from modmul.spec import Spec
from modmul.system.driver import driver
from modmul.system.packets import longest
from modmul.system.register_map import register_map
from modmul.system.registers import RegisterMap

STRICT = [
    "-std=c99",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-pedantic",
    "-Wconversion",
    "-Wshadow",
    "-Wmissing-prototypes",
    "-Wwrite-strings",
]
NATIVE = [[tool] for tool in ("gcc", "clang") if shutil.which(tool)]
COMPILERS = NATIVE or [[sys.executable, "-m", "ziglang", "cc"]]
SMALL = {
    "curve": {
        "architecture": "curve",
        "multiplier": "fpmm",
        "curve": "toy64",
        "forms": "weierstrass",
        "schemes": "ecdsa",
    },
    "rsa": {"architecture": "rsa", "multiplier": "fpmm", "width": 64},
}
EXAMPLES = [example for name in processors.NAMES for example in processors.find(name).examples()]
USUAL = ("rsa-ladder-distributed-fips-16-w8-m1-l1",)
RANDOM = "int dut_random(uint32_t *words, uint32_t count)"


def written(spec: Spec, folder: Path) -> None:
    for file, text in driver(spec, register_map(spec.design, longest(spec)), "dut").items():
        (folder / Path(file).name).write_text(text)


def compiled(compiler: list[str], folder: Path, *words: str) -> tuple[int, str]:
    done = subprocess.run(
        [*compiler, *STRICT, *words], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "processor",
    [
        pytest.param(example, marks=() if example.title in USUAL else pytest.mark.long)
        for example in EXAMPLES
    ],
    ids=lambda example: example.title,
)
def test_no_compiler_complains(processor: processors.Processor, tmp_path: Path) -> None:
    written(Spec(processor), tmp_path)
    for compiler in NATIVE or pytest.skip("needs gcc or clang"):
        for file in ("dut.c", "dut_selftest.c"):
            assert compiled(compiler, tmp_path, "-c", file, "-o", "out.o") == (0, "")


class Machine(Ports):
    """Registers of golden machines, with one for each of several loads."""

    def __init__(self, spec: Spec, regs: RegisterMap):
        super().__init__(regs, self.answer_of)
        published = (Load(modulus) for modulus in (*standards.rsa_keys(), *standards.rsa_moduli()))
        taken = (load for load in published if spec.processor.can_load(load))
        every = [*planned_loads(spec), *taken]
        self.loads = [(spec.processor.load(*load)["modulus"], load) for load in every]
        self.spec, self.known = spec, dict[str, list[Beat]]()
        self.begin(None)

    def begin(self, wrong: int | None) -> None:
        """wrong: the number of the answer, from now on, that has a wrong bit."""
        self.wrong, self.answers = wrong, 0

    def answer_of(self, packets: dict[str, list[Beat]]) -> list[Beat] | None:
        load = next(load for beats, load in self.loads if beats == self.loaded)
        asked = f"{load} {packets}"
        if asked not in self.known:
            answer = GoldenDevice(self.spec, load)(packets)
            if answer is None:
                return None
            self.known[asked] = answer
        *numbers, status = self.known[asked]
        self.answers += 1
        if self.answers - 1 != self.wrong:
            return [*numbers, status]
        if numbers and status["data"] < 2:
            return [{"data": numbers[0]["data"] ^ 1}, *numbers[1:], status]
        if numbers:  # of a point that is not on the curve
            return [*numbers, {"data": 1}]
        return [{"data": status["data"] ^ (4 if status["data"] > 1 else 1)}]


@pytest.mark.parametrize("kind", SMALL)
def test_what_is_wrong_is_found(kind: str, tmp_path: Path) -> None:
    """Nothing in a device that is right; with one wrong bit in any answer, that operation."""
    spec = Spec.from_options(SMALL[kind])
    regs = register_map(spec.design, longest(spec))
    device, machine = Driven(spec, regs, tmp_path), Machine(spec, regs)
    device.at(machine)
    device.draws()
    assert device.selftest() is None
    assert not machine.loaded and machine.left() == set(), "wiped"
    source = (tmp_path / "dut_selftest.c").read_text()
    rows = re.findall(r'^    \{&\w+, (?:0|check_\d+),? *\n? *"(.*)"\},$', source, re.M)
    found = []
    for wrong in range(machine.answers):
        machine.begin(wrong)
        device.at(machine)
        device.draws()
        found.append(device.selftest())
    assert None not in found
    assert list(dict.fromkeys(found)) == [row for row in rows if not row.startswith("loading")]
    for function in device.functions:
        assert any(row.startswith(f"{function} ") or row == function for row in rows)
    device.at(machine)
    if kind == "curve":
        assert device.selftest() == "point-multiply on toy64", "no random numbers"


def test_a_published_signature_is_the_one_that_is_tried(tmp_path: Path) -> None:
    """RFC 6979 prints this r and s of P-256."""
    spec = Spec.from_file(Path("ecdsa-p256"))
    written(spec, tmp_path)
    source = (tmp_path / "dut_selftest.c").read_text()
    for number in ("EFD48B2A", "F7CB1C94"):
        assert number.lower() in source
    assert '/* ecdsa-sign on p256: RFC 6979, A.2.5, SHA-256 of "sample". */' in source
    assert "return dut_ecdsa_sign(device," in source, "that which verifies"


@pytest.mark.parametrize("compiler", COMPILERS, ids=lambda words: words[-1])
def test_random_numbers_are_not_forgotten(compiler: list[str], tmp_path: Path) -> None:
    """A program without a source of them does not link; what is delivered does not compile before
    somebody has written it; where none are needed nothing is asked for."""
    written(Spec.from_options(SMALL["curve"]), tmp_path)
    main = '#include "dut.h"\nint main(void)\n{\n    dut_device device = {0};\n'
    main += "    return dut_selftest(&device) != 0;\n}\n"
    (tmp_path / "main.c").write_text(main)
    sources = ("main.c", "dut.c", "dut_selftest.c")
    code, said = compiled(compiler, tmp_path, *sources, "-o", "out")
    assert code != 0 and "dut_random" in said
    code, said = compiled(compiler, tmp_path, *sources, "dut_random.c", "-o", "out")
    assert code != 0 and "write dut_random in a copy of this file" in said
    stub = (tmp_path / "dut_random.c").read_text()
    own, removed = re.subn(r"^#error .*\n", "", stub, flags=re.M)
    assert removed == 1 and RANDOM in own
    (tmp_path / "own.c").write_text(own)
    assert compiled(compiler, tmp_path, *sources, "own.c", "-o", "out") == (0, "")
    plain = tmp_path / "plain"
    plain.mkdir()
    written(Spec.from_options(SMALL["rsa"]), plain)
    assert not (plain / "dut_random.c").exists()
    (plain / "main.c").write_text(main)
    assert compiled(compiler, plain, *sources, "-o", "out") == (0, "")
