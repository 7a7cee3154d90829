"""Runs one command line from its first word to its exit code; the package lists the codes."""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from collections.abc import Sequence

from modmul.cli import signals, streams
from modmul.cli.verbs import HELP, VERBS, program_help
from modmul.errors import ModmulError, NoRoom, SpecError, ToolMissing, printable, quoted
from modmul.version import __version__

INTERNAL_ERROR, INTERRUPTED = 70, 130
IO_ERROR = NoRoom.exit_code


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line (default: that of this process); return its exit code."""
    tokens = list(sys.argv[1:] if arguments is None else arguments)
    if not streams.opened():
        _say("standard output is closed: give it a file, or /dev/null")
        return IO_ERROR
    warnings.showwarning = _warn
    for stream in (sys.stdout, sys.stderr):  # characters that they cannot encode are escaped
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    with signals.orderly(), streams.guarded() as errors_lost:
        try:
            code = _done(tokens)
        except streams.Unwritten as error:
            if error.closed:  # the reader of the pipe stopped reading
                return 0
            _say(str(error))
            return IO_ERROR
        sys.stderr.flush()
        return code or (IO_ERROR if errors_lost() else 0)


def _done(tokens: Sequence[str]) -> int:
    """Execute a command line; return its exit code.  Raises Unwritten if output cannot be
    written."""
    as_json = "--json" in tokens
    try:
        code = _run(tokens)
        sys.stdout.flush()
        return code
    except streams.Unwritten:
        raise
    except (Exception, KeyboardInterrupt) as error:
        signals.caught()
        return _failed(signals.came() or error, as_json)  # a signal causes all later errors


def _failed(error: BaseException, as_json: bool) -> int:
    """Report an error; return its exit code."""
    if isinstance(error, ModmulError):
        return _fail(error.details(), error.exit_code, as_json)
    if isinstance(error, signals.Ended):
        return _fail(_message(error.text), error.code, as_json)
    if isinstance(error, KeyboardInterrupt):
        return _fail(_message("interrupted"), INTERRUPTED, as_json)
    if isinstance(error, ModuleNotFoundError):  # an incomplete installation
        text = f"Python package {error.name} not found: install modmul with its dependencies"
        return _fail(_message(text), ToolMissing.exit_code, as_json)
    if isinstance(error, OSError):  # a full disk, a file that went away
        text = f"{error.filename or 'input or output'}: {error.strerror or error}"
        return _fail(_message(text), IO_ERROR, as_json)
    import traceback

    traceback.print_exception(error)
    text = f"internal error, please report it: {type(error).__name__}: {error}"
    return _fail(_message(text), INTERNAL_ERROR, as_json)


def _run(tokens: Sequence[str]) -> int:
    if list(tokens) == ["--version"]:  # before anything slow is imported
        print(__version__)
        return 0
    if HELP.issuperset(tokens):
        sys.stdout.write(program_help())
        return 0
    if tokens[0] in HELP and tokens[1] in VERBS:
        tokens = [*tokens[1:], tokens[0]]
    _check_words(tokens)
    from modmul.cli.application import run

    return run(tokens)


def _check_words(tokens: Sequence[str]) -> None:
    """Raise SpecError for words that are no text: they can be neither file names nor output."""
    for token in tokens:
        if "\0" in token or token != printable(token):
            allowed = "text in UTF-8 without null characters"
            message = f"argument {quoted(token)}: must be {allowed}"
            raise SpecError(None, printable(token), allowed, message)


def _message(text: str) -> dict[str, object]:
    return {"key": None, "value": None, "allowed": None, "message": text}


def _fail(details: dict[str, object], code: int, as_json: bool) -> int:
    """Report an error once: as JSON or, also if standard output fails, on standard error."""
    if as_json:
        import json

        with contextlib.suppress(streams.Unwritten):
            print(json.dumps({"error": details}, indent=2), flush=True)
            return code
    _say(str(details["message"]))
    return code


def _say(text: str) -> None:
    from modmul.toolchain.visible import visible

    print(f"modmul: {visible(text)}", file=sys.stderr)


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    _say(f"warning: {message}")
