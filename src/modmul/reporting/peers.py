"""Published processors, to be shown beside those that are measured here: what stands in
papers/figures/processors.toml, and Table V of gallin2019."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from modmul.papers.gallin2019.processors import CHIPS
from modmul.papers.transcribed import transcribed

MARK = "[memory]"
_NOT_AT_HAND = "from memory"
_FAMILIES = {"Virtex-4": "xc4v", "Virtex-5": "xc5v", "Zynq-7020": "xc7"}
_SURFACES = ("wrapped-multiply gaudry-schost", "point-multiply gaudry-schost")


class Peer(NamedTuple):
    """One published processor with an area in LUTs.  does: the operations and curves that it is
    compared with, as here.  family: target of the same chip family, "" if there is none.  ms: of
    one scalar multiplication; lut, ff, dsp, mhz: None if not printed."""

    source: str
    design: str
    chip: str
    family: str
    does: tuple[str, ...]
    width: int
    lut: int
    ff: int | None
    dsp: int | None
    mhz: float | None
    ms: float


def peers() -> Iterator[Peer]:
    """All published processors; a mark after the name means figures quoted at second hand."""
    for peer in transcribed("processors")["peer"]:
        if "does" in peer:
            chip = peer["chip"]
            yield Peer(
                "benchmark of processors", marked(peer), chip, _FAMILIES.get(chip, ""),
                (peer["does"],), peer["width"], peer["lut"], peer.get("ff"), peer.get("dsp"),
                peer.get("mhz"), peer["ms"],
            )  # fmt: skip
    figures = transcribed("gallin2019")
    hecc = figures["hecc"]
    for row in hecc["rows"]:
        peer = dict(zip(hecc["columns"], row, strict=True))
        chip = peer["fpga"]
        yield Peer(
            "gallin2019, Table V", peer["architecture"], figures["chips"][chip], CHIPS[chip],
            _SURFACES, 127, peer["luts"], peer["ffs"], peer["dsps"], peer["freq_mhz"],
            peer["time_ms"],
        )  # fmt: skip


def marked(peer: Mapping[str, Any]) -> str:
    """The name of a processor, with a mark if its figures were quoted at second hand."""
    doubt = str(peer.get("doubt", ""))
    return f"{peer['name']} {MARK}" if doubt.startswith(_NOT_AT_HAND) else str(peer["name"])
