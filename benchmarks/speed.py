"""How long the tool takes, everything done anew: emit, compile, products checked, synthesis."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from modmul import targets
from modmul.export import hdl
from modmul.implementation.implement import map_module
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.toolchain.progress import Report
from modmul.verification.verify import verify

F44 = {"architecture": "fpmm", "width": 128, "slots": 4, "interface": "core"}


def measure(products: int, progress: Report) -> dict[str, Any]:
    """Seconds, and products checked per second, for the 128-bit F44 (what runs besides counts too).

    Only the compilation of Verilator's own runtime is left out."""
    with tempfile.TemporaryDirectory(prefix="modmul-bench-") as folder:
        cache = Cache(Path(folder))
        small = Spec.from_options({"architecture": "interleaved", "width": 8})
        verify(small, products=0, cache=cache)  # compiles the runtime
        spec = Spec.from_options(F44)
        checked = verify(spec, products=products, cache=cache, progress=progress)
        figures: dict[str, Any] = {
            "products": checked.products,
            "wrong": checked.wrong,
            "compile_seconds": round(checked.compile_seconds, 2),
            "checked_per_second": round(checked.checked_per_second),
        }
        names = [name for name in targets.NAMES if targets.find(name).dsp]  # F44 wants blocks
        for done, target in enumerate(names):
            progress("timing emit and synthesis", done, len(names))
            multiplier = Spec.from_options({**F44, "target": target}).multiplier
            start = time.perf_counter()
            written = hdl.emit(multiplier)
            emitted = time.perf_counter()
            map_module(written.verilog, written.core, multiplier.chip, cache)
            figures[f"emit_seconds_{target}"] = round(emitted - start, 2)
            figures[f"synthesis_seconds_{target}"] = round(time.perf_counter() - emitted, 2)
        return figures
