"""Runs the measurements: on any `concurrent.futures` executor, on this machine or on a dask
cluster."""

from __future__ import annotations

import contextlib
import ipaddress
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from modmul.errors import SpecError
from modmul.exploration import child

_RETRIES = 3  # workers that may die while they measure one point, before it counts as failed
_PATIENCE = "10 s"  # the time in which a scheduler has to answer
_ENCRYPTED = ("tls", "wss")
_ALLOWED = "the address of a dask scheduler, such as tcp://host:8786"


class WorkerPool(NamedTuple):
    """The workers that measure points.  executor: runs `child.measure_in_child`.  size: returns the
    number of points that it can measure at once, at present.  place: the workers in words."""

    executor: Executor
    size: Callable[[], int]
    place: str


@contextlib.contextmanager
def local(jobs: int) -> Iterator[WorkerPool]:
    """Yield a pool of `jobs` processes on this machine, which end with the block."""
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="modmul-point")
    try:
        yield WorkerPool(pool, lambda: jobs, f"{jobs} processes here")
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        child.end_all()
        pool.shutdown(wait=True)


@contextlib.contextmanager
def cluster(address: str) -> Iterator[WorkerPool]:
    """Yield the workers of a dask.distributed scheduler, including those that join later.  A point
    whose worker dies is given to another worker.

    An address tls://... uses the certificates that dask's configuration names (docs/security.md).
    Warns if anybody on the network can listen.  Raises SpecError if no scheduler answers."""
    import distributed

    if not address:
        raise SpecError("scheduler", address, _ALLOWED, f"scheduler = '': must be {_ALLOWED}")
    if open_to_others(address):
        warnings.warn(
            f"scheduler {address}: nothing is encrypted, and whoever reaches it runs programs on "
            "its workers and here; use tls:// or a tunnel (docs/security.md)",
            stacklevel=2,
        )

    secure: Any = distributed.Security  # uses the certificates of dask's configuration
    try:
        security = secure()
        _check_certificates(address, security)
        client = _connected(distributed.Client, address, security)
    except (OSError, TimeoutError, ValueError, MemoryError) as error:  # MemoryError: another server
        why = " ".join(str(error).split())
        message = f"scheduler = {address!r}: does not answer as one ({why}); must be {_ALLOWED}"
        raise SpecError("scheduler", address, _ALLOWED, message) from None
    with client:
        executor = client.get_executor(pure=False, retries=_RETRIES)

        def size() -> int:
            return max(1, int(sum(client.nthreads().values())))

        try:
            yield WorkerPool(executor, size, f"workers of {address}")
        finally:
            executor.shutdown(wait=False)


def _connected(kind: Any, address: str, security: Any) -> Any:
    """Return a connected client.  A client that fails is marked as closed: otherwise its destructor
    would try to close it for 20 s and print a traceback."""
    client = kind.__new__(kind)
    try:
        client.__init__(address, timeout=_PATIENCE, set_as_default=False, security=security)
    except BaseException:
        client.status = "closed"
        raise
    return client


def _check_certificates(address: str, security: Any) -> None:
    """Raise SpecError if dask's configuration names no certificates for an encrypted address, or
    requires encryption and the address has none.  Raises OSError for certificates that cannot be
    read."""
    encrypted = address.partition("://")[0] in _ENCRYPTED
    if encrypted and security.get_connection_args("client")["ssl_context"] is None:
        allowed = (
            "used with distributed.comm.tls ca-file, client.cert and client.key in dask's "
            "configuration"
        )
    elif security.require_encryption and not encrypted:
        allowed = "tls://..., since dask's configuration requires encryption"
    else:
        return
    message = f"scheduler = {address!r}: must be {allowed} (docs/security.md)"
    raise SpecError("scheduler", address, allowed, message)


def open_to_others(address: str) -> bool:
    """Whether others can read and change the traffic with a scheduler, since it is neither
    encrypted nor within this machine."""
    protocol, separator, rest = address.partition("://")
    if separator and protocol in _ENCRYPTED:
        return False
    try:
        host = urlsplit(f"//{rest if separator else address}").hostname or ""
        return host != "localhost" and not ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name: it can be anywhere
        return True
