"""A program run to its end, together with what it starts: none of them outlives the caller."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence


def run(command: Sequence[str], timeout: float | None = None) -> tuple[int, str]:
    """Exit code, and all that it printed on both outputs.

    timeout: seconds.  Where it does not come to its end (TimeoutExpired, Ctrl-C), it and all
    its children are killed."""
    child = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        output, _ = child.communicate(timeout=timeout)
    except BaseException:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        raise
    return child.returncode, output
