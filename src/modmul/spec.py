"""A specification: one multiplier, completely described by flat options.

The same names serve as keys of a TOML file, options of the command line and keyword arguments:

    architecture = "fpmm"
    modulus = "p256"        # a name, 0x..., decimal digits, a polynomial, @FILE; gives the width
    target = "ecp5"

What an architecture can be asked for is read from the fields of its dataclass.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from modmul import inputs, multipliers, targets
from modmul.arithmetic import moduli
from modmul.arithmetic.moduli import Modulus
from modmul.arithmetic.notation import shortened
from modmul.errors import SpecError, quoted
from modmul.multipliers import Multiplier
from modmul.multipliers.contract import Mode
from modmul.parameters import by_option, parameters
from modmul.targets import libraries

DEFAULT_ARCHITECTURE = "fpmm"
INTERFACES = ("stream", "core")
COMMON = {
    "architecture": f"one of {', '.join(multipliers.NAMES)} (default {DEFAULT_ARCHITECTURE})",
    "modulus": f"the modulus: {moduli.NOTATIONS}",
    "device": "chip of the target's family; default: the first that `modmul list TARGET` shows",
    "library": f"cells: {libraries.ALLOWED} (default {libraries.DEFAULT})",
    "interface": "stream: behind the elastic adapter, may pause anywhere (the default); "
    "core: the bare core",
}
FIRST = ("architecture", "modulus")  # in lists of keys they stand before the parameters
LAST = tuple(key for key in COMMON if key not in FIRST)


@dataclass(frozen=True)
class Spec:
    """One multiplier, described by its parameters alone, and how it is to be delivered.

    modulus: the one it is checked, or given constants, for; None: any of the width.
    device: None where the target names no devices.  library: None where it is no cell library."""

    multiplier: Multiplier
    modulus: Modulus | None = None
    device: str | None = None
    interface: Literal["stream", "core"] = "stream"
    library: str | None = None

    def __post_init__(self) -> None:
        if self.device is not None and not isinstance(self.device, str):
            raise _refuse("device", self.device, "a text")
        device = targets.find_device(self.multiplier.chip, self.device)
        object.__setattr__(self, "device", device.name if device else None)
        object.__setattr__(self, "library", _library(self.multiplier, self.library))
        if self.interface not in INTERFACES:
            raise _refuse("interface", self.interface, f"one of {', '.join(INTERFACES)}")
        _check_described(self.multiplier)
        if self.modulus is not None:
            _takes_one(type(self.multiplier), self.modulus)
            _check_field(self.multiplier, self.modulus)
            self.in_use.check_modulus(self.modulus.value)

    @property
    def mode(self) -> Mode | None:
        """Field and length that go with the modulus; None without one.

        SpecError if the multiplier was built without that field."""
        if self.modulus is None:
            return None
        return self.multiplier.mode_for(self.modulus.value, self.modulus.field)

    @property
    def in_use(self) -> Multiplier:
        """The multiplier with the field and length that go with the modulus, if there is one."""
        return self.multiplier if self.mode is None else self.multiplier.at(self.mode)

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The modes of the multiplier, in front of them those of the modulus, if there is one."""
        own, every = self.mode, self.multiplier.modes
        if own is None or len(every) == 1:
            return every
        operations = dict.fromkeys(mode.operation for mode in every)
        first = [dataclasses.replace(own, operation=operation) for operation in operations]
        return tuple(dict.fromkeys([*first, *every]))

    @classmethod
    def from_options(cls, options: Mapping[str, Any], folder: Path | None = None) -> Spec:
        """A specification from option names (`-` or `_`) and values; None means not given.

        `folder`: where a relative @FILE lies.  SpecError for what cannot be."""
        given = by_option({key: one for key, one in options.items() if one is not None})
        architecture = multipliers.find(given.pop("architecture", DEFAULT_ARCHITECTURE))
        known = parameters(architecture)
        for key in given:
            if key not in known and key not in COMMON:
                raise _unknown(key, given[key], architecture)
        if isinstance(given.get("target"), str):
            given["target"] = targets.canonical(given["target"])
        modulus = _modulus(given.pop("modulus", None), folder)
        if modulus is not None:
            _takes_one(architecture, modulus)
        if modulus is not None and "width" not in given:
            given["width"] = _width(modulus, known["width"])
        common = {key: given.pop(key) for key in COMMON if key in given}
        values = {known[key].name: value for key, value in given.items()}
        return cls(architecture(**values), modulus, **common)

    @classmethod
    def from_file(cls, path: Path, overrides: Mapping[str, Any] | None = None) -> Spec:
        """A specification from a flat TOML file; `overrides` (options given) win over it.

        Errors name the file if the key stands there."""
        kept = keys_of(path)
        given = by_option({k: v for k, v in (overrides or {}).items() if v is not None})
        if isinstance(kept.get("library"), str):
            kept["library"] = libraries.beside(kept["library"], path.parent)
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
        own = {
            key: getattr(self.multiplier, field.name)
            for key, field in parameters(type(self.multiplier)).items()
        }
        modulus = None if self.modulus is None else str(self.modulus)
        return {
            "architecture": self.multiplier.name,
            "modulus": modulus,
            **own,
            "device": self.device,
            "library": self.library,
            "interface": self.interface,
        }


