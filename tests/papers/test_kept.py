"""Figures kept by their options; what else is in a key: tests/toolchain/test_keys.py."""

from pathlib import Path

from modmul.papers.kept import found, kept
from modmul.toolchain.cache import Cache
from modmul.toolchain.steps import Step

STEP = Step("paper-test", "modmul.papers.kept")


def test_a_figure_is_kept_until_its_key_changes(tmp_path: Path) -> None:
    """The figure is how often it was made."""
    cache, calls = Cache(tmp_path), []

    def make() -> int:
        calls.append(1)
        return len(calls)

    assert found(cache, STEP, {"bits": 8}, int) is None
    assert [kept(cache, STEP, {"bits": bits}, int, make) for bits in (8, 8, 9, 8)] == [1, 1, 2, 1]
    assert found(cache, STEP, {"bits": 9}, int) == 2
