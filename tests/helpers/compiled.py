"""What every simulator is compiled with, for tests whose runs have a cache of their own."""

import shutil
from pathlib import Path

from modmul.toolchain import verilator
from modmul.toolchain.cache import Cache
from modmul.verification import executable, simulator


def put_into(place: Path, driver: bool = True) -> None:
    """Copy Verilator's library and headers, and the driver, from the cache of this run into
    another: they take longest to compile, and are made once for all tests."""
    cache = Cache()
    files = [verilator.runtime(cache)[0], *map(Path, verilator.header(cache)[1:])]
    files += [executable.driver_object(simulator.DRIVER, cache)] if driver else []
    for folder in (path.parent for path in files):
        shutil.copytree(folder, place / folder.relative_to(cache.root))
