"""Runs SQL from any source safely: DuckDB with locked settings, in a process of its own.

`connect` opens every database of this program, without files, network and extensions, and so that
none of these can be unlocked.  DuckDB does not bound a query: an interruption waits until the
running function has returned, and memory of long strings and lists is not counted.  So queries run
in a process whose time and memory are limited by the operating system."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modmul.errors import ToolFailed
from modmul.toolchain import child

if TYPE_CHECKING:
    import duckdb

SECONDS = 60.0  # for one query, on the clock
MEMORY = 4 << 30  # bytes of the process's address space; DuckDB's own limit is a quarter of it
FILE = 256 << 20  # bytes by which an answer may lengthen its database, uncompressed
ROWS = 1_000_000  # the most rows of an answer
ANSWER = "answer"  # the table with the rows of an answer

_LOCKS: dict[str, str | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
    "python_enable_replacements": False,  # variables of Python are not visible as tables
    "memory_limit": f"{MEMORY >> 22}MiB",
    "temp_directory": "",
    "max_temp_directory_size": "0KiB",
    "threads": 1,
    "force_compression": "uncompressed",  # so that the size of a file bounds its contents
}
_START = "from modmul.toolchain.sql import serve; serve()"


class QueryRefused(Exception):
    """A query that DuckDB refuses or that exceeds a limit; its text is the reason in one line."""


def connect(file: Path | None = None, folder: Path | None = None) -> duckdb.DuckDBPyConnection:
    """Open a locked database: of a file, or in memory.

    folder: the only place where queries can read and write files."""
    import duckdb  # not for the process that asks

    base = duckdb.connect(str(file or ":memory:"), config=_LOCKS)
    if folder is not None:
        base.execute("SET allowed_directories = $1", [[str(folder)]])
    base.execute("SET enable_progress_bar = false")
    base.execute("SET enable_external_access = false")
    base.execute("SET lock_configuration = true")
    return base


def evaluate(query: str, values: Sequence[Any] = ()) -> list[list[Any]]:
    """Run a query in the separate process and return its rows.

    values: the query's parameters.  They and the rows are plain JSON values.  Raises
    QueryRefused."""
    return _WORKER.ask(query, list(values), None)


def answer(file: Path, query: str) -> None:
    """Run one SELECT over the tables of a database in the separate process, and store its rows in
    the new table ANSWER of that database.

    Raises QueryRefused, also if there are more than ROWS rows or they take more than FILE bytes,
    and OSError if the file cannot be written."""
    ((rows,),) = _WORKER.ask(query, [], str(file.absolute()))
    if rows > ROWS:
        raise QueryRefused(f"gives more than {ROWS:,} rows")


class _Worker:
    """The process for SQL.  It is started when it is first needed, and again if it has ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def ask(self, query: str, values: list[Any], file: str | None) -> list[list[Any]]:
        try:
            query.encode()
        except UnicodeEncodeError:
            raise QueryRefused("is not valid Unicode") from None
        request = json.dumps({"query": query, "values": values, "file": file, "seconds": SECONDS})
        with self._lock:
            line = self._line(request.encode() + b"\n")
            if not line.endswith(b"\n"):
                raise _ended(self._wait())
        reply = json.loads(line)
        if "failed" in reply:
            raise OSError(None, reply["failed"], file)
        if "error" in reply:
            raise QueryRefused(reply["error"])
        rows: list[list[Any]] = reply["rows"]
        return rows

    def _line(self, request: bytes) -> bytes:
        """Send a request and return the reply; it has no line end if the process ended."""
        if self._process is not None and self._process.poll() is not None:
            self._wait()  # somebody has ended it since the query before
        if self._process is None:
            command = [sys.executable, "-P", "-c", _START]
            self._process = child.start(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(request)
            self._process.stdin.flush()
            return self._process.stdout.readline()
        except BrokenPipeError:
            return b""
        except BaseException:  # Ctrl-C: its reply would be taken for that of the next query
            self.end()
            raise

    def end(self) -> None:
        """Kill the process, if there is one."""
        if self._process is not None:
            self._process.kill()  # no matter if it has ended
            self._wait()

    def _wait(self) -> int:
        """Wait until the process has ended; return its exit code."""
        assert self._process is not None
        process, self._process = self._process, None
        with contextlib.suppress(BrokenPipeError), process:  # closes the pipes
            pass
        return process.returncode


_WORKER = _Worker()
atexit.register(_WORKER.end)


def _ended(code: int) -> Exception:
    """Return the error for a process that ended with this code without a reply."""
    if code == -signal.SIGALRM:
        return QueryRefused(f"takes longer than {SECONDS:g} s")
    if code < 0:
        return QueryRefused(f"ends DuckDB ({signal.strsignal(-code)})")
    return ToolFailed(f"the process for SQL ended with {code}")


# ---- in the process ------------------------------------------------------------------------------


def serve() -> None:
    """Answer queries from standard input until it ends."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what DuckDB prints does not belong to the answers
    memory = connect()
    for line in sys.stdin.buffer:
        request = json.loads(line)
        signal.setitimer(signal.ITIMER_REAL, request.pop("seconds"))  # kills; nothing catches it
        reply = _reply(memory, **request)
        signal.setitimer(signal.ITIMER_REAL, 0)
        answers.write(json.dumps(reply).encode() + b"\n")
        answers.flush()


def _reply(
    memory: duckdb.DuckDBPyConnection, query: str, values: list[Any], file: str | None
) -> dict[str, Any]:
    import duckdb

    try:
        if file is None:
            return {"rows": memory.execute(query, values).fetchall()}
        _limit_file(Path(file).stat().st_size + FILE)
        literal = "'" + query.replace("'", "''") + "'"
        select = f"FROM query({literal}) LIMIT {ROWS + 1}"
        with connect(Path(file)) as base:
            kinds = [statement.type for statement in base.extract_statements(query)]
            if kinds != [duckdb.StatementType.SELECT]:
                return {"error": "is something else"}
            return {"rows": base.execute(f"CREATE TABLE {ANSWER} AS {select}").fetchall()}
    except duckdb.IOException as error:
        text = str(error).splitlines()[0]
        if "File too large" in text:
            return {"error": f"gives more than {FILE >> 20} MiB"}
        return {"failed": text}
    except (duckdb.Error, MemoryError) as error:
        return {"error": (str(error).splitlines() or [type(error).__name__])[0]}


def _limit_file(size: int) -> None:
    """Limit the size of the files that this process may write."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    most = size if hard == resource.RLIM_INFINITY else min(size, hard)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
