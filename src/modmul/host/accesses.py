"""How a host reaches registers of 32 bits: in memory that is mapped, over a LiteX server, over a
socket, in a simulation of its own.

All of these have the same methods.  Addresses are of bytes, from the first of the device on."""

from __future__ import annotations

import ctypes
import mmap
import socket
import socketserver
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import IO, Protocol, Self

from modmul.errors import CheckFailed
from modmul.export import check, hdl
from modmul.export.hdl import header
from modmul.export.testbench import templates
from modmul.spec import Spec
from modmul.system import text
from modmul.system.packets import longest
from modmul.system.register_map import register_map
from modmul.system.registers import RegisterMap
from modmul.toolchain import child, scratch
from modmul.toolchain.cache import Cache

_BYTES = 4  # bytes of a register
_IDLE = 0.0002  # seconds that pass between two looks at a status
_PASSED = 2000  # cycles that pass in a simulation between two looks
_PATIENCE = 10.0  # seconds that an access over a network may take
_MAGIC, _VERSION, _WIDTHS = 0x4E6F, 0x10, 0x44  # Etherbone 1, addresses and data of 32 bits


class Refused(CheckFailed):
    """An access failed, in the device or on the way to it."""


class Accesses(Protocol):
    """The 32-bit registers of a device, at byte addresses that are multiples of 4."""

    def read(self, address: int) -> int:
        """The word at an address.  Raises Refused if the access fails."""

    def write(self, address: int, value: int) -> None:
        """Write a word to an address.  Raises Refused if the access fails."""

    def idle(self) -> None:
        """Let some time pass before a status is read again."""


class Mapped:
    """Registers in a file that can be mapped into memory, such as /dev/mem or /dev/uio0.  offset:
    where the device begins in the file, in bytes.  size: bytes of the device.  Raises OSError if
    the file cannot be opened or mapped."""

    def __init__(self, path: Path | str, offset: int = 0, size: int = 1 << 16):
        first = offset - offset % mmap.ALLOCATIONGRANULARITY
        with Path(path).open("r+b", buffering=0) as file:
            self._memory = mmap.mmap(file.fileno(), offset - first + size, offset=first)
        # Each element is one access of 32 bits.
        words = ctypes.c_uint32 * (size // _BYTES)
        self._words = words.from_buffer(self._memory, offset - first)

    def read(self, address: int) -> int:
        return int(self._words[address // _BYTES])

    def write(self, address: int, value: int) -> None:
        self._words[address // _BYTES] = value

    def idle(self) -> None:
        time.sleep(_IDLE)

    def close(self) -> None:
        del self._words
        self._memory.close()


class _Connected:
    """A connection over TCP, which closes at the end of a `with` block."""

    def __init__(self, host: str, port: int):
        self._socket = socket.create_connection((host, port), _PATIENCE)

    def idle(self) -> None:
        time.sleep(_IDLE)

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Litex(_Connected):
    """Registers behind a LiteX server (`litex_server --uart ...`), reached by Etherbone over TCP.
    base: byte address of the device in the system.  Raises OSError without a connection."""

    def __init__(self, host: str = "localhost", port: int = 1234, base: int = 0):
        super().__init__(host, port)
        self._base = base
        self._socket.recv(128)  # what the server says of itself

    def read(self, address: int) -> int:
        self._send(0, 1, 0, self._base + address)
        answer = b""
        while len(answer) < 20:
            more = self._socket.recv(20 - len(answer))
            if not more:
                raise Refused(f"read of {address:#x}: the LiteX server ended the connection")
            answer += more
        return int(struct.unpack(">I", answer[16:])[0])

    def write(self, address: int, value: int) -> None:
        self._send(1, 0, self._base + address, value)

    def _send(self, writes: int, reads: int, *words: int) -> None:
        """Send an Etherbone packet with one record of two words."""
        head = struct.pack(">HBB4x", _MAGIC, _VERSION, _WIDTHS)
        record = struct.pack(">BBBB", 0, 0x0F, writes, reads)
        self._socket.sendall(head + record + struct.pack(">II", *words))


# ---- lines: over a socket, or to a simulation ---------------------------------------------------


class _Lines:
    """Accesses as lines: `r ADDRESS`, `w ADDRESS DATA`, `c CYCLES`, in hexadecimal digits."""

    _to: IO[bytes]
    _back: IO[bytes]

    def read(self, address: int) -> int:
        return int(self._asked(f"r {address:x}"), 16)

    def write(self, address: int, value: int) -> None:
        self._asked(f"w {address:x} {value:x}")

    def idle(self) -> None:
        self._asked(f"c {_PASSED:x}")

    def _asked(self, line: str) -> str:
        self._to.write(f"{line}\n".encode())
        self._to.flush()
        answer = self._back.readline().decode().strip()
        if not answer or answer == "error":
            raise Refused(f"{line}: {answer or 'the other side ended'}")
        return answer


class Socket(_Lines):
    """Registers behind a socket, where a simulator or `served` answers lines.  Raises OSError
    without a connection."""

    def __init__(self, host: str, port: int):
        self._socket = socket.create_connection((host, port), _PATIENCE)
        self._to = self._socket.makefile("wb")
        self._back = self._socket.makefile("rb")

    def close(self) -> None:
        for channel in (self._to, self._back, self._socket):
            channel.close()


@contextmanager
def served(registers: Accesses, host: str = "localhost", port: int = 0) -> Iterator[int]:
    """Serve registers to `Socket`s, one connection after the other, and yield the port.  port: the
    port to listen on, or 0 for any that is free."""

    class AccessHandler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            for line in self.rfile:
                self.wfile.write(f"{_answer(registers, line.decode().split())}\n".encode())

    with socketserver.TCPServer((host, port), AccessHandler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield int(server.server_address[1])
        finally:
            server.shutdown()
            thread.join()


def _answer(registers: Accesses, words: list[str]) -> str:
    try:
        match words:
            case ["r", address]:
                return f"{registers.read(int(address, 16)):08x}"
            case ["w", address, value]:
                registers.write(int(address, 16), int(value, 16))
            case ["c", _]:
                registers.idle()
            case _:
                return "error"
    except (Refused, ValueError):
        return "error"
    return "ok"


class Verilated(_Lines):
    """The registers of a design, in a simulation of its Verilog by Verilator.  banks: see
    `system.build.build`.  A context manager.  Raises ToolMissing or ToolFailed."""

    def __init__(self, spec: Spec, cache: Cache | None = None, banks: int = 0):
        self.regs: RegisterMap = register_map(spec.design, longest(spec), banks)
        self._kept = scratch.folder()
        folder = self._kept.__enter__()
        program = self._compiled(spec, folder, cache or Cache())
        self._process = child.Tool([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._to, self._back = self._process.stdin, self._process.stdout

    def _compiled(self, spec: Spec, folder: Path, cache: Cache) -> Path:
        written = hdl.emit(spec.design)
        module, verilog = text.on_bus(spec.design, written, self.regs, "native")
        name = f"{module}_serve"
        bench = (
            templates("modmul.system")
            .get_template("serve.v.j2")
            .render(
                header=header(spec.design, "//"), dut=module, name=name, bits=self.regs.address_bits
            )
        )
        file = folder / "served.v"
        file.write_text(f"{written.simulated}\n{verilog}\n{bench}")
        return check.compile_bench([file], name, folder, cache)

    def close(self) -> None:
        self._process.kill()
        self._to.close()
        self._back.close()
        self._kept.__exit__(None, None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
