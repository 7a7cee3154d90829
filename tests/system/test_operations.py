"""The driver of a processor speaks of keys and points: every operation of every processor, its
packets and results against the contract; secrets are overwritten, and tell nothing."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from driven import STRICT, Answer, Driven, Ports
from modmul import processors
from modmul.cli import main
from modmul.design import Beat
from modmul.export import names
from modmul.export.processor.plan import samples
from modmul.operation import Job
from modmul.processors import Load, Processor
from modmul.spec import Spec
from modmul.system import loadables, operations
from modmul.system.driver import driver, loadable
from modmul.system.packets import longest
from modmul.system.register_map import register_map
from modmul.system.registers import RegisterMap

KEY_DIGEST = "3d70cb95bfb10d9c"  # of the modulus in it: SHA-256 of its hexadecimal digits
KEY = Path(__file__).parents[2] / "examples" / "rsa.pem"
EXAMPLES = [example for name in processors.NAMES for example in processors.find(name).examples()]
USUAL = (
    "exponentiation-ladder1-fpmm_512_F2x16D",
    "curve-ladder-edwards-secrets-eddsa-montgomery-lookahead-32-w32",
)
OK, NO_DEVICE, TIMEOUT, REFUSED, TOO_LONG, NOT_LOADED, OUT_OF_RANGE, NO_RANDOM = range(8)
FLAGS = {"infinity": 8, "exceptional": 9, "invalid": 10, "fault": 11}
OVERLAP = 12


def map_of(spec: Spec) -> RegisterMap:
    return register_map(spec.design, longest(spec))


def driven(
    spec: Spec,
    regs: RegisterMap,
    folder: Path,
    every: list[Load],
    change: Callable[[str], str] = lambda text: text,
) -> Driven:
    """With all of these, as load0, load1 and so on."""
    functions = operations.functions(spec, operations.known(spec), "dut")
    texts = [
        loadables.loadable(spec.processor, regs, load, functions, f"load{place}").text
        for place, load in enumerate(every)
    ]
    return Driven(spec, regs, folder, "\n".join(texts), change)


def answering(processor: Processor, job: Job, wrong: list[str]) -> Answer:
    """What answers a job, and tells packets that are not those of the contract."""
    request = {name: beats for name, beats in processor.request(job).items() if beats}
    reply = processor.answer(job)

    def answer(packets: dict[str, list[Beat]]) -> list[Beat] | None:
        if packets.keys() < request.keys():
            return None
        wrong.extend(packets.keys() - request.keys())
        for name, beats in request.items():
            came = packets.get(name, [])
            if len(came) != len(beats) or (came != beats and not name.startswith("random")):
                wrong.append(name)
        return reply

    return answer


@pytest.mark.parametrize(
    "processor",
    [
        pytest.param(example, marks=() if example.title in USUAL else pytest.mark.long)
        for example in EXAMPLES
    ],
    ids=lambda example: example.title,
)
def test_every_operation(processor: Processor, tmp_path: Path) -> None:
    spec = Spec(processor)
    every = list(samples(spec))
    loads = list(dict.fromkeys(load for load, _ in every))
    regs = map_of(spec)
    c_driver, seen = driven(spec, regs, tmp_path, loads), set()
    for load, job in every:
        key = (load, job.mode.operation)
        if key in seen or job.mode.length == 0:
            continue
        seen.add(key)
        wrong: list[str] = []
        ports = Ports(regs, answering(processor, job, wrong))
        c_driver.at(ports)
        c_driver.draws()
        assert c_driver.load(f"load{loads.index(load)}") == OK
        assert ports.loaded == processor.load(*load)["modulus"]
        arguments = c_driver.functions[job.mode.operation].operands
        operands = dict.fromkeys((each.name for each in arguments), 1) | dict(job.operands)
        status, results = c_driver.ask(job.mode.operation, operands, job.mode.length or 0)
        wanted = processor.compute(job)
        flags = {name for name, value in wanted.items() if isinstance(value, bool) and value}
        if wanted == {"valid": False}:
            flags = {"invalid"}
        told_status = [FLAGS[name] for name in flags - {"valid"}] or [OK]
        assert (wrong, [status]) == ([], told_status), key
        numbers = {name: value for name, value in wanted.items() if not isinstance(value, bool)}
        assert {name: results.get(name, 0) for name in numbers} == numbers
        assert not any(value for name, value in results.items() if name not in numbers)
        assert ports.left() == set() and not ports.error
        for shared in overlaps(c_driver.functions[job.mode.operation], job.mode.length or 0):
            asked = c_driver.ask(job.mode.operation, operands, job.mode.length or 0, shared)
            assert (wrong, *asked) == ([], status, results), (key, shared)
    assert seen


def overlaps(function: operations.Function, length: int) -> Iterator[tuple[str, str, int]]:
    """Every operand with every result in its memory: at its beginning, a word before and behind it,
    and as far before and behind as they still share a word."""
    for operand in function.operands:
        words = operand.words or -(-length // 32)
        for result in function.results:
            for behind in sorted({1 - result.words, -1, 0, 1, words - 1}):
                if -result.words < behind < words:
                    yield operand.name, result.name, behind


# ---- what else may happen ------------------------------------------------------------------------

TOY = Spec.from_options(
    {
        "architecture": "curve",
        "curve": "toy64",
        "multiplier": "fpmm",
        "schemes": "ecdsa",
        "forms": "weierstrass",
    }
)
SIGN, MULTIPLY = "ecdsa-sign", "point-multiply"


@functools.cache
def toy_map() -> RegisterMap:
    return map_of(TOY)


def job_of(operation: str, **operands: int) -> Job:
    load, curve = TOY.load, TOY.curve
    assert load is not None and curve is not None
    base = {"x": curve.x, "y": curve.y} if operation != SIGN else {}
    mode = TOY.processor.mode(operation, Load(load.modulus, curve=curve))
    return Job(mode, load.modulus, {**operands, **base})


def signature(private: int, nonce: int = 5) -> Job:
    return job_of(SIGN, digest=77, private=private, nonce=nonce)


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Driven:
    return driven(TOY, toy_map(), tmp_path_factory.mktemp("toy"), [])


def opened(c_driver: Driven, job: Job, random: bool = True) -> tuple[Ports, list[str]]:
    """At registers that answer this job, with its curve loaded."""
    wrong: list[str] = []
    ports = Ports(toy_map(), answering(TOY.processor, job, wrong))
    c_driver.at(ports)
    if random:
        c_driver.draws()
    assert c_driver.call("load_own") == OK
    return ports, wrong


def test_what_is_out_of_range_is_not_sent(toy: Driven) -> None:
    curve = TOY.curve
    assert curve is not None
    for private, nonce in ((0, 5), (curve.order, 5), (5, 0), (5, curve.order)):
        ports, _ = opened(toy, signature(5))
        before = len(ports.accesses)
        asked = {"digest": 77, "private": private, "nonce": nonce}
        assert toy.ask(SIGN, asked) == (OUT_OF_RANGE, {"r": 0, "s": 0})
        assert len(ports.accesses) == before
    ports, wrong = opened(toy, signature(curve.order - 1, curve.order - 1))
    asked = {"digest": 77, "private": curve.order - 1, "nonce": curve.order - 1}
    assert toy.ask(SIGN, asked)[0] == OK and not wrong


def test_results_that_share_memory_are_refused(toy: Driven) -> None:
    """Results of other memory are right one behind the other, but not with one word in common."""
    job = signature(5)
    _, wrong = opened(toy, job)
    r, s = (result.name for result in toy.functions[SIGN].results)
    for behind in (-1, 0, 1):
        shared = (r, s, behind)
        assert toy.ask(SIGN, job.operands, shared=shared) == (OVERLAP, {"r": 0, "s": 0})
    for behind in (-2, 2):
        asked = toy.ask(SIGN, job.operands, shared=(r, s, behind))
        assert asked == (OK, TOY.processor.compute(job)) and not wrong


def signed(
    c_driver: Driven, made_by: Job, shared: tuple[str, str, int] | None = None
) -> tuple[int, dict[str, int]]:
    """What the function that signs and verifies gives for the key 1, whose point is the base point,
    if the device answers with the signature of another job."""
    asked, (made,) = signature(1), operations.signing_functions([*c_driver.functions.values()])
    pair = {name: int(value) for name, value in TOY.processor.compute(made_by).items()}
    check = job_of("ecdsa-verify", digest=77, **pair)
    assert TOY.load is not None
    curve, wrong, stage = TOY.processor.load(*TOY.load)["modulus"], list[str](), [0]
    ports = Ports(toy_map(), lambda _: None)

    def answer(packets: dict[str, list[Beat]]) -> list[Beat] | None:
        reply = answering(TOY.processor, (asked, check)[stage[0]], wrong)(packets)
        if reply is not None and stage[0] == 0:
            stage[0], ports.loaded = 1, []  # it has to be loaded anew
            return TOY.processor.answer(made_by)
        if reply is not None:
            assert ports.loaded == curve
        return reply

    ports.answer = answer
    c_driver.at(ports)
    c_driver.draws()
    assert c_driver.call("load_own") == OK
    given = {**asked.operands, **check.operands}
    given = {operations.argument_name(name): value for name, value in given.items()}
    sizes = {each.name: each.words for each in (*made.signing.operands, *made.public)}
    results = {each.name: each.words for each in made.signing.results}
    told = c_driver.share(made.name, sizes, results, given, [], shared)
    assert not wrong and (stage == [1] or told[0] == OVERLAP)
    return told


def test_a_signature_is_given_out_only_if_it_is_valid(toy: Driven) -> None:
    """With the curve loaded anew before that is asked; results may be in memory of operands."""
    right = TOY.processor.compute(signature(1))
    wanted = {f"{name}_out": int(value) for name, value in right.items()}
    nothing = dict.fromkeys(wanted, 0)
    assert signed(toy, signature(1), ("digest", "r_out", 0)) == (OK, wanted)
    assert signed(toy, signature(1), ("x", "s_out", 1)) == (OK, wanted)
    assert signed(toy, signature(2), ("digest", "r_out", 0)) == (FLAGS["fault"], nothing)
    assert signed(toy, signature(1), ("r_out", "s_out", 1)) == (OVERLAP, nothing)


def test_a_design_that_cannot_verify_says_so(tmp_path: Path) -> None:
    options = TOY.options() | {"verification": False}
    spec = Spec.from_options({key: value for key, value in options.items() if value is not None})
    header = driver(spec, map_of(spec), "dut")["driver/dut.h"]
    assert "dut_ecdsa_sign_unverified(" in header and "dut_ecdsa_sign(" not in header
    outcomes = re.findall(r"^ \* Besides DUT_OK: (.*)$", header, re.M)
    assert outcomes and all(re.fullmatch(r"DUT_\w+(, DUT_\w+)*", told) for told in outcomes)
    assert "The signature is NOT verified." in header


def test_a_length_out_of_range_gives_no_result(tmp_path: Path) -> None:
    spec = Spec.from_options(
        {
            "architecture": "exponentiation",
            "multiplier": "fpmm",
            "width": 64,
            "modulus": (1 << 64) - 59,
        }
    )
    c_driver = driven(spec, map_of(spec), tmp_path, [])
    c_driver.at(Ports(map_of(spec), lambda _: None))
    longest = c_driver.functions["exponentiate"].longest
    for bits in (0, longest + 1):
        asked = c_driver.ask("exponentiate", {"base": 2, "exponent": 3}, bits)
        assert asked == (TOO_LONG, {"power": 0})


def test_nothing_is_loaded_and_no_random_numbers(toy: Driven) -> None:
    job = signature(5)
    ports, _ = opened(toy, job, random=False)
    assert toy.ask(SIGN, job.operands)[0] == NO_RANDOM
    assert not any(map(any, ports.windows.values())), "wiped"
    assert toy.ask(SIGN, job.operands)[0] == NOT_LOADED
    opened(toy, job)
    assert toy.call("wipe") == OK
    assert toy.ask(SIGN, job.operands)[0] == NOT_LOADED


def test_random_numbers_that_do_not_fit_are_drawn_again(toy: Driven) -> None:
    """0, and what is not below the prime, or the order for the second one."""
    job, curve = signature(5), TOY.curve
    assert curve is not None
    numbers = [0, (1 << 64) - 1, curve.prime, 0, curve.prime - 1, curve.order, curve.order - 1]
    given = [number >> place & 0xFFFFFFFF for number in numbers for place in (0, 32)]
    _, wrong = opened(toy, job)
    toy.draws(given)
    assert toy.ask(SIGN, job.operands)[0] == OK and not wrong and not given
    toy.draws([0] * 256)
    assert toy.ask(SIGN, job.operands)[0] == NO_RANDOM


def test_what_never_comes_and_what_is_wrong(toy: Driven) -> None:
    """A timeout wipes; an answer that there never is and one that tells a fault give nothing."""
    job = signature(5)
    ports, _ = opened(toy, job)
    answer, ports.answer = ports.answer, lambda _: None
    toy.patience(50)
    assert toy.ask(SIGN, job.operands) == (TIMEOUT, {"r": 0, "s": 0})
    assert not any(map(any, ports.windows.values()))
    for changed in (lambda beats: beats[:-1], lambda beats: [*beats[:-1], {"data": 0b100}]):
        ports, _ = opened(toy, job)
        ports.answer = lambda packets, changed=changed: (  # type: ignore[misc]
            None if (beats := answer(packets)) is None else changed(beats)
        )
        assert toy.ask(SIGN, job.operands) == (FLAGS["fault"], {"r": 0, "s": 0})
        assert ports.left() == set()


def test_the_order_of_accesses_tells_nothing(toy: Driven) -> None:
    """Which registers are read and written, in which order, is the same for all secrets."""
    seen = set()
    for private, nonce in ((1, 1), (2, 3), (0x7FFFFFFF, 0x12345678), (0x10000, 0x7FFFFFF0)):
        job = signature(private, nonce)
        ports, wrong = opened(toy, job)
        assert toy.ask(SIGN, job.operands)[0] in (OK, FLAGS["exceptional"]) and not wrong
        seen.add(tuple(ports.accesses))
    assert len(seen) == 1


FAULTS = {
    "a scalar at another place": ("from->shift = number->shift;", "from->shift = 0u;"),
    "a word without its upper bits": (
        "one->words[word + 1u] << (32u - off)",
        "one->words[word + 1u] << (31u - off)",
    ),
    "an operand is not checked": ("1u ^ is_below(operands", "1u | is_below(operands"),
    "secrets are left": ("PUT(device, streams[place].window + 4u * word, 0u);", "GET(device, 0);"),
    "a fault is not told": ("status = what->outcomes[", "status = 0u & what->outcomes["),
    "0 as a random number": ("|| any != 0u)", "|| 1)"),
    "a wrong signature is given out": ("== dut_INVALID ? dut_FAULT", "== dut_INVALID ? dut_OK"),
    "the same constants": ("status = dut_load_curve(device, device->loaded);", "status = dut_OK;"),
    "the status is not waited for": ("status = dut_wait(device);", "status = dut_OK;"),
}


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fault, marks=() if place % 6 == 0 else pytest.mark.long)
        for place, fault in enumerate(FAULTS)
    ],
)
def test_faults_in_the_driver_are_found(fault: str, tmp_path: Path) -> None:
    before, after = (re.sub("dut_([A-Z])", r"DUT_\1", text) for text in FAULTS[fault])
    changed: list[int] = []

    def change(text: str) -> str:
        changed.append(text.count(before))
        return text.replace(before, after)

    c_driver = driven(TOY, toy_map(), tmp_path, [], change)
    assert sum(changed) == 1
    with pytest.raises(AssertionError):
        test_what_is_out_of_range_is_not_sent(c_driver)
        test_random_numbers_that_do_not_fit_are_drawn_again(c_driver)
        test_what_never_comes_and_what_is_wrong(c_driver)
        test_a_signature_is_given_out_only_if_it_is_valid(c_driver)
        job = signature(0x1234_5678_9ABC_DEF0, 0x7EDC_BA98_7654_3211)
        ports, wrong = opened(c_driver, job)
        assert c_driver.ask(SIGN, job.operands) == (OK, TOY.processor.compute(job)) and not wrong
        assert ports.left() == set()


def test_what_is_made_without_a_driver_goes_with_it(tmp_path: Path) -> None:
    """`modmul constants --format driver`: a key as C, for the driver of a build that has none."""
    options = {"architecture": "rsa", "multiplier": "fpmm", "width": 512}
    spec = Spec.from_options(options)
    source, file = loadable(spec.with_key(KEY)), names.identifier(spec.design.title).lower()
    assert f"const {file}_key {file}_key_{KEY_DIGEST} = " in " ".join(source.split())
    for path, text in driver(spec, map_of(spec), file).items():
        (tmp_path / Path(path).name).write_text(text)
    (tmp_path / "key.c").write_text(source)
    command = [sys.executable, "-m", "ziglang", "cc", "-std=c99", "-c", *STRICT, "key.c"]
    for target in ("riscv32-freestanding-none", "thumb-freestanding-none"):
        done = subprocess.run(
            [*command, "-target", target, "-o", "key.o"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")


def test_constants_for_a_driver(capsys: pytest.CaptureFixture[str]) -> None:
    """By the command line: a curve, a key, and what is refused."""
    curve = ["constants", "--architecture", "curve", "--multiplier", "fpmm", "--width", "64"]
    assert main([*curve, "--curve", "toy64", "--format", "driver"]) == 0
    source = " ".join(capsys.readouterr().out.split())
    assert "_curve curve_ladder_fpmm_64_f8x2d_toy64 = {" in source
    rsa = ["constants", "--architecture", "rsa", "--multiplier", "fpmm", "--width", "512"]
    for options, texts in ((rsa, 1), ([*rsa[:-1], "544", "--modulus-blinding", "32"], 2)):
        written = set()
        for _ in range(2):
            assert main([*options, "--key", str(KEY), "--format", "driver"]) == 0
            written.add(capsys.readouterr().out)
        assert len(written) == texts, "blinded moduli have other factors each time"
    for words, said in (
        ([*curve, "--format", "driver"], "modulus: a modulus, a curve or a key must be given"),
        ([*rsa, "--key", str(KEY)], "--key requires --format driver"),
        (["constants", "--modulus", "p256", "--format", "driver"], "must be a processor"),
    ):
        assert main(words) == 2
        printed = capsys.readouterr()
        assert said in printed.err and not printed.out


@pytest.mark.parametrize("level", ["-Os", "-O2"])
def test_the_compiler_makes_no_branches_of_masks(level: str, tmp_path: Path) -> None:
    """Comparing and reducing: one branch before their loop and one at its end, both on the count of
    words.  `reduce` calls the other."""
    for file, text in driver(TOY, toy_map(), "dut").items():
        (tmp_path / Path(file).name).write_text(text)
    command = [sys.executable, "-m", "ziglang", "cc", "-std=c99", "-S", level, "-ffreestanding"]
    command += ["-target", "riscv32-freestanding-none", "-fno-sanitize=all", "-fno-inline"]
    done = subprocess.run(
        [*command, "dut.c", "-o", "dut.s"],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "dut.s").read_text()
    for name in ("is_below", "reduce"):
        body = text[text.index(f"\n{name}:") :]
        body = body[: body.index(".size")]
        branches = re.findall(r"^\s+(b(?:eq|ne|lt|ge|gt|le)\w*)\s", body, re.M)
        assert 1 <= len(branches) <= 2, (name, branches)
