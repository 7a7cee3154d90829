"""A specification: one design, completely described by flat options.

The same names serve as keys of a TOML file, options of the command line and keyword arguments:

    architecture = "fpmm"
    modulus = "p256"        # a name, 0x..., decimal digits, a polynomial, @FILE; gives the width
    target = "ecp5"

The keys of an architecture are the fields of its dataclass.  A processor is built on a multiplier,
which the key `multiplier` names; the keys of the multiplier stand beside those of the processor:

    architecture = "exponentiation"
    multiplier = "fips"
    width = 1024
    units = 2

A processor for curves has the key `curve`, which names a curve in the place of a modulus.  There
may also be the keys of `DELIVERY`, such as `bus`: they are no part of a specification, and those
who deliver a design read them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, Literal

from modmul import designs, targets
from modmul.arithmetic import moduli
from modmul.arithmetic.curves import Curve
from modmul.arithmetic.keys import KEY, Key
from modmul.arithmetic.moduli import Modulus
from modmul.design import Design
from modmul.errors import SpecError, refusal
from modmul.multipliers import Multiplier
from modmul.multipliers.setting import Setting
from modmul.operation import Mode
from modmul.parameters import by_option, parameters
from modmul.processors import Load, Processor
from modmul.spec.files import is_json, keys_of
from modmul.spec.keys import (
    COMMON,
    CURVE,
    DEFAULT_ARCHITECTURE,
    INTERFACES,
    KEY_BITS,
    MULTIPLIERS,
    named_count,
    takes_curves,
    takes_keys,
    unknown_key,
    without_delivery,
)
from modmul.spec.values import (
    check_described,
    check_every_field,
    check_field,
    check_name,
    check_parity,
    check_takes_one,
    curve_of,
    fixed_modulus,
    library_of,
    modulus_of,
    multiplier_of,
    only_modulus,
    prime_of,
    width_of,
    width_of_keys,
)
from modmul.targets import libraries
from modmul.targets.families import chip_of

_WIDTHS = ("width", KEY_BITS)  # of these one is given


@dataclass(frozen=True)
class Spec:
    """One design, described by its parameters alone, and how it is to be delivered.

    modulus: the one it is checked, or given constants, for; None: any of the width.
    device: None where the target names no devices.  library: None where it is no cell library.
    curve: one whose prime is the modulus.  name: what the design is called, in the place of a
    name made of its parameters."""

    design: Design
    modulus: Modulus | None = None
    device: str | None = None
    interface: Literal["stream", "core"] = "stream"
    library: str | None = None
    curve: Curve | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        if self.device is not None and not isinstance(self.device, str):
            raise refusal("device", self.device, "a text")
        device = targets.find_device(self.design.chip, self.device)
        object.__setattr__(self, "device", device.name if device else None)
        if self.curve is not None:
            object.__setattr__(self, "modulus", prime_of(self.curve, self.design, self.modulus))
        if self.modulus is None and (only := only_modulus(self.design)) is not None:
            object.__setattr__(self, "modulus", moduli.of(only, self.design.fields_built[0]))
        object.__setattr__(self, "library", library_of(self.design, self.library))
        built = self.design.interfaces
        if self.interface not in INTERFACES:
            raise refusal("interface", self.interface, f"one of {', '.join(INTERFACES)}")
        if self.interface not in built:
            why = f"{self.design.name} has no other"
            raise refusal("interface", self.interface, f"{', '.join(built)}: {why}")
        if self.design.protection not in self.design.protections:
            why = f"{self.design.name} has no protection"
            raise refusal("protection", self.design.protection, "none", why)
        if self.name is not None:
            check_name(self.name)
        check_described(self.arithmetic)
        if self.modulus is not None:
            check_takes_one(type(self.arithmetic), self.modulus)
            check_field(self.arithmetic, self.modulus)
            if isinstance(self.design, Processor):
                self.design.check_modulus(self.modulus.value, self.modulus.field, self.curve)
                if self.curve is not None:
                    self.design.check_suited(self.curve)
            else:
                check_parity(self.multiplier, self.modulus)
                self.design.check_modulus(self.modulus.value, self.modulus.field)

    @property
    def title(self) -> str:
        return self.name or self.design.title

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
            return self.operation_modes[0]
        return self.multiplier.over(self.modulus.value, self.modulus.field).mode

    @property
    def load(self) -> Load | None:
        """What a processor loads for the modulus, or for the curve; None without one."""
        if self.modulus is None:
            return None
        return Load(self.modulus.value, self.modulus.field, self.curve)

    @property
    def operation_modes(self) -> tuple[Mode, ...]:
        """A processor's modes of all operations with what is loaded, the headline's first; none
        without that."""
        load, design = self.load, self.processor
        if load is None:
            return ()
        return tuple(design.mode(operation, load) for operation in design.operations_on(load))

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
            return tuple(dict.fromkeys([*self.operation_modes, *every]))
        operations = dict.fromkeys(mode.operation for mode in every)
        first = [dataclasses.replace(own, operation=operation) for operation in operations]
        return tuple(dict.fromkeys([*first, *every]))

    def with_key(self, path: Path) -> Spec:
        """This specification with the RSA private key of a file as its modulus.  SpecError where
        that is none, or the design takes no keys."""
        if not isinstance(self.design, Processor) or not self.design.takes_keys:
            raise refusal(KEY, str(path), f"absent: {self.design.name} takes none")
        if self.modulus is not None:
            raise refusal(KEY, str(path), "absent where a modulus is given")
        return dataclasses.replace(self, modulus=Modulus(None, Key.from_file(path)))

    def blinded_anew(self, chance: Random) -> Spec:
        """This specification with a new seed in its key, for other factors of blinded moduli;
        itself without a key."""
        if self.modulus is None or not isinstance(self.modulus.value, Key):
            return self
        key = self.modulus.value.seeded(chance.getrandbits(128))
        return dataclasses.replace(self, modulus=Modulus(None, key))

    @classmethod
    def from_options(cls, options: Mapping[str, Any], folder: Path | None = None) -> Spec:
        """A specification from option names (`-` or `_`) and values; None means not given.

        `folder`: where a relative @FILE lies.  SpecError for what cannot be."""
        given = by_option({key: value for key, value in options.items() if value is not None})
        given = without_delivery(given)
        if confused := named_count(given.get(MULTIPLIERS)):
            raise confused
        architecture = designs.find(given.pop("architecture", DEFAULT_ARCHITECTURE))
        built_on = multiplier_of(architecture, given)
        curve = curve_of(architecture, given, folder)
        known = parameters(architecture) | (parameters(built_on) if built_on else {})
        own_keys = (KEY_BITS,) if takes_keys(architecture) else ()
        for key in given:
            if key not in known and key not in (*COMMON, *own_keys):
                raise unknown_key(key, given[key], architecture, built_on)
        if isinstance(given.get("target"), str):
            chip = chip_of(given["target"])
            given = ({"device": chip} if chip else {}) | given
            given["target"] = targets.canonical(given["target"])
        modulus = modulus_of(given.pop("modulus", None), folder)
        if curve is not None:
            modulus = prime_of(curve, architecture, modulus)
        if modulus is not None:
            check_takes_one(built_on or architecture, modulus)
            check_every_field(built_on or architecture, modulus)
        if KEY_BITS in given and issubclass(architecture, Processor):
            given["width"] = width_of_keys(architecture, given, known["width"])
        if modulus is not None and "width" not in given:
            given["width"] = width_of(modulus, known["width"])
        elif issubclass(architecture, Processor) and architecture.usual_width:
            given.setdefault("width", architecture.usual_width)
        fixed = fixed_modulus(built_on or architecture, modulus)
        common = {key: given.pop(key) for key in COMMON if key in given}
        own = parameters(architecture)
        values = {known[key].field: value for key, value in given.items() if key in own}
        if built_on is not None:
            others = {known[key].field: value for key, value in given.items() if key not in own}
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
        kept = keys_of(path)
        given = by_option({k: v for k, v in (overrides or {}).items() if v is not None})
        if not given.keys().isdisjoint(_WIDTHS):
            kept = {key: value for key, value in kept.items() if key not in _WIDTHS}
        if isinstance(kept.get("library"), str) and not is_json(path):
            kept["library"] = libraries.resolve_relative(kept["library"], path.parent)
        try:
            if CURVE in kept and CURVE not in given:  # a relative file is one from its folder
                from modmul.arithmetic import own_curves  # with the arithmetic of points

                kept[CURVE] = own_curves.parse(kept[CURVE], path.parent)
            return cls.from_options(kept | given, None if "modulus" in given else path.parent)
        except SpecError as error:
            if error.key is not None and error.key in kept.keys() - given.keys():
                message = f"{path}: {error.message}"
                raise SpecError(error.key, error.value, error.allowed, message) from None
            raise

    def options(self) -> dict[str, Any]:
        """Every option with its value: plain JSON values, complete (without a name, if it has
        none), the same for equal specs.

        A modulus without a name is a hexadecimal string, or a polynomial in writing."""
        modulus = None if self.modulus is None else str(self.modulus)
        return {
            "architecture": self.design.name,
            "modulus": modulus,
            **({CURVE: self._written_curve} if takes_curves(type(self.design)) else {}),
            **self.design.options,
            "device": self.device,
            "library": self.library,
            "interface": self.interface,
            **({"name": self.name} if self.name else {}),
        }

    @property
    def _written_curve(self) -> str | None:
        """The curve as the key `curve` takes it."""
        from modmul.arithmetic import own_curves

        return None if self.curve is None else own_curves.written(self.curve)
