"""The emitted Verilog of RSA: keys from files, what users meet, and `verify`."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
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
from modmul.export.hdl import Hdl
from modmul.operation import Job
from modmul.processors.contract import Load
from modmul.processors.rsa import Rsa
from modmul.processors.rsa.numbers import in_words
from modmul.spec import Spec
from modmul.toolchain.cache import Cache
from modmul.verification import replay
from modmul.verification.faults import Fault
from modmul.verification.faults.sites import STREAM, struck
from modmul.verification.processors import Batch, check, design_of, plan
from modmul.verification.processors.exchange import FULL_SPEED, StreamRequest
from modmul.verification.processors.trial import OperationTrial
from modmul.verification.streams import Exchange, StreamSession, compile_streams
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


def _changed(asked: Exchange, stream: str, place: int, mask: int) -> Exchange:
    """With other bits in one beat."""
    offers = list(asked.inputs[stream])
    beat = offers[place].beat
    offers[place] = replace(offers[place], beat={**beat, "data": beat["data"] ^ mask})
    return replace(asked, inputs={**asked.inputs, stream: offers})


def _asked(*several: int) -> tuple[Exchange, list[Job]]:
    """A private operation for each x."""
    bits = QUICK.key_primes[1]
    key = Key.of_bits(bits, 61 << bits - 6, 17, QUICK.primes)
    mode = QUICK.mode("private", Load(key))
    jobs = [Job(mode, key, {"x": x}) for x in several]
    return StreamRequest(QUICK, 0, FULL_SPEED, [Batch(key, jobs)]).exchange(), jobs


def _right(job: Job) -> dict[str, int]:
    assert isinstance(job.modulus, Key)
    return {"y": pow(job.operands["x"], job.modulus.d, int(job.modulus))}


@pytest.mark.parametrize("stream", ["scalar", "operand"])
def test_a_fault_gives_zeros_and_a_flag(quick: StreamSession, stream: str) -> None:
    """A bit of an exponent is another one, so that the parts do not fit, or a bit of x before it is
    used: nothing leaves."""
    asked, [job] = _asked(12345)
    # the highest beat of the second of three exponents, the lowest one of x
    place = len(asked.inputs["scalar"]) // 3 * 2 - 1 if stream == "scalar" else 0
    faulty = _changed(asked, stream, place, 1 << QUICK.engine.word - 2)
    beats = [quick.run(0, exchange).beats["result"] for exchange in (asked, faulty)]
    assert QUICK.reply(job.mode, beats[0]) == _right(job)
    assert QUICK.reply(job.mode, beats[1]) == {"fault": True}
    assert [beat["data"] for beat in beats[1][:-1]] == [0] * (len(beats[0]) - 1)


def test_a_packet_that_is_too_short_is_a_fault(quick: StreamSession) -> None:
    """Even if the beat that is missing is 0: words that are executed again would compare zeros with
    zeros."""
    asked, [job] = _asked(5)
    *offers, before, _ = asked.inputs["operand"]
    offers.append(replace(before, beat=before.beat | {"last": 1}))
    short = replace(asked, inputs={**asked.inputs, "operand": offers})
    beats = quick.run(0, short).beats["result"]
    assert QUICK.reply(job.mode, beats) == {"fault": True}
    assert not any(beat["data"] for beat in beats[:-1])


@pytest.mark.long
def test_results_of_products_in_the_wrong_registers() -> None:
    """The place in the queue of the registers that products go to is another one: 0 would be
    compared with 0.  It is seen, and the next operation is right."""
    asked, jobs = _asked(12345, 54321)
    design, sites = struck(design_of(QUICK))
    [first, _] = [place for place in sites.places if place.name.endswith("oldest_product")]
    count = QUICK.reply_beats(jobs[0].mode, jobs[0].modulus)
    begin, latency = QUICK.programs.build.store_beats, QUICK.latency(jobs[0].mode).maximum
    with compile_streams([design], Cache()).start() as session:
        for number in range(8 * first.width):
            cycle = begin + latency // 10 + number * latency // (10 * first.width)
            fault = Fault("flip", 0, first.base + number % first.width, 1, cycle, 1)
            beats = session.strike(0, asked, STREAM, fault.cycle, fault.beat).beats["result"]
            assert QUICK.reply(jobs[0].mode, beats[:count]) == {"fault": True}, fault
            assert QUICK.reply(jobs[1].mode, beats[count:]) == _right(jobs[1]), fault


@pytest.mark.long
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


UNUSUAL = [
    example
    for example in Rsa.examples()
    if example.primes > 2
    or example.modulus_blinding
    or example.engine.whole
    or in_words(example.engine)
]


QUICK = next(example for example in UNUSUAL if example.primes > 3)


@pytest.fixture(scope="module")
def quick() -> Iterator[StreamSession]:
    """The one that is simulated by default."""
    with compile_streams([design_of(QUICK)], Cache()).start() as session:
        yield session


@pytest.mark.parametrize(
    "processor",
    [
        pytest.param(
            processor, marks=() if processor == QUICK else pytest.mark.long, id=processor.title
        )
        for processor in UNUSUAL
    ],
)
def test_more_primes_blinded_moduli_whole_numbers_and_short_operands(
    processor: Rsa, request: pytest.FixtureRequest
) -> None:
    """The emitted Verilog by primes, and where n fits: right, in the cycles that are declared."""
    bits = processor.key_primes[1]
    several = [
        Key.of_bits(bits, 61 << bits - 6, 17, processor.primes),
        Key.of_bits(bits // 2, 61 << bits // 2 - 6, 17),
    ]
    if in_words(processor.engine):
        several.append(Key(several[0].q, several[0].p, 17))
    with contextlib.ExitStack() as stack:
        if processor == QUICK:
            session = request.getfixturevalue("quick")
        else:
            simulator = compile_streams([design_of(processor)], Cache())
            session = stack.enter_context(simulator.start())
        for key in several:
            job = Job(processor.mode("private", Load(key)), key, {"x": int(key) // 3})
            verdict = check(processor, session, 0, [Batch(key, [job])])
            assert verdict.mismatches == [], verdict.mismatches[0].message
            assert verdict.measured == [processor.latency(job.mode).maximum]
