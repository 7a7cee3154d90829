"""Represents numbers that depend on a parameter of their module."""

from __future__ import annotations


class Formula(int):
    """slope * parameter + offset: the value in one instance, and the formula as text.

    It equals other formulas that are the same, but not a number that is the same in this
    instance.  A sum of formulas in two parameters raises ValueError."""

    parameter: str
    slope: int
    offset: int

    def __new__(cls, parameter: str, slope: int, offset: int, value: int) -> Formula:
        """value: of the parameter in this instance."""
        size = super().__new__(cls, slope * value + offset)
        size.parameter, size.slope, size.offset = parameter, slope, offset
        return size

    def _moved(self, slope: int, offset: int) -> int:
        """The number with another formula; a plain number if the parameter has no part in
        it."""
        if not slope:
            return offset
        value = (int(self) - self.offset) // self.slope
        return Formula(self.parameter, slope, offset, value)

    def __add__(self, other: int) -> int:
        if isinstance(other, Formula) and other.parameter != self.parameter:
            raise ValueError(f"{self} + {other}: no formula in one parameter")
        slope, offset = (other.slope, other.offset) if isinstance(other, Formula) else (0, other)
        return self._moved(self.slope + slope, self.offset + offset)

    __radd__ = __add__

    def __neg__(self) -> int:
        return self._moved(-self.slope, -self.offset)

    def __sub__(self, other: int) -> int:
        return self + -other

    def __rsub__(self, other: int) -> int:
        return -self + other

    def __floordiv__(self, other: int) -> int:
        if isinstance(other, Formula) or self.slope % other or self.offset % other:
            raise ValueError(f"{self} / {other} is no formula")
        return self._moved(self.slope // other, self.offset // other)

    def __eq__(self, other: object) -> bool:
        same = (self.parameter, self.slope, self.offset)
        return isinstance(other, Formula) and same == (other.parameter, other.slope, other.offset)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.parameter, self.slope, self.offset))

    def __str__(self) -> str:
        times = {1: "", -1: "-"}.get(self.slope, f"{self.slope}*")
        offset = f"{self.offset:+}" if self.offset else ""
        return f"{times}{self.parameter}{offset}"

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


def fitted(values: list[int], numbers: list[int]) -> tuple[int, int] | None:
    """Return (slope, offset) of the formula that gives these numbers for these values of a
    parameter; None if there is none, or if the values do not differ."""
    other = next((place for place, value in enumerate(values) if value != values[0]), 0)
    if not other:
        return None
    slope, rest = divmod(numbers[other] - numbers[0], values[other] - values[0])
    offset = numbers[0] - slope * values[0]
    right = all(slope * v + offset == n for v, n in zip(values, numbers, strict=True))
    return (slope, offset) if not rest and right else None
