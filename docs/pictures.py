"""Make docs/images anew: the output of real runs, as `modmul` prints it.

    python docs/pictures.py                      # takes some minutes: it places and routes
    python docs/pictures.py kuang2016 amanor2005 # area-time pictures of these papers, SVG and PNG:
                                                 # half an hour; hours

Figures in them are those of the machine and the versions at hand."""

import re
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

from modmul.cli import main, output
from modmul.papers import papers, pictures
from modmul.toolchain import files, progress

IMAGES = Path(__file__).parent / "images"
EXAMPLE = "multiplier-p256 --target ecp5"
COLUMNS = 150  # of the widest table
DRAWN = "--modulus m127 --interface core"  # of the timing diagram: few words, so that it is narrow
COMMANDS = (
    f"verify {EXAMPLE} --products 100000",
    f"implement {EXAMPLE} --seeds 2 --interface core",
)


def terminal() -> str:
    """The commands and what they print, as SVG.

    Without rich's web fonts: a picture must not load anything from elsewhere."""
    screen = Console(
        record=True, width=COLUMNS, highlight=False, markup=False, file=open("/dev/null", "w")
    )
    output._print = screen.print  # as on a terminal, wherever this runs
    for command in COMMANDS:
        screen.print(Text(f"$ modmul {command}", style="bold green"))
        code = main(command.split())
        if code != 0:
            raise SystemExit(f"modmul {command} ended with {code}")
    template = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.S)
    return screen.export_svg(title="modmul", code_format=template, unique_id="modmul")


def timing() -> str:
    """The timing diagram of a datasheet."""
    with tempfile.TemporaryDirectory() as folder:
        if main(["build", *DRAWN.split(), "-o", folder]) != 0:
            raise SystemExit("modmul build failed")
        (diagram,) = Path(folder).glob("*_timing.svg")
        return diagram.read_text()


def make() -> None:
    """Both pictures."""
    IMAGES.mkdir(exist_ok=True)
    for name, text in (("terminal.svg", terminal()), ("timing.svg", timing())):
        ElementTree.fromstring(text)  # well-formed, or nothing is written
        files.write(IMAGES / name, text)


def draw(key: str) -> None:
    """The pictures of a paper; all figures come from the cache where nothing changed."""
    with progress.bar() as report:
        pictures.write(papers(key, progress=report), IMAGES)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        draw(name)
    if not sys.argv[1:]:
        make()
