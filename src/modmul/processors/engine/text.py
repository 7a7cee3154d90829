"""Programs as text, parsed: see docs/engine.md.

    # y = x^e mod N by squaring and multiplying, always both
    constant one, r2, unit         # R mod N, R^2 mod N, 1
    input x secret
    scalar e secret
    s = one * r2
    ...
    loop n:                        # as often as the counter n says
      bit e
      t = y if e else x            # by the bit taken, exclusive-ored with the one before
      x = x * y
      y = t * t
    end
    output y * unit % N

A line is a declaration, a statement, or `name = expression` in the notation of Python: + - *,
`a if scalar else b`, `a if scalar[3] else b` (digit 3), `x ** 2`, `x % N` (the residue), `1 / x`.
A name that is read in a loop before it is assigned there has the value of the pass before."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable
from typing import NoReturn

import msgspec

from modmul.arithmetic import moduli
from modmul.errors import SpecError
from modmul.processors.engine import chains
from modmul.processors.engine.program import (
    Carried,
    Host,
    Loop,
    Operation,
    Program,
    Section,
    Source,
    Straight,
)

DOMAIN = ("one", "r2", "r3", "unit")  # constants whose values follow from N and R
LONGEST = 20_000  # operations of a program
_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_KINDS = ("constant", "input", "scalar", "counter")
_MOST = {"scalar": 15, "counter": 15}
_BELOW = {"N": "N", "2N": "2N", "R": "R"}


def parse(name: str, text: str) -> Program:
    """The program of a text.  SpecError with the line for what cannot be read."""
    reader = _Reader(name)
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        reader.line = number
        reader.read(line.partition("#")[0].strip())
    if reader.loop is not None:
        reader.refuse("end of text", "a loop closed by a line `end`")
    reader.flush()
    return Program(
        name, about(text), text, reader.prime, tuple(reader.sources.values()),
        tuple(reader.sections), tuple(reader.outputs),
    )  # fmt: skip


def about(text: str) -> str:
    """The comment at the head of a text."""
    head = itertools.takewhile(lambda line: line.startswith("#"), text.splitlines())
    return " ".join(line[1:].strip() for line in head)


def summary(text: str) -> str:
    """The first sentence of that comment, without its full stop."""
    return re.split(r"\.(?:\s|\Z)", about(text), maxsplit=1)[0]


class _Reader:
    """Reads line after line.  env: the name of the present value of each variable."""

    def __init__(self, name: str):
        self.name, self.line = name, 0
        self.sources: dict[str, Source] = {}
        self.sections: list[Section] = []
        self.outputs: list[str] = []
        self.prime: int | None = None
        self.ops: list[Operation] = []
        self.host: list[Operation] = []
        self.env: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.size = 0
        self.loop: tuple[int | None, int | None] | None = None
        self.before: dict[str, str] = {}

    def refuse(self, what: str, allowed: str) -> NoReturn:
        message = f"{self.name}, line {self.line}: {what[:80]!r}: must be {allowed}"
        raise SpecError("program", what, allowed, message)

    # ---- lines --------------------------------------------------------------------------------

    def read(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if not line:
            return
        if word in _KINDS:
            self.declare(word, rest)
        elif word == "prime":
            self.prime = moduli.parse(rest).value
        elif word == "loop":
            self.begin(rest)
        elif line == "end":
            self.end()
        elif word in ("bit", "digit"):
            self.take(word, rest.split())
        elif word == "output":
            value = self.value(self.parsed(rest))
            self.emit(Operation("OUT", None, (value,), line=self.line))
            self.outputs.append(rest.split("%")[0].strip() if _NAME.match(rest) else rest.strip())
        elif word == "test":
            self.emit(Operation("TEST", None, (self.value(self.parsed(rest)),), line=self.line))
        elif word == "modulus" and rest.isdigit():
            self.emit(Operation("MODULUS", number=int(rest), line=self.line))
        elif "=" in line:
            target, _, expression = line.partition("=")
            if not _NAME.match(target.strip()):
                self.refuse(target.strip(), "a name")
            self.value(self.parsed(expression.strip()), target.strip())
        else:
            self.refuse(line, "a declaration, a statement, or NAME = EXPRESSION")

    def declare(self, kind: str, rest: str) -> None:
        match = re.fullmatch(r"([\w, ]+?)(\s+secret)?(\s+below\s+(N|2N|R))?", rest)
        if match is None or self.loop is not None:
            self.refuse(f"{kind} {rest}", f"{kind} NAME, NAME ... [secret] [below N, 2N or R], "
                        "outside loops")  # fmt: skip
        for name in (one.strip() for one in match[1].split(",")):
            again = kind == "constant" and name in DOMAIN and name in self.sources
            if not _NAME.match(name) or (name in self.sources and not again) or name == "N":
                self.refuse(name, "a name that is not yet taken")
            below = _BELOW[match[4] or "N"]
            place = self.named(name) if kind in ("constant", "input") else name
            self.sources[place] = Source(place, kind, bool(match[2]), below)  # type: ignore[arg-type]
            many = [one for one in self.sources.values() if one.kind == kind]
            if len(many) > _MOST.get(kind, 64):
                self.refuse(name, f"at most {_MOST.get(kind, 64)} of kind {kind}")
            if kind in ("constant", "input"):
                self.emit(Operation("IN", place, line=self.line))

    def begin(self, rest: str) -> None:
        count = rest.removesuffix(":").strip()
        counters = [one for one in self.sources.values() if one.kind == "counter"]
        names = [one.name for one in counters]
        fixed = count.isdigit() and 1 <= int(count) < 1 << 12
        if self.loop is not None or not (fixed or count in names):
            self.refuse(f"loop {rest}", "loop COUNT:, with 1 to 4095 or the name of a counter, and "
                        "not inside another loop")  # fmt: skip
        self.flush()
        self.loop = (int(count), None) if fixed else (None, names.index(count))
        self.before = dict(self.env)
        for name in self.env:
            self.env[name] = f"{self.env[name]}@"  # at the beginning of a pass

    def end(self) -> None:
        if self.loop is None:
            self.refuse("end", "one that closes a loop")
        count, counter = self.loop
        ops, self.ops, self.loop = self.ops, [], None
        if not ops:
            self.refuse("end", "a loop with operations in it")
        changed = {name: now for name, now in self.env.items()
                   if now != f"{self.before.get(name)}@"}  # fmt: skip
        begins = {f"{self.before[name]}@": name for name in changed if name in self.before}
        used = {name for one in ops for name in one.reads}
        used |= {now for now in changed.values() if now.endswith("@")}
        carried = [
            Carried(self.before[name], begin, self.env[name])
            for begin, name in begins.items() if begin in used
        ]  # fmt: skip
        kept = {one.begin for one in carried}

        def outside(name: str) -> str:
            return name if name in kept or not name.endswith("@") else name[:-1]

        ops = [_renamed(one, outside) for one in ops]
        carried = [Carried(one.before, one.begin, outside(one.end)) for one in carried]
        self.env = {name: outside(now) for name, now in self.env.items()}
        self.sections.append(Loop(tuple(ops), tuple(carried), count, counter))

    def take(self, word: str, rest: list[str]) -> None:
        scalars = [one.name for one in self.sources.values() if one.kind == "scalar"]
        wanted = "bit SCALAR" if word == "bit" else "digit SCALAR BITS, with 1 to 6 bits"
        right = len(rest) == (1 if word == "bit" else 2) and rest[0] in scalars
        if not right or (word == "digit" and rest[1] not in "123456"):
            self.refuse(f"{word} {' '.join(rest)}", wanted)
        if self.loop is None:
            self.flush()
        elif any(one.op not in ("BIT", "DIGIT") for one in self.ops):
            self.refuse(word, "at the beginning of a loop, before everything else")
        width = int(rest[1]) if word == "digit" else 0
        number = scalars.index(rest[0])
        self.emit(Operation(word.upper(), None, (), number, width, self.line))

    # ---- operations ---------------------------------------------------------------------------

    def emit(self, one: Operation) -> None:
        self.size += 1
        if self.size > LONGEST:
            self.refuse("the program", f"of at most {LONGEST} operations")
        on_host = one.instruction.unit == "host" or one.op == "MODULUS"
        if on_host and self.loop is not None:
            self.refuse(one.op, "outside loops")
        if on_host and self.ops:
            self.flush()
        if not on_host and self.host:
            self.flush()
        (self.host if on_host else self.ops).append(one)

    def flush(self) -> None:
        """What was gathered becomes a section."""
        if self.host:
            self.sections.append(Host(tuple(self.host)))
        if self.ops:
            self.sections.append(Straight(tuple(self.ops)))
        self.host, self.ops = [], []

    def named(self, variable: str) -> str:
        """A new name for the variable's next value."""
        self.versions[variable] = self.versions.get(variable, -1) + 1
        version = self.versions[variable]
        self.env[variable] = f"{variable}.{version}" if version else variable
        return self.env[variable]

    def operation(self, op: str, reads: tuple[str, ...], target: str | None,
                  number: int | None = None) -> str:  # fmt: skip
        name = self.named(target or "_")
        self.emit(Operation(op, name, reads, number, line=self.line))
        return name

    # ---- expressions --------------------------------------------------------------------------

    def parsed(self, text: str) -> ast.expr:
        try:
            return ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self.refuse(text, "an expression")

    def value(self, node: ast.expr, target: str | None = None) -> str:
        """The name of an expression's value; of the variable `target`, if there is one."""
        if isinstance(node, ast.Name):
            value = self.of_name(node.id)
            return value if target is None else self.operation("SEL", (value, value), target, 0)
        if isinstance(node, ast.IfExp):
            return self.selected(node, target)
        if not isinstance(node, ast.BinOp):
            self.refuse(ast.unparse(node), "+, -, *, **, %, / or `a if SCALAR else b` on names")
        left, right, kind = node.left, node.right, type(node.op)
        if kind is ast.Mod and isinstance(right, ast.Name) and right.id == "N":
            return self.operation("RED", (self.value(left),), target)
        if kind is ast.Div and isinstance(left, ast.Constant) and left.value == 1:
            return self.inverted(self.value(right), target)
        if kind is ast.Pow and isinstance(right, ast.Constant) and right.value == 2:
            return self.operation("SQR", (self.value(left),), target)
        if kind is ast.Mult and isinstance(left, ast.Constant):
            return self.multiple(left.value, self.value(right), target)
        ops = {ast.Add: "ADD", ast.Sub: "SUB", ast.Mult: "MUL"}
        if kind not in ops:
            self.refuse(ast.unparse(node), "+, -, *, a ** 2, a % N or 1 / a")
        a, b = self.value(left), self.value(right)
        if kind is ast.Mult and a == b:
            return self.operation("SQR", (a,), target)
        return self.operation(ops[kind], (a, b), target)

    def of_name(self, name: str) -> str:
        if name not in self.env:
            self.refuse(name, "a name that has a value here")
        return self.env[name]

    def multiple(self, factor: object, value: str, target: str | None) -> str:
        """2, 3 or 4 times a value, by additions."""
        if factor not in (2, 3, 4):
            self.refuse(str(factor), "2, 3 or 4 as a factor")
        double = self.operation("ADD", (value, value), target if factor == 2 else None)
        if factor == 2:
            return double
        return self.operation("ADD", (double, value if factor == 3 else double), target)

    def selected(self, node: ast.IfExp, target: str | None) -> str:
        """`a if SCALAR else b`, by bit; `a if SCALAR[7] else b`, by digit."""
        test: ast.expr = node.test
        place: object = None
        if isinstance(test, ast.Subscript):
            index, test = test.slice, test.value
            place = index.value if isinstance(index, ast.Constant) else -1
        scalars = [one.name for one in self.sources.values() if one.kind == "scalar"]
        if not isinstance(test, ast.Name) or test.id not in scalars:
            self.refuse(ast.unparse(node.test), "a scalar, or SCALAR[DIGIT]")
        yes, no = self.value(node.body), self.value(node.orelse)
        if place is None:
            return self.operation("SEL", (no, yes), target, scalars.index(test.id))
        if not isinstance(place, int) or not 0 <= place < 64:
            self.refuse(str(place), "a digit from 0 to 63")
        return self.operation("SCAN", (yes, no), target, place)

    def inverted(self, value: str, target: str | None) -> str:
        """1 / value by Fermat: value^(p-2) along an addition chain."""
        if self.prime is None or self.loop is not None:
            self.refuse("1 / ...", "outside loops, after a line `prime NAME`")
        built = {1: value}
        for step in chains.of(self.prime - 2):
            start = built[step.start]
            for _ in range(min(step.squares, 2)):
                start = self.operation("SQR", (start,), None)
            if step.squares > 2:
                start = self.squared(start, step.squares - 2)
            if step.times:
                start = self.operation("MUL", (start, built[step.times]), None)
            built[step.result] = start
        if target is not None:
            self.env[target] = start
        return start

    def squared(self, value: str, count: int) -> str:
        """The value after `count` squarings, in a loop."""
        self.flush()
        begin, end = f"{value}@", self.named("_")
        square = Operation("SQR", end, (begin,), line=self.line)
        self.size += 1
        self.sections.append(Loop((square,), (Carried(value, begin, end),), count))
        return end


def _renamed(one: Operation, outside: Callable[[str], str]) -> Operation:
    return msgspec.structs.replace(one, reads=tuple(map(outside, one.reads)))
