"""Writes the files that a user asks for: whole or not at all, and in the place of regular files
only.  Checks beforehand whether files and directories can be written.

A symbolic link to a regular file stays, and the file that it leads to is replaced; its permissions
stay too.  A new file gets those of the user's umask.  Devices, FIFOs, sockets, directories, links
that lead nowhere and the streams of this process are refused."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from modmul.errors import SpecError
from modmul.toolchain import scratch

_ALLOWED = "a new file, or a regular file to be replaced"
_HINT = "standard output has the summary, or the result with --json"
_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
}


def check_file(path: Path, key: str = "output") -> None:
    """Raise SpecError(key, ...) if no file can be written at this path; nothing is left behind.

    It is called before any work, so that a long run does not fail at its last step."""
    _place(path, key)


def check_writable(directory: Path, key: str = "output") -> None:
    """Raise SpecError(key, ...) if the directory cannot be made, or no file can be written in it.

    Nothing is left behind.  It is called before any work, so that a long run does not fail at its
    last step."""
    reason = _directory_obstacle(directory)
    if reason is not None:
        raise _refuse(directory, reason, key, "a directory that can be written")


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield the path of a temporary file to write; when the block ends, that file replaces `path`.
    If the block raises, `path` stays as it was.

    The temporary file has the suffix of `path` and is alone in its folder; other files in the
    folder are removed.  Raises SpecError as `check_file` does, and FileNotFoundError if the block
    wrote nothing.  An OSError about the temporary file, or about no file (such as a full disk),
    names `path`."""
    place = _place(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    with scratch.folder(place.parent) as folder:
        part = folder / f"part{place.suffix}"
        try:
            yield part
            replace(part, place)
        except OSError as error:
            if error.filename is None or Path(error.filename).is_relative_to(folder):
                raise OSError(error.errno, error.strerror, str(path)) from None
            raise


def write(path: Path, content: str | bytes) -> None:
    """Write the content to `path` and flush it to the disk.  Text is UTF-8 with "\\n" as line ends.

    Raises SpecError as `check_file` does, OSError as `replacing` does."""
    encoded = content.encode() if isinstance(content, str) else content
    with replacing(path) as part, part.open("wb") as file:
        file.write(encoded)
        file.flush()
        os.fsync(file.fileno())


def replace(part: Path, place: Path) -> None:
    """Rename `part` to `place`; keep the owner and the permissions of a file that it replaces."""
    with contextlib.suppress(FileNotFoundError):
        before = place.stat()
        with contextlib.suppress(PermissionError):  # only root gives files away
            os.chown(part, before.st_uid, before.st_gid)
        part.chmod(stat.S_IMODE(before.st_mode))
    part.replace(place)


def _place(path: Path, key: str = "output") -> Path:
    """Follow the links at `path` to a regular file, or to a path where nothing exists yet."""
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink():
            raise _refuse(path, "it is a link that leads nowhere", key) from None
        status = None
    except OSError as error:
        raise _refuse(path, error.strerror or str(error), key) from None
    except ValueError:  # a null character, or what is no text
        raise _refuse(path, "no file can have this name", key) from None
    reason = _file_obstacle(path, status)
    if reason is not None:
        raise _refuse(path, reason, key)
    place = Path(os.path.realpath(path))
    check_writable(place.parent, key)
    return place


def _file_obstacle(path: Path, status: os.stat_result | None) -> str | None:
    """Say why the file at `path` must not be replaced; None if it may, or if there is none."""
    if path == Path("-"):
        return f"- is no name of a file; {_HINT}"
    if status is None:
        return None
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "no file")
        return f"it is {kind}; {_HINT}" if _is_open(status) else f"it is {kind}"
    if _is_open(status):
        return f"the output of this program goes there already; {_HINT}"
    return None if os.access(path, os.W_OK) else "it is write-protected"


def _is_open(status: os.stat_result) -> bool:
    """Whether this is the file of standard output or standard error of this process."""
    for stream in (1, 2):
        with contextlib.suppress(OSError):  # closed
            if os.path.samestat(status, os.fstat(stream)):
                return True
    return False


def _directory_obstacle(directory: Path) -> str | None:
    """Say why no file can be written in an existing or new directory; None if one can."""
    if directory == Path("-"):
        return "results are files and are not sent to standard output"
    try:
        existing = _nearest(directory)
        if not existing.is_dir():
            dangling = existing.is_symlink() and not existing.exists()
            why = "is a link that leads nowhere" if dangling else "is not a directory"
            return f"{existing} {why}"
        with scratch.folder(existing):
            return None
    except OSError as error:
        place = scratch.outside(Path(error.filename or directory))
        return f"{place} cannot be written: {error.strerror or error}"
    except ValueError:  # a null character, or what is no text
        return "no directory can have this name"


def _nearest(directory: Path) -> Path:
    """Return the directory, or its nearest parent path at which something exists."""
    for path in (directory, *directory.absolute().parents):
        try:
            os.lstat(path)
            return path
        except (FileNotFoundError, NotADirectoryError):
            continue
    raise FileNotFoundError(f"{directory}: not even a root directory is there")


def _refuse(path: Path, reason: str, key: str, allowed: str = _ALLOWED) -> SpecError:
    message = f"{key} = {str(path)!r}: must be {allowed} ({reason})"
    return SpecError(key, str(path), allowed, message)
