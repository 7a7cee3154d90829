"""A specification: one design, completely described by flat options.

The same names serve as keys of a TOML file, options of the command line and keyword arguments:

    architecture = "fpmm"
    modulus = "p256"        # a name, 0x..., decimal digits, a polynomial, @FILE; gives the width
    target = "ecp5"

What an architecture can be asked for is read from the fields of its dataclass.  A processor is
built on a multiplier, which the key `multiplier` names; that one's keys stand beside its own:

    architecture = "exponentiation"
    multiplier = "fips"
    width = 1024
    units = 2

One that takes curves has the key `curve`, which names one in the place of a modulus.  A file may
also have `bus` and `package`, which are options of `build` alone.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from modmul import designs, inputs, multipliers, processors, targets
from modmul.arithmetic import curves, moduli
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.keys import KEY, Key
from modmul.arithmetic.moduli import Modulus
from modmul.arithmetic.notation import shortened
from modmul.design import Design, Mode
from modmul.errors import SpecError, quoted
from modmul.multipliers import Multiplier
from modmul.multipliers.setting import Setting
from modmul.parameters import Parameter, by_option, parameters
from modmul.processors import Load, Processor
from modmul.targets import libraries
from modmul.targets.families import chip_of

DEFAULT_ARCHITECTURE = "fpmm"
DEFAULT_MULTIPLIER = "fips"  # of a processor
MULTIPLIER = "multiplier"  # the key that names it
CURVE = "curve"  # of a processor that takes them
MULTIPLIERS = "multipliers"  # of some multipliers: how many multipliers of words they have
INTERFACES = ("stream", "core")
_RENAMED = {"insist": "allow-leaks"}  # keys of earlier versions
COMMON = {
    "architecture": f"one of {', '.join(designs.NAMES)} (default {DEFAULT_ARCHITECTURE})",
    "modulus": f"the modulus: {moduli.NOTATIONS}",
    "device": "chip of the target's family; default: that of the product family, else the first "
    "that `modmul list TARGET` shows",
    "library": f"cells: {libraries.ALLOWED} (default {libraries.DEFAULT})",
    "interface": "stream: behind the elastic adapter, may pause anywhere (the default); "
    "core: the bare core",
}
DELIVERY = ("bus", "package")  # keys that a file may have for `build`; others look past them
FIRST = ("architecture", "modulus")  # in lists of keys they stand before the parameters
LAST = tuple(key for key in COMMON if key not in FIRST)


@dataclass(frozen=True)
class Spec:
    """One design, described by its parameters alone, and how it is to be delivered.

    modulus: the one it is checked, or given constants, for; None: any of the width.
    device: None where the target names no devices.  library: None where it is no cell library.
    curve: one whose prime is the modulus."""

    design: Design
    modulus: Modulus | None = None
    device: str | None = None
    interface: Literal["stream", "core"] = "stream"
    library: str | None = None
    curve: Curve | None = None

    def __post_init__(self) -> None:
        if self.device is not None and not isinstance(self.device, str):
            raise _refuse("device", self.device, "a text")
        device = targets.find_device(self.design.chip, self.device)
        object.__setattr__(self, "device", device.name if device else None)
        if self.curve is not None:
            object.__setattr__(self, "modulus", _prime(self.curve, self.design, self.modulus))
        if self.modulus is None and (only := _only(self.design)) is not None:
            object.__setattr__(self, "modulus", moduli.of(only, self.design.fields_built[0]))
        object.__setattr__(self, "library", _library(self.design, self.library))
        built = self.design.interfaces
        if self.interface not in INTERFACES:
            raise _refuse("interface", self.interface, f"one of {', '.join(INTERFACES)}")
        if self.interface not in built:
            why = f"{self.design.name} has no other"
            raise _refuse("interface", self.interface, f"{', '.join(built)}: {why}")
        _check_described(self.arithmetic)
        if self.modulus is not None:
            _takes_one(type(self.arithmetic), self.modulus)
            _check_field(self.arithmetic, self.modulus)
            if isinstance(self.design, Processor):
                self.design.check_modulus(self.modulus.value, self.modulus.field, self.curve)
            else:
                self.design.check_modulus(self.modulus.value, self.modulus.field)

    @property
    def multiplier(self) -> Multiplier:
        """The design, where it is a multiplier: for those to whom a processor means nothing.

        SpecError for a processor."""
        if not isinstance(self.design, Multiplier):
            shown = self.design.name
            message = f"architecture = {shown}: must be a multiplier; {shown} is a processor"
            raise SpecError("architecture", shown, "a multiplier", message)
        return self.design

    @property
    def processor(self) -> Processor:
        """The design, where it is a processor; SpecError for a multiplier."""
        if not isinstance(self.design, Processor):
            shown = self.design.name
            message = f"architecture = {shown}: must be a processor; {shown} is a multiplier"
            raise SpecError("architecture", shown, "a processor", message)
        return self.design

    @property
    def arithmetic(self) -> Multiplier:
        """The multiplier that computes: the design, or the one that it is built on."""
        return self.design.multiplier if isinstance(self.design, Processor) else self.multiplier

    @property
    def mode(self) -> Mode | None:
        """Field and length that go with the modulus, for the headline operation; None without a
        modulus.

        SpecError if the multiplier was built without that field."""
        if self.modulus is None:
            return None
        if isinstance(self.design, Processor):
            return self._operations_modes[0]
        return self.multiplier.over(self.modulus.value, self.modulus.field).mode

    @property
    def load(self) -> Load | None:
        """What a processor loads for the modulus, or for the curve; None without one."""
        if self.modulus is None:
            return None
        return Load(self.modulus.value, self.modulus.field, self.curve)

    @property
    def _operations_modes(self) -> tuple[Mode, ...]:
        """Of a processor, those of all operations with what is loaded, the headline's first."""
        load, design = self.load, self.processor
        if load is None:
            return ()
        return tuple(
            design.mode_for(one, load.modulus, load.field, curve=load.curve)
            for one in design.operations_on(load)
        )

    @property
    def headline(self) -> Mode:
        """The operation that figures and comparisons are about, with the public choices that go
        with the modulus, or else at the full length."""
        return self.mode or self.design.modes[0]

    @property
    def field(self) -> moduli.Field:
        """The field of the modulus, else the first that the design computes in."""
        return self.modulus.field if self.modulus else self.design.fields_built[0]

    @cached_property
    def setting(self) -> Setting | None:
        """The multiplier that computes, under the modulus: with as few words in use as it needs,
        where these can be chosen.  None without a modulus."""
        if self.modulus is None:
            return None
        over = self.design.over if isinstance(self.design, Processor) else self.multiplier.over
        return over(self.modulus.value, self.modulus.field)

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The modes of the design, in front of them those of the modulus, if there is one."""
        own, every = self.mode, self.design.modes
        if own is None or len(every) == 1:
            return every if own is None else (own,)
        if isinstance(self.design, Processor):
            return tuple(dict.fromkeys([*self._operations_modes, *every]))
        operations = dict.fromkeys(mode.operation for mode in every)
        first = [dataclasses.replace(own, operation=operation) for operation in operations]
        return tuple(dict.fromkeys([*first, *every]))

    def with_key(self, path: Path) -> Spec:
        """The same with the RSA private key of a file as its modulus.  SpecError where that is
        none, or the design takes no keys."""
        if not isinstance(self.design, Processor) or not self.design.takes_keys:
            raise _refuse(KEY, str(path), f"absent: {self.design.name} takes none")
        if self.modulus is not None:
            raise _refuse(KEY, str(path), "absent where a modulus is given")
        return dataclasses.replace(self, modulus=Modulus(None, Key.from_file(path)))

    @classmethod
    def from_options(cls, options: Mapping[str, Any], folder: Path | None = None) -> Spec:
        """A specification from option names (`-` or `_`) and values; None means not given.

        `folder`: where a relative @FILE lies.  SpecError for what cannot be."""
        given = by_option({key: one for key, one in options.items() if one is not None})
        if confused := named_count(given.get(MULTIPLIERS)):
            raise confused
        architecture = designs.find(given.pop("architecture", DEFAULT_ARCHITECTURE))
        built_on, curve = _built_on(architecture, given), _curve(architecture, given)
        known = parameters(architecture) | (parameters(built_on) if built_on else {})
        for key in given:
            if key not in known and key not in COMMON:
                raise _unknown(key, given[key], architecture, built_on)
        if isinstance(given.get("target"), str):
            chip = chip_of(given["target"])
            given = ({"device": chip} if chip else {}) | given
            given["target"] = targets.canonical(given["target"])
        modulus = _modulus(given.pop("modulus", None), folder)
        if curve is not None:
            modulus = _prime(curve, architecture, modulus)
        if modulus is not None:
            _takes_one(built_on or architecture, modulus)
            _check_every_field(built_on or architecture, modulus)
        if modulus is not None and "width" not in given:
            given["width"] = _width(modulus, known["width"])
        elif issubclass(architecture, Processor) and architecture.usual_width:
            given.setdefault("width", architecture.usual_width)
        fixed = _fixed(built_on or architecture, modulus)
        common = {key: given.pop(key) for key in COMMON if key in given}
        own = parameters(architecture)
        values = {known[key].field: value for key, value in given.items() if key in own}
        if built_on is not None:
            others = {known[key].field: one for key, one in given.items() if key not in own}
            values["multiplier"] = built_on(**others | fixed)
        else:
            values |= fixed
        return cls(architecture(**values), modulus, **common, curve=curve)

    @classmethod
    def from_file(cls, path: Path, overrides: Mapping[str, Any] | None = None) -> Spec:
        """A specification from a flat TOML file, or from the JSON of a build; `overrides` (options
        given) win over it.

        A relative path of a library is one from the folder of a TOML file; that of a build is as it
        was where it was built.  Errors name the file if the key stands there."""
        kept = {key: one for key, one in keys_of(path).items() if key not in DELIVERY}
        given = by_option({k: v for k, v in (overrides or {}).items() if v is not None})
        if isinstance(kept.get("library"), str) and not _is_json(path):
            kept["library"] = libraries.resolve_relative(kept["library"], path.parent)
        try:
            return cls.from_options(kept | given, None if "modulus" in given else path.parent)
        except SpecError as error:
            if error.key is not None and error.key in kept.keys() - given.keys():
                message = f"{path}: {error.message}"
                raise SpecError(error.key, error.value, error.allowed, message) from None
            raise

    def options(self) -> dict[str, Any]:
        """Every option with its value: plain JSON values, complete, the same for equal specs.

        A modulus without a name is a hexadecimal string, or a polynomial in writing."""
        modulus = None if self.modulus is None else str(self.modulus)
        curve = {CURVE: None if self.curve is None else self.curve.name}
        return {
            "architecture": self.design.name,
            "modulus": modulus,
            **(curve if takes_curves(type(self.design)) else {}),
            **self.design.options,
            "device": self.device,
            "library": self.library,
            "interface": self.interface,
        }


def named_count(value: Any) -> SpecError | None:
    """What is wrong where the key `multipliers`, a number, was given the name of a multiplier."""
    if not isinstance(value, str) or value not in multipliers.NAMES:
        return None
    message = (
        f"{MULTIPLIERS} = {quoted(value)}: must be a whole number: how many multipliers of words "
        f"{_counting()} has; the key {MULTIPLIER} names what a processor multiplies with"
    )
    return SpecError(MULTIPLIERS, value, "a whole number", message)


def _counting() -> str:
    """The architectures that have the key `multipliers`."""
    return ", ".join(one for one, other in designs.REGISTRY.items()
                     if MULTIPLIERS in parameters(other))  # fmt: skip


def _built_on(architecture: type[Design], given: dict[str, Any]) -> type[Multiplier] | None:
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
        takers = [one for one, other in multipliers.REGISTRY.items() if architecture.takes(other)]
        allowed = f"one of {', '.join(takers)}"
        error = _refuse(MULTIPLIER, name, f"a multiplier that {architecture.name} takes: {allowed}")
        hint = _nearest(str(name), takers)
        if str(name).isdigit():
            hint = f"; how many multipliers of words {_counting()} has is the key {MULTIPLIERS}"
        raise SpecError(error.key, error.value, error.allowed, f"{error.message}{hint}")
    return multipliers.find(name)


def keys_of(path: Path) -> dict[str, Any]:
    """The values of a flat TOML file, or of the description (JSON) that `build` writes, by the
    names of their options, unchecked; SpecError if it is none."""
    allowed = "a TOML file of keys and values, or the JSON of a build"
    try:
        text = inputs.read(path)
    except ValueError as error:
        message = f"{path}: cannot be read: {error}; must be {allowed}"
        raise SpecError(None, str(path), allowed, message) from None
    kind = "JSON" if _is_json(path) else "TOML"
    try:
        keys = _of_build(text) if kind == "JSON" else inputs.toml(text)
    except ValueError as error:
        raise SpecError(None, str(path), allowed, f"{path}: not {kind}: {error}") from None
    for key, value in keys.items():
        if not isinstance(value, (str, int)):
            wanted = "a string, a whole number, true or false"
            kind = "a table" if isinstance(value, dict) else quoted(value)
            message = f"{path}: {key} = {kind}: must be {wanted}; a spec is flat"
            raise SpecError(key, quoted(value), wanted, message)
    try:
        return by_option(keys)
    except SpecError as error:
        raise SpecError(error.key, error.value, error.allowed, f"{path}: {error.message}") from None


def _is_json(path: Path) -> bool:
    return path.suffix.lower() == ".json"


def _of_build(text: str) -> dict[str, Any]:
    """The keys that a description has values for; ValueError if it is none."""
    record = inputs.from_json(text)
    spec = record.get("spec") if isinstance(record, dict) else None
    if not isinstance(spec, dict):
        raise ValueError("it has no object `spec`, as the JSON of a build has")
    return {key: value for key, value in spec.items() if value is not None}


def _modulus(value: Any, folder: Path | None) -> Modulus | None:
    if value is None or isinstance(value, Modulus):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 0:
            raise _refuse("modulus", value, moduli.NOTATIONS)
        return moduli.of(value)
    if not isinstance(value, str):
        raise _refuse("modulus", value, moduli.NOTATIONS)
    return moduli.parse(value, folder)


def takes_curves(architecture: type[Design]) -> bool:
    """Whether the key `curve` is one of its keys."""
    return issubclass(architecture, Processor) and architecture.takes_curves


def _curve(architecture: type[Design], given: dict[str, Any]) -> Curve | None:
    """What the key `curve` names, which is taken from `given`; SpecError for what names none."""
    if not takes_curves(architecture) or CURVE not in given:
        return None
    value = given.pop(CURVE)
    return value if isinstance(value, Curve) else curves.find(value)


def _prime(curve: Curve, design: Design | type[Design], modulus: Modulus | None) -> Modulus:
    """The modulus that goes with a curve.  SpecError for another one, or a design without curves.

    modulus: that was given besides."""
    if not takes_curves(design if isinstance(design, type) else type(design)):
        raise _refuse(CURVE, curve.name, f"absent: {design.name} takes none")
    if modulus is not None and (modulus.value, modulus.field) != (curve.prime, curve.field):
        why = f"the curve {curve.name} has its own, {shortened(hex(curve.prime))}"
        raise _refuse("modulus", shortened(str(modulus)), f"absent: {why}")
    return moduli.of(curve.prime, curve.field)


def _check_described(multiplier: Multiplier) -> None:
    """SpecError if more was chosen than parameters: a mode (`at`), which comes with the modulus."""
    described = {parameter.field for parameter in parameters(type(multiplier)).values()} | {
        "modulus"
    }
    for field in dataclasses.fields(multiplier):
        value = getattr(multiplier, field.name)
        if field.name not in described and value != field.default:
            raise _refuse(field.name, value, "left out: a modulus decides it")


def _fixed(architecture: type[Design], modulus: Modulus | None) -> dict[str, int]:
    """The modulus as a parameter of an architecture that is made for one; SpecError without."""
    if architecture.modulus_at != "fixed":
        return {}
    if modulus is None:
        message = f"modulus: none given; {architecture.name} is made for one: name it"
        raise SpecError("modulus", None, "a modulus", message)
    return {"modulus": modulus.value}


def _only(design: Design) -> int | None:
    """The modulus that a multiplier is made for, if it is made for one."""
    made = design.multiplier if isinstance(design, Processor) else design
    return made.fixed_modulus if isinstance(made, Multiplier) else None


def _takes_one(architecture: type[Design], modulus: Modulus) -> None:
    """SpecError if the architecture is a plain product, which has no modulus."""
    if architecture.modulus_at == "none":
        shown = shortened(str(modulus))
        message = (
            f"modulus = {shown}: {architecture.name} is a plain product, without a modulus; "
            f"the bits of its operands are its width"
        )
        raise SpecError("modulus", shown, "absent", message)


def _check_every_field(architecture: type[Design], modulus: Modulus) -> None:
    """SpecError if no multiplier of the architecture computes in the field of the modulus: said
    before its length is looked at."""
    usual = architecture()
    if isinstance(usual, Multiplier) and modulus.field not in usual.fields:
        _check_field(usual, modulus)


def _check_field(multiplier: Multiplier, modulus: Modulus) -> None:
    """SpecError if the architecture does not compute in the field of the modulus."""
    if modulus.field in multiplier.fields_built:
        return
    one = {"prime": "a number", "binary": "a polynomial over GF(2)"}
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
        "modulus", shown, " or ".join(one[field] for field in taken),
        f"modulus = {shown}: the architecture {multiplier.name}{built} takes "
        f"{' and '.join(many[field] for field in taken)}, not {many[modulus.field]}; "
        f"those are taken by {', '.join(takers) or 'no architecture'}",
    )  # fmt: skip


def _library(design: Design, value: Any) -> str | None:
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
        raise _refuse("library", value, libraries.ALLOWED)
    libraries.locate(value or libraries.DEFAULT)
    return value or libraries.DEFAULT


def _width(modulus: Modulus, width: Parameter) -> int:
    assert width.minimum is not None and width.maximum is not None
    if modulus.bits > width.maximum:
        allowed = f"at most {width.maximum} bits"
        message = f"modulus = {modulus.notation[:20]}...: has {modulus.bits} bits, {allowed} work"
        raise SpecError("modulus", modulus.notation, allowed, message)
    return max(modulus.bits, width.minimum)


def _refuse(key: str, value: Any, allowed: str) -> SpecError:
    return SpecError(key, value, allowed, f"{key} = {quoted(value)}: must be {allowed}")


def _unknown(
    key: str, value: Any, architecture: type[Design], built_on: type[Multiplier] | None
) -> SpecError:
    """Why there is no such key: of another architecture, or of none (then the nearest name)."""
    keys = [*FIRST, *parameters(architecture), *LAST]
    name = architecture.name
    if takes_curves(architecture):
        keys.insert(len(FIRST), CURVE)
    if built_on is not None:
        keys[len(FIRST) : len(FIRST)] = [MULTIPLIER, *parameters(built_on)]
        name = f"{name} on {built_on.name}"
    allowed = ", ".join(keys)
    owners = [name for name, other in designs.REGISTRY.items()
              if key in parameters(other) or (key == CURVE and takes_curves(other))]  # fmt: skip
    if owners:
        reason = f"architecture {name} has no {key} (it is one of {', '.join(owners)})"
        if key == MULTIPLIERS and built_on is not None:
            reason += f"; {MULTIPLIER} is the key that names what it multiplies with"
    else:
        reason = f"no such key{_nearest(key, keys)}"
    return SpecError(key, value, allowed, f"{key} = {quoted(value)}: {reason}; allowed: {allowed}")


def _nearest(key: str, keys: list[str]) -> str:
    if key in _RENAMED:
        return f", it is {_RENAMED[key]} now"
    near = difflib.get_close_matches(key, keys, n=1, cutoff=0.5)
    return f", did you mean {near[0]}?" if near else ""
