"""One command line from its first word to its exit code; see the package for the codes."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Sequence

import modmul
from modmul.errors import ModmulError, ToolMissing

INTERNAL_ERROR, INTERRUPTED = 70, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line (default: of this process); the exit code."""
    tokens = list(sys.argv[1:] if arguments is None else arguments)
    if tokens == ["--version"]:  # before anything slow is imported
        print(modmul.__version__)
        return 0
    as_json = "--json" in tokens
    warnings.showwarning = _warn
    try:
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


def _message(text: str) -> dict[str, object]:
    return {"key": None, "value": None, "allowed": None, "message": text}


def _fail(details: dict[str, object], code: int, as_json: bool) -> int:
    if as_json:
        import json

        print(json.dumps({"error": details}, indent=2))
    else:
        print(f"modmul: {_shown(details['message'])}", file=sys.stderr)
    return code


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    print(f"modmul: warning: {_shown(message)}", file=sys.stderr)


def _shown(message: object) -> str:
    from modmul.toolchain.terminal import visible

    return visible(str(message))
