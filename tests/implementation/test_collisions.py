"""`synth_ecp5 -no-rw-check` is safe: no word of a block RAM is read as it is written, then used."""

import random
import re
from pathlib import Path

from modmul.export import hdl
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.verification import stimuli
from modmul.verification.protocol import CoreRequest, ModulusRun, StimulusProfile
from modmul.verification.simulator import CompiledCore, compile_simulator

READ = re.compile(r"(\w+) <= ram\[(\w+)\];")
WRITE = re.compile(r"if \((\w+)\) begin\s*ram\[(\w+)\] <=")
MODULUS = (1 << 66) - 5


def test_garbage_from_reads_that_meet_a_write(tmp_path: Path) -> None:
    """Garbage where a read meets a write of the same word changes nothing; garbage from every read
    beside a write does, so that the first half of the test could have failed."""
    multiplier = Spec.from_options({"width": 66, "storage": "block"}).multiplier
    written = hdl.emit(multiplier)

    def poisoned(same_word: bool) -> CompiledCore:
        def poison(module: str) -> tuple[str, int]:
            def garbage(read: re.Match[str]) -> str:
                ((enable, address),) = WRITE.findall(module)
                hit = f"{enable} && {address} == {read[2]}" if same_word else enable
                return f"{read[1]} <= ({hit}) ? ~ram[{read[2]}] : ram[{read[2]}];"

            return READ.subn(garbage, module)

        modules = [poison(module) for module in written.verilog.split("\nendmodule")]
        verilog = "\nendmodule".join(text for text, _ in modules)
        assert sum(memories for _, memories in modules) == 2
        return CompiledCore(multiplier, verilog, written.core, "core", written.models)

    rng = random.Random(1)
    products = stimuli.random_products(multiplier.over(MODULUS), 2000, rng)
    gaps = [rng.choice((0, 0, 0, 1, 2, 7)) for _ in products]
    wanted = [multiplier.compute(a, b, MODULUS) for a, b in products]  # type: ignore[arg-type]
    simulator = compile_simulator([poisoned(True), poisoned(False)], Cache(tmp_path))
    with simulator.start() as session:
        for design, right in ((0, True), (1, False)):
            for drive in (
                StimulusProfile("gaps", "core"),
                StimulusProfile("empty slots", "core", empty_slots=True),
            ):
                run = ModulusRun(multiplier.over(MODULUS), products, gaps)
                outcome = session.run(CoreRequest(multiplier, design, drive, [run], 1))
                assert (outcome.values == wanted) is right
