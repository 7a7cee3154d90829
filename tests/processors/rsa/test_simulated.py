"""The emitted Verilog of RSA: keys from files, what users meet, and `verify`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from modmul import multipliers
from modmul.arithmetic.keys import Key
from modmul.cli import main
from modmul.design import Job
from modmul.export.hdl import Hdl, emit
from modmul.processors.contract import Load
from modmul.processors.rsa import Rsa
from modmul.processors.rsa.numbers import in_words
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.verification import replay
from modmul.verification.processors import Batch, check, design_of, plan
from modmul.verification.processors.exchange import FULL_SPEED, StreamRequest
from modmul.verification.processors.trial import OperationTrial
from modmul.verification.streams import compile_streams
from modmul.verification.verdict import Verdict

pytestmark = pytest.mark.timeout(1800)  # compiles, on a machine that may be busy
SMALL: dict[str, Any] = {"architecture": "rsa", "multiplier": "fpmm", "width": 64}
ASKED = ["simulate", "--architecture", "rsa", "--multiplier", "fpmm", "--operation", "private"]


def encoded(key: rsa.RSAPrivateKey, message: bytes) -> int:
    """The padded digest of a message, which is what is raised to the power d: found by the public
    operation on a signature."""
    numbers = key.public_key().public_numbers()
    signature = key.sign(message, padding.PKCS1v15(), hashes.SHA256())
    return pow(int.from_bytes(signature), numbers.e, numbers.n)


LONG = [(1024, 1024, 1), (2048, 1024, 1), (2048, 1024, 2), (3072, 1536, 2), (4096, 2048, 1)]


@pytest.mark.parametrize(
    "bits, width, units",
    [(1024, 512, 1), *(pytest.param(*case, marks=pytest.mark.long) for case in LONG)],
)
def test_signatures_verify(
    bits: int, width: int, units: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A message signed by the simulated core verifies under OpenSSL; in as many cycles as are
    declared."""
    key = rsa.generate_private_key(65537, bits)
    file, message = tmp_path / "key.pem", b"to be signed"
    file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    lines = tmp_path / "in.jsonl"
    lines.write_text(json.dumps({"x": hex(encoded(key, message))}) + "\n")
    built = ["--width", str(width), "--units", str(units)]
    assert main([*ASKED, *built, "--key", str(file), "--input", str(lines), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    processor = Rsa(multiplier=multipliers.find("fpmm")(width=width), units=units)
    mode = processor.mode("private", Load(Key.from_file(file)))
    assert data["faults"] == [] and data["cycles"] == processor.latency(mode).maximum
    signature = int(data["result"]["y"], 16).to_bytes(bits // 8)
    key.public_key().verify(signature, message, padding.PKCS1v15(), hashes.SHA256())


def test_keys_that_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = rsa.generate_private_key(65537, 1024)
    file = tmp_path / "key.pem"
    file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    operand = ["--operand", "x=5"]
    for more, why in (
        (["--width", "256", "--key", str(file)], "one of its primes has 512 bits"),
        (["--width", "512", "--key", str(tmp_path / "none")], "cannot read"),
        (["--modulus", "p256", "--key", str(file)], "absent where a modulus is given"),
        (["--width", "512"], "key is missing"),
        (["--modulus", "p256"], "without a key"),
    ):
        assert main([*ASKED, *operand, *more]) == 2
        assert why in " ".join(capsys.readouterr().err.split())
    assert main(["simulate", "--width", "64", "--key", str(file), "--a", "1", "--b", "1"]) == 2
    assert "absent: fpmm takes none" in " ".join(capsys.readouterr().err.split())


def test_a_fault_gives_zeros_and_a_flag() -> None:
    """A bit of dq is another one: the halves do not fit, and nothing of either leaves."""
    processor = Spec.from_options(SMALL).processor
    key = Key(2**64 - 59, 2**61 - 1)
    job = Job(processor.mode("private", Load(key)), key, {"x": 12345})
    asked = StreamRequest(processor, 0, FULL_SPEED, [Batch(key, [job])]).exchange()
    scalars = list(asked.inputs["scalar"])
    place = len(scalars) // 3 * 2 - 1  # the highest beat of the second of three
    beat = scalars[place].beat
    scalars[place] = replace(scalars[place], beat={**beat, "data": beat["data"] ^ 2})
    faulty = replace(asked, inputs={**asked.inputs, "scalar": scalars})
    with compile_streams([design_of(processor, emit(processor))], Cache()).start() as session:
        beats = [session.run(0, exchange).beats["result"] for exchange in (asked, faulty)]
    assert processor.reply(job.mode, beats[0]) == {"y": pow(12345, key.d, int(key))}
    assert processor.reply(job.mode, beats[1]) == {"fault": True}
    assert [beat["data"] for beat in beats[1][:-1]] == [0] * (len(beats[0]) - 1)


def test_batches_of_keys_and_their_files(tmp_path: Path) -> None:
    """Every task of the plan can be written and read again."""
    spec = Spec.from_options(SMALL)
    trial, seen = OperationTrial(spec, Hdl("", {}, ())), set()
    for task in plan.tasks(spec.processor, spec.modes, 20):
        request = trial.request(3, task)
        assert request.jobs and request == trial.request(3, task)
        seen |= {job.mode.operation for job in request.jobs}
        replay.write(tmp_path / "case.json", spec, False, request, Verdict(), 0)
        again = replay.read(tmp_path / "case.json")
        assert again.request(0) == request and again.spec == spec
    assert seen == {"private", "public"}


@pytest.mark.long
def test_verification_finds_nothing() -> None:
    from modmul.verification.verify import verify

    options = {"architecture": "rsa", "multiplier": "fpmm", "width": 16, "method": "ladder"}
    result = verify(Spec.from_options(options), products=6)
    assert result.passed, result


UNUSUAL = [example for example in Rsa.examples() if example.primes > 2 or example.modulus_blinding
           or example.engine.whole or in_words(example.engine)]  # fmt: skip


@pytest.mark.parametrize("processor", [
    pytest.param(processor, marks=pytest.mark.long if place % 2 else (), id=processor.title)
    for place, processor in enumerate(UNUSUAL)
])  # fmt: skip
@pytest.mark.short("rsa-ladder-4-primes-two-modulus-8-fpmm_32_F8x2D_w33")
def test_more_primes_blinded_moduli_whole_numbers_and_short_operands(processor: Rsa) -> None:
    """The emitted Verilog by primes, and where n fits: right, in the cycles that are declared."""
    bits = processor.key_primes[1]
    several = [Key.of_bits(bits, 61 << bits - 6, 17, processor.primes),
               Key.of_bits(bits // 2, 61 << bits // 2 - 6, 17)]  # fmt: skip
    if in_words(processor.engine):
        several.append(Key(several[0].q, several[0].p, 17))
    with compile_streams([design_of(processor)], Cache()).start() as session:
        for key in several:
            job = Job(processor.mode("private", Load(key)), key, {"x": int(key) // 3})
            verdict = check(processor, session, 0, [Batch(key, [job])])
            assert verdict.mismatches == [], verdict.mismatches[0].message
            assert verdict.measured == [processor.latency(job.mode).maximum]
