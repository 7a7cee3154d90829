"""The comments in an emitted text: above modules, and on sections, signals and ports.

They are the docstring, `NOTES` and `PORT_NOTES` of the class of which a module is made.  `NOTES`
has sections by their titles, in order, each with notes by the names of signals, memories and
instances as they stand in the text, or by patterns of such names.  `PORT_NOTES` has notes by names
of ports, or by patterns.  An instance may have its own.  `{name}` in any of these texts is a
figure: the attribute of that name of the component, or of the multiplier or record that it was made
from."""

from __future__ import annotations

import dataclasses
import inspect
import re
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from amaranth.hdl import Elaboratable, Fragment, Module, Signal
from amaranth.lib import data, wiring

from modmul.export.names import identifier

COLUMNS = 96
Notes = Mapping[str, Mapping[str, str]]
_FIGURE = re.compile(r"\{([a-z]\w*)\}")
_HOLDS = "holds"  # the attribute of a component that is the comment on its instances


class Field(NamedTuple):
    """A field of a struct: `width` bits from bit `low` on."""

    name: str
    low: int
    width: int


@dataclass(frozen=True)
class Remarks:
    """The comments on one module.

    kind: the class that it is made from.  common: the comment above it without its figures, which
    is the same for modules that differ in figures only.  above: that comment in paragraphs, with
    figures.  figures: those of this module.  untold: the figures that the paragraphs do not
    contain.  sections, ports: see the module's docstring, with figures filled in.  values: the
    figures by name, without long ones.  members: the names of its ports in the component, in order.
    registers: the names of signals that clocked statements assign.  holds: what an instance of it
    holds, for the comment on the instance.  called: what a module is called that several become, by
    default its class.  fields: of its ports that are structs."""

    kind: str = ""
    common: str = ""
    above: tuple[str, ...] = ()
    figures: str = ""
    untold: str = ""
    sections: Notes = field(default_factory=dict)
    ports: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, object] = field(default_factory=dict)
    members: tuple[str, ...] = ()
    registers: frozenset[str] = frozenset()
    holds: str = ""
    called: str = ""
    fields: Mapping[str, tuple[Field, ...]] = field(default_factory=dict)

    @property
    def notes(self) -> tuple[object, ...]:
        """The comments inside the module and on its ports."""
        sections = [(title, *notes.items()) for title, notes in self.sections.items()]
        return (*sections, "ports", *self.ports.items())

    def of_all(self, formulas: Mapping[str, str]) -> Remarks:
        """The comments on all modules that differ in figures: figures are formulas of one of
        them."""
        known = set(_FIGURE.findall(self.common))
        text = _FIGURE.sub(lambda match: formulas.get(match[1], match[0]), self.common)
        facts = {name: f"{name} = {formula}" for name, formula in formulas.items()}
        facts = {name: fact for name, fact in facts.items() if fact.lower() != f"{name} = {name}"}
        untold = ", ".join(fact for name, fact in facts.items() if name not in known)
        above = tuple(text.split("\n\n"))
        return replace(self, above=above, figures=", ".join(facts.values()), untold=untold)

    def after(self, *paragraphs: str) -> Remarks:
        """These comments with some paragraphs before the others."""
        return replace(self, above=(*paragraphs, *self.above))

    def text(self, same: str = "") -> str:
        """The comment above the module.  same: an earlier module with the same comment
        except for figures, to refer to."""
        if same:
            return lines(f"As {same}{', with ' * bool(self.figures)}{self.figures}.")
        note = f"Here: {self.untold}." if self.untold else ""
        return lines(*self.above, note)


def above(fragment: Fragment, module: str, top: object = None) -> Iterator[tuple[str, Remarks]]:
    """The names of a module and of those below it, as Amaranth gives them, with their
    comments.  top: the component of the module itself, if the fragment does not know it."""
    made_of = top if top is not None else _origin(fragment)
    remark = Remarks() if made_of is None else of(made_of)
    yield module, replace(remark, registers=frozenset(_registers(fragment)))
    for inner, name, _ in fragment.subfragments:
        if name is not None:
            yield from above(inner, f"{module}.{name}")


def shared(remarks: Sequence[Remarks]) -> Remarks:
    """The comments on a module that several equal ones become: those that they have in
    common, but always one above the module."""
    first, *others = remarks
    paragraphs = tuple(text for text in first.above if all(text in o.above for o in others))
    same = not any(other.figures != first.figures for other in others)
    return replace(
        first,
        above=paragraphs or first.above,
        figures=first.figures if same else "",
        untold=first.untold if same else "",
        sections={
            title: _common(notes, [other.sections.get(title, {}) for other in others])
            for title, notes in first.sections.items()
        },
        ports=_common(first.ports, [other.ports for other in others]),
    )


