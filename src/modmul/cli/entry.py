"""One command line from its first word to its exit code; see the package for the codes."""

from __future__ import annotations

import io
import os
import sys
import traceback
import warnings
from collections.abc import Sequence

import modmul
from modmul.errors import ModmulError, SpecError, ToolMissing, printable, quoted

INTERNAL_ERROR, INTERRUPTED = 70, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line (default: of this process); the exit code."""
    tokens = list(sys.argv[1:] if arguments is None else arguments)
    if tokens == ["--version"]:  # before anything slow is imported
        print(modmul.__version__)
        return 0
    as_json = "--json" in tokens
    warnings.showwarning = _warn
    for stream in (sys.stdout, sys.stderr):  # what they cannot encode is no reason to stop
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        _check_words(tokens)
        from modmul.cli.application import run

        code = run(tokens)
        sys.stdout.flush()
        return code
    except ModmulError as error:
        return _fail(error.details(), error.exit_code, as_json)
    except KeyboardInterrupt:
        return _fail(_message("interrupted"), INTERRUPTED, as_json)
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except ModuleNotFoundError as error:  # an incomplete installation
        text = f"Python package {error.name} not found: install modmul with its dependencies"
        return _fail(_message(text), ToolMissing.exit_code, as_json)
    except OSError as error:  # a full disk, a file that went away
        text = f"{error.filename or 'input or output'}: {error.strerror or error}"
        return _fail(_message(text), INTERNAL_ERROR, as_json)
    except Exception as error:
        traceback.print_exc()
        text = f"internal error, please report it: {type(error).__name__}: {error}"
        return _fail(_message(text), INTERNAL_ERROR, as_json)


def _check_words(tokens: Sequence[str]) -> None:
    """SpecError for words that are no text: they could be no name of a file, and no output."""
    for token in tokens:
        if "\0" in token or token != printable(token):
            allowed = "text in UTF-8 without null characters"
            message = f"argument {quoted(token)}: must be {allowed}"
            raise SpecError(None, printable(token), allowed, message)


def _message(text: str) -> dict[str, object]:
    return {"key": None, "value": None, "allowed": None, "message": text}


def _fail(details: dict[str, object], code: int, as_json: bool) -> int:
    if as_json:
        import json

        print(json.dumps({"error": details}, indent=2))
    else:
        print(f"modmul: {details['message']}", file=sys.stderr)
    return code


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    print(f"modmul: warning: {message}", file=sys.stderr)