def keys_of(path: Path) -> dict[str, Any]:
    """The values of a flat TOML file, or of the description (JSON) that `build` writes, by the
    names of their options, unchecked; SpecError if it is none."""
    allowed = "a TOML file of keys and values, or the JSON of a build"
    try:
        text = inputs.read(path)
    except ValueError as error:
        message = f"{path}: cannot be read: {error}; must be {allowed}"
        raise SpecError(None, str(path), allowed, message) from None
    kind = "JSON" if path.suffix == ".json" else "TOML"
    try:
        found = _of_build(text) if kind == "JSON" else inputs.toml(text)
    except ValueError as error:
        raise SpecError(None, str(path), allowed, f"{path}: not {kind}: {error}") from None
    for key, value in found.items():
        if not isinstance(value, (str, int)):
            wanted = "a string, a whole number, true or false"
            kind = "a table" if isinstance(value, dict) else quoted(value)
            message = f"{path}: {key} = {kind}: must be {wanted}; a spec is flat"
            raise SpecError(key, quoted(value), wanted, message)
    try:
        return by_option(found)
    except SpecError as error:
        raise SpecError(error.key, error.value, error.allowed, f"{path}: {error.message}") from None


def _of_build(text: str) -> dict[str, Any]:
    """The keys that a description has values for; ValueError if it is none."""
    found = inputs.from_json(text)
    spec = found.get("spec") if isinstance(found, dict) else None
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


def _check_described(multiplier: Multiplier) -> None:
    """SpecError if more was chosen than parameters: a mode (`at`), which comes with the modulus."""
    described = {field.name for field in parameters(type(multiplier)).values()}
    for field in dataclasses.fields(multiplier):
        value = getattr(multiplier, field.name)
        if field.name not in described and value != field.default:
            raise _refuse(field.name, value, "left out: a modulus decides it")


def _takes_one(architecture: type[Multiplier], modulus: Modulus) -> None:
    """SpecError if the architecture is a plain product, which has no modulus."""
    if architecture.modulus_at == "none":
        shown = shortened(str(modulus))
        message = (
            f"modulus = {shown}: {architecture.name} is a plain product, without a modulus; "
            f"the bits of its operands are its width"
        )
        raise SpecError("modulus", shown, "absent", message)


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


def _library(multiplier: Multiplier, value: Any) -> str | None:
    """The library that is meant; None where the target has none."""
    if multiplier.chip.kind != "cells":
        if value is None:
            return None
        cells = ", ".join(one.name for one in targets.REGISTRY.values() if one.kind == "cells")
        allowed = f"absent, or the target {cells}"
        why = f"{multiplier.target} is no cell library: must be {allowed}"
        message = f"library = {quoted(value)}: {why}"
        raise SpecError("library", value, allowed, message)
    if value is not None and not isinstance(value, str):
        raise _refuse("library", value, libraries.ALLOWED)
    libraries.locate(value or libraries.DEFAULT)
    return value or libraries.DEFAULT


def _width(modulus: Modulus, field: dataclasses.Field[Any]) -> int:
    low, high = field.metadata["minimum"], field.metadata["maximum"]
    if modulus.bits > high:
        allowed = f"at most {high} bits"
        message = f"modulus = {modulus.notation[:20]}...: has {modulus.bits} bits, {allowed} work"
        raise SpecError("modulus", modulus.notation, allowed, message)
    return max(modulus.bits, int(low))


def _refuse(key: str, value: Any, allowed: str) -> SpecError:
    return SpecError(key, value, allowed, f"{key} = {quoted(value)}: must be {allowed}")


def _unknown(key: str, value: Any, architecture: type[Multiplier]) -> SpecError:
    """Why there is no such key: of another architecture, or of none (then the nearest name)."""
    keys = [*FIRST, *parameters(architecture), *LAST]
    allowed = ", ".join(keys)
    owners = [name for name, other in multipliers.REGISTRY.items() if key in parameters(other)]
    if owners:
        reason = f"architecture {architecture.name} has no {key} (it is one of {', '.join(owners)})"
    else:
        reason = f"no such key{_nearest(key, keys)}"
    return SpecError(key, value, allowed, f"{key} = {quoted(value)}: {reason}; allowed: {allowed}")


def _nearest(key: str, keys: list[str]) -> str:
    near = difflib.get_close_matches(key, keys, n=1, cutoff=0.5)
    return f", did you mean {near[0]}?" if near else ""
