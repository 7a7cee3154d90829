"""modmul --install-completion."""

from __future__ import annotations

import contextlib
from typing import Annotated, Literal

from cyclopts import Parameter

from modmul.cli.application import application
from modmul.cli.common import Json, Output
from modmul.cli.output import show
from modmul.errors import SpecError
from modmul.toolchain import files

_SHELLS = "bash, zsh, fish"
Shell = Literal["bash", "zsh", "fish"]


def install_verb(
    shell: Annotated[
        Shell | None,
        Parameter(name="SHELL", help=f"{_SHELLS} (default: the one this is called from)"),
    ] = None,
    /,
    *,
    output: Output = None,
    json: Json = False,
) -> int:
    """Write what a shell needs to complete verbs, options and their values at TAB.

    Args:
        output: write the script to this file, and change nothing else (default: where the shell
            looks for it; bash and zsh also get a line in .bashrc or .zshrc)
    """
    shell = shell or _calling()
    app = application()
    if output is None:
        place = app.install_completion(shell=shell)
    else:
        files.write(output, app.generate_completion(shell=shell))
        place = output
    text = f"Completion for {shell} is in {place}; a new shell that reads it completes at TAB.\n"
    show({"shell": shell, "path": str(place)}, lambda: text, json)
    return 0


def _calling() -> Shell:
    """Return the shell that this program is called from.  Raises SpecError if it is unknown."""
    from cyclopts.completion.detect import ShellDetectionError, detect_shell

    shell = None
    with contextlib.suppress(ShellDetectionError):
        shell = detect_shell()
    if shell is None or shell == "powershell":
        message = f"shell: none known; name one of {_SHELLS} behind --install-completion"
        raise SpecError("shell", shell, f"one of {_SHELLS}", message)
    return shell
