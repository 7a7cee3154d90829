"""A driver in C, compiled for this machine, at registers in Python."""

from __future__ import annotations

import ctypes
import random
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from modmul.design import Beat
from modmul.host import Accesses
from modmul.processors import Processor
from modmul.spec import Spec
from modmul.system import operations
from modmul.system.driver import driver
from modmul.system.registers import RegisterMap

STRICT = ["-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"]
_ACCESS = """
#include <stdint.h>
extern uint32_t (*got)(uint32_t);
extern void (*put)(uint32_t, uint32_t);
#define DUT_GET(device, offset) ((void)(device), got(offset))
#define DUT_PUT(device, offset, value) ((void)(device), put((offset), (value)))
"""
_AROUND = """
#include "dut.h"
uint32_t (*got)(uint32_t);
void (*put)(uint32_t, uint32_t);
int (*drawn)(uint32_t *, uint32_t);
int dut_random(uint32_t *words, uint32_t count);
int dut_random(uint32_t *words, uint32_t count)
{
    return drawn != 0 ? drawn(words, count) : 1;
}
void use(uint32_t (*reads)(uint32_t), void (*writes)(uint32_t, uint32_t))
{
    got = reads;
    put = writes;
}
dut_device device;
"""
_GETS = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32)
_PUTS = ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint32)
_DRAWS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_uint32), ctypes.c_uint32)


Answer = Callable[[dict[str, list[Beat]]], "list[Beat] | None"]


