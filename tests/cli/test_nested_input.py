"""Input that is nested deeper than Python reads: one message, exit code 2."""

from pathlib import Path

import pytest

from modmul.cli import main


@pytest.mark.parametrize(
    ("words", "content"),
    [
        (["build", "{}", "-o", "x"], "width = " + "[" * 100_000),
        (["explore", "{}", "-o", "x"], "width = " + "[" * 100_000),
        (["verify", "--replay", "{}"], '{"format": ' + "[" * 100_000),
    ],
)
def test_input_that_is_nested_too_deeply(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    content: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "input.toml"
    file.write_text(content)
    assert main([word.format(file) for word in words]) == 2
    assert "input.toml" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [file]
