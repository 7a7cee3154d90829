"""A generator of FuseSoC (its API, version 1.0): runs `modmul build` with the parameters given, and
gives the core that it writes the name that was asked for."""

import re
import subprocess
import sys
from pathlib import Path

import yaml  # which FuseSoC needs itself


def options(parameters: dict[str, object]) -> list[str]:
    """The words of the command."""
    words = []
    for name, value in parameters.items():
        if isinstance(value, bool):
            words.append(f"--{'' if value else 'no-'}{name}")
        else:
            words += [f"--{name}", str(value)]
    return words


def main() -> int:
    asked = yaml.safe_load(Path(sys.argv[1]).read_text())
    words = options(asked.get("parameters") or {})
    made = Path("made")
    command = [sys.executable, "-m", "modmul", "build", *words, "--package", "fusesoc", "-o", made]
    done = subprocess.run(command, check=False)
    if done.returncode:
        return done.returncode
    (core,) = made.glob("*.core")
    text = re.sub(r"^name: .*$", f'name: "{asked["vlnv"]}"', core.read_text(), count=1, flags=re.M)
    text = re.sub(r"^( +- )(?=\S+\.v$)", rf"\1{made}/", text, flags=re.M)  # files, from here
    Path(core.name).write_text(text)
    core.unlink()  # two cores of one folder would be one too many
    return 0


if __name__ == "__main__":
    sys.exit(main())