class Ports:
    """Registers of a processor, as far as a driver needs them.

    answer: the beats of a result, given the packets that came since the last one; None: nothing
    comes.  left: what is in the windows of inputs."""

    def __init__(self, regs: RegisterMap, answer: Answer):
        self.regs, self.answer = regs, answer
        self.windows = {window.name: [0] * window.words for window in regs.windows}
        self.packets: dict[str, list[Beat]] = {}
        self.loaded: list[Beat] = []
        self.open: dict[str, list[Beat]] = {}
        self.result: list[Beat] | None = None
        self.error = 0
        self.accesses: list[tuple[str, int]] = []

    def read(self, address: int) -> int:
        self.accesses.append(("read", address))
        regs = self.regs
        for window in regs.windows:
            if 0 <= address - window.address < 4 * window.words:
                assert window.access == "read" and self.result is not None
                return self.windows[window.name][(address - window.address) // 4]
        (register,) = (register for register in regs.registers if register.address == address)
        if register.name == "status":
            return int(self._has_result())
        if register.name == "events":
            return self.error
        if register.name == "result_beats":
            return len(self.result or [])
        return register.value

    def _has_result(self) -> bool:
        """Whether a result is, which is asked for when it is waited for."""
        if self.result is None and self.packets:
            self.result = self.answer(self.packets)
            if self.result is not None:
                (lane,) = self.regs.result.lanes
                value = lane.packed(self.result)
                window = self.windows[lane.name]
                for place in range(len(window)):
                    window[place] = value >> 32 * place & 0xFFFFFFFF
                self.packets = {}
        return self.result is not None

    def write(self, address: int, data: int) -> None:
        self.accesses.append(("write", address))
        regs = self.regs
        for window in regs.windows:
            if 0 <= address - window.address < 4 * window.words:
                assert window.access == "write"
                self.windows[window.name][(address - window.address) // 4] = data
                return
        (register,) = (register for register in regs.registers if register.address == address)
        if register.name.endswith("_send"):
            self._send(register.name.removesuffix("_send"), data)
        elif register.name == "events":
            self.error = 0
        elif register.name == "control":
            if data & regs.bits("control", "take").mask:
                self.error |= regs.bits("events", "error").mask * (self.result is None)
                self.result = None
            if data & regs.bits("control", "wipe").mask:
                self.result, self.packets, self.loaded = None, {}, []
                for words in self.windows.values():
                    words[:] = [0] * len(words)

    def _send(self, name: str, data: int) -> None:
        (channel,) = (channel for channel in self.regs.inputs if channel.name == name)
        (lane,) = channel.lanes
        count, first, last = data & 0xFFFF, data >> 16 & 1, data >> 17 & 1
        assert 0 < count <= channel.beats
        assert bool(first) == (name not in self.open)
        value = sum(word << 32 * place for place, word in enumerate(self.windows[name]))
        beats = self.open.setdefault(name, [])
        beats += lane.unpacked(value, count)
        if last and name == "modulus":
            self.loaded = self.open.pop(name)
        elif last:
            self.packets[name] = self.open.pop(name)

    def idle(self) -> None:
        """Nothing has to be waited for."""

    def left(self) -> set[str]:
        """The windows of inputs, but for commands and moduli, that are not zeroed."""
        return {
            window.channel
            for window in self.regs.windows
            if window.access == "write"
            and window.channel not in ("command", "modulus")
            and any(self.windows[window.name])
        }


class Driven:
    """The driver of a design, at such registers.  more: text in C that is compiled with it."""

    def __init__(
        self,
        spec: Spec,
        regs: RegisterMap,
        folder: Path,
        more: str = "",
        change: Callable[[str], str] = lambda text: text,
    ):
        self.spec, self.regs = spec, regs
        sources = [f"{file}.c" for file in ("dut", "dut_selftest", "more")]
        for file, text in driver(spec, regs, "dut").items():
            (folder / Path(file).name).write_text(change(text))
        sources = [file for file in sources if file == "more.c" or (folder / file).is_file()]
        (folder / "access.h").write_text(_ACCESS)
        (folder / "around.c").write_text(_AROUND)
        (folder / "more.c").write_text(f'#include "dut.h"\nextern int dut_nothing;\n{more}')
        library = folder / "dut.so"
        command = [
            sys.executable,
            "-m",
            "ziglang",
            "cc",
            "-std=c99",
            "-O1",
            "-shared",
            "-fPIC",
            *STRICT,
            "-include",
            "access.h",
            *sources,
            "-o",
            str(library),
        ]
        self._compile(command, folder)
        known = operations.known(spec) if isinstance(spec.design, Processor) else []
        self.functions = {
            function.operation: function
            for function in (operations.functions(spec, known, "dut") if known else [])
        }

    def _compile(self, command: list[str], folder: Path) -> None:
        around = [*command[:4], "-O1", "-c", "-fPIC", "around.c", "-o", "around.o"]
        for compilation in (around, [*command, "around.o"]):
            done = subprocess.run(
                compilation, cwd=folder, capture_output=True, text=True, check=False
            )
            assert (done.returncode, done.stderr) == (0, ""), done.stderr
        self.library = ctypes.CDLL(str(folder / "dut.so"))
        self.device = ctypes.addressof(ctypes.c_char.in_dll(self.library, "device"))

    def at(self, ports: Accesses, seed: int = 1) -> None:
        """Open the device at these registers; it has no random words before `draws`."""
        chance = random.Random(seed)

        def draw(words: ctypes._Pointer[ctypes.c_uint32], count: int) -> int:
            for place in range(count):
                words[place] = chance.getrandbits(32)
            return 0

        self._callbacks = (_GETS(ports.read), _PUTS(ports.write), _DRAWS(draw))
        self.library.use(*self._callbacks[:2])
        self._draws(None)
        assert self.call("open", ctypes.c_void_p(0)) == 0

    def patience(self, polls: int) -> None:
        """How long it waits: the member behind the first."""
        ctypes.c_uint32.from_address(self.device + 8).value = polls

    def draws(self, words: list[int] | None = None) -> None:
        """Give the device random words of the seed, or these."""
        if words is not None:

            def draw(room: ctypes._Pointer[ctypes.c_uint32], count: int) -> int:
                for place in range(count):
                    room[place] = words.pop(0)
                return 0

            self._callbacks = (*self._callbacks[:2], _DRAWS(draw))
        self._draws(ctypes.cast(self._callbacks[2], ctypes.c_void_p).value)

    def _draws(self, function: int | None) -> None:
        ctypes.c_void_p.in_dll(self.library, "drawn").value = function

    def selftest(self) -> str | None:
        """What the self-test finds wrong."""
        test = self.library.dut_selftest
        test.restype = ctypes.c_char_p
        found = test(ctypes.c_void_p(self.device))
        return None if found is None else str(found, "ascii")

    def call(self, name: str, *arguments: object) -> int:
        """A function of the driver."""
        return int(getattr(self.library, f"dut_{name}")(ctypes.c_void_p(self.device), *arguments))

    def load(self, name: str) -> int:
        """What is loaded by its name."""
        kind = operations.kind(self.spec.processor)
        address = ctypes.addressof(ctypes.c_char.in_dll(self.library, name))
        return self.call(f"load_{kind}", ctypes.c_void_p(address))

    def ask(
        self,
        operation: str,
        operands: Mapping[str, int],
        length: int = 0,
        shared: tuple[str, str, int] | None = None,
    ) -> tuple[int, dict[str, int]]:
        """The status of an operation, and its results.  shared: two arguments in one memory, and
        by how many words the second begins behind the first."""
        function = self.functions[operation]
        given = {operations.argument_name(name): value for name, value in operands.items()}
        of_operands = {each.name: each.words or -(-length // 32) for each in function.operands}
        results = {each.name: each.words for each in function.results}
        bits = [length] * bool(function.sized)
        status, answer = self.share(function.name, of_operands, results, given, bits, shared)
        return status, {name.removesuffix("_out"): value for name, value in answer.items()}

    def share(
        self,
        name: str,
        operands: Mapping[str, int],
        results: Mapping[str, int],
        given: Mapping[str, int],
        bits: list[int],
        shared: tuple[str, str, int] | None,
    ) -> tuple[int, dict[str, int]]:
        """The status of a function and its results.  operands, results: how many words each has.
        bits: numbers between both.  shared: see `ask`."""
        sizes = {**operands, **results}
        most = max(sizes.values())
        places = {name: most * (3 * number + 1) for number, name in enumerate(sizes)}
        if shared is not None:
            first, second, behind = shared
            places[second] = places[first] + behind
        memory = [0xDEADBEEF] * 3 * most * len(sizes)
        for argument, value in given.items():
            for place in range(sizes.get(argument, 0)):
                memory[places[argument] + place] = value >> 32 * place & 0xFFFFFFFF
        words = (ctypes.c_uint32 * len(memory))(*memory)
        arguments: list[object] = [ctypes.byref(words, 4 * place) for place in places.values()]
        arguments[len(operands) : len(operands)] = map(ctypes.c_uint32, bits)
        status = self.call(name, *arguments)
        return status, {
            result: sum(words[places[result] + place] << 32 * place for place in range(count))
            for result, count in results.items()
        }
