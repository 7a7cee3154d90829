"""Specifications: options in, a checked multiplier out; every refusal says what would be right."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import modmul.spec
from modmul import multipliers, targets
from modmul.errors import SpecError
from modmul.parameters import parameters
from modmul.spec import Spec
from modmul.spec.files import job_names, keys_of
from modmul.spec.keys import COMMON, DEFAULT_ARCHITECTURE
from modmul.targets import libraries

PLAIN = {"architecture": "interleaved"}
RSA = {"architecture": "rsa"}
JOBS = Path(modmul.spec.__file__).parent / "jobs"


def refused(options: dict[str, Any]) -> SpecError:
    with pytest.raises(SpecError) as caught:
        Spec.from_options(options)
    return caught.value


def write(folder: Path, text: str) -> Path:
    path = folder / "spec.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", multipliers.NAMES)
def test_options_are_complete_and_lead_back_to_the_same_spec(name: str) -> None:
    entry = multipliers.find(name)
    only = 2**31 - 1 if "prime" in entry.fields else "b233"
    given: dict[str, object] = {
        "run time": {"modulus": "p192"},
        "fixed": {"modulus": only},
        "none": {"width": 192},
    }[entry.modulus_at]
    spec = Spec.from_options({"architecture": name} | given)
    options = spec.options()
    assert {*options, "name"} == {*COMMON, *parameters(multipliers.find(name))}
    assert all(isinstance(value, str | int | None) for value in options.values())
    assert Spec.from_options(options) == spec
    assert Spec.from_options(options).options() == options
    assert all("_" not in key for key in options)


def test_the_default_is_the_finely_pipelined_multiplier_for_no_chip_in_particular() -> None:
    options = Spec.from_options({}).options()
    assert options["architecture"] == DEFAULT_ARCHITECTURE == "fpmm"
    assert (options["target"], options["interface"]) == ("generic", "stream")
    assert options["modulus"] is options["device"] is None


@given(st.integers(1, 2**300).map(lambda k: 2 * k + 1))
def test_width_follows_from_the_modulus(value: int) -> None:
    for notation in (value, str(value), hex(value)):
        spec = Spec.from_options(PLAIN | {"modulus": notation})
        assert spec.modulus is not None
        assert spec.modulus.value == value
        assert spec.multiplier.width == value.bit_length()


def test_a_wider_multiplier_takes_the_modulus_a_narrower_one_does_not() -> None:
    assert Spec.from_options(PLAIN | {"modulus": "p256", "width": 300}).multiplier.width == 300
    error = refused(PLAIN | {"modulus": "p256", "width": 255})
    assert error.key == "modulus"
    assert "256 bits" in error.message


def test_keys_may_be_written_with_hyphens_or_underscores() -> None:
    hyphen = Spec.from_options({"latency-reduction": False})
    assert hyphen == Spec.from_options({"latency_reduction": False})
    assert hyphen.options()["latency-reduction"] is False
    assert hyphen != Spec.from_options({})


def test_a_key_in_both_writings_is_refused_since_one_value_would_be_lost(tmp_path: Path) -> None:
    error = refused({"dsp-registers": 3, "dsp_registers": 2})
    assert error.key == "dsp-registers" and "given twice" in error.message
    path = write(tmp_path, "width = 128\ndsp-registers = 3\ndsp_registers = 2\n")
    with pytest.raises(SpecError, match="given twice") as caught:
        Spec.from_file(path)
    assert str(path) in caught.value.message
    assert Spec.from_file(write(tmp_path, "dsp-registers = 3"), {"dsp_registers": 2})


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path: Path) -> None:
    marked = write(tmp_path, "\ufeffwidth = 64\n")
    assert Spec.from_file(marked) == Spec.from_options({"width": 64})
    (tmp_path / "modulus").write_text("\ufeffp256\n")
    assert (
        Spec.from_options({"modulus": "@modulus"}, tmp_path).modulus
        == Spec.from_options({"modulus": "p256"}).modulus
    )


@pytest.mark.parametrize("name", job_names())
def test_a_job_is_a_specification_with_a_sentence(name: str, tmp_path: Path) -> None:
    """It is the same under its name and as a file, with and without options beside it."""
    file = write(tmp_path, (JOBS / f"{name}.toml").read_text())
    options = {} if name.endswith("-cells") else {"target": "ecp5"}
    spec = Spec.from_file(Path(name), options)
    assert spec == Spec.from_file(file, options) == Spec.from_file(Path(name.upper()), options)
    assert spec == Spec.from_options(spec.options())
    assert keys_of(Path(name))["summary"][-1].isalnum()


def test_jobs_are_what_their_names_say() -> None:
    signer = Spec.from_file(Path("ecdsa-p256"))
    assert signer.load is not None and "ecdsa-sign" in signer.processor.operations_on(signer.load)
    rsa = Spec.from_file(Path("rsa-2048"))
    assert rsa.processor.width == 1024
    assert rsa.processor.key_text == "RSA keys up to 2048 bits by CRT, 1024 without"
    larger = Spec.from_file(Path("rsa-2048"), {"key-bits": 3072})
    assert larger == Spec.from_file(Path("rsa-3072"))
    assert Spec.from_file(Path("rsa-2048"), {"width": 1536}) == larger


@pytest.mark.parametrize(
    ("options", "width", "text"),
    [
        ({"key-bits": 1025}, 513, "RSA keys up to 1026 bits by CRT, 513 without"),
        ({"key-bits": 96, "primes": 3}, 32, "RSA keys up to 96 bits by CRT (3 primes), 32 without"),
        ({"key-bits": 64, "modulus-blinding": 8}, 40, "RSA keys up to 64 bits by CRT, 32 without"),
    ],
)
def test_bits_of_keys_decide_the_width(options: dict[str, Any], width: int, text: str) -> None:
    design = Spec.from_options(RSA | options).processor
    assert (design.width, design.key_text) == (width, text)


def test_none_means_not_given() -> None:
    given = dict.fromkeys(Spec.from_options({}).options())
    assert Spec.from_options(given) == Spec.from_options({})


@pytest.mark.parametrize(
    ("options", "key", "says"),
    [
        ({"architecture": "fpm"}, "architecture", "fpmm"),
        (PLAIN | {"widht": 128}, "widht", "did you mean width?"),
        (PLAIN | {"variant": "fast"}, "variant", "interleaved has no variant"),
        (PLAIN | {"width": "128"}, "width", "a whole number from 2 to 4096"),
        (PLAIN | {"width": 128.0}, "width", "a whole number from 2 to 4096"),
        (PLAIN | {"width": True}, "width", "a whole number from 2 to 4096"),
        (PLAIN | {"width": 1}, "width", "a whole number from 2 to 4096"),
        (PLAIN | {"width": 4097}, "width", "a whole number from 2 to 4096"),
        (PLAIN | {"target": "ecp"}, "target", "generic, ecp5, xc7"),
        (PLAIN | {"interface": "bus"}, "interface", "stream, core"),
        (PLAIN | {"device": "x"}, "device", "generic names no"),
        (PLAIN | {"device": "x", "target": "ecp5"}, "device", "LFE5U"),
        (PLAIN | {"library": "normalised"}, "library", "generic is no cell library"),
        (PLAIN | {"library": "osu018", "target": "ecp5"}, "library", "the target cells"),
        (PLAIN | {"library": "osu", "target": "cells"}, "library", "normalised, osu018"),
        (PLAIN | {"library": 18, "target": "cells"}, "library", "normalised, osu018"),
        (PLAIN | {"library": "a/b.lib", "target": "cells"}, "library", "no such file"),
        (PLAIN | {"device": "x", "target": "cells"}, "device", "cells names no"),
        ({"modulus": "0x100"}, "modulus", "(interleaved and interleaved-redundant also take even"),
        ({"target": "ecp6"}, "target", "did you mean ecp5?"),
        ({"target": "unlike"}, "target", "xcve, xc2vp, cells"),
        ({"key-bits": 2048}, "key-bits", "it is one of rsa"),
        (RSA | {"key-bits": 2048, "width": 1024}, "width", "absent with key-bits"),
        (RSA | {"key-bits": 9000}, "key-bits", "here 4500, is a whole number from 2 to 4096"),
        (RSA | {"key-bits": "2048"}, "key-bits", "a whole number from 1 to 65536"),
        (RSA | {"key-bits": 2048, "primes": 7}, "primes", "one of 2, 3, 4"),
        ({"modulus": 1}, "modulus", "an odd number from 3"),
        (PLAIN | {"modulus": 2}, "modulus", "a number from 3"),
        (PLAIN | {"modulus": -7}, "modulus", "0x..."),
        (PLAIN | {"modulus": True}, "modulus", "0x..."),
        (PLAIN | {"modulus": 1.5}, "modulus", "0x..."),
        (PLAIN | {"modulus": 2**5000 + 1}, "modulus", "4096"),
        ({"latency-reduction": "yes"}, "latency-reduction", "true or false"),
        ({"variant": "medium"}, "variant", "fast, small"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], key: str, says: str) -> None:
    error = refused(options)
    assert error.key == key
    assert says in error.message
    assert error.allowed
    assert key in error.message
    assert error.exit_code == 2


@pytest.mark.parametrize("name", multipliers.NAMES)
@pytest.mark.parametrize("modulus", ["b163", "x^96+x^10+x^9+x^6+1", "p192"])
def test_a_modulus_of_a_field_that_it_does_not_have_is_refused(name: str, modulus: str) -> None:
    field = "prime" if modulus == "p192" else "binary"
    takers = [
        taker
        for taker, entry in multipliers.REGISTRY.items()
        if entry.modulus_at != "none" and field in entry().fields
    ]
    options: dict[str, object] = {"architecture": name, "modulus": modulus}
    if multipliers.find(name).modulus_at == "fixed" and name in takers and field == "prime":
        options["modulus"] = 2**61 - 1
    if name in takers:
        setting = Spec.from_options(options).setting
        assert setting is not None and setting.field == field
        return
    error = refused(options)
    if multipliers.find(name).modulus_at == "none":
        assert error.message.startswith(f"modulus = {modulus}: {name} is a plain product")
        assert error.allowed == "absent"
        return
    assert error.message.startswith(f"modulus = {modulus}: the architecture {name} takes ")
    assert error.message.endswith(f"taken by {', '.join(takers) or 'no architecture'}")
    assert str(error.allowed) in ("a number", "a polynomial over GF(2)")


def test_a_key_of_another_architecture_is_refused_with_that_reason() -> None:
    error = refused(PLAIN | {"slots": 4})
    assert "architecture interleaved has no slots" in error.message
    assert "fpmm" in error.message
    assert "width" in str(error.allowed)


def test_a_file_is_flat_toml_and_options_win_over_it(tmp_path: Path) -> None:
    path = write(tmp_path, 'architecture = "interleaved"\nwidth = 64\ntarget = "ecp5"\n')
    spec = Spec.from_file(path)
    assert spec == Spec.from_options(PLAIN | {"width": 64, "target": "ecp5"})
    assert spec.device == targets.find("ecp5").devices[0].name
    changed = Spec.from_file(path, {"width": 32, "target": None})
    assert changed == Spec.from_options(PLAIN | {"width": 32, "target": "ecp5"})


def test_a_modulus_in_a_file_may_be_a_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "prime.txt").write_text("0xffffffff00000001")
    (tmp_path / "sub").mkdir()
    path = write(tmp_path, 'architecture = "interleaved"\nmodulus = "@prime.txt"')
    spec = Spec.from_file(path)
    assert spec.options()["modulus"] == "0xffffffff00000001"
    assert spec.multiplier.width == 64
    big = write(tmp_path / "sub", f'architecture = "interleaved"\nmodulus = {2**521 - 1}')
    assert Spec.from_file(big).options()["modulus"] == "p521"


def test_a_curve_in_a_file_may_be_a_file_beside_it(tmp_path: Path) -> None:
    """What is written of it says all, so that nothing is read again."""
    examples = Path(__file__).parents[1] / "examples"
    shutil.copy(examples / "curves" / "brainpoolp160t1.toml", tmp_path)
    (tmp_path / "spec.toml").write_text(
        'architecture = "curve"\nmultiplier = "fpmm"\ncurve = "@brainpoolp160t1.toml"\n'
    )
    spec = Spec.from_file(tmp_path / "spec.toml")
    assert spec.curve is not None and spec.curve.cofactor == 1 and spec.design.width == 160
    (tmp_path / "brainpoolp160t1.toml").unlink()
    assert Spec.from_options(spec.options()) == spec
    with pytest.raises(SpecError, match=r"spec.toml: curve = .*cannot read"):
        Spec.from_file(tmp_path / "spec.toml")
    with pytest.raises(SpecError, match=r"^curve = .* is not on y"):
        text = "weierstrass p=241 a=-3 b=1 x=1 y=1 n=239"
        Spec.from_options({"architecture": "curve", "curve": text})


def test_a_library_in_a_file_may_be_a_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "my.lib").write_bytes(libraries.NAMED["normalised"].path.read_bytes())
    head = 'architecture = "interleaved"\ntarget = "cells"\n'
    spec = Spec.from_file(write(tmp_path, head + 'library = "my.lib"'))
    assert spec.library == str(tmp_path / "my.lib")
    assert Spec.from_options(spec.options()) == spec
    assert Spec.from_file(write(tmp_path, head)).library == "normalised"
    named = write(tmp_path, head + 'library = "normalised"')
    assert Spec.from_file(named).library == "normalised"
    with pytest.raises(SpecError, match="no such file") as caught:
        Spec.from_file(write(tmp_path, head + 'library = "your.lib"'))
    assert caught.value.message.startswith(f"{tmp_path / 'spec.toml'}: ")


@pytest.mark.parametrize(
    ("text", "key", "says"),
    [
        ('architecture = "interleaved"\nwidht = 3', "widht", "did you mean width?"),
        ('architecture = "interleaved"\nwidth = 1', "width", "from 2 to 4096"),
        ('architecture = "interleaved"\nwidth = 1.5', "width", "a whole number"),
        ('architecture = "interleaved"\nslots = 3', "slots", "interleaved has no slots"),
        ('modulus = "@nowhere"', "modulus", "No such file"),
        ("[multiplier]\nwidth = 3", "multiplier", "flat"),
        ("width = [3]", "width", "flat"),
        ("width = ", None, "not TOML"),
        ("\xff", None, "TOML"),
    ],
)
def test_an_error_in_a_file_names_the_file(
    tmp_path: Path, text: str, key: str | None, says: str
) -> None:
    path = tmp_path / "spec.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(SpecError) as caught:
        Spec.from_file(path)
    assert caught.value.key == key
    assert caught.value.message.startswith(f"{path}: ")
    assert says in caught.value.message


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"multipliers": "fips"}, "multipliers of words fips has; the key multiplier names"),
        ({"multipliers": 2, "multiplier": "interleaved"}, "multiplier is the key that names"),
        ({"multiplier": "2"}, "how many multipliers of words fips has is the key multipliers"),
        ({"multiplier": "fipps"}, "; did you mean fips or fios?"),
        ({"architecture": "fips", "multiplier": "2"}, "fips has the key multipliers, of how many"),
    ],
)
def test_multiplier_and_multipliers_are_told_apart(given: dict[str, Any], says: str) -> None:
    with pytest.raises(SpecError) as caught:
        Spec.from_options({"architecture": "exponentiation", "width": 16} | given)
    assert says in caught.value.message


def test_an_option_that_is_wrong_does_not_blame_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, 'architecture = "interleaved"\nwidth = 64')
    with pytest.raises(SpecError) as caught:
        Spec.from_file(path, {"width": 1})
    assert str(path) not in caught.value.message


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="No such file"):
        Spec.from_file(tmp_path / "none.toml")
    with pytest.raises(SpecError, match="directory"):
        Spec.from_file(tmp_path)


def test_a_protection_that_is_not_built_is_refused() -> None:
    options = {"architecture": "curve", "multiplier": "fips", "word": 4, "width": 16}
    match = "protection = full: must be none, or a word of at least 5 bits"
    with pytest.raises(SpecError, match=match):
        Spec.from_options(options | {"protection": "full"})


@pytest.mark.parametrize("name", job_names())
def test_jobs_with_secret_keys_are_protected(name: str) -> None:
    """Where that takes no second copy."""
    options = {} if name.endswith("-cells") else {"target": "ecp5"}
    design = Spec.from_file(Path(name), options).design
    protects = design.role == "processor" and name != "ecdsa-b233"
    assert design.protection == ("full" if protects else "none")
    assert Spec.from_file(Path("ecdsa-p256"), {"protection": "none"}).design.protection == "none"
