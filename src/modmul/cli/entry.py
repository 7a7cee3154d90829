"""Runs one command line from its first word to its exit code; the package lists the codes."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any, TextIO

from modmul.cli.verbs import HELP, VERBS, program_help
from modmul.errors import ModmulError, NoRoom, SpecError, ToolMissing, printable, quoted
from modmul.toolchain import child
from modmul.version import __version__

INTERNAL_ERROR = 70
IO_ERROR = NoRoom.exit_code
_REQUESTS = (signal.SIGTERM, signal.SIGHUP)  # from the system, a scheduler or a closed terminal
_OUTPUT = "standard output"
_lost = False  # whether standard error could not be written


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line (default: that of this process); return its exit code."""
    global _lost
    _lost = False
    tokens = list(sys.argv[1:] if arguments is None else arguments)
    _fill_closed()
    if sys.stdout is None:
        _say("standard output is closed: give it a file, or /dev/null")
        return IO_ERROR
    warnings.showwarning = _warn
    _name_output()
    with _signals() as came:
        code = _done(tokens, came)
    return code or (IO_ERROR if _lost else 0)


def _done(tokens: Sequence[str], came: list[int]) -> int:
    """Execute a command line; return its exit code.  came: the signals that came."""
    as_json = "--json" in tokens
    try:
        code = _run(tokens)
        sys.stdout.flush()
        return code
    except (Exception, KeyboardInterrupt) as error:
        if came:  # it is the cause of all later errors
            for number in (signal.SIGINT, *_REQUESTS):
                signal.signal(number, signal.SIG_IGN)
            return _fail(ModmulError(_ended_by(came[0])), 128 + came[0], as_json)
        return _failed(error, as_json)


@contextlib.contextmanager
def _signals() -> Iterator[list[int]]:
    """Within the block SIGINT, SIGTERM and SIGHUP kill the tools and raise KeyboardInterrupt; yield
    the list of those that came.

    A signal that is ignored stays ignored (`nohup`).  Python drops an exception that is raised
    while an object is deleted.  Then the run ends where it would start its next tool."""
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield came
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        came.append(number)
        child.stop_all()
        warnings.simplefilter("ignore")  # Amaranth warns of designs that are never used
        for request in _REQUESTS:  # a terminal that is closed often sends several
            signal.signal(request, signal.SIG_IGN)
        raise KeyboardInterrupt(_ended_by(number))

    child.reopen()
    before = {
        number: signal.signal(number, interrupt)
        for number in (signal.SIGINT, *_REQUESTS)
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _ended_by(number: int) -> str:
    return "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"


def _failed(error: BaseException, as_json: bool) -> int:
    """Report an error; return its exit code."""
    if isinstance(error, ModmulError):
        return _fail(error, error.exit_code, as_json)
    if isinstance(error, KeyboardInterrupt):
        return _fail(ModmulError("interrupted"), 128 + signal.SIGINT, as_json)
    if isinstance(error, ModuleNotFoundError):  # an incomplete installation
        text = f"Python package {error.name} not found: install modmul with its dependencies"
        return _fail(ModmulError(text), ToolMissing.exit_code, as_json)
    if isinstance(error, OSError):  # a full disk, a file that went away
        if error.filename == _OUTPUT:
            _abandon(sys.stdout)
            if isinstance(error, BrokenPipeError):  # its reader has read enough
                return 0
            as_json = False
        text = f"{error.filename or 'input or output'}: {error.strerror or error}"
        return _fail(ModmulError(text), IO_ERROR, as_json)
    import traceback

    traceback.print_exception(error)
    text = f"internal error, please report it: {type(error).__name__}: {error}"
    return _fail(ModmulError(text), INTERNAL_ERROR, as_json)


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


# ---- standard output and standard error ----------------------------------------------------------


class _StandardOutput(io.FileIO):
    """Standard output, whose errors name it."""

    def write(self, content: Any) -> int:
        try:
            return super().write(content)
        except OSError as error:
            raise OSError(error.errno, error.strerror, _OUTPUT) from None


def _name_output() -> None:
    """Escape characters that the streams cannot encode, and have errors name standard output."""
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors="backslashreplace")
    original = sys.__stdout__
    if original is not None and sys.stdout is original:
        raw = _StandardOutput(original.fileno(), "wb", closefd=False)
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(raw),
            original.encoding,
            "backslashreplace",
            line_buffering=raw.isatty(),
        )
    elif isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _fill_closed() -> None:
    """Open the null device for each standard stream that is closed.  Otherwise the first file that
    is opened would get its number, and the text meant for people."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest free number
    sys.stderr = sys.stderr or open(os.devnull, "w")


def _abandon(stream: TextIO) -> None:
    """Redirect a stream to the null device, also for text that is flushed at exit."""
    with contextlib.suppress(OSError, ValueError):  # a stream without a file, as of a test
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def _fail(error: ModmulError, code: int, as_json: bool) -> int:
    """Report an error once: as JSON or, also if standard output fails, on standard error."""
    if as_json:
        import json

        try:
            print(json.dumps({"error": error.details()}, indent=2), flush=True)
            return code
        except OSError:
            _abandon(sys.stdout)
    _say(str(error))
    return code


def _say(text: str) -> None:
    """Print on standard error.  If that fails, the run goes on: no result depends on a warning."""
    global _lost
    from modmul.errors import visible

    try:
        print(f"modmul: {visible(text)}", file=sys.stderr, flush=True)
    except OSError:
        _lost = True
        _abandon(sys.stderr)


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    _say(f"warning: {message}")