def of(made_of: object) -> Remarks:
    kind = type(made_of)
    text = inspect.cleandoc(kind.__doc__ or "")
    if not kind.__module__.startswith("modmul."):  # for a library the first paragraph is enough
        text = text.split("\n\n", 1)[0]
    known = set(_FIGURE.findall(text))
    facts = {
        name: f"{name} = {plain(value)}"
        for name, value in vars(made_of).items()
        if _is_figure(value) and value != "" and name != _HOLDS and not name.startswith("_")
    }
    short = [name for name in facts if " " not in facts[name].partition(" = ")[2]]
    sections: Notes = getattr(made_of, "NOTES", {})
    ports: Mapping[str, str] = getattr(made_of, "PORT_NOTES", {})
    return Remarks(
        f"{kind.__module__}.{kind.__qualname__}",
        filled(text, made_of, short),
        tuple(filled(text, made_of).split("\n\n")),
        ", ".join(facts[name] for name in facts if name in short),
        ", ".join(fact for name, fact in facts.items() if name not in known),
        {filled(title, made_of): _filled(notes, made_of) for title, notes in sections.items()},
        _filled(ports, made_of),
        {name: getattr(made_of, name) for name in short},
        tuple(_members(made_of)),
        holds=getattr(made_of, _HOLDS, ""),
        called=getattr(made_of, "called", ""),
        fields=dict(_fields(made_of)),
    )


def filled(text: str, made_of: object, but: Collection[str] = ()) -> str:
    """The text with the figures of a component filled in, except those in `but`; other
    braces stay."""

    def figure(match: re.Match[str]) -> str:
        if match[1] in but:
            return match[0]
        records = (value for value in vars(made_of).values() if _is_record(value))
        for owner in (made_of, *records):
            value = getattr(owner, match[1], None)
            if _is_figure(value):
                return plain(value)
        return match[0]

    return _FIGURE.sub(figure, text)


def lines(*paragraphs: str) -> str:
    return "//\n".join(_wrapped(paragraph) for paragraph in paragraphs if paragraph)


def _members(made_of: object) -> Iterator[str]:
    if isinstance(made_of, wiring.Component):
        for path, _, _ in made_of.signature.flatten(made_of):
            yield identifier("__".join(map(str, path)))
    else:  # such as a FIFO of the library, whose ports are its attributes
        for name, value in vars(made_of).items():
            if isinstance(value, Signal):
                yield identifier(name)


def _fields(made_of: object) -> Iterator[tuple[str, tuple[Field, ...]]]:
    """The ports of a component that are structs, each with its fields."""
    if not isinstance(made_of, wiring.Component):
        return
    for path, member, _ in made_of.signature.flatten(made_of):
        if isinstance(member.shape, data.StructLayout):
            fields = (Field(str(name), own.offset, own.width) for name, own in member.shape)
            yield identifier("__".join(map(str, path))), tuple(own for own in fields if own.width)


def _registers(fragment: Fragment) -> Iterator[str]:
    for domain, statements in fragment.statements.items():
        for statement in statements if domain != "comb" else ():
            for signal in statement._lhs_signals():
                yield identifier(signal.name)


def _filled(notes: Mapping[str, str], made_of: object) -> dict[str, str]:
    return {name: filled(note, made_of) for name, note in notes.items()}


def _common(notes: Mapping[str, str], others: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """The notes that all have; the others are empty."""
    return {
        name: note if all(other.get(name) == note for other in others) else ""
        for name, note in notes.items()
    }


def _wrapped(paragraph: str) -> str:
    """A paragraph with lines as long as allowed; the lines of a list or table, which begin
    with blanks, stay."""
    if any(line.startswith(" ") for line in paragraph.splitlines()):
        return "".join(f"// {line}".rstrip() + "\n" for line in paragraph.splitlines())
    wrapped = textwrap.wrap(" ".join(paragraph.split()), COLUMNS, break_on_hyphens=False)
    return "".join(f"// {line}\n" for line in wrapped)


def _is_record(value: object) -> bool:
    """Whether this is a multiplier, or a record of its figures, from which a component was made."""
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def _is_figure(value: object) -> bool:
    return isinstance(value, (bool, int, str))


def plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _origin(fragment: Fragment) -> Elaboratable | None:
    """None if its class has no docstring."""
    for origin in fragment.origins or ():
        if not isinstance(origin, Module) and type(origin).__dict__.get("__doc__"):
            return origin
    return None
