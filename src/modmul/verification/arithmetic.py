"""`verify --arithmetic`: proves the products of a multiplier on the text of its bare core."""

from __future__ import annotations

from modmul.arithmetic_proof.proof import ArithmeticProof, prove_files
from modmul.export import hdl
from modmul.spec import Spec
from modmul.toolchain.work import Work


def prove_arithmetic(spec: Spec, seconds: int, work: Work | None = None) -> ArithmeticProof:
    """Prove the claim of a multiplier, or find it in the cache.

    seconds: to give up after.  Raises SpecError for a processor, ToolFailed, ToolMissing."""
    multiplier, work = spec.multiplier, work or Work()
    written = hdl.emit(multiplier)
    files = {model.file: model.text for model in written.models}
    files[f"{written.core}.v"] = written.verilog
    work.progress("proving the arithmetic", 0, 1)
    proof = prove_files(multiplier, files, written.core, seconds, work.cache)
    work.progress("proving the arithmetic", 1, 1)
    return proof
