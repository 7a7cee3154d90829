"""Names tell contents apart: designs of different hardware have different titles, and deliveries
can stand in one project, whatever option, modulus, curve or bus they differ in."""

from __future__ import annotations

import contextlib
import dataclasses
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from driven import Ports
from modmul import designs, multipliers, processors, targets
from modmul.arithmetic import curves
from modmul.design import Design
from modmul.errors import SpecError
from modmul.export import elaboration, hdl
from modmul.export.names import identifier, of_delivery
from modmul.host import Fault, OnRegisters
from modmul.parameters import Parameter, parameters
from modmul.spec import Spec
from modmul.system import build, buses, packages, register_map
from modmul.system.channels import chains
from modmul.system.packets import longest
from modmul.toolchain import yosys

TILES = ("2x2", "3x2", "3x3", "4x4", "9x9", "18x18")
SLICES = ("22/2/22", "333/3/333", "2333/3/3323", "2313/2/3123")
P256_LIKE = (
    0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF,
    0xFFFFFFFF12345678912345678912345678912345FFFFFFFFFFFFFFFFFFFFFFFF,
)
DENSE = (0x16250ABF6E5AC04CA5, 0x16250ABF6C76A1424B)  # irreducible, with one CRC-32


# ---- titles --------------------------------------------------------------------------------------


