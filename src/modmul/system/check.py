"""`check`: whether a delivery is what modmul makes of its specification."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from jinja2 import TemplateError

from modmul.arithmetic_proof import certificate
from modmul.arithmetic_proof.proof import ArithmeticProof
from modmul.errors import refusal
from modmul.export.build import completed, prove, prove_products
from modmul.export.contents import PICTURE, Contents, Verdicts
from modmul.export.deliver import Changed, described, differing
from modmul.export.description import TOOLS
from modmul.export.layout import LANGUAGES
from modmul.spec import Spec
from modmul.system.build import addition, check_delivery, check_language, pins_of
from modmul.toolchain.cache import Cache
from modmul.toolchain.versions import version
from modmul.version import __version__

_SECONDS = 600  # for a proof of products that a delivery has


class CheckedDelivery(msgspec.Struct, frozen=True):
    """One delivery: the name of its description, how many files that lists, and a sentence for each
    difference."""

    description: str
    files: int
    differences: list[str]


class CheckResult(msgspec.Struct, frozen=True):
    """The deliveries in a directory.  passed: none of them has a difference.  passed_over: files in
    JSON that modmul did not write."""

    directory: str
    passed: bool
    deliveries: list[CheckedDelivery]
    passed_over: list[str]


def check(directory: Path, *, cache: Cache | None = None) -> CheckResult:
    """Compare each delivery in a directory with its digests, and with what is made here of the
    specification in its description: texts, proofs, datasheet, description.

    That products are not proved, the verdicts of simulators, measured area and clock, and the
    timing diagram, which comes from a simulation, are taken from the delivery.  Raises SpecError
    for a directory without a delivery, ToolFailed, ToolMissing."""
    every = sorted(directory.glob("*.json")) if os.path.isdir(directory) else []
    every = [place for place in every if not place.name.endswith(certificate.END)]
    passed_over = [place for place in every if _is_foreign(place)]
    places = [place for place in every if place not in passed_over]
    if not places:
        raise refusal("DIR", str(directory), "a directory that `build` wrote, with its JSON")
    cache = cache or Cache()
    deliveries = [_checked(place, cache) for place in places]
    passed = not any(delivery.differences for delivery in deliveries)
    return CheckResult(str(directory), passed, deliveries, [place.name for place in passed_over])


def _is_foreign(place: Path) -> bool:
    """Whether modmul did not write this file: it is no description, changed or not, and was none
    of HDL beside it."""
    try:
        described(place)
    except Changed:
        return False
    except ValueError:
        return not any(place.with_suffix(end).is_file() for end in (".v", ".vhd"))
    return False


def _checked(place: Path, cache: Cache) -> CheckedDelivery:
    try:
        description = described(place)
    except ValueError as error:
        return CheckedDelivery(place.name, 0, [f"{place.name} {error}"])
    changed = [f"{file} {how}" for file, how in differing(place, description).items()]
    differences = [*changed, *_unlike(place, description, cache)]
    return CheckedDelivery(place.name, len(description["files"]), differences)


def _unlike(place: Path, description: dict[str, Any], cache: Cache) -> Iterator[str]:
    """A sentence for each file, and each entry of the description, that would be made
    otherwise here."""
    if "spec" not in description:
        yield f"{place.name}: a build did not finish; build again"
        return
    try:
        if other := _other_tools(description):
            yield f"{place.name} was made with {other}: only its digests were compared"
            return
        again = _made_again(place, description, cache)
    except (AttributeError, KeyError, TypeError, ValueError, TemplateError):
        yield f"{place.name} has entries that modmul does not write"
        return
    files, known = again["files"], description["files"]
    for file in dict.fromkeys([*files, *known]):
        if file not in files:
            yield f"{file} is no file of this design"
        elif file not in known:
            yield f"{file} is a file of this design that {place.name} does not list"
        elif files[file] != known[file]:
            yield f"{file} in {place.name} is not the text that modmul makes"
    for key in dict.fromkeys([*again, *description]):
        if key not in ("files", "sha256") and again.get(key) != description.get(key):
            yield f"{place.name}: {key} is not what modmul writes"


def _other_tools(description: Mapping[str, Any]) -> str:
    """What the delivery was made with and is not here: versions of modmul and of tools that
    write its texts."""
    here = {"modmul": __version__} | {tool: version(tool) for tool in TOOLS}
    there = {"modmul": description["modmul"], **description["tools"]}
    return ", ".join(
        f"{name} {there[name]} (here {here[name]})" for name in here if here[name] != there[name]
    )


def _made_again(place: Path, description: Mapping[str, Any], cache: Cache) -> dict[str, Any]:
    """The description of a delivery as it is made here."""
    spec, keys = Spec.from_file(place), description["spec"]
    bus, banks = keys.get("bus"), keys.get("banks", 0)
    packages = keys["package"].split(",") if "package" in keys else ()
    no_initial_values = keys.get("no-initial-values", False)
    clock_enable = keys.get("clock-enable", False)
    pins = pins_of(bus, keys.get("reset"), keys.get("reset-active"), clock_enable)
    check_delivery(spec, bus, banks, packages, pins)
    add = partial(
        addition,
        bus=bus,
        banks=banks,
        data_bits=keys.get("data-bits", 32),
        packages=packages,
        no_initial_values=no_initial_values,
        cache=cache,
    )
    without = no_initial_values and spec.design.chip.initial_values
    language = keys.get("language", LANGUAGES[0])
    check_language(spec, language, bus, packages, pins)
    contents = Contents.of(
        spec, description["name"], add, without, bus=bus, pins=pins, language=language
    )
    picture = place.with_name(f"{contents.name}{PICTURE}")
    verdicts = Verdicts(
        description["simulated"] or {},
        description.get("simulated_besides", {}),
        picture.read_text(encoding="utf-8") if picture.is_file() else None,
    )
    measured, tools = description["measured"], description["tools"]
    texts, told = contents.texts(), description["arithmetic_proof"]
    if told and told["proved"]:
        products = prove_products(contents, texts, cache, _SECONDS)
    else:  # what a search did not find may be a matter of time
        products = told and ArithmeticProof.not_proved(told)
    proofs = prove(contents, cache), products
    texts, _ = completed(contents, texts, verdicts, proofs, measured, tools)
    again: dict[str, Any] = json.loads(texts[f"{contents.name}.json"])
    return again
