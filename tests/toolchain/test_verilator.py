"""The C++ compiler and Verilator as the package finds them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from modmul.errors import ToolFailed, ToolMissing
from modmul.toolchain import child, cxx, verilator
from modmul.toolchain.cache import Cache


@pytest.fixture
def fresh() -> object:
    cxx.find.cache_clear()
    yield
    cxx.find.cache_clear()


def test_a_named_compiler_wins(fresh: object, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = cxx.find().command
    cxx.find.cache_clear()
    monkeypatch.setenv("CXX", "env " + " ".join(usual))
    assert cxx.find().command == ("env", *usual)


def test_zig_where_nothing_else_is(fresh: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(cxx.shutil, "which", lambda name: None)
    assert cxx.find().is_zig


def test_no_compiler(fresh: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(cxx.shutil, "which", lambda name: None)
    monkeypatch.setattr(cxx.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ToolMissing, match="ziglang"):
        cxx.find()


def test_a_named_compiler_that_is_not_there(fresh: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "/nowhere/c++")
    with pytest.raises(ToolMissing, match="nowhere"):
        cxx.find()


def test_wrong_cplusplus(tmp_path: Path) -> None:
    source = tmp_path / "wrong.cpp"
    source.write_text("int main() { return nothing; }\n")
    with pytest.raises(ToolFailed, match="nothing"):
        cxx.compile_objects([source], tmp_path, [])


def test_wrong_verilog(tmp_path: Path) -> None:
    source = tmp_path / "wrong.v"
    source.write_text("module top(input a, output b); assign b = ; endmodule\n")
    with pytest.raises(ToolFailed, match="wrong.v:1"):
        verilator.verilate([source], "top", "Top", tmp_path)


@pytest.mark.skipif(not cxx.find().is_gcc, reason="the compiler is not GCC")
def test_headers_are_not_read_again(tmp_path: Path) -> None:
    """Their text is not looked at; and what is compiled with them is linked and runs."""
    cache = Cache()
    flags = [*verilator.flags(), *verilator.header(cache)]
    text, precompiled = Path(flags[-1]), tmp_path / "header.h"
    assert "verilated.h" in text.read_text()
    precompiled.with_suffix(".h.gch").symlink_to(text.with_suffix(".h.gch"))
    precompiled.write_text("#error this text is read\n")
    source = tmp_path / "main.cpp"
    source.write_text("int main() { VerilatedContext context; return context.gotFinish(); }\n")
    objects = cxx.compile_objects([source], tmp_path, [*flags[:-1], str(precompiled)])
    cxx.link([*objects, *verilator.runtime(cache)], tmp_path / "program")
    assert child.run([str(tmp_path / "program")]) == (0, "")
    with pytest.raises(ToolFailed, match="this text is read"):
        cxx.compile_objects([source], tmp_path, [*flags[:-1], str(precompiled), "-DOTHER", "-O0"])


@pytest.mark.skipif(not cxx.find().is_gcc, reason="the compiler is not GCC")
def test_headers_are_verilator_s_but_for_the_functions_of_queues() -> None:
    folder, queues = Path(verilator.header(Cache())[-1]).parent, "VL_PACK_I_RI"
    own, copy = (
        (place / "verilated_funcs.h").read_text()
        for place in (verilator.root() / "include", folder)
    )
    assert queues in own and queues not in copy
    kept = iter(own.splitlines())
    assert all(line in kept for line in copy.splitlines())  # in this order
    left = [line for line in copy.splitlines() if re.match(r"(static )?inline .*VlQueue<", line)]
    assert left == [], "Verilator writes functions of queues in another form"


def test_other_compilers_read_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    clang = cxx.Compiler(("c++",), "Debian clang version 14.0.6")
    monkeypatch.setattr(cxx, "find", lambda: clang)
    assert verilator.header(Cache()) == []
