"""Where points are measured: any `concurrent.futures` executor, here or on a dask cluster."""

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

_RETRIES = 3  # workers that may die under one point before it counts as failed
_PATIENCE = "10 s"  # for a scheduler to answer
_ENCRYPTED = ("tls", "wss")
_ALLOWED = "the address of a dask scheduler, such as tcp://host:8786"


class WorkerPool(NamedTuple):
    """executor: takes `child.measure_in_child`.  size: points that it measures at once, now.

    place: in words."""

    executor: Executor
    size: Callable[[], int]
    place: str


@contextlib.contextmanager
def local(jobs: int) -> Iterator[WorkerPool]:
    """`jobs` processes on this machine.  However the block ends, they end with it."""
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="modmul-point")
    try:
        yield WorkerPool(pool, lambda: jobs, f"{jobs} processes here")
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        child.end_all()
        pool.shutdown(wait=True)


@contextlib.contextmanager
def cluster(address: str) -> Iterator[WorkerPool]:
    """The workers of a dask.distributed scheduler, also those that come later.  A point whose
    worker dies is given to another.

    tls://...: with the certificates that dask's configuration names (docs/security.md).  A warning
    where anybody on the network can listen.  SpecError where no scheduler answers."""
    import distributed

    if not address:
        raise SpecError("scheduler", address, _ALLOWED, f"scheduler = '': must be {_ALLOWED}")
    if open_to_others(address):
        warnings.warn(
            f"scheduler {address}: nothing is encrypted, and whoever reaches it runs programs on "
            "its workers and here; use tls:// or a tunnel (docs/security.md)", stacklevel=2,
        )  # fmt: skip

    secure: Any = distributed.Security  # with the certificates of dask's configuration
    try:
        security = secure()
        _check_certificates(address, security)
        client = _connected(distributed.Client, address, security)
    except (OSError, TimeoutError, ValueError, MemoryError) as error:  # memory: no dask is there
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
    """A client.  One that fails is closed at once; else it would be tried when it is forgotten, for
    20 s, with a traceback."""
    client = kind.__new__(kind)
    try:
        client.__init__(address, timeout=_PATIENCE, set_as_default=False, security=security)
    except BaseException:
        client.status = "closed"
        raise
    return client


def _check_certificates(address: str, security: Any) -> None:
    """SpecError where dask's configuration names no certificates for an encrypted address, or asks
    for encryption and the address has none.  OSError for certificates that cannot be read."""
    encrypted = address.partition("://")[0] in _ENCRYPTED
    if encrypted and security.get_connection_args("client")["ssl_context"] is None:
        allowed = "used with distributed.comm.tls ca-file, client.cert and client.key in dask's " \
                  "configuration"  # fmt: skip
    elif security.require_encryption and not encrypted:
        allowed = "tls://..., since dask's configuration requires encryption"
    else:
        return
    message = f"scheduler = {address!r}: must be {allowed} (docs/security.md)"
    raise SpecError("scheduler", address, allowed, message)


def open_to_others(address: str) -> bool:
    """Whether what goes to and from a scheduler can be read and changed by others: neither
    encrypted nor within this machine."""
    protocol, separator, rest = address.partition("://")
    if separator and protocol in _ENCRYPTED:
        return False
    try:
        host = urlsplit(f"//{rest if separator else address}").hostname or ""
        return host != "localhost" and not ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name: it can be anywhere
        return True
