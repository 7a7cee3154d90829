"""Expressions in the text of a program, in the notation of Python: + - *, `a if scalar else b`,
`a if scalar[3] else b` (digit 3), `x ** 2`, `x % N` (the residue), `1 / x`."""

from __future__ import annotations

import ast

from modmul.processors.engine.builder import Builder


class Expressions(Builder):
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
