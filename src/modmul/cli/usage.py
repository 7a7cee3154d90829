"""Turns errors of the option parser into SpecErrors: key, value, what is allowed, message."""

from __future__ import annotations

import typing

from cyclopts import (
    CoercionError,
    CycloptsError,
    MissingArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from modmul.errors import SpecError, suggestion
from modmul.spec.keys import MULTIPLIERS, named_count


def explain(error: CycloptsError, verbs: list[str]) -> SpecError:
    """Return the SpecError for an error of the parser.  verbs: the names of all commands."""
    key: str | None
    value: str | None
    if isinstance(error, UnknownCommandError):
        return _verb((error.unused_tokens or [""])[0], verbs)
    if isinstance(error, UnknownOptionError):
        key, value = error.token.keyword or error.token.value, None
        names = [argument.name for argument in error.argument_collection if argument.show]
        allowed = ", ".join(names) or f"one of the verbs {', '.join(verbs)}"
    elif isinstance(error, UnusedCliTokensError):
        key, value, allowed = None, (error.unused_tokens or [""])[0], "no further word"
    else:
        key = error.argument.name if error.argument else None
        value, allowed = _value(error), _allowed(error)
        if key == f"--{MULTIPLIERS}" and (confused := named_count(value)):
            return confused
    message = " ".join(str(error).split())
    return SpecError(key.lstrip("-") if key else None, value, allowed, message)


def _verb(word: str, verbs: list[str]) -> SpecError:
    """Refuse an unknown verb.  The parser's own suggestion would import every verb."""
    allowed = f"one of {', '.join(verbs)}"
    message = f"verb = {word!r}: must be {allowed}{suggestion(word, verbs, 1)}"
    return SpecError("verb", word, allowed, message)


def _value(error: CycloptsError) -> str | None:
    token = getattr(error, "token", None)
    return getattr(token, "value", None)


def _allowed(error: CycloptsError) -> str:
    if isinstance(error, CoercionError) and error.argument is not None:
        choices = error.argument.get_choices()
        if choices:
            return f"one of {', '.join(choices)}"
        kinds = {error.target_type, *typing.get_args(error.argument.hint)}
        return "a whole number" if int in kinds else "a value of the kind that --help shows"
    if isinstance(error, MissingArgumentError):
        return "a value"
    return "what --help shows"
