"""What makes a kept figure invalid: its key, and every source file that has a say in it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import modmul
from modmul.papers.kept import kept
from modmul.toolchain import sources
from modmul.toolchain.cache import Cache


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, to be changed."""
    root = tmp_path_factory.mktemp("copy") / "modmul"
    ignored = shutil.ignore_patterns("__pycache__")
    return shutil.copytree(Path(modmul.__file__).parent, root, ignore=ignored)


@pytest.mark.parametrize(
    "file, matters",
    [
        ("parameters.py", True),
        ("spec.py", True),
        ("verification/stimuli.py", True),
        ("verification/driver.cpp", True),
        ("processors/exponentiation/core.py", True),
        ("implementation/critical_path.py", True),
        ("papers/text.py", False),
        ("cli/papers.py", False),
        ("blocks/__pycache__/new.pyc", False),
    ],
)
def test_sources_below_the_papers_count(package: Path, file: str, matters: bool) -> None:
    sources.of_package.cache_clear()
    before, path = sources.of_package(package), package / file
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as written:
        written.write("# changed\n")
    sources.of_package.cache_clear()
    assert (sources.of_package(package) != before) == matters


def function(file: Path, text: str) -> Callable[[], int]:
    """The function `make` of a module with that text."""
    names: dict[str, Callable[[], int]] = {}
    file.write_text(text)
    exec(compile(text, file, "exec"), names)
    return names["make"]


def test_a_figure_is_kept_until_its_key_or_a_maker_changes(tmp_path: Path) -> None:
    """The figure is how often it was made."""
    cache, maker, helper = Cache(tmp_path / "cache"), tmp_path / "maker.py", tmp_path / "helper.py"
    text = "calls = []\ndef make():\n    calls.append(1)\n    return len(calls)\n"
    make, other = function(maker, text), function(helper, text)

    def figure(bits: int) -> int:
        return kept(cache, "paper-test", {"bits": bits}, int, make, other)

    assert [figure(8), figure(8), figure(9), figure(9), figure(8)] == [1, 1, 2, 2, 1]
    maker.write_text(text + "# changed\n")
    assert [figure(8), figure(8)] == [3, 3]
    helper.write_text(text + "# changed\n")
    assert [figure(8), figure(8), make()] == [4, 4, 5]
