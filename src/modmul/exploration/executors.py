"""Where points are measured: any `concurrent.futures` executor, here or on a dask cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, NamedTuple

from modmul.errors import SpecError
from modmul.exploration import child

_RETRIES = 3  # workers that may die under one point before it counts as failed
_PATIENCE = "10 s"  # for a scheduler to answer
_ALLOWED = "the address of a dask scheduler, such as tcp://host:8786"


class Crew(NamedTuple):
    """executor: takes `child.measure_in_child`.  size: points that it measures at once, now.

    place: in words."""

    executor: Executor
    size: Callable[[], int]
    place: str


@contextlib.contextmanager
def local(jobs: int) -> Iterator[Crew]:
    """`jobs` processes on this machine.  However the block ends, they end with it."""
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="modmul-point")
    try:
        yield Crew(pool, lambda: jobs, f"{jobs} processes here")
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        child.end_all()
        pool.shutdown(wait=True)


@contextlib.contextmanager
def cluster(address: str) -> Iterator[Crew]:
    """The workers of a dask.distributed scheduler, also those that come later.  A point whose
    worker dies is given to another.  SpecError where no scheduler answers."""
    import distributed

    connect: Any = distributed.Client
    try:
        client = connect(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        message = f"scheduler = {address!r}: does not answer ({error}); must be {_ALLOWED}"
        raise SpecError("scheduler", address, _ALLOWED, message) from None
    with client:
        executor = client.get_executor(pure=False, retries=_RETRIES)

        def size() -> int:
            return max(1, int(sum(client.nthreads().values())))

        try:
            yield Crew(executor, size, f"workers of {address}")
        finally:
            executor.shutdown(wait=False)
