"""Builds all verbs as one cyclopts application.  Each verb is imported when it is called."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from cyclopts import (
    App,
    CoercionError,
    CycloptsError,
    Group,
    MissingArgumentError,
    Parameter,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from modmul.cli.common import Json, Output
from modmul.cli.output import show
from modmul.cli.verbs import EXIT_CODES, INSTALL_COMPLETION, OF_A_SPEC, SUMMARY, VERBS, examples
from modmul.errors import SpecError, suggestion
from modmul.spec.keys import MULTIPLIERS, named_count
from modmul.toolchain import files
from modmul.version import __version__

if TYPE_CHECKING:
    from modmul.cli.options import DesignChoice

_SHELLS = "bash, zsh, fish"
Shell = Literal["bash", "zsh", "fish"]


def application(verb: str | None = None, choice: DesignChoice | None = None) -> App:
    """The command line's parser.

    verb: the only verb to add; None: all of them.  choice: which options of architectures the verbs
    have that take a specification; None: all."""
    app = App(
        name="modmul",
        help=SUMMARY,
        help_epilogue=EXIT_CODES,
        help_format="plaintext",
        version=__version__,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
        default_parameter=Parameter(negative=()),
    )
    for name in VERBS if verb is None else {verb} & VERBS.keys():
        _add(app, name, choice)
    app.command(
        install_verb,
        name=INSTALL_COMPLETION,
        help="write what a shell needs to complete words at TAB",
    )
    return app


def _add(app: App, name: str, choice: DesignChoice | None) -> None:
    module = name.replace("-", "_")
    takes: Any = getattr(import_module(f"modmul.cli.{module}"), f"{module}_verb")
    more: dict[str, Any] = {"help_epilogue": examples(name)}
    if name in OF_A_SPEC:
        from modmul.cli.options import ALL, COMMON, epilogue

        choice = choice or ALL._replace(closed=True)
        takes = takes.of(choice)
        more["help_epilogue"] += f"\n\n{epilogue(name, choice)}"
        more["group_parameters"] = Group(COMMON, sort_key=1)
    takes.__doc__ = re.sub(r"\n {12}", " ", takes.__doc__)  # the lines of an option's help
    app.command(takes, name=name, help=VERBS[name], **more)


def install_verb(
    shell: Annotated[
        Shell | None,
        Parameter(name="SHELL", help=f"{_SHELLS} (default: the one this is called from)"),
    ] = None,
    /,
    *,
    output: Output = None,
    json: Json = False,
) -> int:
    """Write what a shell needs to complete verbs, options and their values at TAB.

    Args:
        output: write the script to this file, and change nothing else (default: where the shell
            looks for it; bash and zsh also get a line in .bashrc or .zshrc)
    """
    shell = shell or _calling()
    app = application()
    if output is None:
        place = app.install_completion(shell=shell)
    else:
        files.write(output, app.generate_completion(shell=shell))
        place = output
    text = f"Completion for {shell} is in {place}; a new shell that reads it completes at TAB.\n"
    show({"shell": shell, "path": str(place)}, lambda: text, json)
    return 0


def _calling() -> Shell:
    """Return the shell that this program is called from.  Raises SpecError if it is unknown."""
    from cyclopts.completion.detect import ShellDetectionError, detect_shell

    shell = None
    with contextlib.suppress(ShellDetectionError):
        shell = detect_shell()
    if shell is None or shell == "powershell":
        message = f"shell: none known; name one of {_SHELLS} behind --install-completion"
        raise SpecError("shell", shell, f"one of {_SHELLS}", message)
    return shell


def run(tokens: Sequence[str]) -> int:
    """Parse and execute a command line; return its exit code.  Raises SpecError if that is not
    possible."""
    try:
        code = _done(tokens)
    except CycloptsError as error:
        raise _explained(error) from None
    return code if isinstance(code, int) else 0


def _done(tokens: Sequence[str]) -> Any:
    """Parse with the options of one architecture.  If these are not enough, import all and parse
    with theirs.

    So an option of another architecture is refused by the specification, which says what it belongs
    to, and the message about an unknown option lists all options."""
    verb = tokens[0] if tokens else ""
    if verb not in OF_A_SPEC:
        return _parsed(application(verb), tokens)
    from modmul.cli.options import ALL, choice_of

    try:
        return _parsed(application(verb, choice_of(tokens)), tokens)
    except (CoercionError, MissingArgumentError):  # about an option that the architecture has
        raise
    except CycloptsError:
        return _parsed(application(verb, ALL), tokens)


def _parsed(app: App, tokens: Sequence[str]) -> Any:
    return app(tokens, exit_on_error=False, print_error=False)


def _explained(error: CycloptsError) -> SpecError:
    """Return the SpecError for an error of the parser: key, value, what is allowed, message."""
    key: str | None
    value: str | None
    if isinstance(error, UnknownCommandError):
        return _verb((error.unused_tokens or [""])[0])
    if isinstance(error, UnknownOptionError):
        key, value = error.token.keyword or error.token.value, None
        names = [argument.name for argument in error.argument_collection if argument.show]
        allowed = ", ".join(names) or f"one of the verbs {', '.join(VERBS)}"
    elif isinstance(error, UnusedCliTokensError):
        return _surplus(error)
    else:
        key = error.argument.name if error.argument else None
        value, allowed = getattr(getattr(error, "token", None), "value", None), _allowed(error)
        if key == f"--{MULTIPLIERS}" and (confused := named_count(value)):
            return confused
    message = " ".join(str(error).split())
    return SpecError(key.lstrip("-") if key else None, value, allowed, message)


def _surplus(error: UnusedCliTokensError) -> SpecError:
    """Refuse a word that is neither an option nor a value.  The parser's own message prints a
    list of Python."""
    word = (error.unused_tokens or [""])[0]
    verb = " ".join(["modmul", *(error.command_chain or [])])
    message = f"{word!r}: {verb} takes no such word; {verb} --help shows what it takes"
    return SpecError(None, word, "no further word", message)


def _verb(word: str) -> SpecError:
    """Refuse an unknown verb.  The parser's own suggestion would import every verb."""
    allowed = f"one of {', '.join(VERBS)}"
    message = f"verb = {word!r}: must be {allowed}{suggestion(word, VERBS, 1)}"
    return SpecError("verb", word, allowed, message)


def _allowed(error: CycloptsError) -> str:
    if isinstance(error, CoercionError) and error.argument is not None:
        choices = error.argument.get_choices()
        if choices:
            return f"one of {', '.join(choices)}"
        kinds = {error.target_type, *get_args(error.argument.hint)}
        return "a whole number" if int in kinds else "a value of the kind that --help shows"
    if isinstance(error, MissingArgumentError):
        return "a value"
    return "what --help shows"
