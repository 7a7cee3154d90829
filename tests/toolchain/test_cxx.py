"""The C++ compiler of the zig wheel."""

from pathlib import Path

import pytest

from modmul.toolchain import child, cxx
from modmul.toolchain.cxx import Compiler

ZIG = Compiler(("python", "-m", "ziglang", "c++"), "clang version 22")
WORD = "zig builds its C++ library: a minute or two, once\n"


def test_the_first_link_of_zig_says_what_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--version` makes zig's folder already, as a compilation does; a link makes the library."""
    (tmp_path / "h").mkdir()
    (tmp_path / "o" / "0123").mkdir(parents=True)
    commands = list[list[str]]()
    monkeypatch.setenv("ZIG_GLOBAL_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cxx, "find", lambda: ZIG)
    monkeypatch.setattr(child, "call", lambda _, command, **__: commands.append(command))
    cxx._announce_first_zig.cache_clear()
    cxx.link([tmp_path / "a.o"], tmp_path / "a")
    assert capsys.readouterr().err == WORD
    assert {"build-exe", "--debug-rt", str(tmp_path / "a.o")} <= set(commands[0])
    (tmp_path / "o" / "0123" / "libc++.a").touch()
    cxx._announce_first_zig.cache_clear()
    cxx.link([tmp_path / "a.o"], tmp_path / "a")
    assert capsys.readouterr().err == ""
    cxx._announce_first_zig.cache_clear()
