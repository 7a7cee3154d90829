"""The options of a specification, generated from the parameters of the designs."""

from __future__ import annotations

import difflib
import functools
import inspect
import os
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from cyclopts import Group, Parameter

from modmul import designs, multipliers, processors, targets
from modmul.arithmetic import curves, moduli
from modmul.cli.common import whole
from modmul.cli.verbs import HELP
from modmul.errors import SpecError, quoted, similar
from modmul.parameters import option_name, parameters
from modmul.spec import Spec
from modmul.spec.files import is_json, is_spec, job_names, keys_of
from modmul.spec.keys import COMMON as KEYS
from modmul.spec.keys import (
    CURVE,
    DEFAULT_ARCHITECTURE,
    DEFAULT_MULTIPLIER,
    DELIVERY,
    FIRST,
    INTERFACES,
    KEY_BITS,
    KEY_BITS_TEXT,
    LAST,
    MULTIPLIER,
    takes_curves,
    takes_keys,
)
from modmul.system.registers import MOST_BANKS

COMMON = "Common options"
SHARED = {"width": int, "field": str, "target": str}  # parameters among the common options
Banks = Annotated[
    int,
    Parameter(
        converter=whole,
        help="with a bus that has registers: how many banks there are, each of which keeps an "
        f"operand or a result for later products, 0 to {MOST_BANKS} (default 0)",
        show_default=False,
    ),
]
_FILE = (
    "a job of `modmul list jobs`, such as ecdsa-p256, or a file with these options, such as "
    'modulus = "p256"; options given beside it override it'
)
_PLAIN = {  # the texts in a help that is about no particular architecture
    "architecture": f"which design: a name of `modmul list` (default {DEFAULT_ARCHITECTURE})",
    "width": "bits of the modulus (default: those of --modulus, or 128)",
    "field": "field of the modulus, for architectures that have the choice: prime, binary "
    "(GF(2^m)) or both",
    "target": f"chip family: one of {', '.join(targets.NAMES)} (default {targets.NAMES[0]}), or a "
    "product family, such as artix7",
}


class DesignChoice(NamedTuple):
    """Selects the options that a verb gets.

    architectures: those whose parameters are options, besides the common options.  named: the
    architecture that the help is about.  closed: the types of options list the allowed names, which
    completion needs.  words: add only options that one of these words may name, the verb's own
    ones, too; None: add all."""

    architectures: tuple[str, ...]
    named: str | None = None
    closed: bool = False
    words: tuple[str, ...] | None = None

    def names(self, option: str) -> bool:
        """Whether a command line may name this option; too often rather than too seldom."""
        return self.words is None or any(option in option_name(word.lower()) for word in self.words)

    @property
    def short(self) -> bool:
        """Whether a command line may name an option by a single letter."""
        return self.words is None or any(not word.startswith("--") for word in self.words)


ALL = DesignChoice(designs.NAMES)
_MULTIPLIER = (
    f"of a processor ({', '.join(processors.NAMES)}): what it multiplies with, a multiplier of "
    f"`modmul list` (default {DEFAULT_MULTIPLIER})"
)


def choice_of(tokens: Sequence[str]) -> DesignChoice:
    """Return the options that a command line needs: for its help all those of an architecture, else
    those that it names, since cyclopts takes most of a millisecond for each.

    Raises SpecError if help is requested for an architecture or a file that does not exist."""
    helps = not HELP.isdisjoint(tokens)
    named, below = _named(tokens, "architecture"), _named(tokens, MULTIPLIER)
    file = next((path for path in map(Path, tokens) if is_spec(path)), None)
    if named is None and file is not None:
        try:
            keys = keys_of(file)
        except SpecError:
            if helps:
                raise
            keys = {}  # the verb refuses it
        named = str(keys.get("architecture", DEFAULT_ARCHITECTURE))
        below = below or keys.get(MULTIPLIER)
    if not helps:
        words = tuple(token for token in tokens if token.startswith("-"))
        return DesignChoice(_with_multiplier(named or DEFAULT_ARCHITECTURE, below), words=words)
    if named is None:
        return DesignChoice(())
    return DesignChoice(_with_multiplier(designs.find(named).name, below), named)


def _with_multiplier(name: str, below: str | None) -> tuple[str, ...]:
    """Return the design of that name and the multiplier that it is built on, if they exist."""
    built_on = (below or DEFAULT_MULTIPLIER,) if name in processors.NAMES else ()
    return tuple(design for design in (name, *built_on) if design in designs.NAMES)


def _named(tokens: Sequence[str], key: str) -> str | None:
    """Return the value that the words give for a key."""
    option = f"--{key}"
    for word, following in zip(tokens, [*tokens[1:], None], strict=True):
        if word == option or word.startswith(f"{option}="):
            return following if word == option else word.removeprefix(f"{option}=")
    return None


