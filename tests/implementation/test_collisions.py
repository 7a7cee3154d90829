"""`synth_ecp5 -no-rw-check` is safe: no word of a block RAM is read as it is written, then used."""

import dataclasses
import re
from pathlib import Path

import pytest

from modmul.export import hdl
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.verification.verify import check

READ = re.compile(r"(\w+) <= ram\[(\w+)\];")
WRITE = re.compile(r"if \((\w+)\)\s*ram\[(\w+)\] <=")


@pytest.mark.parametrize(("same_word", "passes"), [(True, True), (False, False)])
def test_garbage_from_reads_that_meet_a_write(
    tmp_path: Path, same_word: bool, passes: bool
) -> None:
    """Garbage on collisions changes nothing; garbage on every read beside a write does."""
    spec = Spec.from_options({"architecture": "fpmm", "width": 66, "storage": "block"})
    written = hdl.emit(spec.multiplier)
    ((enable, address),) = set(WRITE.findall(written.verilog))

    def poison(read: re.Match[str]) -> str:
        hit = f"{enable} && {address} == {read[2]}" if same_word else enable
        return f"{read[1]} <= ({hit}) ? ~ram[{read[2]}] : ram[{read[2]}];"

    poisoned, memories = READ.subn(poison, written.verilog)
    assert memories == 2
    result = check(
        spec, dataclasses.replace(written, verilog=poisoned), products=500, seed=1, jobs=1,
        netlist=False, waveform=False, output=tmp_path, cache=Cache(tmp_path / "cache"),
    )  # fmt: skip
    assert result.passed is passes
