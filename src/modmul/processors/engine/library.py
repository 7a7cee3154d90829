"""The programs that come with the engine, by name, and two of one kind side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import NamedTuple

import msgspec

from modmul.arithmetic import moduli
from modmul.errors import SpecError, suggestion
from modmul.processors.engine.builder import FERMAT
from modmul.processors.engine.instructions import FLAGS
from modmul.processors.engine.program import Carried, Loop, Operation, Program, Section, Source
from modmul.processors.engine.text import parse

TWICE = "-twice"  # suffix of a name: two at once, on one engine


class Entry(NamedTuple):
    """A program of the library.  file: its text.  modulus: the only one that it is for; None: any.
    bits: passes of its loops; 0: a counter says it.  width, multiplier: for its figures.  wrapped:
    whether its points are wrapped."""

    file: str
    modulus: str | None = None
    bits: int = 0
    width: int = 256
    wrapped: bool = False
    multiplier: str = "fpmm"


_BINARY = {"b163": 163, "b233": 233, "b283": 282, "b409": 409, "b571": 570}  # bits of the order
# The complete formulas for the curve over a modulus, and the bits of the curve's order.
_CURVES = {
    "p192": ("complete-3", 192),
    "p224": ("complete-3", 224),
    "p256": ("complete-3", 256),
    "p384": ("complete-3", 384),
    "p521": ("complete-3", 521),
    "sm2": ("complete-3", 256),
    "secp256k1": ("complete0", 256),
    "bn254": ("complete0", 254),
    "bls12-381": ("complete0", 255),
    **{f"brainpoolp{bits}r1": ("complete", bits) for bits in (160, 192, 224, 256, 320, 384, 512)},
}


@cache
def entries() -> dict[str, Entry]:
    """All programs by name, without those with the suffix `TWICE`."""
    by_name = {
        "x25519": Entry("x", "curve25519", 255, 255),
        "x448": Entry("x", "curve448", 448, 448),
        "ed25519": Entry("ed25519", "curve25519", 255, 255),
        "ed448": Entry("ed448", "curve448", 448, 448),
        "kummer": Entry("kummer", "m127", 125, 127, wrapped=True),
        "surface": Entry("kummer", width=127),
        "surface-wrapped": Entry("kummer", width=127, wrapped=True),
        "kummer31": Entry("kummer31", "m127", 251, 127),
    }
    for name, (complete, bits) in _CURVES.items():
        width = moduli.find(name).bits
        if name != "bls12-381":  # whose order is not that of all its points
            by_name[f"{name}-ladder"] = Entry("ladder", name, bits, width)
        by_name[f"{name}-complete"] = Entry(complete, name, bits, width)
    for name in (
        "ladder",
        "ladder-x",
        "complete",
        "complete-3",
        "complete0",
        "double",
        "double-3",
        "double0",
        "add",
        "on-curve",
        "inverse",
        "power-ladder",
        "power-window",
    ):
        by_name[name] = Entry(name)
    for name, file, width in (
        ("x", "x", 255),
        ("twisted", "ed25519", 255),
        ("edwards", "ed448", 448),
    ):
        by_name[name] = Entry(file, width=width)
    for name, width in (
        ("double-twisted", 255),
        ("double-edwards", 448),
        ("add-edwards", 255),
        ("on-edwards", 255),
    ):
        by_name[name] = Entry(name, width=width)
    for modulus in moduli.MODULI:
        if modulus.field == "prime":
            by_name[f"inverse-{modulus.name}"] = Entry("inverse", modulus.name, 0, modulus.bits)
    return by_name | _over_gf2()


def _over_gf2() -> dict[str, Entry]:
    """The programs modulo a polynomial."""
    binary = {
        name: Entry(name, width=164, multiplier="fips")
        for name in ("ladder-binary", "on-binary", "inverse-binary")
    }
    for name, bits in _BINARY.items():
        width = moduli.find(name).bits
        binary[f"{name}-ladder"] = Entry("ladder-binary", name, bits, width, multiplier="fips")
    return binary


def entry(name: str) -> Entry:
    """Raises SpecError if there is no such name."""
    known = entries().get(name.removesuffix(TWICE))
    if known is None:
        hint = suggestion(name, entries())
        allowed = "a name that `modmul program` lists, or a file"
        raise SpecError("program", name, allowed, f"program = {name!r}: must be {allowed}{hint}")
    return known


@cache
def find(name: str) -> Program:
    """Raises SpecError if there is no such name."""
    told = entry(name)
    if name.endswith(TWICE):
        return twice(find(name.removesuffix(TWICE)))
    return parse(name, text(told))


def text(told: Entry) -> str:
    file = resources.files(__package__) / "programs" / f"{told.file}.txt"
    written = file.read_text(encoding="utf-8")
    if told.wrapped:
        written = _wrapped(written)
    return written if told.modulus is None else fixed(written, told.modulus, told.bits)


def fixed(written: str, modulus: str, bits: int) -> str:
    """A text for any modulus as a text for one modulus: inversions follow an addition chain,
    and loops have a known number of passes."""
    known = moduli.find(modulus)
    if known.field == "binary":
        written = of_degree(written, known.bits - 1)
    else:
        written = written.replace("\nconstant ", f"\nprime {modulus}\nconstant ", 1)
        written = written.replace(f", {FERMAT}", "")
    return written.replace("counter bits\n", "").replace("loop bits:", f"loop {bits}:")


def of_degree(written: str, degree: int) -> str:
    """A text for polynomials of any degree as a text for one degree: inversions follow an
    addition chain."""
    head = "modulus 0 binary\n"
    return written.replace(f"{head}constant {FERMAT}\n", f"{head}degree {degree}\n")


_BEGINNING = """input xy, xz, xt
random lam, mu
counter bits
wy = xy * r2
wz = xz * r2
wt = xt * r2
T = wy * wz
Z = wy * wt
Y = wz * wt
X = T * wt
scalar"""
_END = """zt = Z * T
w = Y * zt
test w * unit % N
i = 1 / w
xi = X * i
yx = Y * xi
output zt * xi * unit % N
output T * yx * unit % N
output Z * yx * unit % N
"""


def _wrapped(text: str) -> str:
    """A text for a Kummer surface with points (x/y, x/z, x/t), as papers have them, instead of
    (x : y : z : t).  Nothing is inverted at the beginning.  The status is 0 where y, z or t of the
    result is 0."""
    text = re.sub(r"(?s)^input x, .*?^scalar", _BEGINNING, text, count=1, flags=re.MULTILINE)
    return re.sub(r"(?s)^test X .*\Z", _END, text, count=1, flags=re.MULTILINE)


# ---- two at once ------------------------------------------------------------------------------


def twice(program: Program) -> Program:
    """Two copies of a program side by side, NAME.1 and NAME.2, with inputs, scalars and
    outputs of their own; constants and counters are shared."""
    both = _Both(program)
    return msgspec.structs.replace(
        program,
        name=program.name + TWICE,
        sources=tuple(both.sources()),
        sections=tuple(map(both.section, program.sections)),
        outputs=tuple(f"{name}.{copy}" for copy in (1, 2) for name in program.outputs),
    )


class _Both:
    def __init__(self, program: Program):
        self.program = program
        self.shared = {
            source.name for source in program.sources if source.kind in ("constant", "counter")
        }
        self.scalars = len(program.of("scalar"))
        tests = [op.number or 0 for op in program.operations() if op.op == "TEST"]
        self.flags = max(tests, default=-1) + 1
        if 2 * self.flags > FLAGS:
            raise SpecError(
                "program",
                program.name,
                f"one that tests {FLAGS // 2} bits",
                f"{program.name}: the status has too few bits for two of it",
            )

    def sources(self) -> Iterator[Source]:
        for kind in ("constant", "input", "random", "scalar", "counter"):
            for copy in (1, 2):
                for source in self.program.sources:
                    if source.kind == kind and source.name in self.shared:
                        yield from [source] * (copy == 1)
                    elif source.kind == kind:
                        yield msgspec.structs.replace(source, name=f"{source.name}.{copy}")

    def named(self, name: str, copy: int) -> str:
        base = name.removesuffix("@")
        return name if base in self.shared else f"{base}.{copy}{name[len(base) :]}"

    def operation(self, op: Operation, copy: int) -> Operation:
        number = op.number
        if op.instruction.of_scalar and number is not None:
            number += self.scalars * (copy - 1)
        elif op.op == "TEST":
            number = (number or 0) + self.flags * (copy - 1)
        return msgspec.structs.replace(
            op,
            dst=op.dst and self.named(op.dst, copy),
            number=number,
            reads=tuple(self.named(name, copy) for name in op.reads),
        )

    def section(self, section: Section) -> Section:
        def copied(op: Operation) -> bool:
            return not (op.op == "MODULUS" or (op.op == "IN" and op.dst in self.shared))

        alone = [operation for operation in section.ops if not copied(operation)]
        ops = [
            *alone,
            *(
                self.operation(operation, copy)
                for copy in (1, 2)
                for operation in section.ops
                if copied(operation)
            ),
        ]
        ops.sort(key=lambda operation: operation.op not in ("BIT", "DIGIT"))
        if not isinstance(section, Loop):
            return msgspec.structs.replace(section, ops=tuple(ops))
        carried = tuple(
            Carried(*(self.named(name, copy) for name in carry))
            for copy in (1, 2)
            for carry in section.carried
        )
        return msgspec.structs.replace(section, ops=tuple(ops), carried=carried)
