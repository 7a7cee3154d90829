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

    scalar k secret by n           # recoded by a `constant n aligned`
    random r                       # secret, from a stream of its own
    constant h whole               # a plain number, as registers hold it
    output y checked               # 0 in its place where a bit of the status is 1
    wrap k: s = r + h              # without what a register cannot hold; k selects by the carry
    scalar k = s                   # its bits are those of s from now on
    bit k plain                    # in a loop: the bit as it is
    bit k keep                     # the bits that were taken are kept in mind
    scalar k again                 # as at its declaration: its bits are taken a second time
    bit k same                     # a fault unless they are the same
    modulus 1 near                 # another modulus; near: at least half of the one before
    modulus 0 binary               # a polynomial over GF(2)
    degree 163                     # that of the polynomials modulo which there are inversions

A line is a declaration, a statement, or `name = expression` in the notation of Python: + - *,
`a if scalar else b`, `a if scalar[3] else b` (digit 3), `x ** 2`, `x % N` (the residue), `1 / x`.
A name that is read in a loop before it is assigned there has the value of the pass before."""

from __future__ import annotations

import ast
import itertools
import re

from modmul.arithmetic import moduli
from modmul.processors.engine.builder import FERMAT, Builder
from modmul.processors.engine.instructions import FLAGS, OPERAND, RANDOM, STORE
from modmul.processors.engine.program import (
    BINARY,
    KEEP,
    NEAR,
    PLAIN,
    SAME,
    UNSET,
    Below,
    Operation,
    Program,
    Source,
)

CHECKED = " checked"  # the end of a line `output`
AGAIN = " again"  # the end of a line `scalar`
_HOW = {"plain": PLAIN, "keep": KEEP, "same": SAME}  # the end of a line `bit`
_KINDS_OF_MODULI = {"near": NEAR, "binary": BINARY}
_STREAMS = {"input": OPERAND, "random": RANDOM, "constant": STORE}
_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_KINDS = ("constant", "input", "random", "scalar", "counter")
_MOST = {"scalar": 15, "counter": 15, "constant": 256}  # the most declarations of a kind
_BELOW: dict[str, Below] = {"N": "N", "2N": "2N", "W": "W", "R": "R"}
_DECLARED = re.compile(
    r"(?P<names>[\w, ]+?)(?P<secret>\s+secret)?(?P<form>\s+(aligned|whole))?"
    r"(\s+by\s+(?P<by>\w+))?(\s+below\s+(?P<below>N|2N|W|R))?"
)
_ALLOWED = (
    "KIND NAME, NAME ... [secret] [below N, 2N, W or R], `aligned` or `whole` for "
    "constants, "
    "`by CONSTANT` for scalars, outside loops"
)


def parse(name: str, text: str) -> Program:
    """Raises SpecError, with the line, for what cannot be read."""
    reader = _Reader(name)
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        reader.line = number
        reader.read(line.partition("#")[0].strip())
    if reader.loop is not None:
        reader.refuse("end of text", "a loop closed by a line `end`")
    reader.flush()
    return Program(
        name,
        about(text),
        text,
        reader.prime,
        reader.degree,
        tuple(reader.sources.values()),
        tuple(reader.sections),
        tuple(reader.outputs),
    )


def about(text: str) -> str:
    """The comment at the head of a text."""
    head = itertools.takewhile(lambda line: line.startswith("#"), text.splitlines())
    return " ".join(line[1:].strip() for line in head)


def summary(text: str) -> str:
    """The first sentence of the comment at the head, without its full stop."""
    return re.split(r"\.(?:\s|\Z)", about(text), maxsplit=1)[0]


class _Expressions(Builder):
    """Reads expressions, and adds the operations that compute them."""

    def parsed(self, text: str) -> ast.expr:
        try:
            return ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self.refuse(text, "an expression")

    def value(self, node: ast.expr, target: str | None = None) -> str:
        """The name of an expression's value, the next one of the variable `target`, if
        given."""
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
        """`a if SCALAR else b`, selected by a bit, or `a if SCALAR[7] else b`, by a
        digit."""
        test: ast.expr = node.test
        place: object = None
        if isinstance(test, ast.Subscript):
            index, test = test.slice, test.value
            place = index.value if isinstance(index, ast.Constant) else -1
        scalars = [source.name for source in self.sources.values() if source.kind == "scalar"]
        if not isinstance(test, ast.Name) or test.id not in scalars:
            self.refuse(ast.unparse(node.test), "a scalar, or SCALAR[DIGIT]")
        yes, no = self.value(node.body), self.value(node.orelse)
        if place is None:
            return self.operation("SEL", (no, yes), target, scalars.index(test.id))
        if not isinstance(place, int) or not 0 <= place < 64:
            self.refuse(str(place), "a digit from 0 to 63")
        return self.operation("SCAN", (yes, no), target, place)


class _Reader(_Expressions):
    """Reads a text line by line.  tests: number of lines `test` outside loops so far.  flags: the
    bits of the status that they set."""

    tests = 0
    flags: frozenset[int] = frozenset()

    def read(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if not line:
            return
        if word == "scalar" and "=" in rest:
            self.restart(rest)
        elif word == "scalar" and rest.endswith(AGAIN):
            self.repeat(rest.removesuffix(AGAIN))
        elif word == "wrap":
            self.wrap(rest)
        elif word in _KINDS:
            self.declare(word, rest)
        elif word == "prime":
            self.prime = moduli.parse(rest).value
        elif word == "degree" and rest.isdigit() and 2 <= int(rest) < 1 << 16:
            self.degree = int(rest)
        elif word == "loop":
            self.begin(rest)
        elif line == "end":
            self.end()
        elif word in ("bit", "digit"):
            self.take(word, rest.split())
        elif word == "output":
            checked = rest.endswith(CHECKED)
            rest = rest.removesuffix(CHECKED)
            value = self.value(self.parsed(rest))
            if checked and not self.tests:
                self.refuse(line, "behind a line `test`")
            number = self.tests if checked else 0
            width = UNSET * (0 not in self.flags)
            self.emit(Operation("OUT", None, (value,), number, width=width, line=self.line))
            self.outputs.append(rest.split("%")[0].strip() if _NAME.match(rest) else rest.strip())
        elif word == "test":
            self.test(rest)
        elif word == "modulus":
            self.load(*rest.split())
        elif "=" in line:
            target, _, expression = line.partition("=")
            if not _NAME.match(target.strip()):
                self.refuse(target.strip(), "a name")
            self.value(self.parsed(expression.strip()), target.strip())
        else:
            self.refuse(line, "a declaration, a statement, or NAME = EXPRESSION")

    def declare(self, kind: str, rest: str) -> None:
        match = _DECLARED.fullmatch(rest)
        fits = (
            match
            and (kind == "constant" or not match["form"])
            and (kind == "scalar" or not match["by"])
        )
        if match is None or not fits or self.loop is not None:
            self.refuse(f"{kind} {rest}", _ALLOWED)
        for name in (part.strip() for part in match["names"].split(",")):
            again = kind == "constant" and name in self.sources
            again = again and self.sources[name].kind == "constant"
            if not _NAME.match(name) or (name in self.sources and not again) or name == "N":
                self.refuse(name, "a name that is not yet taken")
            self.declared(kind, name, match)
            many = [source for source in self.sources.values() if source.kind == kind]
            if len(many) > _MOST.get(kind, 64):
                self.refuse(name, f"at most {_MOST.get(kind, 64)} of kind {kind}")

    def declared(self, kind: str, name: str, match: re.Match[str]) -> None:
        """Add a source, and the operation by which it comes in."""
        form, by = (match["form"] or "").strip(), match["by"] or ""
        whole = form or kind == "scalar" or (kind == "constant" and name == FERMAT)
        place = self.named(name) if kind in _STREAMS else name
        self.sources[place] = Source(
            place,
            kind,  # type: ignore[arg-type]
            bool(match["secret"]) or kind == "random",
            "R" if whole else _BELOW[match["below"] or "N"],
            form or ("recoded" if by else ""),  # type: ignore[arg-type]
            by,
        )
        number = sum(source.kind == "scalar" for source in self.sources.values()) - 1
        if kind in _STREAMS:
            self.emit(Operation("IN", place, (), _STREAMS[kind], line=self.line))
        elif by:
            order = self.sources.get(by)
            if order is None or order.form != "aligned":
                self.refuse(by, "the name of a constant that is `aligned`")
            self.recoded(name, by, number)
        elif kind == "scalar":
            self.whole(name, number)

    def load(self, number: str = "", *kinds: str) -> None:
        """Read a line such as `modulus 1 near`."""
        if not number.isdigit() or not _KINDS_OF_MODULI.keys() >= {*kinds}:
            self.refuse(f"modulus {' '.join((number, *kinds))}", "modulus NUMBER [near] [binary]")
        width = sum(_KINDS_OF_MODULI[kind] for kind in {*kinds})
        operation = Operation("MODULUS", None, (), int(number), width, self.line)
        self.emit(operation)
        self.field = operation.field

    def restart(self, rest: str) -> None:
        """Read a line such as `scalar k = x`: bits of k are now read from x, highest first."""
        scalar, _, value = (part.strip() for part in rest.partition("="))
        scalars = [source.name for source in self.sources.values() if source.kind == "scalar"]
        if scalar not in scalars or self.loop is not None:
            self.refuse(f"scalar {rest}", "SCALAR = NAME, of a scalar, outside loops")
        operation = Operation(
            "SCALAR", None, (self.of_name(value),), scalars.index(scalar), line=self.line
        )
        self.emit(operation)

    def repeat(self, scalar: str) -> None:
        """Read a line such as `scalar k again`."""
        scalars = [source for source in self.sources.values() if source.kind == "scalar"]
        names = [source.name for source in scalars]
        if scalar not in names or self.loop is not None:
            self.refuse(f"scalar {scalar} again", "SCALAR again, of a scalar, outside loops")
        number = names.index(scalar)
        self.made(scalar, scalars[number].by, number)

    def wrap(self, rest: str) -> None:
        """Read a line such as `wrap k: s = a + b`."""
        scalars = [source.name for source in self.sources.values() if source.kind == "scalar"]
        match = re.fullmatch(r"(\w+): (\w+) = (\w+) \+ (\w+)", rest)
        if match is None or match[1] not in scalars:
            self.refuse(f"wrap {rest}", "SCALAR: NAME = NAME + NAME")
        reads = self.of_name(match[3]), self.of_name(match[4])
        self.operation("WRAP", reads, match[2], scalars.index(match[1]))

    def begin(self, rest: str) -> None:
        count = rest.removesuffix(":").strip()
        counters = [source for source in self.sources.values() if source.kind == "counter"]
        names = [counter.name for counter in counters]
        fixed = count.isdigit() and 1 <= int(count) < 1 << 12
        if self.loop is not None or not (fixed or count in names):
            self.refuse(
                f"loop {rest}",
                "loop COUNT:, with 1 to 4095 or the name of a counter, and not inside another loop",
            )
        self.flush()
        self.loop = (int(count), None) if fixed else (None, names.index(count))
        self.before = dict(self.env)
        for name in self.env:
            self.env[name] = f"{self.env[name]}@"  # at the beginning of a pass

    def take(self, word: str, rest: list[str]) -> None:
        scalars = [source.name for source in self.sources.values() if source.kind == "scalar"]
        allowed = {
            "bit": "bit SCALAR [plain, keep or same]",
            "digit": "digit SCALAR [first] BITS, with 1 to 6 bits",
        }[word]
        how = _HOW.get(rest[1], 0) if word == "bit" and rest[1:] else 0
        right = (
            rest[:1] and rest[0] in scalars and len(rest) == (1 + bool(how) if word == "bit" else 2)
        )
        if rest[1:2] == ["first"]:
            right = word == "digit" and self.loop is None and len(rest) == 3
        if not right or (word == "digit" and rest[-1] not in "123456"):
            self.refuse(f"{word} {' '.join(rest)}", allowed)
        if self.loop is None:
            self.flush()
        elif any(operation.op not in ("BIT", "DIGIT") for operation in self.ops):
            self.refuse(word, "at the beginning of a loop, before everything else")
        width = int(rest[-1]) * (-1 if "first" in rest else 1) if word == "digit" else how
        number = scalars.index(rest[0])
        self.emit(Operation(word.upper(), None, (), number, width, self.line))

    def test(self, rest: str) -> None:
        """Read a line such as `test x`, or `test 2: x` for another bit of the status than 0."""
        flag, colon, expression = rest.partition(":")
        if colon and flag.strip() not in map(str, range(FLAGS)):
            self.refuse(f"test {rest}", f"test [0 to {FLAGS - 1}:] EXPRESSION")
        value = self.value(self.parsed((expression if colon else rest).strip()))
        number = int(flag) if colon else 0
        self.tests += self.loop is None
        self.flags |= {number}
        self.emit(Operation("TEST", None, (value,), number, line=self.line))
