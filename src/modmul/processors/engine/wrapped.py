"""The text of a program for a Kummer surface whose points are wrapped: (x/y, x/z, x/t).

So points are in papers, and sent.  Nothing has to be inverted at the beginning; at the end there
is one inversion as before.  The status is 0 where y, z or t of the result is 0."""

from __future__ import annotations

import re

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


def wrapped(text: str) -> str:
    """The text with wrapped points in the place of points (x : y : z : t)."""
    text = re.sub(r"(?s)^input x, .*?^scalar", _BEGINNING, text, count=1, flags=re.MULTILINE)
    return re.sub(r"(?s)^test X .*\Z", _END, text, count=1, flags=re.MULTILINE)