def values(design: Design, parameter: Parameter) -> list[Any]:
    """Other values of a parameter: all choices, or numbers around the present one."""
    present = getattr(design, parameter.field)
    near = present or parameter.minimum or 1
    if parameter.kind is bool:
        found: list[Any] = [True, False]
    elif parameter.choices is not None:
        found = list(parameter.choices)
    elif parameter.kind is int:
        numbers = {parameter.minimum, near - 1, near + 1, near + 2, near // 2, 2 * near, 8, 16, 32}
        low, high = parameter.minimum or 0, parameter.maximum or 1 << 16
        found = sorted(number for number in numbers if number is not None and low <= number <= high)
    else:
        found = [*TILES] if parameter.field == "tile" else [*SLICES]
    return [value for value in (None, *found) if value != present]


def changed(design: Design) -> Iterator[Design]:
    """The design with one parameter changed."""
    for parameter in parameters(type(design)).values():
        for value in values(design, parameter):
            try:
                yield dataclasses.replace(design, **{parameter.field: value})
            except (SpecError, TypeError):  # not possible, or None for what is not derived
                continue


def hardware(design: Design) -> str:
    """The design as RTLIL, in which no name tells the title."""
    return "\0".join(
        elaboration.rtlil_of(component, ports, name, {}, {})
        for component, ports, name in hdl.components(design, "x").values()
    )


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", designs.NAMES)
def test_titles_tell_hardware_apart(name: str, whole: bool) -> None:
    """Of designs with one or two parameters changed: several of one title are one circuit."""
    chance, named = random.Random(name), defaultdict[str, set[Design]](set)
    kind = designs.find(name)
    examples = [design for design in kind.examples() if design.width < 70]
    for design in examples if whole else [examples[0], examples[-1]]:
        once = list(changed(design))
        for other in [design, *once]:
            named[identifier(other.title).lower()].add(other)
        for other in chance.sample(once, min(len(once), 8)):
            twice = list(changed(other))
            for third in chance.sample(twice, min(len(twice), 8)):
                named[identifier(third.title).lower()].add(third)
    assert len(named) > 3
    shared = [sorted(several, key=repr) for several in named.values() if len(several) > 1]
    for several in chance.sample(shared, min(len(shared), 100 if whole else 1)):
        compared = several[:4] if whole else [several[0], several[-1]]
        assert len({hardware(design) for design in compared}) == 1, compared


@pytest.mark.parametrize("name", multipliers.NAMES)
def test_a_title_tells_the_target(name: str) -> None:
    """Although few circuits depend on it: that of `montgomery-2csa` does with words of one bit."""
    design = multipliers.find(name).examples()[-1]
    titles = dict[str, str]()
    for target in targets.NAMES:
        with contextlib.suppress(SpecError):
            titles[target] = dataclasses.replace(design, target=target).title
    assert len(titles) > 2 and len(set(titles.values())) == len(titles)


def test_a_title_tells_bubbles_and_latency_reduction() -> None:
    """Whose slots can have as many cycles with it as without."""
    of = {"width": 6, "word": 4, "tile": "2x2", "target": "cells", "bubbles": True}
    kind: Any = multipliers.find("fpmm")
    one, other = (kind(**of, latency_reduction=reduced) for reduced in (True, False))
    assert one.title != other.title and hardware(one) != hardware(other)


def test_the_parts_of_a_title_are_told_apart() -> None:
    """Those of a processor from those of its multiplier."""
    of = {"architecture": "exponentiation", "multiplier": "interleaved-redundant", "width": 64}
    changes = ({"beat": 16}, {"adder-word": 16}, {"beat": 8}, {"exponent-word": 8})
    assert len({Spec.from_options(of | more).design.title for more in changes}) == 4


@pytest.mark.parametrize(
    ("architecture", "moduli"), [("fpmm-fixed", P256_LIKE), ("gf2m-serial", DENSE)]
)
def test_a_fixed_modulus_is_told_by_the_title(architecture: str, moduli: tuple[int, int]) -> None:
    """Also one that begins and ends as another: by names of modules, and by the register `design`,
    so that a host refuses the other device."""
    kind: Any = multipliers.find(architecture)
    one, other = (Spec(kind(modulus=modulus, width=modulus.bit_length())) for modulus in moduli)
    assert one.design.title != other.design.title and len(one.design.title) < 60
    assert of_delivery(one.design.title) != of_delivery(other.design.title)
    maps = [register_map.register_map(spec.design, longest(spec)) for spec in (one, other)]
    with pytest.raises(Fault, match=r"^registers: design is 0x"):
        OnRegisters(other, Ports(maps[0], lambda _: None))
    OnRegisters(one, Ports(maps[0], lambda _: None))


# ---- the register `design` -----------------------------------------------------------------------


def digest(design: Design, banks: int = 0) -> int:
    regs = register_map.register_map(design, longest(Spec(design)), banks)
    return regs.by_name["design"].value


def test_the_register_design_tells_designs_and_banks_apart() -> None:
    of: dict[int, str] = {}
    for name in multipliers.NAMES:
        for design in multipliers.find(name).examples():
            for banks in range(4 if chains(design) else 1):
                assert of.setdefault(digest(design, banks), design.title) == design.title
    for name in processors.NAMES:
        (design,) = processors.find(name).examples()[:1]
        assert of.setdefault(digest(design), design.title) == design.title


def test_words_about_registers_do_not_change_the_register_design(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """But places do."""
    design = multipliers.find("interleaved")(width=8)
    before, events = digest(design), register_map._events
    monkeypatch.setattr(
        register_map,
        "_events",
        lambda *given: (
            dataclasses.replace(bits, meaning="other words") for bits in events(*given)
        ),
    )
    assert digest(design) == before
    monkeypatch.setattr(
        register_map,
        "_events",
        lambda *given: (dataclasses.replace(bits, low=bits.low + 1) for bits in events(*given)),
    )
    assert digest(design) != before


@pytest.mark.parametrize(
    "place", [0, *(pytest.param(place, marks=pytest.mark.long) for place in range(1, 7))]
)
@pytest.mark.parametrize("name", ["curve", "binary-curve", "kummer"])
def test_registers_are_the_same_for_all_curves(name: str, place: int) -> None:
    """So that a design has one name, whichever curve it is built for."""
    for processor in processors.find(name).examples()[place : place + 1]:
        given = [curve for curve in curves.within(processor.width) if can_load(processor, curve)]
        maps = [longest(Spec(processor, curve=curve)) for curve in (given if place else given[:2])]
        assert all(map_ == longest(Spec(processor)) for map_ in maps)


def can_load(processor: Design, curve: curves.Curve) -> bool:
    try:
        return Spec(processor, curve=curve) is not None
    except SpecError:
        return False


# ---- deliveries ----------------------------------------------------------------------------------

POWERS = {"architecture": "exponentiation", "multiplier": "interleaved"}
# Interface, bus, banks, other options.
KINDS: list[tuple[str, str | None, int, dict[str, Any]]] = [
    ("stream", None, 0, {}),
    ("core", None, 0, {}),
    ("stream", "axi4stream", 0, {}),
    *(("stream", bus, 0, {}) for bus in buses.REGISTERED),
    ("stream", "axi4lite", 2, {}),
    ("stream", "wishbone", 3, {}),
    ("stream", None, 0, {"target": "ecp5"}),
    ("stream", None, 0, {"width": 9}),
    ("stream", None, 0, {"architecture": "interleaved"}),
    ("stream", "axi4lite", 0, {"architecture": "interleaved"}),
    *(("stream", bus, 0, POWERS) for bus in (None, "axi4lite", "wishbone", "axi4stream")),
    *(("stream", bus, 0, {"reset_active": "low"}) for bus in (None, "native")),
    *(("stream", bus, 0, {"reset": "async"}) for bus in (None, "native", "axi4stream")),
    ("stream", None, 0, {"reset": "async", "reset_active": "low"}),
    ("stream", "axi4lite", 0, {"data_bits": 64}),
    *(("stream", bus, 0, {"clock_enable": True}) for bus in (None, "axi4lite", "axi4stream")),
    ("core", None, 0, {"clock_enable": True}),
    ("stream", None, 0, {"clock_enable": True, "reset_active": "low"}),
    ("stream", None, 0, POWERS | {"reset_active": "low"}),
]
FEW = (0, 1, 3, 4, 7, -8, -4)
PINS = ("reset", "reset_active", "clock_enable", "data_bits")  # options of `build`


@pytest.mark.parametrize("places", [FEW, pytest.param(range(len(KINDS)), marks=pytest.mark.long)])
def test_deliveries_stand_in_one_project(places: tuple[int, ...], tmp_path: Path) -> None:
    """Modules, packages and drivers of one name have one content, and Yosys reads all Verilog."""
    modules, files, packaged = dict[str, str](), dict[str, str](), dict[str, str]()
    texts = dict[str, str]()
    for place in places:
        interface, bus, banks, others = KINDS[place]
        pins = {key: value for key, value in others.items() if key in PINS}
        others = {key: value for key, value in others.items() if key not in PINS}
        options = {"architecture": "montgomery-radix2", "width": 8, "interface": interface}
        spec = Spec.from_options(options | others)
        folder = tmp_path / str(place)
        kinds = [kind for kind in packages.NAMES if kind != "litex" or bus != "apb4"]
        kinds = [kind for kind in kinds if kind != "litex" or interface == "stream"]
        build.build(spec, folder, bus=bus, banks=banks, packages=kinds, simulate=False, **pins)
        for file in filter(Path.is_file, folder.rglob("*")):
            name, text = file.relative_to(folder).as_posix(), file.read_text()
            if name.endswith((".v", ".h", ".c", ".core", ".py", ".tcl", ".xml", ".rdl")):
                assert files.setdefault(name, text) == text, name
            if name.endswith(".v") and not name.startswith("sim/"):
                texts[name] = text
            for module in re.finditer(r"^module (\w+).*?^endmodule", text, re.M | re.S):
                assert modules.setdefault(module[1], module[0]) == module[0], module[1]
            for package in re.finditer(PACKAGE_NAME, text):
                key = f"{name.rpartition('_')[2]} {package[0]}"
                assert packaged.setdefault(key, text) == text, key
    assert len(packaged) >= 4 * len(places) - 4
    (tmp_path / "all.v").write_text("\n".join(texts.values()))
    yosys.run("read_verilog all.v\nhierarchy -check\n", tmp_path)


# FuseSoC, IP-XACT, Quartus, Vivado; classes of LiteX and Amaranth; SystemRDL.
PACKAGE_NAME = (
    r'(?m)^name: "modmul.*"|<ipxact:library>modmul</ipxact:library>\s*<ipxact:name>\w+'
    r"|^set_module_property NAME \w+|^set_property name \w+|^class \w+|^addrmap \w+"
)
