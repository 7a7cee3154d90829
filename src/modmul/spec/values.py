"""What the values of keys stand for: the multiplier of a processor, modulus, curve, library, width;
and what goes with which."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

from modmul import multipliers, processors, targets
from modmul.arithmetic import moduli
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.moduli import Modulus
from modmul.arithmetic.notation import shortened
from modmul.design import Design
from modmul.errors import SpecError, quoted, refusal
from modmul.multipliers import Multiplier
from modmul.parameters import Parameter, check_number, parameters
from modmul.processors import Processor
from modmul.spec.keys import (
    CURVE,
    DEFAULT_MULTIPLIER,
    KEY_BITS,
    LONGEST_NAME,
    MULTIPLIER,
    MULTIPLIERS,
    NAMES,
    having_multipliers,
    takes_curves,
)
from modmul.spec.keywords import KEYWORDS, VHDL, C
from modmul.targets import libraries

MOST_KEY_BITS = 1 << 16
_NAME = re.compile(r"[A-Za-z](_?[A-Za-z0-9])*")


def multiplier_of(architecture: type[Design], given: dict[str, Any]) -> type[Multiplier] | None:
    """The multiplier of a processor, whose key is taken from `given`; None for multipliers.

    SpecError for one that is no multiplier, or on which this processor cannot be built."""
    if not issubclass(architecture, Processor):
        if MULTIPLIER in given:
            value, shown = given[MULTIPLIER], architecture.name
            message = (
                f"multiplier = {quoted(value)}: {shown} is a multiplier itself; the key is of "
                f"processors ({', '.join(processors.NAMES)}) and names what they multiply with"
            )
            if MULTIPLIERS in parameters(architecture):
                message += f"; {shown} has the key {MULTIPLIERS}, of how many there are"
            raise SpecError(MULTIPLIER, value, "absent", message)
        return None
    name = given.pop(MULTIPLIER, DEFAULT_MULTIPLIER)
    if name not in multipliers.NAMES or not architecture.takes(multipliers.find(name)):
        every = multipliers.REGISTRY.items()
        takers = [taken for taken, multiplier in every if architecture.takes(multiplier)]
        allowed = f"one of {', '.join(takers)}"
        allowed = f"a multiplier that {architecture.name} takes: {allowed}"
        why = ""
        if str(name).isdigit():
            has = having_multipliers()
            why = f"how many multipliers of words {has} has is the key {MULTIPLIERS}"
        raise refusal(MULTIPLIER, name, allowed, why, names=takers)
    return multipliers.find(name)


def modulus_of(value: Any, folder: Path | None) -> Modulus | None:
    """What the key `modulus` says; SpecError where that is none.  folder: of a relative @FILE."""
    if value is None or isinstance(value, Modulus):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 0:
            raise refusal("modulus", value, moduli.NOTATIONS)
        return moduli.of(value)
    if not isinstance(value, str):
        raise refusal("modulus", value, moduli.NOTATIONS)
    return moduli.parse(value, folder)


def curve_of(
    architecture: type[Design], given: dict[str, Any], folder: Path | None
) -> Curve | None:
    """What the key `curve` names, which is taken from `given`; SpecError for what names none.
    folder: of a relative @FILE."""
    if not takes_curves(architecture) or CURVE not in given:
        return None
    from modmul.arithmetic import own_curves  # with the arithmetic of points

    value = given.pop(CURVE)
    return value if isinstance(value, Curve) else own_curves.parse(value, folder)


def prime_of(curve: Curve, design: Design | type[Design], modulus: Modulus | None) -> Modulus:
    """The modulus that goes with a curve.  SpecError for another one, or a design without curves.

    modulus: that was given besides."""
    if not takes_curves(design if isinstance(design, type) else type(design)):
        raise refusal(CURVE, curve.name, f"absent: {design.name} takes none")
    if modulus is not None and (modulus.value, modulus.field) != (curve.prime, curve.field):
        why = f"the curve {curve.name} has its own, {shortened(hex(curve.prime))}"
        raise refusal("modulus", shortened(str(modulus)), f"absent: {why}")
    return moduli.of(curve.prime, curve.field)


def width_of_keys(architecture: type[Processor], given: dict[str, Any], width: Parameter) -> int:
    """The width for RSA keys of as many bits as `key-bits` says, which is taken from `given`;
    SpecError where there is none, or a width is given, too."""
    bits = given.pop(KEY_BITS)
    if "width" in given:
        raise refusal("width", given["width"], f"absent with {KEY_BITS}, which decides it")
    check_number(KEY_BITS, bits, 1, MOST_KEY_BITS)
    needed = architecture.width_for_keys(bits, given)
    if not width.takes(needed):
        raise refusal(KEY_BITS, bits, f"such that the width, here {needed}, is {width.allowed()}")
    return needed


def check_parity(multiplier: Multiplier, modulus: Modulus) -> None:
    """SpecError for an even modulus where it has to be odd."""
    if modulus.field == "binary" or modulus.value & 1 or not multiplier.taken.odd:
        return
    takers = [
        name
        for name, other in multipliers.REGISTRY.items()
        if other.modulus_at == "run time" and not other().taken.odd
    ]
    allowed = f"odd and at least {multiplier.taken.least}"
    why = f"{' and '.join(takers)} also take even moduli"
    shown = shortened(str(modulus))
    message = f"modulus = {shown}: must be {allowed} ({why})"
    raise SpecError("modulus", modulus.value, allowed, message)


def check_name(name: object) -> None:
    """SpecError for a name that Verilog, VHDL or C does not take."""
    reserved = KEYWORDS | VHDL | C
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name.lower() in reserved:
        raise refusal("name", name, NAMES)
    if len(name) > LONGEST_NAME:
        raise refusal("name", name, NAMES, f"it has {len(name)}")


def check_described(multiplier: Multiplier) -> None:
    """SpecError if more was chosen than parameters: a mode (`at`), which comes with the modulus."""
    described = {parameter.field for parameter in parameters(type(multiplier)).values()} | {
        "modulus"
    }
    for field in dataclasses.fields(multiplier):
        value = getattr(multiplier, field.name)
        if field.name not in described and value != field.default:
            raise refusal(field.name, value, "left out: a modulus decides it")


def fixed_modulus(architecture: type[Design], modulus: Modulus | None) -> dict[str, int]:
    """The modulus as a parameter of an architecture that is made for one; SpecError without."""
    if architecture.modulus_at != "fixed":
        return {}
    if modulus is None:
        message = f"modulus: none given; {architecture.name} is made for one: name it"
        raise SpecError("modulus", None, "a modulus", message)
    return {"modulus": modulus.value}


def only_modulus(design: Design) -> int | None:
    """The modulus that a multiplier is made for, if it is made for one."""
    multiplier = design.multiplier if isinstance(design, Processor) else design
    return multiplier.fixed_modulus if isinstance(multiplier, Multiplier) else None


def check_takes_one(architecture: type[Design], modulus: Modulus) -> None:
    """SpecError if the architecture is a plain product, which has no modulus."""
    if architecture.modulus_at == "none":
        shown = shortened(str(modulus))
        message = (
            f"modulus = {shown}: {architecture.name} is a plain product, without a modulus; "
            f"the bits of its operands are its width"
        )
        raise SpecError("modulus", shown, "absent", message)


def check_every_field(architecture: type[Design], modulus: Modulus) -> None:
    """SpecError if no multiplier of the architecture computes in the field of the modulus: said
    before its length is looked at."""
    usual = architecture()
    if isinstance(usual, Multiplier) and modulus.field not in usual.fields:
        check_field(usual, modulus)


def check_field(multiplier: Multiplier, modulus: Modulus) -> None:
    """SpecError if the architecture does not compute in the field of the modulus."""
    if modulus.field in multiplier.fields_built:
        return
    singular = {"prime": "a number", "binary": "a polynomial over GF(2)"}
    many = {"prime": "numbers", "binary": "polynomials over GF(2)"}
    every = multipliers.REGISTRY.items()
    takers = [
        name
        for name, other in every
        if other.modulus_at != "none" and modulus.field in other().fields
    ]
    shown, taken = shortened(str(modulus)), multiplier.fields_built
    built = "" if taken == multiplier.fields else f" with field = {taken[0]}"
    raise SpecError(
        "modulus",
        shown,
        " or ".join(singular[field] for field in taken),
        f"modulus = {shown}: the architecture {multiplier.name}{built} takes "
        f"{' and '.join(many[field] for field in taken)}, not {many[modulus.field]}; "
        f"those are taken by {', '.join(takers) or 'no architecture'}",
    )


def library_of(design: Design, value: Any) -> str | None:
    """The library that is meant; None where the target has none."""
    if not design.chip.takes_library:
        if value is None:
            return None
        cells = ", ".join(
            target.name for target in targets.REGISTRY.values() if target.takes_library
        )
        allowed = f"absent, or the target {cells}"
        why = f"{design.chip.name} is no cell library: must be {allowed}"
        message = f"library = {quoted(value)}: {why}"
        raise SpecError("library", value, allowed, message)
    if value is not None and not isinstance(value, str):
        raise refusal("library", value, libraries.ALLOWED)
    libraries.locate(value or libraries.DEFAULT)
    return value or libraries.DEFAULT


def width_of(modulus: Modulus, width: Parameter) -> int:
    """The width that a modulus asks for; SpecError where there is none so large."""
    assert width.minimum is not None and width.maximum is not None
    if modulus.bits > width.maximum:
        allowed = f"at most {width.maximum} bits"
        message = f"modulus = {modulus.notation[:20]}...: has {modulus.bits} bits, {allowed} work"
        raise SpecError("modulus", modulus.notation, allowed, message)
    return max(modulus.bits, width.minimum)