def epilogue(verb: str, choice: DesignChoice) -> str:
    """Return the end of a help text, which says where the other options are described."""
    if choice.named is not None:
        about = [f"More about {name}: modmul list {name}" for name in choice.architectures]
        return "\n".join(about)
    return (
        f"Options of one architecture: modmul {verb} --help --architecture NAME, or with a "
        f"SPEC.  NAME: {', '.join(designs.NAMES)}"
    )


def read_spec(file: Path | None, options: dict[str, Any], others: dict[str, Any]) -> Spec:
    """Return the specification of a file and of options, which override it.  others: the other
    arguments of the verb."""
    if file is None:
        return Spec.from_options(options)
    try:
        return Spec.from_file(file, options)
    except SpecError as error:
        if error.key is None and (hint := hint_about(file)):
            raise SpecError(None, error.value, error.allowed, error.message + hint) from None
        raise


def read_delivered(file: Path | None, options: dict[str, Any], others: dict[str, Any]) -> Spec:
    """Return the specification as `read_spec` does, for a verb whose answer is about the Verilog.
    Raises SpecError for the description of a delivery whose Verilog is another one."""
    if file is not None and is_json(file):
        from modmul.export.deliver import check_beside  # not for the help

        check_beside(file)
    return read_spec(file, options, others)


def read_delivery(file: Path | None, others: dict[str, Any], keys: Iterable[str]) -> None:
    """Take keys of the delivery that the command line leaves out from the file.  others: as in
    `read_spec`.  keys: those that the verb has as options."""
    kept = {} if file is None else keys_of(file)
    for key in keys:
        name, kind = key.replace("-", "_"), DELIVERY[key]
        given = others.get(name)
        if key in kept and (given is None or given is False):
            if type(kept[key]) is not kind:
                allowed = {str: "a text", int: "a whole number", bool: "true or false"}[kind]
                message = f"{file}: {key} = {quoted(kept[key])}: must be {allowed}"
                raise SpecError(key, kept[key], allowed, message)
            others[name] = kept[key]


class takes_spec:
    """A decorator for a verb `verb(spec: Spec, **others)`: gives it the argument SPEC and an option
    for each key.

    read: a function with the arguments of `read_spec`."""

    def __init__(
        self,
        verb: Callable[..., int],
        read: Callable[[Path | None, dict[str, Any], dict[str, Any]], Spec] = read_spec,
    ):
        self.verb, self.read = verb, read

    @functools.cached_property
    def _own(self) -> list[inspect.Parameter]:
        """The options of the verb that are no keys of a specification; each has a default."""
        return list(inspect.signature(self.verb, eval_str=True).parameters.values())[1:]

    def of(self, choice: DesignChoice) -> Callable[..., int]:
        """Return the verb with the options of this choice in its signature."""
        keys = _options(choice)

        @functools.wraps(self.verb)
        def wrapped(file: Path | None = None, **arguments: Any) -> int:
            options = {name: arguments.pop(name) for name in keys if name in arguments}
            return self.verb(self.read(file, options, arguments), **arguments)

        own = [
            option for option in self._own if choice.short or choice.names(option_name(option.name))
        ]
        positional = inspect.Parameter(
            "file",
            inspect.Parameter.POSITIONAL_ONLY,
            default=None,
            annotation=Annotated[Path | None, Parameter(name="SPEC", help=_FILE)],
        )
        every = [positional, *keys.values(), *own]
        wrapped.__signature__ = inspect.Signature(every, return_annotation=int)  # type: ignore[attr-defined]
        wrapped.__annotations__ = {key.name: key.annotation for key in every} | {"return": int}
        return wrapped


def _options(choice: DesignChoice) -> dict[str, inspect.Parameter]:
    """Return a keyword argument for each key that may be named, by its Python name, the common keys
    first."""
    classes = [designs.find(name) for name in choice.architectures]
    declared: dict[str, Any] = {}  # of the first design that has each
    for design in classes:
        known = parameters(design).items()
        declared |= {key: value for key, value in known if key not in declared}
    common: dict[str, tuple[type, str]] = {key: (str, _PLAIN.get(key, KEYS[key])) for key in FIRST}
    if any(name in processors.NAMES for name in choice.architectures):
        common[MULTIPLIER] = (str, _MULTIPLIER)
    if any(map(takes_curves, classes)):
        common[CURVE] = (str, _curve_help())
    if any(map(takes_keys, classes)):
        common[KEY_BITS] = (int, KEY_BITS_TEXT)
    for key, kind in SHARED.items():
        if key in declared or not classes:
            common[key] = (kind, _help(key, choice) if classes else _PLAIN[key])
    common |= {key: (str, KEYS[key]) for key in LAST}
    options = {
        name: _keyword(name, _hint(key, kind, choice), text)
        for key, (kind, text) in common.items()
        if choice.names(key) and (name := key.replace("-", "_"))
    }
    title = f"Options of {choice.named}" if choice.named else "Options of architectures"
    for key, parameter in declared.items():
        if key not in SHARED and choice.names(key):
            hint, text = _hint(key, parameter.kind, choice), _help(key, choice)
            options[parameter.field] = _keyword(parameter.field, hint, text, title)
    return options


