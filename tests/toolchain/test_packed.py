"""Files kept compressed."""

from pathlib import Path

from modmul.toolchain import packed

TEXT = "{\n" + '  "bits": [1, 2, 3],\n' * 1000 + "}\n"


def test_packed_and_unpacked(tmp_path: Path) -> None:
    plain = tmp_path / "a.json"
    plain.write_text(TEXT)
    other = tmp_path / "other"
    other.mkdir()
    assert packed.unpack(plain, other).read_text() == TEXT
    small = packed.pack(plain)
    assert not plain.exists() and small.name == "a.json.gz"
    assert small.stat().st_size < len(TEXT) / 10
    assert packed.read(small) == TEXT
    assert packed.unpack(small, other) == other / "a.json"
    assert (other / "a.json").read_text() == TEXT


def test_the_same_content_gives_the_same_bytes(tmp_path: Path) -> None:
    archives = []
    for name in ("a", "b"):
        (tmp_path / name).write_text(TEXT)
        archives.append(packed.pack(tmp_path / name).read_bytes())
    assert archives[0] == archives[1]
