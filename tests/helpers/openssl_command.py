"""The command `openssl` for curves over GF(2^m), which `cryptography` does not have any more."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from modmul.arithmetic.points import Affine


@cache
def curves() -> frozenset[str]:
    """The names of the curves that it knows; none where there is no such command."""
    if shutil.which("openssl") is None:
        return frozenset()
    listed = subprocess.run(
        ["openssl", "ecparam", "-list_curves"], capture_output=True, text=True, check=False
    ).stdout
    return frozenset(re.findall(r"^\s*(\S+)\s*:", listed, re.MULTILINE))


def explicit(curve: str, folder: Path) -> Path:
    """A file with the parameters of a curve, not its name."""
    file = folder / f"{curve}.pem"
    command = ["openssl", "ecparam", "-name", curve, "-param_enc", "explicit", "-out", str(file)]
    subprocess.run(command, capture_output=True, check=True)
    return file


class KeyPair:
    """A key pair that it made, in a directory of its own."""

    def __init__(self, curve: str, place: Path):
        self.place, self.private_file, self.public_file = place, place / "key", place / "public"
        place.mkdir()
        self._run("ecparam", "-name", curve, "-genkey", "-noout", "-out", self.private_file)
        self._run("ec", "-in", self.private_file, "-pubout", "-out", self.public_file)
        told = self._run("ec", "-in", self.private_file, "-noout", "-text").decode()
        fields = {
            name: re.sub(r"[\s:]", "", digits)
            for name, digits in re.findall(r"^(\w+):\n((?:\s+[0-9a-f:]+\n)+)", told, re.MULTILINE)
        }
        self.number, self.octets = int(fields["priv"], 16), bytes.fromhex(fields["pub"])
        half = len(self.octets) // 2
        self.point = Affine(
            int.from_bytes(self.octets[1 : 1 + half], "big"),
            int.from_bytes(self.octets[1 + half :], "big"),
        )

    def sign(self, message: bytes, digest: str) -> bytes:
        """In DER."""
        return self._run("dgst", f"-{digest}", "-sign", self.private_file, self._file(message))

    def verifies(self, message: bytes, digest: str, signature: bytes) -> bool:
        told = subprocess.run(
            [
                "openssl",
                "dgst",
                f"-{digest}",
                "-verify",
                self.public_file,
                "-signature",
                self._file(signature, "signature"),
                self._file(message),
            ],
            capture_output=True,
            check=False,
        )
        return told.returncode == 0

    def shared(self, other: KeyPair) -> bytes:
        return self._run(
            "pkeyutl", "-derive", "-inkey", self.private_file, "-peerkey", other.public_file
        )

    def _file(self, content: bytes, name: str = "message") -> Path:
        (self.place / name).write_bytes(content)
        return self.place / name

    @staticmethod
    def _run(*arguments: str | Path) -> bytes:
        return subprocess.run(["openssl", *arguments], capture_output=True, check=True).stdout
