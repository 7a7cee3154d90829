"""The first picture of the README: from a specification to Verilog, checks and figures.

`python -m docs.measured` writes it, with the figures of the table "measured"."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from modmul import Spec

PICTURE = Path(__file__).parent / "images" / "overview.svg"
DESIGN = "NIST P-256"  # its label in the table
_WIDTH, _HEIGHT, _LINE = 760, 302, 18
_STYLE = """
.o{font:13px system-ui,sans-serif;fill:#24292f}
.o rect{fill:#f6f8fa;stroke:#57606a}
.o .out{fill:#ddf4ff;stroke:#0969da}
.o path{stroke:#24292f;fill:none;stroke-width:1.5}
.o .title{font-weight:600}
.o .code{font-family:ui-monospace,monospace}
@media (prefers-color-scheme:dark){
.o{fill:#e6edf3}
.o rect{fill:#161b22;stroke:#8b949e}
.o .out{fill:#0c2d6b;stroke:#58a6ff}
.o path{stroke:#e6edf3}
}"""


class _Box(NamedTuple):
    title: str
    lines: Sequence[str]
    x: int
    y: int
    width: int
    style: str = ""  # of the rectangle
    text: str = ""  # of the lines

    @property
    def height(self) -> int:
        return 40 + _LINE * len(self.lines)

    @property
    def middle(self) -> int:
        return self.y + self.height // 2


def draw(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the picture as SVG.  rows: of docs/measured.json."""
    (row,) = (row for row in rows if (row["table"], row["label"]) == ("measured", DESIGN))
    spec = Spec.from_options(row["spec"])
    cycles = spec.design.cycles_per_product(spec.headline)
    mhz = row["usable_mhz"]
    mark = "" if row["verified"] else " (limit of the DSP block: unverified)"
    keys = [f'{key} = "{value}"' for key, value in row["spec"].items()]
    commands = ["modmul build", "modmul verify", "modmul implement"]
    checks = ["every product compared with big integers", "timing proved to depend on no secret"]
    figures = [
        f"{row['lut']:,} LUT, {row['ff']:,} FF, {row['dsp']} DSP",
        f"{mhz:.0f} MHz{mark}",
        f"{1e6 * mhz / cycles:,.0f} products/s",
    ]
    files = [
        f"{spec.design.title}.v",
        "testbench, constraints, datasheet",
        "registers on a bus, driver in C",
    ]
    out = {"x": 420, "width": _WIDTH - 421, "style": "out"}
    verilog = _Box("Verilog", files, y=1, **out)
    checked = _Box("Checks and proof", checks, y=verilog.y + verilog.height + 18, **out)
    measured = _Box("Measured figures", figures, y=checked.y + checked.height + 18, **out)
    given = _Box("Specification", keys, 1, checked.middle - 47, 194, text="code")
    tool = _Box("modmul", commands, 228, given.y, 158, text="code")
    arrows = [_arrow(195, given.middle, 228, given.middle)]
    arrows += [_arrow(386, tool.middle, 420, box.middle) for box in (verilog, checked, measured)]
    boxes = (given, tool, verilog, checked, measured)
    label = "From a specification to Verilog, checks and measured figures"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="o" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
            f'width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="{label}">',
            f"<style>{_STYLE}</style>",
            *(line for box in boxes for line in _drawn(box)),
            *arrows,
            "</svg>",
            "",
        ]
    )


def _drawn(box: _Box) -> Iterable[str]:
    yield (
        f'<rect class="{box.style}" x="{box.x}" y="{box.y}" width="{box.width}" '
        f'height="{box.height}" rx="6"/>'
    )
    yield f'<text class="title" x="{box.x + 14}" y="{box.y + 24}">{escape(box.title)}</text>'
    for index, line in enumerate(box.lines, 1):
        y = box.y + 26 + _LINE * index
        yield f'<text class="{box.text}" x="{box.x + 14}" y="{y}">{escape(line)}</text>'


def _arrow(x: int, y: int, x2: int, y2: int) -> str:
    bend = (x + x2) // 2
    return f'<path d="M{x} {y}H{bend}V{y2}H{x2 - 2}m-6 -4l6 4l-6 4"/>'