def _hint(key: str, kind: type, choice: DesignChoice) -> Any:
    """Return the type of an option."""
    if not choice.closed or kind is not str:
        return kind
    closed = {
        "architecture": designs.NAMES,
        MULTIPLIER: multipliers.NAMES,
        "interface": INTERFACES,
        CURVE: tuple(curve.name for curve in curves.every()),
    }.get(key, ())
    declared = [parameters(designs.find(name)).get(key) for name in choice.architectures]
    offered = [word for parameter in declared if parameter for word in parameter.choices or ()]
    words = dict.fromkeys([*closed, *(word for word in offered if isinstance(word, str))])
    return Literal[tuple(words)] if words else kind


def _keyword(name: str, kind: Any, help: str, group: str = COMMON) -> inspect.Parameter:
    option = f"--{option_name(name)}"
    converter = whole if kind is int else None
    place = Group(group, sort_key=1 if group == COMMON else 2)
    parameter = Parameter(
        name=option, converter=converter, help=help, group=place, show_default=False
    )
    annotation = Annotated[kind | None, parameter]
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
    )


def _curve_help() -> str:
    named = ", ".join(curve.name for curve in curves.every() if curve.source)
    return (
        "the curve, in the place of the modulus; gives the width where none is given; one of "
        f"{named}, parameters such as `weierstrass p=0x.. a=-3 b=0x.. x=0x.. y=0x.. n=0x..`, or "
        "@FILE with these, or with EC PARAMETERS"
    )


def _help(key: str, choice: DesignChoice) -> str:
    """Return the help of an option, with its allowed values; one for each group of architectures
    that share it."""
    owners: dict[str, list[str]] = {}
    for name in choice.architectures:
        known = parameters(designs.find(name))
        if key in known:
            owners.setdefault(known[key].option(), []).append(name)
    if len(owners) == 1 and (choice.named or len(*owners.values()) == len(choice.architectures)):
        return next(iter(owners))
    return "; ".join(f"{', '.join(names)}: {text}" for text, names in owners.items())


# ---- suggestions for the name of a specification that does not exist -----------------------------

_JOINTS = str.maketrans("", "", "-_")  # names are compared without these
_LONGEST_HINT = 80  # letters of a word that a hint may repeat
_MOST_ENTRIES = 1000  # entries of a folder that are searched


def hint_about(file: Path) -> str:
    """Return a hint to append to a message; empty if no name is similar, or if the file exists."""
    if os.path.isfile(file):
        return ""
    name = file.name if file.parent == Path() else ""
    jobs = similar(name, job_names()) if name else []
    if option := _option_for(name):
        more = f", or the job {' or '.join(jobs)}" if jobs else ""
        return f"; did you mean {option}{more}?"
    files = _delivered(file) if os.path.isdir(file) else _files(file)
    near = [*map(str, files)] or jobs
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _option_for(name: str) -> str | None:
    """Return the option that takes this word: --modulus, --architecture or --target."""
    if not 0 < len(name) <= _LONGEST_HINT:
        return None
    if name in designs.NAMES:
        return f"--architecture {name}"
    try:
        if targets.canonical(name) in targets.NAMES:
            return f"--target {name}"
    except SpecError:  # the name of a chip, or of several families
        return None
    try:
        moduli.parse(name if not name.startswith("@") else "", None)
    except SpecError:
        return None
    return f"--modulus {name}"


def _delivered(folder: Path) -> list[Path]:
    """Return the description in a directory that `build` wrote."""
    deliveries = sorted(entry for entry in _entries(folder) if entry.suffix == ".json")
    return deliveries if len(deliveries) == 1 else []


def _files(file: Path) -> list[Path]:
    """Return at most two specification files with a similar name."""
    files = [
        entry
        for entry in _entries(file.parent)
        if entry.suffix.lower() == ".toml" and entry.is_file()
    ]
    stems: dict[str, Path] = {}
    for entry in files:
        stems.setdefault(entry.stem.lower().translate(_JOINTS), entry)
    stem = file.name.lower().removesuffix(".toml").translate(_JOINTS)
    near = difflib.get_close_matches(stem, list(stems), n=2, cutoff=0.6)
    return [stems[stem]] if stem in stems else [stems[name] for name in near]


def _entries(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [folder / entry.name for entry in islice(entries, _MOST_ENTRIES)]
    except (OSError, ValueError):
        return []
