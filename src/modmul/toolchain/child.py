"""A program run to its end, together with what it starts: none of them outlives the caller."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence


def run(command: Sequence[str], timeout: float | None = None) -> tuple[int, str]:
    """Exit code, and all that it printed on both outputs.

    timeout: seconds.  Where it does not come to its end (TimeoutExpired, Ctrl-C), it and all
    its children are killed."""
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as child:
        try:
            output, _ = child.communicate(timeout=timeout)
        except BaseException:
            with contextlib.suppress(ProcessLookupError):  # it has ended, and been waited for
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            raise
    return child.returncode, output
